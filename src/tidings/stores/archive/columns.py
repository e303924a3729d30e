"""The columns of the archive's five kinds of rows, and the rows that wait to be sealed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from tidings.channel.entries import NEVER
from tidings.errors import StoreError
from tidings.events.codecs.arrow_codec import BARE, PropertyColumns, property_fields
from tidings.events.fields import is_any
from tidings.events.structured import StructuredEvent
from tidings.stores.payloads import StoredEvent

EVENTS: Final = "events"
OUTCOMES: Final = "outcomes"
PLANS: Final = "plans"
OBJECTS: Final = "objects"
CHANGES: Final = "changes"

KINDS: Final = (EVENTS, OUTCOMES, PLANS, OBJECTS, CHANGES)
"""The kinds of rows, which are also folder names."""
MERGED: Final = (PLANS, OBJECTS, CHANGES)
"""Kinds that retention never removes, and whose files are merged instead."""
_SOURCE: Final = ("origin string", "channel string")
# Python objects take far more memory than Arrow columns: convert after this many rows.
_CHUNK_ROWS: Final = 8_192
_UP: Final = "ascending"
_Order: TypeAlias = list[tuple[str, Literal["ascending", "descending"]]]
_BY_CHANNEL: Final[_Order] = [("channel", _UP), ("origin", _UP), ("seq", _UP), ("position", _UP)]
_BY_POSITION: Final[_Order] = [("position", _UP)]
_SORTED: Final = {
    EVENTS: _BY_CHANNEL,
    OUTCOMES: _BY_CHANNEL,
    PLANS: _BY_POSITION,
    OBJECTS: _BY_POSITION,
    CHANGES: _BY_POSITION,
}
_MOST_ID: Final = 2**31 - 1
_MOST_NUMBER: Final = 2**63 - 1
_MOST_PRIORITY: Final = 32_767
_NO_PROPERTIES: Final[dict[str, Any]] = {}
ROW_OCTETS: Final = 64
"""Estimated octets of an outcome, plan or object row beside its texts."""


def _fields(*columns: str) -> list[pa.Field[Any]]:
    """Return columns of the form ``name type``; those with a ``?`` may be null."""
    found = []
    for column in columns:
        name, alias = column.split()
        type_ = pa.type_for_alias(alias.rstrip("?"))  # type: ignore[call-overload]
        found.append(pa.field(name, type_, nullable=alias.endswith("?")))
    return found


_SCHEMAS: Final = {
    # The column `carried` says that the event's first record was gone when it was archived:
    # `durable` then names only the proxies still waiting.
    EVENTS: [
        *_fields(*_SOURCE, "seq int64", "arrival_us int64", "plan int64", "domain string"),
        *_fields("type string", "name string", "priority int16", "expiry_us int64?"),
        *_fields("start_us int64?", "producer string?", "number int64?"),
        pa.field("hops", pa.list_(pa.string()), nullable=False),
        *property_fields(),
        *_fields("raw binary"),
        pa.field("durable", pa.list_(pa.int32()), nullable=False),
        pa.field(
            "views",
            pa.list_(pa.struct(_fields("proxy int32", "expiry_us int64?", "priority int16"))),
            nullable=False,
        ),
        *_fields("position int64", "carried bool"),
    ],
    OUTCOMES: _fields(
        *(*_SOURCE, "proxy int32", "seq int64", "outcome string", "at_us int64?"),
        *("detail string?", "position int64"),
    ),
    PLANS: _fields(
        *(*_SOURCE, "version int64", "whole bool", "change string", "at_us int64"), "position int64"
    ),
    OBJECTS: _fields(
        *(*_SOURCE, "object string", "id int32", "present bool", "state string?"),
        *("at_us int64", "position int64"),
    ),
    # What was changed may be the service itself: then there is no channel.
    CHANGES: _fields(
        *(*_SOURCE, "number int64", "at_us int64", "principal string", "credential int64?"),
        *("door string", "peer string", "operation string", "about string", "result string"),
        *("refused bool", "count int64", "position int64"),
    ),
}


def schema_of(kind: str) -> pa.Schema:
    """Return the columns of a kind of rows."""
    return pa.schema(_SCHEMAS[kind])


class RowColumns:
    """The rows of one of `schema.KINDS`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.rows = 0
        self._schema = schema_of(kind)
        self._times: list[int] = []
        self._waiting: list[tuple[object, ...]] = []
        self._tables: list[pa.Table] = []

    def add(self, time: int, row: tuple[object, ...]) -> None:
        """Add a row; its time decides which hour it belongs to."""
        self._times.append(time)
        self._waiting.append(row)
        self.rows += 1
        if len(self._waiting) >= _CHUNK_ROWS:
            self._turn_over()

    def _turn_over(self) -> None:
        if self._waiting:
            columns = list(zip(*self._waiting, strict=True))
            self._tables.append(self._table(columns))
            self._waiting.clear()
            self._times.clear()

    def _table(self, columns: Sequence[Sequence[object]]) -> pa.Table:
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        return self._timed(arrays)

    def _timed(self, arrays: list[pa.Array[Any]]) -> pa.Table:
        table = pa.Table.from_arrays(arrays, schema=self._schema)
        return table.append_column("time", pa.array(self._times, pa.int64()))

    def sorted(self) -> tuple[pa.Table, pa.ChunkedArray[Any]]:
        """Return all rows in order, and their times."""
        self._turn_over()
        table = pa.concat_tables(self._tables).combine_chunks()
        order = pc.sort_indices(table, sort_keys=_SORTED[self.kind])
        table = table.take(order)
        return table.drop_columns(["time"]), table.column("time")


