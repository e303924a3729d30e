"""Workloads for matching: subscriptions and events, the same for the same seed.

* W1: an equality of a thousand values and a one-sided range; about five matches in 100,000.
* W2: a mix of equalities, ranges, substrings and small trees; about one in twenty matches.
* W3: low selectivity; about one in ten matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tidings.events.build import event
from tidings.events.structured import StructuredEvent

AREAS = 1_000
KINDS = 2_000
DOMAIN = 1_000.0
_GROUPS = 10
ZONES = 40
SYLLABLES = ("ka", "lo", "mi", "ren", "tu", "vas", "el", "on", "pri", "sko", "da", "ther")


@dataclass(frozen=True, slots=True)
class Workload:
    """A stream of constraints and a stream of events."""

    name: str
    about: str
    constraint: Callable[[Random], str]
    event: Callable[[Random], StructuredEvent]

    def constraints(self, count: int, seed: int) -> Iterator[str]:
        """The texts of `count` constraints."""
        random = Random(f"{self.name} constraints {seed}")
        return (self.constraint(random) for _ in range(count))

    def events(self, count: int, seed: int) -> Iterator[StructuredEvent]:
        """`count` events."""
        random = Random(f"{self.name} events {seed}")
        return (self.event(random) for _ in range(count))


def _w1_constraint(random: Random) -> str:
    return f"$area == {random.randrange(AREAS)} and $rate > {random.uniform(900, 1000)!r}"


def _w1_event(random: Random) -> StructuredEvent:
    data = {"area": random.randrange(AREAS), "rate": random.uniform(0, DOMAIN)}
    return event("Traffic", "Speed", "car", data)


def _word(random: Random) -> str:
    return "".join(random.choices(SYLLABLES, k=random.randrange(2, 4)))


def _range(random: Random, field: str) -> str:
    if random.random() < 0.1:
        return f"${field} {random.choice(('<', '>'))} {random.uniform(0, DOMAIN)!r}"
    width = min(random.lognormvariate(math.log(10), 1), DOMAIN / 2)
    low = random.uniform(0, DOMAIN - width)
    return f"${field} >= {low!r} and ${field} < {low + width!r}"


def _needle(random: Random) -> str:
    text = _word(random) + _word(random)
    length = min(random.randrange(4, 8), len(text))
    start = random.randrange(len(text) - length + 1)
    return text[start : start + length]


def _predicate(random: Random) -> str:
    kind = random.randrange(6)
    if kind == 0:
        return f"$type == 'kind-{random.randrange(KINDS)}'"
    if kind == 1:
        return f"({_range(random, 'level')})"
    if kind == 2:
        return f"{random.randrange(ZONES)} in $zones"
    if kind == 3:
        return f"$type != 'kind-{random.randrange(KINDS)}'"
    if kind == 4:
        return f"'{_needle(random)}' ~ $text"
    return f"not ($level > {random.uniform(0, 50)!r})"


def _tree(random: Random) -> str:
    parts = [_predicate(random) for _ in range(random.randrange(2, 5))]
    if random.random() < 0.3:
        parts.insert(0, "exist $urgent")
    text = parts[0]
    for part in parts[1:]:
        text = f"({text}) or {part}" if random.random() < 0.35 else f"({text}) and {part}"
    return text


def _w2_constraint(random: Random) -> str:
    share = random.random()
    if share < 0.4:
        return f"$type == 'kind-{random.randrange(KINDS)}'"
    if share < 0.8:
        return _range(random, "level")
    if share < 0.9:
        return f"'{_needle(random)}' ~ $text"
    return _tree(random)


def _w2_event(random: Random) -> StructuredEvent:
    data: dict[str, object] = {
        "type": f"kind-{random.randrange(KINDS)}",
        "level": random.uniform(0, DOMAIN),
        "text": " ".join(_word(random) for _ in range(6)),
        "zones": random.sample(range(ZONES), 3),
    }
    if random.random() < 0.2:
        data["urgent"] = True
    if random.random() < 0.05:
        del data[random.choice(("type", "level", "text", "zones"))]
    return event("Telecom", "Alarm", "probe", data)


def _w3_constraint(random: Random) -> str:
    share = random.randrange(3)
    if share == 0:
        return f"$group == {random.randrange(_GROUPS)}"
    low = random.uniform(0, DOMAIN * 0.9)
    tenth = f"$level >= {low!r} and $level < {low + DOMAIN / 10!r}"
    if share == 1:
        return tenth
    # Three zones in ten and a third of the domain: a tenth again.
    low = random.uniform(0, DOMAIN * 2 / 3)
    third = f"$level >= {low!r} and $level < {low + DOMAIN / 3!r}"
    return f"{random.randrange(10)} in $zones and {third}"


def _w3_event(random: Random) -> StructuredEvent:
    data = {
        "group": random.randrange(_GROUPS),
        "level": random.uniform(0, DOMAIN),
        "zones": random.sample(range(10), 3),
    }
    return event("Control", "Reading", "sensor", data)


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", "an equality and a one-sided range", _w1_constraint, _w1_event),
        Workload("W2", "equalities, ranges, substrings, small trees", _w2_constraint, _w2_event),
        Workload("W3", "low selectivity", _w3_constraint, _w3_event),
    )
}
