"""A client behind a wall: nobody can connect to it, so it is called over its own connection."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.real.interop.notifying import scene
from tests.real.interop.omni import LOCAL

# omniORB offers an address only if it has one; but it lets nobody in who connects there.
WALLED = (
    *LOCAL,
    *("-ORBofferBiDirectionalGIOP", "1", "-ORBacceptBiDirectionalGIOP", "1"),
    *("-ORBclientTransportRule", "* bidir,tcp", "-ORBserverTransportRule", "* bidir"),
)


@pytest.mark.parametrize("allowed", ["same-host", "always"])
async def test_it_gets_events_and_call_backs_over_its_own_connection(
    allowed: str, notify: Path
) -> None:
    async with scene(notify, *WALLED, iiop__bidirectional=allowed) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("t", "suppliers", "pull", "any")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("push", "s", "A|B|one|||Node:(1(2))")
        await s.hears("c-client push_structured_event A|B|one|||Node:(1(2))")
        await s.done("give", "t-client", "long:7")
        await s.hears("c-client push_structured_event |%ANY||||long:7")
        await s.done("offer_change", "s", "A::B", "")
        await s.hears("c-client offer_change +A::B -")
        await s.done("destroy", "channel")
        await s.hears(
            "c-client disconnect_structured_push_consumer",
            "t-client disconnect_pull_supplier",
            "s-client disconnect_structured_push_supplier",
        )


async def test_unless_a_setting_allows_it_nobody_is(notify: Path) -> None:
    async with scene(notify, *WALLED, stop__patience="0 s") as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("push", "s", "A|B|one|||null:")
        await asyncio.sleep(0.3)
        assert not s.client.heard
