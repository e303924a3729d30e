"""References that callers name: however an address is written or hidden, no call leads there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from tests.edges.servants.worlds import QUICK_CLIENTS, numbered, until, world
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNotifyComm_auto import StructuredPushConsumer_INTERFACE
from tidings.events.reference import Reference
from tidings.orb.aio import Targets
from tidings.orb.exceptions import SystemException
from tidings.orb.ior import make_reference
from tidings.servants.service import NIL

VICTIM: Final = "127.0.0.2"
"""Not the caller's own address, which alone is allowed."""

SPELLINGS: Final = ("127.0.0.2", "127.2", "0x7f000002", "2130706434", "0177.0.0.2", "::ffff:7f00:2")


def reference(*places: tuple[str, int]) -> Reference:
    """A reference with a profile for each place."""
    made = [make_reference(StructuredPushConsumer_INTERFACE.id, *place, b"x") for place in places]
    return Reference(made[0].type_id, [one.profiles[0] for one in made])


def closed_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@asynccontextmanager
async def victim() -> AsyncIterator[tuple[int, list[Any]]]:
    """A port of somebody else, and who came there."""
    met: list[Any] = []

    def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(writer.get_extra_info("peername"))
        writer.close()

    server = await asyncio.start_server(meet, VICTIM, 0)
    try:
        yield server.sockets[0].getsockname()[1], met
    finally:
        server.close()


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("hidden", ["alone", "behind the caller's own", "in a component"])
async def test_no_reference_leads_elsewhere(spelling: str, hidden: str) -> None:
    async with (
        victim() as (port, met),
        world(targets=Targets(("peer",)), options=QUICK_CLIENTS) as made,
    ):
        own, evil = ("127.0.0.1", closed_port()), (spelling, port)
        named = {
            "alone": reference(evil),
            "behind the caller's own": reference(own, evil),
            "in a component": make_reference(
                StructuredPushConsumer_INTERFACE.id, *own, b"x", alternates=[evil]
            ),
        }[hidden]
        channel = await made.channel()
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        try:
            await proxy.connect_structured_push_consumer(named)
        except SystemException:
            assert hidden == "alone"  # else its own address may be called, which nobody answers
        else:
            await supply.push_structured_event(numbered(1))
            [found] = made.host.channels.find(1).consumers()
            await until(lambda: found.failures or not found.proxy.connected)
        assert not met
