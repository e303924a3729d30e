"""`tidings subscription …`: named subscriptions, whose events are retained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from tidings.channel.management import Disconnect, Resume, Suspend
from tidings.channel.questions import SeeFilter, SeeProxies, SeeProxy
from tidings.cli import showing
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.options import Types, commands, group, option
from tidings.cli.pairs import QoS, properties
from tidings.errors import InvalidUsage
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.channel.views import ProxyInfo
    from tidings.client.client import Client

app = commands()
subscriptions = group(app, "subscription", "Subscriptions with a name, for which events wait.")

Name = Annotated[str, option("<NAME>", "The subscription, by name or id.")]


@service_command(
    subscriptions,
    "tidings subscription create auction bargains '$price < 10'",
    "tidings subscription create auction archive --pull --type 'Auction::*'",
    "tidings subscribe auction --name bargains",
)
async def create(
    client: Client,
    channel: Channel,
    name: str,
    constraints: list[str] | None = None,
    type: Types = None,
    pull: bool = False,
    qos: QoS = None,
) -> None:
    """Make a subscription: from now on events wait until somebody takes them.

    A name that is taken is an error; `tidings subscribe --name` goes on with it.

    Options:
        name <NAME>: What it is called.
        constraints <CONSTRAINT>: Which events; one must match. None: all.
        pull: Events are asked for, and not sent.
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
    text = f"subscription {name} made, id {info.id}: events wait for it from now on"
    render.result(showing.as_data(info), text)


@service_command(
    subscriptions, "tidings subscription list auction", "tidings subscription list", name="list"
)
async def list_(client: Client, channel: str | None = None) -> None:
    """List subscriptions, with how many events wait for each.

    Options:
        channel <CHANNEL>: The channel. [default: all]
    """
    infos = (
        await client.channels()
        if channel is None
        else [(await client.channel(channel_key(channel))).made]
    )
    found: list[tuple[str, ProxyInfo]] = []
    for info in sorted(infos, key=lambda one: one.name):
        proxies = await client.transport.request(SeeProxies(info.id))
        consumers = [proxy for proxy in proxies if proxy.side.value == "consumer"]
        consumers.sort(key=lambda one: (one.name, one.id))
        found += [(showing.named(info), proxy) for proxy in consumers]
    headings = ("channel", "subscription", "kind", "state", "waiting", "in flight", "delivered")
    rows = [_row(name, proxy) for name, proxy in found]
    data = (showing.as_data(proxy) for _, proxy in found)
    render.listing(headings, rows, (4, 5, 6), data, "there are no subscriptions")


def _row(channel: str, proxy: ProxyInfo) -> tuple[str, ...]:
    kind = f"{proxy.style.value} {proxy.form.name.lower()}"
    numbers = (proxy.waiting, proxy.in_flight, proxy.counts.get("delivered", 0))
    return channel, showing.named(proxy), kind, showing.state(proxy), *map(str, numbers)


@service_command(subscriptions, "tidings subscription show auction bargains")
async def show(client: Client, channel: Channel, name: Name) -> None:
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
    rows = [
        ("name", proxy.name),
        ("id", str(proxy.id)),
        ("kind", f"{proxy.style.value} {proxy.form.name.lower()}, admin {proxy.admin}"),
        ("state", showing.state(proxy)),
        ("constraints", "\n".join(texts)),
        ("types", ", ".join(f"{one.domain}::{one.type}" for one in proxy.types)),
        ("waiting", f"{proxy.waiting}, {proxy.spilled} of them on disk"),
        ("in flight", str(proxy.in_flight)),
        ("failures in a row", str(proxy.failures)),
        *((outcome, str(count)) for outcome, count in proxy.counts.items()),
        *showing.qos_text(proxy.qos),
    ]
    showing.show_object({**showing.as_data(proxy), "constraints": texts}, rows)


@service_command(subscriptions, "tidings subscription delete auction bargains")
async def delete(client: Client, channel: Channel, name: Name) -> None:
    """End a subscription, with all that waits for it."""
    await _change(client, channel, name, Disconnect, "deleted")


@service_command(subscriptions, "tidings subscription suspend auction bargains")
async def suspend(client: Client, channel: Channel, name: Name) -> None:
    """Stop delivery for a while: events wait."""
    await _change(client, channel, name, Suspend, "suspended")


@service_command(subscriptions, "tidings subscription resume auction bargains")
async def resume(client: Client, channel: Channel, name: Name) -> None:
    """Go on with delivery after `suspend`."""
    await _change(client, channel, name, Resume, "resumed")


async def _find(client: Client, channel: str, name: str) -> ProxyInfo:
    found = await client.channel(channel_key(channel))
    return await client.transport.request(SeeProxy(found.id, channel_key(name)))


async def _change(
    client: Client, channel: str, name: str, command: type[Disconnect | Suspend | Resume], done: str
) -> None:
    proxy = await _find(client, channel, name)
    await client.transport.ask(command(proxy.channel, proxy.id))
    data = {done: proxy.id, "name": proxy.name, "channel": proxy.channel}
    render.result(data, f"subscription {showing.named(proxy)} {done}")
