"""What all channels of a factory share while a batch of commands is carried out."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Protocol

from tidings.channel.effects import Effect
from tidings.channel.settings import Settings


class Pumped(Protocol):
    """A consumer to which something may now be delivered."""

    def pump(self, now: int) -> None:
        """Hands over what can be handed over."""


class Core:
    """The shared state of a factory's channels.

    Attributes:
        settings: How the standard is read.
        out: The effects of the batch, in order.
        touched: Consumers to which something may now be delivered.
        unfinished: Channels to which the next part of a push is still to come.
        held: Consumers of batches that wait for that part.
        now: Host time when the latest commands came.
        offset: Host time plus this is the time, microseconds since 1970.
        octets: Content of waiting events that is in memory only.
        spills: Whether there is a disk for entries that do not fit into memory.
        disk_full: Why Persistent events are refused; empty if they are not.
    """

    __slots__ = (
        "_alarms",
        "disk_full",
        "held",
        "now",
        "octets",
        "offset",
        "out",
        "settings",
        "spills",
        "touched",
        "unfinished",
    )

    def __init__(self, settings: Settings, spills: bool) -> None:
        self.settings = settings
        self.out: list[Effect] = []
        self.touched: dict[Pumped, None] = {}
        self.unfinished: set[int] = set()
        self.held: dict[Pumped, None] = {}
        self.now = 0
        self.offset = 0
        self.octets = 0
        self.spills = spills
        self.disk_full = ""
        self._alarms: list[tuple[int, int, int]] = []

    def wake(self, at: int, channel: int, proxy: int) -> None:
        """Has a proxy looked at when its time comes."""
        heappush(self._alarms, (at, channel, proxy))

    def wake_unused(self, at: int, what: int) -> None:
        """Has it looked at what nobody uses: it is due as channel 0."""
        heappush(self._alarms, (at, 0, what))

    @property
    def wake_at(self) -> int | None:
        """When something is to be done next, host time."""
        return self._alarms[0][0] if self._alarms else None

    def due(self, now: int) -> list[tuple[int, int]]:
        """The proxies, as channel and id, whose time has come; each once.

        Channel 0 stands for what nobody uses.
        """
        found: dict[tuple[int, int], None] = {}
        while self._alarms and self._alarms[0][0] <= now:
            _, channel, proxy = heappop(self._alarms)
            found[channel, proxy] = None
        return list(found)
