"""Pages for people: plain HTML that loads nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files
from typing import Any, Final

from starlette.responses import HTMLResponse


def page_file(name: str) -> str:
    """The content of a file that pages are made with, a style sheet or a script."""
    return files("tidings.web").joinpath(name).read_text(encoding="utf-8")


_STYLE: Final = page_file("pages.css")

_LINKS: Final = (
    ("/", "Status"),
    ("/docs/api", "API"),
    ("/v1/openapi.json", "OpenAPI"),
    ("/metrics", "Metrics"),
    ("/v1/tree", "Tree"),
)
_NAV: Final = "".join(f'<a href="{to}">{name}</a>' for to, name in _LINKS)


def _headers(script: str, *, forms: bool = False) -> dict[str, str]:
    """Nothing but our own style and script: a name that someone thought up cannot become one."""
    targets = "'self'" if forms else "'none'"
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"frame-ancestors 'none'; base-uri 'none'; form-action {targets}"
    )
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'; connect-src 'self'"
    found = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    return {**found, "Cache-Control": "no-store"} if forms else found


HTML_HEADERS: Final = _headers("")
"""What every page without a script says to browsers."""

HTML_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A page for people.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}
"""How a page is described in the API's document."""


def page(
    title: str,
    body: str,
    *,
    script: str = "",
    forms: bool = False,
    user: str = "",
    links: bool = True,
) -> HTMLResponse:
    """A whole page of HTML; without a script of the page's own, browsers run none.

    `user` is whoever has logged in and may log out; `forms` lets the page have forms.
    """
    shown = escape(title)
    scripted = f"<script>{script}</script>\n" if script else ""
    head = (f"<nav>{_NAV}</nav>" if links else "") + _log_out(user)
    return HTMLResponse(
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{shown}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n"
        f"<header><h1>{shown}</h1>{head}</header>\n"
        f"{body}\n{scripted}</body>\n</html>\n",
        headers=_headers(script, forms=forms or bool(user)),
    )


def _log_out(user: str) -> str:
    if not user:
        return ""
    return (
        f'<form class="user" method="post" action="/logout"><span>{escape(user)}</span>'
        "<button>Log out</button></form>"
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
