"""Start-up: from the journal to the state before the stop.

The journal is read once. The last record of an object counts; an event waits for the proxies its
record names, less those whose outcome is recorded. Nothing else is needed: the catalog is filled
from the same records.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from tidings.channel.effects import Outcome
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.channel.snapshot import ObjectKey
from tidings.clock import Clock, SystemClock
from tidings.engine.bodies import packed
from tidings.engine.recording import HOST_ORIGIN
from tidings.engine.store import Store
from tidings.errors import TidingsError
from tidings.events.envelope import ProducerMark
from tidings.stores.catalog import Catalog
from tidings.stores.chain import Head, read_head
from tidings.stores.journal import Journal
from tidings.stores.loss_book import read_book
from tidings.stores.payloads import (
    StoredDeadLetter,
    StoredEvent,
    numbers_payload,
    stored_dead,
    stored_dead_gone,
    stored_dropped,
    stored_event,
    stored_marks,
    stored_numbers,
    stored_outcome,
    stored_state,
    stored_topology,
)
from tidings.stores.records import Kind, Record
from tidings.stores.segments import DamageReport, segment_path
from tidings.stores.segments import Entry as JournalEntry

log = logging.getLogger(__name__)

CATALOG: Final = "catalog.sqlite"
JOURNAL: Final = "journal"
# After a loss, numbers go on so far beyond the highest that is known. After a power loss the head
# file may be half a minute old: that many events a service does not take in within it.
LOST_NUMBERS: Final = 1_000_000

# A hole explains no more missing numbers than this: what is wrong then is something else.
_MOST_MISSED: Final = 1_000_000

Pending: TypeAlias = tuple[int, int, int, int, int | None, tuple[int, ...], Any]
"""A possibly waiting event: place, expiry, priority, flags, start, proxies, views; times as in
the journal. A tuple, because there may be millions."""


@dataclass(slots=True)
class ChannelState:
    """What the journal says of one channel."""

    seq: int = 0
    reserved: int = 0  # numbers up to this one may have been in use
    used: int = 0  # the highest number in use when that was written
    skipped: int = 0  # how many numbers up to `used` belong to no event
    plan: int = 0
    pending: dict[int, Pending] = field(default_factory=dict)
    marks: ProducerMarks | None = None
    lost: set[int] = field(default_factory=set)  # numbers of events whose records are damaged
    holes: int = 0  # how many had been found before its last event
    mixed: bool = False  # whether BestEffort events have numbers too, which no record shows
    dead: dict[tuple[int, int], StoredDeadLetter] = field(default_factory=dict)


class Recovered:
    """What the journal says, gathered record by record.

    `complete` says that no segment of the journal was dropped: numbers begin with 1.
    """

    def __init__(self, limits: Limits, *, complete: bool = False) -> None:
        self.states: dict[ObjectKey, Any] = {}  # the last state of each object of the channels
        self.cores: dict[str, dict[str, Any]] = {}  # the same for other cores, by core and key
        self.channels: dict[bytes, ChannelState] = {}
        self.last_channel = 0
        self.unreadable = 0
        self.last_dead = 0  # the highest number of a dead letter seen, even if it is gone
        # By origin and segment, the highest event number removed with the segments before.
        self.dropped: dict[tuple[bytes, int], int] = {}
        self.gone: set[ObjectKey] = set()
        self.destroyed: set[bytes] = set()
        self.holes = 0  # damaged parts of the journal with unknown content
        self._complete = complete
        self._limits = limits
        self._read = {
            Kind.EVENT: self._event,
            Kind.OUTCOME: self._outcome,
            Kind.TOPOLOGY: self._topology,
            Kind.PLAN: self._plan,
            Kind.MARK: self._marks,
            Kind.DEAD: self._dead,
            Kind.DEAD_GONE: self._dead_gone,
            Kind.RESERVED: self._reserved,
            Kind.DROPPED: self._dropped,
            Kind.STATE: self._state,
        }

    def visit(self, entry: JournalEntry) -> None:
        """Read one record; report and skip an unreadable one."""
        read = self._read.get(entry.record.kind)  # type: ignore[call-overload]
        if read is None:
            return
        try:
            read(entry)
        except TidingsError as error:
            self.unreadable += 1
            log.warning("a record at %s is passed over: %s", entry.at, error)

    def damaged(self, report: DamageReport) -> None:
        """Note that a part of the journal cannot be read."""
        if report.what == "torn":  # the end of a write that was never answered
            return
        self.holes += not report.all_known
        for kind, origin, seq in report.lost:
            if kind == Kind.EVENT:
                channel = self._channel(origin)
                if seq not in channel.pending:  # else it was written again, and the first is there
                    channel.lost.add(seq)
                channel.seq = max(channel.seq, seq)  # no other event may have its number

    def _missed(self, channel: ChannelState, seq: int) -> None:
        """Count numbers missing behind a hole as events lost in it.

        Reserved numbers may belong to BestEffort events, and older ones may have been removed with
        old segments.
        """
        channel.holes = self.holes
        first = (max(channel.seq, channel.reserved) if channel.mixed else channel.seq) + 1
        if channel.seq or self._complete:
            channel.lost.update(range(first, min(seq, first + _MOST_MISSED)))

    def _channel(self, origin: bytes) -> ChannelState:
        found = self.channels.get(origin)
        if found is None:
            found = self.channels[origin] = ChannelState(holes=self.holes)
        return found

    def _event(self, entry: JournalEntry) -> None:
        record = entry.record
        channel = self._channel(record.channel)
        stored = stored_event(record.payload)
        seq = record.seq
        if channel.lost:
            channel.lost.discard(seq)
        if channel.holes != self.holes:
            self._missed(channel, seq)
        elif seq > channel.seq + 1:
            channel.mixed = True
        channel.seq = max(channel.seq, seq)
        if stored.producer is not None:
            if channel.marks is None:
                channel.marks = ProducerMarks(self._limits)
            # It was checked when it came; here it is one of millions.
            channel.marks.record(ProducerMark.trusted(stored.producer, stored.number), seq)
        # What was done with the number before does not count: it was done with another event,
        # which was refused, or with a dead letter that is delivered again now; and an event that
        # was carried forward names those only that waited when this was written.
        before = channel.pending.get(seq)
        proxies, views = stored.durable, stored.views
        if before is not None:
            proxies, views = _joined(before, stored)
        if proxies:
            channel.pending[seq] = (
                packed(entry.at),
                stored.expiry,
                stored.priority,
                stored.flags,
                stored.start,
                proxies,
                views or None,
            )

    def _outcome(self, entry: JournalEntry) -> None:
        channel = self._channel(entry.record.channel)
        proxy, outcome, seqs, _ = stored_outcome(entry.record.payload)
        if channel.holes != self.holes and max(seqs, default=0) > channel.seq:
            self._missed(channel, max(seqs) + 1)
        channel.seq = max(channel.seq, max(seqs, default=0))  # their own records may be lost
        if outcome is Outcome.WITHDRAWN:
            return
        pending = channel.pending
        for seq in seqs:
            found = pending.get(seq)
            if found is None:
                continue
            left = tuple(p for p in found[5] if p != proxy)
            if left:
                pending[seq] = (*found[:5], left, found[6])
            else:
                del pending[seq]

    def _topology(self, entry: JournalEntry) -> None:
        channel, kind, key, state = stored_topology(entry.record.payload)
        self.last_channel = max(self.last_channel, channel)
        if state is not None:
            self.states[channel, kind, key] = state
            return
        self.states.pop((channel, kind, key), None)
        self.gone.add((channel, kind, key))
        if kind == "channel":
            self.channels.pop(entry.record.channel, None)
            self.destroyed.add(entry.record.channel)

    def _state(self, entry: JournalEntry) -> None:
        core, key, state = stored_state(entry.record.payload)
        known = self.cores.setdefault(core, {})
        known.pop(key, None)  # the order is that of the last states
        if state is not None:
            known[key] = state

    def _plan(self, entry: JournalEntry) -> None:
        channel = self._channel(entry.record.channel)
        channel.plan = max(channel.plan, entry.record.seq)

    def _marks(self, entry: JournalEntry) -> None:
        plain = stored_marks(entry.record.payload)
        marks = ProducerMarks.from_plain(plain, self._limits)
        self._channel(entry.record.channel).marks = marks

    def _dead(self, entry: JournalEntry) -> None:
        letter = stored_dead(entry.record.payload)
        self.last_dead = max(self.last_dead, letter.number)
        self._channel(entry.record.channel).dead[letter.proxy, entry.record.seq] = letter

    def _dead_gone(self, entry: JournalEntry) -> None:
        key = stored_dead_gone(entry.record.payload)
        self._channel(entry.record.channel).dead.pop(key, None)

    def _reserved(self, entry: JournalEntry) -> None:
        channel = self._channel(entry.record.channel)
        numbers = stored_numbers(entry.record.payload)
        if channel.holes != self.holes:  # what lies beyond was skipped, and is not missing
            self._missed(channel, (numbers[0] if numbers else channel.seq) + 1)
            channel.mixed = True
        elif entry.record.seq > channel.seq:
            channel.mixed = True
        channel.reserved = entry.record.seq  # a stop in good order takes back what was not used
        channel.used, channel.skipped = numbers or (channel.reserved, 0)

    def _dropped(self, entry: JournalEntry) -> None:
        record = entry.record
        self.dropped[record.channel, stored_dropped(record.payload)] = record.seq

    def dropped_before(self, segment: int) -> dict[bytes, int]:
        """By origin, return the highest number of an event in segments before this one.

        Records about segments that still exist do not count: a crash kept them.
        """
        found: dict[bytes, int] = {}
        for (origin, upto), seq in self.dropped.items():
            if upto <= segment:
                found[origin] = max(seq, found.get(origin, 0))
        return found

    def go_on_after(self, seq: int, *, unsure: bool = False) -> list[Record]:
        """Continue the numbers of all channels after `seq`; return the records that say so.

        With `unsure`, only of channels whose latest events may be in a damaged part.
        """
        records = []
        for id, origin in self.origins().items():
            state = self._channel(origin)
            if id and not (unsure and (state.holes == self.holes or state.seq >= seq)):
                state.used = max(state.used, state.seq)
                state.reserved = max(state.reserved, seq)
                payload = numbers_payload(state.used, state.skipped)
                records.append(Record(Kind.RESERVED, origin, seq, payload))
        if records:
            text = "part of the journal is missing: new events get numbers from %d on"
            log.warning(text, seq + 1)
        return records

    def origins(self) -> dict[int, bytes]:
        """Return the origins of all existing channels, by id."""
        found = {0: HOST_ORIGIN}
        for (channel, kind, _), state in self.states.items():
            if kind == "channel":
                found[channel] = bytes.fromhex(state["origin"])
        return found


def _joined(
    before: Pending, stored: StoredEvent
) -> tuple[tuple[int, ...], dict[int, tuple[int, int]]]:
    """Merge the proxies of two records of one event, and their views beside the later record."""
    _, expiry, priority, _, _, waiting, known = before
    views = dict(stored.views)
    others = [proxy for proxy in waiting if proxy not in stored.durable]
    for proxy in others:
        seen = (known or {}).get(proxy, (expiry, priority))
        if seen != (stored.expiry, stored.priority):
            views[proxy] = seen
    return (*others, *stored.durable), views


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend garbage collection, unless it is off already.

    Recovery makes millions of objects that all stay: scanning them again and again would take a
    third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def open_journal(
    folder: Path,
    limits: Limits,
    segment_octets: int,
    beyond: Head | None = None,
    clock: Clock | None = None,
) -> tuple[Journal, Recovered]:
    """Open or create the journal of a data folder, and read it.

    If its end or a segment is missing, the numbers of all channels continue beyond all that may
    have been used. `beyond` is how far the journal once reached, as its archive knows. JournalInUse
    means that another process has it open, JournalTooNew that a newer version has written it.
    """
    head = read_head(folder / JOURNAL)
    complete = head is not None and head.first <= 1
    found = Recovered(limits, complete=complete or segment_path(folder / JOURNAL, 1).exists())
    with uncollected():
        journal = Journal.open(
            folder / JOURNAL,
            segment_octets=segment_octets,
            visit=found.visit,
            damaged=found.damaged,
            beyond=beyond,
            clock=clock,
        )
    try:
        if journal.lost:
            journal.settle(found.go_on_after(journal.highest + LOST_NUMBERS))
        elif records := found.go_on_after(journal.highest, unsure=True):
            journal.settle(records)
    except BaseException:
        journal.close()
        raise
    return journal, found


def recover(
    folder: Path, limits: Limits, segment_octets: int, clock: Clock | None = None
) -> tuple[Store, Recovered]:
    """Open or create the store in a folder, and read it, on the disk thread."""
    journal, found = open_journal(folder, limits, segment_octets, clock=clock)
    try:
        book = read_book(journal.folder, (clock or SystemClock()).now())
        catalog = Catalog.open(folder / CATALOG, journal.id)
        _list_dead(catalog, found, limits.dead_letters)
    except BaseException:
        journal.close()
        raise
    return Store(journal, catalog, found.dropped_before(journal.segments[0]), book), found


def _list_dead(catalog: Catalog, found: Recovered, most: int) -> None:
    """Fill the catalog with the dead letters, in the order they came.

    Those the catalog once refused have no number; they come last, and get new ones.
    """
    letters = [
        ((not letter.number, letter.number, letter.at), id, seq, letter)
        for id, origin in found.origins().items()
        if (channel := found.channels.get(origin)) is not None
        for (_, seq), letter in channel.dead.items()
    ]
    letters.sort(key=itemgetter(0))
    try:
        catalog.clear()
        with catalog.batch():
            catalog.number_dead_after(found.last_dead)
            for _, id, seq, letter in letters[-most:]:
                catalog.add_dead(id, seq, letter)
    except BaseException:
        catalog.close()
        raise
