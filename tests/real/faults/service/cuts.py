"""Cuts a WebSocket consumer again and again while events flow; all but the way are processes."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from tests.patience import PATIENCE
from tests.real.faults.service.scene import Scene
from tests.real.faults.service.way import BadWay

__all__ = ["cut_at_random", "flooded"]

# Fewer octets than an event has on its way: all cuts come before the last one.
_EVENT_OCTETS: Final = 90


async def cut_at_random(way: BadWay, cuts: int, octets: int, random: Random) -> None:
    """Cuts so often, each time after some octets have come from the service.

    A third of the cuts are between any two octets, a third behind acknowledgements that are
    lost, and a third in the middle of a frame.

    Args:
        way: What is cut.
        cuts: How often.
        octets: How many octets come between two cuts, on average.
        random: Draws the moments.
    """
    for _ in range(cuts):
        await _passed(way, random.randrange(2 * octets))
        kind = random.randrange(3)
        if kind == 0:
            way.down.left = random.randrange(1, 4_000)
            while way.down.left is not None:  # noqa: ASYNC110 -- octets, not events
                await asyncio.sleep(0.002)
        else:
            if kind == 1:
                way.up.swallowing = True
                await asyncio.sleep(random.uniform(0.0, 0.02))
            way.cut()


async def _passed(way: BadWay, octets: int) -> None:
    until = way.passed + octets
    while way.passed < until:  # noqa: ASYNC110 -- octets, not events
        await asyncio.sleep(0.002)


async def flooded(
    folder: Path,
    events: int,
    cuts: int,
    seed: int,
    package: Path | None = None,
    *,
    patience: float = PATIENCE,
) -> list[str]:
    """Plays a scene to its end; what is wrong then.

    Args:
        folder: For all files.
        events: How many are published.
        cuts: How often the consumer is cut meanwhile.
        seed: Of the moments.
        package: The folder of another copy of the package; None for the real one.
        patience: How long the consumer may take, in seconds.
    """
    scene = await asyncio.to_thread(Scene, folder, package)
    with scene:
        async with BadWay(scene.port) as way:
            url = f"http://127.0.0.1:{way.port}"
            await asyncio.to_thread(scene.consumer, "cut", "batches", "--batch", "256", url=url)
            batch = min(500, events)
            scene.publisher("flood", "client", "--batch", str(batch), "--events", str(events))
            cutting = asyncio.create_task(
                cut_at_random(way, cuts, events * _EVENT_OCTETS // cuts, Random(seed))
            )
            try:
                async with asyncio.timeout(patience):
                    await cutting
            except TimeoutError:
                return [f"stuck: only so much came: {scene.consumed['cut'].took[-1:]}"]
            # The octets that come again after cuts may make up for events still to be published.
            await asyncio.to_thread(
                scene.wait, partial(_all_accepted, scene, events), patience, "flood"
            )
            findings = await asyncio.to_thread(scene.finish, patience)
        if len(scene.consumed["cut"].took) < events:
            findings.append(f"missing: fewer than the {events} events")
        return findings


def _all_accepted(scene: Scene, events: int) -> bool:
    """Whether the service has answered all that is to be published."""
    return sum(len(ledger.answers) for ledger in scene.published.values()) >= events
