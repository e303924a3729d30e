"""Input of commands: events and constraints, one line in memory at a time."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from tidings.clock import SystemClock, duration_us
from tidings.errors import BadInput, InvalidUsage, LimitExceeded, TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.events.envelope import Envelope
    from tidings.events.structured import StructuredEvent

STDIN = "-"
_BOM = b"\xef\xbb\xbf"
_INSIDE = re.compile(r"line (\d+), column (\d+): (.*)", re.DOTALL)

# The longest line held in memory. Codecs have lower limits; this is for input without
# line ends.
MAX_LINE = 16_000_000
# A file of constraints is read whole. Ten thousand long ones fit.
MAX_CONSTRAINT_FILE = 16_000_000
# In a file of something else than events, every line is bad.
_BAD_LINES_SHOWN: Final = 100


Decoder: TypeAlias = Callable[[bytes], "StructuredEvent | Envelope"]
"""Decodes an event; raises a TidingsError if the octets are invalid."""


@dataclass(frozen=True, slots=True)
class Line:
    """Octets that should be one event, and their source and line number."""

    source: str
    number: int
    octets: bytes

    @property
    def where(self) -> str:
        """Return the position in a compiler's notation."""
        return f"{shown_name(self.source)}:{self.number}"

    def fault(self, error: TidingsError) -> str:
        """Return the position and the error."""
        inside = _INSIDE.match(str(error))
        if not self.source:
            return str(error)
        if inside is None:
            return f"{self.where}: {error}"
        line, column, problem = inside.groups()
        return f"{shown_name(self.source)}:{self.number + int(line) - 1}:{column}: {problem}"

    @property
    def blank(self) -> bool:
        """Return whether the line is empty."""
        return not self.octets.strip()

    @property
    def content(self) -> bytes:
        """Return the octets without byte-order mark and line end."""
        return self.octets.removeprefix(_BOM).rstrip(b"\r\n")

    def event(self, decode: Decoder) -> StructuredEvent:
        """Decode the event; raise TidingsError if it is invalid."""
        if len(self.octets) > MAX_LINE:
            raise LimitExceeded(f"the line has more than {MAX_LINE} octets")
        from tidings.events.envelope import Envelope

        found = decode(self.content)
        return found.event if isinstance(found, Envelope) else found


class EventReader:
    """A reader of events in lines; counts invalid ones (`bad`), and shows the first of them."""

    def __init__(self, form: str) -> None:
        from tidings.plugins import LINE_FORMATS

        self.bad = 0
        self._decode: Decoder = LINE_FORMATS.load(form)  # type: ignore[assignment]

    def decode(self, lines: Iterable[Line]) -> Iterator[tuple[Line, StructuredEvent]]:
        """Yield the events of lines, without empty and invalid ones."""
        for line in lines:
            if line.blank:
                continue
            try:
                event = line.event(self._decode)
            except TidingsError as error:
                self._add_bad(line, error)
            else:
                yield line, event

    def events_in(self, source: str) -> Iterator[tuple[Line, StructuredEvent]]:
        """Yield the events of a file, which may be spread over lines."""
        with opened(source) as stream:
            yield from self.decode(events_in(stream, source))

    def _add_bad(self, line: Line, error: TidingsError) -> None:
        self.bad += 1
        if render.is_json() or self.bad <= _BAD_LINES_SHOWN:
            place = {"file": shown_name(line.source), "line": line.number}
            render.failure(error, line.fault(error), **place)
        elif self.bad == _BAD_LINES_SHOWN + 1:
            render.error("further lines that are no events are only counted")

    def summary(self) -> str:
        """Return the end of a summary sentence."""
        if not self.bad:
            return ""
        return "; 1 line is no event" if self.bad == 1 else f"; {self.bad} lines are no events"


