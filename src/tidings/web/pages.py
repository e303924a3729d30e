"""Pages for people: plain HTML that loads nothing from anywhere."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any, Final

from starlette.responses import HTMLResponse

_STYLE: Final = files("tidings.web").joinpath("pages.css").read_text(encoding="utf-8")

_LINKS: Final = (
    ("/", "Console"),
    ("/docs/api", "API"),
    ("/v1/openapi.json", "OpenAPI"),
    ("/metrics", "Metrics"),
    ("/v1/tree", "Tree"),
)
_NAV: Final = "".join(f'<a href="{to}">{name}</a>' for to, name in _LINKS)


HTML_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""Nothing but our own style: a name that somebody chose cannot become a script."""

HTML_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A page for people.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}
"""How a page is described in the API's document."""


def page(title: str, body: str) -> HTMLResponse:
    """A whole page of HTML, in which browsers run no script."""
    shown = escape(title)
    return HTMLResponse(
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{shown}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n"
        f"<header><h1>{shown}</h1><nav>{_NAV}</nav></header>\n{body}\n</body>\n</html>\n",
        headers=HTML_HEADERS,
    )


def row(*cells: object) -> str:
    """A row of a table: numbers to the right, everything else as text."""
    return "<tr>" + "".join(_cell(cell) for cell in cells) + "</tr>"


def _cell(cell: object) -> str:
    return (
        f'<td class="n">{cell:,}</td>' if isinstance(cell, int) else f"<td>{escape(str(cell))}</td>"
    )


def table(heads: tuple[str, ...], rows: list[str], *, numbers: int = 0) -> str:
    """A table of rows that `row` made; the last columns, so many, are of numbers."""
    words = len(heads) - numbers
    head = "".join(
        f"<th>{escape(one)}</th>" if at < words else f'<th class="n">{escape(one)}</th>'
        for at, one in enumerate(heads)
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n'
        f"{''.join(rows)}</tbody></table></div>"
    )
