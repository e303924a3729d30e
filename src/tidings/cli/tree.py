"""`tidings tree` and `tidings top`: all objects of a service, and consumers with backlog."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.channel.questions import SeeAdmin, SeeProxies
from tidings.cli import render, showing
from tidings.cli.connection import service_command
from tidings.cli.options import Json, examples
from tidings.cli.render import TreeNode
from tidings.cli.subscriptions import state
from tidings.errors import NotFound

if TYPE_CHECKING:
    from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
    from tidings.client.client import Client

Watch = Annotated[bool, typer.Option("--watch", help="Show it again and again, until Ctrl-C.")]
Every = Annotated[
    float, typer.Option("--every", min=0.05, metavar="SECONDS", help="How often, with --watch.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command tree."""
    service_command(
        app, epilog=examples("tidings tree", "tidings tree --watch", "tidings tree --json")
    )(tree)
    service_command(
        app, epilog=examples("tidings top", "tidings top --by failures --most 5 --watch")
    )(top)


async def tree(
    client: Client, watch: Watch = False, every: Every = 1.0, json: Json = False
) -> None:
    """Show channels, their admins and proxies, and how they do.

    With --json each look gives one object: channels, each with its admins, each with its proxies.
    """
    if json:
        await _again(lambda: _tree_as_json(client), watch, every)
    elif watch and render.on_terminal():
        with render.live_outline() as draw:
            await _again(lambda: _drawn(client, draw), watch, every)
    else:
        await _again(lambda: _drawn(client, render.outline), watch, every)


async def _again(look: Callable[[], Awaitable[None]], watch: bool, every: float) -> None:
    while True:
        await look()
        if not watch:
            return
        await asyncio.sleep(every)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A channel with everything in it."""

    info: ChannelInfo
    admins: list[tuple[AdminInfo, list[ProxyInfo]]]


async def _look(client: Client) -> list[_Seen]:
    """Return all channels, without those deleted meanwhile."""
    from tidings.channel.vocabulary import Side

    found = []
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
        found.append(
            _Seen(
                info,
                [
                    (one, [p for p in proxies if (p.side, p.admin) == (one.side, one.id)])
                    for one in admins
                ],
            )
        )
    return found


async def _drawn(client: Client, draw: Callable[[Sequence[TreeNode]], None]) -> None:
    seen = await _look(client)
    draw([_channel(one) for one in seen] or [TreeNode("there are no channels")])


def _channel(seen: _Seen) -> TreeNode:
    info = seen.info
    note = f"id {info.id}, {info.accepted} accepted, {info.waiting} waiting"
    parts = tuple(_admin(admin, proxies) for admin, proxies in seen.admins)
    return TreeNode(showing.channel_name(info), note, parts)


def _admin(admin: AdminInfo, proxies: Sequence[ProxyInfo]) -> TreeNode:
    count = len(admin.filters)
    filters = "1 filter" if count == 1 else f"{count} filters"
    note = f"{admin.operator.name}, {filters}" if count else ""
    parts = tuple(_proxy(proxy) for proxy in sorted(proxies, key=lambda one: one.id))
    return TreeNode(f"{admin.side.value} admin {admin.id}", note, parts)


def _proxy(proxy: ProxyInfo) -> TreeNode:
    text = f"{showing.proxy_name(proxy)}  {proxy.style.value} {proxy.form.name.lower()}"
    notes = [state(proxy)]
    if proxy.side.value == "consumer":
        notes += [f"{proxy.waiting} waiting", f"{proxy.in_flight} in flight"]
        notes += [f"{count} {outcome}" for outcome, count in proxy.counts.items() if count]
        if proxy.failures:
            notes.append(f"{proxy.failures} failures in a row")
    return TreeNode(text, ", ".join(notes))


async def _tree_as_json(client: Client) -> None:
    channels = [
        {
            **showing.as_data(seen.info),
            "admins": [
                {
                    **showing.as_data(admin),
                    "proxies": [showing.as_data(proxy) for proxy in proxies],
                }
                for admin, proxies in seen.admins
            ],
        }
        for seen in await _look(client)
    ]
    render.as_json({"channels": channels})


class By(Enum):
    """The sort order of consumers."""

    WAITING = "waiting"
    IN_FLIGHT = "in-flight"
    FAILURES = "failures"


async def top(
    client: Client,
    by: Annotated[By, typer.Option(help="What the first one has most of.")] = By.WAITING,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many.")] = 10,
    watch: Watch = False,
    every: Every = 1.0,
    json: Json = False,
) -> None:
    """Show the consumers that are furthest behind, or fail most."""
    headings = ("channel", "consumer", "state", "waiting", "in flight", "failures")
    numbers = (3, 4, 5)

    async def rows() -> list[tuple[str, ...]]:
        return [_top_row(name, proxy) for name, proxy in await _worst(client, by, most)]

    async def as_json() -> None:
        for name, proxy in await _worst(client, by, most):
            render.as_json({"channel_name": name, **showing.as_data(proxy)})

    async def as_table() -> None:
        render.table(headings, await rows(), numbers)

    if json:
        await _again(as_json, watch, every)
    elif watch and render.on_terminal():
        with render.live_table(headings, numbers) as draw:

            async def drawn() -> None:
                draw(await rows())

            await _again(drawn, watch, every)
    else:
        await _again(as_table, watch, every)


async def _worst(client: Client, by: By, most: int) -> list[tuple[str, ProxyInfo]]:
    found: list[tuple[str, ProxyInfo]] = []
    for info in await client.channels():
        try:
            proxies = await client.transport.request(SeeProxies(info.id))
        except NotFound:
            continue
        name = showing.channel_name(info)
        found += [(name, proxy) for proxy in proxies if proxy.side.value == "consumer"]
    found.sort(key=lambda one: (-_measure(one[1], by), one[0], one[1].id))
    return found[:most]


def _measure(proxy: ProxyInfo, by: By) -> int:
    measures = {
        By.WAITING: proxy.waiting,
        By.IN_FLIGHT: proxy.in_flight,
        By.FAILURES: proxy.failures,
    }
    return measures[by]


def _top_row(channel: str, proxy: ProxyInfo) -> tuple[str, ...]:
    numbers = (proxy.waiting, proxy.in_flight, proxy.failures)
    return channel, showing.proxy_name(proxy), state(proxy), *map(str, numbers)
