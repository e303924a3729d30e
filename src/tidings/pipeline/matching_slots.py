"""What is left to test, as columns of the table: one condition for all clauses.

Clauses are many, the shapes of their literals few. Each shape is a slot: a condition whose
constants are columns of the table. A clause fills the slots of its literals and leaves the others
NULL, which asks for nothing. So one generated condition serves every clause, and its size follows
the shapes and not the clauses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from tidings.filters.shape import Constant, shape_of
from tidings.filters.to_spark.columns import EventColumns
from tidings.filters.to_spark.translate import expressions_of
from tidings.filters.tree import Node
from tidings.pipeline.matching_clauses import Clause, Literal, Types

__all__ = ["Filled", "Slots", "TypeSets"]

Cell: TypeAlias = int | float | str | bool | Decimal
Filled: TypeAlias = tuple[tuple[str, Cell], ...]
"""Columns of the table with their values; the others are NULL."""

# Bits of one column of event types; the sign is left alone.
_BITS: Final = 62
MOST_TYPE_SETS: Final = 2 * _BITS


class TypeSets:
    """Lists of event types, numbered: an event says which it fits by the bits of a number."""

    def __init__(self) -> None:
        self._numbers: dict[Types, int] = {}

    def place(self, types: Types) -> tuple[int, int]:
        """The column and the bit of a list."""
        number = self._numbers.setdefault(types, len(self._numbers))
        return number // _BITS, 1 << number % _BITS

    def columns(self) -> list[list[tuple[int, Types]]]:
        """For each column, its bits and their lists."""
        found: list[list[tuple[int, Types]]] = []
        for types in self._numbers:
            word, bit = self.place(types)
            if word == len(found):
                found.append([])
            found[word].append((bit, types))
        return found

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class _Key:
    """What literals of one slot have in common."""

    shape: str
    kinds: tuple[str, ...]
    holds: bool
    word: int | None  # the column of event types, for a constraint that must not be true


@dataclass(frozen=True, slots=True)
class _Slot:
    key: _Key
    tree: Node
    columns: tuple[str, ...]

    @property
    def guard(self) -> str:
        """The column that is NULL where the slot is not used."""
        return self.columns[0]


class Slots:
    """The slots that clauses fill.

    Args:
        types: Where lists of event types are numbered.
        most: How many slots there may be.
    """

    def __init__(self, types: TypeSets, most: int) -> None:
        self._types = types
        self._most = most
        self._slots: dict[tuple[_Key, int], _Slot] = {}
        self._masks: dict[str, str] = {}

    def choose(self, clauses: Iterable[Clause]) -> None:
        """Makes the slots that most of the clauses need, as many as there may be."""
        wanted: Counter[tuple[_Key, int]] = Counter()
        example: dict[_Key, Node] = {}
        for clause in clauses:
            for place, tree, _ in self._placed(clause):
                wanted[place] += 1
                example.setdefault(place[0], tree)
        for place, _ in wanted.most_common(self._most):
            number, key = len(self._slots), place[0]
            names = [f"t_c{number}_{at}" for at in range(max(1, len(key.kinds)))]
            if key.word is not None:
                names.append(f"t_c{number}_types")
            self._slots[place] = _Slot(key, example[key], tuple(names))

    def fill(self, clause: Clause) -> Filled | None:
        """A clause as values of columns; None if there is no slot for one of its literals."""
        found: dict[str, Cell] = {}
        for literal in clause:
            if literal.tree is None:
                self._fill_types(literal, found)
        for place, _, constants in self._placed(clause):
            slot = self._slots.get(place)
            if slot is None:
                return None
            found.update(zip(slot.columns, constants or (True,), strict=False))
        return tuple(sorted(found.items()))

    def _fill_types(self, literal: Literal, found: dict[str, Cell]) -> None:
        word, bit = self._types.place(literal.types)
        name = f"t_{'is' if literal.holds else 'not'}{word}"
        column = f"e_types{word}"
        wanted = name if literal.holds else "0"
        self._masks[name] = f"({name} IS NULL OR ({column} & {name}) = {wanted})"
        known = found.get(name, 0)
        assert isinstance(known, int)
        found[name] = known | bit

    def _placed(self, clause: Clause) -> list[tuple[tuple[_Key, int], Node, tuple[Cell, ...]]]:
        """The slots of a clause's literals: the same shape twice takes two."""
        described = [
            (*self._described(literal), literal.tree)
            for literal in clause
            if literal.tree is not None
        ]
        described.sort(key=lambda one: (one[0].shape, repr(one[1])))
        used: Counter[_Key] = Counter()
        placed = []
        for key, cells, tree in described:
            placed.append(((key, used[key]), tree, cells))
            used[key] += 1
        return placed

    def _described(self, literal: Literal) -> tuple[_Key, tuple[Cell, ...]]:
        assert literal.tree is not None
        constants: list[Constant] = []
        shape = shape_of(literal.tree, constants)
        cells = tuple(map(_cell, constants))
        word: int | None = None
        if literal.types:
            word, bit = self._types.place(literal.types)
            cells = (*(cells or (True,)), bit)
        kinds = tuple(map(_kind, constants))
        return _Key(shape, kinds, literal.holds, word), cells

    def types(self) -> Mapping[str, str]:
        """The columns and their types, in SQL."""
        found = dict.fromkeys(self._masks, "bigint")
        for slot in self._slots.values():
            kinds = slot.key.kinds or ("boolean",)
            found.update(zip(slot.columns, (*kinds, "bigint"), strict=False))
        return found

    def condition(self, columns: EventColumns) -> str | None:
        """The condition of all slots; None if there are none."""
        parts = [*self._masks.values(), *(_test(slot, columns) for slot in self._slots.values())]
        return " AND ".join(parts) if parts else None

    def trees(self) -> list[Node]:
        """One tree for each slot."""
        return [slot.tree for slot in self._slots.values()]

    def __len__(self) -> int:
        return len(self._slots)


def _test(slot: _Slot, columns: EventColumns) -> str:
    key = slot.key
    constants = dict(enumerate(slot.columns[: len(key.kinds)]))
    test = expressions_of(slot.tree, columns, constants, others=()).native
    if key.word is not None:
        test = f"((e_types{key.word} & {slot.columns[-1]}) != 0 AND {test})"
    if not key.holds:
        test = f"NOT coalesce({test}, FALSE)"
    return f"({slot.guard} IS NULL OR {test})"


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
