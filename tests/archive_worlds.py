"""Small worlds to archive: a real host, all kinds of events and outcomes, and what it decided."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.archive_story import Story
from tidings.channel.effects import Acceptance, Done, Message
from tidings.channel.entries import NEVER
from tidings.clock import ManualClock
from tidings.engine.host import Host
from tidings.engine.recording import Recorder
from tidings.events.structured import StructuredEvent
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.rows import OUTCOME_NAMES
from tidings.stores.records import Record
from tidings.stores.segments import Cursor

__all__ = [
    "Decided",
    "DecidedOutcome",
    "World",
    "archive_journal",
    "journal_end",
    "make_world",
    "watched",
]

FIRST_US = 1_700_000_000_000_000
"""The time of the archiver in these worlds."""


class Decided(NamedTuple):
    """A Persistent event as the engine took it in.

    Attributes:
        origin: Its channel's.
        channel: Its channel's name.
        seq: Its number.
        event: Its content.
        arrival_us: When it came.
        plan: Version of the rules it was judged by.
        recipients: Proxies it went to, in order, also those that are not durable.
        durable: Those of them that are.
        priority: As most see it.
        expiry_us: As most see it; None for never.
        priorities: What each recipient sees.
        expiries: Likewise; None for never.
        start_us: Not delivered before.
        producer: Who sent it, if it had a mark.
        number: Its number there.
        hops: Channels it had passed.
        redriven: A dead letter that is delivered again.
    """

    origin: str
    channel: str
    seq: int
    event: StructuredEvent
    arrival_us: int
    plan: int
    recipients: tuple[int, ...]
    durable: tuple[int, ...]
    priority: int
    expiry_us: int | None
    priorities: Mapping[int, int]
    expiries: Mapping[int, int | None]
    start_us: int | None
    producer: str | None
    number: int | None
    hops: tuple[str, ...]
    redriven: bool


class DecidedOutcome(NamedTuple):
    """What became of a copy, as the engine wrote it down; `outcome` as in the archive."""

    origin: str
    channel: str
    proxy: int
    seq: int
    outcome: str


@dataclass
class World:
    """What happened, and where it is written.

    Attributes:
        folder: With ``data`` and ``archive``.
        events: Persistent events in the order they came, redriven ones again.
        outcomes: In the order they came, of durable proxies.
        channels: Names by origin.
        proxies: Durable proxies by origin, also those that are gone.
        gone: Origin and proxy of those that are gone.
        destroyed: Origins of channels that are gone.
        end: Where the journal ends.
        order: Events and outcomes as they came.
        taken_in: Origin and seq of all events.
    """

    folder: Path
    events: list[Decided] = field(default_factory=list)
    outcomes: list[DecidedOutcome] = field(default_factory=list)
    channels: dict[str, str] = field(default_factory=dict)
    proxies: dict[str, list[int]] = field(default_factory=dict)
    gone: set[tuple[str, int]] = field(default_factory=set)
    destroyed: set[str] = field(default_factory=set)
    end: Cursor = field(default_factory=lambda: Cursor(0, 0))
    order: list[Decided | DecidedOutcome] = field(default_factory=list)
    taken_in: set[tuple[str, int]] = field(default_factory=set)

    @property
    def data(self) -> Path:
        """The data folder of the host."""
        return self.folder / "data"

    @property
    def journal(self) -> Path:
        """The journal's folder."""
        return self.folder / "data" / "journal"

    @property
    def archive(self) -> Path:
        """The archive's folder."""
        return self.folder / "archive"

    @property
    def firsts(self) -> list[Decided]:
        """The events, each once."""
        return [one for one in self.events if not one.redriven]

    @property
    def pairs(self) -> set[tuple[str, int, int]]:
        """Origin, seq and proxy of all copies."""
        return {(one.origin, one.seq, p) for one in self.firsts for p in one.recipients}

    @property
    def pending(self) -> set[tuple[str, int, int]]:
        """Origin, seq and proxy of copies for durable proxies that have no final outcome."""
        waiting: set[tuple[str, int, int]] = set()
        for one in self.order:
            if isinstance(one, Decided):
                waiting |= {(one.origin, one.seq, proxy) for proxy in one.durable}
            elif one.outcome != "withdrawn":
                waiting.discard((one.origin, one.seq, one.proxy))
        return waiting

    def note(self, one: Decided | DecidedOutcome) -> None:
        """Takes note of a decision."""
        self.order.append(one)
        if isinstance(one, Decided):
            self.events.append(one)
        else:
            self.outcomes.append(one)


