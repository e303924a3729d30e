"""Sample data of `tidings demo filters`, determined by the seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, constraint, event_type

ROADS = ("A3", "A8", "B12", "B27", "Harbour Street", "Mill Lane", "Ring", "School Road")
LINES = ("link lost", "link flapping", "packets lost", "signal weak", "loop detected")
PARTS = ("fan", "power supply", "line card")


@dataclass(frozen=True, slots=True)
class Subscription:
    """A sample subscription: event types and a constraint."""

    name: str
    types: str
    text: str

    def constraint(self) -> Constraint:
        """Return the compiled constraint."""
        return constraint(self.text, [event_type(self.types)])


SUBSCRIPTIONS = (
    Subscription("school zone", "Traffic::Speed", "$rate > 30 and 17 in $zones"),
    Subscription("motorway", "Traffic::Speed", "$road == 'A8' and $rate > 120"),
    Subscription("jams", "Traffic::*", "$type_name == 'Congestion' or $rate < 10"),
    Subscription("night shift", "Telecom::*Alarm", "$Priority >= 4 and $state != 'cleared'"),
    Subscription("link team", "Telecom::CommunicationsAlarm", "'link' ~ $text"),
    Subscription("spares", "Telecom::Equipment*", "$celsius > 70 or exist $broken.part"),
    Subscription("everything", "*::*", ""),
)


def sample_events(seed: int, count: int) -> Iterator[StructuredEvent]:
    """Yield sample events, the same ones for the same seed."""
    random = Random(seed)
    kinds = (_speed, _speed, _speed, _congestion, _communications, _equipment)
    for number in range(1, count + 1):
        yield random.choice(kinds)(random, number)


def _speed(random: Random, number: int) -> StructuredEvent:
    road = random.choice(ROADS)
    usual = 110 if road.startswith("A") else 45
    data: dict[str, object] = {
        "road": road,
        "rate": round(max(0.0, random.gauss(usual, usual / 4)), 1),
    }
    if random.random() > 0.1:  # some cameras do not know their zones
        data["zones"] = sorted(random.sample(range(1, 21), 2))
    return event("Traffic", "Speed", f"car-{number}", data)


def _congestion(random: Random, number: int) -> StructuredEvent:
    data = {"road": random.choice(ROADS), "metres": random.randrange(100, 3_000, 50)}
    return event("Traffic", "Congestion", f"jam-{number}", data)


def _communications(random: Random, number: int) -> StructuredEvent:
    data = {
        "text": random.choice(LINES),
        "node": f"node-{random.randrange(40)}",
        "state": random.choice(("raised", "raised", "cleared")),
    }
    priority = random.randint(0, 6)
    return event("Telecom", "CommunicationsAlarm", f"alarm-{number}", data, priority=priority)


def _equipment(random: Random, number: int) -> StructuredEvent:
    data: dict[str, object] = {
        "node": f"node-{random.randrange(40)}",
        "celsius": round(random.gauss(55, 12), 1),
        "state": "raised",
    }
    if random.random() < 0.3:
        data["broken"] = {"part": random.choice(PARTS), "slot": random.randrange(12)}
    priority = random.randint(0, 6)
    return event("Telecom", "EquipmentAlarm", f"alarm-{number}", data, priority=priority)


def many_subscriptions(seed: int, count: int) -> Iterator[Constraint]:
    """Yield constraints that each watch one node or one zone."""
    random = Random(seed)
    for _ in range(count):
        if random.random() < 0.5:
            celsius, node = random.randrange(60, 110), random.randrange(400)
            yield constraint(f"$node == 'node-{node}' and $celsius > {celsius}")
        else:
            rate, zone = random.randrange(40, 180), random.randrange(1, 400)
            yield constraint(f"$rate > {rate} and $zones[0] == {zone}")
