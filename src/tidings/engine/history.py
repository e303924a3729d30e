"""History: past events of a channel, read from the journal, page by page.

Only Persistent events are in the journal, so numbers of BestEffort events are missing in pages, and
a host without a disk has no history. Events that retention has dropped are gone, even if some still
wait for a consumer and were carried forward: a history with holes would look complete. StartTime
and lifetime do not count; events are shown as they came.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from tidings.channel.channel import Channel, Channels
from tidings.channel.effects import Message
from tidings.engine.losses import LossReports
from tidings.engine.storage import Storage
from tidings.engine.store import Store, message_of
from tidings.errors import CursorNotFound, InvalidUsage, StoreError, TidingsError
from tidings.events.fields import Fields, fields_for
from tidings.filters.constraint import Constraint
from tidings.filters.plan import Fence
from tidings.stores.event_index import SegmentIndex, durable_entries
from tidings.stores.payloads import arrival_of
from tidings.stores.records import Kind, Record
from tidings.stores.segments import DATA_START, Cursor, Entry

log = logging.getLogger(__name__)

MOST: Final = 1_000
"""The maximum number of events in a page."""
MOST_SURVEYED: Final = 10_000
"""The maximum number of a channel's latest events that are looked at for one question."""

# A page ends when so many events were scanned, or so many octets of them found.
_LOOKED_AT: Final = 10_000
_PAGE_OCTETS: Final = 8 * 1024 * 1024
# A step ends when so much was decoded, or so much looked through: pushes wait meanwhile, and the
# loop may have to wait for the interpreter.
_STEP_EVENTS: Final = 24
_STEP_OCTETS: Final = 256 * 1024
_STEP_SCANNED: Final = 128 * 1024
# How many readers' places are remembered.
_PLACES: Final = 1_000


Look: TypeAlias = Callable[[Message, Fields], bool]
"""Looks at an event that the caller may see, on the disk thread; whether the page is to have it."""


class HistoryPage(NamedTuple):
    """Past events of a channel."""

    messages: list[Message]  # in the order of their numbers
    next: int  # the `after` of the next page
    end: bool  # whether there was nothing more; otherwise there may be, even after an empty page
    last: int  # the number of the channel's latest event when the page was requested
    # First and last numbers of runs of events lost by damage, from where the page begins up to
    # `next`; whether they would have matched is unknown.
    lost: tuple[tuple[int, int], ...] = ()


