"""The catalog: an SQLite index of what is looked up in another order than the journal's.

It holds nothing that the journal does not, and is never synced: a catalog that was not closed, is
damaged, or belongs to another journal or version is replaced by an empty one, to be filled from the
journal. One thread uses it at a time, the engine's disk thread.

Waiting entries on disk are kept per consumer. Clearing a consumer only gives it a new key, which
takes no time; later changes delete the rows under the old key bit by bit. Dead letters are in
`dead_letters.py`.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from tidings.channel.entries import NEVER, Entry
from tidings.errors import BadInput
from tidings.stores import catalog_file
from tidings.stores.catalog_file import translating
from tidings.stores.dead_letters import MOST_CAUSES, DeadLetterRow, DeadLetters

__all__ = ["MOST_CAUSES", "Catalog", "DeadLetterRow"]

_ENTRY = "SELECT expiry, seq, priority, octets, flags FROM spilled WHERE consumer = ?"
_BY_SEQ = f"{_ENTRY} ORDER BY seq LIMIT ?"
# Entries that never expire are not in the deadline index: they come last, by seq.
_REFILLS = {
    "fifo": [_BY_SEQ],
    "priority": [f"{_ENTRY} ORDER BY priority DESC, seq LIMIT ?"],
    "deadline": [f"{_ENTRY} AND expiry <> {NEVER} ORDER BY expiry, seq LIMIT ?", _BY_SEQ],
}
_INTO = "INTO spilled (consumer, channel, expiry, seq, priority, octets, flags)"
# Entries are iterated in pieces, so that they may change meanwhile, and swept in pieces,
# to keep each call short.
_PIECE = 1_000

log = logging.getLogger(__name__)


class Catalog(DeadLetters):
    """An open catalog, made by `Catalog.open`; a `fresh` one must be filled."""

    def __init__(self, connection: sqlite3.Connection, *, fresh: bool) -> None:
        super().__init__(connection)
        self.fresh = fresh
        self._closed = False
        self._keys: dict[tuple[int, int], int] = {}  # by channel and proxy
        self._counts: dict[tuple[int, int], int] = {}  # of entries; absent means 0
        self._forgotten: list[int] = []  # keys whose rows are to be swept
        self._reload()

    @classmethod
    def open(cls, path: Path | None, journal_id: bytes) -> Self:
        """Open or create the catalog of a journal; without a path it is kept in memory."""
        if path is not None and path.exists():
            try:
                return cls(catalog_file.reopen(path, journal_id), fresh=False)
            except catalog_file.Unusable as error:
                log.warning("the catalog %s is made anew: %s", path, error)
                catalog_file.delete_file(path)
        return cls(catalog_file.make_file(path, journal_id), fresh=True)

    def clear(self) -> None:
        """Delete everything."""
        with self.batch():
            for table in ("spilled", "consumers", "forgotten", "dead_letters"):
                self._change(f"DELETE FROM {table}")
            self._reload()

    def spill(self, channel: int, proxy: int, entries: Sequence[Entry]) -> None:
        """Store a consumer's entries, replacing existing ones."""
        values = "VALUES (?, ?, ?, ?, ?, ?, ?)"
        with self.batch():
            key = self._keys.get((channel, proxy)) or self._new_key(channel, proxy)
            rows = [(key, channel, *entry) for entry in entries]
            new = self._change_many(f"INSERT OR IGNORE {_INTO} {values}", rows)
            if new < len(rows):
                self._change_many(f"INSERT OR REPLACE {_INTO} {values}", rows)
            self._grown(channel, proxy, new)
            self._sweep(len(rows))

    def refill(self, channel: int, proxy: int, order: str, count: int) -> tuple[list[Entry], int]:
        """Remove a consumer's first entries; return them in order, and how many remain.

        The order is ``fifo`` (by seq), ``priority`` (highest first) or ``deadline`` (by expiry);
        ties are ordered by seq.
        """
        if order not in _REFILLS:
            raise BadInput(f"there is no order {order!r}; there are {', '.join(_REFILLS)}")
        found: list[Entry] = []
        key = self._keys.get((channel, proxy), 0)
        with self.batch():
            for query in _REFILLS[order]:
                rows = self._rows(query, (key, count - len(found)))
                self._remove(channel, proxy, [row[1] for row in rows])
                found += map(Entry._make, rows)
        return found, self.spilled(channel, proxy)

    def unspill(self, channel: int, proxy: int, seqs: Sequence[int] | None) -> None:
        """Delete a consumer's entries (None: all); missing ones are no error."""
        with self.batch():
            if seqs is not None:
                self._remove(channel, proxy, seqs)
            elif key := self._keys.pop((channel, proxy), 0):
                self._counts.pop((channel, proxy), None)
                self._change("DELETE FROM consumers WHERE consumer = ?", (key,))
                self._change("INSERT INTO forgotten VALUES (?)", (key,))
                self._forgotten.append(key)
                self._sweep(_PIECE)

    def spilled(self, channel: int, proxy: int) -> int:
        """Return how many entries of a consumer are stored, from a cached count."""
        return self._counts.get((channel, proxy), 0)

    def spilled_of(self, channel: int, proxy: int) -> Iterator[Entry]:
        """Yield a consumer's entries by seq; concurrent changes may or may not be seen."""
        last = -1
        key = self._keys.get((channel, proxy), 0)
        query = f"{_ENTRY} AND seq > ? ORDER BY seq LIMIT ?"
        while rows := self._rows(query, (key, last, _PIECE)):
            yield from map(Entry._make, rows)
            last = rows[-1][1]

    def expire(self, now: int, most: int | None = None) -> list[tuple[int, int, list[int]]]:
        """Remove up to `most` expired entries; return channel, proxy and seqs, soonest first."""
        query = (
            "SELECT seq FROM spilled WHERE consumer = ? "
            f"AND expiry <> {NEVER} AND expiry <= ? ORDER BY expiry, seq LIMIT ?"
        )
        left = -1 if most is None else most  # SQLite takes -1 for no limit
        gone = []
        with self.batch():
            for channel, proxy in list(self._counts):
                key = self._keys[channel, proxy]
                seqs = [seq for [seq] in self._rows(query, (key, now, left))]
                if seqs:
                    self._remove(channel, proxy, seqs)
                    gone.append((channel, proxy, seqs))
                    left -= len(seqs) if most is not None else 0
            self._sweep(_PIECE)
        return gone

    def proxies_waiting_for(self, channel: int, seqs: Sequence[int]) -> dict[int, list[int]]:
        """Return which of these events wait here, by proxy."""
        rows = self._rows(
            "SELECT seq, proxy FROM spilled JOIN consumers USING (consumer) WHERE "
            "spilled.channel = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq, proxy",
            (channel, _listed(seqs)),
        )
        return {
            seq: [proxy for _, proxy in group]
            for seq, group in groupby(rows, key=lambda row: row[0])
        }

    def replace_octets(self, channel: int, octets: Sequence[tuple[int, int]]) -> None:
        """Set the size of entries (pairs of seq and octets) for all consumers."""
        rows = [(value, channel, seq) for seq, value in octets]
        with self.batch():
            self._change_many("UPDATE spilled SET octets = ? WHERE channel = ? AND seq = ?", rows)

    def close(self) -> None:
        """Write everything to disk, so that the next start can use it; repeated calls are allowed.

        After a failed batch, or a ``with`` that ends with an error, the next start makes a new one.
        """
        if self._closed:
            return
        self._closed = True
        try:
            with translating():
                if self._failed:
                    return
                # The mark may reach the disk only after everything else.
                catalog_file.mark(self._connection, closed=False)
                catalog_file.mark(self._connection, closed=True)
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._failed |= error is not None
        self.close()

    def _new_key(self, channel: int, proxy: int) -> int:
        [[key]] = self._rows(
            "INSERT INTO consumers (channel, proxy) VALUES (?, ?) RETURNING consumer",
            (channel, proxy),
        )
        self._keys[channel, proxy] = key
        return int(key)

    def _remove(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        gone = self._change(
            "DELETE FROM spilled WHERE consumer = ? AND seq IN (SELECT value FROM json_each(?))",
            (self._keys.get((channel, proxy), 0), _listed(seqs)),
        )
        self._grown(channel, proxy, -gone)

    def _grown(self, channel: int, proxy: int, by: int) -> None:
        count = self.spilled(channel, proxy) + by
        if count:
            self._counts[channel, proxy] = count
        else:
            self._counts.pop((channel, proxy), None)

    def _sweep(self, most: int) -> None:
        """Delete up to `most` rows of obsolete keys."""
        if not self._forgotten:
            return
        key = self._forgotten[-1]
        gone = self._change(
            "DELETE FROM spilled WHERE consumer = ? AND seq IN"
            " (SELECT seq FROM spilled WHERE consumer = ? ORDER BY seq LIMIT ?)",
            (key, key, most),
        )
        if gone < most:
            self._change("DELETE FROM forgotten WHERE consumer = ?", (key,))
            self._forgotten.pop()

    def _reload(self) -> None:
        self._keys, self._counts = {}, {}
        counted = "(SELECT count(*) FROM spilled WHERE spilled.consumer = consumers.consumer)"
        query = f"SELECT channel, proxy, consumer, {counted} FROM consumers"
        for channel, proxy, key, count in self._rows(query):
            self._keys[channel, proxy] = key
            self._grown(channel, proxy, count)
        self._forgotten = [key for [key] in self._rows("SELECT consumer FROM forgotten")]


def _listed(seqs: Sequence[int]) -> str:
    """Return one SQL value for any number of seqs."""
    return msgspec.json.encode(list(seqs)).decode()
