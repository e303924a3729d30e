"""Between services that hold events nothing is lost, whoever is killed; each is accepted once."""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random

import pytest

from tests.laws.federation_network import Member, Network
from tests.laws.test_federation_network import drawn, joined, reachable
from tests.real.faults.sizes import size
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.marks import Mark
from tidings.gateways.adapters.base import Arrival
from tidings.gateways.adapters.tidings import TidingsAdapter


class HoldingMember(Member):
    """A gateway whose services keep what it wants, while it is dead too, until it has taken it."""

    capabilities = TidingsAdapter.capabilities

    def __init__(self, network: Network, name: str, services: list[str]) -> None:
        self.waiting: defaultdict[tuple[str, bool], deque[Arrival]] = defaultdict(deque)
        self.held: list[tuple[tuple[str, bool], Arrival]] = []
        super().__init__(network, name, services)

    def restart(self) -> None:
        for line, fresh in reversed(self.held):
            self.waiting[line].appendleft(fresh)
        self.held = []
        self.alive = True
        self.machine = self._new()
        self.work()
        self.pump()

    def hear(self, service: str, sent: StructuredEvent, mark: Mark | None, number: int) -> None:
        fields = StructuredFields(sent)
        if any(one.matches(fields) for one in self.wants.get(service, ())):
            fresh = Arrival(sent, mark, f"stream-{service}", number, time=self.network.now)
            self.waiting[service, sent.name == CONTROL_SUBJECT].append(fresh)
        self.pump()

    def tick(self) -> None:
        held, self.held = self.held, []
        if self.alive:
            for line, fresh in held:
                self.take(line, fresh)
        else:
            self.held = held
        super().tick()
        self.pump()

    def pump(self) -> None:
        for line, waiting in list(self.waiting.items()):
            while (
                self.alive and waiting and (line[1] or self.machine.is_informed(self.network.now))
            ):
                self.take(line, waiting.popleft())
        self.work()

    def take(self, line: tuple[str, bool], fresh: Arrival) -> None:
        service, talk = line
        if talk:
            found = self.machine.control_arrived(service, fresh, self.network.now)
        else:
            found = self.machine.route(service, fresh)
        for delivery in found.deliveries:
            self.network.publish(delivery.adapter, delivery.event, delivery.mark, self)
        if found.held:
            self.held.append((line, fresh))


def check_accepted(network: Network, wanting: list[str], sent: dict[str, str]) -> None:
    """Each service that wants events has every one that was published elsewhere, once."""
    attached = {name: member.services for name, member in network.members.items()}
    for service in wanting:
        expected = sorted(
            name for name, origin in sent.items()
            if origin != service and service in reachable(attached, origin)
        )  # fmt: skip
        got = [
            name
            for (_, to), found in network.accepted.items()
            if to == service
            for _, name in found
        ]
        assert sorted(got) == expected


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost_and_each_event_is_accepted_once(seed: int) -> None:
    random = Random(2_000 + seed)
    attached = drawn(random, random.randint(2, 8), random.randint(2, 6))
    network = Network(seed, attached, members=HoldingMember)
    services = sorted({service for sides in attached.values() for service in sides})
    network.run(2_000)
    wanting = random.sample(services, random.randint(1, len(services)))
    for service in wanting:
        by = next(name for name, sides in attached.items() if service in sides)
        network.subscribe(by, "$rate > 0", service, "*")
    network.run(2_000)
    sent: dict[str, str] = {}
    dead: set[str] = set()
    for number in range(60):
        if random.random() < 0.15:
            name = random.sample(sorted(attached), 1)[0]
            (dead.discard if name in dead else dead.add)(name)
            member = network.members[name]
            if name in dead:
                member.alive = False
            else:
                member.restart()
        network.run(random.sample([1, 20, 100, 400], 1)[0])
        sent[f"E{number}"] = random.sample(services, 1)[0]
        network.event(sent[f"E{number}"], f"E{number}", rate=1)
    for name in dead:
        network.members[name].restart()
    network.run(10_000)
    check_accepted(network, wanting, sent)
    # No storm either: each event goes to each service at most once for every gateway on the way.
    assert network.messages <= 60 + 60 * len(services) * 2 * (1 + len(attached))


