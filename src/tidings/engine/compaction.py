"""Compaction, step by step: from what the loop knows to what the disk thread writes.

Giving up at any point loses nothing: old segments are removed in the last step, after everything
needed of them was written again and synced.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice, takewhile
from typing import Any, Final, TypeVar

from tidings.channel.channel import Channel
from tidings.channel.commands import Tick
from tidings.channel.effects import PlanChanged
from tidings.channel.factory import Factory
from tidings.channel.producers import ProducerMarks
from tidings.engine.bodies import packed
from tidings.engine.cores import Cores, Kept
from tidings.engine.ledger import Ledger
from tidings.engine.recording import HOST_ORIGIN, Recorder
from tidings.engine.storage import Storage
from tidings.errors import StoreError
from tidings.events.envelope import ProducerMark
from tidings.stores.payloads import checkpoint_payload, dropped_payload, marks_payload
from tidings.stores.records import Kind, Record
from tidings.stores.retention import STEP_OCTETS, Carrier, Step
from tidings.stores.segments import Entry as JournalEntry
from tidings.stores.segments import segment_path

_T = TypeVar("_T")

# Records a step reads, and objects recorded between two turns of the loop.
STEP_RECORDS: Final = 200
_OBJECTS_AT_ONCE: Final = 50
# How many attempts to find a moment without pending object changes.
_TRIES: Final = 1_000
_OBJECTS: Final = frozenset({Kind.TOPOLOGY, Kind.STATE})


class _NotReady(StoreError):
    """All is carried forward; the checkpoint is to be prepared."""


class JournalCompaction:
    """One attempt to remove old segments; an exception of `check` between steps ends it.

    `octets` is what was written for objects, rules and marks.
    """

    def __init__(
        self,
        storage: Storage,
        factory: Factory,
        cores: Cores,
        ask: Callable[[Tick], Awaitable[None]],
        check: Callable[[], None],
    ) -> None:
        self.octets = 0
        self._storage = storage
        self._submit = storage.submit
        self._store = storage.journal
        self._factory = factory
        self._cores = cores
        self._ask = ask
        self._check = check
        origins = storage.recorder.origins
        ids = {origins[id]: id for id in factory.channels}
        self._ledger = Ledger(ids, self._store.catalog, self._store.taken)
        self._oldest = 0
        self._first = 0  # what was written since is in this segment, or behind it
        self._upto = 0
        self._highest: dict[bytes, int] = {}  # of the segments to be removed
        self._objects: list[tuple[tuple[str, Any], Record]] = []
        self._checkpoint: list[Record] | None = None

    async def __aenter__(self) -> JournalCompaction:
        self._first = await self._submit(self._begin)
        try:
            await self._gather()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._submit(partial(setattr, self._store, "ledger", None))

    def _begin(self) -> int:
        """On the disk thread: attach the ledger; return the segment that later writes go to."""
        self._store.ledger = self._ledger
        self._oldest = self._store.journal.segments[0]
        return self._store.journal.segments[-1]

    async def _at_rest(self, act: Callable[[], asyncio.Future[_T]]) -> _T:
        """Act while nothing is being written; what `act` submits comes before the rest."""
        found: asyncio.Future[asyncio.Future[_T]] = asyncio.get_running_loop().create_future()

        def do() -> None:
            if found.done():  # whoever waited was cancelled
                return
            try:
                found.set_result(act())
            except Exception as error:  # noqa: BLE001 -- passed to the caller
                found.set_exception(error)

        self._storage.writer.after_writes(do)
        return await (await found)

    # Waiting consumers.

    async def _gather(self) -> None:
        """Tell the ledger who waits; it has seen all writes since before this began."""
        await self._ask(Tick())  # what came back from the disk before is in the core now
        for consumer in self._factory.channels.consumers():
            proxy = consumer.proxy
            if proxy.durable and proxy.consumer is consumer:
                self._check()
                if entries := consumer.all_entries():
                    saw = partial(self._ledger.saw, proxy.channel.id, proxy.id, entries)
                    await self._submit(saw)
        await self._at_rest(self._all_seen)

    def _all_seen(self) -> asyncio.Future[None]:
        waiting, _ = self._storage.writer.unwritten()
        records = [record for record in waiting if isinstance(record, Record)]
        return self._submit(partial(self._ledger.all_seen, records))

    async def is_free(self) -> bool:
        """Return whether nothing waits, so that nothing needs to be measured."""
        if any(channel.spilled for channel in self._factory.channels.values()):
            return False
        ledger, catalog = self._ledger, self._store.catalog
        return await self._submit(lambda: ledger.is_empty and not catalog.count_dead())

    # How much is needed.

    async def needed(self, upto: int) -> dict[int, int]:
        """Return the octets to carry forward from each segment before `upto`."""
        unread = takewhile(lambda entry: entry.at.segment < upto, self._store.journal.read())
        found: dict[int, int] = {}
        while await self._submit(partial(self._measure, unread, found)):
            self._check()
        return found

    def _measure(self, unread: Iterator[JournalEntry], found: dict[int, int]) -> bool:
        """Measure one step; return whether there is more."""
        self._ledger.begin_step()
        octets = 0
        for count, entry in enumerate(unread, 1):
            wanted = self._ledger.wanted(entry.record)
            if wanted is not None:
                number = entry.at.segment
                found[number] = found.get(number, 0) + wanted.octets
            octets += entry.record.octets
            if count >= STEP_RECORDS or octets >= STEP_OCTETS:
                return True
        return False

    # Carrying.

    async def carry(self, upto: int) -> None:
        """Carry forward what is needed of the segments before `upto`, and remove them.

        The segment that was current at the start stays. After a StoreError all segments are still
        there.
        """
        self._upto = upto = min(upto, self._first)
        self._highest = dict(self._store.dropped)
        job = partial(Carrier, self._store.journal, upto, self._wanted, self._ready)
        carrier = await self._submit(job)
        while True:
            self._check()
            try:
                step = await self._submit(partial(self._step, carrier))
            except _NotReady:
                break
            for kind, origin, seq, place in step.moved:
                if kind == Kind.EVENT:
                    self._storage.bodies.moved(self._ledger.ids[origin], seq, place)
        for channel in list(self._factory.channels.values()):  # each at its own moment
            self._check()
            await self._at_rest(partial(self._write_channel, channel))
        unseen = self._cores.snapshot()
        while some := list(islice(unseen, _OBJECTS_AT_ONCE)):
            self._check()
            await self._submit(partial(self._record, some))
        for _ in range(_TRIES):
            self._check()
            if await self._at_rest(partial(self._finish, carrier, upto)):
                return
        raise StoreError("objects change all the time; old segments are kept for now")

    def _wanted(self, record: Record) -> Record | None:
        if record.kind == Kind.EVENT and record.seq > self._highest.get(record.channel, 0):
            self._highest[record.channel] = record.seq
        return self._ledger.wanted(record)

    def _ready(self) -> Sequence[Record]:
        if self._checkpoint is None:
            raise _NotReady("the checkpoint is not there yet")
        return self._checkpoint

    def _step(self, carrier: Carrier) -> Step:
        """On the disk thread: carry some records forward, and tell the catalog their new places."""
        ledger = self._ledger
        ledger.begin_step()
        step = carrier.step(STEP_RECORDS)
        moved: dict[int, list[tuple[int, int]]] = {}
        for kind, origin, seq, place in step.moved:
            if kind == Kind.EVENT:
                channel = ledger.ids[origin]
                ledger.places[channel, seq] = packed(place)
                moved.setdefault(channel, []).append((seq, packed(place)))
        for channel, places in moved.items():
            self._store.catalog.replace_octets(channel, places)
        return step

    # What else recovery needs.

    def _write_channel(self, channel: Channel) -> asyncio.Future[None]:
        """Write the rules, marks and numbers of a channel."""
        _, events = self._storage.writer.unwritten()
        mine = [message.mark for _, message in events if message.channel == channel.id]
        marks = [mark for mark in mine if mark is not None]
        make = channel_records(self._storage.recorder, channel, marks)
        origin = self._storage.recorder.origins[channel.id]
        return self._submit(lambda: self._append(origin, make()))

    def _append(self, origin: bytes, records: list[Record]) -> None:
        if seq := self._highest.get(origin, 0):  # how much of the history is gone, in two copies
            records += [Record(Kind.DROPPED, origin, seq, dropped_payload(self._upto))] * 2
        self._store.journal.append(records)
        self.octets += sum(record.octets for record in records)

    def _record(self, some: Sequence[Kept]) -> None:
        """Make the records of objects, to be written in the last step."""
        make = self._storage.recorder.object
        self._objects += [(one[:2], make(*one)) for one in some]

    def _finish(self, carrier: Carrier, upto: int) -> asyncio.Future[bool]:
        """Run the last step, unless objects have changed and the journal does not have it yet."""
        waiting, _ = self._storage.writer.unwritten()
        if self._storage.writer.owed:
            raise StoreError("the disk refuses records; old segments are kept for now")
        # What somebody waits for is there twice. A state that is there once may come later, too:
        # the journal has one before it, and a crash in between may cost it anyway.
        objects = Counter(id(one) for one in waiting if _is_object(one))
        if max(objects.values(), default=0) > 1:
            self._storage.writer.flush()
            return self._submit(lambda: False)
        return self._submit(partial(self._last_step, carrier, upto))

    def _last_step(self, carrier: Carrier, upto: int) -> bool:
        """On the disk thread: write the objects, except those recorded since, and drop segments."""
        changed = self._ledger.changed
        # Twice, as when they changed: one flipped bit must not cost an object.
        records = [record for key, record in self._objects if key not in changed for _ in (1, 2)]
        first, last = (
            Record(Kind.CHECKPOINT, HOST_ORIGIN, upto, checkpoint_payload(upto, begins=begins))
            for begins in (True, False)
        )
        self._checkpoint = [first, *records, last]
        self.octets += sum(record.octets for record in records)
        try:
            return carrier.step().done
        finally:
            if not segment_path(self._store.folder, self._oldest).exists():
                known = self._ledger.ids
                self._store.dropped = {o: n for o, n in self._highest.items() if o in known}


def _is_object(written: object) -> bool:
    return isinstance(written, Record) and written.kind in _OBJECTS


def channel_records(
    recorder: Recorder, channel: Channel, unwritten: Sequence[ProducerMark]
) -> Callable[[], list[Record]]:
    """Capture a channel's numbers, rules and marks; return what makes their records.

    Call the result on the disk thread: large rules and many marks take time. `unwritten` are marks
    of events that are not in the journal yet: if their producer resends them after a crash, they
    must not count as duplicates.
    """
    origin = recorder.origins[channel.id]
    numbers = recorder.reserved(channel.reservation())
    plan = PlanChanged(channel.id, channel.plan.whole())
    marks = channel.marks.to_plain() if len(channel.marks) else None

    def make() -> list[Record]:
        records = [recorder.plan(plan), numbers]
        if marks is not None:
            plain = marks
            if unwritten:
                kept = ProducerMarks.from_plain(plain, channel.core.settings.limits)
                for mark in unwritten:
                    kept.forget(mark)
                plain = kept.to_plain()
            records.append(Record(Kind.MARK, origin, 0, marks_payload(plain)))
        return records

    return make
