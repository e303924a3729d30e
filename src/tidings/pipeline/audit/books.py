"""The archiver's books against the rows: what a count and a sum of numbers can tell.

The archiver keeps, apart from the rows it writes, how many events each channel has and what
their numbers add up to, and the same of the events that wait for each consumer. If one row is
missing, the difference of the sums is its number; if more are, they are known to be missing,
and those that may be meant are suspects.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Total:
    """How many there are, and what their numbers add up to."""

    count: int = 0
    sum: int = 0

    def less(self, other: Total) -> Total:
        """What is left without others."""
        return Total(self.count - other.count, self.sum - other.sum)

    def plus(self, other: Total) -> Total:
        """Both together."""
        return Total(self.count + other.count, self.sum + other.sum)


NOTHING = Total()


class MissingEvents(NamedTuple):
    """What the books say of the events of a channel that the rows do not."""

    # Numbers of events that are missing, beside those whose outcomes are there
    named: tuple[int, ...] = ()
    # Whether the events whose outcomes are there are missing by the books, too
    orphans: bool = False
    # Of those that are missing and that nothing names: how many, and their sum
    unnamed: Total = NOTHING
    extra: Total = NOTHING  # of those that are there and not in the books: how many, and their sum
    changed: int = 0  # by how much the sum of the numbers is wrong while the count is right


class MissingOutcomes(NamedTuple):
    """What the books say of the events that wait for a consumer that the rows do not."""

    outcomes: int = 0  # how many outcomes are missing
    named: tuple[int, ...] = ()  # the numbers of their events, if the books name them
    suspects: tuple[int, ...] = ()  # Otherwise, some of those that may be meant
    sum: int | None = None  # what their numbers add up to; None if the books cannot tell
    odd: bool = False  # nothing explains the difference; all else is empty


def differences(rows: Mapping[K, Total], books: Mapping[K, Total]) -> dict[K, Total]:
    """Where they differ: what the rows have beyond the books."""
    found = {}
    for key in rows.keys() | books.keys():
        beyond = rows.get(key, NOTHING).less(books.get(key, NOTHING))
        if beyond != NOTHING:
            found[key] = beyond
    return found


def missing_events(beyond: Total, orphans: Total) -> MissingEvents:
    """Which events of a channel are missing.

    Args:
        beyond: What the rows have beyond the books.
        orphans: Of the events that are not there and whose outcomes are: how many, and their
            sum.
    """
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
    """The events that must be known to wait, or not, before `missing_outcomes` can tell."""
    return {beyond.sum, *(beyond.sum + seq for seq in gone)}


def missing_outcomes(
    beyond: Total, waiting: Sequence[int], gone: Collection[int], *, exact: bool = True
) -> MissingOutcomes:
    """Which outcomes of a consumer are missing.

    An event that is missing itself does not wait by the rows, and does by the books: it is
    taken into account before anything is called odd.

    Args:
        beyond: Of the events that wait, what the rows have beyond the books.
        waiting: Events that wait by the rows: those of `asked_of`, and some or all others.
        gone: Numbers of events that are missing themselves.
        exact: Whether the books and the rows speak of the same events; otherwise events may
            wait by the books whose rows retention has dropped.
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
