"""The manifest: one line per seal, and per drop; what it does not name is not in the archive.

Old lines are folded when it has grown long (`compaction.py`): then lines of their own name the
files of many seals, and one line stands for the last of these seals and sums up what is gone.

A line ends with its own CRC-32, taken over the line without that member. What stands behind the
last end of a line is torn, because its writer was killed or is still at it: it does not count. A
whole line that is bad is a problem that is told, and the rest counts.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec
from msgspec.structs import asdict, replace

from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.filters.constraint import EventTypePattern
from tidings.stores.segments import Cursor

MANIFEST: Final = "manifest.jsonl"
FORMAT: Final = 1
"""The number of this form; an archive with a higher one is not read."""
FOLDED_FORMAT: Final = 2
"""The number of the form that folded lines have."""
MOST_LISTED: Final = 200
"""Channels, types and other names of a file are listed up to so many."""

# A line that is damaged costs what it names: not more than this.
_FILES_OF_A_LINE: Final = 100

_CHECK: Final = re.compile(rb',"crc32":([0-9]{1,10})\}')


class SegmentFile(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A file of the archive.

    Attributes:
        kind: One of `schema.KINDS`.
        path: Inside the archive.
        first_us: The earliest time of a row.
        last_us: The latest time of a row.
        channels: Origin and name of each channel with rows here; None: not listed.
        types: Domain and type of the events; None: not listed.
        names: Names of the events' properties by column, and ``*`` if some events are bare values;
            None: not listed.
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


class Gap(msgspec.Struct, frozen=True, rename={"since": "from", "upto": "to"}):
    """A part of the journal that was gone before it was archived."""

    since: Cursor
    upto: Cursor


class Seal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the line of a seal says beside its files.

    Attributes:
        number: From 1 on; 0 in lines that are not of a seal.
        sealed_us: When.
        cursor: All of the journal before this place is in the archive.
        books: The file with the state after the seal, inside the archive.
        gap: What of the journal was gone, if something was.
        damaged: How many records of the journal were unreadable.
        stray: How many outcomes were of events that are not in the archive.
        observed_us: When, in observed time (`ObservedTime`); ages are counted in it.
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
_encode = msgspec.json.Encoder().encode


class Manifest:
    """What is in an archive.

    Attributes:
        seals: All of them, oldest first.
        files: Those that are there, oldest first.
        dropped: The paths of those that retention has removed, as far as lines still name them.
        gone: What is known of them; for those whose lines were folded, their sum for each kind.
        folded: The lines of seals up to this one were folded; 0 if none was.
        problems: What is wrong with the manifest, in words.
        end: So many octets of the manifest are lines: what is behind is no whole one.
        end_damaged: Whether its last line is damaged: then nobody knows which seal is the last.
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
        """The number of the last seal; 0 if there is none yet."""
        return self.seals[-1].number if self.seals else 0

    def is_gone(self, path: str) -> bool:
        """Whether retention has removed a file that was once named."""
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
        channels: Collection[str] | None = None,
        types: Iterable[EventTypePattern] | None = None,
        since_us: int | None = None,
        until_us: int | None = None,
        after_seal: int = 0,
        upto_seal: int | None = None,
    ) -> list[SegmentFile]:
        """The files that may hold rows that are asked for, oldest first.

        Args:
            kind: One of `schema.KINDS`.
            channels: Names or origins; None or none at all: of all channels.
            types: Of events; None or none at all: of all types.
            since_us: Rows from this time on.
            until_us: Rows before this time.
            after_seal: Files of later seals only.
            upto_seal: Files up to this seal only.
        """
        patterns = None if types is None else list(types)
        wanted = None if channels is None else set(channels)
        last = self.last_seal if upto_seal is None else upto_seal
        return [
            file
            for file in self.files
            if file.kind == kind
            and after_seal < file.seal <= last
            and (since_us is None or file.last_us >= since_us)
            and (until_us is None or file.first_us < until_us)
            and (not wanted or _has_channel(file, wanted))
            and (not patterns or _has_type(file, patterns))
        ]


def _has_channel(file: SegmentFile, wanted: set[str]) -> bool:
    return file.channels is None or any(
        origin in wanted or name in wanted for origin, name in file.channels
    )


def _has_type(file: SegmentFile, patterns: list[EventTypePattern]) -> bool:
    return file.types is None or any(
        pattern.matches(domain, type_) for domain, type_ in file.types for pattern in patterns
    )


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the archive in a folder.

    Raises:
        ArchiveNotFound: There is none.
        ArchiveDamaged: It was written by a newer version.
    """
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
    """The manifest in these octets; whatever is wrong with them is among its problems.

    Raises:
        ArchiveDamaged: It was written by a newer version.
    """
    seals: list[Seal] = []
    files: list[SegmentFile] = []
    dropped: set[str] = set()
    problems: list[str] = []
    folded = 0
    end_damaged = False
    *lines, torn = octets.split(b"\n")
    end = len(octets) - len(torn)
    if torn and _checked(torn[:-1]) is not None:  # only its end is damaged: it was whole
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
    # A later format may have changed anything but the member that names it.
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
    """The file with what its line says for all files."""
    if file.seal and file.observed_us:
        return file
    seal, observed_us = file.seal or line.number, file.observed_us or line.observed_us
    return replace(file, seal=seal, observed_us=observed_us)


def seal_line(seal: Seal, files: Iterable[SegmentFile]) -> bytes:
    """The line of a seal."""
    short = [replace(file, seal=0, observed_us=0, since=0) for file in files]
    return _written(_Line(**asdict(seal), format=FORMAT, files=tuple(short)))


def folded_lines(
    seal: Seal, files: Sequence[SegmentFile], gone: Iterable[SegmentFile]
) -> Iterator[bytes]:
    """The lines that replace those of many seals.

    Args:
        seal: The last of these seals, with the gaps and damage of all of them.
        files: Those that exist.
        gone: What is known of those that do not.
    """
    for at in range(0, len(files), _FILES_OF_A_LINE):
        some = tuple(files[at : at + _FILES_OF_A_LINE])
        yield _written(_Line(format=FOLDED_FORMAT, sealed_us=seal.sealed_us, files=some))
    yield _written(
        _Line(**asdict(seal), format=FOLDED_FORMAT, folded=seal.number, gone=tuple(gone))
    )


def drop_line(paths: Collection[str], at: int) -> bytes:
    """The line that says that files are gone."""
    return _written(_Line(format=FORMAT, sealed_us=at, dropped=tuple(sorted(paths))))


def _written(line: _Line) -> bytes:
    octets = _encode(line)
    return b'%b,"crc32":%d}\n' % (octets[:-1], crc32(octets))
