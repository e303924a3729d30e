"""`tidings grant ior`: CORBA references that carry what a principal is granted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from tidings.channel.questions import SeeChannel, SeeProxy
from tidings.channel.vocabulary import Side
from tidings.cli.connection import channel_key, service_command
from tidings.cli.reading import end
from tidings.errors import InvalidUsage
from tidings.grants.requests import CreateReference
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client


def add_ior(grant: typer.Typer) -> None:
    """Add the command to the group `tidings grant`."""
    service_command(
        grant,
        "tidings grant ior till-3 --channel sales >till-3.ior",
        "tidings grant ior till-3 --channel sales --proxy till-3 --expires 7d --label 'main hall'",
        "tidings grant ior desk",
        name="ior",
    )(ior)


async def ior(  # noqa: PLR0913, PLR0917 -- its options
    client: Client,
    principal: str,
    channel: str | None = None,
    side: Side | None = None,
    admin: int | None = None,
    proxy: str | None = None,
    agent: bool = False,
    trader: bool = False,
    expires: str | None = None,
    label: str = "",
) -> None:
    """Create a CORBA reference with which a principal uses one object and what it leads to.

    Whoever has the reference may use it: keep it as you keep a token. It is shown once; `tidings
    token list` lists it, `tidings token revoke` ends it.

    With --json there is one object with credential and reference.

    Options:
        principal <NAME>: The principal's name.
        channel --channel CHANNEL: Lead to this channel, by name or id. [default: the factory]
        side: The side of the admin.
        admin --admin ID: Lead to this admin of the channel, and to its own proxies.
        proxy --proxy PROXY: Lead to this proxy of the channel alone, by name or id.
        agent: Lead to the agent, the factory and the trader.
        trader: Lead to the trader.
        expires --expires WHEN: When it ends: after 30d, or at 2026-11-15T08:30:00Z.
        label TEXT: What to call it.
    """
    asked = CreateReference(
        principal,
        side=side,
        admin=admin,
        agent=agent,
        trader=trader,
        label=label,
        expires_at=end(expires),
    )
    made = await client.transport.request(await _in_channel(client, asked, channel, proxy))
    if render.is_json():
        render.as_json({"credential": made.credential, "reference": made.reference})
        return
    render.say(made.reference)
    render.note(f"credential {made.credential}")


async def _in_channel(
    client: Client, asked: CreateReference, channel: str | None, proxy: str | None
) -> CreateReference:
    """Fill in the ids of the channel and the proxy."""
    if channel is None:
        if proxy is not None:
            raise InvalidUsage(f"--proxy {proxy} is one of a channel: name it with --channel")
        return asked
    id = (await client.transport.request(SeeChannel(channel_key(channel)))).id
    if proxy is None:
        return replace(asked, channel=id)
    found = await client.transport.request(SeeProxy(id, channel_key(proxy)))
    return replace(asked, channel=id, proxy=found.id)
