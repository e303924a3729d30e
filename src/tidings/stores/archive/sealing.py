"""Sealing: writes rows and books to files, then commits them with a manifest line."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec.structs import replace

from tidings.errors import StoreError
from tidings.stores.archive.books import Books, books_octets
from tidings.stores.archive.columns import (
    CHANGES,
    EVENTS,
    OBJECTS,
    OUTCOMES,
    PLANS,
    RowColumns,
    Segment,
)
from tidings.stores.archive.manifest import (
    HOUR,
    MANIFEST,
    MOST_LISTED,
    Gap,
    Seal,
    SegmentFile,
    hour_folder,
    hour_of,
    seal_line,
)
from tidings.stores.files import (
    MODE,
    UNFINISHED,
    disk_error,
    make_folder,
    remove_file,
    sync_folder,
    write_all,
    write_file,
)
from tidings.stores.segments import Cursor

_ROW_GROUP: Final = 128 * 1024
# Most property names per column: the manifest must stay small.
_MOST_NAMES: Final = 500
_SUMMED: Final = {
    EVENTS: "seq",
    OUTCOMES: "seq",
    PLANS: "version",
    OBJECTS: "id",
    CHANGES: "number",
}
# The previous books are kept, too: the last line may turn out to be torn.
KEPT_BOOKS: Final = 2


def store_error(error: OSError, what: str) -> StoreError:
    """Return our error for a disk error of the archive."""
    return disk_error(
        error, what, "; nothing half-written stays, and it goes on when there is room"
    )


def books_path(seal: int) -> str:
    """Return the path of a seal's books, relative to the archive."""
    return f"books/{seal:012d}.json"


class ManifestFile:
    """The manifest, open for appending; anything after `end` is truncated."""

    def __init__(self, folder: Path, end: int) -> None:
        self._path = folder / MANIFEST
        self._end = end
        self._broken = False
        self._file = os.open(
            self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, MODE
        )
        try:
            if os.fstat(self._file).st_size != end:
                os.ftruncate(self._file, end)
                os.fsync(self._file)
            sync_folder(folder)
        except BaseException:
            self.close()
            raise

    @property
    def octets(self) -> int:
        """Return its size."""
        return self._end

    def replace(self, octets: bytes) -> None:
        """Replace all lines atomically; if appending fails after an OSError, reopen the archive."""
        unfinished = self._path.with_name(self._path.name + UNFINISHED)
        file = os.open(
            unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, MODE
        )
        try:
            write_all(file, octets)
            os.fsync(file)
        except BaseException:
            os.close(file)
            raise
        self._broken = True
        try:
            unfinished.rename(self._path)
            sync_folder(self._path.parent)
        except BaseException:
            os.close(file)
            raise
        os.close(self._file)
        self._file, self._end, self._broken = file, len(octets), False

    def append(self, line: bytes) -> None:
        """Append a line durably; after a final error, reopen the archive."""
        if self._broken:
            raise StoreError(f"{self._path} could not be written before; open the archive again")
        try:
            write_all(self._file, line)
            os.fsync(self._file)
        except OSError:
            # After a failed sync the disk's contents are unknown until the file is read again.
            self._broken = True
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)
            self._broken = False
            raise
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Sealer:
    """The writer of seals; `number` is that of the last one."""

    def __init__(self, folder: Path, manifest: ManifestFile, number: int) -> None:
        self._folder = folder
        self._manifest = manifest
        self._durable: set[Path] = set()  # folders
        self.number = number

    def seal(
        self, segment: Segment, books: Books, at: int, gap: Gap | None, observed: int = 0
    ) -> tuple[Seal, list[SegmentFile]]:
        """Write rows and books, then commit them with a manifest line; undo on a disk error."""
        number = self.number + 1
        files: list[SegmentFile] = []
        path = books_path(number)
        books.seal = number
        try:
            for kind in segment.kinds:
                for file, octets in _encoded(kind, number, segment):
                    files.append(replace(file, observed_us=observed))
                    self._write(file.path, octets)
            kept = books_octets(books)
            self._write(path, kept)
            seal = Seal(
                number, at, Cursor(*books.cursor), path, crc32(kept), gap, segment.damaged,
                segment.stray, observed,
            )  # fmt: skip
            self._manifest.append(seal_line(seal, files))
        except OSError as error:
            for file in files:
                remove_file(self._folder / file.path)
            remove_file(self._folder / path)
            what = f"nothing was sealed in the archive {self._folder}"
            raise store_error(error, what) from error
        self.number = number
        remove_file(self._folder / books_path(number - KEPT_BOOKS))
        return seal, files

    def _write(self, path: str, octets: bytes | memoryview) -> None:
        target = self._folder / path
        if target.parent not in self._durable:
            make_folder(target.parent)
            self._durable.add(target.parent)
        write_file(target, octets)


