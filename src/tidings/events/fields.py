"""What a filter may see of an event: `Fields`, never the event itself.

`fields[path]` is a plain value whose Python type is its kind, or MISSING. Every path is resolved
at most once per event: `Fields` is a dictionary that fills itself.

==================  ============================================================
Python type         kind
==================  ============================================================
int, float          number, integer or real
Decimal             number, exact decimal
bool                boolean
str                 string
Char                character
EnumLabel           enum value
tuple, bytes        sequence or array of plain values
Composite           everything else: it exists, and no operator accepts it
==================  ============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final, TypeAlias

from tidings.clock import to_timebase
from tidings.events.anyvalue import Any, Value, pack
from tidings.events.paths import MISSING, Missing, Name, Pair, Path, walk
from tidings.events.structured import UTC_T, StructuredEvent, event_in_any, header_type
from tidings.events.typecode import INTEGER_RANGES, Kind, TypeCode


class Char(str):
    """A character; unlike a string it also counts as its code."""

    __slots__ = ()


class EnumLabel(str):
    """A value of an enum, known by its label."""

    __slots__ = ()


class Composite:
    """The type of COMPOSITE: a value that exists, and that no operator accepts."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "composite"

    def __reduce__(self) -> str:
        return "COMPOSITE"


COMPOSITE = Composite()

Plain: TypeAlias = (
    "int | float | Decimal | bool | str | tuple[Plain, ...] | bytes | Composite | Missing"
)

ANY_EVENT_TYPE = ("", "%ANY")
"""Domain and type of an event that is a bare value."""


class Fields(dict[Path, Plain]):
    """What a filter may see of one event. Subclasses resolve paths."""

    __slots__ = ()

    def __missing__(self, path: Path) -> Plain:
        value = self[path] = self.resolve(path)
        return value

    def resolve(self, path: Path) -> Plain:
        """The plain value of a path, or MISSING."""
        raise NotImplementedError

    @property
    def event_type(self) -> tuple[str, str]:
        """Domain and type, as event-type patterns see them."""
        raise NotImplementedError

    def names(self) -> Iterable[str] | None:
        """The `$name`s that may resolve, except reserved ones; None if unknown."""
        raise NotImplementedError


class StructuredFields(Fields):
    """The fields of a structured event at `now`, microseconds since 1970 (`$curtime`)."""

    __slots__ = ("_event", "_now", "_whole")

    def __init__(self, event: StructuredEvent, now: int = 0) -> None:
        # Without the call of the dictionary's own: it is empty already.
        self._event = event
        self._now = now
        self._whole: Any | None = None

    @property
    def event_type(self) -> tuple[str, str]:
        """Domain and type of the event."""
        return self._event.domain, self._event.type

    def names(self) -> Iterable[str]:
        """The names of all properties."""
        return (*self._event.header, *self._event.data)

    def resolve(self, path: Path) -> Plain:
        """The plain value of a path, or MISSING: `$name` shorthands come first."""
        root, steps, event = path.root, path.steps, self._event
        if root is None:
            return plain(walk(self._all(), steps))
        value: Value | Missing
        if root in _RESERVED:
            value = _RESERVED[root](self)
            if steps:
                value = walk(value, steps)
        elif root in event.header:
            value = event.header[root]
            if steps:
                value = walk(Any.trusted(header_type(root, value), value), steps)
        elif root in event.data:
            value = event.data[root]
            if steps:
                value = walk(value, steps)
        else:
            return MISSING
        return value if type(value) in _AS_THEY_ARE else plain(value)  # type: ignore[return-value]

    def _all(self) -> Any:
        if self._whole is None:
            self._whole = self._event.as_any()
        return self._whole

    def _part(self, *names: str) -> Value:
        found = walk(self._all(), tuple(map(Name, names)))
        assert not isinstance(found, Missing)
        return found


_RESERVED: Final[dict[str, Callable[[StructuredFields], Value]]] = {
    "curtime": lambda fields: _curtime(fields._now),
    "domain_name": lambda fields: fields._event.domain,
    "type_name": lambda fields: fields._event.type,
    "event_name": lambda fields: fields._event.name,
    "header": lambda fields: fields._part("header"),
    "fixed_header": lambda fields: fields._part("header", "fixed_header"),
    "event_type": lambda fields: fields._part("header", "fixed_header", "event_type"),
    "variable_header": lambda fields: fields._part("header", "variable_header"),
    "filterable_data": lambda fields: fields._part("filterable_data"),
    "remainder_of_body": lambda fields: fields._part("remainder_of_body"),
}

