"""The catalog: an SQLite index of what is looked up in another order than the journal's.

It holds nothing that the journal does not, and is not synced while in use: a catalog that was not
closed, is damaged, or belongs to another journal or version is replaced by an empty one, to be
filled from the journal. A mark says whether it was closed: it is removed, durably, before the first
change, and set, durably, once everything else is on disk. One thread uses it at a time, the
engine's disk thread.

Waiting entries on disk are kept per consumer. Clearing a consumer only gives it a new key, which
takes no time; later changes delete the rows under the old key bit by bit. Dead letters are kept
with their events, readable without the journal.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from tidings.channel.effects import Cause
from tidings.channel.entries import NEVER, Entry
from tidings.errors import BadInput, DiskFull, StoreError
from tidings.stores.payloads import StoredDeadLetter

log = logging.getLogger(__name__)

SCHEMA_VERSION: Final = 1
_SCHEMA = f"""
BEGIN;
CREATE TABLE about (journal BLOB NOT NULL, closed INTEGER NOT NULL);
CREATE TABLE consumers (
    consumer INTEGER PRIMARY KEY AUTOINCREMENT,
    channel INTEGER NOT NULL, proxy INTEGER NOT NULL,
    UNIQUE (channel, proxy)
);
CREATE TABLE forgotten (consumer INTEGER PRIMARY KEY);
CREATE TABLE spilled (
    consumer INTEGER NOT NULL, channel INTEGER NOT NULL, expiry INTEGER NOT NULL,
    seq INTEGER NOT NULL, priority INTEGER NOT NULL, octets INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    PRIMARY KEY (consumer, seq)
) WITHOUT ROWID;
CREATE INDEX spilled_by_priority ON spilled (consumer, priority DESC, seq);
CREATE INDEX spilled_by_expiry ON spilled (consumer, expiry, seq) WHERE expiry <> {NEVER};
CREATE INDEX spilled_by_seq ON spilled (channel, seq);
CREATE TABLE dead_letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel INTEGER NOT NULL, proxy INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    causes BLOB NOT NULL, expiry INTEGER NOT NULL, priority INTEGER NOT NULL,
    flags INTEGER NOT NULL, arrival INTEGER NOT NULL, plan INTEGER NOT NULL, event BLOB NOT NULL,
    UNIQUE (channel, proxy, seq)
);
CREATE INDEX dead_letters_of ON dead_letters (channel, proxy);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
# Deadlines and priorities arrive in any order, so writes to their indexes are scattered.
_CACHE_KIB = 64 * 1024

_MODE = 0o600  # events may be confidential; SQLite's log gets the same mode

# Errors that say nothing about the file's contents.
_NOT_DAMAGE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}

_ENTRY = "SELECT expiry, seq, priority, octets, flags FROM spilled WHERE consumer = ?"
_BY_SEQ = f"{_ENTRY} ORDER BY seq LIMIT ?"
# Entries that never expire are not in the deadline index: they come last, by seq.
_REFILLS = {
    "fifo": [_BY_SEQ],
    "priority": [f"{_ENTRY} ORDER BY priority DESC, seq LIMIT ?"],
    "deadline": [f"{_ENTRY} AND expiry <> {NEVER} ORDER BY expiry, seq LIMIT ?", _BY_SEQ],
}
_INTO = "INTO spilled (consumer, channel, expiry, seq, priority, octets, flags)"
# Obsolete entries are swept in pieces, to keep each call short.
_PIECE = 1_000

# A letter must not grow with each failed redelivery: keep the first cause and
# the newest of the others.
MOST_CAUSES: Final = 32
_DEAD = (
    "SELECT id, channel, seq, proxy, at, causes, expiry, priority, flags, arrival, plan, event "
    "FROM dead_letters"
)
_causes_of = msgspec.json.Decoder(tuple[Cause, ...]).decode


class Unusable(Exception):
    """The file's contents are unusable, with the reason; the catalog then makes a new one."""


class DeadLetterRow(NamedTuple):
    """A dead letter; its id is never reused and survives a rebuild of the catalog."""

    id: int
    channel: int
    seq: int
    letter: StoredDeadLetter