def shown_name(source: str) -> str:
    """Return a file's name for messages, even if it is not valid text."""
    if source == STDIN:
        return "standard input"
    return source.encode(errors="surrogateescape").decode(errors="replace")


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`; raise InvalidUsage if that fails."""
    if source == STDIN:
        if sys.stdin is None:  # closed by the parent process
            raise InvalidUsage("standard input is closed")
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(source).open("rb"))
        except (OSError, ValueError) as error:  # ValueError: a name with a zero octet
            raise InvalidUsage(f"{shown_name(source)}: {reason(error)}") from error
        yield stream


def replace_file(name: str, text: str) -> None:
    """Replace a file atomically: a full disk leaves the old one."""
    beside = Path(f"{name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, name)  # noqa: PTH105 -- the name may not be a valid Path
    except (OSError, ValueError) as error:
        raise InvalidUsage(f"{shown_name(name)}: {reason(error)}") from error


def check_readable(sources: Iterable[str]) -> None:
    """Check that all files are readable, before any is processed."""
    for source in sources:
        if source != STDIN and not Path(source).is_fifo():  # a FIFO can be opened only once
            with opened(source):
                pass


def reason(error: Exception) -> str:
    """Return the system's error text, without number and file name."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return said[:1].lower() + said[1:]


def lines_in(stream: BinaryIO, source: str) -> Iterator[Line]:
    """Yield the lines of a stream as they arrive; lines over the limit are cut."""
    number = 0
    try:
        while octets := stream.readline(MAX_LINE + 1):
            number += 1
            rest = octets
            while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
                rest = stream.readline(MAX_LINE + 1)
            yield Line(source, number, octets)
    except OSError as error:  # some systems can open a directory, and disks fail
        raise InvalidUsage(f"{shown_name(source)}: {reason(error)}") from error


def events_in(stream: BinaryIO, source: str) -> Iterator[Line]:
    """Yield one event per line, or one spread over lines from a `{` alone to a `}` alone."""
    waiting: list[Line] = []
    size = 0
    for line in lines_in(stream, source):
        text = line.octets.rstrip()
        if waiting or text.removeprefix(_BOM) == b"{":
            waiting.append(line)
            size += len(line.octets)
            if text == b"}" or size > MAX_LINE:
                yield _joined(waiting)
                waiting, size = [], 0
        elif not line.blank:
            yield line
    if waiting:
        yield _joined(waiting)


def _joined(lines: list[Line]) -> Line:
    return Line(lines[0].source, lines[0].number, b"".join(line.octets for line in lines))


def bytes_ahead(sources: Iterable[str]) -> int:
    """Return the size of all sources together; 0 if one of them is not a regular file."""
    total = 0
    for source in sources:
        try:
            found = os.fstat(sys.stdin.fileno()) if source == STDIN else Path(source).stat()
        except (AttributeError, OSError, ValueError):  # closed, gone, or in memory
            return 0
        if not stat.S_ISREG(found.st_mode):
            return 0
        total += found.st_size
    return total


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a constraint, and its source."""

    text: str
    file: str = ""
    line: int = 1

    def place(self, line: int, column: int) -> str:
        """Return a position inside the text, for messages."""
        if self.file:
            return f"{self.file}:{self.line + line - 1}:{column}"
        return f"line {line}, column {column}"


def constraints_in_file(source: str) -> list[Written]:
    """Read a file's constraints: one per line, continued by lines that begin with a blank.

    Empty lines, and lines that begin with `#`, are ignored. Raises InvalidUsage if the file cannot
    be read or holds no constraint.
    """
    with opened(source) as stream:
        octets = whole(stream, source)
    try:
        text = octets.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        line = octets.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{shown_name(source)}:{line}: this is not UTF-8 text") from error
    found = list(_constraints(text, shown_name(source)))
    if not found:
        raise InvalidUsage(f"{shown_name(source)} holds no constraint; TRUE matches everything")
    return found


def whole(stream: BinaryIO, source: str) -> bytes:
    """Read a whole file of constraints or configuration, up to a size limit."""
    try:
        octets = stream.read(MAX_CONSTRAINT_FILE + 1)
    except OSError as error:
        raise InvalidUsage(f"{shown_name(source)}: {reason(error)}") from error
    if len(octets) > MAX_CONSTRAINT_FILE:
        raise LimitExceeded(f"{shown_name(source)} has more than {MAX_CONSTRAINT_FILE} octets")
    return octets


def _constraints(text: str, file: str) -> Iterator[Written]:
    held: list[str] = []
    start = 0
    # A comment inside a constraint becomes an empty line, so that positions stay right.
    for number, line in enumerate(text.split("\n"), 1):
        content = "" if line.startswith("#") else line.rstrip()
        if content and not content[0].isspace() and held:
            yield _written(held, file, start)
            held = []
        if content and not held:
            start = number
        if content or held:
            held.append(content)
    if held:
        yield _written(held, file, start)


def _written(lines: list[str], file: str, start: int) -> Written:
    return Written("\n".join(lines).rstrip(), file, start)


_UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(text: str) -> int:
    """Parse an ISO 8601 time with a time zone to microseconds since 1970."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidUsage(f"{text!r} is no time; write it as 2026-11-15T08:30:00Z") from error
    if found.tzinfo is None:
        raise InvalidUsage(f"{text!r} names no time zone; add Z for UTC: {text}Z")
    return (found - _UNIX_EPOCH) // timedelta(microseconds=1)


def end(expires: str | None) -> int | None:
    """Return when something ends, by `--expires`: after a duration, or at a time; None: never."""
    if expires is None:
        return None
    length = duration_us(expires)
    if length is not None:
        return SystemClock().now() + length
    try:
        return moment(expires)
    except InvalidUsage as error:
        raise InvalidUsage(
            f"--expires: {error}, or as a duration such as 90s, 2h or 30d"
        ) from error
