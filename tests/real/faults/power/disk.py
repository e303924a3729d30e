"""Files and folders with their history: what a power cut leaves of each.

The strict model. A file's sync makes its octets and its size durable, never its name. A folder's
sync makes the names in it durable, and neither their contents nor the folder's own name. What no
sync covers may be there or not, each change by itself:

- A lost write before a kept one leaves what was there before it, or zeroes in the hole. The last
  write to a file may be torn, sector by sector, but never touches octets that are not its own.
- A change of names needs those before it that touched the same names; a renaming is there as a
  whole or not at all, and durable when all its folders were synced.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.real.faults.power.oplog import Identity, Kind, Operation

__all__ = ["SECTOR", "Fate", "File", "Folder", "NameChange", "kept_changes", "torn"]

SECTOR = 512

# How likely something unsynced survives: one draw for each cut, so that «nothing of it» and
# «all of it» come up as well as mixtures.
_SURVIVAL = (0.0, 0.2, 0.5, 0.8, 1.0)

Name = tuple["Folder", str]


class Fate:
    """What the cut does to everything that was not synced.

    Args:
        random: Where the draws come from; None keeps everything whole.
    """

    def __init__(self, random: Random | None) -> None:
        self._random = random
        self._survival = random.choice(_SURVIVAL) if random else 1.0

    def keeps(self) -> bool:
        """Whether the next change is there."""
        return self._random is None or self._random.random() < self._survival

    def written(self, offset: int, data: bytes) -> bytes:
        """What is there of a write that was under way."""
        if self._random is None or self._random.random() < 0.3:
            return data
        return torn(offset, data, self._random)


def torn(offset: int, data: bytes, random: Random) -> bytes:
    """A write of which not all sectors arrived: cut off, or with zeroes or garbage in it."""
    first = SECTOR - offset % SECTOR
    edges = [0, *range(first, len(data), SECTOR), len(data)]
    if random.random() < 0.4:
        return data[: edges[random.randrange(len(edges) - 1)]]
    sectors = [data[start:end] for start, end in pairwise(edges)]
    spoilt = random.randrange(len(sectors))  # this one at least
    for number, sector in enumerate(sectors):
        if number == spoilt or random.random() < 0.3:
            size = len(sector)
            sectors[number] = bytes(size) if random.random() < 0.5 else random.randbytes(size)
    return b"".join(sectors)


@dataclass(eq=False)
class File:
    """A file and what happened to its contents, whatever its names were.

    Attributes:
        start: What it held when the recording began; that is durable.
    """

    start: bytes = b""
    changes: list[Operation] = field(default_factory=list)
    orders: list[int] = field(default_factory=list)  # of the changes
    syncs: list[tuple[int, int]] = field(default_factory=list)  # order, changes it covers
    _durable: tuple[int, bytes] = (0, b"")  # how many changes are in these octets

    def change(self, order: int, operation: Operation) -> None:
        """Notes a change of the contents."""
        self.changes.append(operation)
        self.orders.append(order)

    def sync(self, order: int) -> None:
        """Notes that all changes so far are durable."""
        self.syncs.append((order, len(self.changes)))

    def content_at(self, cut: int, fate: Fate) -> bytes:
        """What a cut before the operation of that order leaves."""
        synced = bisect_left(self.syncs, (cut, 0))
        sure = self.syncs[synced - 1][1] if synced else 0
        content = bytearray(self._content_after(sure))
        pending = self.changes[sure : bisect_left(self.orders, cut)]
        for number, change in enumerate(pending, 1):
            if fate.keeps():
                last = number == len(pending)
                _apply(change, content, fate if last else None)
        return bytes(content)

    def _content_after(self, count: int) -> bytes:
        """Goes on from the last answer: cuts are mostly asked for in their order."""
        done, octets = self._durable
        if not done or done > count:
            done, octets = 0, self.start
        content = bytearray(octets)
        for change in self.changes[done:count]:
            _apply(change, content)
        self._durable = count, bytes(content)
        return self._durable[1]


def _apply(change: Operation, content: bytearray, fate: Fate | None = None) -> None:
    if change.kind is Kind.WRITE:
        data = fate.written(change.offset, change.data) if fate else change.data
        if data:
            _grow(content, change.offset)
            content[change.offset : change.offset + len(data)] = data
    elif change.kind is Kind.TRUNCATE:
        del content[change.length :]
        _grow(content, change.length)
    else:
        _grow(content, change.offset + change.length)


def _grow(content: bytearray, size: int) -> None:
    content.extend(bytes(max(0, size - len(content))))


@dataclass(eq=False)
class Folder:
    """A folder: the names it began with, those it has now, and when it was synced.

    Attributes:
        start: The names when the recording began; they are durable.
        live: The names after the last operation.
        syncs: The orders of its syncs.
    """

    start: dict[str, File | Folder] = field(default_factory=dict)
    live: dict[str, File | Folder] = field(default_factory=dict)
    syncs: list[int] = field(default_factory=list)

    @classmethod
    def found(cls, path: Path, files: dict[Identity, File]) -> Folder:
        """The folder as it is on the real disk; its files are added by their identity."""
        folder = cls()
        for inner in sorted(path.iterdir()):
            if inner.is_dir():
                folder.start[inner.name] = cls.found(inner, files)
                continue
            state = inner.stat()
            identity = state.st_dev, state.st_ino
            files.setdefault(identity, File(inner.read_bytes()))
            folder.start[inner.name] = files[identity]
        folder.live = dict(folder.start)
        return folder

    def is_synced(self, since: int, cut: int) -> bool:
        """Whether a sync lies between two orders."""
        return bisect_right(self.syncs, since) < bisect_left(self.syncs, cut)


class NameChange(NamedTuple):
    """One change of names, there as a whole or not at all.

    Attributes:
        order: Its operation.
        names: What the names mean after it; None for a name that is gone.
        touches: Names whose earlier changes it needs, besides its own.
    """

    order: int
    names: dict[Name, File | Folder | None]
    touches: frozenset[Name] = frozenset()

    @property
    def needs(self) -> set[Name]:
        """All names whose earlier changes must be there."""
        return {*self.names, *self.touches}

    def is_synced(self, cut: int) -> bool:
        """Whether all its folders were synced after it."""
        return all(folder.is_synced(self.order, cut) for folder, _ in self.names)


def kept_changes(changes: Sequence[NameChange], cut: int, fate: Fate) -> Iterator[NameChange]:
    """The changes of names that a cut leaves, in their order."""
    past = changes[: bisect_left(changes, cut, key=lambda change: change.order)]
    sure: set[int] = set()
    needed: set[Name] = set()
    for change in reversed(past):
        if change.is_synced(cut) or not needed.isdisjoint(change.names):
            sure.add(change.order)
            needed |= change.needs
    lost: set[Name] = set()
    for change in past:
        if change.order in sure or (lost.isdisjoint(change.needs) and fate.keeps()):
            yield change
        else:
            lost.update(change.names)
