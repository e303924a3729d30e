"""JSON Schema of a type of events, as the catalogue has seen it, in typed JSON.

It describes and does not prescribe: every observed event is valid, and so are fields that were
never seen. A field that every event had is required.
"""

from __future__ import annotations

from typing import TypeAlias

from tidings.errors import InvalidTypeCode
from tidings.events.schema import EventType, FieldSeen
from tidings.events.structured import STANDARD_HEADER
from tidings.events.typecode import INTEGER_RANGES, Kind, TypeCode
from tidings.events.typetext import read_type

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
    """The JSON Schema of events of one type."""
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
