from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.ledger import acknowledged_in, house_ledger
from tidings.apps.auction_alert.scene import HOUSES as ALL_HOUSES
from tidings.cli.auction_process import BIDDERS, HOUSES, AuctionProcess, Happening, Job
from tidings.cli.demo_service import DemoService
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.errors import TidingsError


def job(url: str, folder: Path, part: str) -> Job:
    return Job(url, str(folder), 1, SystemClock().now(), 0.0, part)


def ignore(happening: Happening) -> None:
    """Nobody listens."""


def test_a_job_says_the_same_when_it_arrives(tmp_path: Path) -> None:
    given = job("http://localhost:1", tmp_path, HOUSES)
    arrived = msgspec.json.decode(msgspec.json.encode(given), type=Job)
    assert arrived == given
    assert arrived.scene == given.scene


def test_houses_are_told_what_to_do_and_tell_what_happens(tmp_path: Path) -> None:
    told: list[Happening] = []
    cut = asyncio.Event()

    def heard(happening: Happening) -> None:
        told.append(happening)
        if happening.word == "cut":
            cut.set()

    async def play() -> None:
        async with (
            DemoService(tmp_path) as service,
            AuctionProcess(HOUSES, tmp_path, heard) as houses,
            AuctionProcess(BIDDERS, tmp_path, ignore) as bidders,
        ):
            await service.start()
            async with await connect(service.url) as client:
                failing = bidders.begin(job(service.url, tmp_path / "ledgers", BIDDERS))
                beginning = asyncio.create_task(failing)
                with pytest.raises(TidingsError, match=r"bidders ended, code 1: .*ChannelNotFound"):
                    await bidders.ended()
                beginning.cancel()
                await Desk.opened(client)
                given = job(service.url, tmp_path / "ledgers", HOUSES)
                await houses.begin(given)
                await houses.order("begin")
                count = given.scene.before_kill * len(ALL_HOUSES)
                assert [one.word for one in told] == ["connected", *["offered"] * count]
                await service.kill()
                await cut.wait()
                assert told[-1].about == {"acknowledged": count, "unanswered": []}

    asyncio.run(asyncio.wait_for(play(), 40))
    ledger = acknowledged_in(house_ledger(tmp_path / "ledgers", ALL_HOUSES[0]))
    last = job("", tmp_path, HOUSES).scene.before_kill
    assert [one.number for one in ledger] == list(range(1, last + 1))


def test_leaving_the_context_ends_the_process(tmp_path: Path) -> None:
    pids = []

    async def play() -> None:
        async with AuctionProcess(HOUSES, tmp_path, ignore) as process:
            pids.append(process.pid)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(play())
    assert not psutil.pid_exists(pids[0])


def test_who_listens_and_fails_is_told(tmp_path: Path) -> None:
    def broken(happening: Happening) -> None:
        raise BrokenPipeError("nobody reads")

    async def play() -> None:
        async with (
            AuctionProcess(HOUSES, tmp_path, broken) as process,
            DemoService(tmp_path) as service,
        ):
            await service.start()
            async with await connect(service.url) as client:
                await Desk.opened(client)
                beginning = asyncio.create_task(process.begin(job(service.url, tmp_path, HOUSES)))
                with pytest.raises(BrokenPipeError, match="nobody reads"):
                    await process.ended()
                beginning.cancel()

    asyncio.run(asyncio.wait_for(play(), 40))


def test_it_ends_with_its_input() -> None:
    command = [sys.executable, "-m", "tidings.cli.auction_process"]
    ran = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=20)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
