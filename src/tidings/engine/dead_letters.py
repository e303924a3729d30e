"""Dead letters: undeliverable events with their causes, and redelivery."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from msgspec.structs import replace

from tidings.channel import effects as e
from tidings.channel.commands import Redrive
from tidings.channel.effects import Message
from tidings.channel.entries import NEVER, Entry
from tidings.channel.settings import Limits
from tidings.channel.views import DeadLetterInfo
from tidings.engine.storage import Storage
from tidings.engine.store import Writable
from tidings.engine.turns import Turns
from tidings.engine.writing import NOTHING, Write
from tidings.errors import NotFound, StoreError
from tidings.events.codecs.json_codec import decode_event
from tidings.stores.catalog import DeadLetterRow
from tidings.stores.payloads import dead_gone_payload
from tidings.stores.records import Kind, Record

log = logging.getLogger(__name__)


class DeadLetters:
    """Keeps dead letters in the journal and the catalog, and redelivers them on request."""

    def __init__(
        self,
        storage: Storage,
        limits: Limits,
        ask: Callable[[Redrive], Awaitable[None]],
        lost: Callable[[int, int, Sequence[int]], None],
    ) -> None:
        self._storage = storage
        self._limits = limits
        self._ask = ask
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._buried = False  # since the last outcome
        # On the disk thread: channel, consumer and number of events that cannot be read now.
        self._unread: set[tuple[int, int, int]] = set()
        self._later: list[Writable] = []

    def bury(self, effect: e.DeadLetter, write: Write) -> None:
        """Record a dead letter with its event."""
        seq, bodies = effect.entry.seq, self._storage.bodies
        found = bodies.get(effect.channel, seq)
        place = bodies.of(effect.channel).get(seq)
        if self._storage.store is None:
            return
        known = place if isinstance(place, int) else None
        write.records.append(partial(self._record, effect, found, known))
        write.sync = True
        self._buried = True

    def outcome(self, effect: e.Done, now: int) -> Writable:
        """Return the record of settled copies, to be written after their letters."""
        if not self._buried:
            return self._storage.recorder.outcome(effect, now)
        self._buried = False
        return partial(self._outcome, effect, now)

    @property
    def waiting(self) -> bool:
        """Return whether events of letters are still unread, and must stay where they are."""
        return bool(self._unread)

    def try_again(self) -> None:
        """Retry letters whose events could not be read."""
        if self._later:
            later, self._later = self._later, []
            self._storage.writer.ride(later)

    def _put_off(self, record: Writable) -> Record:
        self._loop.call_soon_threadsafe(lambda: self._later.append(record))
        return NOTHING

    def _outcome(self, effect: e.Done, now: int) -> Record:
        """On the disk thread: leave out copies whose letter is put off; they still wait."""
        done: list[int] = []
        waiting: list[int] = []
        for seq in effect.durable:
            unread = (effect.channel, effect.proxy, seq) in self._unread
            (waiting if unread else done).append(seq)
        if waiting:
            self._put_off(partial(self._outcome, replace(effect, durable=waiting), now))
        if not done:
            return NOTHING
        return self._storage.recorder.outcome(replace(effect, durable=done), now)

    def _record(self, effect: e.DeadLetter, message: Message | None, place: int | None) -> Record:
        """On the disk thread: make the record, and the entry in the catalog.

        A damaged letter is reported and recorded as gone; one that the catalog refuses reappears
        after the next start with a new number. A letter whose event cannot be read now is put off,
        and so is its copy's outcome: after a crash the event is redelivered.
        """
        store = self._storage.journal
        channel, seq = effect.channel, effect.entry.seq
        if message is None and place is not None:
            try:
                message = store.fetch([place])[0]
            except StoreError as error:
                log.warning("dead letter %d is written later: %s", seq, error)
                self._unread.add((channel, effect.proxy, seq))
                return self._put_off(partial(self._record, effect, None, place))
        self._unread.discard((channel, effect.proxy, seq))
        if message is None:
            lost = partial(self._lost, channel, effect.proxy, [seq])
            self._loop.call_soon_threadsafe(lost)
            return self._gone_record(channel, effect.proxy, seq)
        letter = self._storage.recorder.dead_letter(effect, message)
        try:
            number = store.bury(channel, seq, letter, self._limits.dead_letters)
            letter = letter._replace(number=number)
        except StoreError as error:
            log.error("dead letter %d cannot be listed: %s", seq, error)
        return self._storage.recorder.dead(channel, seq, letter)

    async def list(
        self, channel: int | None = None, proxy: int | None = None, after: int = 0, most: int = 100
    ) -> list[DeadLetterInfo]:
        """Return dead letters in the order they came; `after` is the id of the last one seen."""
        store = self._storage.store
        if store is None:
            return []
        job = partial(store.catalog.dead_letters, channel, proxy, after, most)
        found: list[DeadLetterInfo] = []
        turns = Turns()
        for row in await self._storage.submit(job):
            found.append(_view(row))
            await turns.give()
        return found

    async def count(self) -> int:
        """Return how many there are."""
        store = self._storage.store
        return 0 if store is None else await self._storage.submit(store.catalog.count_dead)

    async def redrive(self, id: int) -> None:
        """Redeliver a dead letter, or raise NotFound if it or its consumer is gone."""
        row = await self._take(id)
        letter = row.letter
        offset = self._storage.recorder.offset
        expiry = NEVER if letter.expiry == NEVER else letter.expiry - offset
        entry = Entry(expiry, row.seq, letter.priority, 0, letter.flags)
        event = decode_event(letter.octets)
        try:
            await self._ask(
                Redrive(row.channel, letter.proxy, event, entry, letter.arrival, letter.plan)
            )
        except Exception:
            bury = partial(self._storage.journal.bury, row.channel, row.seq, letter)
            await self._storage.submit(partial(bury, self._limits.dead_letters))
            raise
        self._gone(row)

    async def drop(self, id: int) -> None:
        """Drop a dead letter, or raise NotFound."""
        self._gone(await self._take(id))

    async def _take(self, id: int) -> DeadLetterRow:
        store = self._storage.store
        row = None if store is None else await self._storage.submit(partial(store.take_dead, id))
        if row is None:
            raise no_letter(id)
        return row

    def _gone(self, row: DeadLetterRow) -> None:
        which = (row.channel, row.letter.proxy, row.seq)
        self._storage.writer.ride([partial(self._gone_record, *which)])

    def _gone_record(self, channel: int, proxy: int, seq: int) -> Record:
        """On the disk thread: return the record that makes recovery skip the letter."""
        self._storage.journal.taken.discard((channel, proxy, seq))
        origin = self._storage.recorder.origins[channel]
        return Record(Kind.DEAD_GONE, origin, seq, dead_gone_payload(proxy, seq))


def no_letter(id: int) -> NotFound:
    """Return the error for a dead letter that is missing, or hidden from the caller."""
    return NotFound(f"there is no dead letter {id}")


def _view(row: DeadLetterRow) -> DeadLetterInfo:
    letter = row.letter
    return DeadLetterInfo(
        row.id,
        row.channel,
        letter.proxy,
        row.seq,
        letter.arrival,
        letter.at,
        letter.causes,
        decode_event(letter.octets),
    )