class Catalog:
    """An open catalog, made by `Catalog.open`; a `fresh` one must be filled."""

    def __init__(self, connection: sqlite3.Connection, *, fresh: bool) -> None:
        self._connection = connection
        self._in_batch = False
        self._failed = False  # some batch was rolled back
        self._spoilt = False  # a part of this batch has failed
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
                return cls(reopen(path, journal_id), fresh=False)
            except Unusable as error:
                log.warning("the catalog %s is made anew: %s", path, error)
                delete_file(path)
        return cls(make_file(path, journal_id), fresh=True)

    @contextlib.contextmanager
    def batch(self) -> Iterator[None]:
        """Commit everything done inside at once or, after an exception, nothing."""
        if self._in_batch:
            try:
                yield
            except BaseException:
                self._spoilt = True
                raise
            return
        self._change("BEGIN")
        self._in_batch = True
        self._spoilt = False
        try:
            yield
            if self._spoilt:
                raise StoreError("a part of a batch for the catalog has failed; nothing is kept")
            self._change("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._change("ROLLBACK")
            self._failed = True
            self._reload()
            raise
        finally:
            self._in_batch = False

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with translating():
            return self._connection.execute(query, values).fetchall()

    def _change(self, statement: str, values: Sequence[object] = ()) -> int:
        with translating():
            return self._connection.execute(statement, values).rowcount

    def _change_many(self, statement: str, rows: Sequence[Sequence[object]]) -> int:
        with translating():
            return self._connection.executemany(statement, rows).rowcount

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
                mark(self._connection, closed=False)
                mark(self._connection, closed=True)
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: object, __: object) -> None:
        self._failed |= error is not None
        self.close()

    def add_dead(self, channel: int, seq: int, letter: StoredDeadLetter) -> int:
        """Store a dead letter, or add new causes to the copy's existing one; return its id."""
        with self.batch():
            old = self.find_dead(channel, letter.proxy, seq)
            if old is None:
                proxy, at, causes, *rest, number = letter
                values = (number or None, channel, seq, proxy, at, _written(causes), *rest)
                [[id]] = self._rows(
                    "INSERT INTO dead_letters (id, channel, seq, proxy, at, causes, expiry,"
                    " priority, flags, arrival, plan, event)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                    values,
                )
                return int(id)
            known = old.letter.causes
            causes = known + tuple(cause for cause in letter.causes if cause not in known)
            self._change(
                "UPDATE dead_letters SET at = max(at, ?), causes = ? WHERE id = ?",
                (letter.at, _written(causes), old.id),
            )
            return old.id

    def number_dead_after(self, number: int) -> None:
        """Give new letters numbers higher than this."""
        table = ("dead_letters",)
        with self.batch():
            [[last]] = self._rows("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", table)
            if number > (last or 0):
                self._change("DELETE FROM sqlite_sequence WHERE name = ?", table)
                self._change("INSERT INTO sqlite_sequence VALUES (?, ?)", (*table, number))

    def dead_letters(
        self,
        channel: int | None = None,
        proxy: int | None = None,
        after_id: int = 0,
        limit: int = 100,
    ) -> list[DeadLetterRow]:
        """Return dead letters by id, of all channels or of one, after an id."""
        wanted = {"channel": channel, "proxy": proxy}
        given = {name: value for name, value in wanted.items() if value is not None}
        tests = "".join(f" AND {name} = ?" for name in given)
        return self._letters(f"id > ?{tests} ORDER BY id LIMIT ?", after_id, *given.values(), limit)

    def dead_letter(self, id: int) -> DeadLetterRow | None:
        """Return one dead letter."""
        return next(iter(self._letters("id = ?", id)), None)

    def find_dead(self, channel: int, proxy: int, seq: int) -> DeadLetterRow | None:
        """Return the dead letter of a consumer's copy of an event."""
        test = "channel = ? AND proxy = ? AND seq = ?"
        return next(iter(self._letters(test, channel, proxy, seq)), None)

    def letters_of(self, channel: int, seq: int) -> dict[int, int]:
        """Return the ids of an event's dead letters, by proxy."""
        query = "SELECT proxy, id FROM dead_letters WHERE channel = ? AND seq = ?"
        return dict(self._rows(query, (channel, seq)))

    def take_dead(self, id: int) -> DeadLetterRow | None:
        """Remove and return a dead letter; None if it does not exist."""
        with self.batch():
            row = self.dead_letter(id)
            self._change("DELETE FROM dead_letters WHERE id = ?", (id,))
        return row

    def trim_dead(self, most: int) -> list[DeadLetterRow]:
        """Remove and return the oldest dead letters beyond `most`."""
        with self.batch():
            rows = self.dead_letters(limit=max(0, self.count_dead() - most))
            if rows:
                self._change("DELETE FROM dead_letters WHERE id <= ?", (rows[-1].id,))
        return rows

    def count_dead(self) -> int:
        """Return the number of dead letters."""
        [[count]] = self._rows("SELECT count(*) FROM dead_letters")
        return int(count)

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

    def _letters(self, test: str, *values: int) -> list[DeadLetterRow]:
        rows = self._rows(f"{_DEAD} WHERE {test}", values)
        with translating():
            return [
                DeadLetterRow(
                    id,
                    channel,
                    seq,
                    StoredDeadLetter._make((proxy, at, _causes_of(causes), *rest, id)),
                )
                for id, channel, seq, proxy, at, causes, *rest in rows
            ]


