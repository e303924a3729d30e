"""The event's side of the join: columns extracted once, and the answers to the probes.

Everything that a condition reads becomes a column before the join, so a map of properties is
searched once per event and not once per row that it meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tidings.events.paths import Name, Pair, Path
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, quoted
from tidings.filters.to_spark.event_types import type_expression
from tidings.filters.to_spark.places import HeaderText, Place, Property, place_of
from tidings.filters.to_spark.translate import expressions_of
from tidings.filters.to_spark.values import BOOL, DOUBLE, INT, TEXT, Kind, Value, only
from tidings.filters.tree import Component, Exist, In, Node, walk_tree
from tidings.pipeline.matching.grid import Grid
from tidings.pipeline.matching.slots import Alone, EventBits
from tidings.pipeline.matching.ways import Probe

_KINDS: Final[dict[str, Kind]] = {"int": INT, "double": DOUBLE, "string": TEXT, "bool": BOOL}
_TYPES: Final = {"int": "BIGINT", "double": "DOUBLE", "string": "STRING", "bool": "BOOLEAN"}
_NO_SEQUENCE: Final = {
    f"data_{kind}s": f"CAST(NULL AS ARRAY<{type_}>)" for kind, type_ in _TYPES.items()
}
_NUMBERS: Final = ("double", "int", "bool")
_SIMPLE_HEADER: Final = tuple(f"header_{kind}" for kind in _KINDS)


def split_names(trees: Iterable[Node]) -> frozenset[str]:
    """Return the properties that some tree reads from the header alone, or from the data alone."""
    found = set()
    for tree in trees:
        for node in walk_tree(tree):
            if isinstance(node, Component | Exist | In):
                place = place_of(node.path)
                if isinstance(place, Property) and not (place.in_header and place.in_data):
                    found.add(place.name)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class ExtractedColumns(EventColumns):
    """Event columns that are extracted as separate columns on demand.

    A header property hides a data property of the same name. Unless an expression reads one of the
    two alone, this is resolved here: the value is extracted as the data's, and conditions see no
    header property.
    """

    split: frozenset[str] = frozenset()  # names read from one of the two alone
    # For each other name, the column that says whether the header has it
    hidden: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)  # column names by expression

    def named(self, name: str) -> str:
        """Return a column of the event."""
        return self.take(name)

    def has(self, column: str, name: str) -> bool:
        """Whether a map, or what is extracted as the map's, may have this property."""
        part, _, kind = column.partition("_")
        if name in self.split:
            return self.occurring.in_map(column, name)
        if part == "header":
            return False
        return self.occurring.in_map(column, name) or (
            kind in _KINDS and self.occurring.in_map(f"header_{kind}", name)
        )

    def lookup(self, column: str, name: str) -> str:
        """Return the column with a property's value."""
        return self.take(self.looked_up(column, name))

    def looked_up(self, column: str, name: str) -> str:
        """Return the expression behind `lookup`, for use inside a larger extracted expression."""
        if name in self.split or not self._in_header(name):
            return ARCHIVE.lookup(column, name)
        hidden = self.hidden.setdefault(name, f"m_{len(self.hidden)}")
        kind = column.partition("_")[2]
        header = f"header_{kind}" if kind in _KINDS else "NULL"
        # Search only the map that applies: Spark generates much code for a search.
        return f"(CASE WHEN {hidden} THEN {header} ELSE {column} END)[{quoted(name)}]"

    def _in_header(self, name: str) -> bool:
        return any(self.occurring.in_map(column, name) for column in _SIMPLE_HEADER)

    def listed(self, column: str, name: str) -> str:
        """Return the column that says whether a list of names has this one."""
        return self.take(ARCHIVE.listed(column, name))

    def take(self, expression: str) -> str:
        """Return the column name of an extracted expression."""
        return self.taken.setdefault(expression, f"e_{len(self.taken)}")

    def settled(self) -> list[dict[str, str]]:
        """Return the columns that say which names the header has; later ones use the first."""
        if not self.hidden:
            return []
        sizes = " + ".join(f"size({one})" for one in _SIMPLE_HEADER)
        keys = ", ".join(f"map_keys({one})" for one in _SIMPLE_HEADER)
        names = f"CASE WHEN {sizes} > 0 THEN concat({keys}) ELSE CAST(array() AS ARRAY<STRING>) END"
        return [
            {"m_names": names},
            {
                column: f"array_contains(m_names, {quoted(name)})"
                for name, column in self.hidden.items()
            },
        ]


@dataclass(frozen=True, slots=True)
class Numbers(EventColumns):
    """Event columns for comparisons with one number that is not a large integer.

    The kind of a number does not matter there: all numbers appear as doubles, and all sequences of
    numbers as sequences of doubles.
    """

    every: ExtractedColumns = field(default_factory=ExtractedColumns)

    def named(self, name: str) -> str:
        """Return a column of the event."""
        return self.every.named(name)

    def has(self, column: str, name: str) -> bool:
        """Whether a map may have this property; the map of doubles stands for all numeric maps."""
        if name in self.every.split:
            return self.every.has(column, name)
        return column.startswith("data_double") and any(self._numbers(column, name))

    def lookup(self, column: str, name: str) -> str:
        """Return the value of a property; the map of doubles holds all numbers."""
        every = self.every
        if name in every.split:
            return every.lookup(column, name)
        type_ = "ARRAY<DOUBLE>" if column.endswith("s") else "DOUBLE"
        shown = []
        for one in self._numbers(column, name):
            found = every.looked_up(one, name)
            shown.append(found if one == column else f"CAST({found} AS {type_})")
        return every.take(f"coalesce({', '.join(shown)})" if len(shown) > 1 else shown[0])

    def _numbers(self, column: str, name: str) -> Iterator[str]:
        """Yield the maps that may have it as a number, or as a sequence of numbers."""
        end = "s" if column.endswith("s") else ""
        for kind in _NUMBERS:
            if self.every.has(f"data_{kind}{end}", name):
                yield f"data_{kind}{end}"


