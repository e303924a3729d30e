"""A journal that lost part of itself: what that cost is named, and no number is used twice."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.archive_worlds import archive_journal
from tests.edges.engine.hosts import (
    collect,
    consumer,
    hosted,
    new_channel,
    publish,
    reconnected,
    seqs,
    store_of,
    supplier,
    until,
)
from tests.edges.stores.sample_journal import flip
from tidings.channel.effects import NoticeKind, Outcome
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.engine import losses as losses_module
from tidings.engine.accepting import accept_losses
from tidings.engine.host import Host
from tidings.engine.losses import Losses, numbers_text, runs
from tidings.engine.recovery import JOURNAL, open_journal
from tidings.errors import StoreError
from tidings.stores.archive.archive_end import ArchiveEnd, archive_end, check_journal_reaches
from tidings.stores.chain import read_head
from tidings.stores.journal import Journal
from tidings.stores.journal_check import check_journal
from tidings.stores.payloads import stored_topology
from tidings.stores.records import HEAD_OCTETS, Kind
from tidings.stores.segments import Cursor, Entry, segment_path

SEGMENT = 2_000


async def published(folder: Path, count: int = 20) -> list[int]:
    """Publishes events; their numbers."""
    host = await Host.open(folder, segment_octets=SEGMENT)
    try:
        channel = next(iter(host.factory.channels), None) or await new_channel(host)
        proxy = await supplier(host, channel)
        return [(await publish(host, channel, proxy, number))[0] for number in range(count)]
    finally:
        await host.close()


def segments_of(folder: Path) -> list[Path]:
    return sorted((folder / "journal").glob("*.journal"))


async def told(
    folder: Path, archived: dict[bytes, tuple[str, int]] | None = None
) -> tuple[int, str]:
    """How much is lost, and the notices in one text."""
    host = await Host.open(folder, segment_octets=SEGMENT, archived=archived)
    await host.close()
    return host.losses.count, "\n".join(notice.detail for notice in host.notices)


async def archive_of(folder: Path) -> ArchiveEnd:
    """What an archive of all of a journal would know."""
    host = await Host.open(folder, segment_octets=SEGMENT)
    await host.close()
    channels = {
        bytes.fromhex(one.origin): (f"channel-{one.id}", one.seq)
        for one in host.factory.channels.values()
    }
    head = read_head(folder / "journal")
    assert head is not None
    return ArchiveEnd(head.journal_id, Cursor(head.newest, head.end), channels)


async def test_a_channel_that_only_the_archive_still_names_is_named_until_it_is_accepted(
    tmp_path: Path,
) -> None:
    await published(tmp_path, 2)
    archive = await archive_of(tmp_path)
    [(origin, (name, _))] = archive.present.items()

    before = segments_of(tmp_path)
    host = await Host.open(tmp_path, segment_octets=1)  # its records are in other segments
    await new_channel(host)
    await host.close()
    for path in before:
        path.unlink()
    count, said = await told(tmp_path, archive.present)
    assert count > len(before)  # the segments, and the channel
    assert f"the channel {name} ({origin.hex()})" in said
    assert await told(tmp_path) == (count, said)  # known by now, also without the archive
    assert not check_journal(tmp_path / "journal").good
    given_up = accept_losses(tmp_path, None)
    assert any(origin.hex() in text for text in given_up.losses)
    assert accept_losses(tmp_path, None).losses == []
    count, said = await told(tmp_path, archive.present)
    assert (count, said.count("\n")) == (0, 0)
    assert said.startswith("accepted as lost on ")
    assert origin.hex() in said
    assert check_journal(tmp_path / "journal").good


async def test_numbers_that_were_left_out_behind_what_was_accepted_are_no_loss(
    tmp_path: Path,
) -> None:
    await published(tmp_path)
    segments_of(tmp_path)[-1].unlink()
    await published(tmp_path)
    assert check_journal(tmp_path / "journal").events
    accept_losses(tmp_path, None)
    assert check_journal(tmp_path / "journal").good


async def test_what_the_journal_does_not_show_any_more_is_still_known(tmp_path: Path) -> None:
    await published(tmp_path)
    await published(tmp_path)
    (tmp_path / "journal" / "head").unlink()
    first = await told(tmp_path)
    assert first[0] == 1
    assert await told(tmp_path) == first


async def test_history_shows_what_was_accepted(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await published(data, 5)
    shutil.copytree(data, tmp_path / "backup")
    await published(data, 40)
    archive = await archive_of(data)
    shutil.rmtree(data)
    shutil.move(tmp_path / "backup", data)
    assert "events 6 to 45 of channel 1" in accept_losses(data, archive).losses

    for _ in range(2):
        host = await Host.open(data)
        assert host.losses.count == 0
        page = await host.history.page(next(iter(host.factory.channels)), most=1_000)
        assert page.lost == ((6, 45),)
        await host.close()
        await published(data, 1)


async def test_what_a_journal_that_was_lost_whole_held_is_listed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await published(data, 5)
    archive = await archive_of(data)
    shutil.rmtree(data)
    with pytest.raises(StoreError, match="there is no journal in"):
        accept_losses(data, None)
    assert "events up to 5" in accept_losses(data, archive).losses[0]
    count, said = await told(data)
    assert count == 0
    assert "events up to 5" in said


async def test_a_book_of_losses_that_is_damaged_is_a_loss(tmp_path: Path) -> None:
    await published(tmp_path)
    segments_of(tmp_path)[0].unlink()
    await told(tmp_path)
    book = tmp_path / "journal" / "losses"
    octets = bytearray(book.read_bytes())
    octets[-9] ^= 1
    book.write_bytes(octets)
    count, said = await told(tmp_path)
    assert count > 0
    assert "the file losses: what was known to be lost before is not known any more" in said
    assert await told(tmp_path) == (count, said)


async def test_an_older_copy_is_refused_and_can_be_accepted(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    await published(data)
    shutil.copytree(data, tmp_path / "backup")
    used = await published(data, 60)
    archive_journal(data / "journal", archive)
    check_journal_reaches(data, data / "journal", archive)
    shutil.rmtree(data)
    for journal in ("backup", "nothing"):
        folder = tmp_path / journal
        with pytest.raises(StoreError, match=r"tidings journal accept .* --archive"):
            check_journal_reaches(folder, folder / "journal", archive)
    backup = tmp_path / "backup"
    end = archive_end(archive)
    assert end is not None
    state = check_journal(backup / "journal", end.channels)
    assert [(lost.first, lost.last) for lost in state.events] == [(21, used[-1])]
    open_journal(backup, DEFAULT_SETTINGS.limits, SEGMENT, end.head)[0].close()
    check_journal_reaches(backup, backup / "journal", archive)
    assert min(await published(backup)) > max(used)
    archive_journal(backup / "journal", archive)  # it goes on, and knows of the gap


EVENTS = 8


async def written(folder: Path, *, segment_octets: int = 1 << 20) -> tuple[int, int]:
    """Events that wait for a consumer, on the disk; channel and proxy."""
    async with hosted(folder, segment_octets=segment_octets) as (host, channel, proxy):
        whose, _ = await consumer(host, channel)
        await publish(host, channel, proxy, *range(EVENTS))
        return channel, whose


def entries(folder: Path) -> list[Entry]:
    """All records."""
    with Journal.open(folder / JOURNAL) as journal:
        return list(journal.read())


async def looked_at(folder: Path, channel: int, whose: int, hit: set[int]) -> None:
    """The service is there, names what is lost, and has the rest."""
    host = await Host.open(folder)
    left = [seq for seq in range(1, EVENTS + 1) if seq not in hit]
    lost = tuple((seq, seq) for seq in sorted(hit))
    assert host.losses.count > 0
    assert host.losses.sentence
    assert host.losses.between(channel, 0, EVENTS) == lost
    assert {notice.kind for notice in host.notices} == {NoticeKind.LOST}
    told = [notice.detail for notice in host.notices if notice.channel == channel]
    assert all(numbers_text(runs(sorted(hit))) in text for text in told), told
    page = await host.history.page(channel)
    assert seqs(page.messages) == left
    assert page.lost == lost
    if whose in host.factory.channels[channel].proxies:
        assert seqs(await collect(await reconnected(host, channel, whose), len(left))) == left
    await host.close(0.05)


async def test_an_event_whose_record_is_hit_is_named(tmp_path: Path) -> None:
    channel, whose = await written(tmp_path / "whole")
    events = [one for one in entries(tmp_path / "whole") if one.record.kind == Kind.EVENT]
    chance = Random(5)
    for at in (0, chance.randrange(1, EVENTS - 1), EVENTS - 2):
        first, last = events[at].at.offset, events[at].after.offset
        for spot in (first, first + 20, chance.randrange(first + HEAD_OCTETS, last)):
            folder = tmp_path / f"{at}-{spot}"
            shutil.copytree(tmp_path / "whole", folder)
            flip(segment_path(folder / JOURNAL, 1), spot * 8)
            await looked_at(folder, channel, whose, {at + 1})


async def test_a_segment_that_is_missing_is_named_with_its_events(tmp_path: Path) -> None:
    channel, _ = await written(tmp_path, segment_octets=1)  # each write is a segment
    segments: dict[int, set[int]] = {}
    for one in entries(tmp_path):
        if one.record.kind == Kind.EVENT:
            segments.setdefault(one.at.segment, set()).add(one.record.seq)
    host = await Host.open(tmp_path, segment_octets=1)
    proxy = await supplier(host, channel)
    await publish(host, channel, proxy, "last")
    await host.close(0.05)
    number, hit = min(segments.items())
    segment_path(tmp_path / JOURNAL, number).unlink()
    host = await Host.open(tmp_path)
    assert host.losses.between(channel, 0, 99) == ((min(hit), max(hit)),)
    page = await host.history.page(channel)
    assert page.lost == ((1, max(hit)),)
    assert seqs(page.messages) == list(range(max(hit) + 1, EVENTS + 2))
    await host.close(0.05)


async def test_a_subscription_and_a_channel_that_are_lost_are_named(tmp_path: Path) -> None:
    channel, whose = await written(tmp_path / "whole")
    for kind in ("proxy", "channel"):
        folder = tmp_path / kind
        shutil.copytree(tmp_path / "whole", folder)
        key = str(whose if kind == "proxy" else channel)
        for one in entries(folder):
            topology = one.record.kind == Kind.TOPOLOGY
            if topology and stored_topology(one.record.payload)[1:3] == (kind, key):
                spot = one.at.offset + HEAD_OCTETS + 8
                flip(segment_path(folder / JOURNAL, one.at.segment), spot * 8)
        host = await Host.open(folder)
        told = " ".join(host.losses.objects)
        assert (f"subscription {whose} of" if kind == "proxy" else "the channel") in told
        notices = " ".join(notice.detail for notice in host.notices)
        assert all(one in notices for one in host.losses.objects)
        await host.close(0.05)


async def test_whatever_record_is_hit_it_counts(tmp_path: Path) -> None:
    channel, whose = await written(tmp_path / "whole")
    host = await Host.open(tmp_path / "whole")
    await collect(await reconnected(host, channel, whose), EVENTS)  # which leaves an outcome
    await host.close(0.05)
    kinds = {one.record.kind: one for one in entries(tmp_path / "whole") if one.record.payload}
    assert {Kind.TOPOLOGY, Kind.OUTCOME, Kind.PLAN} <= set(kinds)
    for kind, one in kinds.items():
        folder = tmp_path / str(kind)
        shutil.copytree(tmp_path / "whole", folder)
        flip(segment_path(folder / JOURNAL, one.at.segment), one.after.offset * 8 - 1)
        host = await Host.open(folder)
        assert host.losses.count, Kind(kind).name
        await host.close(0.05)


async def test_damage_that_comes_while_it_runs_is_named_and_the_outcome_is_lost(
    tmp_path: Path,
) -> None:
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


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 2)), min_size=2, max_size=6),
    st.integers(0, 8),
    st.integers(0, 3),
    st.integers(6, 15),
)
def test_lost_numbers_are_told_once_as_runs_that_do_not_touch(
    found: list[tuple[int, int]], accepted: int, after: int, upto: int
) -> None:
    losses, lost = Losses(), set[int]()
    for at, (first, more) in enumerate(found):
        new = losses.add_runs(1, [(first, first + more)])
        numbers = set(range(first, first + more + 1))
        assert {seq for low, high in new for seq in range(low, high + 1)} == numbers - lost
        lost |= numbers
        if at == accepted:
            losses.accept()
    told = losses.between(1, after, upto)
    assert [seq for low, high in told for seq in range(low, high + 1)] == sorted(
        seq for seq in lost if after < seq <= upto
    )
    assert all(one[1] + 1 < other[0] for one, other in pairwise(told))


@given(st.sets(st.integers(1, 30)))
def test_numbers_that_follow_each_other_are_one_run(seqs: set[int]) -> None:
    found = runs(sorted(seqs))
    assert [seq for low, high in found for seq in range(low, high + 1)] == sorted(seqs)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(found))


def test_a_book_of_losses_has_a_bound_and_is_written_only_when_it_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(losses_module, "MOST_RUNS", 3)
    losses = Losses(origins={number: f"{number:032x}" for number in (1, 2, 3)})
    assert not losses.changed
    for channel in (1, 2, 3):
        losses.add_runs(channel, [(1, 1), (5, 5)])
    assert losses.changed
    told = losses.written_down(oldest=0).events
    assert list(told.values()) == [[(1, 1), (5, 5)], [(1, 1)]]
