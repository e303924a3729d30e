"""`tidings changes`: who changed what in a running service, and who was refused."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Final

from tidings.audit import SeeChanges
from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import Most, commands, option
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.audit import Change
    from tidings.client.client import Client

app = commands()

# As many as the service gives at once.
_PAGE: Final = 1_000
# Seconds between looks with --follow.
_PAUSE: Final = 1.0
_HEADINGS: Final = ("number", "time", "principal", "operation", "object", "result", "from")

Principal = Annotated[str | None, option("--principal NAME", "Only of this principal.")]
OfChannel = Annotated[str | None, option("--channel NAME", "Only about this channel.")]
Refused = Annotated[bool, option("--refused", "Only what was refused.")]
Follow = Annotated[bool, option("--follow", "Go on with what comes, until Ctrl-C.")]


@service_command(
    app,
    "tidings changes",
    "tidings changes --channel roads --most 5",
    "tidings changes --refused --follow",
    "tidings changes --principal ann --json",
)
async def changes(
    client: Client,
    principal: Principal = None,
    channel: OfChannel = None,
    refused: Refused = False,
    follow: Follow = False,
    most: Most = 100,
) -> None:
    """Show the audit trail: the latest changes and refusals, the oldest first.

    The service keeps the last thousand of each here, and more in its file and archive. Like
    refusals are counted for a minute: (12 times) stands for that many. It takes the right to
    administer access.
    """

    def wanted(one: Change) -> bool:
        return (
            principal in (None, one.principal)
            and channel in (None, one.channel)
            and (one.refused or not refused)
        )

    last = 0
    found: deque[Change] = deque(maxlen=most)
    async for one in _after(client, last):
        last = one.number
        if wanted(one):
            found.append(one)
    if not follow:
        data = map(showing.as_data, found)
        render.listing(_HEADINGS, [_row(one) for one in found], (0,), data, "there are no changes")
        return
    for one in found:
        _show(one)
    while True:
        await asyncio.sleep(_PAUSE)
        async for one in _after(client, last):
            last = one.number
            if wanted(one):
                _show(one)


async def _after(client: Client, number: int) -> AsyncIterator[Change]:
    while page := await client.transport.request(SeeChanges(number, _PAGE)):
        for one in page:
            yield one
        number = page[-1].number


def _show(one: Change) -> None:
    if render.is_json():
        render.as_json(showing.as_data(one))
    else:
        render.say("  ".join(filter(None, _row(one))))


def _row(one: Change) -> tuple[str, ...]:
    times = f" ({one.count} times)" if one.count > 1 else ""
    return (
        str(one.number),
        showing.moment_text(one.at),
        one.principal,
        one.operation,
        ", ".join(filter(None, (one.channel and f"channel {one.channel}", one.about))),
        f"{one.result}{times}",
        f"{one.door} {one.peer}".strip(),
    )
