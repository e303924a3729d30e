"""Rows of sealed files as record batches, on executors: read, judged, and handed on.

A file is read and compared with its checksum before any row of it is handed on, so a damaged one
is left out as a whole, in every attempt alike.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.pipeline.archive import local_folder
from tidings.pipeline.source.options import SourceOptions
from tidings.pipeline.source.planning import Slice
from tidings.stores.archive.manifest import Manifest, parse_manifest

_LOG = logging.getLogger(__name__)
# As many rows as Spark itself puts into a batch of Arrow's: it holds one at a time.
_BATCH_ROWS: Final = 10_000
_TIME_COLUMN: Final = {"events": "arrival_us"}
_Judge = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class ArchiveFiles:
    """The files of an archive, wherever pyarrow can read them.

    Args:
        path: The archive's folder, or a URL of one (``s3://``, ``gs://``, ``hdfs://`` …).
    """

    def __init__(self, path: str) -> None:
        self.path = path
        folder = local_folder(path)
        if folder is not None:
            self._system: pafs.FileSystem = pafs.LocalFileSystem()
            self._root = str(folder)
        else:
            self._system, self._root = pafs.FileSystem.from_uri(path)
        self._stamp: object = None
        self._manifest: Manifest | None = None

    def _name(self, path: str) -> str:
        return str(PurePosixPath(self._root) / path)

    def manifest(self) -> Manifest:
        """What the archive says it has; parsed again only when it has changed.

        Raises:
            ArchiveNotFound: There is no archive.
        """
        name = self._name("manifest.jsonl")
        [info] = self._system.get_file_info([name])
        if info.type != pafs.FileType.File:
            raise ArchiveNotFound(f"there is no archive at {self.path}: it has no manifest.jsonl")
        stamp = (info.size, info.mtime_ns)
        if self._manifest is None or stamp != self._stamp:
            with self._system.open_input_stream(name) as stream:
                self._manifest = parse_manifest(stream.read())
            self._stamp = stamp
        return self._manifest

    def open(self, path: str) -> pa.NativeFile:
        """One file, for reading here and there."""
        return self._system.open_input_file(self._name(path))

    def length(self, path: str) -> int | None:
        """How many octets a file has; None if there is none."""
        [info] = self._system.get_file_info([self._name(path)])
        return info.size if info.type == pafs.FileType.File else None


class SliceReader:
    """Reads slices.

    Args:
        options: What is wanted.
        columns: The columns to hand on, in order.
        judge: Keeps the rows that match the constraint; None if there is none.
    """

    def __init__(
        self, options: SourceOptions, columns: Iterable[str], judge: _Judge | None = None
    ) -> None:
        self._options = options
        self._columns = list(columns)
        self._judge = judge
        self._types: dict[tuple[object, object], bool] = {}

    def read(self, slices: Iterable[Slice]) -> Iterator[pa.RecordBatch]:
        """The wanted rows of slices.

        Raises:
            ArchiveDamaged: A file is not there any more, or (unless damage is skipped) broken.
        """
        files = ArchiveFiles(self._options.path)
        for slice_ in slices:
            for table in self._tables(files, slice_):
                yield from self._wanted(table)

    def _tables(self, files: ArchiveFiles, slice_: Slice) -> Iterator[pa.Table]:
        """The rows of a slice, a row group at a time."""
        try:
            with files.open(slice_.path) as source:
                octets = source.read_buffer()
        except FileNotFoundError as error:
            raise ArchiveDamaged(self._missing(files, slice_)) from error
        if octets.size != slice_.octets:
            told = f"it has {octets.size} octets, and was sealed with {slice_.octets}"
            self._damaged(slice_, told)
        elif crc32(octets) != slice_.crc32:
            self._damaged(slice_, "its checksum is not the one it was sealed with")
        else:
            yield from self._row_groups(octets, slice_)

    def _missing(self, files: ArchiveFiles, slice_: Slice) -> str:
        if files.manifest().is_gone(slice_.path):
            return (
                f"{slice_.path} was dropped by the archive's retention between planning and "
                "reading: read sooner, or keep segments for longer"
            )
        return f"{slice_.path} is missing in the archive {files.path}"

    def _damaged(self, slice_: Slice, why: str) -> None:
        told = f"{slice_.path} is damaged: {why}"
        if not self._options.skip_damage:
            raise ArchiveDamaged(told)
        _LOG.warning("%s; rows %d to %d are left out", told, slice_.first, slice_.end)

    def _row_groups(self, octets: pa.Buffer, slice_: Slice) -> Iterator[pa.Table]:
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
        """The columns to read: those handed on, and those judged by."""
        options = self._options
        wanted = set(self._columns)
        if options.filter:
            wanted |= {"raw", "arrival_us"}
        if options.channels:
            wanted |= {"channel", "origin"}
        if options.types:
            wanted |= {"domain", "type"}
        if options.since_us is not None or options.until_us is not None:
            wanted.add(self._time)
        return [name for name in present if name in wanted]

    @property
    def _time(self) -> str:
        return _TIME_COLUMN.get(self._options.kind, "at_us")

    def _wanted(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        mask = self._mask(table)
        if mask is not None:
            table = table.filter(mask)
        batches: Iterator[pa.RecordBatch] = iter(table.to_batches(max_chunksize=_BATCH_ROWS))
        if self._judge is not None:
            batches = self._judge(batches)
        for batch in batches:
            if batch.num_rows:
                yield batch.select(self._columns)

    def _mask(self, table: pa.Table) -> Any | None:  # noqa: ANN401 -- pyarrow's stubs lack it
        """Which rows are of the wanted channels, types and times; None for all."""
        options = self._options
        masks: list[Any] = []
        if options.channels:
            names = pa.array(options.channels)
            masks.append(
                pc.or_(
                    pc.is_in(table["channel"], value_set=names),
                    pc.is_in(table["origin"], value_set=names),
                )
            )
        if options.types:
            masks.append(self._of_types(table))
        if options.since_us is not None:
            late: Any = pc.greater_equal(table[self._time], pa.scalar(options.since_us, pa.int64()))
            masks.append(pc.fill_null(late, True))
        if options.until_us is not None:
            early: Any = pc.less(table[self._time], pa.scalar(options.until_us, pa.int64()))
            masks.append(pc.fill_null(early, True))
        if not masks:
            return None
        both = masks[0]
        for mask in masks[1:]:
            both = pc.and_(both, mask)
        return both

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
