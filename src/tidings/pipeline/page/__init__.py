"""HTML pages with the results of a job: figures, charts and tables.

A page needs no network and no script, escapes every text, and follows the reader's dark or light
mode.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidings.clock import moment_text
from tidings.errors import DiskFull, InvalidUsage, MissingExtra
from tidings.stores.files import FULL

_MOST_ROWS: Final = 500  # per table; the job's JSON has all
_SHORT: Final = 26  # texts up to this length are not wrapped
_UNITS: Final = ("B", "kB", "MB", "GB", "TB", "PB")
_WITHOUT_TYPE: Final = "(no type)"


@dataclass(frozen=True, slots=True)
class Figure:
    """A key figure at the top of a page."""

    title: str
    value: str  # as displayed
    note: str = ""  # optional


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]  # as displayed
    numbers: Collection[int] = ()  # indexes of numeric columns, which are right-aligned


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a chart, a table, or both side by side."""

    title: str
    text: str = ""  # optional
    chart: Callable[[], str] | None = None  # draws an SVG when the page is rendered
    sheet: Sheet | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Content of a page."""

    title: str
    under: str  # subtitle
    figures: Sequence[Figure] = ()
    sections: Sequence[Section] = ()
    problems: Sequence[str] = ()  # problems of the data; shown first
    made: str = ""  # footer: when and by what the page was made


def page_html(page: Page) -> str:
    """Render a page as one HTML document."""
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
    """Write a page atomically."""
    octets = page_html(page).encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():  # such as /dev/stdout, which must not be replaced
            path.write_bytes(octets)
            return
        # A name that nobody can foresee: the folder may be others', too.
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
        kind = DiskFull if error.errno in FULL else InvalidUsage
        raise kind(f"{path}: {error.strerror}; the page was not written") from error


def _printable(value: object) -> object:
    """Replace unprintable characters with their code points."""
    if type(value) is not str:
        return value
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode-escape", "surrogatepass").decode()
        for c in value
    )


def count_text(count: float) -> str:
    """Format a number with thousands separators."""
    return f"{count:,.0f}"


def octets_text(octets: float) -> str:
    """Format a size, in powers of 1,000."""
    for unit in _UNITS[:-1]:
        if octets < 1_000:
            return f"{octets:.0f} {unit}" if unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1_000
    return f"{octets:.1f} {_UNITS[-1]}"


def share_text(share: float) -> str:
    """Format a fraction in per cent; a small one is not shown as zero."""
    return "<0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def duration_text(milliseconds: float) -> str:
    """Format a duration in the most readable unit."""
    if milliseconds < 1:
        return f"{milliseconds:.2f} ms"
    if milliseconds < 1_000:
        return f"{milliseconds:.1f} ms"
    seconds = milliseconds / 1_000
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7_200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3_600:.1f} h"


def second_text(microseconds: int) -> str:
    """Format a time to the second, in UTC."""
    return moment_text(microseconds // 1_000_000 * 1_000_000)


def type_text(domain: str, type: str) -> str:
    """Format an event type."""
    if not domain:
        return type or _WITHOUT_TYPE
    return f"{domain}::{type}"
