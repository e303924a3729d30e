"""Compare the archiver's books with the rows, by count and sum of sequence numbers.

Independently of the rows, the archiver counts the events of each channel and those waiting for
each consumer, and adds up their sequence numbers. If one row is missing, the difference of the
sums is its number. If several are missing, only their count and sum are known, and events that may
be meant are suspects.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Total:
    """A count of events and the sum of their sequence numbers."""

    count: int = 0
    sum: int = 0

    def less(self, other: Total) -> Total:
        """Subtract another total."""
        return Total(self.count - other.count, self.sum - other.sum)

    def plus(self, other: Total) -> Total:
        """Add another total."""
        return Total(self.count + other.count, self.sum + other.sum)


NOTHING = Total()


class MissingEvents(NamedTuple):
    """Events of a channel that are in the books but not in the rows, or the reverse."""

    # Missing events, other than orphans
    named: tuple[int, ...] = ()
    # Whether the books also miss the orphans: events of which only outcomes exist
    orphans: bool = False
    # Missing events that cannot be identified
    unnamed: Total = NOTHING
    extra: Total = NOTHING  # rows that are not in the books
    changed: int = 0  # difference of the sums while the counts agree


class MissingOutcomes(NamedTuple):
    """Waiting events of a consumer on which books and rows disagree."""

    outcomes: int = 0  # number of missing outcomes
    named: tuple[int, ...] = ()  # their events, if the books identify them
    suspects: tuple[int, ...] = ()  # otherwise, some events that may be meant
    sum: int | None = None  # sum of their sequence numbers; None if unknown
    odd: bool = False  # nothing explains the difference; all else is empty


def differences(rows: Mapping[K, Total], books: Mapping[K, Total]) -> dict[K, Total]:
    """Return rows minus books where they differ."""
    found = {}
    for key in rows.keys() | books.keys():
        beyond = rows.get(key, NOTHING).less(books.get(key, NOTHING))
        if beyond != NOTHING:
            found[key] = beyond
    return found


def missing_events(beyond: Total, orphans: Total) -> MissingEvents:
    """Determine which events are missing: `beyond` is rows minus books, `orphans` have outcomes."""
    count, sum_ = -beyond.count, -beyond.sum
    if count < 0:
        return MissingEvents(extra=beyond)
    if count == 0:
        return MissingEvents(changed=beyond.sum)
    rest = Total(count, sum_).less(orphans)
    if orphans.count and rest.count == 0 and rest.sum == 0:
        return MissingEvents(orphans=True)
    if orphans.count and rest.count == 1 and rest.sum > 0:
        return MissingEvents((rest.sum,), orphans=True)
    if count == 1:
        return MissingEvents((sum_,))
    if orphans.count and rest.count > 1:
        return MissingEvents(orphans=True, unnamed=rest)
    return MissingEvents(unnamed=Total(count, sum_))


def asked_of(beyond: Total, gone: Collection[int]) -> set[int]:
    """Return the events whose waiting state `missing_outcomes` needs to know."""
    return {beyond.sum, *(beyond.sum + seq for seq in gone)}


def missing_outcomes(
    beyond: Total, waiting: Sequence[int], gone: Collection[int], *, exact: bool = True
) -> MissingOutcomes:
    """Determine which outcomes of a consumer are missing.

    A missing event waits in the books but not in the rows; this is considered before a difference
    counts as odd. `beyond` is rows minus books; `waiting` has at least those of `asked_of`. Unless
    `exact`, events may wait in the books whose rows retention has dropped.
    """
    if not exact:
        if beyond.count <= 0:
            return MissingOutcomes()
        return MissingOutcomes(beyond.count, suspects=tuple(waiting))
    candidates = [NOTHING, *(Total(1, seq) for seq in sorted(gone))]
    if len(gone) > 1:
        candidates.append(Total(len(gone), sum(gone)))
    for absent in candidates:
        found = _explained(beyond.plus(absent), waiting)
        if found is not None:
            return found
    return MissingOutcomes(odd=True)


def _explained(beyond: Total, waiting: Sequence[int]) -> MissingOutcomes | None:
    if beyond == NOTHING:
        return MissingOutcomes()
    if beyond.count < 1 or beyond.sum < 1:
        return None
    if beyond.count == 1:
        return MissingOutcomes(1, (beyond.sum,), sum=beyond.sum) if beyond.sum in waiting else None
    if beyond.count == len(waiting) and beyond.sum == sum(waiting):
        return MissingOutcomes(beyond.count, tuple(waiting), sum=beyond.sum)
    return MissingOutcomes(beyond.count, suspects=tuple(waiting), sum=beyond.sum)
