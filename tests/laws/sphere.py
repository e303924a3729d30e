"""Distances on the earth by another way than the program's: the angle between two vectors."""

from __future__ import annotations

import math

from tidings.federation.proximity import EARTH_RADIUS, Position


def _point(place: Position) -> tuple[float, float, float]:
    """A place as a point in space, on a sphere of radius 1."""
    latitude, longitude = map(math.radians, place)
    return (
        math.cos(latitude) * math.cos(longitude),
        math.cos(latitude) * math.sin(longitude),
        math.sin(latitude),
    )


def metres(one: Position, other: Position) -> float:
    """The distance between two places."""
    a, b = _point(one), _point(other)
    across = math.hypot(
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    )
    along = sum(x * y for x, y in zip(a, b, strict=True))
    return EARTH_RADIUS * math.atan2(across, along)
