"""Which columns a path reads: the long spellings of a top-level field mean the same as the short.

A path is followed through the types of a structured event, as far as these are the same for every
event; only the reference can resolve the rest.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from tidings.events.fields import RESERVED_NAMES
from tidings.events.paths import Name, Pair, Path, PathStep, Position, ReposId, TypeId
from tidings.events.structured import STRUCTURED_EVENT, UTC_T
from tidings.events.typecode import Kind, TypeCode


class Property(msgspec.Struct, frozen=True):
    """A property: of the header, of the data, or of the header first and else of the data."""

    name: str
    in_header: bool = True
    in_data: bool = True


class HeaderText(msgspec.Struct, frozen=True):
    """A text of the fixed header, in a column of its own."""

    column: str


class Arrival(msgspec.Struct, frozen=True):
    """`$curtime.time`: when the event arrived, as TimeBase::TimeT."""


class Fixed(msgspec.Struct, frozen=True):
    """What is the same in every structured event."""

    value: int | str


class Whole(msgspec.Struct, frozen=True):
    """A part that is always there, and that no operator accepts."""

    is_sequence: bool = False


class Body(msgspec.Struct, frozen=True):
    """The remainder of the body: always there, but of a kind that only the event shows."""


class Nowhere(msgspec.Struct, frozen=True):
    """No structured event has it."""


class Deep(msgspec.Struct, frozen=True):
    """What lies inside a value."""


Place: TypeAlias = Property | HeaderText | Arrival | Fixed | Whole | Body | Nowhere | Deep
_Names: TypeAlias = tuple[str, ...]

_FIXED_HEADER: Final = ("header", "fixed_header")
_EVENT_TYPE: Final = (*_FIXED_HEADER, "event_type")
_HEADER: Final = ("header", "variable_header")
_DATA: Final = ("filterable_data",)
_BODY: Final = ("remainder_of_body",)

# Where a reserved `$name` leads; `$curtime` is no part of the event.
_ROOTS: Final[dict[str, _Names]] = {
    "header": ("header",),
    "fixed_header": _FIXED_HEADER,
    "event_type": _EVENT_TYPE,
    "variable_header": _HEADER,
    "filterable_data": _DATA,
    "remainder_of_body": _BODY,
}
_TEXTS: Final[dict[_Names, str]] = {
    (*_EVENT_TYPE, "domain_name"): "domain",
    (*_EVENT_TYPE, "type_name"): "type",
    (*_FIXED_HEADER, "event_name"): "name",
}
_SHORT_TEXTS: Final = {names[-1]: column for names, column in _TEXTS.items()}


def place_of(path: Path) -> Place:
    """Where a path leads in a structured event."""
    root, steps = path.root, path.steps
    if root is None:
        return _in_event((), steps)
    if root == "curtime":
        return _in_curtime(steps)
    if root in _SHORT_TEXTS:
        return Deep() if steps else HeaderText(_SHORT_TEXTS[root])
    if root in RESERVED_NAMES:
        return _in_event(_ROOTS[root], steps)
    return Deep() if steps else Property(root)


def _in_event(names: _Names, steps: tuple[PathStep, ...]) -> Place:
    """Where steps lead from a part of the event."""
    type_ = STRUCTURED_EVENT
    for name in names:
        type_ = type_.member_type(type_.member_index(name)).unaliased
    for index, step in enumerate(steps):
        if names == _BODY:
            return Deep()
        if names in (_HEADER, _DATA) and isinstance(step, Pair):
            only = Property(step.name, names == _HEADER, names == _DATA)
            return only if index == len(steps) - 1 else Deep()
        if isinstance(step, TypeId | ReposId):
            return _type_asked(step, type_)
        if type_.kind is not Kind.STRUCT or not isinstance(step, Name | Position):
            return Deep()
        at = _member(type_, step)
        if at is None:
            return Nowhere()
        names = (*names, type_.members[at].name)
        type_ = type_.member_type(at).unaliased
    if names == _BODY:
        return Body()
    if names in _TEXTS:
        return HeaderText(_TEXTS[names])
    return Whole(is_sequence=names in (_HEADER, _DATA))


def _in_curtime(steps: tuple[PathStep, ...]) -> Place:
    if not steps:
        return Whole()
    if isinstance(steps[0], TypeId | ReposId):
        return _type_asked(steps[0], UTC_T)
    if len(steps) > 1 or not isinstance(steps[0], Name | Position):
        return Deep()
    at = _member(UTC_T, steps[0])
    if at is None:
        return Nowhere()
    return Arrival() if UTC_T.members[at].name == "time" else Fixed(0)


def _type_asked(step: PathStep, type_: TypeCode) -> Fixed:
    return Fixed(type_.type_name if isinstance(step, TypeId) else type_.id)


def _member(type_: TypeCode, step: Name | Position) -> int | None:
    at = step.index if isinstance(step, Position) else type_.member_index(step.name)
    return at if 0 <= at < len(type_.members) else None
