"""Where events are valid: the Proximity attribute of the FES event model, and positions (FES 2).

An event carries its area in the header property `Proximity`, and in `Position` where its producer
was. An area is a circle or a rectangle, in one of two sub-types::

    0, sub-type, latitude, longitude, radius        radius in metres
    1, sub-type, latitude, longitude, dimx, dimy    degrees of longitude and latitude, in all

Sub-type 0, absolute: latitude and longitude are the middle. Sub-type 1, relative: the area goes
with the producer, and they are the way from there to the middle, in degrees. Angles are decimal
degrees, north and east positive; the edge belongs to the area. A rectangle goes on over the line of
180 degrees and ends at the poles; a way over a pole comes down on the other side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, TypeVar

from tidings.errors import InvalidEvent, InvalidUsage
from tidings.events.structured import StructuredEvent

_T = TypeVar("_T")

PROXIMITY: Final = "Proximity"
"""The header property that carries an event's area."""
POSITION: Final = "Position"
"""The header property that says where its producer was: `latitude, longitude`."""
EARTH_RADIUS: Final = 6_371_008.8
"""The mean radius in metres: the earth is taken for a sphere."""
MOST_METRES: Final = math.pi * EARTH_RADIUS
"""From one pole to the other: no two places are farther apart."""

_MOST_TEXT: Final = 256
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_AREA: Final = (
    "an area is `0, sub-type, latitude, longitude, radius` for a circle, or "
    "`1, sub-type, latitude, longitude, dimx, dimy` for a rectangle, sub-type 0 (absolute) or "
    "1 (relative)"
)


class Position(NamedTuple):
    """A place on the earth, in degrees."""

    latitude: float
    longitude: float


class Circle(NamedTuple):
    """All places that are not farther away than so many metres.

    Attributes:
        middle: The middle; of a relative circle the way there from the producer.
        radius: In metres.
        relative: Whether it goes with the producer.
    """

    middle: Position
    radius: float
    relative: bool = False


class Rectangle(NamedTuple):
    """All places between two meridians and two parallels.

    Attributes:
        middle: The middle; of a relative rectangle the way there from the producer.
        width: From the western edge to the eastern, in degrees of longitude.
        height: From the southern edge to the northern, in degrees of latitude.
        relative: Whether it goes with the producer.
    """

    middle: Position
    width: float
    height: float
    relative: bool = False


Area: TypeAlias = Circle | Rectangle


# Text.


@lru_cache(1024)
def position_of_text(text: str) -> Position:
    """Read `latitude, longitude`; InvalidUsage says what is wrong."""
    parts = _parts(text)
    if len(parts) != 2:
        raise InvalidUsage(f"{text!r:.80} is no position: write `latitude, longitude`, in degrees")
    return _position(parts, text)


def position_text(position: Position) -> str:
    """Return a position as `position_of_text` reads it."""
    return f"{position.latitude!r}, {position.longitude!r}"


@lru_cache(1024)
def area_of_text(text: str) -> Area:
    """Read an area; InvalidUsage says what is wrong."""
    shape, *rest = _parts(text)
    if len(rest) != {"0": 4, "1": 5}.get(shape) or rest[0] not in ("0", "1"):
        raise InvalidUsage(f"{text!r:.80}: {_AREA}")
    relative, middle = rest[0] == "1", _position(rest[1:3], text)
    if shape == "0":
        return Circle(middle, _number("radius", rest[3], 0, MOST_METRES, text), relative)
    width = _number("dimx", rest[3], 0, 360, text)
    return Rectangle(middle, width, _number("dimy", rest[4], 0, 180, text), relative)


def area_text(area: Area) -> str:
    """Return an area as `area_of_text` reads it."""
    shape = 0 if isinstance(area, Circle) else 1
    sizes = ", ".join(map(repr, area[1:-1]))
    return f"{shape}, {area.relative:d}, {position_text(area.middle)}, {sizes}"


