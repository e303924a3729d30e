"""`tidings publish`: one event from words, or many from files of JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tidings.cli import render
from tidings.cli.connection import Channel, channel_key, service_command
from tidings.cli.event_words import (
    HEADER_AND_LINES,
    At,
    Delay,
    Header,
    JsonLines,
    Priority,
    Ttl,
    Words,
    header_words,
)
from tidings.cli.feeding import batches_of_lines
from tidings.cli.matching import BadLines
from tidings.cli.options import Format, Json, examples, tell_if_waiting
from tidings.cli.pairs import event_of
from tidings.cli.reading import Decoder, Line, bytes_ahead, check_readable, decoder, shown_name
from tidings.errors import InvalidUsage, TidingsError, Unreachable

if TYPE_CHECKING:
    from tidings.client.client import Client
    from tidings.client.publishing import Publisher, Receipt
    from tidings.events.structured import StructuredEvent

# Shorter files need no progress bar.
_LONG_FILE: Final = 500_000


def add_to(app: typer.Typer) -> None:
    """Add the command to the command tree."""
    service_command(
        app,
        epilog=examples(
            "tidings publish auction Auction::offer Emma price=12 category=books",
            "tidings publish auction Auction::offer Emma zones:='[3, 17]' --priority 4 --ttl 2h",
            "tidings publish auction --json-lines monday.jsonl --producer import-7",
            "tail -f events.jsonl | tidings publish auction --json-lines -",
            "tidings publish auction Auction::offer Emma price=12 --dry-run",
        ),
    )(publish)


async def publish(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    event: Words = None,
    header: Header = None,
    priority: Priority = None,
    delay: Delay = None,
    at: At = None,
    ttl: Ttl = None,
    json_lines: JsonLines = None,
    producer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who sends: run again with the same name and files, nothing is accepted twice.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would become of the events.")
    ] = False,
    format_: Format = "json",
    json: Json = False,
) -> None:
    """Publish an event, or files of them.

    Writes the numbers they got. A plain value is a number or true or false if it looks like one,
    and else a text; field:= takes typed JSON. A number 0 says that a filter on the supplier's side
    stopped the event.

    Of files, each line is one event. The number of a line, counted through all files, is the
    number of the event for its producer.

    Exit code: 0 all was accepted, 2 something was not.
    """
    words = event or []
    properties = header_words(header or (), priority, delay, at, ttl)
    if dry_run:
        from tidings.cli.trails import show_trails

        await show_trails(client, channel, words, properties, json_lines, format_, json)
        return
    if not json_lines:
        await _publish_one(client, channel, event_of(words, properties), producer, json)
        return
    if properties:
        raise InvalidUsage(HEADER_AND_LINES)
    sources = [*json_lines, *words]
    check_readable(sources)
    tell_if_waiting(sources, "events")
    run = _Stream(decoder(format_), json)
    try:
        async with await client.publisher(channel_key(channel), producer) as publisher:
            with render.progress(bytes_ahead(sources), _LONG_FILE, lines=json) as advance:
                await run.send(publisher, sources, advance)
    except Unreachable as error:
        raise Unreachable(f"{error}\n  {run.way_on(producer)}") from error
    finally:
        run.report()
    raise typer.Exit(run.exit_code)


async def _publish_one(
    client: Client, channel: str, event: StructuredEvent, producer: str, json: bool
) -> None:
    async with await client.publisher(channel_key(channel), producer) as publisher:
        receipt = await publisher.publish(event)
    if json:
        warnings = {"warnings": list(receipt.warnings)} if receipt.warnings else {}
        render.as_json({"origin": receipt.origin, "seq": receipt.seq, **warnings})
    else:
        render.say(str(receipt.seq))
        for warning in receipt.warnings:
            render.warning(warning)
        if not receipt.accepted:
            render.note("a filter on the supplier's side stopped it")


@dataclass(slots=True)
class _Stream:
    """The lines being published to a channel."""

    decode: Decoder
    as_json: bool
    accepted: int = 0
    stopped: int = 0
    refused: int = 0
    first: int = 0
    last: int = 0
    answered: str = ""
    warned: set[str] = field(default_factory=set)
    bad: BadLines = field(init=False)

    def __post_init__(self) -> None:
        self.bad = BadLines(self.as_json)

    async def send(
        self, publisher: Publisher, sources: Sequence[str], advance: Callable[[int], None]
    ) -> None:
        """Publish all lines; a line's number is its event's producer number."""
        async for numbered in batches_of_lines(sources):
            batch: list[tuple[int, Line, StructuredEvent]] = []
            for number, line in numbered:
                advance(len(line.octets))
                if line.blank:
                    continue
                try:
                    event = line.event(self.decode)
                except TidingsError as error:
                    self.bad.add(line, error)
                    continue
                if batch and batch[-1][0] + 1 != number:  # numbers in one push are consecutive
                    await self._push(publisher, batch)
                    batch = []
                batch.append((number, line, event))
            await self._push(publisher, batch)

    async def _push(
        self, publisher: Publisher, batch: Sequence[tuple[int, Line, StructuredEvent]]
    ) -> None:
        if not batch:
            return
        publisher.number = batch[0][0] - 1
        answers = await publisher.publish_many([event for _, _, event in batch])
        for (_, line, _), answer in zip(batch, answers, strict=True):
            self._answered(line, answer)
        self.answered = batch[-1][1].where

    def _answered(self, line: Line, answer: Receipt | TidingsError) -> None:
        place: dict[str, object] = {"file": shown_name(line.source), "line": line.number}
        if isinstance(answer, TidingsError):
            self.refused += 1
            data = render.fault_data(answer) | place
            render.failure(f"{line.where}: {answer}", data if self.as_json else None)
            return
        if answer.seq:
            self.accepted += 1
            if answer.seq > 0:  # the service may have forgotten the seq of an old duplicate
                self.first = self.first or answer.seq
                self.last = max(self.last, answer.seq)
        else:
            self.stopped += 1
        if self.as_json:
            warnings = {"warnings": list(answer.warnings)} if answer.warnings else {}
            render.as_json({**place, "seq": answer.seq, **warnings})
            return
        for warning in answer.warnings:
            if warning not in self.warned:  # most mistakes are in every line
                self.warned.add(warning)
                render.warning(f"{line.where}: {warning}")

    def way_on(self, producer: str) -> str:
        """Return advice for resuming after a lost connection."""
        if producer:
            return "run the same again: what was accepted before is not accepted twice"
        done = (
            f"all up to {self.answered} was answered" if self.answered else "nothing was answered"
        )
        return f"{done}; what comes next may be accepted or not; --producer makes a run repeatable"

    def report(self) -> None:
        """Report the counts."""
        if self.as_json:
            counts = {"accepted": self.accepted, "stopped": self.stopped, "refused": self.refused}
            render.as_json({**counts, "bad_lines": self.bad.count}, stderr=True)
            return
        numbers = f", numbers {self.first} to {self.last}" if self.last else ""
        stopped = f"; a filter stopped {self.stopped}" if self.stopped else ""
        refused = f"; {self.refused} were refused" if self.refused else ""
        events = "event" if self.accepted == 1 else "events"
        render.say(
            f"{self.accepted} {events} accepted{numbers}{stopped}{refused}{self.bad.summary()}"
        )

    @property
    def exit_code(self) -> int:
        """Return 0 if everything was accepted, else 2."""
        return 2 if self.bad.count or self.refused else 0
