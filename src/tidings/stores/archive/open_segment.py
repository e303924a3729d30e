"""The rows that wait to be sealed."""

from __future__ import annotations

from typing import Final

from tidings.stores.archive.columns import EventColumns, RowColumns
from tidings.stores.archive.schema import OBJECTS, OUTCOMES, PLANS

ROW_OCTETS: Final = 64
"""What a row of an outcome, a plan or an object takes beside its texts, roughly."""


class Segment:
    """The rows that are not sealed yet, and about how many octets they take.

    `stray` counts outcomes of events that are not in the archive.
    """

    def __init__(self) -> None:
        self.events = EventColumns()
        self.outcomes = RowColumns(OUTCOMES)
        self.plans = RowColumns(PLANS)
        self.objects = RowColumns(OBJECTS)
        self.octets = 0
        self.damaged = 0
        self.stray = 0

    @property
    def kinds(self) -> tuple[RowColumns, ...]:
        """The rows of all kinds."""
        return self.events, self.outcomes, self.plans, self.objects

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.events.rows + self.outcomes.rows + self.plans.rows + self.objects.rows

    def is_full(self, rows: int, octets: int) -> bool:
        """Whether it has so many rows or octets."""
        return self.octets >= octets or self.rows >= rows
