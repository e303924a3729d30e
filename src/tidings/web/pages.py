"""Pages for people that can be read without JavaScript."""

from __future__ import annotations

from html import escape
from typing import Any, Final

_HEAD: Final = """\
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console/css/base.css">
<link rel="stylesheet" href="/console/css/shell.css">
<link rel="stylesheet" href="/console/css/parts.css">
<link rel="stylesheet" href="/console/css/api.css">
<script src="/console/theme.js"></script>
<script type="module" src="/console/api.js"></script>"""

HTML_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A page for people.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}
"""How a page is described in the API's document."""


def page(title: str, contents: str, main: str) -> str:
    """A whole page of HTML in the frame of the console, with a list of contents at its side."""
    shown = escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{_HEAD}\n<title>{shown}</title>\n</head>\n'
        '<body class="api">\n<div id="console">\n<header class="side"><div class="brand">'
        '<img src="/console/icon.svg" alt="" width="20" height="20"> Tidings</div>\n'
        '<div class="side-body open">'
        f'<nav class="contents" aria-label="Operations">{contents}</nav>\n'
        '<p class="links"><a href="/">Console</a> <a href="/v1/openapi.json">OpenAPI</a></p>'
        f'</div></header>\n<main id="main" tabindex="-1"><h1>{shown}</h1>\n{main}</main>\n</div>\n'
        "</body>\n</html>\n"
    )


def row(*cells: str) -> str:
    """A row of a table of texts."""
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def table(heads: tuple[str, ...], rows: list[str]) -> str:
    """A table of rows."""
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n'
        f"{''.join(rows)}</tbody></table></div>"
    )
