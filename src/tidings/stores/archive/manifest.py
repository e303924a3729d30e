"""The manifest: one line per seal or drop; files it does not name are not in the archive.

When it has grown long, old lines are folded (`retention.py`): separate lines then name the files
of many seals, and one line stands for the last of these seals and sums up the deleted files.

A line ends with its CRC-32, computed without that member. An incomplete last line is ignored: its
writer was killed or is still writing. A damaged complete line is reported as a problem, and the
rest counts. Files are checked by the length and checksum in their entry.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final
from zlib import crc32

import msgspec
from msgspec.structs import asdict, replace

from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.filters.constraint import EventTypePattern
from tidings.stores.segments import Cursor

MANIFEST: Final = "manifest.jsonl"
FORMAT: Final = 1
"""The format version; archives with a higher one are refused."""
FOLDED_FORMAT: Final = 2
"""The format version of folded lines."""
MOST_LISTED: Final = 200
"""Most channels, types or other names listed per file."""

# Limits how many files one damaged line costs.
_FILES_OF_A_LINE: Final = 100

_CHECK: Final = re.compile(rb',"crc32":([0-9]{1,10})\}')
_encode = msgspec.json.Encoder().encode
HOUR: Final = 3_600_000_000
"""Microseconds per hour."""
_MAGIC: Final = b"PAR1"  # Parquet files begin and end with it
_SHORTEST: Final = 12
# Clocks can be wrong by thousands of years; folder names are limited to these.
_FIRST_HOUR: Final = int(datetime(1, 1, 1, tzinfo=UTC).timestamp()) // 3600
_LAST_HOUR: Final = int(datetime(9999, 12, 31, 23, tzinfo=UTC).timestamp()) // 3600


class SegmentFile(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A file of the archive; None in `channels`, `types` or `names` means not listed.

    Attributes:
        channels: Origin and name of each channel with rows here.
        types: Domain and type of the events.
        names: Names of the events' properties by column, and ``*`` if some events are bare values.
        sums: By origin, the number of rows and the sum of their seqs (versions, ids).
        seal: The seal that wrote the file.
        observed_us: When, in observed time (`ObservedTime`).
        since: The first seal whose rows were merged into this file; 0 if it was not merged.
    """

    kind: str
    path: str
    rows: int
    octets: int
    crc32: int
    first_us: int
    last_us: int
    channels: tuple[tuple[str, str], ...] | None
    types: tuple[tuple[str, str], ...] | None
    names: dict[str, tuple[str, ...]] | None
    sums: dict[str, tuple[int, int]]
    seal: int = 0
    observed_us: int = 0
    since: int = 0

    def may_hold(self, channels: Collection[str], types: Collection[EventTypePattern]) -> bool:
        """Return whether it may have rows of some channels and types; empty for all."""
        of_channels = not channels or self.channels is None
        of_types = not types or self.types is None
        return (
            of_channels or any(one in channels for pair in self.channels or () for one in pair)
        ) and (of_types or any(one.matches(*pair) for pair in self.types or () for one in types))


class Gap(msgspec.Struct, frozen=True, rename={"since": "from", "upto": "to"}):
    """A part of the journal that was gone before it was archived."""

    since: Cursor
    upto: Cursor


