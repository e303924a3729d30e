"""Record batches of envelopes, for the archive and for whoever reads columns.

The column `raw` is the event in typed JSON and loses nothing; with the columns of the envelope
it is all that is read back. Everything else is there to be searched without parsing: the
properties that filters see as an integer, a double, a string or a boolean stand in the maps
`header_int` … `data_bool`. What a map cannot hold exactly is in `raw` only: integers from 2**63
on, decimals, characters, enum labels, sequences and composites.

Needs pyarrow: ``pip install tidings[arrow]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeVar

from tidings.errors import InvalidEvent, LimitExceeded, MissingExtra
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.fields import plain
from tidings.events.texts import shortened

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

__all__ = [
    "MAX_BATCH_OCTETS",
    "arrow_schema",
    "decode_batch",
    "encode_batch",
    "from_record_batch",
    "load_pyarrow",
    "to_record_batch",
]

# What one column can hold: Arrow's offsets are signed and have 32 bits.
MAX_BATCH_OCTETS: Final = 2**31 - 1

# The maps of properties: the end of the column's name, and the Python type of its values.
_MAPS: Final = {"int": int, "double": float, "string": str, "bool": bool}

_T = TypeVar("_T")


def load_pyarrow() -> ModuleType:
    """The module pyarrow.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtra("pyarrow, which record batches need,", "arrow") from error
    return pa


def arrow_schema() -> pa.Schema:
    """The columns of a record batch.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    arrow = load_pyarrow()
    of_map = {
        "int": arrow.int64(),
        "double": arrow.float64(),
        "string": arrow.string(),
        "bool": arrow.bool_(),
    }
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
            *(
                arrow.field(f"{part}_{kind}", arrow.map_(arrow.string(), type_), nullable=False)
                for part in ("header", "data")
                for kind, type_ in of_map.items()
            ),
            arrow.field("raw", arrow.binary(), nullable=False),
        ]
    )
    return schema


def to_record_batch(envelopes: Iterable[Envelope]) -> pa.RecordBatch:
    """Envelopes as a record batch.

    Raises:
        LimitExceeded: They are more than a batch can hold.
        MissingExtra: pyarrow is not installed.
    """
    arrow = load_pyarrow()
    rows, octets = [], 0
    for envelope in envelopes:
        raw = encode_event(envelope.event)
        rows.append({**_row(envelope), "raw": raw})
        octets += len(raw)
        if octets > MAX_BATCH_OCTETS:
            raise LimitExceeded(f"more than {MAX_BATCH_OCTETS} octets in one record batch")
    batch: pa.RecordBatch = arrow.RecordBatch.from_pylist(rows, schema=arrow_schema())
    return batch


def _row(envelope: Envelope) -> dict[str, object]:
    event, mark, trace = envelope.event, envelope.mark, envelope.trace
    priority = event.header.get("Priority")
    return {
        "origin": envelope.origin,
        "seq": envelope.seq,
        "arrival_us": envelope.arrival,
        "plan": envelope.plan,
        "domain": event.domain,
        "type": event.type,
        "name": event.name,
        "priority": priority if type(priority) is int else None,
        "producer": None if mark is None else mark.producer,
        "number": None if mark is None else mark.number,
        "hops": list(envelope.hops),
        "traceparent": None if trace is None else trace.traceparent,
        "tracestate": None if trace is None else trace.tracestate,
        **_maps("header", event.header),
        **_maps("data", event.data),
    }


def _maps(part: str, properties: Mapping[str, Value]) -> dict[str, object]:
    maps: dict[type, list[tuple[str, object]]] = {kind: [] for kind in _MAPS.values()}
    for name, value in properties.items():
        seen = plain(value)
        # By exact type: characters and enum labels are kinds of their own to a filter.
        column = maps.get(type(seen))
        if column is not None and not (type(seen) is int and seen >= 2**63):
            column.append((name, seen))
    return {f"{part}_{end}": maps[kind] for end, kind in _MAPS.items()}


def from_record_batch(batch: pa.RecordBatch) -> list[Envelope]:
    """The envelopes of a record batch; columns that are not ours are passed over.

    Raises:
        InvalidEvent: A column is missing, or a row holds no envelope; the message says which.
    """
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
    mark, trace = None, None
    if row["producer"] is not None or row["number"] is not None:
        mark = ProducerMark(_cell(row, "producer", str), _cell(row, "number", int))
    if row["traceparent"] is not None:
        trace = TraceContext(_cell(row, "traceparent", str), _cell(row, "tracestate", str))
    hops = _cell(row, "hops", list)
    if not all(isinstance(hop, str) for hop in hops):
        raise InvalidEvent("must be texts", "hops")
    raw = _cell(row, "raw", bytes)
    try:
        event = decode_event(raw)
    except InvalidEvent as error:
        raise error.inside("raw") from error.__cause__
    return Envelope(
        event,
        _cell(row, "origin", str),
        _cell(row, "seq", int),
        _cell(row, "arrival_us", int),
        _cell(row, "plan", int),
        mark,
        tuple(hops),
        trace,
    )


def _cell(row: Mapping[str, object], name: str, kind: type[_T]) -> _T:
    value = row[name]
    if type(value) is not kind:
        raise InvalidEvent(f"must be of type {kind.__name__}, not {shortened(value)}", name)
    return value


def encode_batch(envelopes: Iterable[Envelope]) -> bytes:
    """Envelopes as an Arrow IPC stream of one record batch.

    Raises:
        LimitExceeded: They are more than a batch can hold.
        MissingExtra: pyarrow is not installed.
    """
    arrow = load_pyarrow()
    batch = to_record_batch(envelopes)
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    octets: bytes = sink.getvalue().to_pybytes()
    return octets


def decode_batch(octets: bytes) -> list[Envelope]:
    """The envelopes of an Arrow IPC stream, which may have several record batches.

    Raises:
        InvalidEvent: The octets are no such stream, or a row holds no envelope.
        MissingExtra: pyarrow is not installed.
    """
    arrow = load_pyarrow()
    try:
        with arrow.ipc.open_stream(octets) as reader:
            batches = list(reader)
        for batch in batches:
            batch.validate(full=True)
    except (arrow.ArrowException, OSError) as error:
        raise InvalidEvent(f"no Arrow IPC stream: {error}") from error
    return [envelope for batch in batches for envelope in from_record_batch(batch)]
