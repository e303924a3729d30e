"""What STEAM nodes send each other: event types, and the three datagrams.

A datagram is four octets and a MessagePack array. Reading accepts exactly what writing gives, and
no datagram is larger than `MOST_OCTETS`. Nothing proves who has sent one.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, TypeAlias

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage
from tidings.federation.proximity import (
    Area,
    Position,
    area_of_text,
    position_of_text,
)

MOST_OCTETS: Final = 60_000
"""Octets of a datagram: one packet on the loopback interface."""
MOST_TEXT: Final = 1_024
"""Characters of a text, S_STR."""
MOST_NAME: Final = 128
"""Characters of the name of a subject, a parameter, an attribute, a network."""
MOST_PARAMETERS: Final = 32
"""Parameters of an event type, and attributes of an event."""
_MAGIC: Final = b"STM\x01"
_MOST_NUMBER: Final = 2**63 - 1


class Kind(StrEnum):
    """The types of parameters."""

    TEXT = "S_STR"
    INTEGER = "S_INT"
    DOUBLE = "S_DBL"


_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_NAME)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=_MOST_NUMBER)]
_Place: TypeAlias = Annotated[str, msgspec.Meta(max_length=256)]
_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]
_Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
_Values: TypeAlias = Annotated[
    dict[_Name, _Text | _Integer | float], msgspec.Meta(max_length=MOST_PARAMETERS)
]
_Kinds: TypeAlias = Annotated[dict[_Name, Kind], msgspec.Meta(max_length=MOST_PARAMETERS)]

Value: TypeAlias = str | int | float
"""A value of a parameter or an attribute: S_STR, S_INT or S_DBL."""


class EventType(msgspec.Struct, frozen=True):
    """What all events of a subject look like.

    Attributes:
        subject: The subject.
        parameters: The kind of each parameter, in their order.
    """

    subject: str
    parameters: Mapping[str, Kind]


class _Placed(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What comes from somewhere, and is valid somewhere."""

    area: _Place
    position: _Place

    @property
    def proximity(self) -> Area:
        """The area."""
        return area_of_text(self.area)

    @property
    def producer(self) -> Position | None:
        """Where the producer is, or was."""
        return position_of_text(self.position) if self.position else None


class Announcement(_Placed, frozen=True, array_like=True, tag=1, forbid_unknown_fields=True):
    """A producer is there, and this is what it sends. Repeated for as long as it does.

    Attributes:
        area: The proximity: where the events are valid.
        position: Where the producer is; empty if it does not know.
        network: Which of the services on one medium.
        node: The producer.
        subject: The subject of the events.
        parameters: Their parameters.
    """

    network: _Name
    node: _Number
    subject: _Name
    parameters: _Kinds


class Withdrawal(msgspec.Struct, frozen=True, array_like=True, tag=2, forbid_unknown_fields=True):
    """A producer sends events of this subject no longer."""

    network: _Name
    node: _Number
    subject: _Name


class SteamEvent(_Placed, frozen=True, array_like=True, tag=3, forbid_unknown_fields=True):
    """An event.

    Attributes:
        area: Its proximity: where it is valid.
        position: Where it was produced; empty if unknown.
        network: Which of the services on one medium.
        node: The producer.
        number: Counted by the producer for each subject, from 1.
        subject: The subject.
        values: Its parameters, in the order of its type.
        attributes: What is said about it.
    """

    network: _Name
    node: _Number
    number: _Number
    subject: _Name
    values: _Values
    attributes: _Values


Datagram: TypeAlias = Announcement | Withdrawal | SteamEvent

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Datagram).decode


def encode(datagram: Datagram) -> bytes:
    """Return the octets of a datagram; InvalidEvent if nobody would accept them."""
    try:
        octets = _MAGIC + _encode(datagram)
    except (msgspec.MsgspecError, UnicodeEncodeError, OverflowError) as error:
        raise InvalidEvent(f"STEAM cannot carry this: {error}") from error
    decode(octets)
    return octets


def decode(octets: bytes) -> Datagram:
    """Read a datagram; InvalidEvent says what is wrong."""
    if len(octets) > MOST_OCTETS:
        raise InvalidEvent(f"a STEAM datagram has at most {MOST_OCTETS} octets, not {len(octets)}")
    if not octets.startswith(_MAGIC):
        raise InvalidEvent("not a STEAM datagram of this version")
    try:
        found: Datagram = _decode(octets[len(_MAGIC) :])
        canonical = _encode(found) == octets[len(_MAGIC) :]
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidEvent(f"not a STEAM datagram: {error}") from error
    if not canonical:
        raise InvalidEvent("not a STEAM datagram: its content is written in another way")
    if not isinstance(found, Withdrawal):
        _check_places(found)
    return found


def _check_places(found: Announcement | SteamEvent) -> None:
    """Refuse areas and positions that nobody could use."""
    try:
        area, position = found.proximity, found.producer
    except InvalidUsage as error:
        raise InvalidEvent(str(error)) from error
    if area.relative and position is None:
        raise InvalidEvent("a relative area needs the position of the producer")


# Types.


def kind_of(value: object) -> Kind | None:
    """Return the kind of a value; None if STEAM has none for it."""
    if type(value) is str and len(value) <= MOST_TEXT:
        return Kind.TEXT
    if type(value) is int and -(2**31) <= value < 2**31:
        return Kind.INTEGER
    return Kind.DOUBLE if type(value) is float else None


def event_type_of(subject: str, values: Mapping[str, object]) -> EventType:
    """Return the type that an event with these values is of; InvalidEvent if there is none."""
    if not 0 < len(subject) <= MOST_NAME:
        raise InvalidEvent(f"a subject has 1 to {MOST_NAME} characters", "name")
    if len(values) > MOST_PARAMETERS:
        raise InvalidEvent(f"an event has at most {MOST_PARAMETERS} parameters", "data")
    kinds: dict[str, Kind] = {}
    for name, value in values.items():
        kind = kind_of(value)
        if kind is None or not 0 < len(name) <= MOST_NAME:
            raise InvalidEvent(
                f"a STEAM parameter is a text of at most {MOST_TEXT} characters, a 32-bit integer "
                f"or a double, under a name of at most {MOST_NAME}",
                f"data.{name:.60}",
            )
        kinds[name] = kind
    return EventType(subject, kinds)
