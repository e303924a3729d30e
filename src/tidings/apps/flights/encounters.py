"""Losses of separation by plain arithmetic, to verify the warnings of the pipeline.

Same rule as the example query `separation`: closer than 5 nautical miles and 1,000 feet in the
same second, both airborne and at 6,000 feet or above; one loss per pair and minute.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, groupby
from math import asin, cos, radians, sin, sqrt
from typing import Final

from tidings.apps.flights.samples import Position

Loss = tuple[str, str, int]
"""Two aircraft and the minute."""

_MILES: Final = 5.0
_FEET: Final = 1_000.0
_LOWEST: Final = 6_000.0
_EARTH_MILES: Final = 3_440.065
# Degrees of latitude; positions farther apart are never within 5 miles.
_FAR_NORTH: Final = 0.1


def losses(positions: Iterable[Position]) -> set[Loss]:
    """Return all losses of separation among positions sorted by time."""
    found: set[Loss] = set()
    flying = (one for one in positions if _counts(one))
    for second, group in groupby(flying, key=lambda one: one.timestamp // 1_000):
        for one, two in combinations(group, 2):
            if one.icao24 != two.icao24 and _too_close(one, two):
                pair = sorted((one.icao24, two.icao24))
                found.add((pair[0], pair[1], second // 60))
    return found


def _counts(one: Position) -> bool:
    placed = one.latitude is not None and one.longitude is not None
    return placed and not one.onground and one.altitude is not None and one.altitude >= _LOWEST


def _too_close(one: Position, two: Position) -> bool:
    assert one.altitude is not None
    assert two.altitude is not None
    if abs(one.altitude - two.altitude) >= _FEET:
        return False
    assert one.latitude is not None
    assert two.latitude is not None
    if abs(one.latitude - two.latitude) > _FAR_NORTH:
        return False
    assert one.longitude is not None
    assert two.longitude is not None
    return _miles(one.latitude, one.longitude, two.latitude, two.longitude) < _MILES


def _miles(lat: float, lon: float, lat2: float, lon2: float) -> float:
    north, east = sin(radians(lat2 - lat) / 2), sin(radians(lon2 - lon) / 2)
    share = north * north + cos(radians(lat)) * cos(radians(lat2)) * east * east
    return 2 * _EARTH_MILES * asin(sqrt(share))
