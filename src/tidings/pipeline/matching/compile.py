"""Compile a book of plans to the table of clauses, and the units that it cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from tidings.filters.to_spark.native import native_reason
from tidings.filters.tree import Node
from tidings.pipeline.matching.book import PlanBook, Span, Unit
from tidings.pipeline.matching.clauses import LARGEST_TREE, Clause, clauses_of, size_of
from tidings.pipeline.matching.slots import MOST_TYPE_SETS, EventBits, Filled, Slots
from tidings.pipeline.matching.ways import FEWEST_NEEDLES, Door, Probe, Ways

_REFERENCE: Final = "reference"
_WHY: Final = {
    "equal": "a field equals a constant",
    "member": "a constant is in a sequence",
    "range": "a number lies in a range",
    "needle": "a text contains another",
    "type": "the event is of one of a few types",
    "exist": "a field is there",
    "all": "nothing leads to it, so every event is tested",
    "never": "nothing can pass",
}


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """Size limits of the table; the reference evaluates what exceeds them."""

    # Shapes of conditions. Spark compiles all of them into one JVM method, which must stay small
    # enough for the JIT compiler.
    slots: int = 40
    # Substrings of one field from which on they are searched all at once
    needles: int = FEWEST_NEEDLES


class LaneOf(NamedTuple):
    """How one unit is matched."""

    unit: int  # number in the book
    origin: str
    proxy: int
    # equal, member, range, needle, type, exist (a join by the value of a field), all (tested for
    # every event), reference (Arrow batches), or never; one for each alternative, sorted
    lanes: tuple[str, ...]
    why: str  # in words


class Row(NamedTuple):
    """A row of the table, without its consumers."""

    probe: int
    text: str | None
    number: float | None
    cell: int | None
    origin: str
    filled: Filled
    versions: Span | None


Rows: TypeAlias = dict[Row, list[int]]


@dataclass(slots=True)
class Compiled:
    """A compiled book."""

    rows: Rows  # the table: rows with their consumers
    probes: list[Probe]  # rows refer to them by index
    ways: Ways  # how clauses are reached
    slots: Slots  # remaining conditions
    bits: EventBits  # conditions that depend on the event alone
    reference: list[Unit]  # units outside the table
    native: list[Unit]  # units in the table
    trees: list[Node] = field(default_factory=list)  # expressions that the table evaluates
    lanes: list[LaneOf] = field(default_factory=list)


def compile_book(book: PlanBook, limits: MatchLimits) -> Compiled:
    """Compile a book to a table; no constraint is evaluated."""
    return _Compiler(book, limits).compile()


class _Compiler:
    def __init__(self, book: PlanBook, limits: MatchLimits) -> None:
        self._book = book
        self._limits = limits
        self._bits = EventBits()
        self._clauses: dict[int, list[Clause]] = {}
        self._refused: dict[int, str] = {}
        self._probes: dict[Probe, int] = {}
        self._is_constant = constant_since(book) is not None

    def compile(self) -> Compiled:
        for unit in self._book.units:
            reason = self._take(unit)
            if reason is not None:
                self._refuse(unit, reason)
        clauses = [clause for found in self._clauses.values() for clause in found]
        ways = Ways(clauses, self._limits.needles)
        doors = {clause: list(ways.doors(clause)) for clause in dict.fromkeys(clauses)}
        slots = Slots(self._bits, self._limits.slots)
        slots.choose(door.left for clause in clauses for door in doors[clause])
        rows: Rows = {}
        for unit in self._book.units:
            made = self._rows(unit, ways, doors, slots)
            if made is None:
                self._refuse(unit, "too many shapes of conditions for one table")
                continue
            for row in made:
                rows.setdefault(row, []).append(unit.proxy)
        native = [unit for unit in self._book.units if unit.id in self._clauses]
        trees = [tree for unit in native for tree in _trees(self._clauses[unit.id])]
        return Compiled(
            rows,
            list(self._probes),
            ways,
            slots,
            self._bits,
            [unit for unit in self._book.units if unit.id in self._refused],
            native,
            trees,
            [self._lane(unit, ways) for unit in self._book.units],
        )

    def _refuse(self, unit: Unit, reason: str) -> None:
        self._refused[unit.id] = reason
        self._clauses.pop(unit.id, None)

    def _take(self, unit: Unit) -> str | None:
        """Add a unit to the table; return the reason if it does not fit."""
        clauses = clauses_of(unit)
        if clauses is None:
            return "its filters have too many alternatives"
        for tree in dict.fromkeys(_trees(clauses)):
            reason = native_reason(tree)
            if reason is None and size_of(tree) > LARGEST_TREE:
                reason = "a constraint is too large for the table"
            if reason is not None:
                return reason
        for clause in clauses:
            for literal in clause:
                if literal.types:
                    self._bits.place(literal.types)
        if len(self._bits) > MOST_TYPE_SETS:
            return "too many lists of event types for the table"
        self._clauses[unit.id] = clauses
        return None

    def _rows(
        self, unit: Unit, ways: Ways, doors: Mapping[Clause, Sequence[Door]], slots: Slots
    ) -> list[Row] | None:
        """Return the rows of a unit; None if a literal has no slot."""
        filled = [
            (ways.probe_of(clause), door, slots.fill(door.left))
            for clause in self._clauses.get(unit.id, ())
            for door in doors[clause]
        ]
        if any(one is None for _, _, one in filled):
            return None
        versions = None if self._is_constant else unit.span
        return [
            Row(number, door.text, answer, cell, unit.origin, left, versions)
            for probe, door, left in filled
            if left is not None and (door.text is not None or door.numbers)
            for number in (self._probes.setdefault(probe, len(self._probes)),)
            for answer in (door.numbers if door.text is None else (None,))
            for cell in ((None,) if door.cells is None else door.cells)
        ]

    def _lane(self, unit: Unit, ways: Ways) -> LaneOf:
        why = self._refused.get(unit.id)
        lanes: tuple[str, ...] = (_REFERENCE,)
        if why is None:
            kinds = {ways.probe_of(clause).kind for clause in self._clauses[unit.id]}
            lanes = tuple(sorted(kinds)) or ("never",)
            why = ", ".join(sorted({_WHY[lane] for lane in lanes}))
        return LaneOf(unit.id, unit.origin, unit.proxy, lanes, why)


def constant_since(book: PlanBook) -> int | None:
    """Return the version since which a book's only plan is unchanged; None if there are more."""
    spans = {(unit.origin, unit.span) for unit in book.units}
    if len(spans) != 1:
        return None
    ((_, span),) = spans
    return span.start if span.end is None else None


def _trees(clauses: Iterable[Clause]) -> list[Node]:
    return [one.tree for clause in clauses for one in clause if one.tree is not None]