class History:
    """Reads the history of channels, and reports what it finds lost."""

    def __init__(self, storage: Storage, channels: Channels, reports: LossReports) -> None:
        self._storage = storage
        self._channels = channels
        self._reports = reports
        self.guide = Guide()

    async def page(
        self,
        channel: int,
        *,
        after: int | None = None,
        since: int | None = None,
        most: int = 100,
        constraint: Constraint | None = None,
        fence: Fence = (),
    ) -> HistoryPage:
        """Return the next synced events of a channel, each once.

        No event numbered up to the page's `last` enters the journal later: reading until `end`
        shows everything up to there. `after` None begins at the oldest event that is kept; `since`
        is in microseconds since 1970; the constraint is evaluated as of an event's arrival, and so
        is the fence, of which one must match. Fewer than `most` may come when they are large or few
        match. CursorNotFound means that events
        after `after` are not kept, or no event has that number yet.
        """
        for what, given in (("after", after), ("since", since)):
            if given is not None and (type(given) is not int or given < 0):
                raise InvalidUsage(
                    f"{what} is a whole number from 0 on, or None, not {given!r:.60}"
                )
        if type(most) is not int or not 1 <= most <= MOST:
            raise InvalidUsage(f"a page has 1 to {MOST} events, not {most!r:.60}")
        found = self._channels.find(channel)
        last = await self._settled(found)
        store = self._storage.store
        if store is None:
            return HistoryPage([], last, True, last)
        if after is not None and after > last:
            raise CursorNotFound(
                f"channel {channel} has no event {after} yet: its latest is {last}"
            )
        origin = bytes.fromhex(found.origin)
        look = None if constraint is None else _look_for(constraint)
        page = await self._search(
            store, Asked(channel, origin, after, since, most, look, fence, last)
        )
        lost = self._reports.losses.between(channel, after or 0, page.next)
        return page._replace(lost=lost)

    async def survey(self, channel: int, last: int, look: Look, fence: Fence = ()) -> None:
        """Show each of a channel's latest events, at most `last` of them, to `look`; in order.

        Of events whose numbers are among the latest, those that a page would have.
        """
        if type(last) is not int or not 1 <= last <= MOST_SURVEYED:
            raise InvalidUsage(
                f"so many of the latest events: 1 to {MOST_SURVEYED}, not {last!r:.60}"
            )
        found = self._channels.find(channel)
        upto = await self._settled(found)
        store, origin = self._storage.store, bytes.fromhex(found.origin)
        after: int | None = max(0, upto - last)
        while store is not None:
            try:
                page = await self._search(
                    store, Asked(channel, origin, after, None, MOST, look, fence, upto)
                )
            except CursorNotFound:  # the first of them are not kept any more
                after = None
                continue
            if page.end:
                return
            after = page.next

    async def _search(self, store: Store, asked: Asked) -> HistoryPage:
        search = Search(store, self.guide, asked)
        while not await self._storage.submit(search.step):
            pass
        self._reports.find()
        self._reports.report({asked.channel: search.invalid})
        return search.page()

    async def _settled(self, channel: Channel) -> int:
        """Return the latest number once all up to it are either accepted or refused."""
        latest = channel.seq
        settled: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def settle() -> None:
            if not settled.done():
                settled.set_result(min(latest, channel.seq))  # what was refused is taken back

        self._storage.writer.after_writes(settle)
        return await settled


class Guide:
    """What is known of where events are; on the disk thread."""

    def __init__(self) -> None:
        self.segments: defaultdict[int, SegmentIndex] = defaultdict(SegmentIndex)
        # By origin and number, where readers that have come so far go on.
        self.places: OrderedDict[tuple[bytes, int], Cursor] = OrderedDict()

    def forget_before(self, number: int) -> None:
        """Forget segments that were removed."""
        while self.segments and (oldest := min(self.segments)) < number:
            del self.segments[oldest]

    def remember(self, origin: bytes, reached: int, place: Cursor) -> None:
        """Remember where a reader goes on."""
        self.places[origin, reached] = place
        self.places.move_to_end((origin, reached))
        if len(self.places) > _PLACES:
            self.places.popitem(last=False)


class Asked(NamedTuple):
    """The request for a page."""

    channel: int
    origin: bytes
    after: int | None
    since: int | None
    most: int
    look: Look | None
    fence: Fence
    last: int


def _look_for(constraint: Constraint) -> Look:
    return lambda _, fields: constraint.matches(fields)


