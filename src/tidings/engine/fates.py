"""The fate of events: what the journal says of each copy, and what still waits.

The journal is read from the event on, in small steps, until the outcome of every copy is found. How
far it was read is remembered, so that the next request goes on from there.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from tidings.channel.channel import Channel
from tidings.channel.consumer import Consumer, ConsumerProxy
from tidings.channel.effects import Message
from tidings.channel.entries import SEQ
from tidings.channel.fate import (
    Ending,
    EventCopy,
    Evidence,
    Fate,
    Kept,
    State,
    ending_of,
    needs_search,
)
from tidings.channel.questions import SeeFate
from tidings.engine.beside import beside
from tidings.engine.history import Asked, Guide, Search
from tidings.engine.losses import LossReports
from tidings.engine.storage import Storage
from tidings.engine.store import Store
from tidings.engine.turns import Turns
from tidings.errors import CursorNotFound, InvalidUsage, NotFound, StoreError
from tidings.events.fields import fields_for
from tidings.filters.plan import Fence
from tidings.stores.event_index import durable_entries
from tidings.stores.payloads import outcome_of, stored_event
from tidings.stores.records import Kind, Record
from tidings.stores.segments import DATA_START, Cursor

MOST: Final = 1_000
"""The maximum number of copies in an answer."""

# Octets of the journal that one request reads: about a second.
_MOST_READ: Final = 64 * 1024 * 1024
# As for history: pushes wait for a step to end.
_STEP: Final = 128 * 1024
# Requests that read at once; the disk thread has other work, too.
_AT_ONCE: Final = 2
# Events of which is remembered how far the journal was read, and their copies: some 10 MB.
_EVENTS: Final = 1_000
_REMEMBERED: Final = 50_000
# Entries or proxies looked at before others may have a turn: less than a millisecond.
_SLICE: Final = 10_000
_PROXIES: Final = 100


class Follower:
    """Follows the copies of one event through the journal; on the disk thread.

    Attributes:
        listed: The proxies whose outcomes the journal records.
        endings: What was found so far, by proxy.
        sought: The proxies of which something is still to be found.
        complete: Whether everything was found, or the journal has no more.
    """

    def __init__(
        self, store: Store, origin: bytes, seq: int, at: Cursor, listed: Sequence[int]
    ) -> None:
        self.listed = frozenset(listed)
        self.endings: dict[int, list[Ending]] = {}
        self.sought: set[int] = set()
        self.complete = False
        self._store = store
        self._origin = origin
        self._seq = seq
        self._at = at
        self._read = 0
        self._letters: Mapping[int, int] = {}

    def begin(self, held: Mapping[int, State], letters: Mapping[int, int]) -> None:
        """Go on for another request; what is held now has not ended."""
        self._read, self.complete = 0, False
        self._letters = letters
        self.sought = {
            proxy
            for proxy in self.listed
            if proxy not in held and needs_search(self.endings.get(proxy, ()), letters.get(proxy))
        }

    def step(self) -> bool:
        """Read a little more; return whether that is enough for this request."""
        before = self._at
        try:
            if self.sought and not self._stretch(before):
                self._turn_over()
        except FileNotFoundError:  # retention removed it
            self._turn_over()
        except OSError as error:
            raise StoreError(f"segment {before.segment} cannot be read: {error}") from error
        self.complete = self.complete or not self.sought
        return self.complete or self._read >= _MOST_READ

    def _stretch(self, start: Cursor) -> bool:
        """Read a part of a segment; return whether there may be more in it."""
        for entry in durable_entries(self._store.journal, start):
            self._read += entry.after.offset - self._at.offset
            self._at = entry.after
            self._look(entry.record)
            if not self.sought or self._at.offset - start.offset >= _STEP:
                return True
        return False

    def _turn_over(self) -> None:
        later = [one for one in self._store.journal.segments if one > self._at.segment]
        if later:
            self._at = Cursor(later[0], DATA_START)
        self.complete = not later

    def _look(self, record: Record) -> None:
        if record.kind != Kind.OUTCOME or record.channel != self._origin:
            return
        try:
            found = outcome_of(record.payload, self._seq)
        except StoreError:  # recovery passes over it, too
            return
        ending = None if found is None else ending_of(found.outcome, found.at)
        if found is None or ending is None:
            return
        endings = self.endings.setdefault(found.proxy, [])
        endings.append(ending)
        if not needs_search(endings, self._letters.get(found.proxy)):
            self.sought.discard(found.proxy)


class _Found(NamedTuple):
    """An event in the journal."""

    message: Message
    listed: Sequence[int]
    after: Cursor


class _Finder(Search):
    """Finds one event, unless the fence hides it; on the disk thread."""

    listed: Sequence[int] = ()

    def _take(self, record: Record) -> None:
        super()._take(record)
        if self._messages:
            self.listed = stored_event(record.payload).durable

    def found(self) -> _Found | None:
        """Return the event, None if it is not in the journal."""
        if not self._messages or self._at is None:
            return None
        return _Found(self._messages[0], self.listed, self._at)


class Fates:
    """Tells what became of events."""

    def __init__(self, storage: Storage, reports: LossReports, guide: Guide) -> None:
        self._storage = storage
        self._reports = reports
        self._guide = guide
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self._known: OrderedDict[tuple[str, int], Follower] = OrderedDict()

    async def of(self, channel: Channel, asked: SeeFate, fence: Fence = ()) -> Fate:
        """Return what became of an event; one that the fence hides is as one that is missing.

        Raises:
            NotFound: No event has that number yet.
        """
        if not 1 <= asked.most <= MOST:
            raise InvalidUsage(f"an answer has 1 to {MOST} copies, not {asked.most}")
        # What has left memory by then is in the journal: in this order nothing is overlooked.
        held = await _held(channel, asked.number)
        await self._written()
        if not 1 <= asked.number <= channel.seq:
            raise NotFound(
                f"{channel.label} has no event {asked.number}: its latest is {channel.seq}"
            )
        async with self._reading:
            found, record = await self._find(channel, asked.number, fence)
            if found is None and not self._may_see(channel, asked.number, fence):
                evidence = NOTHING
            else:
                evidence = await self._evidence(channel, asked.number, found, held)
        return await _told(channel, asked, _Case(found, record, self._storage.store), evidence)

    async def _written(self) -> None:
        """Wait until the journal has all that is decided by now."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle() -> None:
            if not written.done():
                written.set_result(None)

        self._storage.writer.flush()
        self._storage.writer.after_writes(settle)
        await written

    async def _find(self, channel: Channel, seq: int, fence: Fence) -> tuple[_Found | None, Kept]:
        """Return the event, and whether the journal has it."""
        store = self._storage.store
        if store is None:
            return None, "missing"
        origin = bytes.fromhex(channel.origin)
        asked = Asked(channel.id, origin, seq - 1, None, 1, None, fence, seq)
        finder = _Finder(store, self._guide, asked)
        try:
            while not await self._storage.submit(finder.step):
                pass
        except CursorNotFound:
            return None, "removed"
        self._reports.find()
        self._reports.report({channel.id: finder.invalid})
        if self._reports.losses.between(channel.id, seq - 1, seq):
            return None, "damaged"
        found = finder.found()
        return found, "missing" if found is None else "kept"

    def _may_see(self, channel: Channel, seq: int, fence: Fence) -> bool:
        """Return whether an event that is not in the journal is known to be within the fence."""
        if not fence:
            return True
        message = self._storage.bodies.get(channel.id, seq)
        if message is None:
            return False
        fields = fields_for(message.event, message.arrival)
        return any(one.matches(fields) for one in fence)

    async def _evidence(
        self, channel: Channel, seq: int, found: _Found | None, held: dict[int, State]
    ) -> Evidence:
        store = self._storage.store
        if store is None:
            return Evidence(held, (), {}, {}, (), True)
        spilled, letters = await self._storage.submit(partial(_listed, store, channel.id, seq))
        held = {**dict.fromkeys(spilled, "waiting"), **held}
        if found is None:
            return Evidence(held, (), {}, letters, (), True)
        follower = self._follower(store, channel.origin, seq, found)
        await self._storage.submit(partial(follower.begin, held, letters))
        while not await self._storage.submit(follower.step):
            pass
        # Another request may go on with it from now on.
        endings, complete = dict(follower.endings), follower.complete
        self._remember(channel.origin, seq, follower)
        matched: Sequence[ConsumerProxy] = ()
        if found.message.plan == channel.plan.version:
            matched = channel.router.match(fields_for(found.message.event, found.message.arrival))
        ids = [proxy.id for proxy in matched]
        return Evidence(held, follower.listed, endings, letters, ids, complete)

    def _follower(self, store: Store, origin: str, seq: int, found: _Found) -> Follower:
        """Return the one that has come furthest; while it reads for another, a new one."""
        known = self._known.pop((origin, seq), None)
        if known is not None:
            return known
        return Follower(store, bytes.fromhex(origin), seq, found.after, found.listed)

    def _remember(self, origin: str, seq: int, follower: Follower) -> None:
        self._known[origin, seq] = follower
        copies = sum(len(one.listed) for one in self._known.values())
        while len(self._known) > 1 and (copies > _REMEMBERED or len(self._known) > _EVENTS):
            copies -= len(self._known.popitem(last=False)[1].listed)


