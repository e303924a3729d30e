from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.engine.fake_archive import FakeArchive
from tests.unit.engine.hosts import (
    PATIENCE,
    new_channel,
    publish,
    run,
    soon,
    store_of,
    supplier,
    until,
)
from tidings.channel.effects import NoticeKind
from tidings.engine import archiving as archiving_module
from tidings.engine.archive_plan import ArchivePlan
from tidings.engine.archiving import Archiving
from tidings.engine.host import Host
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving_module, "_TELL", 0.01)


@asynccontextmanager
async def archived(
    folder: Path, fake: FakeArchive, plan: ArchivePlan | None = None
) -> AsyncIterator[tuple[Host, Archiving]]:
    """A host with an archive whose children are not real; both end."""
    host = await Host.open(folder / "data")
    archiving = Archiving(host, plan or ArchivePlan(folder / "archive"), fake.command)
    archiving.pause = 0.01
    archiving.start()
    try:
        yield host, archiving
    finally:
        await host.close(0.05)
        await archiving.stop(PATIENCE / 2)


async def channel_of(host: Host) -> tuple[int, int]:
    channel = await new_channel(host)
    return channel, await supplier(host, channel)


def kinds(host: Host) -> list[NoticeKind]:
    return [notice.kind for notice in host.notices]


def place(line: str) -> Cursor:
    return Cursor(*map(int, line.split()[1:]))


def test_the_child_hears_what_is_durable_and_only_when_it_moves(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            channel, source = await channel_of(host)
            await publish(host, channel, source, "a", "b")
            journal = store_of(host).journal
            await until(lambda: archiving.sealed == journal.synced)
            known = len(fake.told())
            await asyncio.sleep(0.05)
            assert len(fake.told()) == known
            state = archiving.state()
            assert (state.running, state.error, state.restarts) == (True, "", 0)
            assert state.rows == 10 * state.seals > 0
            assert (state.behind_octets, state.behind_seconds) == (0, 0.0)
            assert state.folder == tmp_path / "archive"

    run(work())
    places = [place(line) for line in fake.told() if line.startswith("upto")]
    assert places == sorted(set(places)) or places[-1] == places[-2]  # the last is said again


def test_what_is_not_durable_yet_is_not_told(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            channel, source = await channel_of(host)
            await publish(host, channel, source, "a")
            journal = store_of(host).journal
            await until(lambda: archiving.sealed == journal.end)
            record = Record(Kind.RESERVED, bytes(16), 0, b"")
            await host.submit(lambda: journal.append([record]))
            await asyncio.sleep(0.05)
            assert archiving.sealed == journal.synced < journal.end
            await publish(host, channel, source, "b")
            await until(lambda: archiving.sealed == journal.end)

    run(work())


def test_the_end_is_told_once_all_is_in_the_journal(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")

    async def work() -> None:
        host = await Host.open(tmp_path / "data")
        archiving = Archiving(host, ArchivePlan(tmp_path / "archive"), fake.command)
        archiving.start()
        channel, source = await channel_of(host)
        await publish(host, channel, source, "a")
        await host.close(0.05)
        assert await archiving.stop(PATIENCE / 2)
        assert archiving.sealed == store_of(host).journal.end
        assert not archiving.state().running

    run(work())
    *_, last, seal, end = fake.told()
    assert (seal, end) == ("seal", "end")
    assert last.startswith("upto ")


def test_a_child_that_dies_is_started_again_and_told_all_again(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,one,die", "hello,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            channel, source = await channel_of(host)
            await until(lambda: NoticeKind.FAILING in kinds(host))
            assert "ended with code -9" in host.notices[-1].detail
            await publish(host, channel, source, "a")
            await until(lambda: archiving.sealed == store_of(host).journal.synced)
            assert (archiving.error, archiving.state().restarts) == ("", 1)
            assert kinds(host) == [NoticeKind.FAILING, NoticeKind.CAUGHT_UP]
            assert str(tmp_path / "archive") in host.notices[0].detail

    run(work())
    assert fake.count("start") == 2


def test_a_reason_is_told_once_however_often_it_fails(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,fail no space")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            channel, source = await channel_of(host)
            await until(lambda: fake.count("start") >= 3)
            assert await publish(host, channel, source, "a") == [1]
            assert kinds(host) == [NoticeKind.FAILING]
            state = archiving.state()
            assert (state.error, state.running and state.seals) == ("no space", 0)
            assert state.restarts >= 2
            assert state.behind_octets > 0

    run(work())


def test_pauses_grow_until_something_is_sealed(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "die", "die", "die", "one,die", "die", "idle")
    pauses: list[float] = []

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            rest = archiving._rest

            async def noted(seconds: float) -> None:
                if seconds >= 1:
                    pauses.append(seconds)
                await rest(0.01)

            archiving._rest = noted  # type: ignore[method-assign]
            archiving.pause = 1.0
            await channel_of(host)
            await until(lambda: fake.count("start") == 6)

    run(work())
    assert pauses == [1.0, 2.0, 4.0, 1.0, 2.0]


def test_asked_to_stop_a_child_that_died_has_one_more_chance(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "die", "hello,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            archiving.pause = 60.0
            await channel_of(host)
            await until(lambda: archiving.error)
            await host.close(0.05)
            assert await archiving.stop(PATIENCE / 2)

    run(work())
    assert fake.count("start") == 2


def test_a_child_that_does_not_end_is_ended(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,deaf")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            await channel_of(host)
            await until(lambda: fake.count("start"))
            await host.close(0.05)
            assert not await soon(archiving.stop(0.05))
            assert not archiving.state().running
            assert kinds(host) == []

    run(work())


def test_one_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path / "data")
        plan = ArchivePlan(tmp_path / "archive")
        archiving = Archiving(host, plan, lambda *_: [str(tmp_path / "nothing")])
        archiving.start()
        await until(lambda: archiving.error)
        assert archiving.error == "its process cannot be started: No such file or directory"
        await host.close(0.05)
        assert not await archiving.stop(1.0)

    run(work())


def test_what_nobody_understands_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fake = FakeArchive(tmp_path, "nonsense,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            await channel_of(host)
            await until(lambda: archiving.sealed == store_of(host).journal.synced)

    run(work())
    assert caplog.text.count("what nobody understands") >= 2
    assert "the archive's process: warning words" in caplog.text


def test_what_needs_no_seal_is_not_behind_but_stays_in_the_journal(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,idle")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            await channel_of(host)
            journal = store_of(host).journal
            await until(lambda: archiving.state().behind_octets == 0 < journal.synced.offset)
            assert archiving.state().behind_seconds == 0.0
            assert archiving.sealed is None
            assert host.housekeeping.unarchived is not None
            assert host.housekeeping.unarchived() == (0, archiving.plan.hold)

    run(work())


def test_a_changed_plan_reaches_the_child_that_runs(tmp_path: Path) -> None:
    fake = FakeArchive(tmp_path, "hello,seal")

    async def work() -> None:
        async with archived(tmp_path, fake) as (host, archiving):
            await channel_of(host)
            await until(lambda: archiving.sealed)
            archiving.change(replace(archiving.plan, seal_seconds=2.5, hold=77))
            await until(lambda: any(line.startswith("options ") for line in fake.told()))
            assert host.housekeeping.unarchived is not None
            assert host.housekeeping.unarchived()[1] == 77
            assert archiving.sealed is not None
            assert host.housekeeping.unarchived()[0] == archiving.sealed.segment

    run(work())
    [options] = [line for line in fake.told() if line.startswith("options ")]
    assert '"seal_seconds": 2.5' in options
