from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tidings.apps.auction_alert.scene import CHANNEL
from tidings.cli.demo_service import DemoService
from tidings.client.connecting import connect
from tidings.errors import TidingsError


def test_it_is_killed_and_comes_back_on_the_same_port_and_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDINGS_HTTP__TOKEN", "a-token-of-somebody-else")  # is not ours to use
    pids = []

    async def play() -> None:
        async with DemoService(tmp_path) as service:
            await service.start()
            pids.append(service.pid)
            url = service.url
            async with await connect(url) as client:
                await client.create_channel(CHANNEL, persistent=True)
                await service.kill()
                assert not psutil.pid_exists(pids[0])
                await service.start()
                pids.append(service.pid)
                assert service.url == url
                assert [one.name for one in await client.channels()] == [CHANNEL]

    asyncio.run(asyncio.wait_for(play(), 40))
    assert len(set(pids)) == 2
    assert not any(map(psutil.pid_exists, pids))


def test_one_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")

    async def play() -> None:
        async with DemoService(tmp_path) as service:
            with pytest.raises(TidingsError, match=r"the service ended, code 2: error: .*data"):
                await service.start()

    asyncio.run(asyncio.wait_for(play(), 40))


def test_it_ends_with_its_input() -> None:
    command = [sys.executable, "-m", "tidings.cli.demo_service", "serve", "--memory"]
    process = subprocess.Popen([*command, "--port", "0"], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == -9