RESERVED_NAMES: Final = frozenset(_RESERVED)
"""The `$name`s that mean a part of the event, whatever its properties are called."""


class AnyFields(Fields):
    """The fields of an event that is a bare value; `now` as in `StructuredFields`."""

    __slots__ = ("_now", "_value")

    def __init__(self, value: Value, now: int = 0) -> None:
        super().__init__()
        self._value = value
        self._now = now

    @property
    def event_type(self) -> tuple[str, str]:
        """The type of all bare values."""
        return ANY_EVENT_TYPE

    def names(self) -> None:
        """Unknown: a member, a branch and a pair all answer to `$name`."""
        return

    def resolve(self, path: Path) -> Plain:
        """The plain value of a path, or MISSING: a member first, then a pair."""
        root = path.root
        if root is None:
            return plain(walk(self._value, path.steps))
        start = _curtime(self._now) if root == "curtime" else walk(self._value, (Name(root),))
        if start is MISSING:
            start = walk(self._value, (Pair(root),))
        if start is MISSING:
            start = _ANY_DEFAULTS.get(root, MISSING)
        return MISSING if isinstance(start, Missing) else plain(walk(start, path.steps))


_ANY_DEFAULTS: Final = {"domain_name": ANY_EVENT_TYPE[0], "type_name": ANY_EVENT_TYPE[1]}


def is_any(event: StructuredEvent) -> bool:
    """Whether an event, as channels keep it, is a bare value: nothing but its body."""
    return event.type == ANY_EVENT_TYPE[1] and not (
        event.domain or event.name or event.header or event.data
    )


def fields_for(event: StructuredEvent, now: int) -> Fields:
    """The fields of an event, as channels keep it, at a time in microseconds since 1970."""
    if event.type == ANY_EVENT_TYPE[1] and is_any(event):
        return AnyFields(event.body, now)
    return StructuredFields(event, now)


def fields_of(event: object, now: int = 0) -> Fields:
    """The fields of an event: a structured event, also inside an any, or a bare value."""
    if isinstance(event, StructuredEvent):
        return StructuredFields(event, now)
    value = pack(event)
    inside = event_in_any(value)
    return AnyFields(value, now) if inside is None else StructuredFields(inside, now)


def _curtime(now: int) -> Value:
    return Any.trusted(UTC_T, (to_timebase(now), 0, 0, 0))


_AS_THEY_ARE: Final = frozenset({int, float, bool, str, bytes, Decimal})

_AS_IT_IS: Final = frozenset({*INTEGER_RANGES, Kind.FLOAT, Kind.DOUBLE, Kind.LONGDOUBLE}) | {
    Kind.BOOLEAN,
    Kind.STRING,
    Kind.WSTRING,
    Kind.FIXED,
}


def plain(value: Value | Missing) -> Plain:
    """A value as filters see it: the Python type is the kind."""
    kind = type(value)
    if kind in _AS_THEY_ARE or value is MISSING:
        return value  # type: ignore[return-value]
    if isinstance(value, tuple):
        if _AS_THEY_ARE.issuperset(map(type, value)):
            return value  # type: ignore[return-value]
        return tuple(map(plain, value))
    if isinstance(value, Any):
        return _plain_typed(value.type.unaliased, value.value)
    return COMPOSITE


def _plain_typed(type_: TypeCode, value: Value) -> Plain:
    kind = type_.kind
    if kind in _AS_IT_IS:
        return value  # type: ignore[return-value]
    if kind is Kind.ANY:
        return plain(value)
    if kind is Kind.CHAR or kind is Kind.WCHAR:
        return Char(value)
    if kind is Kind.ENUM:
        return EnumLabel(value)
    if kind is Kind.SEQUENCE or kind is Kind.ARRAY:
        content = type_.element_type.unaliased
        if content.kind in _AS_IT_IS:
            return value  # type: ignore[return-value]
        return tuple(_plain_typed(content, v) for v in value)  # type: ignore[union-attr]
    return COMPOSITE