class Seal(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seal's line, without its files.

    Attributes:
        number: From 1 on; 0 in other lines.
        cursor: Everything in the journal before it is in the archive.
        damaged: Number of unreadable journal records.
        stray: Number of outcomes of events that are not in the archive.
        observed_us: Observed time (`ObservedTime`), which ages are counted in.
    """

    number: int = msgspec.field(default=0, name="seal")
    sealed_us: int = 0
    cursor: Cursor = Cursor(0, 0)
    books: str = ""
    books_crc32: int = 0
    gap: Gap | None = None
    damaged: int = 0
    stray: int = 0
    observed_us: int = 0


class _Line(Seal, frozen=True, omit_defaults=True, kw_only=True):
    format: int
    files: tuple[SegmentFile, ...] = ()
    dropped: tuple[str, ...] = ()
    folded: int = 0
    gone: tuple[SegmentFile, ...] = ()


_read_line = msgspec.json.Decoder(_Line).decode


class Manifest:
    """The contents of an archive; seals and files are oldest first.

    Attributes:
        dropped: Paths of files removed by retention, as far as lines still name them.
        gone: The entries of removed files; for folded lines, one sum per kind.
        folded: The last seal whose line was folded; 0 if none was.
        end: Octets of complete lines.
        end_damaged: Whether the last line is damaged, so that the last seal is unknown.
    """

    def __init__(
        self,
        seals: Iterable[Seal],
        files: Iterable[SegmentFile],
        dropped: Collection[str],
        problems: Iterable[str],
        end: int,
        folded: int = 0,
        *,
        end_damaged: bool = False,
    ) -> None:
        self.seals = tuple(seals)
        self.dropped = frozenset(dropped)
        known = tuple(files)
        self.files = tuple(file for file in known if file.path not in self.dropped)
        self.gone = tuple(file for file in known if file.path in self.dropped)
        self.folded = folded
        self.problems = tuple(problems)
        self.end = end
        self.end_damaged = end_damaged

    @property
    def last_seal(self) -> int:
        """Return the number of the last seal; 0 if there is none yet."""
        return self.seals[-1].number if self.seals else 0

    def is_gone(self, path: str) -> bool:
        """Return whether retention has removed a file."""
        if path in self.dropped:
            return True
        number = path.rpartition("/")[2].partition(".")[0]
        return (
            number.isdecimal()
            and 0 < int(number) <= self.folded
            and all(path != file.path for file in self.files)
        )

    def select(
        self,
        kind: str,
        *,
        channels: Collection[str] = (),
        types: Collection[EventTypePattern] = (),
        since_us: int | None = None,
        until_us: int | None = None,
        after_seal: int = 0,
        upto_seal: int | None = None,
    ) -> list[SegmentFile]:
        """Return the files of a kind that may hold such rows, oldest first.

        Channels are names or origins; none given means all, as for event types.
        Time ranges include the start and exclude the end; seal ranges exclude the start and include
        the end.
        """
        last = self.last_seal if upto_seal is None else upto_seal
        return [
            file
            for file in self.files
            if file.kind == kind
            and after_seal < file.seal <= last
            and (since_us is None or file.last_us >= since_us)
            and (until_us is None or file.first_us < until_us)
            and file.may_hold(channels, types)
        ]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of the archive in a folder."""
    path = folder / MANIFEST
    try:
        octets = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ArchiveNotFound(
            f"there is no archive in {folder}: it has no {MANIFEST}; "
            "name the folder that the service was given with --archive"
        ) from error
    except OSError as error:
        raise ArchiveDamaged(f"{path} cannot be read: {error.strerror or error}") from error
    return parse_manifest(octets)


def parse_manifest(octets: bytes) -> Manifest:
    """Parse a manifest, collecting problems; raise ArchiveDamaged if a newer version wrote it."""
    seals: list[Seal] = []
    files: list[SegmentFile] = []
    dropped: set[str] = set()
    problems: list[str] = []
    folded = 0
    end_damaged = False
    *lines, torn = octets.split(b"\n")
    end = len(octets) - len(torn)
    if torn and _checked(torn[:-1]) is not None:  # complete but for its line end
        lines.append(torn)
    for number, text in enumerate(lines, 1):
        line = _checked(text)
        end_damaged = line is None
        if line is None:
            problems.append(
                f"line {number} of {MANIFEST} is damaged; the files it names are not known"
            )
            continue
        if line.number:
            seals.append(Seal(*[getattr(line, name) for name in Seal.__struct_fields__]))
        files += [_file(file, line) for file in (*line.files, *line.gone)]
        dropped.update(line.dropped, (file.path for file in line.gone))
        folded = max(folded, line.folded)
    return Manifest(seals, files, dropped, problems, end, folded, end_damaged=end_damaged)


def _checked(text: bytes) -> _Line | None:
    start = text.rfind(b',"crc32":')
    check = _CHECK.fullmatch(text, start) if start >= 0 else None
    if check is None or crc32(text[:start] + b"}") != int(check[1]):
        return None
    line = None
    # A later format may have changed anything but the member `format`.
    with contextlib.suppress(msgspec.DecodeError):
        line = _read_line(text)
    if line is None or line.format not in {FORMAT, FOLDED_FORMAT}:
        found = msgspec.json.decode(text).get("format")
        raise ArchiveDamaged(
            f"{MANIFEST} has the format {found}, and this version of Tidings reads "
            f"{FORMAT} and {FOLDED_FORMAT}: use the version that wrote it; nothing was changed"
        )
    return line


def _file(file: SegmentFile, line: _Line) -> SegmentFile:
    """Return the file with the members its line states for all files."""
    if file.seal and file.observed_us:
        return file
    seal, observed_us = file.seal or line.number, file.observed_us or line.observed_us
    return replace(file, seal=seal, observed_us=observed_us)


def seal_line(seal: Seal, files: Iterable[SegmentFile]) -> bytes:
    """Encode the line of a seal."""
    short = [replace(file, seal=0, observed_us=0, since=0) for file in files]
    return _written(_Line(**asdict(seal), format=FORMAT, files=tuple(short)))


def folded_lines(
    seal: Seal, files: Sequence[SegmentFile], gone: Iterable[SegmentFile]
) -> Iterator[bytes]:
    """Yield the lines that replace those up to `seal`; `gone` are the removed files."""
    for at in range(0, len(files), _FILES_OF_A_LINE):
        some = tuple(files[at : at + _FILES_OF_A_LINE])
        yield _written(_Line(format=FOLDED_FORMAT, sealed_us=seal.sealed_us, files=some))
    yield _written(
        _Line(**asdict(seal), format=FOLDED_FORMAT, folded=seal.number, gone=tuple(gone))
    )


def drop_line(paths: Collection[str], at: int) -> bytes:
    """Encode the line that drops files."""
    return _written(_Line(format=FORMAT, sealed_us=at, dropped=tuple(sorted(paths))))


def _written(line: _Line) -> bytes:
    octets = _encode(line)
    return b'%b,"crc32":%d}\n' % (octets[:-1], crc32(octets))


def hour_of(time: int) -> int:
    """Return the hour since 1970 of a time in microseconds, within the folders' calendar."""
    return min(max(time // HOUR, _FIRST_HOUR), _LAST_HOUR)


def hour_folder(hour: int) -> str:
    """Return the folder of an hour since 1970: ``date=2026-11-15/hour=17``."""
    return f"{datetime.fromtimestamp(hour * 3600, UTC):date=%4Y-%m-%d/hour=%H}"


_DAMAGED: Final = "{} is damaged: its checksum is not the one it was sealed with"
_AT_ONCE: Final = 1024 * 1024


def content_problem(path: str, octets: bytes, length: int, check: int) -> str | None:
    """Describe how a file's contents differ from what was sealed, or return None."""
    if len(octets) != length:
        return f"{path} has {len(octets)} octets, and {length} were sealed"
    if crc32(octets) != check:
        return _DAMAGED.format(path)
    return None


def _checksum(opened: BinaryIO) -> int:
    """Return a file's checksum, without holding the file in memory."""
    opened.seek(0)
    check = 0
    while part := opened.read(_AT_ONCE):
        check = crc32(part, check)
    return check


def check_file(folder: Path, file: SegmentFile, *, deep: bool = False) -> str | None:
    """Describe what is wrong with a file, or return None; `deep` compares its checksum."""
    path = folder / file.path
    try:
        with path.open("rb") as opened:
            length = os.fstat(opened.fileno()).st_size
            if length != file.octets:
                return f"{file.path} has {length} octets, and {file.octets} were sealed"
            first = opened.read(len(_MAGIC))
            opened.seek(max(length - len(_MAGIC), 0))
            if length < _SHORTEST or first != _MAGIC or opened.read() != _MAGIC:
                return f"{file.path} is no Parquet file: its beginning or end is damaged"
            if deep and _checksum(opened) != file.crc32:
                return _DAMAGED.format(file.path)
    except FileNotFoundError:
        return f"{file.path} is missing"
    except OSError as error:
        return f"{file.path} cannot be read: {error.strerror or error}"
    return None
