"""Hosts whose past is read: small segments, of which nothing is kept longer than it must be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.unit.engine.hosts import new_channel, publish, run, seqs, soon, store_of, supplier
from tidings.engine.history import HistoryPage
from tidings.engine.host import Host
from tidings.stores.retention import Retention

SEGMENT = 6_000
NOTHING = Retention(keep_octets=1)


def hosted(folder: Path | None, scene: Callable[[Host, int, int], Awaitable[None]]) -> None:
    """Plays a scene with a host that has one channel and one supplier."""

    async def play() -> None:
        host = await Host.open(folder, segment_octets=SEGMENT, retention=NOTHING)
        try:
            channel = await new_channel(host)
            await scene(host, channel, await supplier(host, channel))
        finally:
            await host.close()

    run(play())


async def pages(host: Host, channel: int, **asked: object) -> list[HistoryPage]:
    """All pages up to the end."""
    found = [await soon(host.history.page(channel, **asked))]  # type: ignore[arg-type]
    while not found[-1].end:
        asked["after"] = found[-1].next
        found.append(await soon(host.history.page(channel, **asked)))  # type: ignore[arg-type]
    return found


async def numbers(host: Host, channel: int, **asked: object) -> list[int]:
    """The numbers of all past events."""
    return [seq for page in await pages(host, channel, **asked) for seq in seqs(page.messages)]


async def fill(host: Host, channel: int, source: int, segments: int = 3) -> int:
    """Pushes until so many more segments are full; how many events there are then."""
    journal = store_of(host).journal
    end, last = journal.segments[-1] + segments, 0
    while journal.segments[-1] < end:
        last = max(await publish(host, channel, source, *range(10)))
    return last
