"""Pages for people: plain HTML that loads nothing from anywhere."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from starlette.responses import HTMLResponse

__all__ = ["HTML_ANSWER", "HTML_HEADERS", "page", "row", "table"]

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .75rem .25rem 0; text-align: left;
         vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .5rem; border: 1px solid #8884; }
section { border-top: 1px solid #8886; margin-top: 2rem; }
.bad { color: #c22; font-weight: bold; }
"""
# Nothing but the style above: a name that someone thought up cannot become a script.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

HTML_HEADERS: Final = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
"""What every page says to browsers."""

HTML_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A page for people.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}
"""How a page is described in the API's document."""


def page(title: str, body: str) -> HTMLResponse:
    """A whole page; `body` is HTML, `title` is text."""
    shown = escape(title)
    return HTMLResponse(
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{shown}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{shown}</h1>\n{body}\n</body>\n</html>\n",
        headers=HTML_HEADERS,
    )


def row(*cells: object) -> str:
    """A row of a table: numbers to the right, everything else as text."""
    return "<tr>" + "".join(_cell(cell) for cell in cells) + "</tr>"


def _cell(cell: object) -> str:
    return (
        f'<td class="n">{cell}</td>' if isinstance(cell, int) else f"<td>{escape(str(cell))}</td>"
    )


def table(heads: tuple[str, ...], rows: list[str]) -> str:
    """A table of rows that `row` made."""
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{''.join(rows)}</tbody></table>"
