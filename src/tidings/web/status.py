"""The status page: what there is and how it goes, for a person with a browser."""

from __future__ import annotations

import heapq
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from itertools import islice
from typing import Final

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from tidings.channel.views import ChannelInfo
from tidings.clock import SystemClock
from tidings.engine.door import LocalDoor
from tidings.web.looking import Consumer, channels, consumers
from tidings.web.pages import HTML_ANSWER, page, page_file, row, table
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["overview"])

# Nobody reads further; `GET /v1/channels` has all.
_CHANNELS: Final = 1_000
_CONSUMERS: Final = 10
_NOTICES: Final = 10

_SCRIPT: Final = page_file("status.js")


@router.get("/", summary="Status page", response_class=HTMLResponse, responses=HTML_ANSWER)
async def status(state: State, door: Door) -> HTMLResponse:
    """Channels, counts and the latest notices on a page that loads nothing from elsewhere.

    It looks again every few seconds by itself.
    """
    shown: list[ChannelInfo] = []
    count = accepted = 0
    async for one in channels(door):
        count += 1
        accepted += one.accepted
        if count <= _CHANNELS:
            shown.append(one)
    names = {one.id: one.name or f"channel {one.id}" for one in shown}
    counts = state.counts
    waiting, behind = await _behind(state, door, names)
    tiles = {"Channels": count, "Events accepted": accepted, "Copies waiting": waiting}
    whole = door.views.sees(0)
    if whole:
        tiles |= {"WebSockets": counts.websockets, "Tails": counts.tails}
    if whole and counts.corba is not None:
        tiles["CORBA connections"] = counts.corba()
    now = _moment(SystemClock().now())
    return page(
        "Tidings",
        '<p id="away" role="status">The service does not answer; this is what it said last.</p>\n'
        f"<main>{_tiles(state, tiles, whole=whole)}{_channels(shown, count)}{behind}"
        f"{_outcomes(state) + _archive(state) if whole else ''}"
        f"{_notices(state, door, names)}</main>\n"
        f"<footer>Tidings {escape(version('tidings'))}, as of {now}</footer>",
        script=_SCRIPT,
    )


def _moment(time: int) -> str:
    return f"{datetime.fromtimestamp(time // 1_000_000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _tiles(state: WebState, tiles: dict[str, int], *, whole: bool) -> str:
    reason, lost = state.not_ready, state.host.losses.sentence
    if not whole:  # what follows may name paths
        reason = reason.partition(": ")[0]
    if reason:
        told = f'<p class="bad">not ready: {escape(reason)}</p>'
    else:
        told = f'<p class="good">ready{", with losses" if lost else ""}</p>'
    if lost:
        told += f'<p class="bad">{escape(lost)}</p>'
    shown = "".join(f"<div><dt>{name}</dt><dd>{n:,}</dd></div>" for name, n in tiles.items())
    return f'{told}<dl class="tiles">{shown}</dl>'


def _channels(shown: list[ChannelInfo], count: int) -> str:
    rows = [
        row(
            one.name or "(no name)", one.id, one.accepted, one.waiting, one.suppliers, one.consumers
        )
        for one in shown
    ]
    heads = ("Channel", "Id", "Accepted", "Events waiting", "Suppliers", "Consumers")
    found = table(heads, rows, numbers=5) if rows else "<p>None yet.</p>"
    more = f'<p class="soft">… and {count - len(shown):,} more.</p>' if count > len(shown) else ""
    return f"<h2>Channels</h2>{found}{more}"


async def _behind(state: WebState, door: LocalDoor, names: dict[int, str]) -> tuple[int, str]:
    """How many copies wait, and a table of the consumers with the most, or that fail."""
    found: list[tuple[int, int, int, Consumer]] = []
    waiting = 0
    async for one in consumers(state.host):
        if not door.views.sees(one.channel, one.proxy):
            continue
        waiting += one.waiting
        if one.waiting or one.failures:
            found.append((one.waiting, one.failures, -len(found), one))
    rows = [
        row(
            names.get(one.channel, f"channel {one.channel}"),
            one.name or f"proxy {one.proxy}",
            "connected" if one.attached else "away",
            one.waiting,
            one.in_flight,
            one.failures,
        )
        for *_, one in heapq.nlargest(_CONSUMERS, found)
    ]
    heads = ("Channel", "Consumer", "State", "Waiting", "In flight", "Failures in a row")
    shown = f"<h2>Consumers furthest behind</h2>{table(heads, rows, numbers=3)}" if rows else ""
    return waiting, shown


def _outcomes(state: WebState) -> str:
    rows = [row(outcome.name.lower(), n) for outcome, n in sorted(state.host.counts.items())]
    if not rows:
        return ""
    heads = ("What became of the copies of events since the start", "Copies")
    return f"<h2>Outcomes</h2>{table(heads, rows, numbers=1)}"


def _archive(state: WebState) -> str:
    """What became of the archive; nothing if there is none."""
    if state.host.archiving is None:
        return ""
    found = state.host.archiving.state()
    told = f'<p class="bad">stands still: {escape(found.error)}</p>' if found.error else ""
    told += "".join(f'<p class="bad">{escape(one)}</p>' for one in found.problems[:_NOTICES])
    heads = ("Folder", "Files finished", "Rows", "Octets behind", "Seconds behind")
    one = row(str(found.folder), found.seals, found.rows, found.behind_octets,
              round(found.behind_seconds))  # fmt: skip
    return f"<h2>Archive</h2>{told}{table(heads, [one], numbers=4)}"


def _notices(state: WebState, door: LocalDoor, names: dict[int, str]) -> str:
    seen = (n for n in reversed(state.host.notices) if door.views.sees(n.channel, n.proxy))
    latest = list(islice(seen, _NOTICES))
    if not latest:
        return ""
    rows = [
        row(
            _moment(n.time),
            n.kind.value,
            n.channel_name or names.get(n.channel, n.channel or ""),
            n.proxy_name or str(n.proxy or ""),
            n.detail,
        )
        for n in latest
    ]
    heads = ("Time", "Kind", "Channel", "Proxy", "Notice")
    return f"<h2>Latest notices</h2>{table(heads, rows)}"
