"""An evening in one process, without a kill: both parts at a service in this program."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.parts import Bidders, Houses
from tidings.apps.auction_alert.scene import Scene
from tidings.clock import SystemClock
from tidings.server.embedded import embedded

Told = list[tuple[str, dict[str, Any]]]


def played(
    folder: Path, scene: Scene, told: Told, ask: Callable[[Desk, str], Awaitable[None]]
) -> None:
    """Plays it.

    Args:
        folder: For everything.
        scene: Who there is.
        told: Gets what is told.
        ask: Called when all are connected, with "begin", and at the end, with "end".
    """
    asyncio.run(asyncio.wait_for(_play(folder, scene, told, ask), 25))


async def _play(
    folder: Path, scene: Scene, told: Told, ask: Callable[[Desk, str], Awaitable[None]]
) -> None:
    def tell(word: str, about: dict[str, Any]) -> None:
        told.append((word, about))

    houses = Houses(scene, folder / "ledgers", tell, 0)
    bidders = Bidders(scene, folder / "ledgers", tell, SystemClock())
    async with await embedded(folder / "data") as client:
        desk = await Desk.opened(client)
        await bidders.connect(client)
        await houses.connect(client)
        await ask(desk, "begin")
        await bidders.do("leave")
        await houses.do("begin")
        await bidders.do("pause")
        await houses.do("finish")
        await bidders.do("go on")
        await asyncio.sleep(max(0, scene.last_call_closed - SystemClock().now()) / 1e6 + 0.05)
        await bidders.do("return")
        await bidders.do("drain")
        await ask(desk, "end")
        await bidders.close()
        await houses.close()
