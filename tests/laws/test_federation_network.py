"""Laws of a federation: whoever can be reached gets what it asked for, once; nothing circles."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from random import Random

import pytest

from tests.laws.federation_network import Member, Network
from tests.real.faults.sizes import size
from tidings.federation.control import ControlKind


def drawn(random: Random, gateways: int, services: int) -> dict[str, list[str]]:
    """A connected network, with circles as a rule."""
    names = [f"S{n}" for n in range(services)]
    attached: dict[str, list[str]] = {}
    for n in range(gateways):
        sides = random.sample(names[: max(2, min(services, n + 2))], 2)
        if random.random() < 0.4:
            sides = sorted({*sides, random.choice(names)})
        attached[f"G{n}"] = sides
    return attached


def reachable(attached: dict[str, list[str]], start: str) -> set[str]:
    found, waiting = {start}, deque([start])
    while waiting:
        at = waiting.popleft()
        for sides in attached.values():
            if at in sides:
                waiting.extend(set(sides) - found)
                found |= set(sides)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_everybody_who_can_be_reached_gets_an_event_once(seed: int) -> None:
    random = Random(seed)
    attached = drawn(random, random.randint(2, 10), random.randint(2, 8))
    network = Network(seed, attached)
    services = sorted({service for sides in attached.values() for service in sides})
    network.run(2_000)
    wanting = random.sample(services, random.randint(1, len(services)))
    for service in wanting:
        by = next(name for name, sides in attached.items() if service in sides)
        network.subscribe(by, "subject = Speed and rate > 30", service, "*")
    network.run(2_000)
    origin = random.sample(services, 1)[0]
    for number in range(5):
        network.event(origin, "Speed", rate=31 + number)
        network.event(origin, "Speed", rate=30)
        network.event(origin, "Other", rate=99)
    network.run(1_000)
    expected = (reachable(attached, origin) & set(wanting)) - {origin}
    found = {service: count for (_, service), count in network.delivered.items()}
    assert found == dict.fromkeys(expected, 5)
    # No storm: into each service each event goes once, and once more to be passed on.
    assert network.messages <= 15 + 5 * 2 * (len(services) - 1)


@pytest.mark.parametrize("seed", range(40))
def test_ways_heal_and_nothing_comes_twice(seed: int) -> None:
    random = Random(1_000 + seed)
    attached = drawn(random, random.randint(4, 10), random.randint(3, 7))
    network = Network(seed, attached)
    services = sorted({service for sides in attached.values() for service in sides})
    network.run(2_000)
    wanting = random.sample(services, 2)
    for service in wanting:
        by = next(name for name, sides in attached.items() if service in sides)
        network.subscribe(by, "$rate > 0", service, "*")
    network.run(1_000)
    dead = random.sample(sorted(attached), random.randint(1, len(attached) // 2))
    for number, name in enumerate(dead):
        network.members[name].alive = False
        for count in range(20):
            network.run(random.randint(1, 60))
            network.event(random.sample(services, 1)[0], f"Speed-{number}-{count}", rate=1)
    network.run(3_000)
    left = {name: sides for name, sides in attached.items() if name not in dead}
    present = sorted({service for sides in left.values() for service in sides})
    for origin in present:
        network.event(origin, "Speed", rate=1)
        network.run(500)
    expected = sum(
        len((reachable(left, origin) & set(wanting) & set(present)) - {origin})
        for origin in present
    )
    assert sum(n for (name, _), n in network.delivered.items() if name == "Speed") == expected
    assert all(n == 1 for (name, _), n in network.delivered.items() if name != "Speed")
    for name in dead:
        network.members[name].restart()
    network.run(3_000)
    network.delivered.clear()
    network.event(services[0], "Speed", rate=2)
    network.run(500)
    meant = (reachable(attached, services[0]) & set(wanting)) - {services[0]}
    assert {service for _, service in network.delivered} == meant
    assert set(network.delivered.values()) <= {1}


@pytest.mark.parametrize("seed", range(10))
def test_what_is_taken_back_is_gone_wherever_it_was_asked(seed: int) -> None:
    random = Random(seed)
    attached = drawn(random, 5, 4)
    network = Network(seed, attached)
    network.run(2_000)
    source = attached["G0"][0]
    asked = random.randint(1, 3)
    for _ in range(asked):
        network.subscribe("G0", "Speed", source, "S*")
    network.run(1_000)
    near = reachable(attached, source)
    origin = next(service for service in sorted(near) if service != source)
    members = [name for name, sides in attached.items() if near & set(sides)]
    for left in range(asked - 1, -1, -1):
        by = random.sample(members, 1)[0]
        network.ask(by, ControlKind.UNSUBSCRIPTION, "Speed", source, "S*")
        network.run(1_000)
        network.delivered.clear()
        network.event(origin, "Speed", left=left)
        network.run(500)
        assert network.delivered == ({("Speed", source): 1} if left else {})


@pytest.mark.parametrize("seed", range(10))
def test_a_probe_comes_back_with_its_way(seed: int) -> None:
    random = Random(seed)
    attached = drawn(random, random.randint(2, 8), random.randint(2, 6))
    network = Network(seed, attached)
    network.run(2_000)
    for name, sides in attached.items():
        sender = network.members[name]
        for at in sides:
            for to in sorted(reachable(attached, at) - {at}):
                probe = sender.machine.probe(at, to, network.now)
                sender.work()
                network.run(500)
                way = sender.machine.probe_result(probe)
                steps = sender.machine.topology.route(at, to)
                assert way is not None, (name, at, to)
                assert steps is not None
                assert [(hop.gateway, hop.to) for hop in way] == steps


def parallel(random: Random) -> dict[str, list[str]]:
    """Services in a row or a ring, two to four gateways between neighbours."""
    services = [f"S{n}" for n in range(random.randint(2, 4))]
    pairs = list(pairwise(services))
    if len(services) > 2 and random.random() < 0.5:
        pairs.append((services[-1], services[0]))
    return {f"G{a}{b}{n}": [a, b] for a, b in pairs for n in range(random.randint(1, 3))}


def joined(seed: int, members: type[Member] = Member) -> tuple[Random, Network, list[str]]:
    """A network with parallel gateways in which everybody wants everything."""
    random = Random(seed)
    attached = parallel(random)
    network = Network(seed, attached, members=members)
    services = sorted({service for sides in attached.values() for service in sides})
    network.run(2_000)
    for name, sides in attached.items():
        for service in sides:  # by all of them, so that any may go
            network.subscribe(name, "$rate > 0", service, "*")
    network.run(2_000)
    return random, network, services


@pytest.mark.parametrize("seed", range(size(8, 400)))
def test_parallel_gateways_share_the_load_and_keep_the_order_of_a_subject(seed: int) -> None:
    random, network, services = joined(2_000 + seed)
    subjects = [f"car-{number}" for number in range(60)]
    before = {name: one.machine.counts.carried for name, one in network.members.items()}
    for rate in range(1, 200):
        origin, subject = random.sample(services, 1)[0], random.sample(subjects, 1)[0]
        network.event(origin, subject, rate=rate)
        network.run(random.randint(0, 3))
    for origin in services:
        for subject in subjects:
            network.event(origin, subject, rate=1)
    network.run(1_000)
    assert set(network.delivered) == {(a, b) for a in subjects for b in services}
    sent = 199 + len(services) * len(subjects)
    assert sum(network.delivered.values()) == sent * (len(services) - 1)
    for got in network.accepted.values():
        for subject in subjects:
            numbers = [number for number, name in got if name == subject]
            assert numbers == sorted(numbers)
    for name, member in network.members.items():
        assert member.machine.counts.carried > before[name]
        assert not member.machine.counts.repeated


def test_parallel_gateways_keep_the_order_partly() -> None:
    network = Network(1, {"G1": ["A", "B"], "G2": ["A", "B"], "G3": ["B", "C"]})
    network.run(2_000)
    order = {
        way: [part[1:] for part in network.members["G1"].machine.context(*way) if "order" in part]
        for way in (("A", "C"), ("B", "C"))
    }
    assert order == {("A", "C"): [("order", "partly", "A")], ("B", "C"): [("order", "kept", "")]}
