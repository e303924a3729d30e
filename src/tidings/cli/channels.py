"""`tidings channel …`: create, inspect and delete channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli import render, showing
from tidings.cli.connection import Channel, channel_key, new_name, service_command
from tidings.cli.options import Json, examples
from tidings.cli.pairs import properties

if TYPE_CHECKING:
    from tidings.client.client import Client

app = typer.Typer(
    help="Make channels, see them, end them.", no_args_is_help=True, rich_markup_mode=None
)

QoS = Annotated[
    list[str] | None,
    typer.Option(
        "--qos", metavar="NAME=VALUE", help="Quality of service, such as Priority=3. Repeatable."
    ),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="An admin property, such as MaxQueueLength=1000. Repeatable.",
    ),
]


@service_command(
    app,
    epilog=examples(
        "tidings channel create auction",
        "tidings channel create clicks --best-effort --qos Timeout=60s",
        "tidings channel create alarms --qos Priority=3 --limit MaxQueueLength=10000",
    ),
)
async def create(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The channel's name.")],
    best_effort: Annotated[
        bool, typer.Option("--best-effort", help="Events need not survive a crash.")
    ] = False,
    qos: QoS = None,
    limit: Limits = None,
    json: Json = False,
) -> None:
    """Make a channel. What it accepts survives a crash, unless --best-effort says otherwise."""
    made = await client.create_channel(
        new_name(name, "channel"),
        qos=properties(qos or ()),
        admin=properties(limit or ()),
        persistent=not best_effort,
    )
    if json:
        render.as_json(showing.as_data(made.made))
    else:
        render.say(f"channel {name} made, id {made.id}")


@service_command(
    app, "list", epilog=examples("tidings channel list", "tidings channel list --json")
)
async def list_(client: Client, json: Json = False) -> None:
    """List the channels, with what they accepted and what waits."""
    infos = sorted(await client.channels(), key=lambda info: info.name)
    if json:
        for info in infos:
            render.as_json(showing.as_data(info))
        return
    headings = ("channel", "id", "events", "accepted", "waiting", "suppliers", "consumers")
    rows = [
        (
            showing.channel_name(info),
            str(info.id),
            dict(showing.qos_text(info.qos))["EventReliability"],
            *(str(n) for n in (info.accepted, info.waiting, info.suppliers, info.consumers)),
        )
        for info in infos
    ]
    if rows:
        render.table(headings, rows, numbers=(1, 3, 4, 5, 6))
    else:
        render.note("there are no channels; `tidings channel create NAME` makes one")


@service_command(app, epilog=examples("tidings channel show auction"))
async def show(client: Client, channel: Channel, json: Json = False) -> None:
    """Show a channel: properties, and what is offered and wanted."""
    found = await client.channel(channel_key(channel))
    info = await found.info()
    types = await found.advertisement()
    offered = [f"{one.domain}::{one.type}" for one in types.offered]
    wanted = [f"{one.domain}::{one.type}" for one in types.wanted]
    if json:
        render.as_json({**showing.as_data(info), "offered": offered, "wanted": wanted})
        return
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
    render.table(("property", "value"), rows)


@service_command(app, epilog=examples("tidings channel delete auction"))
async def delete(client: Client, channel: Channel, json: Json = False) -> None:
    """End a channel, with everything in it and all that waits."""
    found = await client.channel(channel_key(channel))
    await found.destroy()
    if json:
        render.as_json({"deleted": found.id, "name": found.name})
    else:
        render.say(f"channel {channel} deleted")
