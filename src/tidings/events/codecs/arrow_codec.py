"""Record batches of envelopes, for the archive and other readers of columns.

The column `raw` is the event in typed JSON, without loss; only it and the columns of the envelope
are read back. All other columns can be searched without parsing: properties that filters see as an
integer, a double, a string or a boolean are in the maps `header_int` … `data_bool`, and sequences
of one of these kinds in `data_ints` … `data_bools` (an empty one in `data_ints`). What no map can
hold exactly is in `raw` only, and its name in `header_other` or `data_other`: integers from 2**63
on, decimals, characters, enum labels, octets, mixed sequences, composites, and sequences in the
header.

Needs pyarrow: ``pip install tidings[arrow]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final
from typing import Any as Unknown

from tidings.errors import InvalidEvent, LimitExceeded, MissingExtra
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import (
    decode_event,
    encode_event,
    envelope_members,
    envelope_of,
)
from tidings.events.envelope import Envelope
from tidings.events.fields import Plain, plain
from tidings.events.texts import shortened

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

BARE: Final = "*"
"""Among names of properties that no map holds: there are bare values, which have none."""

# What one column can hold: Arrow's offsets are signed and have 32 bits.
MAX_BATCH_OCTETS: Final = 2**31 - 1

# What a map holds exactly.
_MOST: Final = 2**63 - 1
_LEAST: Final = -(2**63)


def load_pyarrow() -> ModuleType:
    """The module pyarrow; MissingExtra if it is not installed."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtra("pyarrow, which record batches need,", "arrow") from error
    return pa


def arrow_schema() -> pa.Schema:
    """The columns of a record batch."""
    arrow = load_pyarrow()
    schema: pa.Schema = arrow.schema(
        [
            arrow.field("origin", arrow.string(), nullable=False),
            arrow.field("seq", arrow.int64(), nullable=False),
            arrow.field("arrival_us", arrow.int64(), nullable=False),
            arrow.field("plan", arrow.int64(), nullable=False),
            arrow.field("domain", arrow.string(), nullable=False),
            arrow.field("type", arrow.string(), nullable=False),
            arrow.field("name", arrow.string(), nullable=False),
            arrow.field("priority", arrow.int16()),
            arrow.field("producer", arrow.string()),
            arrow.field("number", arrow.int64()),
            arrow.field("hops", arrow.list_(arrow.string()), nullable=False),
            arrow.field("traceparent", arrow.string()),
            arrow.field("tracestate", arrow.string()),
            *property_fields(),
            arrow.field("raw", arrow.binary(), nullable=False),
        ]
    )
    return schema


def property_fields() -> list[pa.Field[Unknown]]:
    """The columns that `PropertyColumns` makes of header and data."""
    arrow = load_pyarrow()
    of_map = {
        "int": arrow.int64(),
        "double": arrow.float64(),
        "string": arrow.string(),
        "bool": arrow.bool_(),
    }
    columns = [
        (f"{part}_{kind}", arrow.map_(arrow.string(), type_))
        for part in ("header", "data")
        for kind, type_ in of_map.items()
    ]
    columns += [
        (f"data_{kind}s", arrow.map_(arrow.string(), arrow.list_(type_)))
        for kind, type_ in of_map.items()
    ]
    columns += [(f"{part}_other", arrow.list_(arrow.string())) for part in ("header", "data")]
    return [arrow.field(name, type_, nullable=False) for name, type_ in columns]


class _Entries:
    """One map column: where each row begins, and all names and values."""

    __slots__ = ("names", "offsets", "values")

    def __init__(self) -> None:
        self.offsets = [0]
        self.names: list[str] = []
        self.values: list[object] = []

    def clear(self) -> None:
        self.offsets[:] = [0]
        self.names.clear()
        self.values.clear()


