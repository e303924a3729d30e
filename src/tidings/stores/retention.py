"""Retention: selects old segments to drop, and carries forward what is still needed of them.

Segments are dropped whole. Records still needed are first written again at the end of the journal,
then a checkpoint, then all is synced, and only then are the segments removed. A crash in between
leaves the old records, the new ones, or both.

Carrying runs in steps between other work of the disk thread: records appended between two steps
simply stand between carried ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidings.errors import BadInput, StoreError
from tidings.stores.journal import Journal
from tidings.stores.records import Record
from tidings.stores.segments import Cursor, Entry

# Most octets read per step, however few records: pushes wait meanwhile.
STEP_OCTETS: Final = 2 * 1024 * 1024

_GIB = 2**30
_DAY = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Retention:
    """How much a journal keeps: a total size, and an age (None: unlimited)."""

    keep_octets: int = _GIB
    keep_microseconds: int | None = 7 * _DAY


class SegmentInfo(NamedTuple):
    """A segment, its age in observed time, and how many octets would be carried forward."""

    number: int
    octets: int
    age: int
    needed: int = 0


class Moved(NamedTuple):
    """The old record of one that was carried forward, and the new one's position."""

    kind: int
    channel: bytes
    seq: int
    place: Cursor


class Step(NamedTuple):
    """Whether the old segments are gone, and what this step carried forward, not yet synced."""

    done: bool
    moved: list[Moved]


def held_from(segments: Sequence[SegmentInfo], first: int, most: int) -> int:
    """Return the first segment to keep for a reader at `first`, within `most` octets."""
    octets = 0
    held = segments[-1].number
    for segment in reversed(segments):
        octets += segment.octets
        if segment.number < first or octets > most:
            break
        held = segment.number
    return held


def droppable(
    segments: Sequence[SegmentInfo], retention: Retention, held: int | None = None
) -> list[int]:
    """Return the segments to drop, oldest first, never the one in use or any from `held` on.

    Candidates are segments beyond the age or size limit. If more than half of their octets would
    have to be carried forward, fewer or none are dropped: a journal full of waiting events would
    otherwise be copied again and again and never become shorter.
    """
    keep = retention.keep_microseconds
    total = sum(segment.octets for segment in segments)
    chosen: list[int] = []
    worth = 0  # how many are worth dropping
    balance = 0
    for segment in segments[:-1]:
        too_old = keep is not None and segment.age > keep
        if not too_old and total <= retention.keep_octets:
            break
        if held is not None and segment.number >= held:
            break
        total -= segment.octets
        balance += segment.octets - 2 * segment.needed
        chosen.append(segment.number)
        if balance >= 0:
            worth = len(chosen)
    return chosen[:worth]


class Carrier:
    """The work of carrying forward records from the segments before `upto` and removing them.

    A failed or abandoned step loses nothing and is repeated by the next one, or another carrier.

    Args:
        journal: Nobody else may drop its segments meanwhile.
        upto: The first segment that stays; BadInput if it is beyond the one in use.
        wanted: Returns the replacement of an old record, or None. Called right before writing; it
            must know everything appended so far, because its record counts as newer.
        checkpoint: Returns what else recovery needs (topology, plans, marks), after carrying.
    """

    def __init__(
        self,
        journal: Journal,
        upto: int,
        wanted: Callable[[Record], Record | None],
        checkpoint: Callable[[], Sequence[Record]],
    ) -> None:
        last = journal.segments[-1]
        if upto > last:
            raise BadInput(f"segments before {upto} cannot all go: segment {last} is written to")
        self._journal = journal
        self._upto = upto
        self._wanted = wanted
        self._checkpoint = checkpoint
        self._unread: Iterator[Entry] | None = _entries_before(journal, None, upto)
        self._next: Cursor | None = None  # position of the first unread record
        self._in_hand: list[Record] = []  # read, but not yet carried
        self._checkpointed = False
        self._done = False

    def step(self, records: int = 500) -> Step:
        """Do a small part of the work.

        A step reads at most `records` records or about `STEP_OCTETS`, and appends without a sync.
        The last one reads nothing: it appends the checkpoint, syncs once and removes the old
        segments. A failed step can be retried unless the journal is broken.
        """
        self._read(records)
        if self._in_hand:
            return Step(done=False, moved=self._carry())
        if not self._done:
            self._finish()
        return Step(done=True, moved=[])

    def _read(self, records: int) -> None:
        """Read the next records unless a failed step has left some."""
        if self._in_hand or self._unread is None:
            return
        octets = 0
        try:
            for entry in self._unread:
                self._in_hand.append(entry.record)
                self._next = entry.after
                octets += entry.record.octets
                if len(self._in_hand) >= records or octets >= STEP_OCTETS:
                    return
        except StoreError:
            # A generator that has raised looks exhausted, and the rest would be lost.
            self._unread = _entries_before(self._journal, self._next, self._upto)
            raise
        self._unread = None

    def _carry(self) -> list[Moved]:
        pairs = [(old, self._wanted(old)) for old in self._in_hand]
        carried = [(old, new) for old, new in pairs if new is not None]
        places = self._journal.append([new for _, new in carried])
        self._in_hand = []
        return [
            Moved(old.kind, old.channel, old.seq, place)
            for (old, _), place in zip(carried, places, strict=True)
        ]

    def _finish(self) -> None:
        if not self._checkpointed:
            self._journal.append(self._checkpoint())
            self._journal.sync()
            self._checkpointed = True
        self._journal.drop_before(self._upto)
        self._done = True


def _entries_before(journal: Journal, start: Cursor | None, upto: int) -> Iterator[Entry]:
    for entry in journal.read(start):
        if entry.at.segment >= upto:
            return
        yield entry
