"""The columns of the archive's four kinds of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa

from tidings.events.codecs.arrow_codec import property_fields

EVENTS: Final = "events"
OUTCOMES: Final = "outcomes"
PLANS: Final = "plans"
OBJECTS: Final = "objects"

KINDS: Final = (EVENTS, OUTCOMES, PLANS, OBJECTS)
MERGED: Final = (PLANS, OBJECTS)
"""Kinds that retention never removes, and whose files are merged instead."""
"""The kinds of rows, which are also folder names."""


def _needed(name: str, type_: pa.DataType) -> pa.Field[Any]:
    return pa.field(name, type_, nullable=False)


def _source() -> list[pa.Field[Any]]:
    return [_needed("origin", pa.string()), _needed("channel", pa.string())]


def events_schema() -> pa.Schema:
    """Return the columns of events.

    The last column, `carried`, says that the event's first record was gone when it was archived:
    `durable` then names only the proxies still waiting.
    """
    view = pa.struct(
        [
            _needed("proxy", pa.int32()),
            pa.field("expiry_us", pa.int64()),
            _needed("priority", pa.int16()),
        ]
    )
    return pa.schema(
        [
            *_source(),
            _needed("seq", pa.int64()),
            _needed("arrival_us", pa.int64()),
            _needed("plan", pa.int64()),
            _needed("domain", pa.string()),
            _needed("type", pa.string()),
            _needed("name", pa.string()),
            _needed("priority", pa.int16()),
            pa.field("expiry_us", pa.int64()),
            pa.field("start_us", pa.int64()),
            pa.field("producer", pa.string()),
            pa.field("number", pa.int64()),
            _needed("hops", pa.list_(pa.string())),
            *property_fields(),
            _needed("raw", pa.binary()),
            _needed("durable", pa.list_(pa.int32())),
            _needed("views", pa.list_(view)),
            _needed("position", pa.int64()),
            _needed("carried", pa.bool_()),
        ]
    )


def outcomes_schema() -> pa.Schema:
    """Return the columns of outcomes."""
    return pa.schema(
        [
            *_source(),
            _needed("proxy", pa.int32()),
            _needed("seq", pa.int64()),
            _needed("outcome", pa.string()),
            pa.field("at_us", pa.int64()),
            pa.field("detail", pa.string()),
            _needed("position", pa.int64()),
        ]
    )


def plans_schema() -> pa.Schema:
    """Return the columns of rule changes."""
    return pa.schema(
        [
            *_source(),
            _needed("version", pa.int64()),
            _needed("whole", pa.bool_()),
            _needed("change", pa.string()),
            _needed("at_us", pa.int64()),
            _needed("position", pa.int64()),
        ]
    )


def objects_schema() -> pa.Schema:
    """Return the columns of changes to channels and durable proxies."""
    return pa.schema(
        [
            *_source(),
            _needed("object", pa.string()),
            _needed("id", pa.int32()),
            _needed("present", pa.bool_()),
            pa.field("state", pa.string()),
            _needed("at_us", pa.int64()),
            _needed("position", pa.int64()),
        ]
    )


_SCHEMAS: Final[dict[str, Callable[[], pa.Schema]]] = {
    EVENTS: events_schema,
    OUTCOMES: outcomes_schema,
    PLANS: plans_schema,
    OBJECTS: objects_schema,
}


def schema_of(kind: str) -> pa.Schema:
    """Return the columns of a kind of rows."""
    return _SCHEMAS[kind]()
