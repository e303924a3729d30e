"""`tidings status`: a service at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tidings.channel.questions import SeeStatus
from tidings.cli.connection import service_command
from tidings.cli.options import commands
from tidings.cli.showing import as_data
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

NOT_READY = 1

app = commands()


@service_command(app, "tidings status", "tidings status --json")
async def status(client: Client) -> None:
    """Show whether a service is ready, its version and channels, and what its settings leave open.

    With --json there is one object with version, ready, channels, losses and warnings.

    Exit code: 0 ready, 1 not ready.
    """
    found = await client.transport.request(SeeStatus())
    if render.is_json():
        render.as_json(as_data(found))
    else:
        word = "ready" if found.ready else "not ready: the disk refuses"
        channels = "1 channel" if found.channels == 1 else f"{found.channels} channels"
        render.say(f"{word}, tidings {found.version}, {channels}", "" if found.ready else "red")
        for text in (found.losses, *found.warnings):
            if text:
                render.say(f"warning: {text}", "red")
    if not found.ready:
        raise typer.Exit(NOT_READY)
