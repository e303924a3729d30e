"""Who still waits for the events of old segments, tracked during compaction.

A ledger begins before any consumer is asked what it waits for. From then on it sees everything that
is written, spilled or refilled, so what is gathered step by step ends up exact: all that were seen
waiting, less those whose outcome was written since. All of it runs on the disk thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from tidings.channel.effects import Outcome
from tidings.channel.entries import PERSISTENT, Entry
from tidings.channel.factory import CHANNELS
from tidings.errors import StoreError
from tidings.stores.catalog import Catalog
from tidings.stores.payloads import (
    StoredEvent,
    dead_payload,
    event_payload,
    stored_dead,
    stored_event,
    stored_outcome,
    stored_state,
    stored_topology,
)
from tidings.stores.records import Kind, Record

log = logging.getLogger(__name__)

_T = TypeVar("_T")

Letter: TypeAlias = tuple[int, int, int]
"""Channel, proxy and event of a dead letter."""

# Events stand in the journal nearly in the order of their numbers: the catalog is asked for so
# many numbers at once.
_AHEAD: Final = 512


class Ledger:
    """Decides whether old records are still needed.

    `changed` are the objects recorded since the beginning, by core and key; `places` are the new
    places of events that were carried forward, by channel and number.
    """

    def __init__(self, ids: Mapping[bytes, int], catalog: Catalog, taken: set[Letter]) -> None:
        self.changed: set[tuple[str, Any]] = set()
        self.places: dict[tuple[int, int], int] = {}
        self.ids = dict(ids)
        self._origins = {id: origin for origin, id in ids.items()}
        self._catalog = catalog
        self._taken = taken
        # By origin and proxy, the numbers of the events.
        self._waiting: dict[tuple[bytes, int], set[int]] = {}
        self._done: dict[tuple[bytes, int], set[int]] | None = {}  # None when all was gathered
        self._spilled: dict[int, tuple[range, dict[int, list[int]]]] = {}

    @property
    def is_empty(self) -> bool:
        """Return whether no waiting consumer was seen; the catalog's entries do not count."""
        return not any(self._waiting.values())

    # Updates.

    def wrote(self, records: Iterable[Record]) -> None:
        """Note appended records."""
        for record in records:
            if record.kind == Kind.OUTCOME:
                self._settle(record)
            elif record.kind == Kind.TOPOLOGY:
                self.changed.add((CHANNELS, stored_topology(record.payload)[:3]))
            elif record.kind == Kind.STATE:
                self.changed.add(stored_state(record.payload)[:2])

    def _settle(self, record: Record) -> None:
        proxy, outcome, seqs, _ = stored_outcome(record.payload)
        if outcome is Outcome.WITHDRAWN:
            return
        key = (record.channel, proxy)
        waiting = self._waiting.get(key)
        if waiting:
            waiting.difference_update(seqs)
        if self._done is not None:
            self._done.setdefault(key, set()).update(seqs)

    def saw(self, channel: int, proxy: int, entries: Iterable[Entry]) -> None:
        """Note that a consumer waits for these entries."""
        origin = self._origins.get(channel)
        if origin is not None:
            self._add(origin, proxy, (e.seq for e in entries if e.flags & PERSISTENT))

    def _add(self, origin: bytes, proxy: int, seqs: Iterable[int]) -> None:
        key = (origin, proxy)
        done = self._done.get(key, ()) if self._done else ()
        self._waiting.setdefault(key, set()).update(seq for seq in seqs if seq not in done)

    def all_seen(self, unwritten: Iterable[Record]) -> None:
        """Note that all consumers were seen; outcomes not in the journal do not count yet."""
        self._done = None
        for record in unwritten:
            if record.kind == Kind.OUTCOME:
                proxy, outcome, seqs, _ = stored_outcome(record.payload)
                if outcome is not Outcome.WITHDRAWN:
                    self._add(record.channel, proxy, seqs)

    def renew(self, channel: int, places: dict[int, int]) -> None:
        """Correct places that were looked up before their events were carried forward."""
        for seq in places:
            place = self.places.get((channel, seq))
            if place is not None:
                places[seq] = place

    def begin_step(self) -> None:
        """Drop cached catalog answers, which may have changed."""
        self._spilled.clear()

    # Decisions.

    def wanted(self, record: Record) -> Record | None:
        """Return what to write in place of an old record; None if it is no longer needed.

        An unreadable record is not needed: recovery would skip it, too.
        """
        channel = self.ids.get(record.channel)
        if channel is None:
            return None
        if record.kind == Kind.EVENT:
            event = _understood(stored_event, record)
            return None if event is None else self._wanted_event(record, channel, event)
        if record.kind == Kind.DEAD:
            letter = _understood(stored_dead, record)
            return None if letter is None else self._wanted_letter(record, channel, letter.proxy)
        return None

    def _wanted_event(self, record: Record, channel: int, stored: StoredEvent) -> Record | None:
        if not stored.durable:
            return None
        seq = record.seq
        spilled = self._spilled_for(channel, seq)
        waiting = self._waiting
        left = tuple(
            proxy
            for proxy in stored.durable
            if seq in waiting.get((record.channel, proxy), ()) or proxy in spilled
        )
        if not left:
            return None
        views = {proxy: view for proxy, view in stored.views.items() if proxy in left}
        carried = stored._replace(durable=left, views=views, carried=True)
        return record._replace(payload=event_payload(carried))

    def _spilled_for(self, channel: int, seq: int) -> Sequence[int]:
        asked, found = self._spilled.get(channel, (range(0), {}))
        if seq not in asked:
            asked = range(seq, seq + _AHEAD)
            found = self._catalog.proxies_waiting_for(channel, asked)
            self._spilled[channel] = (asked, found)
        return found.get(seq, ())

    def _wanted_letter(self, record: Record, channel: int, proxy: int) -> Record | None:
        row = self._catalog.find_dead(channel, proxy, record.seq)
        if row is not None:  # it has all causes, also those of later records
            return record._replace(payload=dead_payload(row.letter))
        return record if (channel, proxy, record.seq) in self._taken else None


def _understood(read: Callable[[bytes], _T], record: Record) -> _T | None:
    try:
        return read(record.payload)
    except StoreError as error:
        log.warning("a record of event %d is not carried forward: %s", record.seq, error)
        return None
