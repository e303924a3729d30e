"""Processes in which the demo's houses and bidders run, apart from the service and each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from tidings.apps.auction_alert.parts import Bidders, Houses, Part
from tidings.apps.auction_alert.scene import Scene
from tidings.apps.child_process import DONE, ChildProcess, Happening, obey, tell
from tidings.client.connecting import connect
from tidings.clock import SystemClock

HOUSES = "houses"
BIDDERS = "bidders"


class Job(msgspec.Struct, frozen=True):
    """The task of a process.

    `begins` is in microseconds since 1970, `pause` in seconds between two offers of a house;
    `part` is ``houses`` or ``bidders``.
    """

    url: str
    ledgers: str
    seed: int
    begins: int
    pause: float
    part: str

    @property
    def scene(self) -> Scene:
        """Return the scene to play."""
        return Scene(self.seed, self.begins)


class AuctionProcess(ChildProcess):
    """The parent's handle of a process; see `ChildProcess`."""

    def __init__(self, part: str, folder: Path, heard: Callable[[Happening], None]) -> None:
        super().__init__("tidings.apps.auction_alert.process", part, folder, heard)


# The child process.


async def _play(first: bytes, orders: asyncio.Queue[str]) -> None:
    job = msgspec.json.decode(first, type=Job)
    part: Part = (
        Houses(job.scene, Path(job.ledgers), tell, job.pause)
        if job.part == HOUSES
        else Bidders(job.scene, Path(job.ledgers), tell, SystemClock())
    )
    try:
        async with await connect(job.url, on_connection=part.on_connection) as client:
            await part.connect(client)
            while True:
                tell(DONE, {})
                await part.do(await orders.get())
    finally:
        await part.close()


def main() -> None:
    """Run a part until the parent is gone."""
    asyncio.run(obey(_play))


if __name__ == "__main__":
    main()