class PropertyColumns:
    """Columns of the properties of many events; sequences have maps in ``data`` only.

    `names` has, by column, the names of all properties in `arrays`; empty columns are left out.
    """

    def __init__(self, part: str) -> None:
        self.names: dict[str, set[str]] = {}
        self._part = part
        self._maps: dict[type, _Entries] = {kind: _Entries() for kind in (int, float, str, bool)}
        self._lists: dict[type, _Entries] = {}
        if part == "data":
            self._lists = {kind: _Entries() for kind in self._maps}
        self._other = _Entries()
        self._every = (*self._maps.values(), *self._lists.values(), self._other)
        self._ends = [(entries.offsets.append, entries.names) for entries in self._every]

    def add(self, properties: Mapping[str, Value]) -> None:
        """Add the properties of the next event."""
        maps = self._maps
        for name, value in properties.items():
            kind = value.__class__
            entries = maps.get(kind)
            # By exact type: characters and enum labels are kinds of their own to a filter.
            if entries is None or (kind is int and not _LEAST <= value <= _MOST):  # type: ignore[operator]
                self._add_seen(name, plain(value))
            else:
                entries.names.append(name)
                entries.values.append(value)
        for end, names in self._ends:
            end(len(names))

    def _add_seen(self, name: str, seen: Plain) -> None:
        entries = None
        if _fits(seen):
            entries = self._maps.get(type(seen))
        elif type(seen) is tuple and all(map(_fits, seen)):
            kinds = set(map(type, seen))
            if len(kinds) < 2:
                entries = self._lists.get(kinds.pop() if kinds else int)
        if entries is None:
            entries = self._other
        entries.names.append(name)
        entries.values.append(seen)

    def arrays(self) -> dict[str, pa.Array[Unknown]]:
        """The columns, by their names in the schema."""
        arrow = load_pyarrow()
        types = {field.name: field.type for field in property_fields()}
        found: dict[str, pa.Array[Unknown]] = {}
        for end, of_kind in (("", self._maps), ("s", self._lists)):
            for kind, entries in of_kind.items():
                name = f"{self._part}_{_COLUMNS[kind]}{end}"
                values = arrow.array(entries.values, types[name].item_type)
                names = arrow.array(entries.names, arrow.string())
                offsets = arrow.array(entries.offsets, arrow.int32())
                found[name] = arrow.MapArray.from_arrays(offsets, names, values)
                self._remember(name, entries)
        names = arrow.array(self._other.names, arrow.string())
        offsets = arrow.array(self._other.offsets, arrow.int32())
        found[f"{self._part}_other"] = arrow.ListArray.from_arrays(offsets, names)
        self._remember(f"{self._part}_other", self._other)
        return found

    def _remember(self, column: str, entries: _Entries) -> None:
        if entries.names:
            self.names.setdefault(column, set()).update(entries.names)

    def clear(self) -> None:
        """Begin anew; the names stay."""
        for entries in self._every:
            entries.clear()


# The ends of the columns' names.
_COLUMNS: Final[dict[type, str]] = {int: "int", float: "double", str: "string", bool: "bool"}


def _fits(seen: Plain) -> bool:
    kind = type(seen)
    return kind in _COLUMNS and (kind is not int or _LEAST <= seen <= _MOST)  # type: ignore[operator]


def to_record_batch(envelopes: Iterable[Envelope]) -> pa.RecordBatch:
    """Envelopes as a record batch."""
    arrow = load_pyarrow()
    header, data = PropertyColumns("header"), PropertyColumns("data")
    rows, octets = [], 0
    for envelope in envelopes:
        raw = encode_event(envelope.event)
        rows.append({**_row(envelope), "raw": raw})
        header.add(envelope.event.header)
        data.add(envelope.event.data)
        octets += len(raw)
        if octets > MAX_BATCH_OCTETS:
            raise LimitExceeded(f"more than {MAX_BATCH_OCTETS} octets in one record batch")
    made = {**header.arrays(), **data.arrays()}
    schema = arrow_schema()
    columns = [
        made[field.name]
        if field.name in made
        else arrow.array([row.get(field.name) for row in rows], field.type)
        for field in schema
    ]
    batch: pa.RecordBatch = arrow.RecordBatch.from_arrays(columns, schema=schema)
    return batch


def _row(envelope: Envelope) -> dict[str, object]:
    event, trace = envelope.event, envelope.trace
    priority = event.header.get("Priority")
    return {
        "plan": 0,
        "hops": (),
        **envelope_members(envelope),
        "arrival_us": envelope.arrival,
        "domain": event.domain,
        "type": event.type,
        "name": event.name,
        "priority": priority if type(priority) is int else None,
        "tracestate": None if trace is None else trace.tracestate,
    }


def from_record_batch(batch: pa.RecordBatch) -> list[Envelope]:
    """The envelopes of a record batch; foreign columns are ignored."""
    found: list[Envelope] = []
    for index, row in enumerate(_rows(batch)):
        try:
            found.append(_envelope(row))
        except InvalidEvent as error:
            raise error.inside(f"row[{index}]") from error.__cause__
    return found


def _rows(batch: pa.RecordBatch) -> list[dict[str, object]]:
    # Octets that were damaged can pass for a batch and still hold names and texts that are none.
    try:
        names = batch.schema.names
        absent = [name for name in _READ if name not in names]
        if absent:
            raise InvalidEvent(f"the record batch lacks the columns {', '.join(absent)}")
        rows: list[dict[str, object]] = batch.select(list(_READ)).to_pylist()
    except (ValueError, KeyError, OverflowError, NotImplementedError) as error:
        raise InvalidEvent(f"the record batch cannot be read: {error}") from error
    return rows


_READ: Final = (
    *("origin", "seq", "arrival_us", "plan", "producer", "number"),
    *("hops", "traceparent", "tracestate", "raw"),
)


def _envelope(row: Mapping[str, object]) -> Envelope:
    members = {name: value for name, value in row.items() if value is not None}
    members["arrival"] = members.pop("arrival_us", None)
    raw = members.pop("raw", None)
    if not isinstance(raw, bytes):
        raise InvalidEvent(f"must be octets, not {shortened(raw)}", "raw")
    try:
        event = decode_event(raw)
    except InvalidEvent as error:
        raise error.inside("raw") from error.__cause__
    return envelope_of(event, members)
