"""Notices as structured events, and back.

The header and the filterable data have what filters and queues go by; the body has the whole notice
as a struct without a name, from which it is read. What is empty or unknown is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
    Transaction,
)
from tidings.clock import to_timebase
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, pack
from tidings.events.structured import UTC_T, StructuredEvent
from tidings.events.typecode import TypeCode
from tidings.events.typetext import read_type, type_text
from tidings.idl.diff import Difference
from tidings.trader.model import PropertyDef, PropertyMode

DOMAIN: Final = "ServiceChange"
"""The domain of all notices."""
FILTERABLE: Final = ("message_id", "time_indicator", "service_type", "object_ref", "compatible")
"""What filterable data has of every notice; a property of the same name is in the body only."""

_T = TypeVar("_T")
_Parts = Mapping[str, Value]


def event_of(notice: Notice) -> StructuredEvent:
    """Return a notice as a structured event."""
    service = notice.described
    header: dict[str, Value] = {"Priority": notice.priority}
    for name, time in (("StartTime", notice.start), ("StopTime", notice.expiry)):
        if time is not None:
            header[name] = Any.trusted(UTC_T, (to_timebase(time), 0, 0, 0))
    data: dict[str, Value] = {
        "message_id": notice.id,
        "time_indicator": notice.time_indicator.name,
        "service_type": service.type.name,
        "object_ref": service.reference,
    }
    if notice.compatible is not None:
        data["compatible"] = notice.compatible
    data |= {name: one for name, one in service.properties.items() if name not in FILTERABLE}
    return StructuredEvent(
        DOMAIN, notice.kind.name, service.type.name, header, data, value_of(notice)
    )


def notice_of(event: StructuredEvent) -> Notice:
    """Return the notice in a structured event, or raise BadInput."""
    if event.domain != DOMAIN:
        raise InvalidEvent(f"an event of the domain {event.domain!r} is no notice", "domain")
    return notice_from(event.body)


def value_of(notice: Notice) -> dict[str, Value]:
    """Return a notice as a struct of simple values."""
    given: dict[str, Value] = {
        "id": notice.id,
        "kind": notice.kind.name,
        "time_indicator": notice.time_indicator.name,
        "priority": notice.priority,
        "timestamp": notice.timestamp,
        "expiry": notice.expiry,
        "start": notice.start,
        "before": None if notice.before is None else _service_value(notice.before),
        "after": None if notice.after is None else _service_value(notice.after),
        "deleted": dict(notice.deleted),
        "modified": dict(notice.modified),
        "reason": notice.reason,
        "objective": notice.objective,
        "effective": notice.effective,
        "additional": notice.additional,
        "offer": notice.offer,
        "evolver": notice.evolver,
        "differences": tuple(
            {name: getattr(one, name) for name in Difference.__slots__}
            for one in notice.differences
        ),
    }
    told: dict[str, Value] = {
        name: one for name, one in given.items() if one not in (None, "", {}, ())
    }
    if notice.compatible is not None:
        told["compatible"] = notice.compatible
    if notice.transaction is not None:
        told["transaction"] = {
            name: getattr(notice.transaction, name) for name in Transaction.__slots__
        }
    if notice.changes > 1:
        told["changes"] = notice.changes
    return told


def notice_from(value: Value) -> Notice:
    """Return the notice that `value_of` has written, or raise BadInput."""
    parts = _struct(value, "body")
    try:
        kind = ChangeKind[_required(parts, "kind", str)]
        time_indicator = TimeIndicator[_required(parts, "time_indicator", str)]
    except KeyError as error:
        raise InvalidEvent(f"{error} is no kind of change, or time of a notice", "body") from error
    if "before" not in parts and "after" not in parts:
        raise InvalidEvent("the notice describes no service", "body")
    return Notice(
        _required(parts, "id", str),
        kind,
        time_indicator,
        _required(parts, "priority", int),
        _required(parts, "timestamp", int),
        _optional(parts, "expiry", int),
        _optional(parts, "start", int),
        _inner(parts, "before", _service),
        _inner(parts, "after", _service),
        _struct(parts.get("deleted", {}), "deleted"),
        _struct(parts.get("modified", {}), "modified"),
        _text(parts, "reason"),
        _text(parts, "objective"),
        _optional(parts, "effective", int),
        _text(parts, "additional"),
        _text(parts, "offer"),
        _optional(parts, "compatible", bool),
        tuple(_difference(_struct(one, "differences")) for one in _list(parts, "differences")),
        _inner(parts, "transaction", _transaction),
        _optional(parts, "changes", int) or 1,
        _text(parts, "evolver"),
    )


# Descriptions.


def _service_value(service: ServiceDescription) -> dict[str, Value]:
    given: dict[str, Value] = {
        "type": _type_value(service.type),
        "properties": dict(service.properties),
        "reference": service.reference,
    }
    return {name: one for name, one in given.items() if one not in ("", {})}


def _service(parts: _Parts) -> ServiceDescription:
    return ServiceDescription(
        _type(_struct(parts.get("type"), "type")),
        _struct(parts.get("properties", {}), "properties"),
        _text(parts, "reference"),
    )


def _type_value(type_: ServiceTypeDescription) -> dict[str, Value]:
    given: dict[str, Value] = {
        "name": type_.name,
        "base_types": type_.base_types,
        "properties": tuple(
            {"name": one.name, "type": _value_of_type(one.value_type), "mode": one.mode.name}
            for one in type_.properties
        ),
        "interface_id": type_.interface_id,
        "interface_idl": type_.interface_idl,
    }
    return {name: one for name, one in given.items() if one not in ("", ())}


def _type(parts: _Parts) -> ServiceTypeDescription:
    return ServiceTypeDescription(
        _required(parts, "name", str),
        tuple(str(one) for one in _list(parts, "base_types")),
        tuple(_property(_struct(one, "properties")) for one in _list(parts, "properties")),
        _text(parts, "interface_id"),
        _text(parts, "interface_idl"),
    )


def _value_of_type(type_: TypeCode) -> Value:
    """Return a type's text; a named type is itself, since a line is too short for it."""
    text = type_text(type_)
    return type_ if text is None else text


