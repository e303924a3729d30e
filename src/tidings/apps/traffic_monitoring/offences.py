"""What follows from what cars drive and from the limits: requests, offences, fines. No I/O.

A reading is an offence if the car is within the reach of a monitor and faster than the limit there.
Each second of the scene has one limit at each monitor: limits change between two seconds, while no
car publishes. So there is no moment at which either answer would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tidings.apps.traffic_monitoring.city import Place, Road, at, hearers, in_reach
from tidings.federation.distribution import distribution

TEN_MINUTES: Final = 600_000_000
"""Microseconds in which a car is fined once at one monitor."""
# Fines in euros: so much up to so many km/h above the limit.
_TARIFF: Final = ((10, 30), (20, 60), (40, 120))
_HIGHEST_FINE: Final = 300


class Reading(NamedTuple):
    """What a car did in a second, by its own log."""

    second: int
    car: str
    licence: str
    rate: int
    place: Place
    brakes: bool


class Heard(NamedTuple):
    """What a car or a monitor has received from a car by radio in a second."""

    second: int
    hearer: str
    subject: str
    licence: str


class LimitSet(NamedTuple):
    """A limit that applies at a monitor from a second on."""

    second: int
    road: str
    limit: int


class Offence(NamedTuple):
    """A reading above the limit of a monitor."""

    second: int
    licence: str
    road: str
    rate: int
    limit: int


class Fine(NamedTuple):
    """What the first offence of a car at a monitor in ten minutes costs."""

    offence: Offence
    euros: int


class Step(NamedTuple):
    """One request of a change: subscribe, or un-subscribe, a filter at a distribution list."""

    subscribes: bool
    filter: str
    targets: str


def limit_filter(limit: int) -> str:
    """Return the filter of the office for a limit."""
    return f"subject = Speed and rate > {limit}"


def named(targets: str, roads: Iterable[str]) -> list[str]:
    """Return those that a distribution list names."""
    chosen = distribution(targets)
    return [road for road in roads if road in chosen]


def changed(
    standing: Mapping[str, int], roads: Sequence[str], targets: str, limit: int
) -> tuple[list[Step], dict[str, int]]:
    """Return the requests that set a limit, and the limits by distribution list after them.

    A list that is changed in part is taken back whole; the rest of it is asked for before.
    """
    if standing.get(targets) == limit:
        return [], dict(standing)
    meant = set(named(targets, roads))
    kept, before, steps = {}, [], []
    for text, old in standing.items():
        covered = named(text, roads)
        if not meant.intersection(covered):
            kept[text] = old
            continue
        if rest := ", ".join(road for road in covered if road not in meant):
            kept[rest] = old
            before.append(Step(True, limit_filter(old), rest))
        steps.append(Step(False, limit_filter(old), text))
    steps.append(Step(True, limit_filter(limit), targets))
    return before + steps, {**kept, targets: limit}


def limits_now(standing: Mapping[str, int], roads: Sequence[str]) -> dict[str, int]:
    """Return the limit of each monitor."""
    return {road: limit for text, limit in standing.items() for road in named(text, roads)}


def limit_at(limits: Iterable[LimitSet], road: str, second: int) -> int | None:
    """Return the limit of a monitor in a second; None before the first one."""
    latest = None
    for one in limits:
        if one.road == road and one.second <= second:
            latest = one.limit
    return latest


def due(
    readings: Iterable[Reading], limits: Sequence[LimitSet], roads: Sequence[Road]
) -> set[Offence]:
    """Return the offences that must be reported."""
    found = set()
    for one in readings:
        for road in roads:
            limit = limit_at(limits, road.name, one.second)
            if limit is not None and one.rate > limit and in_reach(one.place, road.place):
                found.add(Offence(one.second, one.licence, road.name, one.rate, limit))
    return found


def radio_due(readings: Iterable[Reading], roads: Sequence[Road]) -> set[Heard]:
    """Return what must have been received, and by whom: all within reach, and nobody else.

    Speeds are for monitors. Where a car is, and when it begins or ends to brake, is for all.
    """
    by_second: dict[int, list[Reading]] = {}
    for one in readings:
        by_second.setdefault(one.second, []).append(one)
    found = set()
    braked: dict[str, bool] = {}
    monitors = {road.name: road.place for road in roads}
    for second, cars in sorted(by_second.items()):
        for one in cars:
            others = {other.car: other.place for other in cars if other.car != one.car}
            subjects = ["Location"]
            if one.brakes != braked.get(one.car, False):
                subjects.append("Brake")
            braked[one.car] = one.brakes
            pairs = [("Speed", hearer) for hearer in hearers(one.place, monitors)]
            for subject in subjects:
                pairs += [(subject, hearer) for hearer in hearers(one.place, monitors | others)]
            found |= {Heard(second, hearer, subject, one.licence) for subject, hearer in pairs}
    return found


def euros(offence: Offence) -> int:
    """Return what an offence costs."""
    above = offence.rate - offence.limit
    return next((fine for most, fine in _TARIFF if above <= most), _HIGHEST_FINE)


def window(offence: Offence) -> tuple[str, str, int]:
    """Return what one fine is for: the car, the monitor, the ten minutes."""
    return offence.licence, offence.road, at(offence.second) // TEN_MINUTES


def fines(offences: Iterable[Offence]) -> list[Fine]:
    """Return the fines for offences, in order of time."""
    first: dict[tuple[str, str, int], Offence] = {}
    for one in sorted(offences):
        first.setdefault(window(one), one)
    return [Fine(one, euros(one)) for one in first.values()]


class Check(NamedTuple):
    """How what was found differs from what must be.

    Attributes:
        found: How many were found.
        missing: Those that must be there, and are not.
        surplus: Those that must not be there, or come again.
    """

    found: int
    missing: Sequence[object]
    surplus: Sequence[object]

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.missing and not self.surplus


def compared(found: Sequence[object], expected: Iterable[object]) -> Check:
    """Compare what was found with what must be, each once."""
    left = list(found)
    missing = []
    for one in expected:
        if one in left:
            left.remove(one)
        else:
            missing.append(one)
    return Check(len(found), missing, left)
