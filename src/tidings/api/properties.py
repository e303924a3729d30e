"""Properties on the wire: of the quality of service, and of the administration of a channel.

Enumerations go by the standard's names (``"Persistent"``, ``"PriorityOrder"``); numbers are
taken, too. Durations are words (``"5s"``) or numbers of 100 ns, times are words of RFC 3339; what
goes out is what the standard has. A value may be written with its type
(``{"$type": "short", "value": 3}``). What is no value for a property goes through as it is: the
core lists every bad one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Annotated, Any, Final, TypeAlias

from pydantic import WithJsonSchema

from tidings.api.items import plain_of
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import TIME_T, Level, Property, Request, from_words
from tidings.channel.qos import QOS_PROPERTIES, DiscardPolicy, OrderPolicy, Reliability
from tidings.errors import InvalidEvent, TidingsError
from tidings.events.codecs.json_values import boxed_from_plain, is_typed
from tidings.events.typecode import Kind


def _standard_names(kind: type[IntEnum], ending: str) -> dict[str, int]:
    """``BEST_EFFORT`` is BestEffort, ``PRIORITY`` is PriorityOrder."""
    return {one.name.title().replace("_", "") + ending: one.value for one in kind}


_NUMBERS: Final[Mapping[str, Mapping[str, int]]] = {
    "EventReliability": _standard_names(Reliability, ""),
    "ConnectionReliability": _standard_names(Reliability, ""),
    "OrderPolicy": _standard_names(OrderPolicy, "Order"),
    "DiscardPolicy": _standard_names(DiscardPolicy, "Order"),
}
_NAMES: Final[Mapping[str, Mapping[int, str]]] = {
    name: {number: word for word, number in words.items()} for name, words in _NUMBERS.items()
}


def enumerations() -> Mapping[str, Mapping[str, int]]:
    """The properties whose values have names, and the numbers of these names."""
    return _NUMBERS


def properties_in(given: Mapping[str, object]) -> dict[str, object]:
    """Properties from the wire, as the core takes them; an error begins with the name."""
    return {name: _value_in(name, value) for name, value in given.items()}


def properties_out(given: Request) -> dict[str, object]:
    """Properties as they go over the wire: those of a view, or what a program asks for.

    What JSON cannot say becomes null, which is no value for any property either.
    """
    return {str(name): _value_out(name, value) for name, value in dict(given).items()}


def _value_in(name: str, value: object) -> object:
    if isinstance(value, str):
        return _NUMBERS.get(name, {}).get(value, value)
    if not is_typed(value):
        return value
    try:
        return boxed_from_plain(value)  # type: ignore[arg-type]
    except InvalidEvent as error:
        raise error.inside(name) from error.__cause__


def _value_out(name: str, value: object) -> object:
    if name in QOS_PROPERTIES:
        value = from_words(QOS_PROPERTIES[name].type, value)
    if isinstance(value, int) and not isinstance(value, bool):
        number = int(value)  # a member of an enumeration is a number, too
        return _NAMES.get(name, {}).get(number, number)
    try:
        return plain_of(value)
    except (TidingsError, TypeError, ValueError):
        return None


# Schemas.

# Readers of schemas take bounds for floating-point numbers: larger ones would be told wrong.
_EXACT: Final = 2**53


def _schema(title: str, lines: Iterable[Property], example: Mapping[str, object]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "properties": {line.name: _line_schema(line) for line in lines},
        "additionalProperties": False,
        "examples": [example],
    }


def _line_schema(line: Property) -> dict[str, Any]:
    if line.low is None:
        typed = {"type": "object", "description": "A UtcT, written with its type."}
        return {"anyOf": [{"type": "string", "format": "date-time"}, typed]}
    if line.type.unaliased.kind is Kind.BOOLEAN:
        return {"type": "boolean"}
    number: dict[str, Any] = {"type": "integer", "minimum": 0 if line.zero else line.low}
    if line.zero:
        number["description"] = f"0 is read as {line.zero}."
    if line.high is not None and line.high <= _EXACT:
        number["maximum"] = line.high
    words = _NUMBERS.get(line.name)
    if words is None:
        duration = {"type": "string", "pattern": "^[0-9]{1,9}(us|ms|s|m|h|d|w)$"}
        return {"anyOf": [duration, number]} if line.type is TIME_T else number
    return {"anyOf": [{"type": "string", "enum": list(words)}, number]}


def _at(*levels: Level) -> list[Property]:
    return [line for line in QOS_PROPERTIES.values() if not line.levels.isdisjoint(levels)]


QoSProperties: TypeAlias = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _schema(
            "QoS",
            _at(Level.CHANNEL, Level.ADMIN, Level.PROXY),
            {"OrderPolicy": "PriorityOrder", "MaxEventsPerConsumer": 1000},
        )
    ),
]
"""Quality of service of a channel, admin or proxy."""

EventProperties: TypeAlias = Annotated[
    dict[str, Any],
    WithJsonSchema(_schema("EventQoS", _at(Level.EVENT), {"Priority": 5, "Timeout": 600000000})),
]
"""Quality of service in the header of an event."""

AdminProperties: TypeAlias = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _schema(
            "AdminProperties",
            ADMIN_PROPERTIES.values(),
            {"MaxQueueLength": 10000, "RejectNewEvents": True},
        )
    ),
]
"""Admin properties of a channel."""
