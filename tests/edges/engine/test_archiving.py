"""The process that archives the journal: what it is told, and what becomes of it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.edges.engine.fake_archive import FakeArchive
from tests.edges.engine.hosts import hosted, publish, soon, store_of, until
from tests.patience import PATIENCE
from tidings.channel.effects import NoticeKind
from tidings.engine import archiving as archiving_module
from tidings.engine.archiving import ArchivePlan, Archiving
from tidings.engine.host import Host
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving_module, "_TELL", 0.01)


class Scene(NamedTuple):
    host: Host
    archiving: Archiving
    fake: FakeArchive
    channel: int
    source: int


@asynccontextmanager
async def archived(folder: Path, *orders: str) -> AsyncIterator[Scene]:
    """A host with an archive whose children are not real; both end."""
    fake = FakeArchive(folder, *orders)
    async with hosted(folder / "data") as (host, channel, source):
        archiving = host.new_archiving(ArchivePlan(folder / "archive"), fake.command)
        archiving.pause = 0.01
        archiving.start()
        yield Scene(host, archiving, fake, channel, source)
    await archiving.stop(PATIENCE / 2)


def kinds(host: Host) -> list[NoticeKind]:
    return [notice.kind for notice in host.notices]


async def test_the_child_hears_what_is_durable_and_only_when_it_moves(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,seal") as (host, archiving, fake, channel, source):
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
    told = [line.split()[1:] for line in fake.told() if line.startswith("upto")]
    places = [Cursor(*map(int, words)) for words in told]
    assert places == sorted(set(places)) or places[-1] == places[-2]  # the last is said again


async def test_what_is_not_durable_yet_is_not_told(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,seal") as (host, archiving, _, channel, source):
        await publish(host, channel, source, "a")
        journal = store_of(host).journal
        await until(lambda: archiving.sealed == journal.end)
        record = Record(Kind.RESERVED, bytes(16), 0, b"")
        await host.submit(lambda: journal.append([record]))
        await asyncio.sleep(0.05)
        assert archiving.sealed == journal.synced < journal.end
        await publish(host, channel, source, "b")
        await until(lambda: archiving.sealed == journal.end)


async def test_the_end_is_told_once_all_is_in_the_journal(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,seal") as (host, archiving, fake, channel, source):
        await publish(host, channel, source, "a")
        await host.close(0.05)
        assert await archiving.stop(PATIENCE / 2)
        assert archiving.sealed == store_of(host).journal.end
        assert not archiving.state().running
    *_, last, seal, end = fake.told()
    assert (seal, end) == ("seal", "end")
    assert last.startswith("upto ")


@pytest.mark.parametrize(
    ("orders", "code"), [("hello,one,die", -9), ("hello,one", 0)], ids=["killed", "content"]
)
async def test_a_child_that_ends_is_started_again_and_told_all_again(
    tmp_path: Path, orders: str, code: int
) -> None:
    async with archived(tmp_path, orders, "hello,seal") as (
        host,
        archiving,
        fake,
        channel,
        source,
    ):
        await until(lambda: NoticeKind.FAILING in kinds(host))
        assert f"ended with code {code}" in host.notices[-1].detail
        await publish(host, channel, source, "a")
        await until(lambda: archiving.sealed == store_of(host).journal.synced)
        assert (archiving.error, archiving.state().restarts) == ("", 1)
        assert kinds(host) == [NoticeKind.FAILING, NoticeKind.CAUGHT_UP]
        assert str(tmp_path / "archive") in host.notices[0].detail
    assert fake.count("start") == 2


async def test_a_reason_is_told_once_however_often_it_fails(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,fail no space") as (
        host,
        archiving,
        fake,
        channel,
        source,
    ):
        await until(lambda: fake.count("start") >= 3)
        assert await publish(host, channel, source, "a") == [1]
        assert kinds(host) == [NoticeKind.FAILING]
        state = archiving.state()
        assert (state.error, state.running and state.seals) == ("no space", 0)
        assert state.restarts >= 2
        assert state.behind_octets > 0


async def test_pauses_grow_until_something_is_sealed(tmp_path: Path) -> None:
    pauses: list[float] = []
    async with archived(tmp_path, "die", "die", "die", "one,die", "die", "idle") as (
        _,
        archiving,
        fake,
        *_,
    ):
        rest = archiving._rest

        async def noted(seconds: float) -> None:
            if seconds >= 1:
                pauses.append(seconds)
            await rest(0.01)

        archiving._rest = noted  # type: ignore[method-assign]
        archiving.pause = 1.0
        await until(lambda: fake.count("start") == 6)
    assert pauses == [1.0, 2.0, 4.0, 1.0, 2.0]


async def test_a_child_that_does_not_end_is_ended(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,deaf") as (host, archiving, fake, *_):
        await until(lambda: fake.count("start"))
        await host.close(0.05)
        child = archiving._process
        assert not await soon(archiving.stop(0.05))
        assert child is not None
        assert child.returncode == -signal.SIGKILL
        assert not archiving.state().running
        assert kinds(host) == []


async def test_one_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    host = await Host.open(tmp_path / "data")
    plan = ArchivePlan(tmp_path / "archive")
    archiving = host.new_archiving(plan, lambda *_: [str(tmp_path / "nothing")])
    archiving.start()
    await until(lambda: archiving.error)
    assert archiving.error == "its process cannot be started: No such file or directory"
    await host.close(0.05)
    assert not await archiving.stop(1.0)


async def test_what_nobody_understands_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with archived(tmp_path, "nonsense,seal") as (host, archiving, *_):
        await until(lambda: archiving.sealed == store_of(host).journal.synced)
    assert caplog.text.count("what nobody understands") >= 2
    assert "the archive's process: warning words" in caplog.text


async def test_what_needs_no_seal_is_not_behind_but_stays_in_the_journal(tmp_path: Path) -> None:
    async with archived(tmp_path, "hello,idle") as (host, archiving, *_):
        journal = store_of(host).journal
        await until(lambda: archiving._lag.reached == journal.synced)
        assert (archiving.state().behind_octets, archiving.state().behind_seconds) == (0, 0.0)
        assert archiving.sealed is None
        assert host.housekeeping.unarchived is not None
        assert host.housekeeping.unarchived() == (0, archiving.plan.hold)
