"""Substrings to buckets: which needles does a text contain?

Each needle is filed under one of its runs of four characters, the one with the fewest needles so
far; shorter needles under themselves. A text is cut into its runs, and only needles filed under one
of them are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from tidings.filters.searching import LONG, stands_in

B = TypeVar("B")

_RUN = 4
# Up to so many runs, needles are simply looked for one by one; in a long text up to more, for
# cutting it costs as much as looking for hundreds.
_FEW = 12
_FEW_FOR_LONG = 500
_LONG = 1_000


class Needles(Generic[B]):
    """Needles with their buckets: run to needle to bucket."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, B]] = {}

    def table(self, needle: str) -> dict[str, B]:
        """The table where a needle's bucket belongs."""
        runs = sorted(_runs(needle, min(len(needle), _RUN)))
        for run in runs:
            table = self.runs.get(run)
            if table is not None and needle in table:
                return table
        return self.runs.setdefault(min(runs, key=lambda run: len(self.runs.get(run, ()))), {})

    def forget(self, table: dict[str, B], needle: str) -> None:
        """Drop the table of a needle that has become empty."""
        for run in _runs(needle, min(len(needle), _RUN)):
            if self.runs.get(run) is table:
                del self.runs[run]
                return

    def find(self, text: str) -> Iterator[B]:
        """The buckets of all needles in a text, each once."""
        if len(text) >= LONG:  # to cut it up would hold up others
            yield from self._found(text)
            return
        few = _FEW if len(text) < _LONG else _FEW_FOR_LONG
        tables = self.runs.values() if len(self.runs) <= few else self._tables(text)
        for table in tables:
            for needle, bucket in table.items():
                if needle in text:
                    yield bucket

    def _found(self, text: str) -> Iterator[B]:
        for table in self.runs.values():
            for needle, bucket in table.items():
                if stands_in(needle, text):
                    yield bucket

    def _tables(self, text: str) -> Iterable[dict[str, B]]:
        """The tables of the runs in a text; its runs are not kept, as a text may be large."""
        reached: dict[int, dict[str, B]] = {}
        for length in range(1, _RUN + 1):
            for at in range(len(text) - length + 1):
                table = self.runs.get(text[at : at + length])
                if table is not None:
                    reached[id(table)] = table
        return reached.values()


def _runs(text: str, length: int) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}
