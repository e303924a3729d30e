"""Readers of an archive for Spark, for batches and for streams.

The driver plans which rows of which files belong to a batch; executors read them. An executor
verifies a file's checksum before it emits any row, so a damaged file is skipped as a whole, in
every attempt alike.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from tidings.errors import ArchiveDamaged
from tidings.filters.to_spark.batches import reference_batches
from tidings.pipeline.archive import Archive, time_column
from tidings.pipeline.source.options import LATEST, SourceOptions
from tidings.pipeline.source.planning import (
    Position,
    Slice,
    advanced,
    dropped_between,
    last_position,
    packed,
    slices_between,
)
from tidings.stores.archive.manifest import Manifest

_LOG = logging.getLogger(__name__)
# Same as Spark's own Arrow batches: it holds one at a time.
_BATCH_ROWS: Final = 10_000
_Judge = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass
class SlicesPartition(InputPartition):
    """Input of one task."""

    slices: tuple[Slice, ...]


class _Reads:
    """Common part of both readers, on executors."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options = options
        self._columns = tuple(columns)
        self._archive = Archive(options.path)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, SlicesPartition)
        judge = None
        if self._options.filter:
            judge = reference_batches(self._options.filter, ())
        return SliceReader(self._options, self._columns, judge).read(partition.slices)

    def _tasks(self, manifest: Manifest, start: Position, end: Position) -> list[SlicesPartition]:
        slices = slices_between(manifest, self._options, start, end)
        self._tell_of_damage(slices)
        return [SlicesPartition(task) for task in packed(slices)]

    def _tell_of_damage(self, slices: Sequence[Slice]) -> None:
        """Warn or raise on the driver if files have the wrong length; the plan is unchanged."""
        told = []
        for slice_ in slices:
            path = self._archive.folder / slice_.path
            if path.exists() and (length := path.stat().st_size) != slice_.octets:
                told.append(f"{slice_.path} (has {length} octets, sealed with {slice_.octets})")
        if told:
            words = f"{len(told)} of {len(slices)} segments are damaged: {', '.join(told)}"
            self._skip_or_refuse(f"{words}; they are left out", words)

    def _skip_or_refuse(self, skipped: str, refused: str) -> None:
        if not self._options.skip_damage:
            raise ArchiveDamaged(refused)
        _LOG.warning("%s", skipped)


class ArchiveReader(_Reads, DataSourceReader):
    """Reads what an archive holds when the query begins."""

    def partitions(self) -> Sequence[InputPartition]:
        """Return the tasks."""
        manifest = self._archive.manifest()
        for problem in manifest.problems:
            _LOG.warning("%s", problem)
        start = Position(max(0, self._options.starting_seal - 1))
        tasks = self._tasks(manifest, start, last_position(manifest))
        # Given no tasks, Spark would run one without a partition.
        return tasks or [SlicesPartition(())]


