"""Waiting entries in the three delivery orders.

Expiry and discard policies are not handled here, but in `queues.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tidings.channel.entries import Entry, EntryRun
from tidings.channel.sorted_runs import SortedRun

# Fewer removed entries than this never justify a sweep.
_FEW: Final = 32
# How many levels of priority a queue keeps though they are empty.
_KEPT: Final = 6


class FifoLine:
    """Entries in the order in which they were pushed; numbers are unique.

    `push` adds an entry behind all equal ones: here, at the end. Entries removed from the middle
    stay, marked, until they reach an end of the line or make up half of it.
    """

    __slots__ = ("_entries", "_marked", "push")

    def __init__(self) -> None:
        self._hold(deque())

    def _hold(self, entries: deque[Entry]) -> None:
        self._entries = entries
        # Most lines never need the set, and a line of priorities may have many of these.
        self._marked: set[Entry] | None = None
        self.push: Callable[[Entry], None] = entries.append

    def __bool__(self) -> bool:
        return bool(self._entries)

    def extend(self, run: EntryRun) -> None:
        """Add entries, in their sequence, behind all equal ones."""
        self.push_all(run.entries)

    def push_all(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end."""
        if self._marked is None:
            self._entries.extend(entries)
        else:
            for entry in entries:
                self.push(entry)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """Add entries, in the sequence given, before all equal ones: here, at the front."""
        back = list(entries)
        if self._marked is not None and not self._marked.isdisjoint(back):
            self._sweep()
        self._entries.extendleft(reversed(back))

    def take(self, most: int) -> list[Entry]:
        """Remove and return the first entries, at most `most`, in delivery order."""
        popleft = self._entries.popleft
        if self._marked is None:
            if most < len(self._entries):
                return [popleft() for _ in range(most)]
            everything = list(self._entries)
            self._entries.clear()
            return everything
        taken: list[Entry] = []
        while len(taken) < most and self._entries:
            taken.append(popleft())
            self._trim()
        return taken

    def take_last(self, most: int) -> list[Entry]:
        """Remove and return the last entries, at most `most`, in delivery order."""
        taken: list[Entry] = []
        while len(taken) < most and self._entries:
            taken.append(self._entries.pop())
            self._trim()
        taken.reverse()
        return taken

    def remove(self, entry: Entry) -> None:
        """Remove an entry that must be present."""
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
        """Return all entries in delivery order."""
        marked = self._marked
        if marked is None:
            return list(self._entries)
        return [entry for entry in self._entries if entry not in marked]

    def first(self) -> Entry:
        """Return the entry at the front, or raise IndexError."""
        return self._entries[0]

    def last(self) -> Entry:
        """Return the entry at the end, or raise IndexError."""
        return self._entries[-1]

    def _push_beside_marked(self, entry: Entry) -> None:
        # An entry that returns must not be mistaken for the marked one.
        if self._marked is not None and entry in self._marked:
            self._sweep()
        self._entries.append(entry)

    def _trim(self) -> None:
        """Drop marked entries from both ends, so that the ends always wait."""
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
        self._hold(deque(self.entries()))


class PriorityLine:
    """The most urgent entries first; those of equal priority in push order."""

    __slots__ = ("_levels", "_priorities")

    def __init__(self) -> None:
        # A few levels stay when nothing is left in them: most queues see the same few
        # priorities again and again. Where there are many, empty ones are dropped.
        self._levels: dict[int, FifoLine] = {}
        self._priorities: SortedRun[int] = SortedRun()

    def push(self, entry: Entry) -> None:
        """As `FifoLine.push`."""
        try:
            self._levels[entry[2]].push(entry)
        except KeyError:
            self._new_level(entry.priority).push(entry)

    def extend(self, run: EntryRun) -> None:
        """As `FifoLine.extend`."""
        for priority, entries in run.by_priority.items():
            level = self._levels.get(priority)
            (self._new_level(priority) if level is None else level).push_all(entries)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """As `FifoLine.put_back`."""
        back: dict[int, list[Entry]] = {}
        for entry in entries:
            back.setdefault(entry.priority, []).append(entry)
        for priority, equals in back.items():
            level = self._levels.get(priority)
            (self._new_level(priority) if level is None else level).put_back(equals)

    def take(self, most: int) -> list[Entry]:
        """As `FifoLine.take`."""
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
        """As `FifoLine.take_last`."""
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
        """As `FifoLine.remove`."""
        self._levels[entry.priority].remove(entry)
        self._dropped(entry.priority)

    def entries(self) -> list[Entry]:
        """As `FifoLine.entries`."""
        levels = [self._levels[priority].entries() for priority in self._priorities]
        return [entry for level in reversed(levels) for entry in level]

    def first_of_lowest(self) -> Entry:
        """Return the oldest of the least urgent entries, or raise IndexError."""
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
        """Drop a level if it is empty and there are many; return whether it was dropped."""
        if self._levels[priority] or len(self._levels) <= _KEPT:
            return False
        del self._levels[priority]
        self._priorities.remove(priority)
        if len(self._levels) == _KEPT:
            # Deleting keys does not shrink the dictionary.
            self._levels = dict(self._levels)
        return True


class DeadlineLine:
    """Entries by expiry, then by number."""

    __slots__ = ("push", "remove", "run", "take", "take_last")

    def __init__(self) -> None:
        self.run: SortedRun[Entry] = SortedRun()
        # Bound methods save a call.
        self.push = self.run.add
        self.take = self.run.take
        self.take_last = self.run.take_last
        self.remove = self.run.remove

    def extend(self, run: EntryRun) -> None:
        """As `FifoLine.extend`."""
        self.put_back(run.entries)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """As `FifoLine.put_back`."""
        for entry in entries:
            self.push(entry)

    def entries(self) -> list[Entry]:
        """As `FifoLine.entries`."""
        return list(self.run)


Line: TypeAlias = FifoLine | PriorityLine | DeadlineLine
"""Waiting entries in a delivery order."""
