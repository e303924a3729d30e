"""The remaining conditions as columns of the table: one condition for all clauses.

There are many clauses, but few shapes of literals. Each shape is a slot: a condition whose
constants are columns of the table. Bits say which slots a clause uses, so one generated condition
serves every clause, and its size depends on the number of shapes. Slots that no clause uses
together share columns, because each column costs time for every row that an event meets.

Conditions that depend on the event alone (its type, whether a field exists) are bits of the event;
a clause says which bits must be set or clear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

from tidings.filters.shape import Constant, shape_of
from tidings.filters.to_spark.columns import EventColumns
from tidings.filters.to_spark.translate import expressions_of
from tidings.filters.tree import Comparison, Component, In, Integer, Node, Not, Real
from tidings.filters.truth import EXACT
from tidings.pipeline.matching.clauses import Clause, Literal, Types

Cell: TypeAlias = int | float | str | bool | Decimal
Filled: TypeAlias = tuple[tuple[str, Cell], ...]
"""Columns of the table with their values; all others are NULL."""

# Bits per column, without the sign.
_BITS: Final = 62
MOST_TYPE_SETS: Final = 2 * _BITS

Alone: TypeAlias = "Types | Node"
"""A condition on the event alone: it has one of some types, or makes a tree true."""


class EventBits:
    """Numbered conditions on the event alone, packed as bits into a few columns."""

    def __init__(self) -> None:
        self._numbers: dict[Alone, int] = {}

    def place(self, alone: Alone) -> tuple[int, int]:
        """Return column and bit of a condition."""
        number = self._numbers.setdefault(alone, len(self._numbers))
        return number // _BITS, 1 << number % _BITS

    def columns(self) -> list[list[tuple[int, Alone]]]:
        """Return the bits of each column with their conditions."""
        found: list[list[tuple[int, Alone]]] = []
        for alone in self._numbers:
            word, bit = self.place(alone)
            if word == len(found):
                found.append([])
            found[word].append((bit, alone))
        return found

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class _Key:
    shape: str
    kinds: tuple[str, ...]
    holds: bool
    word: int | None  # column of event types, for a constraint that must not be true
    is_numeric: bool  # compares a field with a number that a double holds exactly

    @property
    def is_alone(self) -> bool:
        return not self.kinds and self.word is None

    @property
    def cells(self) -> tuple[str, ...]:
        return self.kinds if self.word is None else (*self.kinds, "bigint")


_Place: TypeAlias = tuple[_Key, int]
"""A slot: a shape that occurs twice in a clause uses two of them."""


class _Placed(NamedTuple):
    """A literal of a clause."""

    slot: _Place
    tree: Node
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    key: _Key
    tree: Node
    mask: str
    bit: int
    columns: tuple[str, ...]


class Slots:
    """The slots that clauses fill."""

    def __init__(self, bits: EventBits, most: int) -> None:
        self._bits = bits
        self._most = most
        self._slots: dict[_Place, _Slot] = {}
        self._columns: dict[str, str] = {}
        self._needs: dict[str, str] = {}

    def choose(self, clauses: Iterable[Clause]) -> None:
        """Create the slots that most of the clauses need, up to the limit."""
        wanted: Counter[_Place] = Counter()
        example: dict[_Key, Node] = {}
        together: dict[_Place, set[_Place]] = {}
        for clause in clauses:
            places = [one for one in self._placed(clause) if not one.slot[0].is_alone]
            for slot, tree, _ in places:
                wanted[slot] += 1
                example.setdefault(slot[0], tree)
                together.setdefault(slot, set()).update(one.slot for one in places)
        for slot, _ in wanted.most_common(self._most):
            number, key = len(self._slots), slot[0]
            known = (self._slots[one] for one in together[slot] if one in self._slots)
            beside = {name for one in known for name in one.columns}
            mask = f"t.asks{number // _BITS}"
            self._columns[mask] = "bigint"
            columns = self._shared(key.cells, beside)
            bit = 1 << number % _BITS
            self._slots[slot] = _Slot(key, example[key], mask, bit, columns)

    def _shared(self, types: Iterable[str], beside: set[str]) -> tuple[str, ...]:
        """Return columns of these types that no slot of the same clause uses."""
        found: list[str] = []
        for type_ in types:
            free = (
                name
                for name, known in self._columns.items()
                if known == type_ and name.startswith("t.c") and name not in beside
            )
            name = next((one for one in free if one not in found), None)
            if name is None:
                name = f"t.c{len(self._columns)}"
                self._columns[name] = type_
            found.append(name)
        return tuple(found)

    def fill(self, clause: Clause) -> Filled | None:
        """Return a clause as column values; None if one of its literals has no slot."""
        found: dict[str, Cell] = {}
        for literal in clause:
            if literal.tree is None:
                self._need(literal.types, literal.holds, found)
        for (key, nth), tree, cells in self._placed(clause):
            if key.is_alone:
                self._need(tree, key.holds, found)
                continue
            slot = self._slots.get((key, nth))
            if slot is None:
                return None
            found.update(zip(slot.columns, cells, strict=True))
            _set(found, slot.mask, slot.bit)
        return tuple(sorted(found.items()))

    def _need(self, alone: Alone, holds: bool, found: dict[str, Cell]) -> None:
        word, bit = self._bits.place(alone)
        name = f"t.{'is' if holds else 'not'}{word}"
        wanted = name if holds else "0L"
        self._needs[name] = f"({name} IS NULL OR (e_bits{word} & {name}) = {wanted})"
        _set(found, name, bit)

    def _placed(self, clause: Clause) -> list[_Placed]:
        described = [
            (*self._described(one, one.tree), one.tree) for one in clause if one.tree is not None
        ]
        described.sort(key=lambda one: (one[0].shape, repr(one[1])))
        used: Counter[_Key] = Counter()
        placed = []
        for key, cells, tree in described:
            placed.append(_Placed((key, used[key]), tree, cells))
            used[key] += 1
        return placed

    def _described(self, literal: Literal, tree: Node) -> tuple[_Key, tuple[Cell, ...]]:
        constants: list[Constant] = []
        shape = shape_of(tree, constants)
        cells = tuple(map(_cell, constants))
        word: int | None = None
        if literal.types:
            word, bit = self._bits.place(literal.types)
            cells = (*cells, bit)
        kinds = tuple(map(_kind, constants))
        return _Key(shape, kinds, literal.holds, word, _is_numeric(tree)), cells

    def types(self) -> Mapping[str, str]:
        """Return the SQL types of the columns."""
        return {**dict.fromkeys(self._needs, "bigint"), **self._columns}

    def masks(self) -> set[str]:
        """Return the columns with the bits of used slots; they are never NULL."""
        return {slot.mask for slot in self._slots.values()}

    def condition(self, columns: EventColumns, numbers: EventColumns) -> str | None:
        """Return the condition of all slots; None if there are none."""
        tests = (
            _test(slot, numbers if slot.key.is_numeric else columns)
            for slot in self._slots.values()
        )
        return " AND ".join([*self._needs.values(), *tests]) or None


def _set(found: dict[str, Cell], name: str, bit: int) -> None:
    known = found.get(name, 0)
    assert isinstance(known, int)
    found[name] = known | bit


def _test(slot: _Slot, columns: EventColumns) -> str:
    key = slot.key
    constants = dict(enumerate(slot.columns[: len(key.kinds)]))
    test = expressions_of(slot.tree, columns, constants).native
    if key.word is not None:
        test = f"((e_bits{key.word} & {slot.columns[-1]}) != 0L AND {test})"
    if not key.holds:
        test = f"NOT coalesce({test}, FALSE)"
    return f"(({slot.mask} & {slot.bit}L) = 0L OR {test})"


def _is_numeric(tree: Node) -> bool:
    """Whether a tree compares a field or its elements with a number that is exact as a double."""
    node = tree.operand if isinstance(tree, Not) else tree
    if isinstance(node, In):
        number = node.left
    elif isinstance(node, Comparison) and isinstance(node.left, Component):
        number = node.right
    else:
        return False
    return isinstance(number, Real) or (
        isinstance(number, Integer) and -EXACT < number.value < EXACT
    )


def _kind(constant: Constant) -> str:
    if isinstance(constant, bool):
        return "boolean"
    if isinstance(constant, int):
        return "bigint" if -(2**63) <= constant < 2**63 else "decimal(20,0)"
    return "double" if isinstance(constant, float) else "string"


def _cell(constant: Constant) -> Cell:
    if isinstance(constant, str):
        return str(constant)
    if isinstance(constant, int) and _kind(constant).startswith("decimal"):
        return Decimal(constant)
    return constant
