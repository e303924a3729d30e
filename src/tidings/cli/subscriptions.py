"""`tidings subscription …`: named subscriptions, whose events are retained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tidings.channel.questions import SeeFilter, SeeProxies, SeeProxy
from tidings.cli import render, showing
from tidings.cli.channels import QoS
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.options import Json, Types, examples
from tidings.cli.pairs import properties
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.channel.views import ProxyInfo
    from tidings.client.client import Client

app = typer.Typer(
    help="Subscriptions with a name, for which events wait.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The subscription, by name or id.")]


@service_command(
    app,
    epilog=examples(
        "tidings subscription create auction bargains '$price < 10'",
        "tidings subscription create auction archive --pull --type 'Auction::*'",
        "tidings subscribe auction --name bargains",
    ),
)
async def create(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    constraints: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONSTRAINT", help="Which events; one must match. None: all."),
    ] = None,
    type: Types = None,
    pull: Annotated[
        bool, typer.Option("--pull", help="Events are asked for, and not sent.")
    ] = False,
    qos: QoS = None,
    json: Json = False,
) -> None:
    """Make a subscription: from now on events wait until somebody takes them.

    A name that is taken is an error; `tidings subscribe --name` goes on with it.
    """
    new_name(name, "subscription")
    found = await client.channel(channel_key(channel))
    if any(info.name == name for info in await found.proxies()):
        raise InvalidUsage(f"channel {channel} has something named {name!r} already")
    make = client.puller if pull else client.subscribe
    made = await make(
        found, constraints or None, types=type or (), name=name, qos=properties(qos or ())
    )
    info = await made.info()
    await made.close()
    if json:
        render.as_json(showing.as_data(info))
    else:
        render.say(f"subscription {name} made, id {info.id}: events wait for it from now on")


@service_command(
    app, "list", epilog=examples("tidings subscription list auction", "tidings subscription list")
)
async def list_(
    client: Client,
    channel: Annotated[
        str | None, typer.Argument(metavar="CHANNEL", help="The channel. [default: all]")
    ] = None,
    json: Json = False,
) -> None:
    """List subscriptions, with how many events wait for each."""
    infos = (
        await client.channels()
        if channel is None
        else [(await client.channel(channel_key(channel))).made]
    )
    rows = []
    for info in sorted(infos, key=lambda one: one.name):
        proxies = await client.transport.request(SeeProxies(info.id))
        for proxy in sorted(proxies, key=lambda one: (one.name, one.id)):
            if proxy.side.value != "consumer":
                continue
            if json:
                render.as_json(showing.as_data(proxy))
            rows.append(_row(showing.channel_name(info), proxy))
    if json:
        return
    headings = ("channel", "subscription", "kind", "state", "waiting", "in flight", "delivered")
    if rows:
        render.table(headings, rows, numbers=(4, 5, 6))
    else:
        render.note("there are no subscriptions")


def _row(channel: str, proxy: ProxyInfo) -> tuple[str, ...]:
    kind = f"{proxy.style.value} {proxy.form.name.lower()}"
    numbers = (proxy.waiting, proxy.in_flight, proxy.counts.get("delivered", 0))
    return channel, showing.proxy_name(proxy), kind, state(proxy), *map(str, numbers)


def state(proxy: ProxyInfo) -> str:
    """Return a proxy's state in one word."""
    if proxy.suspended:
        return "suspended"
    if not proxy.connected:
        return "never connected"
    return "connected" if proxy.attached else "away"


@service_command(app, epilog=examples("tidings subscription show auction bargains"))
async def show(client: Client, channel: Channel, name: Name, json: Json = False) -> None:
    """Show a subscription: what it asks for, and what became of its events."""
    proxy = await _find(client, channel, name)
    filters = [
        await client.transport.request(SeeFilter(id)) for _, id in sorted(proxy.filters.items())
    ]
    texts = [
        one.text or "TRUE"
        for found in filters
        for _, one in sorted(getattr(found, "constraints", {}).items())
    ]
    if json:
        render.as_json({**showing.as_data(proxy), "constraints": texts})
        return
    rows = [
        ("name", proxy.name),
        ("id", str(proxy.id)),
        ("kind", f"{proxy.style.value} {proxy.form.name.lower()}, admin {proxy.admin}"),
        ("state", state(proxy)),
        ("constraints", "\n".join(texts)),
        ("types", ", ".join(f"{one.domain}::{one.type}" for one in proxy.types)),
        ("waiting", f"{proxy.waiting}, {proxy.spilled} of them on disk"),
        ("in flight", str(proxy.in_flight)),
        ("failures in a row", str(proxy.failures)),
        *((outcome, str(count)) for outcome, count in proxy.counts.items()),
        *showing.qos_text(proxy.qos),
    ]
    render.table(("property", "value"), rows)


@service_command(app, epilog=examples("tidings subscription delete auction bargains"))
async def delete(client: Client, channel: Channel, name: Name, json: Json = False) -> None:
    """End a subscription, with all that waits for it."""
    from tidings.channel.management import Disconnect

    proxy = await _find(client, channel, name)
    await client.transport.ask(Disconnect(proxy.channel, proxy.id))
    _told("deleted", proxy, json)


@service_command(app, epilog=examples("tidings subscription suspend auction bargains"))
async def suspend(client: Client, channel: Channel, name: Name, json: Json = False) -> None:
    """Stop delivery for a while: events wait."""
    from tidings.channel.management import Suspend

    proxy = await _find(client, channel, name)
    await client.transport.ask(Suspend(proxy.channel, proxy.id))
    _told("suspended", proxy, json)


@service_command(app, epilog=examples("tidings subscription resume auction bargains"))
async def resume(client: Client, channel: Channel, name: Name, json: Json = False) -> None:
    """Go on with delivery after `suspend`."""
    from tidings.channel.management import Resume

    proxy = await _find(client, channel, name)
    await client.transport.ask(Resume(proxy.channel, proxy.id))
    _told("resumed", proxy, json)


async def _find(client: Client, channel: str, name: str) -> ProxyInfo:
    found = await client.channel(channel_key(channel))
    return await client.transport.request(SeeProxy(found.id, channel_key(name)))


def _told(done: str, proxy: ProxyInfo, json: bool) -> None:
    if json:
        render.as_json({done: proxy.id, "name": proxy.name, "channel": proxy.channel})
    else:
        render.say(f"subscription {showing.proxy_name(proxy)} {done}")
