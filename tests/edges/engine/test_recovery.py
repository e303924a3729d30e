"""After a restart: what the journal says, what is served again, and dead letters."""

from __future__ import annotations

import gc
from collections import deque
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.edges.engine.hosts import (
    ORIGIN,
    PERSISTENT,
    collect,
    consumer,
    crashed,
    event_record,
    happened,
    hosted,
    new_channel,
    opened,
    outcome_record,
    publish,
    reconnected,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
    until,
)
from tidings.channel.commands import Push
from tidings.channel.effects import Message, NoticeKind, Outcome
from tidings.channel.entries import NEVER
from tidings.channel.management import Disconnect, Suspend
from tidings.channel.settings import Limits
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.engine.recording import Recorder
from tidings.engine.recovery import Recovered, uncollected
from tidings.errors import AlreadyConnected, NotFound, StoreError
from tidings.events.envelope import ProducerMark
from tidings.stores.journal import Journal
from tidings.stores.payloads import (
    dropped_payload,
    marks_payload,
    numbers_payload,
    topology_payload,
)
from tidings.stores.records import Kind, LostRecord, Record
from tidings.stores.segments import Cursor, DamageReport, Entry

# What the journal says.


def read(*records: Record) -> Recovered:
    found = Recovered(Limits())
    for at, record in enumerate(records, 1):
        found.visit(Entry(Cursor(1, 100 * at), Cursor(1, 100 * at + 100), record))
    return found


def waiting(*records: Record) -> dict[int, tuple[int, ...]]:
    """Who waits for which number."""
    return {seq: one[5] for seq, one in read(*records).channels[ORIGIN].pending.items()}


def test_what_was_done_with_a_number_before_its_event_does_not_count() -> None:
    """The event of that number was refused, or its dead letter is delivered again."""
    done, again = outcome_record(5, 1), event_record(1, 5)
    assert waiting(done, again) == {1: (5,)}
    assert waiting(done, again, event_record(1, 5, carried=True)) == {1: (5,)}
    assert waiting(event_record(1, 5, 6), done, again) == {1: (6, 5)}
    withdrawn = outcome_record(5, 2, what=Outcome.WITHDRAWN)  # its number is used, that is all
    assert waiting(again, withdrawn) == {1: (5,)}
    assert read(again, withdrawn).channels[ORIGIN].seq == 2


def test_what_is_lost_is_known_by_its_number_unless_it_was_written_again() -> None:
    part = DamageReport(1, 0, 9, "damaged", None, (LostRecord(Kind.EVENT, ORIGIN, 2),), True)
    hole = DamageReport(1, 0, 9, "damaged")
    reserved = Record(Kind.RESERVED, ORIGIN, 10, numbers_payload(5, 0))

    def lost(damage: DamageReport, *later: Record) -> set[int]:
        found = read(event_record(1, 5))
        found.damaged(damage)
        for record in later:
            found.visit(Entry(Cursor(1, 300), Cursor(1, 400), record))
        return found.channels[ORIGIN].lost

    assert lost(part) == {2}
    assert lost(part, event_record(2, 5, carried=True)) == set()
    assert lost(hole) == set()
    assert lost(hole, event_record(4, 5)) == {2, 3}
    assert lost(hole, reserved) == {2, 3, 4, 5}


def test_times_in_records_are_those_of_the_clock() -> None:
    recorder = Recorder()
    recorder.offset = 7
    assert (recorder.wall(5), recorder.wall(NEVER)) == (12, NEVER)


def test_events_were_dropped_if_their_segments_are_gone() -> None:
    other = bytes(range(1, 17))
    dropped = [(ORIGIN, 10, 3), (ORIGIN, 30, 5), (ORIGIN, 20, 4), (other, 7, 4)]
    records = [Record(Kind.DROPPED, one, seq, dropped_payload(at)) for one, seq, at in dropped]
    found = read(*records, Record(Kind.DROPPED, ORIGIN, 99, b""))
    assert found.unreadable == 1
    assert found.dropped_before(1) == {}
    assert found.dropped_before(3) == {ORIGIN: 10}
    assert found.dropped_before(4) == {ORIGIN: 20, other: 7}
    assert found.dropped_before(9) == {ORIGIN: 30, other: 7}