class EventColumns(RowColumns):
    """Rows of events."""

    def __init__(self) -> None:
        super().__init__(EVENTS)
        self._header = PropertyColumns("header")
        self._data = PropertyColumns("data")
        self._raw: list[bytes] = []
        self._bare = False

    def add_event(
        self,
        origin: str,
        channel: str,
        seq: int,
        stored: StoredEvent,
        event: StructuredEvent,
        position: int,
        *,
        partial: bool,
    ) -> None:
        """Add an event; `partial` if its record names only the consumers still waiting."""
        (
            arrival, plan, priority, expiry, start, _, producer, number,
            hops, durable, views, _, octets,
        ) = stored  # fmt: skip
        check_fits((*durable, *views), (seq, plan), (priority, *(v[1] for v in views.values())))
        if is_any(event):
            self._bare = True
            self._header.add(_NO_PROPERTIES)
            self._data.add(_NO_PROPERTIES)
        else:
            self._header.add(event.header)
            self._data.add(event.data)
        self._raw.append(octets)
        self.add(arrival, (
            origin, channel, seq, arrival, plan, event.domain, event.type, event.name, priority,
            None if expiry == NEVER else expiry, start, producer,
            None if producer is None else number, hops,
            durable, _views(views) if views else (), position, partial,
        ))  # fmt: skip

    def _table(self, columns: Sequence[Sequence[object]]) -> pa.Table:
        made = {
            **self._header.arrays(),
            **self._data.arrays(),
            "raw": pa.array(self._raw, pa.binary()),
        }
        given = iter(columns)
        arrays = [
            made[field.name] if field.name in made else pa.array(next(given), field.type)
            for field in self._schema
        ]
        table = self._timed(arrays)
        self._header.clear()
        self._data.clear()
        self._raw.clear()
        return table

    @property
    def names(self) -> dict[str, set[str]]:
        """Return property names by column after `sorted`, and `BARE` if there are bare values."""
        bare: dict[str, set[str]] = {BARE: set()} if self._bare else {}
        return {**self._header.names, **self._data.names, **bare}


def check_fits(ids: Sequence[int], numbers: Sequence[int], priorities: Sequence[int] = ()) -> None:
    """Refuse numbers too large for a column; the journal allows larger ones."""
    if (ids and max(ids) > _MOST_ID) or max(numbers) > _MOST_NUMBER:
        raise StoreError(f"{max((*ids, *numbers))} is larger than any id or number")
    if priorities and not -_MOST_PRIORITY <= min(priorities) <= max(priorities) <= _MOST_PRIORITY:
        raise StoreError(f"a priority is not between {-_MOST_PRIORITY} and {_MOST_PRIORITY}")


def _views(views: dict[int, tuple[int, int]]) -> list[dict[str, object]]:
    return [
        {"proxy": proxy, "expiry_us": None if expiry == NEVER else expiry, "priority": priority}
        for proxy, (expiry, priority) in views.items()
    ]


class Segment:
    """The unsealed rows; `stray` counts outcomes of events that are not in the archive."""

    def __init__(self) -> None:
        self.events = EventColumns()
        self.outcomes = RowColumns(OUTCOMES)
        self.plans = RowColumns(PLANS)
        self.objects = RowColumns(OBJECTS)
        self.changes = RowColumns(CHANGES)
        self.octets = 0
        self.damaged = 0
        self.stray = 0

    @property
    def kinds(self) -> tuple[RowColumns, ...]:
        """Return the rows of all kinds."""
        return self.events, self.outcomes, self.plans, self.objects, self.changes

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return sum(kind.rows for kind in self.kinds)

    def is_full(self, rows: int, octets: int) -> bool:
        """Return whether it has at least this many rows or octets."""
        return self.octets >= octets or self.rows >= rows
