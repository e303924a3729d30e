"""Plan which rows of which sealed files belong to a batch: positions, slices and limits.

Plans depend on the manifest and the options alone, so a batch that is planned again after a restart
has the same rows in the same partitions. Damage is detected when files are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from tidings.errors import InvalidUsage
from tidings.pipeline.source.options import SourceOptions
from tidings.stores.archive.manifest import Manifest, SegmentFile

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
    for file in _files(manifest, options, start.seal - 1, end.seal):
        place = (file.seal, file.path)
        first = start.rows if place == start[:2] else 0
        last = end.rows if place == end[:2] else file.rows
        if place < start[:2] or place > end[:2] or first >= last:
            continue
        made.append(Slice(file.path, file.octets, file.crc32, first, last))
    return made


def _files(
    manifest: Manifest, options: SourceOptions, after_seal: int, upto_seal: int | None
) -> list[SegmentFile]:
    chosen = manifest.select(
        options.kind,
        channels=options.channels or None,
        types=options.types or None,
        since_us=options.since_us,
        until_us=options.until_us,
        after_seal=max(0, after_seal),
        upto_seal=upto_seal,
    )
    return sorted(chosen, key=attrgetter("seal", "path"))


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
