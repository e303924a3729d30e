"""How clauses are reached: which value of an event leads to a clause, and what remains to test.

Every event probes the table a few times: once for each field by whose value some clause is found.
The answer to a probe is a text or a number. A clause is stored under one or more answers, but never
under two that one event can give.
"""

from __future__ import annotations

import math
import typing
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from tidings.events.fields import EnumLabel
from tidings.events.paths import Path
from tidings.filters.index.access import Access, accesses
from tidings.filters.shape import Constant
from tidings.filters.to_spark.places import HeaderText, Place, Property, place_of
from tidings.filters.tree import (
    Comparison,
    Component,
    Greater,
    GreaterEqual,
    Integer,
    Less,
    LessEqual,
    Not,
    Real,
)
from tidings.filters.truth import EXACT, OneChar
from tidings.pipeline.matching.clauses import Clause, Literal

Kind: TypeAlias = typing.Literal["equal", "member", "range", "needle", "type", "exist", "all"]

FEWEST_NEEDLES: Final = 16
"""Substrings of one field from which on they are searched all at once."""

# Clauses under one value from which on a second field separates them.
_CROWDED: Final = 4
_ORDERINGS: Final = (Less, LessEqual, Greater, GreaterEqual)
_LOWER: Final = (Greater, GreaterEqual)
# Rank and probe by kind of access. Ranges are handled separately: here they may have one end.
_KINDS: Final[dict[str, tuple[int, Kind]]] = {
    "equal": (0, "equal"),
    "in": (1, "member"),
    "needle": (3, "needle"),
    "true": (5, "equal"),
    "false": (5, "equal"),
    "there": (6, "exist"),
}
NAN_CELL: Final = -1
"""The cell of NaN, which no range contains."""
_PIECES: Final = 8
_MOST_CELLS: Final = 4_096
_CELLS_PER_RANGE: Final = 8
# Under a value of another field, there are only a few ranges each.
_CROWDED_CELLS: Final = 64
_CROWDED_PLACES: Final = 8
_FEWEST_CELLS: Final = 8
# Most entries in the cells' lists, over all ranges.
_MOST_PLACES: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Probe:
    """One lookup by every event."""

    kind: Kind
    # Field to look up; None for the event's type, and for clauses that always apply
    place: Place | None = None
    # Second field, for values with many clauses: the cell of its number is part of the answer
    beside: Place | None = None


class Door(NamedTuple):
    """Places in the table where a clause is stored."""

    text: str | None  # answer that leads there, if a text
    numbers: Sequence[float]  # answers that lead there, if numbers
    left: Clause  # remaining literals
    cells: Sequence[int] | None = None  # cells of the second field, if the probe has one


class _Way(NamedTuple):
    rank: int
    probe: Probe
    access: Access | None
    interval: Interval | None = None


_ALWAYS: Final = _Way(9, Probe("all"), None)
_TYPE: Final = Probe("type")


