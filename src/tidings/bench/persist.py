"""`tidings bench persist`: events that survive a crash, beside rows in a raw SQLite file.

Each push is answered when its event is on the disk; many that wait share one sync. SQLite gets
the same octets, encoded beforehand, from one thread that does nothing else: a write-ahead log,
synchronous=FULL, as many rows a commit as there are pushers. Rounds are interleaved. Afterwards
the journal and the database are read back, and every event must be in both once.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tidings.bench.harness import (
    Figures,
    Progress,
    Recording,
    Series,
    bench_folder,
    demand,
    local_service,
    rounds,
    sample_events,
    silent,
    stored_payload,
    undisturbed,
)
from tidings.client.client import Client
from tidings.client.publishing import Publisher, Receipt
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.structured import StructuredEvent
from tidings.stores.journal import Journal
from tidings.stores.payloads import event_octets_of
from tidings.stores.records import Kind

_MANY: Final = 64
_OF_RAW: Final = {1: 0.7, _MANY: 0.5}


def run(
    *,
    events: int = 8_000,
    rounds: int = 7,
    folder: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    64 pushers send `events` a round, a single one an eighth of them. The data is in a folder that
    is removed afterwards, inside `folder` or the working directory.
    """
    figures = Figures()
    with bench_folder(folder or Path.cwd()) as made:
        asyncio.run(_measure(figures, made, events, rounds, progress))
    return figures.report("persist")


class _Raw:
    """A database that one thread writes rows into."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        [[mode]] = self._connection.execute("PRAGMA journal_mode = WAL")
        demand(mode == "wal", f"SQLite writes in the mode {mode}, not with a write-ahead log")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE events (number INTEGER PRIMARY KEY, octets BLOB)")

    def write(self, rows: Sequence[bytes], at_once: int) -> float:
        """Writes rows; how many seconds that took."""
        execute = self._connection.execute
        insert = "INSERT INTO events (octets) VALUES (?)"
        start = perf_counter()
        for at in range(0, len(rows), at_once):
            execute("BEGIN")
            for row in rows[at : at + at_once]:
                execute(insert, (row,))
            execute("COMMIT")
        return perf_counter() - start

    def names(self) -> list[str]:
        rows = self._connection.execute("SELECT octets FROM events ORDER BY number")
        return [decode_event(event_octets_of(octets)).name for [octets] in rows]

    def close(self) -> None:
        self._connection.close()


class _Scene:
    """Some pushers into one channel, with a consumer that acknowledges or without one."""

    def __init__(self, host: Host, raw: _Raw, pushers: int, consumed: bool) -> None:
        self.pushers = pushers
        self.consumed = consumed
        self.rounds = Series()
        self._host = host
        self._raw = raw
        self._recording: Recording | None = None

    async def open(self, client: Client) -> None:
        channel = await client.create_channel(persistent=True)
        if self.consumed:
            self._recording = Recording([await client.subscribe(channel, name="durable")], [])
        self._publishers = [await client.publisher(channel) for _ in range(self.pushers)]

    async def round(self, events: Sequence[StructuredEvent]) -> None:
        rows = [stored_payload(encode_event(event), at) for at, event in enumerate(events)]
        with undisturbed():
            self.rounds["raw"].append(len(rows) / self._raw.write(rows, self.pushers))
        store, recording = self._host.store, self._recording
        assert store is not None
        if recording is not None:
            recording.expect(len(events))
        with undisturbed():
            self._host.watchdog.start()
            syncs, synced = store.syncs, store.synced_events
            start = perf_counter()
            receipts = await self._push(events)
            seconds = perf_counter() - start
            self._host.watchdog.stop()
        syncs, synced = store.syncs - syncs, store.synced_events - synced
        self.rounds["events"].append(len(events) / seconds)
        self.rounds["syncs"].append(syncs / seconds)
        self.rounds["in a sync"].append(synced / max(1, syncs))
        numbers = {receipt.seq for receipt in receipts if receipt.accepted}
        demand(len(numbers) == len(events), "not every event was accepted with its own number")
        if recording is not None:
            await recording.all_here()
            await recording.check(events, fifo=False)

    async def _push(self, events: Sequence[StructuredEvent]) -> list[Receipt]:
        left = iter(events)
        receipts: list[Receipt] = []

        async def push(publisher: Publisher) -> None:
            receipts.extend([await publisher.publish(event) for event in left])

        await asyncio.gather(*map(push, self._publishers))
        return receipts

    def report(self, figures: Figures) -> None:
        """Reports the rates, beside the raw database's."""
        name = f"{self.pushers} pusher{'s' if self.pushers > 1 else ''}"
        rate, raw = self.rounds.median("events"), self.rounds.median("raw")
        if self.consumed:
            figures.figure(f"{name}, a durable consumer", rate, "events/s")
            return
        figures.figure(name, rate, "events/s")
        figures.figure(f"{name}: raw SQLite", raw, "rows/s")
        figures.at_least(f"{name} / raw SQLite", rate / raw, "times", _OF_RAW[self.pushers])
        figures.figure(f"{name}: syncs", self.rounds.median("syncs"), "syncs/s")
        figures.figure(f"{name}: events in a sync", self.rounds.median("in a sync"), "events")


def stored_names(folder: Path) -> list[str]:
    """The names of all events in the journal of a stopped host."""
    with Journal.open(folder / JOURNAL) as journal:
        events = (entry.record for entry in journal.read() if entry.record.kind == Kind.EVENT)
        return [decode_event(event_octets_of(record.payload)).name for record in events]


async def _measure(
    figures: Figures, folder: Path, events: int, count: int, progress: Progress
) -> None:
    raw = _Raw(folder / "raw.sqlite")
    first = 0
    async with local_service(folder / "service") as (host, client):
        scenes = [
            _Scene(host, raw, pushers, consumed)
            for consumed in (False, True)
            for pushers in (1, _MANY)
        ]
        for scene in scenes:
            await scene.open(client)
        host.watchdog.stop()
        host.watchdog.blocks = host.watchdog.longest = 0
        for _ in rounds("persist", count, progress):
            for scene in scenes:
                made, _ = sample_events(
                    first, max(1, events // 8) if scene.pushers == 1 else events
                )
                await scene.round(made)
                first += len(made)
    progress("persist: reading everything back")
    expected = Counter(f"car-{at}" for at in range(first))
    try:
        demand(Counter(raw.names()) == expected, "the database does not have every event once")
    finally:
        raw.close()
    found = Counter(stored_names(folder / "service"))
    demand(found == expected, "the journal does not have every event once")
    for scene in scenes:
        scene.report(figures)
    figures.loop(host)