class Answer(NamedTuple):
    """SQL of an event's answer to a probe."""

    text: str | None  # None if the probe does not ask for a text
    number: str | None  # None if it does not ask for a number
    cell: str | None = None  # cell of the second field, if the probe asks for it


def answer_of(
    probe: Probe,
    columns: ExtractedColumns,
    asked: Sequence[bool],
    grids: Mapping[Probe, Grid],
) -> Answer:
    """Return the answer to a probe."""
    place = probe.place
    if probe.kind == "all":
        return Answer(None, "0D")
    if probe.kind == "type":
        domain, type_ = columns.named("domain"), columns.named("type")
        key = f"concat(CAST(length({domain}) AS STRING), ':', {domain}, {type_})"
        return Answer(key, None)
    assert place is not None
    if probe.kind == "exist":
        return Answer(None, f"CASE WHEN {_existence(place, columns)} THEN 1D END")
    if probe.kind == "member":
        return _elements(place, columns, asked)
    number = _number_of(place, columns) if asked[1] else None
    if probe.kind == "range":
        assert number is not None
        return Answer(None, f"CAST({grids[probe].expression(number)} AS DOUBLE)")
    text = text_of(place, columns) if asked[0] else None
    cell = None
    if probe.beside is not None:
        cell = grids[probe].expression(_number_of(probe.beside, columns))
    return Answer(text, None if number is None else normal(number), cell=cell)


def text_of(place: Place, columns: ExtractedColumns) -> str:
    """Return the text at a place, else NULL."""
    return _value(place, columns).of_kind(TEXT) or "CAST(NULL AS STRING)"


def _number_of(place: Place, columns: ExtractedColumns) -> str:
    return _value(place, Numbers(every=columns)).as_double() or "CAST(NULL AS DOUBLE)"


def normal(number: str) -> str:
    """Normalize a number for lookups: minus zero becomes zero, and NaN equals nothing."""
    return f"nullif({number} + 0D, CAST('NaN' AS DOUBLE))"


def _value(place: Place, columns: EventColumns) -> Value:
    if isinstance(place, HeaderText):
        return only(TEXT, columns.named(place.column), is_total=True)
    assert isinstance(place, Property)
    parts = [part for part, has in (("header", place.in_header), ("data", place.in_data)) if has]
    layers = (
        {
            kind: columns.lookup(f"{part}_{end}", place.name)
            for end, kind in _KINDS.items()
            if columns.has(f"{part}_{end}", place.name)
        }
        for part in parts
    )
    return Value(tuple(filter(None, layers)) or ({},))


def _existence(place: Place, columns: ExtractedColumns) -> str:
    if isinstance(place, HeaderText):
        return "TRUE"
    assert isinstance(place, Property)
    # The translation of `exist` covers every column that can hold a property.
    return expressions_of(Exist(_path_to(place)), columns).native


def _path_to(place: Property) -> Path:
    if place.in_header and place.in_data:
        return Path(place.name)
    part = _HEADER if place.in_header else _DATA
    return Path(None, (*part, Pair(place.name)))


_HEADER: Final = (Name("header"), Name("variable_header"))
_DATA: Final = (Name("filterable_data"),)


def _elements(place: Place, columns: ExtractedColumns, asked: Sequence[bool]) -> Answer:
    """Return the elements of a sequence, which are of one kind."""
    assert isinstance(place, Property)
    if not place.in_data:
        return Answer(None, "CAST(NULL AS ARRAY<DOUBLE>)")
    texts = numbers = None
    if asked[0]:
        texts = _shown(place, "data_strings", columns)
    if asked[1]:
        numbers = _shown(place, "data_doubles", Numbers(every=columns))
        if place.name in columns.split:
            ints, doubles, bools = (
                _shown(place, f"data_{kind}s", columns) for kind in ("int", "double", "bool")
            )
            cast = [f"CAST({one} AS ARRAY<DOUBLE>)" for one in (ints, bools)]
            numbers = f"coalesce({doubles}, {', '.join(cast)})"
    return Answer(texts, numbers)


def _shown(place: Property, column: str, columns: EventColumns) -> str:
    """Return a sequence, unless the header hides it."""
    if not columns.has(column, place.name):
        return _NO_SEQUENCE[column]
    found = columns.lookup(column, place.name)
    held = (one for one in _SIMPLE_HEADER if place.in_header and columns.has(one, place.name))
    header = [columns.lookup(one, place.name) for one in held]
    if not header:
        return found
    return f"CASE WHEN {' AND '.join(f'{one} IS NULL' for one in header)} THEN {found} END"


def bit_columns(bits: EventBits, columns: ExtractedColumns) -> dict[str, str]:
    """Return the expression of each column of bits."""
    found = {}
    for word, known in enumerate(bits.columns()):
        parts = [f"CASE WHEN {_alone(one, columns)} THEN {bit}L ELSE 0L END" for bit, one in known]
        found[f"e_bits{word}"] = " | ".join(parts)
    return found


def _alone(alone: Alone, columns: ExtractedColumns) -> str:
    if isinstance(alone, Node):
        return expressions_of(alone, columns).native
    fits = type_expression(alone, columns)
    assert fits is not None
    return fits
