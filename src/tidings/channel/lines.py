"""Waiting entries in the three orders of delivery.

A line knows nothing of expiry or of discard policies; `queues.py` adds those.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from tidings.channel.entries import Entry
from tidings.channel.sorted_runs import SortedRun

# Fewer removed entries than this are never worth going through a line.
_FEW: Final = 32
# How many levels of priority a queue keeps though they are empty.
_KEPT: Final = 6


class Line(Protocol):
    """Waiting entries in an order of delivery; no number is in it twice."""

    @property
    def push(self) -> Callable[[Entry], None]:
        """Adds an entry: behind all that are equal in this order."""

    def put_back(self, entries: Iterable[Entry]) -> None:
        """Adds entries, in the sequence given: before all that are equal in this order."""

    def take(self, most: int) -> list[Entry]:
        """Takes the first entries out, at most so many, in the order of delivery."""

    def take_last(self, most: int) -> list[Entry]:
        """Takes the last entries out, at most so many, in the order of delivery."""

    def remove(self, entry: Entry) -> None:
        """Takes an entry out that is known to be in it."""

    def entries(self) -> list[Entry]:
        """All, in the order of delivery."""


class FifoLine:
    """Entries in the order in which they were pushed.

    What is removed from the middle stays there, marked, until it comes to an end of the line
    or until half of the line is of that kind.

    Attributes:
        push: See `Line.push`: at the end.
    """

    __slots__ = ("_entries", "_marked", "push")

    def __init__(self) -> None:
        self._hold(deque())

    def _hold(self, entries: deque[Entry]) -> None:
        """Holds these and nothing else."""
        self._entries = entries
        # Most lines never need the set, and a line of priorities may have many of these.
        self._marked: set[Entry] | None = None
        self.push: Callable[[Entry], None] = entries.append

    def __bool__(self) -> bool:
        return bool(self._entries)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """See `Line.put_back`: at the front."""
        back = list(entries)
        if self._marked is not None and not self._marked.isdisjoint(back):
            self._sweep()
        self._entries.extendleft(reversed(back))

    def take(self, most: int) -> list[Entry]:
        """See `Line.take`."""
        popleft = self._entries.popleft
        if self._marked is None:
            if most == 1:
                return [popleft()] if self._entries else []
            return [popleft() for _ in range(min(most, len(self._entries)))]
        taken: list[Entry] = []
        while len(taken) < most and self._entries:
            taken.append(popleft())
            self._trim()
        return taken

    def take_last(self, most: int) -> list[Entry]:
        """See `Line.take_last`."""
        taken: list[Entry] = []
        while len(taken) < most and self._entries:
            taken.append(self._entries.pop())
            self._trim()
        taken.reverse()
        return taken

    def remove(self, entry: Entry) -> None:
        """See `Line.remove`."""
        entries = self._entries
        if entries[0] is entry:
            entries.popleft()
        elif entries[-1] is entry:
            entries.pop()
        else:
            if self._marked is None:
                self._marked = set()
                self.push = self._push_beside_marked
            self._marked.add(entry)
            if len(self._marked) > _FEW + len(entries) // 2:
                self._sweep()
        self._trim()

    def entries(self) -> list[Entry]:
        """See `Line.entries`."""
        marked = self._marked
        if marked is None:
            return list(self._entries)
        return [entry for entry in self._entries if entry not in marked]

    def first(self) -> Entry:
        """The entry at the front.

        Raises:
            IndexError: There is none.
        """
        return self._entries[0]

    def last(self) -> Entry:
        """The entry at the end.

        Raises:
            IndexError: There is none.
        """
        return self._entries[-1]

    def _push_beside_marked(self, entry: Entry) -> None:
        # An entry that comes again must not be taken for the marked one.
        if self._marked is not None and entry in self._marked:
            self._sweep()
        self._entries.append(entry)

    def _trim(self) -> None:
        """Lets marked entries go from both ends: what stands there is always waiting."""
        entries, marked = self._entries, self._marked
        if marked is None:
            return
        while marked and entries[0] in marked:
            marked.remove(entries.popleft())
        while marked and entries[-1] in marked:
            marked.remove(entries.pop())
        if not marked:
            self._hold(entries)

    def _sweep(self) -> None:
        """Lets all marked entries go."""
        self._hold(deque(self.entries()))


class PriorityLine:
    """The most urgent entries first; those of equal priority in the order they were pushed."""

    __slots__ = ("_levels", "_priorities")

    def __init__(self) -> None:
        # A few levels stay when nothing is left in them: most queues see the same few
        # priorities again and again. Where there are many, empty ones are dropped.
        self._levels: dict[int, FifoLine] = {}
        self._priorities: SortedRun[int] = SortedRun()

    def push(self, entry: Entry) -> None:
        """See `Line.push`."""
        try:
            self._levels[entry[2]].push(entry)
        except KeyError:
            self._new_level(entry.priority).push(entry)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """See `Line.put_back`."""
        back: dict[int, list[Entry]] = {}
        for entry in entries:
            back.setdefault(entry.priority, []).append(entry)
        for priority, equals in back.items():
            level = self._levels.get(priority)
            (self._new_level(priority) if level is None else level).put_back(equals)

    def take(self, most: int) -> list[Entry]:
        """See `Line.take`."""
        levels = self._levels
        if len(levels) == 1:
            [level] = levels.values()
            return level.take(most)
        taken: list[Entry] = []
        if len(levels) <= _KEPT:
            for priority in sorted(levels, reverse=True):
                level = levels[priority]
                if level:
                    taken += level.take(most - len(taken))
                    if len(taken) == most:
                        break
            return taken
        while len(taken) < most:
            priority = self._priorities.last()
            taken += levels[priority].take(most - len(taken))
            if not self._dropped(priority):
                if len(taken) < most:  # few are left, some of them empty
                    taken += self.take(most - len(taken))
                break
        return taken

    def take_last(self, most: int) -> list[Entry]:
        """See `Line.take_last`."""
        pieces: list[list[Entry]] = []
        emptied: list[int] = []
        for priority in self._priorities:
            if most <= 0:
                break
            pieces.append(self._levels[priority].take_last(most))
            most -= len(pieces[-1])
            emptied.append(priority)
        for priority in emptied:
            self._dropped(priority)
        return [entry for piece in reversed(pieces) for entry in piece]

    def remove(self, entry: Entry) -> None:
        """See `Line.remove`."""
        self._levels[entry.priority].remove(entry)
        self._dropped(entry.priority)

    def entries(self) -> list[Entry]:
        """See `Line.entries`."""
        levels = [self._levels[priority].entries() for priority in self._priorities]
        return [entry for level in reversed(levels) for entry in level]

    def first_of_lowest(self) -> Entry:
        """Of the least urgent entries the one that was pushed first.

        Raises:
            IndexError: There is none.
        """
        for priority in self._priorities:
            level = self._levels[priority]
            if level:
                return level.first()
        raise IndexError("nothing waits")

    def _new_level(self, priority: int) -> FifoLine:
        if len(self._levels) == _KEPT:
            for empty in [p for p, entries in self._levels.items() if not entries]:
                del self._levels[empty]
                self._priorities.remove(empty)
        self._priorities.add(priority)
        level = self._levels[priority] = FifoLine()
        return level

    def _dropped(self, priority: int) -> bool:
        """Drops a level if it is empty and there are many; whether it did."""
        if self._levels[priority] or len(self._levels) <= _KEPT:
            return False
        del self._levels[priority]
        self._priorities.remove(priority)
        if len(self._levels) == _KEPT:
            # Deleting leaves the table as large as it ever was.
            self._levels = dict(self._levels)
        return True


class DeadlineLine:
    """The entries first that expire first, then in the order of their numbers.

    Attributes:
        run: The entries.
        push: See `Line.push`.
        take: See `Line.take`.
        take_last: See `Line.take_last`.
        remove: See `Line.remove`.
    """

    __slots__ = ("push", "remove", "run", "take", "take_last")

    def __init__(self) -> None:
        self.run: SortedRun[Entry] = SortedRun()
        # The names of the line without another call.
        self.push = self.run.add
        self.take = self.run.take
        self.take_last = self.run.take_last
        self.remove = self.run.remove

    def put_back(self, entries: Iterable[Entry]) -> None:
        """See `Line.put_back`."""
        for entry in entries:
            self.push(entry)

    def entries(self) -> list[Entry]:
        """See `Line.entries`."""
        return list(self.run)
