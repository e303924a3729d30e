"""STEAM: subjects are filtered where events are produced, contents where they are consumed.

A producer sends to the group of a subject, to whoever is within the event's proximity; so a filter
can only name subjects, and everything else is asked after an event has come. Where an event is
valid it says itself (its attribute Proximity), and no filter has a part in that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.filters.constraint import Constraint, constraint
from tidings.filters.dialects.writing import (
    NAME,
    Kind,
    Seen,
    Surplus,
    Test,
    conjunctions,
    formula_of,
)

MOST_SUBJECTS: Final = 256
"""Subjects that one constraint asks for, at most; beyond them it asks for all."""

_EVERYTHING: Final = constraint()


class Split(NamedTuple):
    """A constraint in two parts; an event must pass both.

    Attributes:
        subjects: The subjects to listen to; None for all.
        content: What the consumer asks of the events that come.
    """

    subjects: tuple[str, ...] | None
    content: Constraint


def split(wanted: Constraint) -> Split:
    """Split a constraint into its subjects and the rest."""
    surplus = Surplus()
    seen = Seen(NAME, Kind.TEXT)
    formula = formula_of(wanted, lambda path: seen if path == NAME else None, surplus)
    subjects: dict[str, None] = {}
    for row in conjunctions(formula, MOST_SUBJECTS, surplus):
        texts = {test.value for test in row if _names_subject(test)}
        if not texts:
            return Split(None, wanted)
        if len(texts) == 1:  # no event has two subjects
            subjects[str(texts.pop())] = None
        if not all(map(_names_subject, row)):
            surplus.add("other tests of the subject")
    return Split(tuple(subjects), _EVERYTHING if surplus.exact else wanted)


def _names_subject(test: Test) -> bool:
    return test.operator == "=="