def _parts(text: str) -> list[str]:
    if len(text) > _MOST_TEXT:
        raise InvalidUsage(f"{text!r:.80}: an area or position has at most {_MOST_TEXT} characters")
    return [part.strip(" ") for part in text.split(",")]


def _position(parts: Sequence[str], text: str) -> Position:
    latitude = _number("latitude", parts[0], -90, 90, text)
    return Position(latitude, _number("longitude", parts[1], -180, 180, text))


def _number(what: str, part: str, low: float, high: float, text: str) -> float:
    if _NUMBER.fullmatch(part):
        value = float(part)
        if low <= value <= high:
            return value
    raise InvalidUsage(
        f"{text!r:.80}: {what} is a number from {low:g} to {high:g}, not {part!r:.40}"
    )


# Geometry.


def distance(one: Position, other: Position) -> float:
    """Return the metres between two places, on the sphere."""
    south, north = math.radians(one.latitude), math.radians(other.latitude)
    rise = math.sin((north - south) / 2) ** 2
    turn = math.sin(math.radians(other.longitude - one.longitude) / 2) ** 2
    part = rise + math.cos(south) * math.cos(north) * turn
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, part)))


def moved(start: Position, north: float, east: float) -> Position:
    """Return the place so many degrees away; over a pole it comes down on the other side."""
    latitude, longitude = start.latitude + north, start.longitude + east
    if abs(latitude) > 90:
        latitude, longitude = math.copysign(180, latitude) - latitude, longitude + 180
    return Position(latitude, _turn(longitude))


def _turn(degrees: float) -> float:
    """Return the same direction as -180 to 180 degrees."""
    return degrees if -180 <= degrees <= 180 else math.remainder(degrees, 360)


def contains(area: Area, position: Position, producer: Position | None = None) -> bool:
    """Whether a place is in an area.

    Args:
        area: The area.
        position: The place.
        producer: Where the producer is; only a relative area needs it.

    Raises:
        InvalidUsage: The area is relative, and nobody says to what.
    """
    middle = area.middle
    if area.relative:
        if producer is None:
            raise InvalidUsage("a relative area needs the position of the producer")
        middle = moved(producer, *middle)
    if isinstance(area, Circle):
        return distance(middle, position) <= area.radius
    if abs(position.latitude - middle.latitude) > area.height / 2:
        return False
    # All meridians meet at a pole.
    at_a_pole = abs(position.latitude) == 90
    return at_a_pole or abs(_turn(position.longitude - middle.longitude)) <= area.width / 2


def square_around(middle: Position, radius: float) -> Rectangle:
    """Return the rectangle that just holds a circle's four outermost points, near enough."""
    height = min(180.0, math.degrees(2 * radius / EARTH_RADIUS))
    shrink = math.cos(math.radians(middle.latitude))
    return Rectangle(middle, height / shrink if height < 360 * shrink else 360.0, height)


# Events.


def area_of(event: StructuredEvent) -> Area | None:
    """Return an event's area; None if it has none. InvalidEvent if it cannot be read."""
    return _header(event, PROXIMITY, area_of_text)


def producer_of(event: StructuredEvent) -> Position | None:
    """Return where an event's producer was; None if unknown. InvalidEvent if it is unreadable."""
    return _header(event, POSITION, position_of_text)


def _header(event: StructuredEvent, name: str, read: Callable[[str], _T]) -> _T | None:
    text = event.header.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidEvent("a text is expected", f"header.{name}")
    try:
        return read(text)
    except InvalidUsage as error:
        raise InvalidEvent(str(error), f"header.{name}") from error


def reaches(event: StructuredEvent, position: Position) -> bool:
    """Whether an event is valid at a place: one without an area is so everywhere.

    So is one with a relative area whose producer's position nobody has said: nothing is dropped
    that may be wanted.

    Raises:
        InvalidEvent: Its area or its position cannot be read.
    """
    area = area_of(event)
    if area is None:
        return True
    producer = producer_of(event) if area.relative else None
    if area.relative and producer is None:
        return True
    return contains(area, position, producer)