@contextmanager
def watched(world: World) -> Iterator[None]:
    """Has the decisions of all hosts noted, from their start on."""
    write_event, write_outcome = Recorder.event, Recorder.outcome

    def event_and_note(self: Recorder, message: Message, accepted: Acceptance) -> Record:
        world.note(_decided(self, message, accepted, world))
        return write_event(self, message, accepted)

    def outcome_and_note(self: Recorder, effect: Done, now: int) -> Record:
        origin = self.origins[effect.channel].hex()
        for seq in effect.durable:
            name = OUTCOME_NAMES[effect.outcome]
            world.note(DecidedOutcome(origin, world.channels[origin], effect.proxy, seq, name))
        return write_outcome(self, effect, now)

    with (
        mock.patch.object(Recorder, "event", event_and_note),
        mock.patch.object(Recorder, "outcome", outcome_and_note),
    ):
        yield


def _decided(recorder: Recorder, message: Message, accepted: Acceptance, world: World) -> Decided:
    def wall(expiry: int) -> int | None:
        return None if expiry == NEVER else recorder.wall(expiry)

    origin, entry = recorder.origins[message.channel].hex(), accepted.entry
    recipients = [proxy.id for proxy in accepted.recipients]
    seen_by = {proxy: accepted.views.get(proxy, entry) for proxy in recipients}
    again = message.id in world.taken_in
    world.taken_in.add(message.id)
    return Decided(
        origin,
        world.channels[origin],
        message.seq,
        message.event,
        message.arrival,
        message.plan,
        tuple(recipients),
        tuple(accepted.durable),
        entry.priority,
        wall(entry.expiry),
        {proxy: seen.priority for proxy, seen in seen_by.items()},
        {proxy: wall(seen.expiry) for proxy, seen in seen_by.items()},
        accepted.start,
        None if message.mark is None else message.mark.producer,
        None if message.mark is None else message.mark.number,
        message.hops,
        again,
    )


def journal_end(folder: Path) -> Cursor:
    """Where the journal in a folder ends, its host being closed."""
    last = max(folder.glob("*.journal"))
    return Cursor(int(last.stem), last.stat().st_size)


def archive_journal(
    journal: Path, archive: Path, options: ArchiveOptions | None = None, upto: Cursor | None = None
) -> None:
    """Archives all of a journal; the same journal gives the same rows every time."""
    with Archiver(journal, archive, options, ManualClock(FIRST_US)) as archiver:
        archiver.advance(upto or journal_end(journal), seal=True)


async def make_world(
    folder: Path,
    events: int = 300,
    seed: int = 1,
    *,
    options: ArchiveOptions | None = None,
    archived: bool = True,
    segment_octets: int = 64 * 1024 * 1024,
    story: type[Story] = Story,
) -> World:
    """Has things happen in a host, which is stopped and started in between, and archives them.

    By default there are three channels: ``world``, where most happens, one without a name, and
    ``doomed``.

    Args:
        folder: The data goes to ``data``, the archive to ``archive``.
        events: How many are pushed, over all channels.
        seed: Steers what they are.
        options: Of the archive; by default seals of at most a hundred rows.
        archived: Whether to archive.
        segment_octets: How long a segment of the journal may be.
        story: What happens.
    """
    world = World(folder)
    told = story(world, random.Random(seed), events)
    with watched(world):
        for act in (told.begin, told.go_on):
            host = await Host.open(world.data, segment_octets=segment_octets)
            try:
                await act(host)
            finally:
                await host.close(0.05)
    world.end = journal_end(world.journal)
    if archived:
        given = options or ArchiveOptions(seal_rows=100)
        archive_journal(world.journal, world.archive, given)
    return world
