"""The catalogue: observed types of events, and the types of their fields.

It only observes, and refuses nothing: it reports what is sent, by whom, and where producers
disagree. Its size is bounded: beyond the limits it counts and does not record. Catalogues of
several channels or days can be merged, and a snapshot is plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from tidings.errors import BadInput, InvalidTypeCode, NotFound
from tidings.events.anyvalue import Any, Value, infer
from tidings.events.structured import STANDARD_HEADER, StructuredEvent, header_type
from tidings.events.typecode import INTEGER_RANGES, Kind, TypeCode
from tidings.events.typetext import describe, read_type

if TYPE_CHECKING:
    import pyarrow as pa


class CatalogueLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much is noted. A full catalogue of the usual short names takes some 20 MB."""

    event_types: int = 1_000
    fields: int = 256
    """Per event type, header and data each."""
    types: int = 16
    """Per field."""
    producers: int = 32
    """Per type of a field."""
    entries: int = 100_000
    """Event types, fields, types and producers of all, together."""
    characters: int = 256
    """Of a domain, type, field or producer; longer ones are taken for mistakes, and counted."""


class TypeSeen(msgspec.Struct, forbid_unknown_fields=True):
    """A type that a field was seen with."""

    kind: str
    """What it is to a filter: number, string, boolean, character, enum, sequence of …"""
    count: int = 0
    producers: dict[str, int] = msgspec.field(default_factory=dict)
    other_producers: int = 0
    """How often it came from producers that are not noted."""


class FieldSeen(msgspec.Struct, forbid_unknown_fields=True):
    """A field, and the types it was seen with."""

    types: dict[str, TypeSeen] = msgspec.field(default_factory=dict)
    other_types: int = 0
    """How often it had a type that is not noted."""

    @property
    def count(self) -> int:
        """How often it was seen."""
        return self.other_types + sum(seen.count for seen in self.types.values())


class EventType(msgspec.Struct, forbid_unknown_fields=True):
    """A type of events."""

    domain: str
    type: str
    count: int = 0
    first: int | None = None
    last: int | None = None
    header: dict[str, FieldSeen] = msgspec.field(default_factory=dict)
    data: dict[str, FieldSeen] = msgspec.field(default_factory=dict)
    other_fields: int = 0
    """How often a field came that is not noted."""


