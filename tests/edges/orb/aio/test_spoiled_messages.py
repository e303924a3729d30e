"""A server that gets spoiled messages for minutes: it stays up, and others are served."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random

import psutil
import pytest

from tests.edges.orb.aio.scenes import Scene, scene
from tests.edges.orb.captures import captures
from tests.edges.orb.mutations import TIMES, mutated
from tests.edges.orb.raw import request

CONNECTIONS, MESSAGES = 50, 8
MOST_GROWTH = 64 * 1024 * 1024

pytestmark = pytest.mark.timeout(3600 if TIMES > 1 else 600)
SEEDS = [
    *(request("echo", b"\3\0\0\0hi\0"), request("nobody"), request("_is_a", b"\2\0\0\0x\0")),
    *(capture.octets for capture in captures()),
]


async def spoil(s: Scene, dice: random.Random) -> None:
    """One connection: good and spoiled messages, in pieces, until the server has enough."""
    reader, writer = await asyncio.open_connection(*s.address)
    with contextlib.suppress(ConnectionError):
        for _ in range(MESSAGES):
            octets = dice.choice(SEEDS)
            if dice.random() < 0.8:
                octets = mutated(octets, dice)
            if dice.random() < 0.7:  # a right length, so that the rest is read
                octets = octets[:8] + max(0, len(octets) - 12).to_bytes(4, "little") + octets[12:]
            cut = dice.randrange(len(octets) + 1)
            writer.write(octets[:cut])
            await asyncio.sleep(0)
            writer.write(octets[cut:])
        await writer.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await reader.read(65_536)
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def test_a_server_fed_with_spoiled_messages_stays_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> tuple[int, int]:
        dice = random.Random(17)
        async with scene() as s:
            await spoil(s, dice)
            before = psutil.Process().memory_info().rss
            for turn in range(CONNECTIONS * TIMES):
                await spoil(s, dice)
                if turn % 25 == 0:
                    await s.others_are_fine()
            return before, psutil.Process().memory_info().rss

    with caplog.at_level(logging.CRITICAL):  # a line for each would fill the memory of the test
        before, after = await run()
    assert after - before < MOST_GROWTH
