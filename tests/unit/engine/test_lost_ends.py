"""A journal that lost part of itself: no number is used twice, and an older copy is recognised."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.archive_worlds import archive_journal
from tests.unit.engine.hosts import new_channel, publish, run, store_of, supplier
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.engine.host import Host
from tidings.engine.recovery import open_journal
from tidings.errors import StoreError
from tidings.stores.archive.ahead import archive_end, check_journal_reaches
from tidings.stores.journal import Journal
from tidings.stores.journal_check import check_journal
from tidings.stores.records import Kind
from tidings.stores.segments import find_segments

SEGMENT = 2_000


async def _publish(folder: Path, count: int) -> list[int]:
    host = await Host.open(folder, segment_octets=SEGMENT)
    try:
        channel = next(iter(host.factory.channels), None)
        if channel is None:
            channel = await new_channel(host)
        proxy = await supplier(host, channel)
        found = []
        for number in range(count):
            found += await publish(host, channel, proxy, number)
        return found
    finally:
        await host.close()


def published(folder: Path, count: int = 20) -> list[int]:
    """Publishes events; their numbers."""
    return run(_publish(folder, count))


def segments_of(folder: Path) -> list[Path]:
    return sorted((folder / "journal").glob("*.journal"))


@pytest.mark.parametrize("kept", [0, -1, -2, -4], ids=["none", "all but the last", "-2", "-4"])
def test_numbers_go_on_beyond_what_is_lost(tmp_path: Path, kept: int) -> None:
    used = published(tmp_path)
    if kept == 0:  # the first segment, with the channel in it, must stay for its numbers to
        kept = 1 - len(segments_of(tmp_path))
    for path in segments_of(tmp_path)[kept:]:
        path.unlink()
    again = published(tmp_path)
    assert min(again) > max(used)
    third = published(tmp_path)  # known by now: no further jump
    assert third[0] == again[-1] + 1


def test_a_journal_without_a_first_segment_says_so(tmp_path: Path) -> None:
    published(tmp_path)
    segments_of(tmp_path)[0].unlink()

    async def look() -> None:
        host = await Host.open(tmp_path)
        assert [report.what for report in store_of(host).journal.damage] == ["missing"]
        await host.close()

    run(look())


def test_an_older_copy_is_refused_and_can_be_accepted(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    published(data)
    shutil.copytree(data, tmp_path / "backup")
    used = published(data, 60)
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
    assert min(published(backup)) > max(used)
    archive_journal(backup / "journal", archive)  # it goes on, and knows of the gap


def test_a_journal_that_was_lost_whole_goes_on_under_its_own_id(tmp_path: Path) -> None:
    published(tmp_path / "data")
    archive_journal(tmp_path / "data" / "journal", tmp_path / "archive")
    end = archive_end(tmp_path / "archive")
    assert end is not None
    shutil.rmtree(tmp_path / "data")
    with open_journal(tmp_path / "data", DEFAULT_SETTINGS.limits, SEGMENT, end.head)[0]:
        pass
    [segment] = find_segments(tmp_path / "data" / "journal")
    assert segment.journal_id == end.journal_id
    assert segment.number == end.cursor.segment + 1


def losses_of(folder: Path) -> tuple[int, int, int]:
    """How many events are lost and counted as accepted, and the latest number."""

    async def look() -> tuple[int, int, int]:
        host = await Host.open(folder, segment_octets=SEGMENT)
        [channel] = host.factory.channels.values()
        await host.close()
        return host.losses.events, channel.accepted, channel.seq

    return run(look())


def test_numbers_that_were_skipped_are_neither_lost_nor_accepted(tmp_path: Path) -> None:
    published(tmp_path)
    for path in segments_of(tmp_path)[-2:]:
        path.unlink()
    for _ in range(3):
        events, accepted, _ = losses_of(tmp_path)
        assert events + accepted <= 20
        published(tmp_path, 0)
    [seq] = published(tmp_path, 1)
    assert seq > 1_000_000
    events, accepted, latest = losses_of(tmp_path)
    assert latest == seq
    assert events + accepted <= 21


@pytest.mark.parametrize("spoilt", [-1, 4], ids=["its payload", "its head"])
def test_the_number_of_a_damaged_last_event_is_not_used_again(tmp_path: Path, spoilt: int) -> None:
    used = published(tmp_path, 3)
    path = segments_of(tmp_path)[-1]
    with Journal.open(tmp_path / "journal", segment_octets=SEGMENT) as journal:
        events = [one for one in journal.read() if one.record.kind == Kind.EVENT]
        last = events[-1]
    octets = bytearray(path.read_bytes())
    assert last.at.segment == int(path.stem)
    octets[last.after.offset - 1 if spoilt < 0 else last.at.offset + spoilt] ^= 1
    path.write_bytes(octets)
    assert min(published(tmp_path)) > max(used)
    assert losses_of(tmp_path)[0] == 1
