"""`tidings publish`: one event from words, or many from files of JSON lines."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, TypeAlias

import typer

from tidings.cli.connection import Channel, channel_key, service_command
from tidings.cli.options import Format, commands, tell_if_waiting
from tidings.cli.pairs import HEADER_AND_LINES, Header, JsonLines, Words, event_of
from tidings.cli.reading import (
    STDIN,
    EventReader,
    Line,
    bytes_ahead,
    check_readable,
    lines_in,
    moment,
    opened,
    shown_name,
)
from tidings.cli.showing import moment_text
from tidings.clock import SystemClock, duration_us
from tidings.errors import InvalidUsage, TidingsError, Unreachable
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client
    from tidings.client.publishing import Publisher, Receipt
    from tidings.events.structured import StructuredEvent

# Shorter files need no progress bar.
_LONG_FILE: Final = 500_000
# Every time within it has a valid date.
_LONGEST: Final = 1_000_000 * 86_400 * 1_000_000
# Most lines per batch; a batch does not wait to fill up.
_AT_ONCE: Final = 500
# Seconds between checks whether anybody still wants the lines.
_LOOK_SECONDS: Final = 0.1

app = commands()


@service_command(
    app,
    "tidings publish auction Auction::offer Emma price=12 category=books",
    "tidings publish auction Auction::offer Emma zones:='[3, 17]' --priority 4 --ttl 2h",
    "tidings publish auction --json-lines monday.jsonl --producer import-7",
    "tail -f events.jsonl | tidings publish auction --json-lines -",
    "tidings publish auction Auction::offer Emma price=12 --dry-run",
)
async def publish(  # noqa: PLR0913, PLR0917 -- one argument for each option
    client: Client,
    channel: Channel,
    event: Words = None,
    header: Header = None,
    priority: Annotated[int | None, typer.Option(min=-32767, max=32767)] = None,
    delay: str | None = None,
    at: str | None = None,
    ttl: str | None = None,
    json_lines: JsonLines = None,
    producer: str = "",
    dry_run: bool = False,
    format_: Format = "json",
) -> None:
    """Publish an event, or files of them.

    Writes the numbers they got. A plain value is a number or true or false if it looks like one,
    and else a text; field:= takes typed JSON. A number 0 says that a filter on the supplier's side
    stopped the event.

    Of files, each line is one event. The number of a line, counted through all files, is the
    number of the event for its producer.

    Exit code: 0 all was accepted, 2 something was not.

    Options:
        priority: Larger is more urgent. The header's Priority.
        delay DURATION: Deliver so much later, such as 10m. The header's StartTime.
        at TIME: Deliver not before, such as 2027-01-01T08:00:00Z. Also StartTime.
        ttl DURATION: Deliver within so long, such as 5s, or not. The header's Timeout.
        producer NAME: Who sends: run again with the same name and files, nothing is accepted twice.
        dry_run: Only tell what would become of the events.
    """
    words = event or []
    properties = header_words(header or (), priority, delay, at, ttl)
    if dry_run:
        from tidings.cli.trails import show_trails

        await show_trails(client, channel, words, properties, json_lines, format_)
        return
    if not json_lines:
        await _publish_one(client, channel, event_of(words, properties), producer)
        return
    if properties:
        raise InvalidUsage(HEADER_AND_LINES)
    await _publish_lines(client, channel, [*json_lines, *words], producer, EventReader(format_))


def header_words(
    header: Iterable[str], priority: int | None, delay: str | None, at: str | None, ttl: str | None
) -> list[str]:
    """Merge `--header` properties with those of the other options."""
    found = [*header]
    if priority is not None:
        found.append(f"Priority={priority}")
    if delay is not None:
        found.append(f"StartTime={moment_text(SystemClock().now() + _duration('delay', delay))}")
    if at is not None:
        found.append(f"StartTime={moment_text(moment(at))}")
    if ttl is not None:
        if not _duration("ttl", ttl):
            raise InvalidUsage("--ttl must be longer than 0; leave it out for no expiry")
        found.append(f"Timeout={ttl}")
    return found


def _duration(option: str, text: str) -> int:
    found = duration_us(text)
    if found is None:
        raise InvalidUsage(
            f"--{option}: {text!r:.40} is not a duration; write a whole number and ms, s, m, h, d "
            "or w, such as 5s"
        )
    if found > _LONGEST:
        raise InvalidUsage(f"--{option}: {text!r:.40} is too long; the longest is 1000000d")
    return found


async def _publish_one(client: Client, channel: str, event: StructuredEvent, producer: str) -> None:
    async with await client.publisher(channel_key(channel), producer) as publisher:
        receipt = await publisher.publish(event)
    warnings = {"warnings": list(receipt.warnings)} if receipt.warnings else {}
    render.result({"origin": receipt.origin, "seq": receipt.seq, **warnings}, str(receipt.seq))
    if render.is_json():
        return
    for warning in receipt.warnings:
        render.warning(warning)
    if not receipt.accepted:
        render.note("a filter on the supplier's side stopped it")


async def _publish_lines(
    client: Client, channel: str, sources: Sequence[str], producer: str, reader: EventReader
) -> None:
    check_readable(sources)
    tell_if_waiting(sources, "events")
    run = _Stream(reader)
    try:
        async with await client.publisher(channel_key(channel), producer) as publisher:
            with render.progress(
                bytes_ahead(sources), _LONG_FILE, lines=render.is_json()
            ) as advance:
                await run.send(publisher, sources, advance)
    except Unreachable as error:
        raise Unreachable(f"{error}\n  {run.way_on(producer)}") from error
    finally:
        run.report()
    raise typer.Exit(run.exit_code)


@dataclass(slots=True)
class _Stream:
    """The lines being published to a channel."""

    reader: EventReader
    accepted: int = 0
    stopped: int = 0
    refused: int = 0
    first: int = 0
    last: int = 0
    answered: str = ""
    warned: set[str] = field(default_factory=set)

    async def send(
        self, publisher: Publisher, sources: Sequence[str], advance: Callable[[int], None]
    ) -> None:
        """Publish all lines; a line's number is its event's producer number."""
        async for numbered in batches_of_lines(sources):
            batch: list[tuple[int, Line, StructuredEvent]] = []
            for number, line in numbered:
                advance(len(line.octets))
                for _, event in self.reader.decode([line]):
                    if batch and batch[-1][0] + 1 != number:  # numbers of a push are consecutive
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
            render.failure(answer, f"{line.where}: {answer}", **place)
            return
        if answer.seq:
            self.accepted += 1
            if answer.seq > 0:  # the service may have forgotten the seq of an old duplicate
                self.first = self.first or answer.seq
                self.last = max(self.last, answer.seq)
        else:
            self.stopped += 1
        if render.is_json():
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
        if render.is_json():
            counts = {"accepted": self.accepted, "stopped": self.stopped, "refused": self.refused}
            render.as_json({**counts, "bad_lines": self.reader.bad}, stderr=True)
            return
        numbers = f", numbers {self.first} to {self.last}" if self.last else ""
        stopped = f"; a filter stopped {self.stopped}" if self.stopped else ""
        refused = f"; {self.refused} were refused" if self.refused else ""
        events = "event" if self.accepted == 1 else "events"
        render.say(
            f"{self.accepted} {events} accepted{numbers}{stopped}{refused}{self.reader.summary()}"
        )

    @property
    def exit_code(self) -> int:
        """Return 0 if everything was accepted, else 2."""
        return 2 if self.reader.bad or self.refused else 0


_Numbered: TypeAlias = tuple[int, Line]
_Queue: TypeAlias = "queue.Queue[_Numbered | Exception]"
"""Lines with their numbers, and then what ended the reading: EOFError, or an error."""


async def batches_of_lines(sources: Sequence[str]) -> AsyncIterator[list[_Numbered]]:
    """Yield available lines, numbered across all sources, until one is unreadable."""
    waiting: _Queue = queue.Queue(2 * _AT_ONCE)
    stopped = threading.Event()
    # A daemon, so that waiting for a terminal does not block the exit.
    threading.Thread(
        target=_read, args=(sources, waiting, stopped), name="tidings-lines", daemon=True
    ).start()
    end: Exception | None = None
    try:
        while end is None:
            lines, end = await asyncio.to_thread(_available, waiting)
            if lines:
                yield lines
    finally:
        stopped.set()
        with suppress(queue.Full):
            waiting.put_nowait(EOFError())  # for whoever still waits in `_available`
    if not isinstance(end, EOFError):
        raise end


def _available(waiting: _Queue) -> tuple[list[_Numbered], Exception | None]:
    """Wait for a line, and return all that there are; and what ended the reading."""
    found: list[_Numbered] = []
    with suppress(queue.Empty):
        while len(found) < _AT_ONCE:
            one = waiting.get(block=not found)
            if isinstance(one, Exception):
                return found, one
            found.append(one)
    return found, None


def _read(sources: Sequence[str], waiting: _Queue, stopped: threading.Event) -> None:
    end: Exception = EOFError()
    try:
        for numbered in enumerate(_lines(sources), 1):
            if not _put(numbered, waiting, stopped):
                return
    except Exception as error:  # noqa: BLE001 -- raised again in the waiting task
        end = error
    _put(end, waiting, stopped)


def _put(what: _Numbered | Exception, waiting: _Queue, stopped: threading.Event) -> bool:
    """Hand something on, unless nobody wants it any more."""
    while not stopped.is_set():
        with suppress(queue.Full):
            waiting.put(what, timeout=_LOOK_SECONDS)
            return True
    return False


def _lines(sources: Sequence[str]) -> Iterator[Line]:
    for source in sources:
        if source == STDIN and (own := _own_stdin()) is not None:
            yield from lines_in(own, source)
            continue
        with opened(source) as stream:
            yield from lines_in(stream, source)


def _own_stdin() -> BinaryIO | None:
    """Open standard input apart from Python's own object; None if it is not a file.

    A daemon thread waiting in Python's own object makes the interpreter abort at exit.
    """
    try:
        return os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    except (AttributeError, OSError, io.UnsupportedOperation):
        return None
