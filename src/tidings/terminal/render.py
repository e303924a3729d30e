"""All output of commands and demos: the only module that prints.

Results go to standard output, messages about them to standard error. Colour and live displays
appear on terminals only; elsewhere the same content is plain lines. With `use_json`, results and
errors are JSON lines.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from tidings.errors import InvalidConstraint, TidingsError

if TYPE_CHECKING:  # rich takes a tenth of a second to import; many commands print only JSON
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text

# Without a terminal: wide enough for a constraint beside a name.
_WIDTH_WITHOUT_TERMINAL = 100

# Variables that make rich use colour without a terminal.
_COLOUR_ANYWAY = ("FORCE_COLOR", "TTY_COMPATIBLE")

# Shorter input needs no progress bar.
_LONG_INPUT = 8_000_000

# Seconds between two lines about a long job.
_LINE_EVERY = 2.0

# Octets between two redraws: a redraw costs more than reading this much.
_BAR_STEP = 250_000


class Mark(Enum):
    """The result of a part of the constraint."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    ERROR = "error"
    SKIPPED = "not reached"


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One line of a tree: its text, a note, the lines below, and in an explanation its result."""

    text: str
    note: str = ""
    parts: tuple[TreeNode, ...] = ()
    mark: Mark | None = None


# The style of a result, its sign, and the sign for an output without Unicode.
_SIGNS = {
    Mark.TRUE: ("green", "✓", "T"),
    Mark.FALSE: ("red", "✗", "F"),
    Mark.ERROR: ("yellow", "!", "!"),
    Mark.SKIPPED: ("dim", "·", "-"),
}

_json_asked = False


def use_json(asked: bool) -> None:
    """Print results and errors as JSON from now on, or as text."""
    global _json_asked  # noqa: PLW0603 -- one process has one output
    _json_asked = asked


def is_json() -> bool:
    """Return whether results and errors are printed as JSON."""
    return _json_asked


def prepare() -> None:
    """Make both outputs accept all text, and discard writes to a closed one."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _console(stderr: bool = False) -> Console:
    # Created each time: the process's streams may be replaced, as tests do.
    from rich.console import Console

    class _Console(Console):
        """A console that leaves broken pipes to the command tree."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDTH_WITHOUT_TERMINAL
    return _Console(
        stderr=stderr, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False
    )


def _line(*pieces: tuple[str, str], stderr: bool = False) -> None:
    """Write a line of styled texts; without colour it does not import rich."""
    stream = sys.stderr if stderr else sys.stdout
    if not stream.isatty() and not any(name in os.environ for name in _COLOUR_ANYWAY):
        print("".join(_harmless(text) for text, _ in pieces), file=stream, flush=True)
        return
    from rich.text import Text

    line = Text.assemble(*((_harmless(text), style) for text, style in pieces))
    _console(stderr).print(line, soft_wrap=True)


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def _harmless(text: str) -> str:
    """Escape control characters: input must not be able to move the reader's cursor."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    if "\ud800" <= character <= "\udfff":  # cannot be encoded; the output escapes it
        return character
    return character.encode("unicode-escape").decode()


def say(text: str = "", style: str = "") -> None:
    """Print a line of the result."""
    _line((text, style))


def note(text: str, style: str = "") -> None:
    """Print a line about the result on standard error."""
    sys.stdout.flush()  # keeps both in order when they go to the same place
    _line((text, style), stderr=True)


def error(text: str) -> None:
    """Print an error on standard error."""
    _marked("error: ", "bold red", text)


def warning(text: str) -> None:
    """Print a warning on standard error."""
    _marked("warning: ", "bold yellow", text)


def _marked(word: str, style: str, text: str) -> None:
    sys.stdout.flush()
    _line((word, style), (text, ""), stderr=True)


def failure(fault: TidingsError, text: str = "", **place: object) -> None:
    """Print an error on standard error: `text` or its message, or as JSON with its place."""
    if _json_asked:
        as_json(fault_data(fault) | place, stderr=True)
    else:
        error(text or str(fault))


def fault_data(error: TidingsError) -> dict[str, object]:
    """Return an error as plain data, for JSON."""
    data: dict[str, object] = {"error": error.code, "message": str(error)}
    if isinstance(error, InvalidConstraint):
        data |= {"message": error.problem, "line": error.line, "column": error.column}
        if error.hint:
            data["hint"] = error.hint
    return data


def as_json(data: object, stderr: bool = False) -> None:
    """Print a JSON value on one line."""
    try:
        text = msgspec.json.encode(data).decode()
    except UnicodeEncodeError:  # an argument that is not valid text: escape it
        text = json.dumps(data)
    print(text, file=sys.stderr if stderr else sys.stdout, flush=True)


def result(data: object, text: str) -> None:
    """Print a result: a line of text, or JSON."""
    if _json_asked:
        as_json(data)
    else:
        say(text)


def listing(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Collection[int],
    data: Iterable[object],
    none: str,
) -> None:
    """Print objects: the rows of a table, or the data of each as JSON; a note if there are none."""
    if _json_asked:
        for one in data:
            as_json(one)
    elif rows:
        table(headings, rows, numbers)
    else:
        note(none)


