"""What Spark asks for batches: readers of an archive, once or as a stream."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from tidings.errors import ArchiveDamaged
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
from tidings.pipeline.source.reading import ArchiveFiles, SliceReader

if TYPE_CHECKING:
    import pyarrow as pa

    from tidings.stores.archive.manifest import Manifest

_LOG = logging.getLogger(__name__)


@dataclass
class SlicesPartition(InputPartition):
    """What one task reads."""

    slices: tuple[Slice, ...]


class _Reads:
    """What both readers do on executors."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options = options
        self._columns = tuple(columns)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task, in record batches."""
        assert isinstance(partition, SlicesPartition)
        judge = None
        if self._options.filter:
            from tidings.filters.to_spark import reference_batches

            judge = reference_batches(self._options.filter, ())
        return SliceReader(self._options, self._columns, judge).read(partition.slices)

    def _tasks(
        self, files: ArchiveFiles, manifest: Manifest, start: Position, end: Position
    ) -> list[SlicesPartition]:
        slices = slices_between(manifest, self._options, start, end)
        self._tell_of_damage(files, slices)
        return [SlicesPartition(task) for task in packed(slices)]

    def _tell_of_damage(self, files: ArchiveFiles, slices: Sequence[Slice]) -> None:
        """Says on the driver what executors will find; the plan itself stays as it is."""
        told = []
        for slice_ in slices:
            length = files.length(slice_.path)
            if length is not None and length != slice_.octets:
                told.append(f"{slice_.path} (has {length} octets, sealed with {slice_.octets})")
        if told:
            words = f"{len(told)} of {len(slices)} segments are damaged: {', '.join(told)}"
            if not self._options.skip_damage:
                raise ArchiveDamaged(words)
            _LOG.warning("%s; they are left out", words)


class ArchiveReader(_Reads, DataSourceReader):
    """Reads what an archive holds when the query begins."""

    def partitions(self) -> Sequence[InputPartition]:
        """The tasks.

        Raises:
            ArchiveNotFound: There is no archive.
        """
        files = ArchiveFiles(self._options.path)
        manifest = files.manifest()
        for problem in manifest.problems:
            _LOG.warning("%s", problem)
        start = Position(max(0, self._options.starting_seal - 1))
        tasks = self._tasks(files, manifest, start, last_position(manifest))
        # Spark takes no tasks for one that reads whatever it is told.
        return tasks or [SlicesPartition(())]


class ArchiveStreamReader(_Reads, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads an archive as it grows; the offsets are positions."""

    def __init__(self, options: SourceOptions, columns: Sequence[str]) -> None:
        super().__init__(options, columns)
        self._archive: ArchiveFiles | None = None
        self._end: Position | None = None

    @property
    def _files(self) -> ArchiveFiles:
        if self._archive is None:
            self._archive = ArchiveFiles(self._options.path)
        return self._archive

    def initialOffset(self) -> dict[str, Any]:
        """Where a new stream begins."""
        if self._options.starting_seal == LATEST:
            return last_position(self._files.manifest()).to_plain()
        return Position(self._options.starting_seal - 1).to_plain()

    def getDefaultReadLimit(self) -> ReadLimit:
        """How much one batch takes."""
        if self._options.most_rows is not None:
            return ReadMaxRows(self._options.most_rows)
        if self._options.most_files is not None:
            return ReadMaxFiles(self._options.most_files)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Nothing that is sealed from now on belongs to this run."""
        self._end = last_position(self._files.manifest())

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """How far the archive is."""
        return last_position(self._files.manifest()).to_plain()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """How far the next batch goes."""
        begin = Position.from_plain(start)
        manifest = self._files.manifest()
        upto = max(begin, self._end or last_position(manifest))
        if isinstance(limit, ReadAllAvailable):
            return upto.to_plain()
        return advanced(manifest, self._options, begin, upto).to_plain()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The tasks of one batch.

        Raises:
            ArchiveDamaged: Something of it is damaged or dropped, and damage is not skipped.
        """
        first, last = Position.from_plain(start), Position.from_plain(end)
        manifest = self._files.manifest()
        if first.seal > 0:
            self._tell_of_drops(dropped_between(manifest.dropped, self._options.kind, first, last))
            self._refuse_merged(manifest, first)
        return self._tasks(self._files, manifest, first, last)

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
            if not self._options.skip_damage:
                raise ArchiveDamaged(words)
            _LOG.warning("%s", words)

    def __getstate__(self) -> dict[str, Any]:
        # A copy goes to every task, which opens the archive for itself.
        return {**self.__dict__, "_archive": None, "_end": None}
