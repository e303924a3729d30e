"""The store: journal and catalog behind the disk thread. Its methods run on that thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tidings.channel.effects import Message
from tidings.channel.entries import Entry
from tidings.channel.translation import approximate_octets
from tidings.engine.bodies import unpacked
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
"""A record, or a function that makes one on the disk thread because it must read first."""


class Store:
    """What the engine keeps on disk: the journal, and the catalog that can be rebuilt from it.

    Attributes:
        ledger: Sees all changes during compaction; None otherwise.
        taken: Dead letters that were removed, with no record of it in the journal yet.
        dropped: By origin, the highest number of an event removed with old segments.
        book: What was known to be lost on opening.
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
        """The journal's folder."""
        return self.journal.folder

    def write(self, records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
        """Append records, and sync them if asked to; after a StoreError none is in the journal."""
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
        """Return the events at places of the journal; None for one that is damaged or gone.

        If one cannot be read now, only those before it are returned; StoreError if it is the first.
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
        """Keep a dead letter in the catalog; return its number."""
        number = self.catalog.add_dead(channel, seq, letter)
        self.catalog.trim_dead(most)
        self.taken.discard((channel, letter.proxy, seq))
        return number

    def take_dead(self, id: int) -> DeadLetterRow | None:
        """Remove a dead letter; it is in `taken` until it is put back, or its end is written."""
        row = self.catalog.take_dead(id)
        if row is not None:
            self.taken.add((row.channel, row.letter.proxy, row.seq))
        return row

    def spill(
        self, channel: int, proxy: int, entries: Sequence[Entry], places: dict[int, int]
    ) -> None:
        """Keep entries of a consumer, with the places of their events.

        An entry on disk has the place of its event where one in memory has its octets.
        """
        if self.ledger is not None:
            self.ledger.saw(channel, proxy, entries)
            self.ledger.renew(channel, places)
        rows = [e._replace(octets=places[e.seq]) for e in entries if e.seq in places]
        self.catalog.spill(channel, proxy, rows)

    def refill(
        self, channel: int, proxy: int, order: str, most: int
    ) -> tuple[list[Entry], list[int], int]:
        """Return a consumer's best entries, the places of their events, and how many remain."""
        rows, left = self.catalog.refill(channel, proxy, order, most)
        if self.ledger is not None:
            self.ledger.saw(channel, proxy, rows)
        return [row._replace(octets=0) for row in rows], [row.octets for row in rows], left

    def unspill(self, channel: int, proxy: int, seqs: Sequence[int] | None) -> None:
        """Drop entries of a consumer."""
        self.catalog.unspill(channel, proxy, seqs)

    def close(self) -> None:
        """Sync, and let others open the journal."""
        try:
            self.journal.close()
        finally:
            self.catalog.close()


def message_of(record: Record) -> Message:
    """Return the event in a record, as consumers get it."""
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