class Ways:
    """The ways to some clauses, chosen together because a rare field is not worth a probe."""

    def __init__(self, clauses: Iterable[Clause], fewest_needles: int = FEWEST_NEEDLES) -> None:
        known = list(dict.fromkeys(clauses))
        options = {clause: sorted(_ways(clause), key=attrgetter("rank")) for clause in known}
        needles = Counter(
            ways[0].probe for ways in options.values() if ways[0].probe.kind == "needle"
        )
        self._chosen: dict[Clause, _Way] = {
            clause: next(
                way
                for way in ways
                if way.probe.kind != "needle" or needles[way.probe] >= fewest_needles
            )
            for clause, ways in options.items()
        }
        self._part_crowds(options)
        self.grids: dict[Probe, Grid] = {}
        self.needles: dict[Probe, dict[str, int]] = {}
        self._number_all()

    def _part_crowds(self, options: Mapping[Clause, Sequence[_Way]]) -> None:
        """Where many clauses share one value, separate them by the number in a second field."""
        crowds: dict[Probe, list[Clause]] = {}
        for clause, way in self._chosen.items():
            if way.probe.kind == "equal":
                crowds.setdefault(way.probe, []).append(clause)
        for probe, clauses in crowds.items():
            accesses_ = (self._chosen[clause].access for clause in clauses)
            values = {one for access in accesses_ if access for one in access.literals}
            if len(clauses) < _CROWDED * len(values):
                continue
            ranges = Counter(
                way.probe.place
                for clause in clauses
                for way in options[clause]
                if way.interval is not None
            )
            beside, count = next(iter(ranges.most_common(1)), (None, 0))
            if beside is None or 2 * count < len(clauses):
                continue  # every event would give two answers, for little gain
            for clause in clauses:
                interval = next(
                    (way.interval for way in options[clause] if way.probe.place == beside), None
                )
                if interval is not None:
                    parted = Probe("equal", probe.place, beside)
                    self._chosen[clause] = _Way(0, parted, self._chosen[clause].access, interval)

    def _number_all(self) -> None:
        intervals: dict[Probe, list[Interval]] = {}
        for way in self._chosen.values():
            if way.interval is not None:
                intervals.setdefault(way.probe, []).append(way.interval)
            elif way.probe.kind == "needle":
                assert way.access is not None
                numbers = self.needles.setdefault(way.probe, {})
                numbers.setdefault(str(way.access.literals[0]), len(numbers))
        self.grids = {
            probe: Grid(found, crowded=probe.beside is not None)
            for probe, found in intervals.items()
        }

    def probe_of(self, clause: Clause) -> Probe:
        """Return the probe that leads to a clause."""
        return self._chosen[clause].probe

    def doors(self, clause: Clause) -> Iterator[Door]:
        """Yield the places of a clause in the table."""
        way = self._chosen[clause]
        probe, access = way.probe, way.access
        if probe.kind == "all":
            yield Door(None, (0.0,), clause)
        elif probe.kind == "type":
            yield from _type_doors(clause)
        elif probe.kind == "range":
            for cells, left in self._cells(clause, way, probe.place):
                yield Door(None, cells, left)
        elif access is not None and probe.kind in {"equal", "member"}:
            for door in _equal_doors(clause, access):
                if probe.beside is None:
                    yield door
                    continue
                for cells, left in self._cells(door.left, way, probe.beside):
                    yield Door(door.text, door.numbers, left, cells)
        elif access is not None:
            number = float(self.needles[probe][str(access.literals[0])]) if access.literals else 1.0
            yield Door(None, (number,), _without(clause, access))

    def _cells(
        self, clause: Clause, way: _Way, place: Place | None
    ) -> Iterator[tuple[Sequence[int], Clause]]:
        """Yield the cells of a range with the remaining clause; inner cells need no range test."""
        interval = way.interval
        assert interval is not None
        grid = self.grids[way.probe]
        bounds = ((one, _bound(one)) for one in clause)
        rest = tuple(one for one, found in bounds if found is None or found.place != place)
        low, high = grid.span(interval)
        inside = range(low + math.isfinite(interval.low), high + 1 - math.isfinite(interval.high))
        yield inside, rest
        edges = {low, high} if low <= high else set()
        yield sorted(edges - set(inside)), clause
        if interval.with_nan:
            yield (NAN_CELL,), rest


def _ways(clause: Clause) -> Iterator[_Way]:
    """Yield all ways to a clause; the lower the rank, the fewer events take it."""
    yield _ALWAYS
    trees = tuple(one.tree for one in clause if one.holds and one.tree is not None)
    for access in accesses(trees):
        place, kind = _indexed(access.path), _KINDS.get(access.kind)
        if place is not None and kind is not None:
            yield _Way(kind[0], Probe(kind[1], place), access)
    for literal in clause:
        if literal.tree is None and literal.holds and all(one.exact for one in literal.types):
            yield _Way(4, _TYPE, None)
    yield from _range_ways(clause)


def _indexed(path: Path) -> Place | None:
    place = place_of(path)
    return place if isinstance(place, Property | HeaderText) else None


class _Bound(NamedTuple):
    place: Place
    value: float
    is_lower: bool
    is_negated: bool


def _bound(literal: Literal) -> _Bound | None:
    """Parse `$x < 5` or `not $x < 5` with a number that is a double."""
    tree = literal.tree if literal.holds else None
    node = tree.operand if isinstance(tree, Not) else tree
    if not isinstance(node, Comparison) or type(node) not in _ORDERINGS:
        return None
    field, number = node.left, node.right
    if not isinstance(field, Component) or not isinstance(number, Integer | Real):
        return None
    place = _indexed(field.path)
    if not isinstance(place, Property) or (
        isinstance(number, Integer) and not -EXACT <= number.value <= EXACT
    ):
        return None
    negated = node is not tree
    return _Bound(place, float(number.value), (type(node) in _LOWER) is not negated, negated)


def _range_ways(clause: Clause) -> Iterator[_Way]:
    bounds: dict[Place, list[_Bound]] = {}
    for found in filter(None, map(_bound, clause)):
        bounds.setdefault(found.place, []).append(found)
    for place, known in bounds.items():
        interval = Interval(
            max((one.value for one in known if one.is_lower), default=-math.inf),
            min((one.value for one in known if not one.is_lower), default=math.inf),
            all(one.is_negated for one in known),
        )
        two_sided = math.isfinite(interval.low) and math.isfinite(interval.high)
        yield _Way(2 if two_sided else 7, Probe("range", place), None, interval)


def _type_doors(clause: Clause) -> Iterator[Door]:
    at = next(
        at
        for at, literal in enumerate(clause)
        if literal.tree is None and literal.holds and all(one.exact for one in literal.types)
    )
    left = (*clause[:at], *clause[at + 1 :])
    for pattern in dict.fromkeys(clause[at].types):
        # The same text as in the answer to the probe.
        yield Door(f"{len(pattern.domain)}:{pattern.domain}{pattern.type}", (), left)


def _without(clause: Clause, access: Access) -> Clause:
    """Return the clause without the literal that an access replaces."""
    (place,) = access.places
    positive = [one for one in clause if one.holds and one.tree is not None]
    gone = positive[place]
    return tuple(one for one in clause if one is not gone)