def make_file(path: Path | None, journal_id: bytes) -> sqlite3.Connection:
    """Create a catalog in a file, or in memory."""
    if path is not None:
        try:
            path.touch(_MODE)
        except OSError as error:
            raise StoreError(f"the catalog {path} cannot be made: {error}") from error
    with translating():
        connection = _connect(path)
    with _closed_on_error(connection), translating():
        connection.executescript(_SCHEMA)
        connection.execute("INSERT INTO about VALUES (?, 0)", (journal_id,))
    return connection


def reopen(path: Path, journal_id: bytes) -> sqlite3.Connection:
    """Open a closed catalog; raise Unusable if it is damaged, unclosed or foreign."""
    try:
        connection = _connect(path)
        with _closed_on_error(connection):
            _check(connection, journal_id)
            mark(connection, closed=False)
    except sqlite3.Error as error:
        if _primary(error) in _NOT_DAMAGE:
            raise _translated(error) from error
        raise Unusable(str(error)) from error
    return connection


def mark(connection: sqlite3.Connection, *, closed: bool) -> None:
    """Write durably whether the catalog is closed, together with all earlier changes."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("UPDATE about SET closed = ?", (closed,))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute("PRAGMA synchronous = OFF")


def delete_file(path: Path) -> None:
    """Delete a catalog and SQLite's files beside it."""
    try:
        for suffix in ("-wal", "-shm", "-journal", ""):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"the unusable catalog {path} cannot be deleted: {error}") from error


@contextlib.contextmanager
def translating() -> Iterator[None]:
    """Translate SQLite's errors; put only SQLite calls and decoding of their results inside."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error) from error
    except msgspec.MsgspecError as error:
        raise StoreError(f"the catalog is damaged: {error}") from error
    except OverflowError as error:
        raise BadInput(f"the catalog takes whole numbers of 64 bits: {error}") from error


def _connect(path: Path | None) -> sqlite3.Connection:
    """Open the file exclusively; any thread may use it, one at a time."""
    connection = sqlite3.connect(
        path or ":memory:", timeout=0, isolation_level=None, check_same_thread=False
    )
    with _closed_on_error(connection):
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA synchronous = OFF")
    return connection


def _check(connection: sqlite3.Connection, journal_id: bytes) -> None:
    [[version]] = connection.execute("PRAGMA user_version")
    if version != SCHEMA_VERSION:
        raise Unusable(f"it has version {version}, not {SCHEMA_VERSION}")
    about = connection.execute("SELECT journal, closed FROM about").fetchall()
    if [journal for journal, _ in about] != [journal_id]:
        raise Unusable("it belongs to another journal")
    if not about[0][1]:
        raise Unusable("it was not closed")
    found = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != [("ok",)]:
        raise Unusable(f"it is damaged: {found[0][0]}")


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _translated(error: sqlite3.Error) -> StoreError:
    kind = DiskFull if _primary(error) == sqlite3.SQLITE_FULL else StoreError
    return kind(f"the catalog cannot be used: {error}")


def _written(causes: Sequence[Cause]) -> bytes:
    if len(causes) > MOST_CAUSES:
        causes = (causes[0], *causes[1 - MOST_CAUSES :])
    return msgspec.json.encode(causes)


def _listed(seqs: Sequence[int]) -> str:
    """Return one SQL value for any number of seqs."""
    return msgspec.json.encode(list(seqs)).decode()