class _Snapshot(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    limits: CatalogueLimits
    event_types: list[EventType]
    other_events: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that means different things: no constraint can be right for all of it."""

    domain: str
    type: str
    part: str
    """``header`` or ``data``."""
    field: str
    producers: Mapping[str, tuple[str, ...]]
    """For each kind who sends it, in order; the empty name stands for an unnamed producer."""

    def __str__(self) -> str:
        sides = [f"{kind} from {_who(names)}" for kind, names in self.producers.items()]
        return f"{self.domain}/{self.type} {self.part}.{self.field}: {', '.join(sides)}"


def _who(names: tuple[str, ...]) -> str:
    return " and ".join(name or "unnamed producers" for name in names) or "unnoted producers"


_VERSION: Final = 1


class Catalogue:
    """The types of events that were seen."""

    def __init__(self, limits: CatalogueLimits | None = None) -> None:
        self.limits = limits or CatalogueLimits()
        self._types: dict[tuple[str, str], EventType] = {}
        self._entries = 0
        self.other_events = 0
        """How many events were of types that are not noted."""

    def __len__(self) -> int:
        return len(self._types)

    def __iter__(self) -> Iterator[EventType]:
        """The types of events, by domain and type."""
        return iter([self._types[key] for key in sorted(self._types)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Catalogue) and self.to_plain() == other.to_plain()

    __hash__ = None  # type: ignore[assignment]

    def find(self, domain: str, type: str) -> EventType:
        """The record of one type of events; NotFound if none was seen."""
        found = self._types.get((domain, type))
        if found is None:
            raise NotFound(f"no event of the type {domain}/{type} was seen")
        return found

    def observe(self, event: StructuredEvent, producer: str = "", at: int | None = None) -> None:
        """Record an event; `at` is in microseconds since 1970."""
        noted = self._event_type(event.domain, event.type, 1)
        if noted is None:
            return
        noted.count += 1
        _stretch(noted, at, at)
        for name, value in event.header.items():
            field = self._field(noted, noted.header, name, 1)
            self._note(field, header_type(name, value), value, producer)
        for name, value in event.data.items():
            field = self._field(noted, noted.data, name, 1)
            self._note(field, infer(value), value, producer)

    def _event_type(self, domain: str, type: str, count: int) -> EventType | None:
        found = self._types.get((domain, type))
        if found is None:
            if not self._room(self._types, self.limits.event_types, domain, type):
                self.other_events += count
                return None
            found = self._types[domain, type] = EventType(domain, type)
        return found

    def _room(self, noted: Sized, most: int, *names: str) -> bool:
        """Whether one more may be recorded; if so, it is counted."""
        if len(noted) >= most or self._entries >= self.limits.entries:
            return False
        if any(len(name) > self.limits.characters for name in names):
            return False
        self._entries += 1
        return True

    def _field(
        self, noted: EventType, fields: dict[str, FieldSeen], name: str, count: int
    ) -> FieldSeen | None:
        field = fields.get(name)
        if field is None:
            if not self._room(fields, self.limits.fields, name):
                noted.other_fields += count
                return None
            field = fields[name] = FieldSeen()
        return field

    def _note(self, field: FieldSeen | None, type_: TypeCode, value: Value, producer: str) -> None:
        if field is None:
            return
        boxed = ""
        while type_.unaliased.kind is Kind.ANY and isinstance(value, Any):
            value, boxed = value.value, "any "  # to a filter, it is what is in it
            type_ = infer(value)
        seen = TypeSeen(filter_kind(type_), 1, {producer: 1})
        self._add(field, boxed + _label(type_, seen.kind, self.limits.characters), seen)

    def _add(self, field: FieldSeen, label: str, more: TypeSeen) -> None:
        seen = field.types.get(label)
        if seen is None:
            if not self._room(field.types, self.limits.types):
                field.other_types += more.count
                return
            seen = field.types[label] = TypeSeen(more.kind)
        seen.count += more.count
        seen.other_producers += more.other_producers
        for producer, count in sorted(more.producers.items()):
            known = producer in seen.producers
            if known or self._room(seen.producers, self.limits.producers, producer):
                seen.producers[producer] = seen.producers.get(producer, 0) + count
            else:
                seen.other_producers += count

    def merge(self, other: Catalogue) -> None:
        """Add the records of another catalogue, within the limits of this one."""
        self.other_events += other.other_events
        for theirs in other:
            ours = self._event_type(theirs.domain, theirs.type, theirs.count)
            if ours is None:
                continue
            ours.count += theirs.count
            ours.other_fields += theirs.other_fields
            _stretch(ours, theirs.first, theirs.last)
            for mine, fields in ((ours.header, theirs.header), (ours.data, theirs.data)):
                self._merge_fields(ours, mine, fields)

    def _merge_fields(
        self, ours: EventType, mine: dict[str, FieldSeen], theirs: dict[str, FieldSeen]
    ) -> None:
        for name in sorted(theirs):
            field = self._field(ours, mine, name, theirs[name].count)
            if field is None:
                continue
            field.other_types += theirs[name].other_types
            for label in sorted(theirs[name].types):
                self._add(field, label, theirs[name].types[label])

    def conflicts(self) -> list[Conflict]:
        """The fields that were seen with kinds that no filter can compare, in order.

        All numbers are one kind, so a long that becomes a double is not a conflict; nor is null, or
        an
        empty sequence.
        """
        found: list[Conflict] = []
        for noted in self:
            for part, fields in (("header", noted.header), ("data", noted.data)):
                for name in sorted(fields):
                    kinds = _kinds(fields[name].types.values())
                    if len(kinds) > 1:
                        found.append(Conflict(noted.domain, noted.type, part, name, kinds))
        return found

    def to_plain(self) -> dict[str, object]:
        """The catalogue as plain data; equal for equal catalogues."""
        snapshot = _Snapshot(_VERSION, self.limits, list(self), self.other_events)
        plain: dict[str, object] = msgspec.to_builtins(snapshot, order="deterministic")
        return plain

    @classmethod
    def from_plain(cls, plain: object) -> Catalogue:
        """The catalogue that `to_plain` described."""
        try:
            snapshot = msgspec.convert(plain, _Snapshot)
        except msgspec.ValidationError as error:
            raise BadInput(f"no snapshot of a catalogue: {error}") from error
        if snapshot.version != _VERSION:
            raise BadInput(f"a snapshot of version {snapshot.version}; known is {_VERSION}")
        made = cls(snapshot.limits)
        made._types = {(noted.domain, noted.type): noted for noted in snapshot.event_types}
        made._entries = sum(map(_entries, snapshot.event_types))
        made.other_events = snapshot.other_events
        return made


def _entries(noted: EventType) -> int:
    fields = [*noted.header.values(), *noted.data.values()]
    types = [seen for field in fields for seen in field.types.values()]
    return 1 + len(fields) + len(types) + sum(len(seen.producers) for seen in types)


def _label(type_: TypeCode, kind: str, most: int) -> str:
    """The text of a type; with its kind, where the text does not show it."""
    text = describe(type_)
    if len(text) > most:
        return f"{text[:most]}… ({kind})"
    return f"{text} ({kind})" if "alias " in text else text


def _stretch(noted: EventType, first: int | None, last: int | None) -> None:
    if first is not None:
        noted.first = first if noted.first is None else min(noted.first, first)
    if last is not None:
        noted.last = last if noted.last is None else max(noted.last, last)


def _kinds(types: Iterable[TypeSeen]) -> dict[str, tuple[str, ...]]:
    """Who sends which kind, without the kinds that are compatible with any other."""
    found: dict[str, set[str]] = {}
    for seen in types:
        if seen.kind != "null":
            found.setdefault(seen.kind, set()).update(seen.producers)
    sequences = [kind for kind in found if kind.startswith("sequence of ")]
    if len(sequences) > 1:
        found.pop(_UNKNOWN_SEQUENCE, None)
    return {kind: tuple(sorted(found[kind])) for kind in sorted(found)}


_UNKNOWN_SEQUENCE: Final = "sequence of any"

_KINDS: Final = {
    **dict.fromkeys(INTEGER_RANGES, "number"),
    **dict.fromkeys((Kind.FLOAT, Kind.DOUBLE, Kind.LONGDOUBLE, Kind.FIXED), "number"),
    **dict.fromkeys((Kind.STRING, Kind.WSTRING), "string"),
    **dict.fromkeys((Kind.CHAR, Kind.WCHAR), "character"),
    **dict.fromkeys((Kind.NULL, Kind.VOID), "null"),
    Kind.BOOLEAN: "boolean",
    Kind.ENUM: "enum",
    Kind.ANY: "any",
}


def filter_kind(type_: TypeCode) -> str:
    """The kind of a type's values for a filter."""
    type_ = type_.unaliased
    if type_.kind in (Kind.SEQUENCE, Kind.ARRAY):
        return f"sequence of {filter_kind(type_.element_type)}"
    return _KINDS.get(type_.kind, "composite")


def arrow_schema_of(noted: EventType) -> pa.Schema:
    """One column for each field that was only ever a number, a string or a boolean.

    Integers are int64, or decimal where they may be larger; with reals among them, float64.
    """
    from tidings.events.codecs.arrow_codec import load_pyarrow

    arrow = load_pyarrow()
    columns = {name: arrow.string() for name in ("domain", "type", "name")}
    for part, fields in (("header", noted.header), ("data", noted.data)):
        for name in sorted(fields):
            kind = _column_kind(fields[name])
            if kind is not None:
                columns[f"{part}.{name}"] = {
                    "string": arrow.string(),
                    "boolean": arrow.bool_(),
                    "real": arrow.float64(),
                    "integer": arrow.int64(),
                    "large integer": arrow.decimal128(20, 0),
                }[kind]
    schema: pa.Schema = arrow.schema(columns)
    return schema


def _column_kind(field: FieldSeen) -> str | None:
    """What a column of a field would hold; None if a column cannot hold all of it."""
    kinds = {seen.kind for seen in field.types.values()} - {"null"}
    if kinds in ({"string"}, {"boolean"}) and not field.other_types:
        return kinds.pop()
    if kinds != {"number"} or field.other_types:
        return None
    if field.types.keys() & {"float", "double", "long double"}:
        return "real"
    if "unsigned long long" in field.types:
        return "large integer"
    is_fixed = any(label.startswith(("fixed", "alias")) for label in field.types)
    return None if is_fixed else "integer"


Schema: TypeAlias = dict[str, object]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPED: Schema = {"$ref": "#/$defs/typed"}

_PLAIN: dict[Kind, Schema] = {
    Kind.NULL: {"type": "null"},
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.LONG: {"type": "integer"},
    # Those that a smaller type could hold are written with their type.
    Kind.LONGLONG: {"anyOf": [{"type": "integer"}, _TYPED]},
    Kind.ULONGLONG: {"anyOf": [{"type": "integer"}, _TYPED]},
    Kind.STRING: {"type": "string"},
    # NaN and the infinities are written with their type.
    Kind.DOUBLE: {"anyOf": [{"type": "number"}, _TYPED]},
}


def json_schema_of(noted: EventType) -> Schema:
    """The JSON Schema of events of one type, as they were seen, in typed JSON.

    It describes and does not prescribe: every observed event is valid, and so are fields that were
    never seen. A field that every event had is required.
    """
    parts = {
        "header": _properties(noted, noted.header, in_header=True),
        "data": _properties(noted, noted.data, in_header=False),
    }
    needed = [name for name, part in parts.items() if part["required"]]
    return {
        "$schema": _DIALECT,
        "title": f"{noted.domain}/{noted.type}",
        "type": "object",
        "properties": {
            "domain": {"const": noted.domain},
            "type": {"const": noted.type},
            "name": {"type": "string"},
            **parts,
            "body": {},
        },
        "required": ["domain", "type", *needed],
        "additionalProperties": False,
        "$defs": {
            "typed": {
                "type": "object",
                "properties": {"$type": {"type": ["string", "object"]}, "value": {}},
                "required": ["$type", "value"],
                "additionalProperties": False,
            }
        },
    }


def _properties(noted: EventType, fields: dict[str, FieldSeen], *, in_header: bool) -> Schema:
    return {
        "type": "object",
        "properties": {
            name: _field(fields[name], name if in_header else "") for name in sorted(fields)
        },
        "required": [name for name in sorted(fields) if fields[name].count == noted.count],
    }


def _field(field: FieldSeen, header_name: str) -> Schema:
    if field.other_types:
        return {}
    forms: list[Schema] = []
    for label in sorted(field.types):
        form = _standard(header_name, label) or _value(label, _type(label))
        if form not in forms:
            forms.append(form)
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _type(label: str) -> TypeCode | None:
    try:
        return read_type(label)
    except InvalidTypeCode:
        return None


def _standard(header_name: str, label: str) -> Schema | None:
    """Integers in standard header properties: plain if they have the standard's type."""
    standard, type_ = STANDARD_HEADER.get(header_name), _type(label)
    if standard is None or type_ is None or type_.kind not in INTEGER_RANGES:
        return None
    return _PLAIN[Kind.LONG] if type_ == standard else _TYPED


def _value(label: str, type_: TypeCode | None) -> Schema:
    """The JSON of values of a type: plain where the type can be inferred, or typed."""
    if type_ is not None and type_.kind in _PLAIN and not type_.bound:
        return _PLAIN[type_.kind]
    if type_ is not None and type_.kind is Kind.SEQUENCE and type_.element_type.kind in _PLAIN:
        items = _PLAIN[type_.element_type.kind]
        return {"anyOf": [{"type": "array", "items": items}, _TYPED]}
    if label.startswith("sequence<"):
        return {"anyOf": [{"type": "array"}, _TYPED]}
    # An unnamed struct is an object, unless it has a member `$type`; then it is typed.
    return {"type": "object"} if label == "struct" else _TYPED
