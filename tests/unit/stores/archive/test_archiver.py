from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.archive_worlds import FIRST_US, World, archive_journal, make_world
from tests.unit.stores.archive.archive_rows import (
    all_rows,
    check_ledger,
    last_books_of,
    pending_of,
    rows_of,
)
from tidings.channel.settings import Limits
from tidings.clock import ManualClock
from tidings.engine.recovery import recover
from tidings.errors import InvalidUsage, StoreError
from tidings.events.codecs.json_codec import decode_event
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.segments import Cursor

SECOND = 1_000_000


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return asyncio.run(make_world(tmp_path_factory.mktemp("world"), 160, 7))


def test_every_event_is_there_once_as_the_engine_took_it(world: World) -> None:
    rows = {(row["origin"], row["seq"]): row for row in rows_of(world.archive, "events")}
    assert len(rows) == len(rows_of(world.archive, "events")) == len(world.firsts)
    for one in world.firsts:
        row = rows[one.origin, one.seq]
        assert row["channel"] == one.channel
        assert decode_event(row["raw"]) == one.event
        assert (row["domain"], row["type"], row["name"]) == (
            one.event.domain, one.event.type, one.event.name,
        )  # fmt: skip
        assert (row["arrival_us"], row["plan"]) == (one.arrival_us, one.plan)
        assert (row["priority"], row["expiry_us"]) == (one.priority, one.expiry_us)
        assert (row["start_us"], row["hops"]) == (one.start_us, list(one.hops))
        assert (row["producer"], row["number"]) == (one.producer, one.number)
        assert row["durable"] == list(one.durable)
        views = {view["proxy"]: (view["expiry_us"], view["priority"]) for view in row["views"]}
        for proxy in one.recipients:
            seen = views.get(proxy, (row["expiry_us"], row["priority"]))
            assert seen == (one.expiries[proxy], one.priorities[proxy])
        assert not row["carried"]


def test_every_outcome_is_there_once(world: World) -> None:
    rows = rows_of(world.archive, "outcomes")
    found = [
        (row["origin"], row["channel"], row["proxy"], row["seq"], row["outcome"]) for row in rows
    ]
    redriven = [
        (one.origin, one.channel, proxy, one.seq, "redriven")
        for one in world.events
        if one.redriven
        for proxy in one.durable
    ]
    assert redriven
    assert sorted(found) == sorted([*map(tuple, world.outcomes), *redriven])
    kinds = {row["outcome"] for row in rows}
    assert kinds == {"delivered", "expired", "discarded", "rejected", "disconnected", "redriven"}
    assert all(row["at_us"] is not None for row in rows if row["outcome"] != "redriven")
    for row in rows:
        assert (row["detail"] is not None) == (row["outcome"] == "rejected")


def test_the_books_agree_with_the_rows_and_with_recovery(world: World) -> None:
    check_ledger(world.archive)
    books = last_books_of(world.archive)
    pending = pending_of(world.archive)
    assert sum(pending.values()) == len(world.pending)
    store, found = recover(world.data, Limits(), 64 * 1024 * 1024)
    store.close()
    for key, book in books.proxies.items():
        origin, _, proxy = key.partition("/")
        assert book.pending == pending[origin, int(proxy)]
        if book.present:
            channel = found.channels[bytes.fromhex(origin)]
            waiting = [seq for seq, one in channel.pending.items() if int(proxy) in one[5]]
            assert (book.pending, book.pending_sum) == (len(waiting), sum(waiting))
    assert {key for key, n in pending.items() if n} == {
        (key.partition("/")[0], int(key.partition("/")[2]))
        for key, book in books.proxies.items()
        if book.pending
    }


def test_plans_and_objects(world: World) -> None:
    books = last_books_of(world.archive)
    for origin, book in books.channels.items():
        rows = [row for row in rows_of(world.archive, "plans") if row["origin"] == origin]
        versions = [row["version"] for row in rows]
        assert versions == sorted(set(versions))
        assert (book.plans, book.plan_version) == (len(rows), versions[-1])
        chain = ""
        for row in rows:
            assert json.loads(row["change"])["version"] == row["version"]
            chain = sha256(f"{chain}\n{row['version']}\n{row['change']}".encode()).hexdigest()
        assert chain == book.plan_digest
    last: dict[tuple[str, str, int], dict[str, object]] = {}
    for row in rows_of(world.archive, "objects"):
        key = (row["origin"], row["object"], row["id"])
        before = last.get(key)
        assert before is None or before["state"] != row["state"]
        assert (row["state"] is None) == (not row["present"])
        last[key] = row
    gone = {(origin, id) for (origin, kind, id), row in last.items()
            if kind == "proxy" and not row["present"]}  # fmt: skip
    assert gone >= world.gone
    present = {origin for origin, book in books.channels.items() if book.present}
    assert present == set(world.channels) - world.destroyed


