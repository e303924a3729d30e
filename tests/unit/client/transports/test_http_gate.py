from __future__ import annotations

import asyncio

import pytest

from tidings.client.transports.http_gate import Gate
from tidings.errors import Stopping


def test_who_comes_while_it_is_shut_waits_until_it_opens() -> None:
    async def scene() -> None:
        gate = Gate()
        waiting = asyncio.create_task(gate.wait(5))
        await asyncio.sleep(0)
        assert len(gate) == 1
        gate.open()
        await waiting
        await gate.wait(0)
        gate.shut()
        with pytest.raises(TimeoutError):
            await gate.wait(0.001)
        assert len(gate) == 0

    asyncio.run(scene())


def test_who_waits_in_vain_is_told() -> None:
    async def scene() -> None:
        gate = Gate()
        waiting = asyncio.create_task(gate.wait(5))
        await asyncio.sleep(0)
        gate.refuse(Stopping("closed"))
        with pytest.raises(Stopping, match="closed"):
            await waiting

    asyncio.run(scene())
