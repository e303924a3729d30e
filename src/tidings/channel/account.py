"""The account of one channel: which of its events still wait, and for how many consumers."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.backlog import Backlog
from tidings.channel.core import Core
from tidings.channel.entries import Entry


class Account:
    """What a channel's admins and proxies know of it: its identity, and what waits there.

    Attributes:
        id: Unique in the factory.
        origin: Its id everywhere, 32 hexadecimal digits.
        name: For people; empty for none.
        core: What it shares with the factory's other channels.
        live: How many consumers still wait for an event, by its number; not counting entries
            on the disk.
        spilled: How many entries of its consumers are on the disk.
        backlog: In which order events go when the channel is full; None until it is needed.
    """

    def __init__(self, id: int, origin: str, core: Core) -> None:
        self.id = id
        self.origin = origin
        self.name = ""
        self.core = core
        self.live: dict[int, int] = {}
        self.spilled = 0
        self.backlog: Backlog | None = None

    @property
    def label(self) -> str:
        """What errors call the channel: by its name, or its id if it has none."""
        return f"channel {self.name or self.id}"

    @property
    def waiting(self) -> int:
        """How many events wait for somebody; those on the disk once for each consumer."""
        return len(self.live) + self.spilled

    def load(self, entries: Sequence[Entry]) -> None:
        """Counts copies of events that wait here from now on, or wait here again."""
        live = self.live
        for entry in entries:
            live[entry.seq] = live.get(entry.seq, 0) + 1

    def release(self, entries: Sequence[Entry]) -> list[int]:
        """Counts copies off; the numbers of the events for which nobody waits here any more."""
        live = self.live
        settled: list[int] = []
        octets = 0
        for entry in entries:
            seq = entry[1]
            left = live.get(seq, 1) - 1
            if left:
                live[seq] = left
            else:
                live.pop(seq, None)
                settled.append(seq)
                octets += entry[3]
        self.core.octets -= octets
        return settled