def test_unknown_kinds_are_passed_over_and_what_cannot_be_understood_is_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kinds = (Kind.EVENT, Kind.OUTCOME, Kind.TOPOLOGY, Kind.MARK, Kind.DEAD, Kind.DEAD_GONE)
    bad = [Record(kind, ORIGIN, 9, b"\xff\x00nonsense") for kind in kinds]
    bad.append(Record(Kind.MARK, ORIGIN, 0, marks_payload([["", 1]])))
    records = [Record(200, ORIGIN, 99, b"x"), *bad, event_record(1, 5)]
    found = read(*records)
    assert (found.unreadable, found.channels[ORIGIN].seq) == (7, 1)
    assert sum("is passed over" in line for line in caplog.messages) == 7
    assert waiting(*records) == {1: (5,)}


def test_nothing_is_collected_meanwhile_unless_it_was_so_before() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with pytest.raises(ValueError, match="of the journal"), uncollected():
            raise ValueError("of the journal")
        assert not gc.isenabled()
    assert gc.isenabled()


# What is served again.


async def stopped(host: Host, folder: Path, how: str) -> Path:
    """Stops a host, in good order or by a crash; the folder it left."""
    left = folder
    if how == "crash":
        left = crashed(folder, folder.with_name(f"{folder.name}-crash"))
    await host.close(0.05)
    return left


HOW = pytest.mark.parametrize("how", ["close", "crash"])


@pytest.mark.parametrize("qos", [PERSISTENT, {}], ids=["persistent", "besteffort"])
@HOW
async def test_numbers_are_never_used_twice_and_have_no_gap_after_a_stop_in_good_order(
    tmp_path: Path, how: str, qos: dict[str, int]
) -> None:
    folder = tmp_path
    used: list[int] = []
    host, channel, proxy = await opened(folder, qos)
    for _ in range(3):
        used += await publish(host, channel, proxy, "a", "b", "c")
        assert 0 < host.factory.channel(channel).accepted <= len(used)
        folder = await stopped(host, folder, how)
        host = await Host.open(folder)
        proxy = await supplier(host, channel)
    assert sorted(set(used)) == used
    shown = host.factory.channel(channel)
    await host.close(0.05)
    assert 3 <= shown.accepted <= 9
    assert shown.seq >= used[-1]
    if how == "close" or qos is PERSISTENT:
        assert used == list(range(1, 10))
        assert (shown.accepted, shown.seq) == (9, 9)


@HOW
async def test_a_duplicate_is_answered_with_the_first_number(tmp_path: Path, how: str) -> None:
    host, channel, proxy = await opened(tmp_path)
    marks = [ProducerMark("gauge", number) for number in (7, 8, 9)]
    assert await publish(host, channel, proxy, "a", "b", marks=marks[:2]) == [1, 2]
    host = await Host.open(await stopped(host, tmp_path, how))
    proxy = await supplier(host, channel)
    assert await publish(host, channel, proxy, "a", "b", "c", marks=marks) == [1, 2, 3]
    await host.close(0.05)


@HOW
async def test_persistent_connections_are_back_with_their_queues_and_the_others_are_gone(
    tmp_path: Path, how: str
) -> None:
    host, channel, proxy = await opened(tmp_path)
    kept, endpoint = await consumer(host, channel, window=2, text="$event_name != 'x'")
    quiet, _ = await consumer(host, channel, qos={"Priority": 3})
    lost, _ = await consumer(host, channel, qos={"ConnectionReliability": 0})
    await host.ask(Suspend(channel, quiet))
    await soon(host.ask(Push(channel, proxy, [happened("lost", persistent=False)])))
    await publish(host, channel, proxy, "a", "x", "b", "c", "d")
    await collect(endpoint, 2)
    await until(lambda: host.counts[Outcome.DELIVERED] == 2)
    await host.writer.finish()
    await collect(endpoint, 2, ack=False)
    host = await Host.open(await stopped(host, tmp_path, how))
    proxies = host.factory.channels[channel].proxies
    assert lost not in proxies
    with pytest.raises(AlreadyConnected):
        await reconnected(host, channel, kept, again=False)
    assert (channel, kept) not in host.out.endpoints
    endpoint = await reconnected(host, channel, kept)
    found = await collect(endpoint, 3, ack=False)
    assert [m.event.name for m in found] == ["b", "c", "d"]
    assert [endpoint.redelivered(m.seq) for m in found] == [True] * 3
    endpoint.ack_many(found)
    assert proxies[quiet].suspended
    assert proxies[quiet].qos.priority == 3
    delivery = host.factory.channels[channel].consumer(quiet).consumer
    assert delivery is not None
    assert delivery.waiting == 5
    source = await supplier(host, channel)
    assert source not in (proxy, kept, quiet, lost), "no id is given twice"
    [_, seq] = await publish(host, channel, source, "x", "new")
    assert seqs(await collect(endpoint, 1, ack=False)) == [seq]
    assert not endpoint.redelivered(seq)
    await host.close(0.05)


