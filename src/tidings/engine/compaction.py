"""Compaction, step by step: from what the loop knows to what the disk thread writes.

Giving up at any point loses nothing: old segments are removed in the last step, after everything
needed of them was written again and synced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from tidings.channel.channel import Channel
from tidings.channel.commands import Tick
from tidings.channel.entries import Entry
from tidings.channel.factory import Factory
from tidings.engine.bodies import packed
from tidings.engine.checkpoint import channel_records, framed
from tidings.engine.cores import Cores, Kept
from tidings.engine.ledger import Ledger
from tidings.engine.storage import Storage
from tidings.errors import StoreError
from tidings.stores.payloads import dropped_payload
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
        self._storage = storage
        self._factory = factory
        self._cores = cores
        self._ask = ask
        self.octets = 0
        self._store = storage.journal
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

    async def _submit(self, job: Callable[[], _T]) -> _T:
        return await self._storage.submit(job)

    async def _at_rest(self, act: Callable[[], asyncio.Future[_T]]) -> _T:
        """Act while nothing is being written; what `act` submits comes before the rest."""
        found: asyncio.Future[asyncio.Future[_T]] = asyncio.get_running_loop().create_future()

        def do() -> None:
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
                entries: Sequence[Entry] = consumer.all_entries()
                if entries:
                    await self._submit(
                        partial(self._ledger.saw, proxy.channel.id, proxy.id, entries)
                    )
        await self._at_rest(self._all_seen)

    def _all_seen(self) -> asyncio.Future[None]:
        waiting, _ = self._storage.writer.unwritten()
        records = [record for record in waiting if isinstance(record, Record)]
        return self._storage.submit(partial(self._ledger.all_seen, records))

    async def is_free(self) -> bool:
        """Return whether nothing waits, so that nothing needs to be measured."""
        if any(channel.spilled for channel in self._factory.channels.values()):
            return False
        return await self._submit(self._is_free)

    def _is_free(self) -> bool:
        return self._ledger.is_empty and not self._store.catalog.count_dead()

    # How much is needed.

    async def needed(self, upto: int) -> dict[int, int]:
        """Return the octets to carry forward from each segment before `upto`."""
        unread = self._unread(upto)
        found: dict[int, int] = {}
        while await self._submit(partial(self._measure, unread, found)):
            self._check()
        return found

    def _unread(self, upto: int) -> Iterator[JournalEntry]:
        for entry in self._store.journal.read():
            if entry.at.segment >= upto:
                return
            yield entry

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
            self._moved(step)
        await self._write_channels()
        await self._write_objects()
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

    def _moved(self, step: Step) -> None:
        ids, bodies = self._ledger.ids, self._storage.bodies
        for kind, origin, seq, place in step.moved:
            if kind == Kind.EVENT:
                bodies.moved(ids[origin], seq, place)

    # What else recovery needs.

    async def _write_channels(self) -> None:
        """Write the rules, marks and numbers of all channels, each at its own moment."""
        for channel in list(self._factory.channels.values()):
            self._check()
            await self._at_rest(partial(self._write_channel, channel))

    def _write_channel(self, channel: Channel) -> asyncio.Future[None]:
        _, events = self._storage.writer.unwritten()
        mine = [message.mark for _, message in events if message.channel == channel.id]
        marks = [mark for mark in mine if mark is not None]
        make = channel_records(self._storage.recorder, channel, marks)
        origin = self._storage.recorder.origins[channel.id]
        return self._storage.submit(lambda: self._append([*make(), *self._dropped(origin)]))

    def _dropped(self, origin: bytes) -> list[Record]:
        """Return the records, two copies, that say how much of a channel's history is gone."""
        seq = self._highest.get(origin, 0)
        payload = dropped_payload(self._upto)
        return [Record(Kind.DROPPED, origin, seq, payload)] * 2 if seq else []

    def _append(self, records: Sequence[Record]) -> None:
        self._store.journal.append(records)
        self.octets += sum(record.octets for record in records)

    async def _write_objects(self) -> None:
        """Make the records of all objects, to be written in the last step."""
        unseen = self._cores.snapshot()
        while some := list(islice(unseen, _OBJECTS_AT_ONCE)):
            self._check()
            await self._submit(partial(self._record, some))

    def _record(self, some: Sequence[Kept]) -> None:
        make = self._storage.recorder.object
        self._objects += [(one[:2], make(*one)) for one in some]

    def _finish(self, carrier: Carrier, upto: int) -> asyncio.Future[bool]:
        """Run the last step, unless objects have changed and the journal does not have it yet."""
        waiting, _ = self._storage.writer.unwritten()
        if self._storage.writer.owed:
            raise StoreError("the disk refuses records; old segments are kept for now")
        if any(isinstance(one, Record) and one.kind in _OBJECTS for one in waiting):
            self._storage.writer.flush()
            return self._storage.submit(lambda: False)
        return self._storage.submit(partial(self._last_step, carrier, upto))

    def _last_step(self, carrier: Carrier, upto: int) -> bool:
        """On the disk thread: write the objects, except those recorded since, and drop segments."""
        changed = self._ledger.changed
        # Twice, as when they changed: one flipped bit must not cost an object.
        records = [record for key, record in self._objects if key not in changed for _ in (1, 2)]
        self._checkpoint = framed(upto, records)
        self.octets += sum(record.octets for record in records)
        try:
            return carrier.step().done
        finally:
            if not segment_path(self._store.folder, self._oldest).exists():
                known = self._ledger.ids
                self._store.dropped = {o: n for o, n in self._highest.items() if o in known}
