"""`tidings channel …`: create, inspect and delete channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidings.cli import showing
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.options import commands, group
from tidings.cli.pairs import QoS, properties
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
channels = group(app, "channel", "Make channels, see them, end them.")


@service_command(
    channels,
    "tidings channel create auction",
    "tidings channel create clicks --best-effort --qos Timeout=60s",
    "tidings channel create alarms --qos Priority=3 --limit MaxQueueLength=10000",
)
async def create(
    client: Client,
    name: str,
    best_effort: bool = False,
    qos: QoS = None,
    limit: list[str] | None = None,
) -> None:
    """Make a channel. What it accepts survives a crash, unless --best-effort says otherwise.

    Options:
        name <NAME>: The channel's name.
        best_effort: Events need not survive a crash.
        limit NAME=VALUE: An admin property, such as MaxQueueLength=1000. Repeatable.
    """
    made = await client.create_channel(
        new_name(name, "channel"),
        qos=properties(qos or ()),
        admin=properties(limit or ()),
        persistent=not best_effort,
    )
    render.result(showing.as_data(made.made), f"channel {name} made, id {made.id}")


@service_command(channels, "tidings channel list", "tidings channel list --json", name="list")
async def list_(client: Client) -> None:
    """List the channels, with what they accepted and what waits."""
    infos = sorted(await client.channels(), key=lambda info: info.name)
    headings = ("channel", "id", "events", "accepted", "waiting", "suppliers", "consumers")
    rows = [
        (
            showing.named(info),
            str(info.id),
            dict(showing.qos_text(info.qos))["EventReliability"],
            *(str(n) for n in (info.accepted, info.waiting, info.suppliers, info.consumers)),
        )
        for info in infos
    ]
    none = "there are no channels; `tidings channel create NAME` makes one"
    render.listing(headings, rows, (1, 3, 4, 5, 6), map(showing.as_data, infos), none)


@service_command(channels, "tidings channel show auction")
async def show(client: Client, channel: Channel) -> None:
    """Show a channel: properties, and what is offered and wanted."""
    found = await client.channel(channel_key(channel))
    info = await found.info()
    types = await found.advertisement()
    offered = [f"{one.domain}::{one.type}" for one in types.offered]
    wanted = [f"{one.domain}::{one.type}" for one in types.wanted]
    rows = [
        ("name", info.name),
        ("id", str(info.id)),
        ("origin", info.origin),
        ("accepted", str(info.accepted)),
        ("waiting", str(info.waiting)),
        ("suppliers", f"{info.suppliers} under {len(info.supplier_admins)} admins"),
        ("consumers", f"{info.consumers} under {len(info.consumer_admins)} admins"),
        ("offered", ", ".join(offered)),
        ("wanted", ", ".join(wanted)),
        *showing.qos_text(info.qos),
        *showing.qos_text(info.admin),
    ]
    showing.show_object({**showing.as_data(info), "offered": offered, "wanted": wanted}, rows)


@service_command(channels, "tidings channel delete auction")
async def delete(client: Client, channel: Channel) -> None:
    """End a channel, with everything in it and all that waits."""
    found = await client.channel(channel_key(channel))
    await found.destroy()
    render.result({"deleted": found.id, "name": found.name}, f"channel {channel} deleted")
