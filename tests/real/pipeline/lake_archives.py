"""Small archives, made seal by seal, with exactly the rows a test of the lake needs."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from tidings import event
from tidings.channel.entries import NEVER
from tidings.events.codecs.json_codec import encode_event
from tidings.events.structured import StructuredEvent
from tidings.stores.archive.columns import EventColumns, RowColumns
from tidings.stores.archive.manifest import (
    HOUR,
    MANIFEST,
    Seal,
    SegmentFile,
    drop_line,
    hour_folder,
    seal_line,
)
from tidings.stores.payloads import StoredEvent
from tidings.stores.segments import Cursor

ORIGIN = "ab" * 16
CHANNEL = "traffic"
NOON = 1_794_744_000_000_000  # 2026-11-15T12:00:00Z
DAY = 24 * HOUR


def speed(number: int, **data: Any) -> StructuredEvent:
    """An event of the type most tests use."""
    return event("Traffic", "Speed", f"car-{number}", {"rate": 50.5, **data})


class SmallArchive:
    """An archive that grows by seals.

    Args:
        folder: Where it is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seals = 0
        self.seq = 0
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MANIFEST).touch()

    def seal(
        self,
        events: Sequence[StructuredEvent] = (),
        *,
        at: int = NOON,
        step: int = 1_000,
        producer: str | None = None,
        timeless_outcomes: bool = False,
    ) -> list[str]:
        """Seals events, each delivered to one proxy; returns the files."""
        columns, outcomes = EventColumns(), RowColumns("outcomes")
        for index, one in enumerate(events):
            self.seq += 1
            arrival = at + index * step
            stored = StoredEvent(
                arrival, 1, 0, NEVER, None, 0, producer, self.seq, (), (7,), {}, False,
                encode_event(one),
            )  # fmt: skip
            columns.add_event(ORIGIN, CHANNEL, self.seq, stored, one, self.seq, partial=False)
            told = None if timeless_outcomes else arrival
            row = (ORIGIN, CHANNEL, 7, self.seq, "delivered", told, None, self.seq)
            outcomes.add(arrival, row)
        self.seals += 1
        files = [*self._files(columns), *self._files(outcomes)] if events else []
        self._write_line(seal_line(self._seal(), files))
        return [file.path for file in files]

    def drop(self, paths: Iterable[str]) -> None:
        """Removes files as retention does."""
        gone = list(paths)
        self._write_line(drop_line(gone, NOON))
        for path in gone:
            (self.folder / path).unlink()

    def _seal(self) -> Seal:
        return Seal(self.seals, NOON, Cursor(1, self.seals), "", self.seals, None, 0, 0)

    def _write_line(self, line: bytes) -> None:
        with (self.folder / MANIFEST).open("ab") as manifest:
            manifest.write(line)

    def _files(self, rows: RowColumns) -> list[SegmentFile]:
        table, column = rows.sorted()
        times: list[Any] = column.to_pylist()
        names = None
        if isinstance(rows, EventColumns):
            names = {column: tuple(found) for column, found in rows.names.items()}
        made = []
        for hour in sorted({time // HOUR for time in times}):
            part = table.filter(pa.array([time // HOUR == hour for time in times]))
            part_times = [time for time in times if time // HOUR == hour]
            path = f"{rows.kind}/{hour_folder(hour)}/{self.seals:012d}.parquet"
            stream = io.BytesIO()
            pq.write_table(part, stream, compression="zstd")
            octets = stream.getvalue()
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(octets)
            types: Any = None
            if rows.kind == "events":
                listed: list[Any] = part.select(["domain", "type"]).to_pylist()
                types = tuple(sorted({(one["domain"], one["type"]) for one in listed}))
            made.append(
                SegmentFile(
                    rows.kind, path, part.num_rows, len(octets), crc32(octets), min(part_times),
                    max(part_times), ((ORIGIN, CHANNEL),), types, names, {}, self.seals,
                )
            )  # fmt: skip
        return made