NOTHING: Final = Evidence({}, (), {}, {}, (), complete=True)
"""What is known of an event that is missing."""


def _listed(store: Store, channel: int, seq: int) -> tuple[Sequence[int], Mapping[int, int]]:
    """On the disk thread: who waits for an event on the disk, and its dead letters by proxy."""
    spilled = store.catalog.proxies_waiting_for(channel, [seq]).get(seq, ())
    return spilled, store.catalog.letters_of(channel, seq)


async def _held(channel: Channel, seq: int) -> dict[int, State]:
    """Return where copies of an event are in memory, by proxy."""
    found: dict[int, State] = {}
    turns = Turns()
    proxies = iter(list(channel.proxies.values()) if seq in channel.live else ())
    while len(found) < channel.live.get(seq, 0) and (some := list(islice(proxies, _PROXIES))):
        for proxy in some:
            consumer = proxy.consumer if isinstance(proxy, ConsumerProxy) else None
            if consumer is None:
                continue
            if seq in consumer.flight:
                found[proxy.id] = "in_flight"
            elif await _waits(consumer, seq, turns):
                found[proxy.id] = "waiting"
        await turns.give()
    return found


async def _waits(consumer: Consumer, seq: int, turns: Turns) -> bool:
    """Return whether an event waits in memory for a consumer."""
    # Copied at once: while others have their turns, an event may move to where it was sought.
    queued, held, later = consumer.queue.entries(), consumer.held[:], consumer.later[:]
    for start in range(0, len(queued), _SLICE):
        if seq in map(SEQ, queued[start : start + _SLICE]):
            return True
        await turns.give()
    for start in range(0, len(later), _SLICE):
        if any(entry.seq == seq for _, entry in later[start : start + _SLICE]):
            return True
        await turns.give()
    return seq in map(SEQ, held)


