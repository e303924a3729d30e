"""Rows as events: from a column with the whole event, or from columns with its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from tidings.errors import InvalidEvent, TidingsError
from tidings.events.codecs.json_codec import decode_event, event_from_plain
from tidings.events.structured import StructuredEvent

_PARTS: Final = ("header", "data")
# As the archive has them: properties of one kind in each map.
_MAPS: Final = ("int", "double", "string", "bool", "ints", "doubles", "strings", "bools")


def events_of(batch: pa.RecordBatch) -> list[StructuredEvent | TidingsError]:
    """The event of each row; an error stands in the place of what is none.

    Of several forms the first counts: the column ``raw``, the column ``event``, or the columns
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


_COLUMNS: Final = frozenset(
    {"domain", "type", "name", *_PARTS, *(f"{part}_{kind}" for part in _PARTS for kind in _MAPS)}
)


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
    """The properties of a struct or a map; what is null is not there."""
    if cell is None:
        return []
    pairs = cell.items() if isinstance(cell, Mapping) else cell
    return [(name, value) for name, value in pairs if value is not None]