class Search:
    """The search for one page, step by step on the disk thread."""

    def __init__(self, store: Store, guide: Guide, asked: Asked) -> None:
        self._store = store
        self._guide = guide
        self._asked = asked
        self._reached = asked.after or 0  # all numbers up to here are known
        self._messages: list[Message] = []
        self.invalid: list[int] = []  # numbers of events that cannot be decoded
        self._octets = 0
        self._looked_at = 0
        self._left = 0  # events this step may decode
        self._at: Cursor | None = None
        self._end = False

    def page(self) -> HistoryPage:
        """Return what was found."""
        reached = max(self._reached, self._asked.last) if self._end else self._reached
        return HistoryPage(self._messages, reached, reached >= self._asked.last, self._asked.last)

    def step(self) -> bool:
        """Search a little more; return whether the page is complete."""
        if self._reached >= self._asked.last or self._is_cut_off():
            return True
        at = self._place()
        index = self._guide.segments[at.segment]
        sought = (self._asked.origin, self._reached, self._asked.since)
        start, stop, passed = index.stretch(at.offset, *sought)
        self._reached = max(self._reached, min(passed, self._asked.last))
        self._at = Cursor(at.segment, start)
        self._left = _STEP_EVENTS
        try:
            if stop is not None:
                self._look(durable_entries(self._store.journal, self._at, stop), stop)
            elif index.complete or self._explore(index):
                self._turn_over()
        except FileNotFoundError:
            self._turn_over()
        except OSError as error:
            raise StoreError(f"segment {at.segment} cannot be read: {error}") from error
        done = self._end or self._is_full()
        if done and not self._end:
            self._guide.remember(self._asked.origin, self._reached, self._at)
        return done

    def _is_cut_off(self) -> bool:
        """Return whether the next events were dropped, so that the page ends before them."""
        dropped = self._store.dropped.get(self._asked.origin, 0)
        if self._reached >= dropped:
            return False
        if self._messages:
            return True
        if self._asked.after is not None:
            raise CursorNotFound(
                f"events of channel {self._asked.channel} after {self._reached} are not kept "
                f"any more: the oldest number that is kept is {dropped + 1}"
            )
        self._reached = dropped
        return False

    def _place(self) -> Cursor:
        """Return where to search; segments may have been removed since the last step."""
        first = self._store.journal.segments[0]
        self._guide.forget_before(first)
        at = self._at or self._guide.places.get((self._asked.origin, self._reached))
        if at is None or at.segment < first:
            return Cursor(first, DATA_START)
        return at

    def _turn_over(self) -> None:
        assert self._at is not None
        later = [n for n in self._store.journal.segments if n > self._at.segment]
        if later:
            self._at = Cursor(later[0], DATA_START)
        else:
            self._end = True

    def _explore(self, index: SegmentIndex) -> bool:
        """Index a part not indexed yet; return whether the segment is at its end."""
        journal, at = self._store.journal, self._at
        assert at is not None
        sealed = at.segment != journal.synced.segment
        for entry in durable_entries(journal, at):
            if entry.record.kind == Kind.EVENT:
                index.add(entry)
            index.upto = entry.after.offset
            self._at = entry.after
            if not self._sees(entry.record) or index.upto - at.offset >= _STEP_SCANNED:
                return False
        index.complete = sealed
        return True

    def _look(self, entries: Iterator[Entry], stop: int) -> None:
        assert self._at is not None
        enough = self._at.offset + _STEP_SCANNED
        for entry in entries:
            self._at = entry.after
            if not self._sees(entry.record) or self._at.offset >= enough:
                return
        self._at = Cursor(self._at.segment, stop)

    def _sees(self, record: Record) -> bool:
        """Take an event if it is wanted; return whether this step may continue."""
        # Copies, carried forward or delivered again, come behind the event itself.
        if (
            record.kind != Kind.EVENT
            or record.channel != self._asked.origin
            or record.seq <= self._reached
        ):
            return True
        if record.seq > self._asked.last:
            self._end = True
            return False
        self._reached = record.seq
        self._looked_at += 1
        if self._asked.since is None or arrival_of(record.payload) >= self._asked.since:
            self._take(record)
        return self._left > 0 and not self._is_full()

    def _take(self, record: Record) -> None:
        self._left -= 1 + _STEP_EVENTS * len(record.payload) // _STEP_OCTETS
        try:
            message = message_of(record)
        except TidingsError as error:
            log.warning("event %d cannot be read from the journal: %s", record.seq, error)
            self.invalid.append(record.seq)
            return
        look, fence = self._asked.look, self._asked.fence
        fields = fields_for(message.event, message.arrival)
        if fence and not any(one.matches(fields) for one in fence):
            return
        if look is None or look(message, fields):
            self._messages.append(message)
            self._octets += len(record.payload)

    def _is_full(self) -> bool:
        return (
            len(self._messages) >= self._asked.most
            or self._looked_at >= _LOOKED_AT
            or self._octets >= _PAGE_OCTETS
        )