class _Case(NamedTuple):
    """What the journal has of an event."""

    found: _Found | None
    record: Kept
    store: Store | None


async def _told(channel: Channel, asked: SeeFate, case: _Case, evidence: Evidence) -> Fate:
    """Return the answer, made in turns: copies may be many."""
    turns = Turns()
    counts: dict[str, int] = {}
    copies: list[EventCopy] = []
    for proxy in await beside(evidence.proxies):
        there = channel.proxies.get(proxy)
        name, durable = ("", None) if there is None else (there.name, there.durable)
        copy = evidence.copy(proxy, name, durable)
        counts[copy.state] = counts.get(copy.state, 0) + 1
        if proxy > asked.after and len(copies) < asked.most:
            copies.append(copy)
        await turns.give()
    message = None if case.found is None else case.found.message
    return Fate(
        channel.id,
        asked.number,
        case.record,
        None if message is None else message.arrival,
        None if message is None else message.plan,
        channel.plan.version,
        counts,
        tuple(copies),
        evidence.complete,
        tuple(_unknown(channel, asked.number, case, counts)),
    )


def _unknown(channel: Channel, seq: int, case: _Case, counts: Mapping[str, int]) -> Iterator[str]:
    """Say what cannot be known."""
    rest = "Only copies that still wait are known."
    if case.store is None:
        yield f"This service keeps everything in memory, without a journal. {rest}"
    elif case.record == "missing":
        yield (
            f"The journal has no event {seq}: it is BestEffort, its number was never used, or you "
            f"may not see it. {rest}"
        )
    elif case.record == "removed":
        upto = case.store.dropped.get(bytes.fromhex(channel.origin), seq)
        yield (
            f"The journal no longer has event {seq}: retention has removed all up to {upto}. Only "
            "copies that still wait and dead letters are known."
        )
    elif case.record == "damaged":
        yield f"The record of event {seq} in the journal is damaged. {rest}"
    elif case.found is not None and case.found.message.plan != channel.plan.version:
        yield (
            f"The rules have changed from version {case.found.message.plan} to "
            f"{channel.plan.version} since: consumers whose connection is BestEffort are listed "
            "only while their copies wait."
        )
    if counts.get("not_recorded"):
        yield "The journal does not record what becomes of copies whose connection is BestEffort."
    if counts.get("not_found"):
        yield "The journal has not been read to its end yet: ask again."
