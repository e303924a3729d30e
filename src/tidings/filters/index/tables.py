"""Tables from the values of a field to buckets: equal literals, intervals, and substrings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from typing import Generic, TypeVar

from tidings.events.fields import Char, EnumLabel, Plain
from tidings.filters.searching import LONG, stands_in
from tidings.filters.shape import Constant
from tidings.filters.truth import EXACT, OneChar, literal

B = TypeVar("B")

# Around a double below 2**64 the integers that round to it are at most this far away.
_REACH = 1024


class EqualityTable(Generic[B]):
    """Literals with their buckets: which does a value equal?

    Literals are apart by class, because equality differs: two integers exactly, an integer and a
    real as doubles, a one-character literal as text against text and as its code against numbers.
    """

    __slots__ = ("codes", "integers", "labels", "reals", "texts")

    def __init__(self) -> None:
        self.integers: dict[int, B] = {}
        self.reals: dict[float, B] = {}
        self.texts: dict[str, B] = {}
        self.labels: dict[str, B] = {}
        self.codes: dict[int, B] = {}

    def __len__(self) -> int:
        numbers = len(self.integers) + len(self.reals) + len(self.codes)
        return numbers + len(self.texts) + len(self.labels)

    def slots(self, constant: Constant) -> list[tuple[dict[object, B], object]]:
        """The tables, each with its key, where a literal's bucket belongs."""
        kind = type(constant)
        if kind is int or kind is bool:
            return [(self.integers, int(constant))]  # type: ignore[list-item]
        if kind is float:
            return [(self.reals, constant)]  # type: ignore[list-item]
        if kind is EnumLabel:
            return [(self.labels, str(constant))]  # type: ignore[list-item]
        found: list[tuple[dict[object, B], object]] = [(self.texts, str(constant))]  # type: ignore[list-item]
        if kind is OneChar:
            found.append((self.codes, ord(constant)))  # type: ignore[arg-type]
        return found

    def find(self, value: Plain) -> Sequence[B]:
        """The buckets of all literals that the value equals, each once."""
        kind = type(value)
        # The usual cases first: one class of literals, and a value of that class.
        if kind is str:
            bucket = self.texts.get(value)  # type: ignore[arg-type]
            return () if bucket is None else (bucket,)
        if kind is int and not self.reals and not self.codes:
            bucket = self.integers.get(value)  # type: ignore[arg-type]
            return () if bucket is None else (bucket,)
        return [bucket for _, bucket in self.find_with_literal(value)]

    def find_with_literal(self, value: Plain) -> Iterator[tuple[Constant, B]]:
        """The literals that the value equals, with their buckets."""
        kind = type(value)
        if kind is str or kind is Char:
            if (bucket := self.texts.get(value)) is not None:  # type: ignore[arg-type]
                yield literal(value), bucket  # type: ignore[arg-type]
            if kind is str:
                return
            value = ord(value)  # type: ignore[arg-type]
        elif kind is EnumLabel:
            if (bucket := self.labels.get(value)) is not None:  # type: ignore[arg-type]
                yield value, bucket  # type: ignore[misc]
            return
        elif kind is int or kind is float or kind is bool or kind is Decimal:
            # A number equals a character by its code; a character compared as text above.
            if self.codes and (bucket := self.codes.get(value)) is not None:  # type: ignore[arg-type]
                yield OneChar(chr(int(value))), bucket  # type: ignore[arg-type]
        else:
            return
        yield from self._numbers(value)  # type: ignore[arg-type]

    def _numbers(self, value: float | Decimal) -> Iterator[tuple[Constant, B]]:
        if self.integers:
            if type(value) is float and not -EXACT < value < EXACT:
                for integer in self._rounding_to(value):
                    yield integer, self.integers[integer]
            elif (bucket := self.integers.get(value)) is not None:  # type: ignore[call-overload]
                yield int(value), bucket
        if self.reals and (bucket := self.reals.get(float(value))) is not None:
            yield float(value), bucket

    def _rounding_to(self, value: float) -> list[int]:
        """The integer literals that become this large double when converted."""
        if not -(2.0**64) <= value <= 2.0**64:
            return []
        near = range(int(value) - _REACH, int(value) + _REACH + 1)
        candidates = self.integers if len(self.integers) < len(near) else near
        return [c for c in candidates if c in self.integers and float(c) == value]


# Cells a number of this size or less can be counted in without overflow.
_LARGEST = 2.0**900


class Side(Enum):
    """Where in an interval a cell lies, and so which end remains to be tested there."""

    LOWER = "lower"
    INSIDE = "inside"
    UPPER = "upper"


class Grid(Generic[B]):
    """Intervals with their buckets, by level and cell: which contain a number?

    Each level has cells twice as wide as those of the level below. An interval is kept on the level
    where it is two to four cells wide, so it touches three to five. A number lies in one cell of
    every level. Cells between the outer two are inside the interval; in the outer two, one end
    remains to be tested.

    Integers beyond the doubles and decimals are rounded to find the cell. That is exact: ends of
    intervals and borders of cells are doubles, and rounding never carries a number across one.
    """

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels: dict[int, dict[int, B]] = {}

    @staticmethod
    def takes(low: float, high: float) -> bool:
        """Whether an interval can be kept here."""
        width = high - low
        return (
            low < high
            and low >= -_LARGEST
            and high <= _LARGEST
            # Narrower than its own rounding: no cell would lie between its ends.
            and width >= max(abs(low), abs(high)) * 2.0**-48
            and width >= 2.0**-900
        )

    def slots(self, low: float, high: float) -> Iterator[tuple[dict[int, B], int, Side]]:
        """The table of the level, the cell and its side, for every cell an interval touches."""
        level = math.frexp(high - low)[1] - 2
        first, last = _cell(low, level), _cell(high, level)
        table = self.levels.setdefault(level, {})
        for cell in range(first, last + 1):
            side = Side.LOWER if cell == first else Side.UPPER if cell == last else Side.INSIDE
            yield table, cell, side

    def forget(self, table: dict[int, B]) -> None:
        """Drop the level of a table that has become empty."""
        self.levels = {level: kept for level, kept in self.levels.items() if kept is not table}

    def find(self, number: float) -> list[B]:
        """The buckets of the cells a number lies in."""
        if not -_LARGEST <= number <= _LARGEST:  # also NaN
            return []
        found = []
        for level, table in self.levels.items():
            bucket = table.get(math.floor(math.ldexp(number, -level)))
            if bucket is not None:
                found.append(bucket)
        return found


def _cell(number: float, level: int) -> int:
    return math.floor(math.ldexp(number, -level))


_RUN = 4
# Up to so many runs, needles are simply looked for one by one; in a long text up to more, for
# cutting it costs as much as looking for hundreds.
_FEW = 12
_FEW_FOR_LONG = 500
_LONG = 1_000


class Needles(Generic[B]):
    """Needles with their buckets: which does a text contain?

    Each needle is filed under one of its runs of four characters, the one with the fewest needles
    so far; shorter needles under themselves. A text is cut into its runs, and only needles filed
    under one of them are searched.
    """

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