def test_files_are_sorted_and_in_their_hours(world: World) -> None:
    import pyarrow.parquet as pq

    for kind, time in (("events", "arrival_us"), ("outcomes", "at_us")):
        for file in read_manifest(world.archive).select(kind):
            rows = pq.read_table(world.archive / file.path, partitioning=None).to_pylist()
            order = [(row["channel"], row["origin"], row["seq"], row["position"]) for row in rows]
            assert order == sorted(order)
            times = [row[time] for row in rows if row[time] is not None]
            assert file.first_us <= min(times, default=file.first_us)
            assert file.last_us >= max(times, default=file.last_us)
            assert set(file.channels or ()) == {(row["origin"], row["channel"]) for row in rows}


@pytest.mark.parametrize("options", [{"seal_rows": 9}, {"seal_octets": 9_999}, {}])
def test_the_size_of_seals_changes_nothing(
    world: World, tmp_path: Path, options: dict[str, int]
) -> None:
    archive_journal(world.journal, tmp_path, ArchiveOptions(**options))
    assert all_rows(tmp_path) == all_rows(world.archive)
    assert (read_manifest(tmp_path).last_seal == 1) == (not options)
    expected = last_books_of(world.archive)
    expected.seal = last_books_of(tmp_path).seal
    assert last_books_of(tmp_path) == expected


def test_it_reads_no_further_than_told(world: World, tmp_path: Path) -> None:
    positions = [row["position"] for row in rows_of(world.archive, "events")]
    middle = positions[len(positions) // 2]
    with Archiver(world.journal, tmp_path, clock=ManualClock(FIRST_US)) as archiver:
        progress = archiver.advance(Cursor(middle >> 40, middle & (1 << 40) - 1), seal=True)
        assert progress.cursor == progress.read == archiver.cursor
        assert [row["position"] for row in rows_of(tmp_path, "events")] == [
            p for p in positions if p < middle
        ]
        assert not archiver.advance(Cursor(0, 0), seal=True).seals  # nothing new, and no way back
        # Told a place inside a record: what is not whole waits.
        inside = archiver.advance(Cursor(middle >> 40, (middle & (1 << 40) - 1) + 20), seal=True)
        assert inside.cursor == progress.cursor
        archiver.advance(world.end, seal=True)
    assert all_rows(tmp_path) == all_rows(world.archive)


def test_age_seals(world: World, tmp_path: Path) -> None:
    clock = ManualClock(5_000 * SECOND)
    with Archiver(world.journal, tmp_path, ArchiveOptions(seal_seconds=30), clock) as archiver:
        read = archiver.advance(world.end)
        assert read.rows
        assert not read.seals
        clock.advance(29 * SECOND)
        assert not archiver.tick().seals
        clock.advance(1 * SECOND)
        [seal] = archiver.tick().seals
        assert (seal.rows, seal.cursor, archiver.cursor) == (read.rows, world.end, world.end)
        clock.advance(60 * SECOND)
        assert not archiver.tick().seals  # nothing waits


def test_a_clock_that_is_set_back_does_not_stop_it(world: World, tmp_path: Path) -> None:
    clock = ManualClock(5_000 * SECOND)
    with Archiver(world.journal, tmp_path, ArchiveOptions(seal_seconds=30), clock) as archiver:
        archiver.advance(world.end)
        clock.advance(-3_000 * SECOND)
        assert archiver.tick().seals


def test_seals_are_told(world: World, tmp_path: Path) -> None:
    told: list[object] = []
    options = ArchiveOptions(seal_rows=50)
    with Archiver(world.journal, tmp_path, options, on_seal=told.append) as archiver:
        progress = archiver.advance(world.end, seal=True)
    assert tuple(told) == progress.seals
    assert len(told) > 2
    numbers = [seal.number for seal in read_manifest(tmp_path).seals]
    assert numbers == list(range(1, len(told) + 1))


def test_one_archiver_at_a_time(world: World, tmp_path: Path) -> None:
    with (
        Archiver(world.journal, tmp_path),
        pytest.raises(StoreError, match="open in another process"),
    ):
        Archiver(world.journal, tmp_path)
    Archiver(world.journal, tmp_path).close()


def test_the_archive_of_another_journal_is_refused(world: World, tmp_path: Path) -> None:
    other = asyncio.run(make_world(tmp_path, 20, archived=False))
    archive_journal(other.journal, tmp_path / "a")
    with (
        Archiver(world.journal, tmp_path / "a") as archiver,
        pytest.raises(StoreError, match="give each journal an archive folder of its own"),
    ):
        archiver.advance(world.end)


def test_no_journal_yet(tmp_path: Path) -> None:
    with Archiver(tmp_path / "none", tmp_path / "a") as archiver:
        assert not archiver.advance(Cursor(1, 60), seal=True).seals


@pytest.mark.parametrize(
    "options",
    [{"seal_rows": 0}, {"seal_octets": 0}, {"seal_seconds": -1.0}, {"keep_octets": -1}],
)
def test_options_that_make_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(InvalidUsage, match="at least"):
        ArchiveOptions(**options)


def test_the_journal_is_left_alone(world: World, tmp_path: Path) -> None:
    def seen() -> list[tuple[str, int, int]]:
        return [
            (path.name, path.stat().st_size, path.stat().st_mtime_ns)
            for path in sorted(world.journal.rglob("*"))
        ]

    before = seen()
    archive_journal(world.journal, tmp_path)
    assert seen() == before