async def test_what_was_acknowledged_does_not_come_again(tmp_path: Path) -> None:
    host, channel, proxy = await opened(tmp_path)
    kept, endpoint = await consumer(host, channel)
    await publish(host, channel, proxy, *range(10))
    for message in (await collect(endpoint, 10, ack=False))[::2]:
        endpoint.ack(message)
    await until(lambda: host.counts[Outcome.DELIVERED] == 5)
    await host.writer.finish()
    host = await Host.open(await stopped(host, tmp_path, "crash"))
    endpoint = await reconnected(host, channel, kept)
    assert seqs(await collect(endpoint, 5)) == [2, 4, 6, 8, 10]
    await turns()
    assert len(endpoint) == 0
    await host.close(0.05)


async def test_the_order_is_kept_over_many_restarts(tmp_path: Path) -> None:
    host = await Host.open(tmp_path, segment_octets=4_000)
    channel = await new_channel(host, {**PERSISTENT, "OrderPolicy": 1})
    kept, _ = await consumer(host, channel)
    await host.ask(Suspend(channel, kept))
    for start in range(0, 1_200, 300):
        proxy = await supplier(host, channel)
        await publish(host, channel, proxy, *range(start, start + 300))
        await host.close(0.05)
        host = await Host.open(tmp_path, segment_octets=4_000)
    host.factory.channels[channel].proxies[kept].suspended = False
    endpoint = await reconnected(host, channel, kept)
    found = [(await collect(endpoint, 1))[0] for _ in range(1_200)]
    assert [m.event.name for m in found] == [str(n) for n in range(1_200)]
    await host.close(0.05)


async def test_a_start_that_fails_lets_go_of_the_folder(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (_, channel, _):
        pass
    with Journal.open(tmp_path / "journal") as journal:
        payload = topology_payload(channel, "proxy", "7", {"form": 99, "id": 7})
        journal.append([Record(Kind.TOPOLOGY, bytes(16), 0, payload)])
    for _ in range(2):  # it is not in use the second time
        with pytest.raises(StoreError) as raised:
            await Host.open(tmp_path)
        assert raised.type is StoreError


@pytest.mark.parametrize(("many", "frozen"), [(3, 1), (4, 0)])
async def test_very_many_events_that_wait_are_kept_from_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, frozen: int
) -> None:
    freeze = mock.Mock()
    monkeypatch.setattr("tidings.engine.resuming._VERY_MANY", many)
    monkeypatch.setattr("tidings.engine.resuming.gc.freeze", freeze)
    host, channel, proxy = await opened(tmp_path)
    await consumer(host, channel)
    await publish(host, channel, proxy, "a", "b", "c")
    host = await Host.open(await stopped(host, tmp_path, "crash"))
    assert freeze.call_count == frozen
    assert gc.isenabled()
    await host.close(0.05)


# Dead letters.


async def taken(
    folder: Path | None, *names: str, **options: Any
) -> tuple[Host, int, int, int, BufferEndpoint, list[Message]]:
    """Channel, supplier, consumer and its end on a new host, and what the consumer has taken."""
    host, channel, proxy = await opened(folder, **options)
    whose, endpoint = await consumer(host, channel)
    await publish(host, channel, proxy, *names)
    return host, channel, proxy, whose, endpoint, await collect(endpoint, len(names), ack=False)


async def buried(folder: Path | None, *names: str) -> tuple[Host, int, int, int]:
    """A host with a channel where a consumer has rejected events: channel, supplier, consumer."""
    host, channel, proxy, whose, endpoint, messages = await taken(folder, *names)
    for message in messages:
        endpoint.reject(message, f"no {message.event.name}")
    await until(lambda: host.counts[Outcome.REJECTED] == len(names))
    while folder is not None and len(await host.dead_letters.list()) < len(names):
        await turns(1)
    return host, channel, proxy, whose


