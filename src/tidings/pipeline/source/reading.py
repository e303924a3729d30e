"""Readers of an archive for Spark, for batches and for streams.

The driver plans which rows of which files belong to a batch; executors read them. Plans depend on
the manifest and the options alone, so a batch that is planned again after a restart has the same
rows in the same partitions. An executor verifies a file's checksum before it emits any row, so a
damaged file is skipped as a whole, in every attempt alike.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

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

from tidings.errors import ArchiveDamaged, InvalidUsage
from tidings.filters.to_spark.batches import reference_batches
from tidings.pipeline.archive import Archive, time_column
from tidings.pipeline.options import LATEST, SourceOptions
from tidings.stores.archive.manifest import Manifest, content_problem

_LOG = logging.getLogger(__name__)
# Same as Spark's own Arrow batches: it holds one at a time.
_BATCH_ROWS: Final = 10_000

SLICE_ROWS: Final = 131_072
"""Rows per task: large files are split and small ones combined at this size, a row group."""

_SLICE_OCTETS: Final = 64 * 1024 * 1024
_WHOLE: Final = "\U0010ffff"  # above every path


class Position(NamedTuple):
    """Offset of a stream; positions compare in the order of reading."""

    seal: int  # all lower seals have been read
    path: str = _WHOLE  # all lower paths of this seal have been read
    rows: int = 0  # rows of that file that have been read

    def to_plain(self) -> dict[str, int | str]:
        """Return the form that Spark stores in a checkpoint."""
        if self.path == _WHOLE:
            return {"seal": self.seal}
        return {"seal": self.seal, "path": self.path, "rows": self.rows}

    @classmethod
    def from_plain(cls, plain: Mapping[str, object]) -> Position:
        """Parse the result of `to_plain`."""
        seal, path, rows = plain.get("seal"), plain.get("path", _WHOLE), plain.get("rows", 0)
        if type(seal) is not int or not isinstance(path, str) or type(rows) is not int:
            raise InvalidUsage(f"{dict(plain)!r} is no position in an archive; is it another's?")
        return cls(seal, path, rows)


class Slice(NamedTuple):
    """A range of rows of a sealed file."""

    path: str  # relative to the archive
    octets: int  # length of the file
    crc32: int  # of the whole file
    first: int
    end: int  # exclusive


def seal_of(path: str) -> int:
    """Return the seal of a file."""
    return int(PurePosixPath(path).stem.partition("-")[0])


def last_position(manifest: Manifest) -> Position:
    """Return the position at the end of the archive."""
    return Position(manifest.last_seal)


def slices_between(
    manifest: Manifest, options: SourceOptions, start: Position, end: Position
) -> list[Slice]:
    """Return the slices between two positions that may hold wanted rows, in order."""
    made: list[Slice] = []
    within = replace(options, after_seal=max(0, start.seal - 1), upto_seal=end.seal)
    files = within.files(manifest, options.kind)
    for file in sorted(files, key=attrgetter("seal", "path")):
        place = (file.seal, file.path)
        first = start.rows if place == start[:2] else 0
        last = end.rows if place == end[:2] else file.rows
        if place < start[:2] or place > end[:2] or first >= last:
            continue
        made.append(Slice(file.path, file.octets, file.crc32, first, last))
    return made


def advanced(
    manifest: Manifest, options: SourceOptions, start: Position, upto: Position
) -> Position:
    """Return the end of the next batch under the options' limits, at most `upto`.

    Rows are counted before they are filtered: the limit bounds what is read.
    """
    rows_left, files_left = options.most_rows, options.most_files
    for slice_ in slices_between(manifest, options, start, upto):
        if files_left == 0 or rows_left == 0:
            return Position(seal_of(slice_.path), slice_.path, slice_.first)
        if rows_left is not None:
            if slice_.end - slice_.first > rows_left:
                return Position(seal_of(slice_.path), slice_.path, slice_.first + rows_left)
            rows_left -= slice_.end - slice_.first
        if files_left is not None:
            files_left -= 1
    return upto


def packed(slices: Iterable[Slice]) -> list[tuple[Slice, ...]]:
    """Group slices into tasks: large ones are split, small ones share a task."""
    made: list[tuple[Slice, ...]] = []
    task: list[Slice] = []
    rows = octets = 0
    for slice_ in (part for whole in slices for part in _split(whole)):
        many = slice_.end - slice_.first
        if task and (rows + many > SLICE_ROWS or octets + slice_.octets > _SLICE_OCTETS):
            made.append(tuple(task))
            task, rows, octets = [], 0, 0
        task.append(slice_)
        rows += many
        octets += slice_.octets
    if task:
        made.append(tuple(task))
    return made


def _split(whole: Slice) -> Iterator[Slice]:
    first = whole.first
    while first < whole.end:
        # At multiples, because row groups end there.
        end = min(whole.end, (first // SLICE_ROWS + 1) * SLICE_ROWS)
        yield whole._replace(first=first, end=end)
        first = end


def dropped_between(
    dropped: Iterable[str], kind: str, start: Position, end: Position
) -> Sequence[str]:
    """Return the files of a kind that retention dropped before a stream read them."""
    return [
        path
        for path in dropped
        if path.startswith(f"{kind}/") and start[:2] <= (seal_of(path), path) <= end[:2]
    ]


@dataclass
class SlicesPartition(InputPartition):
    """Input of one task."""

    slices: tuple[Slice, ...]


class _Reads:
    """Common part of both readers: planning on the driver, reading on executors."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options = options
        self._columns = list(columns)
        self._archive = Archive(options.archive)
        self._types: dict[tuple[object, object], bool] = {}

    def _tasks(self, manifest: Manifest, start: Position, end: Position) -> list[SlicesPartition]:
        """Plan; warn or raise if files have the wrong length, which does not change the plan."""
        slices = slices_between(manifest, self._options, start, end)
        told = []
        for slice_ in slices:
            path = self._archive.folder / slice_.path
            if path.exists() and (length := path.stat().st_size) != slice_.octets:
                told.append(f"{slice_.path} (has {length} octets, sealed with {slice_.octets})")
        if told:
            words = f"{len(told)} of {len(slices)} segments are damaged: {', '.join(told)}"
            self._skip_or_refuse(words, "; they are left out")
        return [SlicesPartition(task) for task in packed(slices)]

    def _skip_or_refuse(self, problem: str, if_skipped: str = "") -> None:
        if not self._options.skip_damage:
            raise ArchiveDamaged(problem)
        _LOG.warning("%s%s", problem, if_skipped)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the wanted rows of a task's slices."""
        assert isinstance(partition, SlicesPartition)
        for slice_ in partition.slices:
            for table in self._tables(slice_):
                yield from self._wanted(table)

    def _tables(self, slice_: Slice) -> Iterator[pa.Table]:
        """Yield the rows of a slice, one row group at a time."""
        try:
            octets = (self._archive.folder / slice_.path).read_bytes()
        except FileNotFoundError as error:
            missing = f"{slice_.path} is missing in the archive {self._archive.folder}"
            if self._archive.manifest().is_gone(slice_.path):
                missing = (
                    f"{slice_.path} was dropped by the archive's retention between planning and "
                    "reading: read sooner, or keep segments for longer"
                )
            raise ArchiveDamaged(missing) from error
        problem = content_problem(slice_.path, octets, slice_.octets, slice_.crc32)
        if problem is not None:
            left_out = f"; rows {slice_.first} to {slice_.end} are left out"
            self._skip_or_refuse(problem, left_out)
            return
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
        if self._options.filter:
            batches = reference_batches(self._options.filter, ())(batches)
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
        known, patterns = self._types, self._options.patterns(self._options.kind)
        found = []
        domains: list[Any] = table["domain"].to_pylist()
        for pair in zip(domains, table["type"].to_pylist(), strict=True):
            fits = known.get(pair)
            if fits is None:
                fits = known[pair] = any(one.matches(*map(str, pair)) for one in patterns)
            found.append(fits)
        return pa.array(found, pa.bool_())


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
        kind = self._options.kind
        dropped = dropped_between(manifest.dropped, kind, first, last) if first.seal else ()
        if dropped:
            self._skip_or_refuse(
                f"the archive's retention dropped {len(dropped)} segments before the stream came "
                f"to them: {', '.join(dropped)}"
            )
        for file in manifest.select(kind, after_seal=first.seal):
            if 0 < file.since <= first.seal:
                raise ArchiveDamaged(
                    f"the archive has merged the {file.kind} of the seals {file.since} to "
                    f"{file.seal} into one file, and the stream stands at seal {first.seal}: start "
                    "it again from the beginning, with a new checkpoint"
                )
        return self._tasks(manifest, first, last)
