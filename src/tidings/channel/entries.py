"""What the core keeps of a waiting event: a few numbers, never its content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final, NamedTuple

# Later than any time: events that do not expire come last in the order of deadlines.
NEVER: Final = 2**63 - 1

# Bits of `Entry.flags`.
PERSISTENT: Final = 1
ABSOLUTE: Final = 2


class Entry(NamedTuple):
    """A waiting event; consumers with the same view of it share one entry.

    The field order is the deadline order: a heap of entries has the event on top that expires
    first, and among equals the one that came first.

    Attributes:
        expiry: When it expires, host time in microseconds; NEVER for none.
        seq: Its number in the channel.
        priority: Larger is more urgent.
        octets: The size of its content in memory; 0 when the content is on disk.
        flags: PERSISTENT if it survives a crash; ABSOLUTE if its expiry comes from a StopTime
            and moves when the clock is set.
    """

    expiry: int
    seq: int
    priority: int
    octets: int
    flags: int


# A field of a named tuple, read without a Python call.
_EXPIRY: Final[Callable[[Entry], int]] = itemgetter(0)
SEQ: Final[Callable[[Entry], int]] = itemgetter(1)
OCTETS: Final[Callable[[Entry], int]] = itemgetter(3)


class EntryRun:
    """Entries that reach several queues together: what all of them would compute."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.octets = sum(map(OCTETS, entries))
        self.expires = min(map(_EXPIRY, entries)) != NEVER

    @cached_property
    def by_priority(self) -> dict[int, list[Entry]]:
        """The entries of each priority, in order."""
        found: dict[int, list[Entry]] = {}
        for entry in self.entries:
            try:
                found[entry[2]].append(entry)
            except KeyError:
                found[entry[2]] = [entry]
        return found
