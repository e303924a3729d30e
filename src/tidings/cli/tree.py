"""`tidings tree` and `tidings top`: all objects of a service, and consumers with backlog."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from enum import Enum
from typing import TYPE_CHECKING, Annotated, TypeAlias

from tidings.channel.questions import SeeAdmin, SeeProxies
from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import Most, commands, option
from tidings.errors import NotFound
from tidings.terminal import render
from tidings.terminal.render import TreeNode

if TYPE_CHECKING:
    from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
    from tidings.client.client import Client

Watch = Annotated[bool, option("--watch", "Show it again and again, until Ctrl-C.")]
Every = Annotated[float, option("--every SECONDS", "How often, with --watch.", min=0.05)]

_Seen: TypeAlias = "tuple[ChannelInfo, list[tuple[AdminInfo, list[ProxyInfo]]]]"
"""A channel with everything in it."""

app = commands()


@service_command(app, "tidings tree", "tidings tree --watch", "tidings tree --json")
async def tree(client: Client, watch: Watch = False, every: Every = 1.0) -> None:
    """Show channels, their admins and proxies, and how they do.

    With --json each look gives one object: channels, each with its admins, each with its proxies.
    """
    live = watch and render.on_terminal() and not render.is_json()
    with render.live_outline() if live else nullcontext(render.outline) as draw:

        async def look() -> None:
            seen = await _look(client)
            if render.is_json():
                render.as_json({"channels": [_channel_data(one) for one in seen]})
            else:
                draw([_channel(one) for one in seen] or [TreeNode("there are no channels")])

        await _again(look, watch, every)


async def _again(look: Callable[[], Awaitable[None]], watch: bool, every: float) -> None:
    while True:
        await look()
        if not watch:
            return
        await asyncio.sleep(every)


async def _look(client: Client) -> list[_Seen]:
    """Return all channels, without those deleted meanwhile."""
    from tidings.channel.vocabulary import Side

    found: list[_Seen] = []
    for info in sorted(await client.channels(), key=lambda one: (one.name, one.id)):
        try:
            proxies = await client.transport.request(SeeProxies(info.id))
            admins = [
                await client.transport.request(SeeAdmin(info.id, side, id))
                for side, ids in (
                    (Side.SUPPLIER, info.supplier_admins),
                    (Side.CONSUMER, info.consumer_admins),
                )
                for id in ids
            ]
        except NotFound:
            continue
        members = [
            (one, [p for p in proxies if (p.side, p.admin) == (one.side, one.id)]) for one in admins
        ]
        found.append((info, members))
    return found


def _channel(seen: _Seen) -> TreeNode:
    info, admins = seen
    note = f"id {info.id}, {info.accepted} accepted, {info.waiting} waiting"
    return TreeNode(showing.named(info), note, tuple(_admin(*one) for one in admins))


def _admin(admin: AdminInfo, proxies: Sequence[ProxyInfo]) -> TreeNode:
    count = len(admin.filters)
    filters = "1 filter" if count == 1 else f"{count} filters"
    note = f"{admin.operator.name}, {filters}" if count else ""
    parts = tuple(_proxy(proxy) for proxy in sorted(proxies, key=lambda one: one.id))
    return TreeNode(f"{admin.side.value} admin {admin.id}", note, parts)


def _proxy(proxy: ProxyInfo) -> TreeNode:
    text = f"{showing.named(proxy)}  {proxy.style.value} {proxy.form.name.lower()}"
    notes = [showing.state(proxy)]
    if proxy.side.value == "consumer":
        notes += [f"{proxy.waiting} waiting", f"{proxy.in_flight} in flight"]
        notes += [f"{count} {outcome}" for outcome, count in proxy.counts.items() if count]
        if proxy.failures:
            notes.append(f"{proxy.failures} failures in a row")
    return TreeNode(text, ", ".join(notes))


def _channel_data(seen: _Seen) -> dict[str, object]:
    info, admins = seen
    members = [
        {**showing.as_data(admin), "proxies": [showing.as_data(proxy) for proxy in proxies]}
        for admin, proxies in admins
    ]
    return {**showing.as_data(info), "admins": members}


class By(Enum):
    """The sort order of consumers."""

    WAITING = "waiting"
    IN_FLIGHT = "in-flight"
    FAILURES = "failures"


@service_command(app, "tidings top", "tidings top --by failures --most 5 --watch")
async def top(
    client: Client, by: By = By.WAITING, most: Most = 10, watch: Watch = False, every: Every = 1.0
) -> None:
    """Show the consumers that are furthest behind, or fail most.

    Options:
        by: What the first one has most of.
    """
    headings = ("channel", "consumer", "state", "waiting", "in flight", "failures")
    numbers = (3, 4, 5)
    live = watch and render.on_terminal() and not render.is_json()
    with render.live_table(headings, numbers) if live else nullcontext() as draw:

        async def look() -> None:
            found = await _worst(client, by, most)
            rows = [_top_row(name, proxy) for name, proxy in found]
            if draw is not None:
                draw(rows)
            elif render.is_json():
                for name, proxy in found:
                    render.as_json({"channel_name": name, **showing.as_data(proxy)})
            else:
                render.table(headings, rows, numbers)

        await _again(look, watch, every)


async def _worst(client: Client, by: By, most: int) -> list[tuple[str, ProxyInfo]]:
    found: list[tuple[str, ProxyInfo]] = []
    for info in await client.channels():
        try:
            proxies = await client.transport.request(SeeProxies(info.id))
        except NotFound:
            continue
        name = showing.named(info)
        found += [(name, proxy) for proxy in proxies if proxy.side.value == "consumer"]
    found.sort(key=lambda one: (-getattr(one[1], by.name.lower()), one[0], one[1].id))
    return found[:most]


def _top_row(channel: str, proxy: ProxyInfo) -> tuple[str, ...]:
    numbers = (proxy.waiting, proxy.in_flight, proxy.failures)
    return channel, showing.named(proxy), showing.state(proxy), *map(str, numbers)