async def test_letters_are_listed_with_their_causes_and_stay_until_they_are_dropped(
    tmp_path: Path,
) -> None:
    host, channel, _, whose = await buried(tmp_path, "a", "b", "c")
    assert len(host.bodies) == 0
    letters = host.dead_letters
    rows = await soon(letters.list())
    assert [(row.channel, row.proxy) for row in rows] == [(channel, whose)] * 3
    found = [(row.seq, row.causes[0].reason) for row in rows]
    assert found == [(1, "no a"), (2, "no b"), (3, "no c")]
    assert await letters.list(after=rows[1].id) == rows[2:]
    assert await letters.list(most=1) == rows[:1]
    assert await letters.list(channel=channel, proxy=whose + 1) == []
    await host.ask(Disconnect(channel, whose))
    with pytest.raises(NotFound):  # there is nobody to deliver it to
        await soon(letters.redrive(rows[0].id))
    assert await letters.list() == rows
    await letters.drop(rows[0].id)
    with pytest.raises(NotFound):
        await letters.drop(rows[0].id)
    await host.close(0.05)
    host = await Host.open(tmp_path)
    assert await host.dead_letters.list() == rows[1:]
    await host.close(0.05)

    host, *_ = await buried(None, "a")  # without a disk there are none
    assert await host.dead_letters.list() == []
    with pytest.raises(NotFound):
        await host.dead_letters.drop(1)
    await host.close(0.05)


@pytest.mark.parametrize("catalog", ["kept", "lost"])
async def test_ids_stay_over_a_restart(tmp_path: Path, catalog: str) -> None:
    async def restarted(host: Host) -> Host:
        await host.close(0.05)
        if catalog == "lost":
            (tmp_path / "catalog.sqlite").unlink()
        return await Host.open(tmp_path)

    host, channel, proxy, whose = await buried(tmp_path, "a", "b", "c", "d")
    known = await host.dead_letters.list()
    for id in (known[1].id, known[3].id):
        await host.dead_letters.drop(id)
    for _ in range(2):
        host = await restarted(host)
        assert await host.dead_letters.list() == [known[0], known[2]]
    endpoint = await reconnected(host, channel, whose)
    await publish(host, channel, proxy, "e")
    [message] = await collect(endpoint, 1, ack=False)
    endpoint.reject(message, "no e")
    while len(rows := await host.dead_letters.list()) < 3:
        await turns(1)
    assert [row.seq for row in rows] == [1, 3, 5]
    assert rows[-1].id > known[3].id  # an id seen before never means another letter
    host = await restarted(host)
    assert await host.dead_letters.list() == rows
    await host.close(0.05)


async def comes_again(folder: Path, channel: int, whose: int, *numbers: int, letters: int) -> None:
    """What a consumer gets after a restart, and how many dead letters there are."""
    host = await Host.open(folder)
    assert len(await host.dead_letters.list()) == letters
    found = await collect(await reconnected(host, channel, whose), len(numbers))
    assert seqs(found) == list(numbers)
    await host.close(0.05)


async def test_one_that_cannot_be_read_is_reported_and_blocks_nothing(tmp_path: Path) -> None:
    host, channel, proxy, whose, endpoint, [message] = await taken(tmp_path, "a", cache_octets=1)
    with mock.patch.object(store_of(host), "fetch", lambda places: [None for _ in places]):
        endpoint.reject(message, "no")
        await until(lambda: any(n.kind is NoticeKind.LOST for n in host.notices))
    assert await publish(host, channel, proxy, "b") == [2]
    assert await host.dead_letters.list() == []
    assert host.disk_error is None
    await host.close(0.05)
    await comes_again(tmp_path, channel, whose, 2, letters=0)


async def test_one_that_cannot_be_read_now_is_written_later_and_holds_up_nobody(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    host, channel, proxy, whose, endpoint, [message] = await taken(data, "a", cache_octets=1)
    failing = mock.Mock(side_effect=StoreError("no descriptor"))
    with mock.patch.object(store_of(host).journal, "fetch", failing):
        endpoint.reject(message, "no")
        await until(lambda: failing.called)
        assert await publish(host, channel, proxy, "b") == [2]
        await until(lambda: failing.call_count > 1)
        left = crashed(data, tmp_path / "crashed")
    while not (letters := await host.dead_letters.list()):
        await turns(1)
    assert [(letter.proxy, letter.seq) for letter in letters] == [(whose, 1)]
    assert (host.disk_error, host.notices) == (None, deque())
    await host.close(0.05)
    await comes_again(data, channel, whose, 2, letters=1)
    # Nobody knows what became of it after a crash: it comes again.
    await comes_again(left, channel, whose, 1, 2, letters=0)


async def test_a_catalog_that_refuses_keeps_no_record_out(tmp_path: Path) -> None:
    host, channel, proxy, whose, endpoint, [message] = await taken(tmp_path, "a")
    with mock.patch.object(store_of(host), "bury", side_effect=StoreError("planted")):
        endpoint.reject(message, "no")
        assert await publish(host, channel, proxy, "b") == [2]
        await host.close(0.05)
    await comes_again(tmp_path, channel, whose, 2, letters=1)
