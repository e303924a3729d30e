"""What the journal has lost, as far as that can be known: found on opening, and since."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

from tidings.stores.segments import DamageReport

__all__ = ["Losses", "numbers_text", "runs"]

# Longer lists of numbers are cut in texts.
_MOST_NAMED = 10


class Losses:
    """Counts what is lost, and knows the numbers of events.

    Attributes:
        objects: Channels and subscriptions that are lost, in words.
        stretches: Damaged parts of the journal of which nobody can tell what they held.
    """

    def __init__(self) -> None:
        self.objects: list[str] = []
        self.stretches = 0
        self._seen = 0  # reports of damage
        self._events: dict[int, list[int]] = {}  # by channel, in order

    @property
    def events(self) -> int:
        """How many events are lost."""
        return sum(map(len, self._events.values()))

    @property
    def count(self) -> int:
        """How much is lost in all."""
        return self.events + len(self.objects) + self.stretches

    @property
    def sentence(self) -> str:
        """What is lost, for people; empty if nothing is."""
        parts = (
            (self.events, "events"),
            (len(self.objects), "channels or subscriptions"),
            (self.stretches, "parts of the journal whose content nobody can tell"),
        )
        found = ", ".join(f"{count} {what}" for count, what in parts if count)
        return f"damage in the journal has cost {found}: see the notices" if found else ""

    def damaged(self, reports: Sequence[DamageReport]) -> list[DamageReport]:
        """Counts what is new in a list of reports; those that may have cost something."""
        new = [one for one in reports[self._seen :] if one.what != "torn"]
        self._seen = len(reports)
        new = [one for one in new if one.lost or not one.all_known]
        self.stretches += sum(not one.all_known for one in new)
        return new

    def add_events(self, channel: int, seqs: Iterable[int]) -> list[int]:
        """Notes events of a channel; those that were not known to be lost."""
        known = self._events.setdefault(channel, [])
        new = []
        for seq in sorted(seqs):
            at = bisect_left(known, seq)
            if at == len(known) or known[at] != seq:
                insort(known, seq)
                new.append(seq)
        return new

    def between(self, channel: int, after: int, upto: int) -> tuple[tuple[int, int], ...]:
        """The lost events of a channel behind one number and up to another, as runs."""
        known = self._events.get(channel, [])
        return runs(known[bisect_right(known, after) : bisect_right(known, upto)])

    def forget(self, channel: int) -> None:
        """The channel is gone, and nobody asks for its events."""
        self._events.pop(channel, None)


def runs(seqs: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The first and last numbers of the runs in a row of numbers."""
    found: list[tuple[int, int]] = []
    for seq in seqs:
        if found and seq == found[-1][1] + 1:
            found[-1] = (found[-1][0], seq)
        else:
            found.append((seq, seq))
    return tuple(found)


def numbers_text(seqs: Iterable[int]) -> str:
    """Numbers of events as people write them: 3, 7 to 9."""
    found = runs(seqs)
    parts = [str(a) if a == b else f"{a} to {b}" for a, b in found[:_MOST_NAMED]]
    return ", ".join(parts) + (", …" if len(found) > _MOST_NAMED else "")