def _encoded(
    kind: RowColumns, number: int, segment: Segment
) -> Iterator[tuple[SegmentFile, memoryview]]:
    """Yield a file and its octets for each hour."""
    if not kind.rows:
        return
    table, times = kind.sorted()
    for hour, part, of_part in _hours(table, times):
        sink = pa.BufferOutputStream()
        pq.write_table(part, sink, compression="zstd", row_group_size=_ROW_GROUP)
        octets = memoryview(sink.getvalue())
        path = f"{kind.kind}/{hour_folder(hour)}/{number:012d}.parquet"
        names = segment.events.names if kind.kind == EVENTS else None
        yield describe_file(kind.kind, path, number, part, of_part, octets, names), octets


def _hours(
    table: pa.Table, times: pa.ChunkedArray[Any]
) -> Iterator[tuple[int, pa.Table, pa.ChunkedArray[Any]]]:
    while table.num_rows:
        first, last = _ends(times)
        hour = hour_of(first)
        if hour == hour_of(last):
            yield hour, table, times
            return
        within = pc.less(times, pa.scalar((hour + 1) * HOUR, pa.int64()))
        yield hour, table.filter(within), times.filter(within)
        outside = pc.invert(within)
        table, times = table.filter(outside), times.filter(outside)


def _ends(times: pa.ChunkedArray[Any]) -> tuple[int, int]:
    found: dict[str, int] = pc.min_max(times).as_py()  # type: ignore[assignment]
    return found["min"], found["max"]


def describe_file(
    kind: str,
    path: str,
    number: int,
    table: pa.Table,
    times: pa.ChunkedArray[Any],
    octets: memoryview,
    names: Mapping[str, Collection[str]] | None,
) -> SegmentFile:
    """Build a file's manifest entry."""
    first, last = _ends(times)
    grouped = table.group_by(["origin", "channel"]).aggregate(
        [(_SUMMED[kind], "count"), (_SUMMED[kind], "sum")]
    )
    sums: dict[str, tuple[int, int]] = {}
    found = grouped.to_pydict()
    for origin, count, more in zip(
        found["origin"], found[f"{_SUMMED[kind]}_count"], found[f"{_SUMMED[kind]}_sum"], strict=True
    ):
        rows, total = sums.get(origin, (0, 0))
        sums[origin] = (rows + count, total + more)
    channels = _pairs(grouped, "origin", "channel")
    types = None
    if kind == EVENTS:
        types = _pairs(table.group_by(["domain", "type"]).aggregate([]), "domain", "type")
    return SegmentFile(
        kind, path, table.num_rows, len(octets), crc32(octets), first, last, channels, types,
        _listed(names), sums, number,
    )  # fmt: skip


def _listed(names: Mapping[str, Collection[str]] | None) -> dict[str, tuple[str, ...]] | None:
    if names is None or sum(map(len, names.values())) > _MOST_NAMES:
        return None
    return {column: tuple(sorted(found)) for column, found in sorted(names.items())}


def _pairs(grouped: pa.Table, first: str, second: str) -> tuple[tuple[str, str], ...] | None:
    if grouped.num_rows > MOST_LISTED:
        return None
    found = grouped.to_pydict()
    return tuple(sorted(zip(found[first], found[second], strict=True)))
