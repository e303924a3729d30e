"""One page that shows what a job found: figures, charts, and the numbers beside them.

The page needs no network and no script; every text in it is escaped; it follows whether the
reader's screen is dark or light.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tidings.errors import DiskFull, InvalidUsage

# Rows of a table that a page shows; more are in the job's JSON.
MOST_ROWS: Final = 500

# Texts up to this length stay on one line.
SHORT: Final = 26

_STYLE: Final = """
:root { color-scheme: light dark; --ground: #fbfbfa; --card: #fff; --text: #1d2329;
  --quiet: #5b6570; --line: #dfe3e7; --accent: #2f6db5; --bad: #b3352f; --bad-ground: #fdf1f0; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --card: #1c2024; --text: #e6e9ec;
  --quiet: #9aa5b0; --line: #343b42; --accent: #7fb0ea; --bad: #f08a84; --bad-ground: #2c1d1d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 0 0 4px; }
p { margin: 0 0 12px; max-width: 75ch; }
.under { color: var(--quiet); margin-bottom: 28px; max-width: none; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr));
  gap: 12px; margin: 0 0 28px; padding: 0; list-style: none; }
.figures li { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 14px 16px; }
.figures .value { display: block; font-size: 23px; font-weight: 600; line-height: 1.25;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figures .title { color: var(--quiet); font-size: 13px; }
.figures .note { display: block; color: var(--quiet); font-size: 12.5px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 20px 22px; margin: 0 0 18px; }
section > p { color: var(--quiet); }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 20px 32px; margin-top: 12px; }
@media (min-width: 1000px) {
  .pair.both { grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); }
  .pair.wide { grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); } }
.chart svg { max-width: 100%; height: auto; display: block; overflow: visible; }
.sheet { overflow-x: auto; max-height: 460px; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; font-weight: 600; color: var(--quiet); position: sticky; top: 0;
  background: var(--card); white-space: nowrap; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 16ch; }
td.short, td.number { white-space: nowrap; min-width: 0; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 2px; }
tr:last-child td { border-bottom: 0; }
.problems { border-color: var(--bad); background: var(--bad-ground); }
.problems h2 { color: var(--bad); }
.problems ul { margin: 8px 0 0; padding-left: 20px; }
footer { color: var(--quiet); font-size: 12.5px; margin-top: 28px; }
code { font-family: ui-monospace, "SFMono-Regular", Menlo, monospace; font-size: 0.93em; }
@media print { body { background: #fff; } section, .figures li { break-inside: avoid; }
  .sheet { max-height: none; } }
"""

# Nothing may be fetched and nothing may run, whatever a text in the page looks like.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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
    chart: str = ""  # SVG of `report_charts`; empty for none
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
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(page.title)}</title><style>{_STYLE}</style></head><body><main>",
        f'<h1>{_text(page.title)}</h1><p class="under">{_text(page.under)}</p>',
        *_figures(page.figures),
        *_problems(page.problems),
        *(_section(one) for one in page.sections),
        f"<footer>{_text(page.made)}</footer></main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def write_page(path: Path, page: Page) -> None:
    """Writes a page; who opens the file sees the old one or the new one, never half of one.

    Raises:
        InvalidUsage: It cannot be written there.
        DiskFull: There is no room.
    """
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


def _text(text: str) -> str:
    """Text that cannot become markup, with what a screen cannot show told by its number."""
    shown = "".join(c if c.isprintable() or c == "\n" else _spelled(c) for c in text)
    return escape(shown, quote=True)


def _spelled(character: str) -> str:
    return character.encode("unicode-escape", "surrogatepass").decode("ascii")


def _figures(figures: Sequence[Figure]) -> Iterable[str]:
    if not figures:
        return
    yield '<ul class="figures">'
    for one in figures:
        note = f'<span class="note">{_text(one.note)}</span>' if one.note else ""
        value = f'<span class="value">{_text(one.value)}</span>'
        yield f'<li><span class="title">{_text(one.title)}</span>{value}{note}</li>'
    yield "</ul>"


def _problems(problems: Sequence[str]) -> Iterable[str]:
    if not problems:
        return
    listed = "".join(f"<li>{_text(one)}</li>" for one in problems[:MOST_ROWS])
    yield f'<section class="problems"><h2>Problems: {len(problems)}</h2><ul>{listed}</ul></section>'


def _section(section: Section) -> str:
    both = ""
    if section.chart and section.sheet:
        both = " wide" if len(section.sheet.headings) > 4 else " both"
    text = f"<p>{_text(section.text)}</p>" if section.text else ""
    chart = f'<div class="chart">{section.chart}</div>' if section.chart else ""
    sheet = _sheet(section.sheet) if section.sheet else ""
    pair = f'<div class="pair{both}">{chart}{sheet}</div>' if chart or sheet else ""
    return f"<section><h2>{_text(section.title)}</h2>{text}{pair}</section>"


def _sheet(sheet: Sheet) -> str:
    def cell(tag: str, at: int, text: str) -> str:
        kind = "number" if at in sheet.numbers else "short" if len(text) <= SHORT else ""
        return f'<{tag} class="{kind}">{_text(text)}</{tag}>'

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(cell(tag, at, text) for at, text in enumerate(row))

    rows = "".join(f"<tr>{cells('td', row)}</tr>" for row in sheet.rows[:MOST_ROWS])
    left = len(sheet.rows) - MOST_ROWS
    more = f"<p>{left:,} more rows are not shown here.</p>" if left > 0 else ""
    head = f"<thead><tr>{cells('th', sheet.headings)}</tr></thead>"
    return f'<div class="sheet"><table>{head}<tbody>{rows}</tbody></table>{more}</div>'
