"""What the journal has lost, as far as that can be known: found on opening, and since."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

from tidings.stores.segments import DamageReport

__all__ = ["Losses", "numbers_text", "runs"]

# Longer lists of numbers are cut in texts.
_MOST_NAMED = 10

_Run: TypeAlias = tuple[int, int]
_first: Final = itemgetter(0)
_last: Final = itemgetter(1)


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
        self._events: dict[int, list[_Run]] = {}  # by channel, in order

    @property
    def events(self) -> int:
        """How many events are lost."""
        return sum(last + 1 - first for found in self._events.values() for first, last in found)

    @property
    def count(self) -> int:
        """How much is lost in all."""
        return self.events + len(self.objects) + self.stretches

    @property
    def sentence(self) -> str:
        """What is lost, for people; empty if nothing is."""
        parts = (
            (self.events, "event", "events"),
            (len(self.objects), "channel or subscription", "channels or subscriptions"),
            (self.stretches, "part", "parts"),
        )
        found = [f"{n} {one if n == 1 else more}" for n, one, more in parts if n]
        if self.stretches:
            found[-1] += " of the journal whose content nobody can tell"
        return (
            f"damage in the journal has cost {', '.join(found)}: see the notices" if found else ""
        )

    def damaged(self, reports: Sequence[DamageReport]) -> list[DamageReport]:
        """Counts what is new in a list of reports; those that may have cost something."""
        new = [one for one in reports[self._seen :] if one.what != "torn"]
        self._seen = len(reports)
        new = [one for one in new if one.lost or not one.all_known]
        self.stretches += sum(not one.all_known for one in new)
        return new

    def add_events(self, channel: int, seqs: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """Notes events of a channel; those that were not known to be lost, as runs."""
        known = self._events.get(channel, [])
        new = runs(sorted(seq for seq in set(seqs) if not _holds(known, seq)))
        if new:
            self._events[channel] = _joined(sorted([*known, *new]))
        return new

    def between(self, channel: int, after: int, upto: int) -> tuple[tuple[int, int], ...]:
        """The lost events of a channel behind one number and up to another, as runs."""
        known = self._events.get(channel, [])
        first = bisect_right(known, after, key=_last)
        found = known[first : bisect_right(known, upto, key=_first)]
        return tuple((max(one, after + 1), min(other, upto)) for one, other in found)

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


def _holds(known: Sequence[_Run], seq: int) -> bool:
    at = bisect_right(known, seq, key=_first)
    return at > 0 and seq <= known[at - 1][1]


def _joined(found: Sequence[_Run]) -> list[_Run]:
    """Runs in order, those that touch made one."""
    joined = [found[0]]
    for first, last in found[1:]:
        if first == joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def numbers_text(found: Sequence[_Run]) -> str:
    """Numbers of events, given as runs, as people write them: 3, 7 to 9."""
    parts = [str(a) if a == b else f"{a} to {b}" for a, b in found[:_MOST_NAMED]]
    return ", ".join(parts) + (", …" if len(found) > _MOST_NAMED else "")
