"""The structured event: what flows through Tidings.

A fixed header (domain, type, name), a variable header (how to treat the event), filterable data,
and a body that filters usually ignore. Properties are stored unboxed; the standard header
properties have the standard's types, so a plain `Priority: 4` is a short.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value, conform, infer, pack, same
from tidings.events.texts import checked_text, member_name
from tidings.events.typecode import Kind, TypeCode

_MODULE = "IDL:omg.org/CosNotification/{}:1.0"


def _alias(name: str, content: TypeCode) -> TypeCode:
    return tc.alias(_MODULE.format(name), name, content)


ISTRING: Final = _alias("Istring", tc.STRING)
PROPERTY_NAME: Final = _alias("PropertyName", ISTRING)
PROPERTY: Final = tc.struct(
    _MODULE.format("Property"),
    "Property",
    [("name", PROPERTY_NAME), ("value", _alias("PropertyValue", tc.ANY))],
)
PROPERTY_SEQ: Final = _alias("PropertySeq", tc.sequence(PROPERTY))
EVENT_TYPE: Final = tc.struct(
    _MODULE.format("EventType"),
    "EventType",
    [("domain_name", tc.STRING), ("type_name", tc.STRING)],
)
FIXED_HEADER: Final = tc.struct(
    _MODULE.format("FixedEventHeader"),
    "FixedEventHeader",
    [("event_type", EVENT_TYPE), ("event_name", tc.STRING)],
)
EVENT_HEADER: Final = tc.struct(
    _MODULE.format("EventHeader"),
    "EventHeader",
    [
        ("fixed_header", FIXED_HEADER),
        ("variable_header", _alias("OptionalHeaderFields", PROPERTY_SEQ)),
    ],
)
STRUCTURED_EVENT: Final = tc.struct(
    _MODULE.format("StructuredEvent"),
    "StructuredEvent",
    [
        ("header", EVENT_HEADER),
        ("filterable_data", _alias("FilterableEventBody", PROPERTY_SEQ)),
        ("remainder_of_body", tc.ANY),
    ],
)
UTC_T: Final = tc.struct(
    "IDL:omg.org/TimeBase/UtcT:1.0",
    "UtcT",
    [
        ("time", tc.alias("IDL:omg.org/TimeBase/TimeT:1.0", "TimeT", tc.ULONGLONG)),
        ("inacclo", tc.ULONG),
        ("inacchi", tc.USHORT),
        ("tdf", tc.alias("IDL:omg.org/TimeBase/TdfT:1.0", "TdfT", tc.SHORT)),
    ],
)

# Header properties whose type the standard fixes; a plain number there has that type.
STANDARD_HEADER: Final = {
    "Priority": tc.SHORT,
    "EventReliability": tc.SHORT,
    "Timeout": tc.ULONGLONG,
}


class StructuredEvent(msgspec.Struct, frozen=True, eq=False):
    """One event, in the stored form; `event()` builds one from what a user writes.

    Treat the mappings as read-only: events are shared between consumers. `octets` is the size in
    memory of a large one, once computed; else 0.
    """

    domain: str = ""
    type: str = ""
    name: str = ""
    header: Mapping[str, Value] = msgspec.field(default_factory=dict)
    data: Mapping[str, Value] = msgspec.field(default_factory=dict)
    body: Value = None
    octets: int = 0

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__[:-1]]
        return f"StructuredEvent({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuredEvent):
            return NotImplemented
        return (
            (self.domain, self.type, self.name) == (other.domain, other.type, other.name)
            and same(dict(self.header), dict(other.header))
            and same(dict(self.data), dict(other.data))
            and same(self.body, other.body)
        )

    def __ne__(self, other: object) -> bool:  # a Struct has one of its own, by identity
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def as_any(self) -> Any:
        """The event as a value of the IDL type StructuredEvent."""
        header = tuple((name, self._header_value(name)) for name in self.header)
        fixed = ((self.domain, self.type), self.name)
        data = tuple(self.data.items())
        return Any.trusted(STRUCTURED_EVENT, ((fixed, header), data, self.body))

    def _header_value(self, name: str) -> Value:
        value = self.header[name]
        standard = STANDARD_HEADER.get(name)
        if standard is not None and type(value) is int:
            return Any.trusted(standard, value)
        return pack(value)


def header_type(name: str, value: Value) -> TypeCode:
    """The type of a stored header property."""
    standard = STANDARD_HEADER.get(name)
    return standard if standard is not None and type(value) is int else infer(value)


def pack_header(header: Mapping[str, object]) -> dict[str, Value]:
    """Header properties in the stored form."""
    return {
        member_name(name, "header"): pack_header_value(name, value)
        for name, value in header.items()
    }


def pack_header_value(name: str, value: object) -> Value:
    """One header property in the stored form."""
    where = f"header.{name}"
    standard = STANDARD_HEADER.get(name)
    if standard is None:
        return pack(value, where)
    packed = pack(value, where)
    if not isinstance(value, Any):
        return conform(standard, packed, where) if type(packed) is int else packed
    if value.type == standard:
        return value.value
    # An unboxed integer would be read as the standard's type: one of another type stays boxed.
    return value if type(packed) is int else packed


def pack_data(data: Mapping[str, object]) -> dict[str, Value]:
    """Filterable properties in the stored form."""
    return {member_name(name, "data"): pack(v, f"data.{name}") for name, v in data.items()}


def event_in_any(box: Value) -> StructuredEvent | None:
    """The structured event in an any, or None if it holds something else."""
    while isinstance(box, Any) and box.type.unaliased.kind is Kind.ANY:
        box = box.value
    if not isinstance(box, Any) or not box.type.equivalent(STRUCTURED_EVENT):
        return None
    header, data, body = _parts(box.value, 3)
    fixed, variable = _parts(header, 2)
    event_type, name = _parts(fixed, 2)
    domain, type_ = _parts(event_type, 2)
    return StructuredEvent(
        checked_text(str(domain), "domain"),
        checked_text(str(type_), "type"),
        checked_text(str(name), "name"),
        pack_header(_typed_integers(_properties(variable, "header"))),
        pack_data(_properties(data, "data")),
        pack(body, "body"),
    )


def _typed_integers(header: Mapping[str, Value]) -> dict[str, Value]:
    """In an any an unboxed integer is a long; in a header it has the standard's type."""
    return {
        name: Any.trusted(infer(value), value) if type(value) is int else value
        for name, value in header.items()
    }


def _parts(value: Value, count: int) -> tuple[Value, ...]:
    if not isinstance(value, tuple) or len(value) != count:
        raise InvalidEvent("the value of a StructuredEvent has another shape than its type")
    return value


def _properties(pairs: Value, where: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for pair in pairs if isinstance(pairs, tuple) else ():
        name, value = _parts(pair, 2)
        if str(name) in found:
            raise InvalidEvent(f"two properties have the name {name!r}", where)
        found[str(name)] = value
    return found
