"""`tidings bench memory`: what an idle proxy costs.

A fresh process makes a channel and very many connected consumers, without filters or each with
one of its own. Nothing is published. What the process has grown by, as the system counts it,
is divided by their number; so everything is in it that a client in the same process needs.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any, Final, NamedTuple

from tidings.bench.harness import (
    Figures,
    Progress,
    demand,
    in_fresh_process,
    local_service,
    resident_octets,
    silent,
)

# Made before measuring begins, so that what is there once for all of them is not counted.
_WARM: Final = 100


class Grown(NamedTuple):
    """By how many octets a fresh process grew, and how many proxies were connected in the end."""

    octets: int
    connected: int


def run(*, proxies: int = 100_000, progress: Progress = silent) -> dict[str, Any]:
    """Run the bench with so many proxies."""
    figures = Figures()
    for filtered, words in ((False, "without filters"), (True, "with a filter each")):
        progress(f"memory: {proxies:,} consumers {words}")
        grown = in_fresh_process(grown_by, proxies, filtered)
        demand(grown.connected == proxies + _WARM, "not all consumers are connected")
        each = grown.octets / proxies
        figures.figure(f"{proxies} idle proxies {words}", each, "octets/proxy")
    return figures.report("memory")


def grown_by(proxies: int, filtered: bool) -> Grown:
    """Makes connected consumers in this process; by how much it grew, and how many there are."""
    return asyncio.run(_grown(proxies, filtered))


async def _grown(proxies: int, filtered: bool) -> Grown:
    async with local_service() as (host, client):
        channel = await client.create_channel(persistent=False)
        kept = []
        before = 0
        for number in range(-_WARM, proxies):
            if number == 0:
                gc.collect()
                before = resident_octets()
            wanted = f"$area == {number} and $rate > 30" if filtered else None
            kept.append(await client.subscribe(channel, wanted))
        gc.collect()
        after = resident_octets()
        found = host.channels.find(channel.id).proxies.values()
        return Grown(after - before, sum(proxy.connected for proxy in found))
