"""What is in an archive, read as anybody would, and counted by other means than its books."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tidings.stores.archive.books import Books, read_books
from tidings.stores.archive.files import check_file
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.archive.schema import KINDS, schema_of

__all__ = ["all_rows", "check_ledger", "last_books_of", "rows_of"]


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
