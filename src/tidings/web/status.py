"""The status page: what there is and how it goes, for a person with a browser."""

from __future__ import annotations

from html import escape
from importlib.metadata import version
from itertools import islice
from typing import Final

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from tidings.web.looking import channels
from tidings.web.pages import HTML_ANSWER, page, row, table
from tidings.web.state import Door, State, WebState

__all__ = ["router"]

router = APIRouter(tags=["overview"])

# Nobody reads further; `GET /v1/channels` has all.
_CHANNELS: Final = 1_000
_NOTICES: Final = 10


@router.get("/", summary="Status page", response_class=HTMLResponse, responses=HTML_ANSWER)
async def status(state: State, door: Door) -> HTMLResponse:
    """Channels, counts and the latest notices on a page that loads nothing from elsewhere."""
    rows: list[str] = []
    hidden = 0
    async for one in channels(door):
        if len(rows) < _CHANNELS:
            rows.append(
                row(one.id, one.name, one.accepted, one.waiting, one.suppliers, one.consumers)
            )
        else:
            hidden += 1
    more = f"<p>… and {hidden} more.</p>" if hidden else ""
    heads = ("Id", "Channel", "Accepted", "Waiting", "Suppliers", "Consumers")
    return page(
        "Tidings",
        _health(state)
        + f"<h2>Channels</h2>{table(heads, rows)}{more}"
        + f"<h2>Copies of events since the start</h2>{_outcomes(state)}"
        + f"<h2>Latest notices</h2>{_notices(state)}"
        + '<p><a href="/docs/api">API</a> · <a href="/v1/openapi.json">OpenAPI</a> · '
        '<a href="/metrics">Metrics</a> · <a href="/v1/tree">Tree</a></p>',
    )


def _health(state: WebState) -> str:
    reason = state.not_ready
    told = f'<span class="bad">not ready: {escape(reason)}</span>' if reason else "ready"
    counts = state.counts
    return (
        f"<p>Version {escape(version('tidings'))}, {told}. "
        f"{counts.websockets} WebSockets and {counts.tails} tails are open.</p>"
    )


def _outcomes(state: WebState) -> str:
    rows = [row(outcome.name.lower(), n) for outcome, n in sorted(state.host.counts.items())]
    return table(("Outcome", "Copies"), rows)


def _notices(state: WebState) -> str:
    latest = list(islice(reversed(state.host.notices), _NOTICES))
    if not latest:
        return "<p>None.</p>"
    rows = [row(n.kind.value, n.channel, n.proxy, n.detail) for n in latest]
    return table(("Kind", "Channel", "Proxy", "Notice"), rows)
