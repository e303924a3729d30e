"""`tidings dead-letter …`: list, redrive and drop undeliverable events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from tidings.channel.questions import SeeChannel, SeeProxy
from tidings.cli import showing
from tidings.cli.connection import channel_key, service_command
from tidings.cli.options import Most, commands, group, option
from tidings.errors import InvalidUsage, NotFound, TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.channel.views import DeadLetterInfo
    from tidings.client.client import Client

app = commands()
dead_letters = group(app, "dead-letter", "Events that could not be delivered.")

_PAGE: Final = 500

OfChannel = Annotated[str | None, option("--channel CHANNEL", "Only of this channel.")]
Filter = Annotated[str | None, option("--filter CONSTRAINT", "Only those whose events match.")]
Ids = Annotated[list[int] | None, option("<ID>", "Which ones.", min=1)]
All = Annotated[bool, option("--all", "All that there are.")]


@service_command(
    dead_letters,
    "tidings dead-letter list",
    "tidings dead-letter list --channel auction --filter '$price > 100' --json",
    name="list",
)
async def list_(
    client: Client, channel: OfChannel = None, filter: Filter = None, most: Most = 100
) -> None:
    """List dead letters in the order they came, with the last cause of each."""
    found: list[DeadLetterInfo] = []
    more = False
    async for letter in _letters(client, channel, filter):
        if more := len(found) == most:
            break
        found.append(letter)
    names = _Names(client)
    rows = [
        (
            str(letter.id),
            "" if render.is_json() else await names.of(letter),
            str(letter.seq),
            showing.title(letter.event),
            showing.moment_text(letter.at),
            letter.causes[-1].reason if letter.causes else "",
        )
        for letter in found
    ]
    headings = ("id", "channel/consumer", "number", "event", "given up", "cause")
    data = map(showing.as_data, found)
    render.listing(headings, rows, (0, 2), data, "there are no dead letters")
    if more and not render.is_json():
        render.note("there are more: --most")


class _Names:
    """Names of the consumers of dead letters, each looked up once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[tuple[int, int], str] = {}

    async def of(self, letter: DeadLetterInfo) -> str:
        """Return a letter's channel and consumer by name, or by id if unnamed or deleted."""
        key = (letter.channel, letter.proxy)
        if key not in self._known:
            transport = self._client.transport
            channel, proxy = map(str, key)
            with suppress(NotFound):
                channel = showing.named(await transport.request(SeeChannel(letter.channel)))
                proxy = showing.named(await transport.request(SeeProxy(*key)))
            self._known[key] = f"{channel}/{proxy}"
        return self._known[key]


@service_command(dead_letters, "tidings dead-letter show 12")
async def show(client: Client, id: Annotated[int, option("<ID>", "Which one.", min=1)]) -> None:
    """Show a dead letter: the event, and every cause."""
    found = await client.dead_letters(after=id - 1, most=1)
    if not found or found[0].id != id:
        raise NotFound(f"there is no dead letter {id}")
    letter = found[0]
    rows = [
        ("id", str(letter.id)),
        ("for", await _Names(client).of(letter)),
        ("number", str(letter.seq)),
        ("accepted", showing.moment_text(letter.arrival)),
        ("given up", showing.moment_text(letter.at)),
        ("event", showing.title(letter.event)),
        ("fields", showing.fields_text(letter.event)),
        *(("cause", f"{showing.moment_text(one.at)}  {one.reason}") for one in letter.causes),
    ]
    showing.show_object(showing.as_data(letter), rows)


class _Which(NamedTuple):
    """Dead letters by their ids, or all that a channel and a filter select."""

    ids: list[int] | None
    channel: str | None
    filter: str | None
    everything: bool


@service_command(
    dead_letters,
    "tidings dead-letter redrive 12 13",
    "tidings dead-letter redrive --channel auction --filter '$price > 100'",
    "tidings dead-letter redrive --all",
)
async def redrive(
    client: Client,
    ids: Ids = None,
    channel: OfChannel = None,
    filter: Filter = None,
    all_: All = False,
) -> None:
    """Deliver dead letters again, to the consumers they were for.

    Exit code: 0 done, 2 one of them could not be.
    """
    await _each(client, client.redrive, "redriven", _Which(ids, channel, filter, all_))


@service_command(
    dead_letters, "tidings dead-letter drop 12", "tidings dead-letter drop --filter '$price < 1'"
)
async def drop(
    client: Client,
    ids: Ids = None,
    channel: OfChannel = None,
    filter: Filter = None,
    all_: All = False,
) -> None:
    """Forget dead letters.

    Exit code: 0 done, 2 one of them could not be.
    """
    await _each(client, client.drop_dead_letter, "dropped", _Which(ids, channel, filter, all_))


async def _each(
    client: Client, act: Callable[[int], Awaitable[None]], done: str, which: _Which
) -> None:
    """Apply an action to the named or selected dead letters."""
    ids, *conditions = which
    if not ids:
        if not any(conditions):
            raise InvalidUsage("say which: ids, --channel, --filter, or --all")
        # Collect all first: a letter that fails again would reappear at the end.
        ids = [letter.id async for letter in _letters(client, which.channel, which.filter)]
    elif any(conditions):
        raise InvalidUsage("give ids, or say which by --channel, --filter or --all; not both")
    faults = 0
    for id in ids:
        try:
            await act(id)
        except TidingsError as error:
            faults += 1
            render.failure(error, f"{id}: {error}", id=id)
    count = len(ids) - faults
    render.result({done: count, "failed": faults}, f"{count} {done}")
    if faults:
        raise typer.Exit(2)


async def _letters(
    client: Client, channel: str | None, filter_text: str | None
) -> AsyncIterator[DeadLetterInfo]:
    from tidings.events.fields import fields_of
    from tidings.filters.constraint import constraint

    asked = None if filter_text is None else constraint(filter_text)
    key = None if channel is None else channel_key(channel)
    after = 0
    while page := await client.dead_letters(key, after=after, most=_PAGE):
        for letter in page:
            if asked is None or asked.matches(fields_of(letter.event, letter.arrival)):
                yield letter
        after = page[-1].id
