"""Damage in the journal: what it has cost is named, and everything else is there."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.unit.engine.hosts import (
    collect,
    consumer,
    new_channel,
    obtained,
    publish,
    reconnected,
    run,
    seqs,
    store_of,
    supplier,
    until,
)
from tests.unit.stores.sample_journal import flip
from tidings.channel.effects import NoticeKind, Outcome
from tidings.channel.management import DestroyChannel, Disconnect
from tidings.engine.host import Host
from tidings.engine.losses import Losses, numbers_text, runs
from tidings.engine.recovery import JOURNAL
from tidings.stores.journal import Journal
from tidings.stores.payloads import stored_topology
from tidings.stores.records import HEAD_OCTETS, Kind
from tidings.stores.segments import Entry, segment_path

EVENTS = 8


async def written(folder: Path, *, segment_octets: int = 1 << 20) -> tuple[int, int]:
    """Events that wait for a consumer, on the disk; channel and proxy."""
    host = await Host.open(folder, segment_octets=segment_octets)
    channel = await new_channel(host)
    proxy = await supplier(host, channel)
    whose, _ = await consumer(host, channel)
    await publish(host, channel, proxy, *range(EVENTS))
    await host.close(0.05)
    return channel, whose


def entries(folder: Path) -> list[Entry]:
    """All records."""
    with Journal.open(folder / JOURNAL) as journal:
        return list(journal.read())


async def looked_at(folder: Path, channel: int, whose: int, hit: set[int]) -> None:
    """The service is there, names what is lost, and has the rest."""
    host = await Host.open(folder)
    left = [seq for seq in range(1, EVENTS + 1) if seq not in hit]
    assert host.losses.count > 0
    assert host.losses.sentence
    assert host.losses.between(channel, 0, EVENTS) == tuple((seq, seq) for seq in sorted(hit))
    assert {notice.kind for notice in host.notices} == {NoticeKind.LOST}
    told = [notice.detail for notice in host.notices if notice.channel == channel]
    assert all(numbers_text(runs(sorted(hit))) in text for text in told), told
    page = await host.history.page(channel)
    assert seqs(page.messages) == left
    assert page.lost == tuple((seq, seq) for seq in sorted(hit))
    if whose in host.factory.channels[channel].proxies:
        assert seqs(await collect(await reconnected(host, channel, whose), len(left))) == left
    await host.close(0.05)


def test_an_event_whose_record_is_hit_is_named(tmp_path: Path) -> None:
    channel, whose = run(written(tmp_path / "whole"))
    events = [one for one in entries(tmp_path / "whole") if one.record.kind == Kind.EVENT]
    chance = Random(5)
    for at in (0, chance.randrange(1, EVENTS - 1), EVENTS - 2):
        first, last = events[at].at.offset, events[at].after.offset
        for spot in (first, first + 20, chance.randrange(first + HEAD_OCTETS, last)):
            folder = tmp_path / f"{at}-{spot}"
            shutil.copytree(tmp_path / "whole", folder)
            flip(segment_path(folder / JOURNAL, 1), spot * 8)
            run(looked_at(folder, channel, whose, {at + 1}))


def test_a_segment_that_is_missing_is_named_with_its_events(tmp_path: Path) -> None:
    channel, _ = run(written(tmp_path, segment_octets=1))  # each write is a segment
    segments: dict[int, set[int]] = {}
    for one in entries(tmp_path):
        if one.record.kind == Kind.EVENT:
            segments.setdefault(one.at.segment, set()).add(one.record.seq)

    async def more() -> None:
        host = await Host.open(tmp_path, segment_octets=1)
        proxy = await supplier(host, channel)
        await publish(host, channel, proxy, "last")
        await host.close(0.05)

    run(more())
    number, hit = min(segments.items())
    segment_path(tmp_path / JOURNAL, number).unlink()

    async def look() -> None:
        host = await Host.open(tmp_path)
        assert host.losses.between(channel, 0, 99) == ((min(hit), max(hit)),)
        page = await host.history.page(channel)
        assert page.lost == ((1, max(hit)),)
        assert seqs(page.messages) == list(range(max(hit) + 1, EVENTS + 2))
        await host.close(0.05)

    run(look())


def test_a_subscription_and_a_channel_that_are_lost_are_named(tmp_path: Path) -> None:
    channel, whose = run(written(tmp_path / "whole"))
    for kind in ("proxy", "channel"):
        folder = tmp_path / kind
        shutil.copytree(tmp_path / "whole", folder)
        key = str(whose if kind == "proxy" else channel)
        for one in entries(folder):
            if one.record.kind != Kind.TOPOLOGY:
                continue
            if stored_topology(one.record.payload)[1:3] == (kind, key):
                spot = one.at.offset + HEAD_OCTETS + 8
                flip(segment_path(folder / JOURNAL, one.at.segment), spot * 8)

        async def look(folder: Path, kind: str) -> None:
            host = await Host.open(folder)
            told = " ".join(host.losses.objects)
            assert (f"subscription {whose} of" if kind == "proxy" else "the channel") in told
            notices = " ".join(notice.detail for notice in host.notices)
            assert all(one in notices for one in host.losses.objects)
            await host.close(0.05)

        run(look(folder, kind))


def test_what_was_removed_is_not_lost(tmp_path: Path) -> None:
    async def work() -> None:
        channel, whose = await written(tmp_path)
        host = await Host.open(tmp_path)
        gone = await new_channel(host)
        proxy = await supplier(host, gone)
        await obtained(host, gone)
        await publish(host, gone, proxy, "a")
        await host.ask(DestroyChannel(gone))
        await host.ask(Disconnect(channel, whose))
        await host.close(0.05)

    run(work())
    [first, *_] = [one for one in entries(tmp_path) if one.record.kind == Kind.EVENT]
    flip(segment_path(tmp_path / JOURNAL, 1), first.after.offset * 8 - 1)

    async def look() -> None:
        host = await Host.open(tmp_path)
        assert (host.losses.objects, host.losses.events) == ([], 1)
        await host.close(0.05)

    run(look())


def test_damage_that_comes_while_it_runs_is_named_and_the_outcome_is_lost(tmp_path: Path) -> None:
    async def work() -> None:
        channel, whose = await written(tmp_path)
        host = await Host.open(tmp_path, cache_octets=1)
        events = [one for one in store_of(host).journal.read() if one.record.kind == Kind.EVENT]
        for at in (2, 5):  # a head, and a payload
            spot = events[at].at.offset + (2 if at == 2 else HEAD_OCTETS + 3)
            flip(segment_path(tmp_path / JOURNAL, 1), spot * 8)
        page = await host.history.page(channel)
        assert page.lost == ((6, 6),)  # of the other nobody can tell that it was an event
        assert host.losses.stretches == 1
        endpoint = await reconnected(host, channel, whose)
        assert seqs(await collect(endpoint, EVENTS - 2)) == [1, 2, 4, 5, 7, 8]
        await until(lambda: host.counts == {Outcome.DELIVERED: 6, Outcome.LOST: 2})
        assert (await host.history.page(channel, after=1)).lost == ((3, 3), (6, 6))
        assert (await host.history.page(channel, after=3, most=1)).lost == ()
        await host.close(0.05)

    run(work())


@pytest.mark.parametrize(
    ("seqs", "text"),
    [([], ""), ([4], "4"), ([1, 2, 3, 7], "1 to 3, 7"), (range(0, 40, 2), "0, 2, 4, 6, 8, 10")],
)
def test_numbers_as_people_write_them(seqs: list[int], text: str) -> None:
    assert numbers_text(runs(seqs)).startswith(text)


def test_an_event_is_lost_once() -> None:
    losses = Losses()
    assert losses.sentence == ""
    assert losses.add_events(1, [3, 2, 3]) == ((2, 3),)
    assert losses.add_events(1, [3, 9]) == ((9, 9),)
    assert losses.add_events(2, [3]) == ((3, 3),)
    assert (losses.events, losses.count) == (4, 4)
    assert losses.between(1, 2, 9) == ((3, 3), (9, 9))
    losses.forget(1)
    assert losses.count == 1
