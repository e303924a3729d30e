"""Pages for people: plain HTML that loads nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Any, Final

from starlette.responses import HTMLResponse

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b2430; --soft: #5a6675; --line: #dce2e9; --paper: #fff;
        --raised: #f5f7fa; --link: #1a5fb4; --good: #18794e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --soft: #9aa6b5; --line: #333c48; --paper: #14181e; --raised: #1d232b;
          --link: #7db4ff; --good: #5fd39b; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       margin: 0; }
body > * { margin: 0 auto; max-width: 76rem; padding: 0 1.25rem; }
body > header { align-items: baseline; border-bottom: 1px solid var(--line); display: flex;
                flex-wrap: wrap; gap: .25rem 1.5rem; padding-block: .75rem; }
body > header nav { display: flex; flex-wrap: wrap; gap: 0 1rem; }
body > footer { color: var(--soft); font-size: .875rem; padding-block: 1rem 2rem; }
h1 { font-size: 1.35rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9375rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere;
         padding: .35rem 1rem .35rem 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
td { min-width: 4.5rem; }
td:first-child { min-width: 9rem; }
td:first-child code { white-space: nowrap; }
th.n, td.n { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
tr > :last-child { padding-right: 0; }
code, pre { font: .875em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--raised); border-radius: .4rem; font-size: .8125rem; margin: .5rem 0;
      overflow-x: auto; padding: .6rem .8rem; }
.soft { color: var(--soft); }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr));
         margin: 1.25rem 0 0; }
.tiles > div { background: var(--raised); border-radius: .5rem; padding: .6rem .9rem; }
.tiles dt { color: var(--soft); font-size: .8125rem; }
.tiles dd { font-size: 1.4rem; font-variant-numeric: tabular-nums; margin: 0; }
#away { display: none; background: var(--bad); color: var(--paper); font-weight: 600;
        max-width: none; padding-block: .5rem; text-align: center; }
.away #away { display: block; }
.away main { opacity: .5; }
.sides { display: grid; gap: 0 2.5rem; grid-template-columns: 17rem minmax(0, 1fr); }
.sides > nav { align-self: start; border-right: 1px solid var(--line); font-size: .875rem;
               max-height: 100vh; overflow-y: auto; padding: 0 1rem 2rem 0; position: sticky;
               top: 0; }
.sides > nav h2 { font-size: .875rem; margin: 1.25rem 0 .25rem; }
.sides > nav ul { list-style: none; margin: 0; padding: 0; }
.sides > nav li { align-items: baseline; display: flex; gap: .5rem; padding: .1rem 0; }
.sides section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 1.25rem; }
.sides section section { scroll-margin-top: .5rem; }
.method { border-radius: .25rem; color: var(--soft); display: inline-block; flex: none;
          font: 600 .6875rem/1.6 ui-monospace, monospace; min-width: 3.3rem; }
h3 .method { background: var(--raised); font-size: .8125rem; margin-right: .25rem; padding: 0 .4rem;
             text-align: center; }
.get { color: var(--good); } .delete { color: var(--bad); }
.post, .put, .patch { color: var(--link); }
h4 { font-size: .875rem; margin: 1rem 0 .25rem; }
summary { color: var(--soft); cursor: pointer; font-size: .875rem; margin-top: .75rem; }
@media (max-width: 56rem) {
  .sides { display: block; }
  .sides > nav { border: 0; border-bottom: 1px solid var(--line); max-height: 45vh;
                 position: static; }
}
"""

_LINKS: Final = (
    ("/", "Status"),
    ("/docs/api", "API"),
    ("/v1/openapi.json", "OpenAPI"),
    ("/metrics", "Metrics"),
    ("/v1/tree", "Tree"),
)
_NAV: Final = "".join(f'<a href="{to}">{name}</a>' for to, name in _LINKS)


def _headers(script: str) -> dict[str, str]:
    """Nothing but our own style and script: a name that someone thought up cannot become one."""
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'; connect-src 'self'"
    return {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}


HTML_HEADERS: Final = _headers("")
"""What every page without a script says to browsers."""

HTML_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A page for people.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}
"""How a page is described in the API's document."""


def page(title: str, body: str, *, script: str = "") -> HTMLResponse:
    """A whole page of HTML; without a script of the page's own, browsers run none."""
    shown = escape(title)
    scripted = f"<script>{script}</script>\n" if script else ""
    return HTMLResponse(
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{shown}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n"
        f"<header><h1>{shown}</h1><nav>{_NAV}</nav></header>\n{body}\n{scripted}</body>\n</html>\n",
        headers=_headers(script),
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
