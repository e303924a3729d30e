"""The rows that wait to be sealed."""

from __future__ import annotations

from typing import Final

from tidings.stores.archive.columns import EventColumns, RowColumns
from tidings.stores.archive.schema import OBJECTS, OUTCOMES, PLANS

ROW_OCTETS: Final = 64
"""Estimated octets of an outcome, plan or object row beside its texts."""


class Segment:
    """The unsealed rows; `stray` counts outcomes of events that are not in the archive."""

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
        """Return the rows of all kinds."""
        return self.events, self.outcomes, self.plans, self.objects

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return self.events.rows + self.outcomes.rows + self.plans.rows + self.objects.rows

    def is_full(self, rows: int, octets: int) -> bool:
        """Return whether it has at least this many rows or octets."""
        return self.octets >= octets or self.rows >= rows
