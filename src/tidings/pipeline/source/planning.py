"""Which rows of which sealed files belong to a batch: positions, slices and limits.

Everything here depends on the manifest and the options alone, so a batch that is planned again
after a restart has the same rows in the same partitions. What is damaged shows when it is read.
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
"""Rows that one task reads of a large file, and up to which it reads several small ones: as many
as a row group has."""

_SLICE_OCTETS: Final = 64 * 1024 * 1024
_WHOLE: Final = "\U0010ffff"  # above every path


class Position(NamedTuple):
    """How far a stream has read; positions compare in the order of reading."""

    seal: int  # everything of the seals below it has been read
    path: str = _WHOLE  # of its files, those with lower paths have been read
    rows: int = 0  # so many rows of that file, too

    def to_plain(self) -> dict[str, int | str]:
        """As Spark keeps it in a checkpoint."""
        if self.path == _WHOLE:
            return {"seal": self.seal}
        return {"seal": self.seal, "path": self.path, "rows": self.rows}

    @classmethod
    def from_plain(cls, plain: Mapping[str, object]) -> Position:
        """The position that `to_plain` wrote."""
        seal, path, rows = plain.get("seal"), plain.get("path", _WHOLE), plain.get("rows", 0)
        if type(seal) is not int or not isinstance(path, str) or type(rows) is not int:
            raise InvalidUsage(f"{dict(plain)!r} is no position in an archive; is it another's?")
        return cls(seal, path, rows)


class Slice(NamedTuple):
    """Some rows of a sealed file."""

    path: str  # the file, from the archive's folder
    octets: int  # its length
    crc32: int  # of all of it
    first: int  # the first row
    end: int  # the first row after them


def seal_of(path: str) -> int:
    """The seal that made a file."""
    return int(PurePosixPath(path).stem.partition("-")[0])


def last_position(manifest: Manifest) -> Position:
    """Where a stream is that has read everything."""
    return Position(manifest.last_seal)


def slices_between(
    manifest: Manifest, options: SourceOptions, start: Position, end: Position
) -> list[Slice]:
    """What may hold wanted rows after one position, up to another; in order."""
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
    """How far one batch goes under the options' limits; `upto` if that is within them.

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
    """Slices put together for tasks: large ones are split, small ones share a task."""
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
        # At multiples, because there one row group ends and the next begins.
        end = min(whole.end, (first // SLICE_ROWS + 1) * SLICE_ROWS)
        yield whole._replace(first=first, end=end)
        first = end


def dropped_between(
    dropped: Iterable[str], kind: str, start: Position, end: Position
) -> Sequence[str]:
    """Files of a kind that retention dropped before a stream came to them."""
    return [
        path
        for path in dropped
        if path.startswith(f"{kind}/") and start[:2] <= (seal_of(path), path) <= end[:2]
    ]
