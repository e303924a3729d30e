"""Dead letters: events a consumer could not be given, with the causes, and the way back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tidings.channel import effects as e
from tidings.channel.commands import Redrive
from tidings.channel.entries import NEVER, Entry
from tidings.channel.views import DeadLetterInfo
from tidings.engine.bodies import Message
from tidings.engine.writing import Write
from tidings.errors import NotFound, StoreError
from tidings.events.codecs.json_codec import decode_event
from tidings.stores.catalog import DeadLetterRow
from tidings.stores.payloads import dead_gone_payload
from tidings.stores.records import Kind, Record

if TYPE_CHECKING:
    from tidings.engine.host import Host

__all__ = ["DeadLetters"]


class DeadLetters:
    """Keeps dead letters in the journal and the catalog, and delivers them again when asked."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def bury(self, effect: e.DeadLetter, write: Write) -> None:
        """Writes a dead letter down, with its event."""
        host = self._host
        seq = effect.entry.seq
        found = host.bodies.get(effect.channel, seq)
        place = host.bodies.of(effect.channel).get(seq)
        if host.store is None:
            return
        most = host.settings.limits.dead_letters
        known = place if isinstance(place, int) else None
        write.records.append(partial(self._record, effect, found, known, most))
        write.sync = True

    def _record(
        self, effect: e.DeadLetter, found: Message | None, place: int | None, most: int
    ) -> Record:
        """On the disk thread: the record, and the entry in the catalog."""
        store = self._host.store
        assert store is not None
        message = found
        if message is None and place is not None:
            message = store.fetch([place])[0]
        if message is None:
            raise StoreError(f"event {effect.entry.seq} of a dead letter cannot be read")
        record, letter = self._host.recorder.dead(effect, message)
        store.bury(effect.channel, effect.entry.seq, letter, most)
        return record

    async def list(
        self, channel: int | None = None, proxy: int | None = None, after: int = 0, most: int = 100
    ) -> list[DeadLetterInfo]:
        """Dead letters in the order they came; `after` is the id of the last one seen."""
        store = self._host.store
        if store is None:
            return []
        job = partial(store.catalog.dead_letters, channel, proxy, after, most)
        return [_view(row) for row in await self._host.submit(job)]

    async def redrive(self, id: int) -> None:
        """Delivers a dead letter again to the consumer it was for.

        Raises:
            NotFound: There is no dead letter with this id, or its consumer is gone.
            Disconnected: Nobody is connected there.
        """
        row = await self._take(id)
        letter = row.letter
        host = self._host
        expiry = NEVER if letter.expiry == NEVER else letter.expiry - host.recorder.offset
        entry = Entry(expiry, row.seq, letter.priority, 0, letter.flags)
        event = decode_event(letter.octets)
        try:
            await host.ask(
                Redrive(row.channel, letter.proxy, event, entry, letter.arrival, letter.plan)
            )
        except Exception:
            store = host.store
            assert store is not None
            most = host.settings.limits.dead_letters
            await host.submit(partial(store.bury, row.channel, row.seq, letter, most))
            raise
        await self._gone(row)

    async def drop(self, id: int) -> None:
        """Forgets a dead letter.

        Raises:
            NotFound: There is none with this id.
        """
        await self._gone(await self._take(id))

    async def _take(self, id: int) -> DeadLetterRow:
        store = self._host.store
        row = (
            None if store is None else await self._host.submit(partial(store.catalog.take_dead, id))
        )
        if row is None:
            raise NotFound(f"there is no dead letter {id}")
        return row

    async def _gone(self, row: DeadLetterRow) -> None:
        origin = self._host.recorder.origins[row.channel]
        payload = dead_gone_payload(row.letter.proxy, row.seq)
        self._host.writer.ride([Record(Kind.DEAD_GONE, origin, row.seq, payload)])


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
