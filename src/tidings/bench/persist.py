"""`tidings bench persist`: events that survive a crash, beside rows in a raw SQLite file.

Each push is answered when its event is on the disk; many that wait share one sync. SQLite gets
the same octets, encoded beforehand, from one thread that does nothing else: a write-ahead log,
synchronous=FULL, as many rows a commit as there are pushers. Rounds are interleaved. Afterwards
the journal and the database are read back, and every event must be in both once.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tidings.bench.figures import (
    Figures,
    Progress,
    demand,
    least_one,
    sample_events,
    undisturbed,
)
from tidings.bench.receiving import Recording
from tidings.channel.entries import NEVER, PERSISTENT
from tidings.client.client import Client
from tidings.client.publishing import Publisher, Receipt
from tidings.client.transports.inproc import InProcess
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.structured import StructuredEvent
from tidings.stores.journal import Journal
from tidings.stores.payloads import StoredEvent, event_octets_of, event_payload
from tidings.stores.records import Kind

_MANY: Final = 64
_OF_RAW_ONE: Final = 0.7
_OF_RAW_MANY: Final = 0.5
_PRODUCER: Final = "0" * 32


def run(
    *,
    events: int = 8_000,
    rounds: int = 7,
    folder: Path | None = None,
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    64 pushers send `events` a round, a single one an eighth of them. The data is in a folder that
    is removed afterwards, inside `folder` or the working directory.
    """
    least_one(events=events, rounds=rounds)
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="tidings-bench-", dir=folder or Path.cwd()) as made:
        asyncio.run(_measure(figures, Path(made), events, rounds, progress))
    return {"bench": "persist", "results": figures.rows}


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
        """The names of all events in it."""
        rows = self._connection.execute("SELECT octets FROM events ORDER BY number")
        return [decode_event(event_octets_of(octets)).name for [octets] in rows]

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


class _Scene:
    """Some pushers into one channel, and what each round of them gave."""

    def __init__(
        self, host: Host, publishers: Sequence[Publisher], recording: Recording | None, raw: _Raw
    ) -> None:
        self._host = host
        self._publishers = publishers
        self._recording = recording
        self._raw = raw
        self._rates: list[float] = []
        self._raw_rates: list[float] = []
        self._syncs: list[float] = []
        self._shares: list[float] = []

    @property
    def rate(self) -> float:
        """Accepted events a second."""
        return statistics.median(self._rates)

    @property
    def raw_rate(self) -> float:
        """Rows a second."""
        return statistics.median(self._raw_rates)

    @property
    def syncs(self) -> float:
        """Syncs a second."""
        return statistics.median(self._syncs)

    @property
    def share(self) -> float:
        """Events a sync."""
        return statistics.median(self._shares)

    async def round(self, events: Sequence[StructuredEvent]) -> None:
        """Measures the raw database and the service."""
        rows = [octets_of(event, at) for at, event in enumerate(events)]
        with undisturbed():
            taken = self._raw.write(rows, len(self._publishers))
        self._raw_rates.append(len(rows) / taken)
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
        self._rates.append(len(events) / seconds)
        self._syncs.append(syncs / seconds)
        self._shares.append(synced / max(1, syncs))
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


def octets_of(event: StructuredEvent, number: int) -> bytes:
    """An event as the journal has it, but for the time and its number."""
    return event_payload(
        StoredEvent(
            0, 1, 0, NEVER, None, PERSISTENT, _PRODUCER, number, (), (), {}, False,
            encode_event(event),
        )
    )  # fmt: skip


def stored_names(folder: Path) -> list[str]:
    """The names of all events in the journal of a stopped host."""
    with Journal.open(folder / JOURNAL) as journal:
        events = (entry.record for entry in journal.read() if entry.record.kind == Kind.EVENT)
        return [decode_event(event_octets_of(record.payload)).name for record in events]


async def _measure(
    figures: Figures, folder: Path, events: int, rounds: int, progress: Progress
) -> None:
    raw = _Raw(folder / "raw.sqlite")
    host = await Host.open(folder / "service")
    client = Client(InProcess(LocalDoor(host, owned=True)))
    try:
        scenes = await _scenes(host, client, raw)
        host.watchdog.stop()
        host.watchdog.blocks = host.watchdog.longest = 0
        first = 0
        for number in range(rounds):
            progress(f"persist: round {number + 1} of {rounds}")
            for (pushers, _), scene in scenes.items():
                count = max(1, events // 8) if pushers == 1 else events
                made, _ = sample_events(first, count)
                await scene.round(made)
                first += count
    finally:
        await client.close()
    progress("persist: reading everything back")
    _check_stored(folder / "service", raw, first)
    _report(figures, scenes, host)


async def _scenes(host: Host, client: Client, raw: _Raw) -> dict[tuple[int, bool], _Scene]:
    """By how many push, and whether a consumer acknowledges."""
    scenes: dict[tuple[int, bool], _Scene] = {}
    for consumed in (False, True):
        for pushers in (1, _MANY):
            channel = await client.create_channel(persistent=True)
            recording = None
            if consumed:
                recording = Recording([await client.subscribe(channel, name="durable")], [])
            publishers = [await client.publisher(channel) for _ in range(pushers)]
            scenes[pushers, consumed] = _Scene(host, publishers, recording, raw)
    return scenes


def _check_stored(folder: Path, raw: _Raw, count: int) -> None:
    expected = Counter(f"car-{at}" for at in range(count))
    try:
        demand(Counter(raw.names()) == expected, "the database does not have every event once")
    finally:
        raw.close()
    demand(Counter(stored_names(folder)) == expected, "the journal does not have every event once")


def _report(figures: Figures, scenes: dict[tuple[int, bool], _Scene], host: Host) -> None:
    for (pushers, consumed), scene in scenes.items():
        name = f"{pushers} pusher{'s' if pushers > 1 else ''}"
        if consumed:
            figures.figure(f"{name}, a durable consumer", scene.rate, "events/s")
            continue
        figures.figure(name, scene.rate, "events/s")
        figures.figure(f"{name}: raw SQLite", scene.raw_rate, "rows/s")
        target = _OF_RAW_ONE if pushers == 1 else _OF_RAW_MANY
        figures.at_least(f"{name} / raw SQLite", scene.rate / scene.raw_rate, "times", target)
        figures.figure(f"{name}: syncs", scene.syncs, "syncs/s")
        figures.figure(f"{name}: events in a sync", scene.share, "events")
    figures.figure("blocks of the loop over 5 ms", host.watchdog.blocks, "blocks")
    figures.figure("longest block of the loop", host.watchdog.longest / 1_000, "ms")
