"""One page that shows what a job found: figures, charts, and the numbers beside them.

The page needs no network and no script; every text in it is escaped; it follows whether the
reader's screen is dark or light.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidings.errors import DiskFull, InvalidUsage, MissingExtra

_MOST_ROWS: Final = 500  # of a table that a page shows; more are in the job's JSON
_SHORT: Final = 26  # texts up to this length stay on one line


@dataclass(frozen=True, slots=True)
class Figure:
    """A number at the head of a page."""

    title: str  # what it is
    value: str  # the number as it is read
    note: str = ""  # what more is to say; may be empty


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table."""

    headings: Sequence[str]  # of the columns
    rows: Sequence[Sequence[str]]  # the cells as they are read
    numbers: Collection[int] = ()  # positions of columns of numbers, which stand to the right


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a chart, a table, or both side by side."""

    title: str  # what it is about
    text: str = ""  # what it says; may be empty
    chart: Callable[[], str] | None = None  # draws an SVG, when the page is made
    sheet: Sheet | None = None  # the numbers; None for none


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows."""

    title: str  # what was done
    under: str  # of what and when, below the title
    figures: Sequence[Figure] = ()  # the numbers that matter most
    sections: Sequence[Section] = ()  # everything else
    problems: Sequence[str] = ()  # what was wrong with the data; shown first
    made: str = ""  # what made the page, and when; at its end


def page_html(page: Page) -> str:
    """The page as one HTML document."""
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtra("jinja2, which makes pages,", "spark") from error
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    templates = jinja2.Environment(
        loader=loader, autoescape=True, finalize=_printable, trim_blocks=True, lstrip_blocks=True
    )
    return templates.get_template("page.html").render(page=page, most=_MOST_ROWS, short=_SHORT)


def write_page(path: Path, page: Page) -> None:
    """Write a page; who opens the file sees the old one or the new one, never half of one."""
    octets = page_html(page).encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():  # /dev/stdout, for instance: not to be replaced
            path.write_bytes(octets)
            return
        handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(octets)
            Path(made).chmod(0o644)
            Path(made).replace(path)
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise
    except OSError as error:
        told = f"{path}: {error.strerror}; the page was not written"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(told) from error
        raise InvalidUsage(told) from error


def _printable(value: object) -> object:
    """Text in which what a screen cannot show is told by its number."""
    if type(value) is not str:
        return value
    return "".join(c if c.isprintable() or c == "\n" else _spelled(c) for c in value)


def _spelled(character: str) -> str:
    return character.encode("unicode-escape", "surrogatepass").decode("ascii")
