"""The account of one channel: which events still wait, and for how many consumers."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.backlog import Backlog
from tidings.channel.core import Core
from tidings.channel.entries import Entry


class Account:
    """The identity and backlog of a channel, as its admins and proxies see it.

    `live` counts the consumers that wait for each event, without entries on disk; `origin` is its
    globally unique id, 32 hexadecimal digits.
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
        """Return the name errors use for the channel: its name, or its id if unnamed."""
        return f"channel {self.name or self.id}"

    @property
    def waiting(self) -> int:
        """Count the waiting events; one on disk counts once per consumer."""
        return len(self.live) + self.spilled

    def load(self, entries: Sequence[Entry]) -> None:
        """Count copies of events that start to wait here."""
        live = self.live
        for entry in entries:
            live[entry.seq] = live.get(entry.seq, 0) + 1

    def release(self, entries: Sequence[Entry]) -> list[int]:
        """Uncount copies; return the numbers of events that no consumer waits for any more."""
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
