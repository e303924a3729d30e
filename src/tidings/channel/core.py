"""State that all channels of a factory share while a batch of commands runs."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Protocol

from tidings.channel.effects import Effect
from tidings.channel.settings import Settings


class Pumped(Protocol):
    """A consumer that may now have events to deliver."""

    def pump(self, now: int) -> None:
        """Deliver what can be delivered."""


@dataclass(slots=True)
class Budget:
    """Content that waits in memory for the consumers of one owner: how much there is, and may be.

    An event counts once for each consumer; content on the disk does not count.
    """

    most: int
    octets: int = 0


class Core:
    """The shared state of a factory's channels; host time plus `offset` is microseconds since 1970.

    `touched` are consumers that may now have events to deliver; `unfinished` are channels still
    waiting for the next part of a push (`begun` by the batch that runs), and `held` the consumers
    of batches that wait for it.
    """

    def __init__(self, settings: Settings, spills: bool) -> None:
        self.settings = settings
        self.out: list[Effect] = []
        self.touched: dict[Pumped, None] = {}
        self.unfinished: set[int] = set()
        self.begun: set[int] = set()
        self.held: dict[Pumped, None] = {}
        self.now = 0
        self.offset = 0
        self.octets = 0
        self.spills = spills
        self.budgets: dict[str, Budget] = {}
        """What may wait for the consumers of an owner, where that is bounded."""
        self.disk_full = ""
        self._alarms: list[tuple[int, int, int]] = []

    def bound(self, owner: str, octets: int | None) -> None:
        """Set how much may wait for an owner's consumers; those that have a queue count anew."""
        self.budgets.pop(owner, None)
        if octets is not None:
            self.budgets[owner] = Budget(octets)

    def wake(self, at: int, channel: int, proxy: int) -> None:
        """Set an alarm for a proxy."""
        heappush(self._alarms, (at, channel, proxy))

    def wake_unused(self, at: int, what: int) -> None:
        """Set an alarm for unused objects, due as channel 0."""
        heappush(self._alarms, (at, 0, what))

    @property
    def wake_at(self) -> int | None:
        """Return the time of the next alarm, host time."""
        return self._alarms[0][0] if self._alarms else None

    def due(self, now: int) -> list[tuple[int, int]]:
        """Return the proxies due now, each once; channel 0 stands for unused objects."""
        found: dict[tuple[int, int], None] = {}
        while self._alarms and self._alarms[0][0] <= now:
            _, channel, proxy = heappop(self._alarms)
            found[channel, proxy] = None
        return list(found)