class ArchiveStreamReader(_Reads, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads an archive as it grows; its offsets are positions."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        super().__init__(options, columns)
        self._end: Position | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Return the start of a new stream."""
        if self._options.starting_seal == LATEST:
            return last_position(self._archive.manifest()).to_plain()
        return Position(self._options.starting_seal - 1).to_plain()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of one batch."""
        if self._options.most_rows is not None:
            return ReadMaxRows(self._options.most_rows)
        if self._options.most_files is not None:
            return ReadMaxFiles(self._options.most_files)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Exclude everything sealed from now on."""
        self._end = last_position(self._archive.manifest())

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return the end of the archive."""
        return last_position(self._archive.manifest()).to_plain()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the end of the next batch."""
        begin = Position.from_plain(start)
        manifest = self._archive.manifest()
        upto = max(begin, self._end or last_position(manifest))
        if isinstance(limit, ReadAllAvailable):
            return upto.to_plain()
        return advanced(manifest, self._options, begin, upto).to_plain()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the tasks of one batch."""
        first, last = Position.from_plain(start), Position.from_plain(end)
        manifest = self._archive.manifest()
        if first.seal > 0:
            self._tell_of_drops(dropped_between(manifest.dropped, self._options.kind, first, last))
            self._refuse_merged(manifest, first)
        return self._tasks(manifest, first, last)

    def _refuse_merged(self, manifest: Manifest, first: Position) -> None:
        for file in manifest.select(self._options.kind, after_seal=first.seal):
            if 0 < file.since <= first.seal:
                raise ArchiveDamaged(
                    f"the archive has merged the {file.kind} of the seals {file.since} to "
                    f"{file.seal} into one file, and the stream stands at seal {first.seal}: start "
                    "it again from the beginning, with a new checkpoint"
                )

    def _tell_of_drops(self, dropped: Sequence[str]) -> None:
        if dropped:
            words = (
                f"the archive's retention dropped {len(dropped)} segments before the stream came "
                f"to them: {', '.join(dropped)}"
            )
            self._skip_or_refuse(words, words)


class SliceReader:
    """Reads slices."""

    def __init__(
        self, options: SourceOptions, columns: Iterable[str], judge: _Judge | None = None
    ) -> None:
        self._options = options
        self._columns = list(columns)
        self._judge = judge
        self._types: dict[tuple[object, object], bool] = {}

    def read(self, slices: Iterable[Slice]) -> Iterator[pa.RecordBatch]:
        """Yield the wanted rows of slices."""
        archive = Archive(self._options.path)
        for slice_ in slices:
            for table in self._tables(archive, slice_):
                yield from self._wanted(table)

    def _tables(self, archive: Archive, slice_: Slice) -> Iterator[pa.Table]:
        """Yield the rows of a slice, one row group at a time."""
        try:
            octets = (archive.folder / slice_.path).read_bytes()
        except FileNotFoundError as error:
            missing = f"{slice_.path} is missing in the archive {archive.folder}"
            if archive.manifest().is_gone(slice_.path):
                missing = (
                    f"{slice_.path} was dropped by the archive's retention between planning and "
                    "reading: read sooner, or keep segments for longer"
                )
            raise ArchiveDamaged(missing) from error
        if len(octets) != slice_.octets:
            told = f"it has {len(octets)} octets, and was sealed with {slice_.octets}"
            self._damaged(slice_, told)
        elif crc32(octets) != slice_.crc32:
            self._damaged(slice_, "its checksum is not the one it was sealed with")
        else:
            yield from self._row_groups(octets, slice_)

    def _damaged(self, slice_: Slice, why: str) -> None:
        told = f"{slice_.path} is damaged: {why}"
        if not self._options.skip_damage:
            raise ArchiveDamaged(told)
        _LOG.warning("%s; rows %d to %d are left out", told, slice_.first, slice_.end)

    def _row_groups(self, octets: bytes, slice_: Slice) -> Iterator[pa.Table]:
        parquet = pq.ParquetFile(pa.BufferReader(octets))
        needed = self._needed(parquet.schema_arrow.names)
        first = 0
        for group in range(parquet.num_row_groups):
            rows = parquet.metadata.row_group(group).num_rows
            start, end = max(slice_.first, first), min(slice_.end, first + rows)
            if start < end:
                table = parquet.read_row_group(group, columns=needed)
                yield table.slice(start - first, end - start)
            first += rows

    def _needed(self, present: Iterable[str]) -> list[str]:
        """Return the columns to read: those returned, and those needed for filters."""
        options = self._options
        wanted = set(self._columns)
        if options.filter:
            wanted |= {"raw", "arrival_us"}
        if options.channels:
            wanted |= {"channel", "origin"}
        if options.types:
            wanted |= {"domain", "type"}
        if options.since_us is not None or options.until_us is not None:
            wanted.add(time_column(options.kind))
        return [name for name in present if name in wanted]

    def _wanted(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        for condition in self._conditions():
            table = table.filter(condition)
        if self._options.types:
            table = table.filter(self._of_types(table))
        batches: Iterator[pa.RecordBatch] = iter(table.to_batches(max_chunksize=_BATCH_ROWS))
        if self._judge is not None:
            batches = self._judge(batches)
        for batch in batches:
            if batch.num_rows:
                yield batch.select(self._columns)

    def _conditions(self) -> Iterator[pc.Expression]:
        options, time = self._options, pc.field(time_column(self._options.kind))
        if options.channels:
            channels = list(options.channels)
            yield pc.field("channel").isin(channels) | pc.field("origin").isin(channels)
        if options.since_us is not None:
            yield time.is_null() | (time >= options.since_us)
        if options.until_us is not None:
            yield time.is_null() | (time < options.until_us)

    def _of_types(self, table: pa.Table) -> pa.Array[Any]:
        known = self._types
        found = []
        domains: list[Any] = table["domain"].to_pylist()
        for pair in zip(domains, table["type"].to_pylist(), strict=True):
            fits = known.get(pair)
            if fits is None:
                fits = known[pair] = any(
                    one.matches(*map(str, pair)) for one in self._options.types
                )
            found.append(fits)
        return pa.array(found, pa.bool_())