class Writer:
    """A writer of unchanged lines to standard output: at once, or in blocks to a file."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._stream = sys.stdout.buffer
        self._at_once = True
        with suppress(OSError, ValueError):  # of a stream in memory
            self._at_once = not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)

    def line(self, octets: bytes) -> None:
        """Write a line, adding a missing line end."""
        self._stream.write(octets if octets.endswith(b"\n") else octets + b"\n")
        if self._at_once:
            self._stream.flush()


def forget_output() -> None:
    """Discard Python's last flush after a broken pipe, which would complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def progress(
    total: int, least: int = _LONG_INPUT, *, lines: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error; yield a callback for the octets read.

    There is no bar for input shorter than `least`, without a terminal, and where the results
    themselves are `lines` on the terminal, which would mix with it.
    """
    if total < least or not sys.stderr.isatty() or (lines and on_terminal()):
        yield lambda octets: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        held = 0

        def advance(octets: int) -> None:
            nonlocal held
            held += octets
            if held >= min(_BAR_STEP, total // 100):
                bar.advance(task, held)
                held = 0

        yield advance


@contextmanager
def steps() -> Iterator[Callable[[str, float], None]]:
    """Show progress on standard error, as a bar or occasional lines; yield a callback."""
    if _json_asked:
        yield lambda step, done: None
        return
    if not sys.stderr.isatty():
        yield _lines_of_steps()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        yield lambda step, done: bar.update(task, description=_harmless(step), completed=done)


def _lines_of_steps() -> Callable[[str, float], None]:
    """Return a callback that prints progress as lines, at a limited rate."""
    last, at = "", -_LINE_EVERY

    def tell(step: str, done: float) -> None:
        nonlocal last, at
        now = time.monotonic()
        if step != last and now - at >= _LINE_EVERY:
            last, at = step, now
            note(f"{done:4.0%}  {step}", "dim")

    return tell


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()
) -> None:
    """Print a table; the columns at positions `numbers` are right-aligned."""
    console = _console()
    with console.capture() as captured:
        console.print(_table(headings, rows, numbers))
    # Rich pads the last column, too: strip it.
    for line in captured.get().splitlines():
        console.file.write(line.rstrip() + "\n")


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int]
) -> Table:
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, heading in enumerate(headings):
        side: JustifyMethod = "right" if index in numbers else "left"
        made.add_column(_harmless(heading), justify=side, overflow="fold")
    for row in rows:
        made.add_row(*(Text(_harmless(cell)) for cell in row))
    return made


@contextmanager
def live_table(
    headings: Sequence[str], numbers: Collection[int]
) -> Iterator[Callable[[Sequence[Sequence[str]]], None]]:
    """Show a table on the terminal; yield a callback that redraws it."""
    from rich.live import Live

    with Live(console=_console(), auto_refresh=False) as live:
        yield lambda rows: live.update(_table(headings, rows, numbers), refresh=True)


def heading(text: str) -> None:
    """Print the title of what follows, after an empty line."""
    say()
    say(text, "bold")


def explanation(verdict: str, matches: bool, where: str, tree: TreeNode | None) -> None:
    """Print whether and why a constraint matched: the answer, the event, the tree if any."""
    say(verdict, "bold green" if matches else "bold red")
    if where:
        say(f"  {where}", "dim")
    if tree is None:
        return
    say()
    marked([tree])


def marked(nodes: Sequence[TreeNode]) -> None:
    """Print trees whose lines have results."""
    console = _console()
    unicode = _has_unicode(console)
    rows = [row for node in nodes for row in _rows(node, "", "", unicode)]
    width = max((len(guide) + len(node.text) for guide, node in rows), default=0) + 3
    for guide, node in rows:
        console.print(_row(guide, node, width, unicode), soft_wrap=True)


def _has_unicode(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")


def outline(nodes: Sequence[TreeNode]) -> None:
    """Print trees as plain lines."""
    console = _console()
    for line in _outline(console, nodes):
        console.print(line, soft_wrap=True)


@contextmanager
def live_outline() -> Iterator[Callable[[Sequence[TreeNode]], None]]:
    """Show trees on the terminal; yield a callback that redraws them."""
    from rich.live import Live
    from rich.text import Text

    console = _console()
    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:
        yield lambda nodes: live.update(Text("\n").join(_outline(console, nodes)), refresh=True)


def _outline(console: Console, nodes: Sequence[TreeNode]) -> Iterator[Text]:
    from rich.text import Text

    unicode = _has_unicode(console)
    for node in nodes:
        for guide, one in _rows(node, "", "", unicode):
            note = f"   {_harmless(one.note)}" if one.note else ""
            style = "bold" if one is node else ""
            yield Text.assemble((guide, "dim"), (_harmless(one.text), style), (note, "dim"))


def _rows(tree: TreeNode, guide: str, below: str, unicode: bool) -> Iterator[tuple[str, TreeNode]]:
    yield guide, tree
    inner, last, pass_by = ("├─ ", "└─ ", "│  ") if unicode else ("|- ", "`- ", "|  ")
    for part in tree.parts:
        lead, under = (last, "   ") if part is tree.parts[-1] else (inner, pass_by)
        yield from _rows(part, below + lead, below + under, unicode)


def _row(guide: str, node: TreeNode, width: int, unicode: bool) -> Text:
    from rich.text import Text

    assert node.mark is not None
    style, sign, plain_sign = _SIGNS[node.mark]
    row = Text()
    row.append(guide, "dim")
    row.append(f"{sign if unicode else plain_sign} ", style)
    row.append(node.text, style if node.mark is Mark.SKIPPED else "")
    if node.note:
        row.append(" " * (width - len(guide) - len(node.text)))
        row.append(node.note, "yellow" if node.mark is Mark.ERROR else "dim")
    return row
