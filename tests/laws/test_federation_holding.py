"""Between services that hold events nothing is lost, whoever is killed; each is accepted once."""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random

import pytest

from tests.laws.federation_network import Member, Network
from tests.laws.test_federation_network import drawn, reachable
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.gateway import Fresh
from tidings.federation.marks import Mark
from tidings.gateways.adapters.tidings import TidingsAdapter


class HoldingMember(Member):
    """A gateway whose services keep what it wants, while it is dead too, until it has taken it."""

    capabilities = TidingsAdapter.capabilities

    def __init__(self, network: Network, name: str, services: list[str]) -> None:
        self.waiting: defaultdict[tuple[str, bool], deque[Fresh]] = defaultdict(deque)
        self.held: list[tuple[tuple[str, bool], Fresh]] = []
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
            fresh = Fresh(sent, mark, f"stream-{service}", number, self.network.now)
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

    def take(self, line: tuple[str, bool], fresh: Fresh) -> None:
        service, talk = line
        if talk:
            found = self.machine.control_arrived(service, fresh, self.network.now)
        else:
            found = self.machine.route(service, fresh)
        for delivery in found.deliveries:
            self.network.publish(delivery.adapter, delivery.event, delivery.mark, self)
        if found.held:
            self.held.append((line, fresh))


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
    for service in wanting:
        expected = sorted(
            name for name, origin in sent.items()
            if origin != service and service in reachable(attached, origin)
        )  # fmt: skip
        assert sorted(name for name, _ in network.accepted[service]) == expected
    # No storm either: each event goes to each service at most once for every gateway on the way.
    assert network.messages <= 60 + 60 * len(services) * 2 * (1 + len(attached))
