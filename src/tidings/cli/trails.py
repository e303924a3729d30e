"""`tidings trail`: what would happen to an event, with each stage, verdict and reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from tidings.cli import render, showing
from tidings.cli.connection import Channel, channel_key, service_command
from tidings.cli.event_words import HEADER_AND_LINES, Header, JsonLines, Words
from tidings.cli.matching import BadLines
from tidings.cli.options import Format, Json, examples, tell_if_waiting
from tidings.cli.pairs import event_of
from tidings.cli.reading import decoder, events_in, opened
from tidings.cli.render import Branch, Mark
from tidings.cli.trail_reasons import Reasons
from tidings.errors import InvalidUsage, TidingsError

if TYPE_CHECKING:
    from tidings.channel.trail import Step, Trail
    from tidings.client.client import Client
    from tidings.events.structured import StructuredEvent


def add_to(app: typer.Typer) -> None:
    """Add the command to the command tree."""
    service_command(
        app,
        epilog=examples(
            "tidings trail auction Auction::offer Emma price=12",
            "tidings trail auction --json-lines event.json",
        ),
    )(trail)


async def trail(
    client: Client,
    channel: Channel,
    event: Words = None,
    header: Header = None,
    json_lines: JsonLines = None,
    format_: Format = "json",
    json: Json = False,
) -> None:
    """Tell what would become of an event, and why.

    Each stage stands with its verdict and the reason, and below a consumer that does not get the
    event, its constraints with what they found. Nothing is published. The event is judged as if it
    came through a supplier without filters.

    With --json each event gives the trail as the API tells it.

    Exit code: 0 everything was told, 2 something could not be read.
    """
    await show_trails(client, channel, event or [], header, json_lines, format_, json)


async def show_trails(
    client: Client,
    channel: str,
    words: Sequence[str],
    header: Sequence[str] | None,
    json_lines: Sequence[str] | None,
    format_: str,
    json: bool,
) -> None:
    """Show the trails of an event from words, or of all events of files."""
    found = await client.channel(channel_key(channel))
    bad = BadLines(json)
    given = _events(words, header or (), json_lines or (), format_, bad)
    proxies = {info.id: info for info in await found.proxies()}
    reasons = Reasons(client, proxies)
    names = {id: showing.proxy_name(info) for id, info in proxies.items()}
    for number, event in enumerate(given):
        told = await found.dry_run(event)
        if json:
            from tidings.api.operations import view_json

            render.as_json(view_json(told))
            continue
        if number:
            render.say()
        tree = _tree(told, names, await reasons.of(event, told))
        render.explanation(verdict(told), told.accepted, showing.title(event), tree)
    if bad.count:
        raise typer.Exit(2)


def _events(
    words: Sequence[str],
    header: Sequence[str],
    json_lines: Sequence[str],
    format_: str,
    bad: BadLines,
) -> Iterator[StructuredEvent]:
    if not json_lines:
        yield event_of(words, header)
        return
    if header:
        raise InvalidUsage(HEADER_AND_LINES)
    sources, decode = [*json_lines, *words], decoder(format_)
    tell_if_waiting(sources, "events")
    for source in sources:
        with opened(source) as stream:
            for line in events_in(stream, source):
                try:
                    yield line.event(decode)
                except TidingsError as error:
                    bad.add(line, error)


def verdict(told: Trail) -> str:
    """Return the answer in one line."""
    if not told.accepted:
        return f"not accepted: {told.steps[-1].reason}"
    consumers = [step for step in told.steps if step.stage == "consumer"]
    if not consumers:
        return "accepted, and there are no consumers"
    return f"accepted, for {len(told.recipients)} of {len(consumers)} consumers"


def _tree(told: Trail, names: dict[int, str], why: dict[int, tuple[Branch, ...]]) -> Branch:
    mark = Mark.TRUE if told.accepted else Mark.FALSE
    parts = tuple(_branch(step, names, why) for step in told.steps)
    return Branch(mark, f"rules of version {told.plan}", "", parts)


def _branch(step: Step, names: dict[int, str], why: dict[int, tuple[Branch, ...]]) -> Branch:
    whose = "" if step.proxy is None else f" {names.get(step.proxy, step.proxy)}"
    parts = why.get(step.proxy, ()) if step.proxy is not None and not step.passed else ()
    notes = [step.reason]
    if step.priority or (step.stage == "header" and step.priority is not None):
        notes.append(f"priority {step.priority}")
    if step.start is not None:
        notes.append(f"not before {showing.moment_text(step.start)}")
    if step.expiry is not None:
        notes.append(f"until {showing.moment_text(step.expiry)}")
    mark = Mark.TRUE if step.passed else Mark.FALSE
    return Branch(mark, f"{step.stage}{whose}", ", ".join(notes), parts)
