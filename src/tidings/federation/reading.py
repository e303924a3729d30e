"""Settings read from plain values; an error says where it is, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from tidings.errors import InvalidUsage
from tidings.events.codecs.json_types import meant, near_miss

_T = TypeVar("_T")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_FIELD: Final = re.compile(r"Object contains unknown field `(.*)`")
_INVALID: Final = re.compile(r"Invalid enum value (.*)")
_WORDS: Final[Mapping[type, str]] = {
    inspect.BoolType: "true or false",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.StrType: "a text",
    inspect.DictType: "a table",
}


def read(kind: type[_T], plain: object) -> _T:
    """Turn plain values into a struct or a dataclass.

    Raises:
        InvalidUsage: They are none; the message begins with the place.
    """
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise InvalidUsage(_told(str(error), kind, plain)) from error


class _Spot(NamedTuple):
    """Where an error is: its place in words, what belongs there, and what is there."""

    place: str
    kind: Any
    value: object


def _told(error: str, kind: type, plain: object) -> str:
    text, _, path = error.partition(" - at `$")
    spot = _Spot("", inspect.type_info(kind), plain)
    for name, at in _STEP.findall(path):
        spot = _below(spot, name, at)
    prefix = f"{spot.place}: " if spot.place else ""
    return f"{prefix}{_right(spot, text)}"


def _below(spot: _Spot, name: str, at: str) -> _Spot:
    """Return the spot of a field, or of a member of a list or a table."""
    value: Any = spot.value
    if name:
        kinds = {one.encode_name: one.type for one in getattr(spot.kind, "fields", ())}
        place = f"{spot.place}.{name}" if spot.place else name
        return _Spot(place, kinds.get(name), value.get(name) if isinstance(value, dict) else None)
    if at == "...":
        return _Spot(spot.place, getattr(spot.kind, "value_type", None), None)
    return _Spot(f"{spot.place}[{at}]", getattr(spot.kind, "item_type", None), value[int(at)])


def _right(spot: _Spot, text: str) -> str:
    """Say what would be right at a spot."""
    if words := _choice(spot.kind):
        invalid = _INVALID.match(text)  # it says the value also where the place is a whole table
        shown = invalid[1] if invalid else repr(spot.value)
        hint = meant(shown.strip("'"), words)
        return f"{shown:.60} is none of {', '.join(words)}{hint and '; '}{hint}"
    if unknown := _FIELD.match(text):
        known = [one.encode_name for one in spot.kind.fields]
        return f"there is no {unknown[1]!r:.60}; {near_miss(unknown[1], known)}"
    expected = _WORDS.get(type(spot.kind))
    if expected and spot.value is not None and ", got `" in text:
        return f"{spot.value!r:.60} is not {expected}"
    return text[:1].lower() + text[1:]


def _choice(kind: object) -> list[str]:
    """Return the words of a choice; none if it is something else."""
    if isinstance(kind, inspect.EnumType):
        return [str(one.value) for one in kind.cls]
    if isinstance(kind, inspect.LiteralType):
        return [str(one) for one in kind.values]
    if isinstance(kind, inspect.UnionType):
        return [word for one in kind.types for word in _choice(one)]
    return []