def _equal_doors(clause: Clause, access: Access) -> Iterator[Door]:
    if access.kind in {"true", "false"}:
        # A number may be equal to it without being a Boolean, so the literal stays.
        yield Door(None, (1.0 if access.kind == "true" else 0.0,), clause)
        return
    left = _without(clause, access)
    for constant in access.literals:
        # Large integers round to one double, so that other values give the same answer.
        is_exact = type(constant) is not int or -EXACT < constant < EXACT
        for text, numbers in _answers(constant):
            yield Door(text, numbers, left if is_exact else clause)


def _answers(constant: Constant) -> Sequence[tuple[str | None, tuple[float, ...]]]:
    if isinstance(constant, EnumLabel):
        return ()  # no column holds it
    if isinstance(constant, OneChar):
        return ((str(constant), ()), (None, (float(ord(constant)),)))
    if isinstance(constant, str):
        return ((constant, ()),)
    # Minus zero is zero, also where Spark hashes the bytes of a number.
    return ((None, (float(constant) or 0.0,)),)


@dataclass(frozen=True, slots=True)
class Interval:
    """A range, infinite where it has no end; ends may or may not belong to it."""

    low: float = -math.inf
    high: float = math.inf
    with_nan: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    start: float
    scale: float
    first: int
    cells: int


class Grid:
    """Cells of a number line, to find the ranges that may contain a number.

    The line between the lowest and the highest end of all ranges is cut into pieces with about
    equally many ends, and each piece into cells of equal width. The index of a cell must be
    monotonic in the number, and equal in Python and Spark: both run the same few operations on
    doubles. At least one range has a finite end. With `crowded`, ranges are looked up under a value
    of another field, and few cells suffice.
    """

    def __init__(self, intervals: Iterable[Interval], *, crowded: bool = False) -> None:
        kept = list(intervals)
        ends = sorted({end for one in kept for end in (one.low, one.high) if math.isfinite(end)})
        cells, fewest = min(_MOST_CELLS, max(64, _CELLS_PER_RANGE * len(kept))), 64
        most = _MOST_PLACES
        if crowded:
            cells, fewest = _CROWDED_CELLS, _FEWEST_CELLS
            most = min(most, _CROWDED_PLACES * len(kept))
        while True:
            self._pieces = _pieces(ends, cells)
            self._starts = [piece.start for piece in self._pieces]
            self._last = self._pieces[-1].first
            places = sum(self.span(one)[1] - self.span(one)[0] + 1 for one in kept)
            if places <= most or cells <= fewest:
                return
            cells //= 2

    def cell(self, number: float) -> int:
        """Return the cell of a number: 0 below the lowest end."""
        at = bisect_right(self._starts, number) - 1
        if at < 0:
            return 0
        piece = self._pieces[at]
        if piece.cells == 1:
            return piece.first
        # Same operations in the same order as in `expression`.
        return piece.first + min(piece.cells - 1, int((number - piece.start) * piece.scale))

    def span(self, interval: Interval) -> tuple[int, int]:
        """Return the first and the last cell that a range touches."""
        low = 0 if interval.low == -math.inf else self.cell(interval.low)
        return low, self._last if interval.high == math.inf else self.cell(interval.high)

    def expression(self, number: str) -> str:
        """Return the SQL for the cell of a column; NULL stays NULL."""
        return (
            f"CASE WHEN {number} IS NULL THEN NULL WHEN isnan({number}) THEN {NAN_CELL} "
            f"WHEN {number} < {self._starts[0]!r}D THEN 0 ELSE {self._search(number, 0)} END"
        )

    def _search(self, number: str, first: int, last: int | None = None) -> str:
        last = len(self._pieces) if last is None else last
        if last - first == 1:
            return _in_piece(self._pieces[first], number)
        middle = (first + last) // 2
        below, above = self._search(number, first, middle), self._search(number, middle, last)
        return f"CASE WHEN {number} < {self._starts[middle]!r}D THEN {below} ELSE {above} END"


def _pieces(ends: list[float], cells: int) -> list[_Piece]:
    """Cut pieces with about equally many ends; the last one has one cell and no upper end."""
    count = min(_PIECES, len(ends) - 1)
    borders = [ends[(len(ends) - 1) * at // count] for at in range(count + 1)] if count else ends
    made, first = [], 1
    for start, end in pairwise(borders):
        each = max(1, cells // count)
        width = end - start
        scale = each / width if math.isfinite(width) else 0.0
        if not 0 < scale < math.inf:
            each, scale = 1, 0.0
        made.append(_Piece(start, scale, first, each))
        first += each
    made.append(_Piece(borders[-1], 0.0, first, 1))
    return made


def _in_piece(piece: _Piece, number: str) -> str:
    if piece.cells == 1:
        return str(piece.first)
    offset = f"CAST(({number} - {piece.start!r}D) * {piece.scale!r}D AS INT)"
    return f"({piece.first} + least({piece.cells - 1}, {offset}))"
