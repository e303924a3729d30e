"""Journals made record by record, small enough to be archived hundreds of times; and their rows.

What is in an archive is read as anybody would, and counted by other means than its books.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tidings import event
from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER
from tidings.events.codecs.json_codec import encode_event
from tidings.stores import payloads
from tidings.stores.archive.books import Books, read_books
from tidings.stores.archive.columns import KINDS, schema_of
from tidings.stores.archive.manifest import check_file, read_manifest
from tidings.stores.journal import Journal
from tidings.stores.payloads import StoredDeadLetter, StoredEvent
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

ORIGIN = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
HOUR = 3_600_000_000
START = 1_790_000_000_000_000 // HOUR * HOUR
"""The first moment of an hour."""


def happened(
    seq: int,
    durable: Sequence[int] = (),
    *,
    at: int | None = None,
    octets: bytes | None = None,
    **more: Any,
) -> Record:
    """An event; its time follows from its number unless it is given."""
    made = event("Test", "Thing", f"e{seq}", {"n": seq})
    stored = StoredEvent(
        START + seq if at is None else at, 1, 0, NEVER, None, 1, None, 0, (), tuple(durable), {},
        False, encode_event(made) if octets is None else octets,
    )._replace(**more)  # fmt: skip
    return Record(Kind.EVENT, ORIGIN, seq, payloads.event_payload(stored))


def outcome(seqs: Sequence[int], proxy: int, what: Outcome = Outcome.DELIVERED) -> Record:
    """An outcome; its time follows from its first number."""
    payload = payloads.outcome_payload(proxy, what, seqs, START + seqs[0] + 500)
    return Record(Kind.OUTCOME, ORIGIN, seqs[0], payload)


def dead(seq: int, proxy: int, reason: str) -> Record:
    """A dead letter."""
    letter = StoredDeadLetter(proxy, START, (Cause(START, reason),), NEVER, 0, 1, START, 1, b"{}")
    return Record(Kind.DEAD, ORIGIN, seq, payloads.dead_payload(letter))


def channel(*, present: bool = True) -> Record:
    """A channel is there, or gone."""
    state = {"name": "test", "origin": ORIGIN.hex()} if present else None
    return Record(Kind.TOPOLOGY, ORIGIN, 0, payloads.topology_payload(1, "channel", "1", state))


def proxy(id: int, *, present: bool = True) -> Record:
    """A durable proxy is there, or gone."""
    state = {"id": id} if present else None
    return Record(Kind.TOPOLOGY, ORIGIN, 0, payloads.topology_payload(1, "proxy", str(id), state))


def plan(version: int, proxies: Sequence[int], *, whole: bool = False) -> Record:
    """Rules of some proxies."""
    forms = [{"side": "consumer", "proxy": id, "admin": 0} for id in proxies]
    change = {
        "format": 1, "version": version, "whole": whole, "admins": [], "proxies": forms,
        "removed_admins": [], "removed_proxies": [],
    }  # fmt: skip
    return Record(Kind.PLAN, ORIGIN, version, payloads.plan_payload(change))


def checkpoint(*, begins: bool) -> Record:
    """A complete copy begins or ends."""
    return Record(Kind.CHECKPOINT, bytes(16), 1, payloads.checkpoint_payload(1, begins=begins))


def written(folder: Path, records: Sequence[Record]) -> Cursor:
    """Appends records to the journal in a folder, one by one; where it ends."""
    with Journal.open(folder, segment_octets=2**20) as journal:
        for record in records:
            journal.append([record])
        journal.sync()
        return journal.end


def small_journal(folder: Path) -> Cursor:
    """A bit of everything; where it ends."""
    return written(
        folder,
        [
            *(channel(), channel(), proxy(3), proxy(3), plan(1, [3]), happened(1, [3])),
            *(happened(2, [3, 4], at=START + HOUR), outcome([1], 3)),
            happened(3, [3], views={3: (START + 9, 7)}, producer="p", number=5),
            *(dead(3, 3, "no"), outcome([3], 3, Outcome.REJECTED), happened(3, [3])),
            *(plan(1, [3], whole=True), plan(2, [3, 4]), outcome([2, 3], 3, Outcome.EXPIRED)),
            *(happened(4), proxy(3, present=False), channel(present=False)),
        ],
    )


def rows_of(folder: Path, kind: str) -> list[dict[str, Any]]:
    """All rows of a kind in the order of their positions; every file is checked."""
    found: list[dict[str, Any]] = []
    for file in read_manifest(folder).select(kind):
        assert check_file(folder, file, deep=True) is None
        table = pq.read_table(folder / file.path, partitioning=None)
        assert table.schema.equals(schema_of(kind))
        assert table.num_rows == file.rows
        found += table.to_pylist(maps_as_pydicts="strict")
    # Sorting is stable: rows of one record stay as they are.
    return sorted(found, key=lambda row: row["position"])


def all_rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of all kinds, as they are compared between archives."""
    return {
        kind: sorted(rows_of(folder, kind), key=lambda row: (row["position"], repr(row)))
        for kind in KINDS
    }


def last_books_of(folder: Path) -> Books:
    """The books of the last seal."""
    return read_books(folder, read_manifest(folder).seals[-1])


def pending_of(folder: Path) -> Counter[tuple[str, int]]:
    """How many pairs of an event and a durable proxy have no final outcome, by rows alone."""
    happened = [
        (row["position"], 0, row["origin"], set(row["durable"]), row["seq"])
        for row in rows_of(folder, "events")
    ]
    for row in rows_of(folder, "outcomes"):
        if row["outcome"] != "withdrawn":
            again = 1 if row["outcome"] == "redriven" else 2
            happened.append((row["position"], again, row["origin"], {row["proxy"]}, row["seq"]))
    waiting: set[tuple[str, int, int]] = set()
    for _, what, origin, proxies, seq in sorted(happened, key=lambda one: one[:2]):
        pairs = {(origin, proxy, seq) for proxy in proxies}
        waiting = waiting - pairs if what == 2 else waiting | pairs
    return Counter((origin, proxy) for origin, proxy, _ in waiting)


def check_ledger(folder: Path) -> None:
    """The books agree with the rows, and the manifest with both."""
    books, manifest = last_books_of(folder), read_manifest(folder)
    events = rows_of(folder, "events")
    by_channel: dict[str, list[int]] = {}
    for row in events:
        by_channel.setdefault(row["origin"], []).append(row["seq"])
    for origin, book in books.channels.items():
        seqs = by_channel.pop(origin, [])
        assert (book.events, book.seq_sum) == (len(seqs), sum(seqs))
        assert (book.lowest, book.highest) == ((min(seqs), max(seqs)) if seqs else (None, None))
        assert len(set(seqs)) == len(seqs)
    assert not by_channel
    sums: Counter[str] = Counter()
    for file in manifest.select("events"):
        for origin, (_, total) in file.sums.items():
            sums[origin] += total
    assert all(sums[origin] == book.seq_sum for origin, book in books.channels.items())
