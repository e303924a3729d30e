"""A small city: its streets, what stands at them, and who drives where. No I/O, no clock.

Places are in metres from the south-west corner, seconds from the beginning of the scene.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, TypeAlias

from tidings.federation.proximity import EARTH_RADIUS, Position, distance

Place: TypeAlias = tuple[float, float]

WIDTH: Final = 1_200.0
HEIGHT: Final = 700.0
REACH: Final = 150.0
"""Metres that a radio reaches."""
SECOND: Final = 1_000_000
BEGINS: Final = 1_780_300_800 * SECOND
"""The time of the scene at its beginning, microseconds since 1970."""
CITY: Final = "city"
"""The federation of the roadside and the control room; each car is one of its own."""
OFFICE: Final = "siena-m"
"""The event service of the control room."""
ROADSIDES: Final = "road-*"
"""The distribution list of all roadside services."""
CONTROL_ROOM: Final = "control-room"

_SOUTH_WEST: Final = Position(53.34, -6.27)
_BRAKES: Final = 8


class Road(NamedTuple):
    """A monitor and its sign; the name is that of its STEAM service, too."""

    name: str
    place: Place


class Leg(NamedTuple):
    """So many seconds at one rate, in km/h."""

    seconds: int
    rate: int


class Car(NamedTuple):
    """A car; it drives along its route, and again.

    Attributes:
        name: Its name; `cosmic-1` and `steam-1` are the event services of `car-1`.
        licence: Seven characters: octets 0 to 6 of its frame.
        route: A closed way, by its corners.
        start: Metres from the first corner where it begins.
        legs: How fast it is; after the last one it begins with the first again.
    """

    name: str
    licence: str
    route: Sequence[Place]
    start: float
    legs: Sequence[Leg]

    @property
    def number(self) -> str:
        """Return what its services are named by."""
        return self.name.rpartition("-")[2]


class Drive(NamedTuple):
    """What a car does in one second; `heading` is in degrees, 0 to the north, 90 to the east."""

    place: Place
    heading: int
    rate: int
    brakes: bool


class LimitChange(NamedTuple):
    """The control room sets a limit for the services in a distribution list, before a second."""

    second: int
    targets: str
    limit: int


_RING: Final = ((100.0, 100.0), (1_100.0, 100.0), (1_100.0, 600.0), (100.0, 600.0))
_EAST: Final = ((600.0, 350.0), (1_100.0, 350.0), (1_100.0, 600.0), (600.0, 600.0))
_SOUTH: Final = ((100.0, 100.0), (600.0, 100.0), (600.0, 350.0), (100.0, 350.0))

STREETS: Final[Sequence[Sequence[Place]]] = (
    (*_RING, _RING[0]),
    ((100.0, 350.0), (1_100.0, 350.0)),
    ((600.0, 100.0), (600.0, 600.0)),
)
ROADS: Final = (
    Road("road-1", (350.0, 100.0)),
    Road("road-2", (850.0, 350.0)),
    Road("road-3", (350.0, 600.0)),
)
ROOM_PLACE: Final[Place] = (1_000.0, 480.0)
CARS: Final = (
    Car("car-1", "05D1001", _SOUTH, 107.0, (Leg(12, 57), Leg(48, 44), Leg(20, 57))),
    Car("car-2", "06D2002", _RING, 1_400.0, (Leg(20, 112), Leg(20, 45), Leg(40, 64))),
    Car("car-3", "04D3003", _EAST, 10.0, (Leg(44, 72), Leg(30, 90))),
    Car("car-4", "02D4004", _SOUTH, 114.0, (Leg(50, 28), Leg(30, 47))),
)
FIRST_LIMIT: Final = 50
# What the bounded scene changes, and how long it takes.
CHANGES: Final = (
    LimitChange(3, "road-2", 80),
    LimitChange(14, "road-2, road-3", 60),
    LimitChange(28, ROADSIDES, 30),
)
SECONDS: Final = 36


def at(second: int) -> int:
    """Return the time of the scene in a second, microseconds since 1970."""
    return BEGINS + second * SECOND


def drive(car: Car, second: int) -> Drive:
    """Return where a car is and how fast, and whether it brakes."""
    rates = _rates(car)
    rate = rates[second % len(rates)]
    before = rates[(second - 1) % len(rates)] if second else rate
    way = car.start + driven(car, second)
    place, next_place = along(car.route, way), along(car.route, way + 1)
    north, east = next_place[1] - place[1], next_place[0] - place[0]
    heading = round(math.degrees(math.atan2(east, north))) % 360
    return Drive(place, heading, rate, before - rate >= _BRAKES)


def driven(car: Car, second: int) -> float:
    """Return the metres that a car has driven by a second."""
    ways = _ways(car)
    rounds, rest = divmod(second, len(ways) - 1)
    return rounds * ways[-1] + ways[rest]


@lru_cache
def _rates(car: Car) -> Sequence[int]:
    return [leg.rate for leg in car.legs for _ in range(leg.seconds)]


@lru_cache
def _ways(car: Car) -> Sequence[float]:
    """Return the metres driven after each second of one round of legs."""
    return list(accumulate((rate / 3.6 for rate in _rates(car)), initial=0.0))


def along(route: Sequence[Place], metres: float) -> Place:
    """Return the place so far along a closed way."""
    sides = list(pairwise((*route, route[0])))
    left = metres % sum(math.dist(*side) for side in sides)
    for (x, y), (to_x, to_y) in sides:
        length = math.dist((x, y), (to_x, to_y))
        if left <= length:
            return x + (to_x - x) * left / length, y + (to_y - y) * left / length
        left -= length
    return route[0]


def position_of(place: Place) -> Position:
    """Return a place on the earth."""
    degree = math.radians(1) * EARTH_RADIUS
    east = degree * math.cos(math.radians(_SOUTH_WEST.latitude))
    return Position(
        _SOUTH_WEST.latitude + place[1] / degree, _SOUTH_WEST.longitude + place[0] / east
    )


def in_reach(one: Place, other: Place) -> bool:
    """Whether a radio at one place reaches the other: as the radio itself decides it."""
    return distance(position_of(one), position_of(other)) <= REACH


def hearers(sender: Place, places: Mapping[str, Place]) -> set[str]:
    """Return the names of those that hear a sender."""
    return {name for name, place in places.items() if in_reach(sender, place)}
