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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import msgspec

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


class SegmentFile(NamedTuple):
    """A file of the archive.

    Attributes:
        kind: One of `schema.KINDS`.
        path: Inside the archive.
        rows: How many it has.
        octets: How long it is.
        crc32: Of all of it.
        first_us: The earliest time of a row.
        last_us: The latest.
        channels: Origin and name of those its rows are of; None: not listed.
        types: Domain and type of its events; None: not listed.
        names: Names of its events' properties by column, and ``*`` if there are bare values
            among them; None: not listed.
        sums: By origin, how many rows, and the sum of their seqs (versions, ids).
        seal: By which seal it came.
        observed_us: When it came, in observed time (`ObservedTime`).
        since: If it was merged of the files of several seals, the first of these; otherwise 0.
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
    names: Mapping[str, tuple[str, ...]] | None
    sums: Mapping[str, tuple[int, int]]
    seal: int
    observed_us: int = 0
    since: int = 0


class Gap(NamedTuple):
    """A stretch of the journal that was gone before it was archived."""

    since: Cursor
    upto: Cursor


class Seal(NamedTuple):
    """What a line says beside its files.

    Attributes:
        number: From 1 on.
        sealed_us: When.
        cursor: All of the journal before it is in the archive.
        books: The file with the state after it, inside the archive.
        books_crc32: Of that file.
        gap: What of the journal was gone, if something was.
        damaged: How many records of the journal could not be read.
        stray: How many outcomes were of events that are not in the archive.
        observed_us: When, in observed time (`ObservedTime`); ages are counted by it.
    """

    number: int
    sealed_us: int
    cursor: Cursor
    books: str
    books_crc32: int
    gap: Gap | None
    damaged: int
    stray: int
    observed_us: int = 0


class _File(msgspec.Struct, gc=False):
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


class _Gap(msgspec.Struct, rename={"since": "from", "upto": "to"}):
    since: tuple[int, int]
    upto: tuple[int, int]


class _Line(msgspec.Struct):
    format: int
    sealed_us: int
    seal: int = 0
    cursor: tuple[int, int] = (0, 0)
    files: tuple[_File, ...] = ()
    books: str = ""
    books_crc32: int = 0
    gap: _Gap | None = None
    damaged: int = 0
    stray: int = 0
    observed_us: int = 0
    dropped: tuple[str, ...] = ()
    folded: int = 0
    gone: tuple[_File, ...] = ()


_line_of = msgspec.json.Decoder(_Line).decode
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
        if line.seal:
            seals.append(_seal(line))
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
        line = _line_of(text)
    if line is None or line.format not in {FORMAT, FOLDED_FORMAT}:
        found = msgspec.json.decode(text).get("format")
        raise ArchiveDamaged(
            f"{MANIFEST} has the format {found}, and this version of Tidings reads "
            f"{FORMAT} and {FOLDED_FORMAT}: use the version that wrote it; nothing was changed"
        )
    return line


def _seal(line: _Line) -> Seal:
    gap = None
    if line.gap is not None:
        gap = Gap(Cursor(*line.gap.since), Cursor(*line.gap.upto))
    return Seal(
        line.seal,
        line.sealed_us,
        Cursor(*line.cursor),
        line.books,
        line.books_crc32,
        gap,
        line.damaged,
        line.stray,
        line.observed_us,
    )


def _file(file: _File, line: _Line) -> SegmentFile:
    return SegmentFile(
        file.kind,
        file.path,
        file.rows,
        file.octets,
        file.crc32,
        file.first_us,
        file.last_us,
        file.channels,
        file.types,
        file.names,
        file.sums,
        file.seal or line.seal,
        file.observed_us or line.observed_us,
        file.since,
    )


def seal_line(seal: Seal, files: Iterable[SegmentFile]) -> bytes:
    """The line of a seal."""
    return _with_check(_plain_seal(seal, FORMAT) | {"files": [_plain(file) for file in files]})


def _plain_seal(seal: Seal, form: int) -> dict[str, Any]:
    gap = seal.gap and {"from": seal.gap.since, "to": seal.gap.upto}
    return {
        "format": form,
        "seal": seal.number,
        "sealed_us": seal.sealed_us,
        "cursor": seal.cursor,
        "files": [],
        "books": seal.books,
        "books_crc32": seal.books_crc32,
        "gap": gap,
        "damaged": seal.damaged,
        "stray": seal.stray,
        "observed_us": seal.observed_us,
    }


def _plain(file: SegmentFile) -> dict[str, Any]:
    plain = file._asdict()
    for name in ("seal", "observed_us", "since"):  # the line says it
        del plain[name]
    return plain


def folded_lines(
    seal: Seal, files: Sequence[SegmentFile], gone: Iterable[SegmentFile]
) -> Iterator[bytes]:
    """The lines that stand for those of many seals.

    Args:
        seal: The last of them, with what all of them say of gaps and damage.
        files: Those that are there.
        gone: What is known of those that are not.
    """
    for at in range(0, len(files), _FILES_OF_A_LINE):
        some = [file._asdict() for file in files[at : at + _FILES_OF_A_LINE]]
        yield _with_check({"format": FOLDED_FORMAT, "sealed_us": seal.sealed_us, "files": some})
    summed = {"folded": seal.number, "gone": [file._asdict() for file in gone]}
    yield _with_check(_plain_seal(seal, FOLDED_FORMAT) | summed)


def drop_line(paths: Collection[str], at: int) -> bytes:
    """The line that says that files are gone."""
    return _with_check({"format": FORMAT, "dropped": sorted(paths), "sealed_us": at})


def _with_check(plain: Mapping[str, Any]) -> bytes:
    octets = _encode(plain)
    return b'%b,"crc32":%d}\n' % (octets[:-1], crc32(octets))
