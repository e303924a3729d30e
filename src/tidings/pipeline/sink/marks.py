"""Convert rows to events with marks: a row gets the same mark whenever it is sent again.

A channel accepts a mark once. It stores a producer's numbers as runs, and forgets the lowest run
when there are too many; lower numbers are then refused. Therefore rows with keys, which come in any
order from any task, are spread over producers of `BLOCK` numbers each, which never have too many
runs; and rows that are numbered here are sent in ascending order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tidings.errors import InvalidEvent, InvalidUsage, TidingsError
from tidings.events.codecs.json_codec import decode_event, encode_event, event_from_plain
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.pipeline.options import SinkOptions

BLOCK: Final = 512
"""Numbers per producer for rows with a key; a channel remembers 1,024 runs."""

# Bits for the rows of one partition in one batch; leaves 2**27 batches.
_ROW_BITS: Final = 36
_MOST_NAME: Final = 128

Marked = tuple[StructuredEvent | TidingsError, ProducerMark]
_PARTS: Final = ("header", "data")
# As in the archive: one map per kind of property.
_MAPS: Final = ("int", "double", "string", "bool", "ints", "doubles", "strings", "bools")
_COLUMNS: Final = frozenset(
    {"domain", "type", "name", *_PARTS, *(f"{part}_{kind}" for part in _PARTS for kind in _MAPS)}
)


class Attempt(NamedTuple):
    """Identifies a write; the same for every retry."""

    name: str  # producer name, the same for all rows
    partition: int
    batch: int  # of a stream; otherwise 0


def key_columns(options: SinkOptions, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that give marks: the key, origin and seq of archived events, or none."""
    if options.key:
        return options.key
    if "origin" in columns and "seq" in columns:
        return ("origin", "seq")
    return ()


def marked_rows(
    batches: Iterable[pa.RecordBatch], key: tuple[str, ...], attempt: Attempt
) -> Iterator[list[Marked]]:
    """Yield events with their marks, in the order to send them.

    Without a `key`, the columns ``producer`` and ``number`` are the marks if present; otherwise a
    row's mark is its position when sorted by content.
    """
    if key:
        yield from _by_key(batches, key, attempt.name)
        return
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        return
    every = chain([first], batches)
    if {"producer", "number"} <= set(first.schema.names):
        yield from _by_columns(every)
    else:
        yield from _by_content(every, attempt)


def _by_key(
    batches: Iterable[pa.RecordBatch], key: tuple[str, ...], name: str
) -> Iterator[list[Marked]]:
    *texts, number_column = key
    seen: dict[str, int] = {}  # bitmap of numbers, by producer
    for batch in batches:
        events = events_of(batch)
        numbers = batch.column(number_column).to_pylist()
        parts = batch.column(texts[0]).to_pylist() if texts else [""] * len(numbers)
        made: list[Marked] = []
        for event, part, number in zip(events, parts, numbers, strict=True):
            mark = _key_mark(name, part, number, key)
            bit = 1 << mark.number % BLOCK
            if seen.get(mark.producer, 0) & bit:
                raise InvalidUsage(
                    f"two rows have the key {', '.join(key)} = {part}{', ' if part else ''}"
                    f"{number}: only one of them could be published; name columns that tell all "
                    "rows apart"
                )
            seen[mark.producer] = seen.get(mark.producer, 0) | bit
            made.append((event, mark))
        yield made


def _key_mark(name: str, part: object, number: object, key: tuple[str, ...]) -> ProducerMark:
    if part is None or type(number) is not int or number < 0:
        raise InvalidUsage(
            f"the key {', '.join(key)} of a row is {part!r}, {number!r}: it must be there, and end "
            "with a whole number from 0"
        )
    told = str(part)
    if len(told) > _MOST_NAME:
        told = blake2b(told.encode(), digest_size=16).hexdigest()
    producer = f"{name}/{told}#{number // BLOCK}" if told else f"{name}#{number // BLOCK}"
    return ProducerMark(producer, number)


def _by_columns(batches: Iterable[pa.RecordBatch]) -> Iterator[list[Marked]]:
    last: dict[str, int] = {}
    for batch in batches:
        producers = batch.column("producer").to_pylist()
        numbers = batch.column("number").to_pylist()
        marks: list[ProducerMark] = []
        for producer, number in zip(producers, numbers, strict=True):
            if producer is None or number is None:
                raise InvalidUsage("a row's producer or number is null: a mark has both")
            marks.append(ProducerMark(producer, number))
            if number <= last.get(producer, -1):
                raise InvalidUsage(
                    f"the number {number} of the producer {producer!r} comes after "
                    f"{last[producer]}: a producer's numbers must rise; sort by number within "
                    "partitions, with one producer's rows in one of them"
                )
            last[producer] = number
        yield list(zip(events_of(batch), marks, strict=True))


def _by_content(batches: Iterable[pa.RecordBatch], attempt: Attempt) -> Iterator[list[Marked]]:
    """Sort rows, as their order within a partition may differ when Spark recomputes it."""
    rows = sorted((event for batch in batches for event in events_of(batch)), key=_content)
    producer = f"{attempt.name}/{attempt.partition}"
    ProducerMark(producer, 0)  # checked once, trusted from then on
    first = attempt.batch << _ROW_BITS
    trusted = ProducerMark.trusted
    yield [(event, trusted(producer, first + at)) for at, event in enumerate(rows)]


def _content(event: StructuredEvent | TidingsError) -> bytes:
    return b"" if isinstance(event, TidingsError) else encode_event(event)


# Rows as events.


def events_of(batch: pa.RecordBatch) -> list[StructuredEvent | TidingsError]:
    """Return the event of each row, or an error in its place if the row is invalid.

    The first form present counts: the column ``raw``, the column ``event``, or the columns
    ``domain``, ``type``, ``name``, ``header`` and ``data`` (a struct or a map each) with the maps
    ``header_int`` … ``data_bools``.
    """
    names = batch.schema.names
    for whole in ("raw", "event"):
        if whole in names:
            return [_made(decode_event, cell) for cell in batch.column(whole).to_pylist()]
    wanted = [name for name in names if name in _COLUMNS]
    rows: list[dict[str, Any]] = batch.select(wanted).to_pylist()
    return [_made(_event, row) for row in rows]


def _made(make: Callable[[Any], StructuredEvent], cell: object) -> StructuredEvent | TidingsError:
    if cell is None:
        return InvalidEvent("the row has no event: the column is null")
    try:
        return make(cell)
    except TidingsError as error:
        return error


def _event(row: Mapping[str, Any]) -> StructuredEvent:
    plain: dict[str, object] = {
        "domain": row.get("domain"),
        "type": row.get("type"),
        "name": row.get("name") or "",
    }
    for part in _PARTS:
        properties: dict[str, object] = dict(_present(row.get(part)))
        for kind in _MAPS:
            properties.update(_present(row.get(f"{part}_{kind}")))
        plain[part] = properties
    return event_from_plain(plain)


def _present(cell: Mapping[str, Any] | Sequence[tuple[str, Any]] | None) -> list[tuple[str, Any]]:
    """Return the properties of a struct or a map, without nulls."""
    if cell is None:
        return []
    pairs = cell.items() if isinstance(cell, Mapping) else cell
    return [(name, value) for name, value in pairs if value is not None]
