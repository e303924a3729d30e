"""The catalog's SQLite file: its tables, and whether its contents can be trusted.

It is not synced while in use (synchronous=OFF), since the journal holds the same data. A machine
crash may corrupt it; a process crash may leave it older than the journal. A mark therefore says
whether it was closed: it is removed, durably, before the first change, and set, durably, once
everything else is on disk.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tidings.channel.entries import NEVER
from tidings.errors import BadInput, DiskFull, StoreError

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


class Unusable(Exception):
    """The file's contents are unusable, with the reason; the catalog then makes a new one."""


class Statements:
    """Statements to an open catalog, alone or in batches.

    Changes are atomic. All methods raise `StoreError` if the file cannot be used, `DiskFull` if
    there is no room, `BadInput` for numbers beyond 64 bits.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._in_batch = False
        self._failed = False  # some batch was rolled back
        self._spoilt = False  # a part of this batch has failed

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

    def _reload(self) -> None:
        """Reload cached state after a rollback."""

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with translating():
            return self._connection.execute(query, values).fetchall()

    def _change(self, statement: str, values: Sequence[object] = ()) -> int:
        with translating():
            return self._connection.execute(statement, values).rowcount

    def _change_many(self, statement: str, rows: Sequence[Sequence[object]]) -> int:
        with translating():
            return self._connection.executemany(statement, rows).rowcount


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