def _property(parts: _Parts) -> PropertyDef:
    type_ = parts.get("type")
    try:
        mode = PropertyMode[_required(parts, "mode", str)]
    except KeyError as error:
        raise InvalidEvent(f"{error} is no mode of a property", "body") from error
    return PropertyDef(
        _required(parts, "name", str),
        type_ if isinstance(type_, TypeCode) else read_type(_required(parts, "type", str)),
        mode,
    )


def _difference(parts: _Parts) -> Difference:
    return Difference(
        _text(parts, "where"),
        _text(parts, "what"),
        _required(parts, "compatible", bool),
        _text(parts, "rule"),
        _text(parts, "text"),
    )


def _transaction(parts: _Parts) -> Transaction:
    return Transaction(
        _required(parts, "id", str),
        _required(parts, "number", int),
        _required(parts, "count", int),
    )


# Values of an event that anybody can have published.


def _struct(value: Value, where: str) -> dict[str, Value]:
    """Return the members of a struct, also of one that came with a type."""
    if isinstance(value, Any):
        value = pack(value)
    if not isinstance(value, dict):
        raise InvalidEvent("a notice has a struct without a name here", where)
    return value


def _list(parts: _Parts, name: str) -> tuple[Value, ...]:
    found = parts.get(name, ())
    if not isinstance(found, tuple):
        raise InvalidEvent("a notice has a sequence here", name)
    return found


def _inner(parts: _Parts, name: str, read: Callable[[_Parts], _T]) -> _T | None:
    return read(_struct(parts[name], name)) if name in parts else None


def _required(parts: _Parts, name: str, kind: type[_T]) -> _T:
    found = parts.get(name)
    if type(found) is not kind:
        raise InvalidEvent(f"a notice has a {kind.__name__} here", name)
    return found


def _optional(parts: _Parts, name: str, kind: type[_T]) -> _T | None:
    return _required(parts, name, kind) if name in parts else None


def _text(parts: _Parts, name: str) -> str:
    return _required(parts, name, str) if name in parts else ""
