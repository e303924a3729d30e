"""One property of an object: its type and its ranges, and what is wrong with a value.

Notification Service 8.3. Quality of service (`qos.py`) and administration (`properties.py`)
are two tables of such properties.

Values are handed in as they came: an `Any` from the wire is checked for its type, a plain
Python value is taken for one of the property's own type; durations and times may be words, as in
an event's header (`5s`). An `Any` must not be unboxed before, or a long would pass for a short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import ClassVar, Final, NamedTuple, TypeAlias, TypeVar

from tidings.errors import InvalidEvent, PropertyError, PropertyErrorCode
from tidings.events.anyvalue import Any
from tidings.events.standard_header import standard_value
from tidings.events.structured import UTC_T
from tidings.events.typecode import Kind, TypeCode

_T = TypeVar("_T")

Request: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
"""What is to be set, name to value; of two values for one name the last counts."""

Supported: TypeAlias = Mapping[str, tuple[int, int]]
"""Properties of which this installation supports less than is legal: lowest, highest.

Without stable storage, for example, both reliabilities go from 0 to 0.
"""

NOT_NARROWED: Final[Supported] = {}

TIME_T: Final = UTC_T.member_type(0)
"""The type of durations, TimeBase::TimeT."""


class Level(Enum):
    """Where a property may be set."""

    CHANNEL = "channel"
    ADMIN = "admin"
    PROXY = "proxy"
    EVENT = "event"


class PropertyRange(NamedTuple):
    """A property that could be set, and to what; None where every value of the type will do."""

    name: str
    low: bool | int | None
    high: bool | int | None


@dataclass(frozen=True, slots=True)
class Property:
    """A line of the table of properties."""

    name: str
    type: TypeCode
    low: int | None  # the least legal value; None where every value of the type is legal
    high: int | None
    default: int | None  # what applies until it is set; None for nothing
    levels: frozenset[Level]  # where it may be set
    zero: int = 0  # what a 0 is read as

    def supported(self, narrowed: Supported) -> PropertyRange:
        """The values that are legal and supported."""
        if self.low is None or self.high is None or self.name not in narrowed:
            return PropertyRange(self.name, self.low, self.high)
        low, high = narrowed[self.name]
        return PropertyRange(self.name, max(low, self.low), min(high, self.high))


class PropertyValues(Mapping[str, int]):
    """The values of all properties of a table at one object, whether set or not.

    Without `values`, those that differ from the default, it has the defaults. Values are trusted:
    what comes from outside goes through `changed`.
    """

    __slots__ = ("_values",)

    table: ClassVar[Mapping[str, Property]] = {}

    def __init__(self, values: Mapping[str, int] | None = None) -> None:
        lines = self.table.values()
        made = {line.name: line.default for line in lines if line.default is not None}
        unknown = sorted((values or {}).keys() - made.keys())
        if unknown:
            raise ValueError(f"no object holds a property {', '.join(unknown)}")
        self._values: dict[str, int] = {**made, **(values or {})}

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values})"


def held(name: str, kind: Callable[[int], _T]) -> _T:
    """The value of a property as an attribute of `PropertyValues`, with its type in Python."""

    def get(values: PropertyValues) -> object:
        return values._values[name]

    def get_as(values: PropertyValues) -> object:
        return kind(values._values[name])

    return property(get if kind is int else get_as)  # type: ignore[return-value]


def judged(asked: Property, value: object, narrowed: Supported) -> int | PropertyError:
    """The value in plain form, or what is wrong with its type, legality or support."""
    plain = plain_value(asked.type, from_words(asked.type, value))
    if plain is None:
        return PropertyError(PropertyErrorCode.BAD_TYPE, asked.name)
    if asked.low is None or asked.high is None:
        return plain
    if asked.zero and not plain:
        plain = asked.zero
    if not asked.low <= plain <= asked.high:
        return PropertyError(PropertyErrorCode.BAD_VALUE, asked.name, asked.low, asked.high)
    _, low, high = asked.supported(narrowed)
    if low is not None and high is not None and not low <= plain <= high:
        return PropertyError(PropertyErrorCode.UNSUPPORTED_VALUE, asked.name, low, high)
    return plain


def from_words(wanted: TypeCode, value: object) -> object:
    """A duration or a time as people write it, with the type wanted; anything else as it is."""
    name = "Timeout" if wanted is TIME_T else "StartTime" if wanted is UTC_T else ""
    if not (name and isinstance(value, str | timedelta | datetime)):
        return value
    try:
        return standard_value(name, value)
    except InvalidEvent:
        return value


def plain_value(wanted: TypeCode, value: object) -> int | None:
    """The number or boolean in a value, a UtcT's time, or None for a value of another type."""
    if wanted is UTC_T:
        return _utc_time(value)
    if isinstance(value, Any):
        if not value.type.equivalent(wanted):
            return None
        value = value.value
    if wanted.unaliased.kind is Kind.BOOLEAN:
        return value if isinstance(value, bool) else None
    # A plain integer of any size has the property's type: too large a one is a bad value.
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


_UTC_KINDS: Final = [member.type.unaliased.kind for member in UTC_T.members]


def _utc_time(value: object) -> int | None:
    """The time of a UtcT; its inaccuracy and time zone are ignored (11)."""
    if not isinstance(value, Any) or not value.type.equivalent(UTC_T):
        return None
    # Equivalent types have one repository id, which a foreign type may claim without the shape.
    kinds = [member.type.unaliased.kind for member in value.type.unaliased.members]
    if kinds != _UTC_KINDS or not isinstance(value.value, tuple):
        return None
    time = value.value[0]
    return time if isinstance(time, int) else None
