"""Processes of demos, seen from their parent."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tidings.apps.child_process import ChildProcess, Happening, unless_one_ends
from tidings.apps.traffic_monitoring.entity import Job
from tidings.errors import TidingsError

MODULE = "tidings.apps.traffic_monitoring.process"


async def test_whoever_has_waited_for_an_end_in_vain_goes_on_with_the_process(
    tmp_path: Path,
) -> None:
    heard: list[Happening] = []
    async with ChildProcess(MODULE, "siena", tmp_path, heard.append) as process:

        async def story() -> str:
            return "told"

        assert await unless_one_ends(story(), [process]) == "told"
        async with asyncio.timeout(PATIENCE):
            await process.order(Job("siena", "siena"))
            assert [one.word for one in heard] == ["listens"]
            os.kill(process.pid, signal.SIGKILL)
            with pytest.raises(TidingsError, match="the process of the siena ended, code -9"):
                await unless_one_ends(asyncio.Event().wait(), [process])
