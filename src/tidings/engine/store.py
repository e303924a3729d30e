"""The store: journal and catalog behind the disk thread. Its methods run on that thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tidings.channel.entries import Entry
from tidings.channel.translation import approximate_octets
from tidings.engine.bodies import Message, unpacked
from tidings.engine.ledger import Ledger, Letter
from tidings.errors import CursorNotFound, StoreError, TidingsError
from tidings.events.codecs.json_codec import decode_event
from tidings.events.envelope import ProducerMark
from tidings.stores.catalog import Catalog, DeadLetterRow
from tidings.stores.journal import Journal
from tidings.stores.loss_book import LossBook
from tidings.stores.payloads import StoredDeadLetter, stored_event
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

log = logging.getLogger(__name__)

Writable: TypeAlias = Record | Callable[[], Record]
"""A record, or what makes one on the disk thread because it must read first."""


class Store:
    """What the engine keeps on the disk.

    Attributes:
        journal: The only truth.
        catalog: What can be made again from it.
        syncs: How many syncs there were.
        synced_events: How many events they made durable.
        ledger: Sees what happens while old segments are carried forward; None otherwise.
        taken: Dead letters that were taken out, and whose end is not in the journal yet.
        dropped: By origin, the highest number of an event that went with old segments.
        book: What was known to be lost when it was opened.
    """

    def __init__(
        self,
        journal: Journal,
        catalog: Catalog,
        dropped: Mapping[bytes, int] | None = None,
        book: LossBook | None = None,
    ) -> None:
        self.journal = journal
        self.catalog = catalog
        self.syncs = 0
        self.synced_events = 0
        self.ledger: Ledger | None = None
        self.taken: set[Letter] = set()
        self.dropped = dict(dropped or {})
        self.book = book

    @property
    def folder(self) -> Path:
        """Where the journal is."""
        return self.journal.folder

    def write(self, records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
        """Appends records, and makes them durable if asked to.

        Raises:
            StoreError: Nothing of it is in the journal, or the journal takes nothing more.
        """
        made = [record if isinstance(record, Record) else record() for record in records]
        places = self.journal.append(made)
        if self.ledger is not None:
            self.ledger.wrote(made)
        if sync:
            self.journal.sync()
            self.syncs += 1
            self.synced_events += sum(record.kind == Kind.EVENT for record in made)
        return places

    def fetch(self, places: Sequence[int]) -> list[Message | None]:
        """The events at some places of the journal; None for one that is damaged or gone.

        Fewer come if one of them cannot be read now, though it may be whole: those before it.

        Raises:
            StoreError: That is the first one: try again.
        """
        found: list[Message | None] = []
        for place in places:
            try:
                found.append(self._fetch(unpacked(place)))
            except StoreError:
                if not found:
                    raise
                break
        return found

    def _fetch(self, place: Cursor) -> Message | None:
        try:
            record = self.journal.fetch(place)
        except CursorNotFound as error:
            log.warning("an event at %s is lost: %s", place, error)
            return None
        try:
            return message_of(record)
        except TidingsError as error:
            log.warning("an event at %s is lost: its record is invalid: %s", place, error)
            return None

    def bury(self, channel: int, seq: int, letter: StoredDeadLetter, most: int) -> int:
        """Keeps a dead letter where it can be looked up; its number."""
        number = self.catalog.add_dead(channel, seq, letter)
        self.catalog.trim_dead(most)
        self.taken.discard((channel, letter.proxy, seq))
        return number

    def take_dead(self, id: int) -> DeadLetterRow | None:
        """Takes out a dead letter; it is among `taken` until it is back, or its end written."""
        row = self.catalog.take_dead(id)
        if row is not None:
            self.taken.add((row.channel, row.letter.proxy, row.seq))
        return row

    def spill(
        self, channel: int, proxy: int, entries: Sequence[Entry], places: dict[int, int]
    ) -> None:
        """Keeps entries of a consumer, with where their events are.

        An entry on the disk has the place of its event where one in memory has its octets.
        """
        if self.ledger is not None:
            self.ledger.saw(channel, proxy, entries)
            self.ledger.renew(channel, places)
        rows = [e._replace(octets=places[e.seq]) for e in entries if e.seq in places]
        self.catalog.spill(channel, proxy, rows)

    def refill(
        self, channel: int, proxy: int, order: str, most: int
    ) -> tuple[list[Entry], list[int], int]:
        """The best entries of a consumer, where their events are, and how many are left."""
        rows, left = self.catalog.refill(channel, proxy, order, most)
        if self.ledger is not None:
            self.ledger.saw(channel, proxy, rows)
        return [row._replace(octets=0) for row in rows], [row.octets for row in rows], left

    def unspill(self, channel: int, proxy: int, seqs: Sequence[int] | None) -> None:
        """Forgets entries of a consumer."""
        self.catalog.unspill(channel, proxy, seqs)

    def close(self) -> None:
        """Syncs, and lets others open the journal."""
        try:
            self.journal.close()
        finally:
            self.catalog.close()


def message_of(record: Record) -> Message:
    """The event in a record, as consumers get it."""
    stored = stored_event(record.payload)
    event = decode_event(stored.octets)
    mark = None if stored.producer is None else ProducerMark(stored.producer, stored.number)
    return Message(
        event,
        record.channel.hex(),
        record.seq,
        stored.arrival,
        stored.plan,
        stored.priority,
        mark,
        approximate_octets(event),
        stored.hops,
        stored.octets,
    )
