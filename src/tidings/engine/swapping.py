"""Swap-out: entries of idle consumers are spilled when memory holds many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from tidings.channel.channel import Channels
from tidings.channel.commands import Idle
from tidings.channel.consumer import Consumer, ConsumerProxy
from tidings.channel.effects import Outcome

FEWEST: Final = 100
"""Consumers with fewer entries in memory are not worth swapping out."""

# Consumers sampled before the loop gets a turn.
_AT_ONCE: Final = 1_000


class _Seen(NamedTuple):
    """What was last seen of a consumer: how many events it took, and since when no more."""

    taken: int
    since: int


class Swapping:
    """Finds idle consumers by sampling them."""

    def __init__(
        self,
        channels: Channels,
        now: Callable[[], int],
        ask: Callable[[Idle], Awaitable[int]],
    ) -> None:
        self._channels = channels
        self._now = now
        self._ask = ask
        self._seen: dict[ConsumerProxy, _Seen] = {}

    async def relieve(self, most: int, idle: int) -> int:
        """Spill entries while memory holds more than `most`; return how many.

        Only of consumers that took nothing for `idle` microseconds, the longest idle first. One
        whose client is still connected gets its entries back at its next activity, so it is not
        swapped again before it has been idle as long once more.
        """
        now = self._now()
        total, still = await self._look(now)
        gone = 0
        for since, _, proxy in sorted(still, key=lambda one: one[:2]):
            if total - gone <= most or now - since < idle:
                break
            gone += await self._ask(Idle(proxy.channel.id, proxy.id))
            self._seen[proxy] = self._seen[proxy]._replace(since=now)
        return gone

    async def _look(self, now: int) -> tuple[int, list[tuple[int, int, ConsumerProxy]]]:
        """Return the entries in memory, and for idle consumers since when, and how many."""
        total = 0
        still: list[tuple[int, int, ConsumerProxy]] = []
        seen: dict[ConsumerProxy, _Seen] = {}
        for at, consumer in enumerate(self._channels.consumers(), 1):
            proxy, held = consumer.proxy, _in_memory(consumer)
            total += held
            taken = _taken(consumer)
            before = self._seen.get(proxy)
            if before is None or before.taken != taken:
                before = _Seen(taken, now)
            seen[proxy] = before
            if held >= FEWEST and proxy.durable:
                still.append((before.since, -held, proxy))
            if at % _AT_ONCE == 0:
                await asyncio.sleep(0)
        self._seen = seen
        return total, still


def _in_memory(consumer: Consumer) -> int:
    return consumer.waiting - consumer.spilled + len(consumer.flight)


def _taken(consumer: Consumer) -> int:
    """Count the events a consumer has answered: expired and discarded ones do not count."""
    counts = consumer.counts
    return counts.get(Outcome.DELIVERED, 0) + counts.get(Outcome.REJECTED, 0)