@pytest.mark.parametrize("seed", range(size(12, 600)))
def test_nothing_is_lost_while_gateways_come_and_go(seed: int) -> None:
    """Parallel gateways share the load; some are killed, others are deleted, new ones come."""
    random, network, services = joined(seed, HoldingMember)
    sent: dict[str, str] = {}
    dead: set[str] = set()
    for number in range(60):
        match random.choice("....kkjp"):
            case "k":
                turn(network, random, dead)
            case "j":
                one, other = random.sample(services, 2)
                network.join(f"G{number}", [one, other])
                for service in (one, other):
                    network.subscribe(f"G{number}", "$rate > 0", service, "*")
            case "p":
                part(network, random, dead)
        network.run(random.choice([1, 20, 100, 400]))
        sent[f"E{number}"] = random.choice(services)
        network.event(sent[f"E{number}"], f"E{number}", rate=1)
    for name in dead:
        network.members[name].restart()
    network.run(10_000)
    check_accepted(network, services, sent)


def turn(network: Network, random: Random, dead: set[str]) -> None:
    """Kill a gateway, or start a killed one again."""
    name = random.choice(sorted(dead if random.random() < 0.5 and dead else network.members))
    (dead.discard if name in dead else dead.add)(name)
    if name in dead:
        network.members[name].alive = False
    else:
        network.members[name].restart()


def part(network: Network, random: Random, dead: set[str]) -> None:
    """Delete a gateway that hears another one between the same services, if there is one.

    All others run: one that was down could hand over to the deleted one when it returns.
    """
    going = [
        name
        for name, member in sorted(network.members.items())
        if len(member.machine.topology.parallel(*member.services)) > 1
    ]
    if going and not dead:
        network.part(random.choice(going))


def side_by_side() -> Network:
    """Two gateways that share what B wants of A."""
    network = Network(1, {"G1": ["A", "B"], "G2": ["A", "B"]}, members=HoldingMember)
    network.run(2_000)
    for name in network.members:
        network.subscribe(name, "$rate > 0", "B", "*")
    network.run(2_000)
    return network


def published(network: Network) -> dict[str, str]:
    """Publish events of many subjects at A, so that both gateways have some."""
    subjects = {f"E{number}": "A" for number in range(20)}
    for subject in subjects:
        network.event("A", subject, rate=1)
    return subjects


def test_a_gateway_yields_when_the_others_know() -> None:
    network = side_by_side()
    member = network.members["G1"]
    network.slow_talk("G2", 50)
    member.machine.rest(True)
    member.work()
    subjects = published(network)  # G2 has not heard of it
    network.run(2_000)
    check_accepted(network, ["B"], subjects)


def test_a_gateway_that_has_just_started_goes_on_before_it_is_deleted() -> None:
    network = side_by_side()
    network.members["G1"].alive = False
    subjects = published(network)
    network.run(100)  # G2 leaves some of them to G1
    network.members["G2"].alive = False
    network.members["G1"].restart()
    network.part("G1")
    network.members["G2"].restart()
    network.run(2_000)
    check_accepted(network, ["B"], subjects)


@pytest.mark.parametrize("seed", range(size(6, 200)))
def test_nothing_is_lost_while_a_gateway_leaves_a_service(seed: int) -> None:
    random = Random(7_000 + seed)
    attached = {"G1": ["A", "B", "C"], "G2": ["A", "B"], "G3": ["B", "C"]}
    network = Network(seed, attached, members=HoldingMember)
    network.run(2_000)
    for service in "ABC":
        network.subscribe("G1", "$rate > 0", service, "*")
    network.run(2_000)
    sent: dict[str, str] = {}

    def publish(milliseconds: int) -> None:
        for _ in range(milliseconds // 10):
            sent[f"E{len(sent)}"] = random.choice("ABC")
            network.event([*sent.values()][-1], [*sent][-1], rate=1)
            network.run(10)

    publish(100)
    network.part_with("G1", random.choice("ABC"), publish)
    publish(300)
    network.run(10_000)
    check_accepted(network, ["A", "B", "C"], sent)
