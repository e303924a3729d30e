"""The event's side of the table: its columns taken out once, and the answers to the probes.

Everything that a condition looks at is a column of its own before the table is joined: a map of
properties is then searched once for an event, and not once for every row it meets there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tidings.events.paths import Name, Pair, Path
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns
from tidings.filters.to_spark.event_types import type_expression
from tidings.filters.to_spark.places import HeaderText, Place, Property, place_of
from tidings.filters.to_spark.translate import expressions_of
from tidings.filters.to_spark.values import BOOL, DOUBLE, INT, TEXT, Kind, Value, only
from tidings.filters.tree import Component, Exist, In, Node, walk_tree
from tidings.pipeline.matching_grid import Grid
from tidings.pipeline.matching_slots import TypeSets
from tidings.pipeline.matching_ways import Probe

__all__ = ["Answer", "TakenOut", "answer_of", "split_names", "text_of", "type_columns"]

_KINDS: Final[dict[str, Kind]] = {"int": INT, "double": DOUBLE, "string": TEXT, "bool": BOOL}
_TYPES: Final = {"int": "BIGINT", "double": "DOUBLE", "string": "STRING", "bool": "BOOLEAN"}
_SIMPLE_HEADER: Final = tuple(f"header_{kind}" for kind in _KINDS)


def split_names(trees: Iterable[Node]) -> frozenset[str]:
    """The properties that some tree looks for in the header alone, or in the data alone."""
    found = set()
    for tree in trees:
        for node in walk_tree(tree):
            if isinstance(node, Component | Exist | In):
                place = place_of(node.path)
                if isinstance(place, Property) and not (place.in_header and place.in_data):
                    found.add(place.name)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class TakenOut(EventColumns):
    """Event columns that are taken out as columns of their own; what is asked for is noted.

    A property of the header hides one of the data. Unless somebody asks for one of the two
    alone, that is settled here: what is taken out as the data's is what the event has, and the
    header has nothing.

    Attributes:
        split: Names for which somebody does.
        taken: The expressions, with the names they get.
        hiding: For names of properties, expressions that the header has none, with the names
            they get; they are taken out first.
    """

    split: frozenset[str] = frozenset()
    taken: dict[str, str] = field(default_factory=dict)
    hiding: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> str:
        """A column of the event."""
        return self._take(name)

    def lookup(self, column: str, name: str) -> str:
        """The value of a property in a map."""
        plainly = ARCHIVE.lookup(column, name)
        if name in self.split:
            return self._take(plainly)
        part, _, kind = column.partition("_")
        if part == "header":
            return f"CAST(NULL AS {_TYPES[kind]})"
        hidden = " AND ".join(f"{ARCHIVE.lookup(one, name)} IS NULL" for one in _SIMPLE_HEADER)
        free = self.hiding.setdefault(hidden, f"h_{len(self.hiding)}")
        header = f" ELSE {ARCHIVE.lookup(f'header_{kind}', name)}" if kind in _KINDS else ""
        return self._take(f"CASE WHEN {free} THEN {plainly}{header} END")

    def listed(self, column: str, name: str) -> str:
        """Whether a list of names has this one."""
        return self._take(ARCHIVE.listed(column, name))

    def _take(self, expression: str) -> str:
        return self.taken.setdefault(expression, f"e_{len(self.taken)}")


class Answer(NamedTuple):
    """An event's answer to a probe, in SQL.

    Attributes:
        text: The text, if the probe asks for one.
        number: The number, if it asks for one.
        is_list: Whether they are arrays: every element is an answer.
    """

    text: str | None
    number: str | None
    is_list: bool = False


def answer_of(
    probe: Probe,
    columns: TakenOut,
    asked: Sequence[bool],
    grids: Mapping[Probe, Grid],
) -> Answer:
    """The answer to a probe.

    Args:
        probe: The probe.
        columns: Where the event's columns are.
        asked: Whether texts, and whether numbers, stand in the table under it.
        grids: The cells of ranges.
    """
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
    value = _value(place, columns)
    if probe.kind == "range":
        number = value.as_double()
        assert number is not None
        return Answer(None, f"CAST({grids[probe].expression(number)} AS DOUBLE)")
    text = value.of_kind(TEXT) if asked[0] else None
    number = value.as_double() if asked[1] else None
    return Answer(text, None if number is None else _normal(number))


def text_of(place: Place, columns: TakenOut) -> str:
    """The text a place has, else NULL."""
    found = _value(place, columns).of_kind(TEXT)
    assert found is not None
    return found


def _normal(number: str) -> str:
    """A number by which rows are found: minus zero is zero, and nothing equals NaN."""
    return f"nullif({number} + 0D, CAST('NaN' AS DOUBLE))"


def _value(place: Place, columns: TakenOut) -> Value:
    if isinstance(place, HeaderText):
        return only(TEXT, columns.named(place.column), is_total=True)
    assert isinstance(place, Property)
    parts = [part for part, has in (("header", place.in_header), ("data", place.in_data)) if has]
    return Value(
        tuple(
            {kind: columns.lookup(f"{part}_{end}", place.name) for end, kind in _KINDS.items()}
            for part in parts
        )
    )


def _existence(place: Place, columns: TakenOut) -> str:
    if isinstance(place, HeaderText):
        return "TRUE"
    assert isinstance(place, Property)
    # The translation of `exist` knows every column a property can stand in.
    return expressions_of(Exist(_path_to(place)), columns, others=()).native


def _path_to(place: Property) -> Path:
    if place.in_header and place.in_data:
        return Path(place.name)
    part = _HEADER if place.in_header else _DATA
    return Path(None, (*part, Pair(place.name)))


_HEADER: Final = (Name("header"), Name("variable_header"))
_DATA: Final = (Name("filterable_data"),)


def _elements(place: Place, columns: TakenOut, asked: Sequence[bool]) -> Answer:
    """Each element once; a sequence has elements of one kind."""
    assert isinstance(place, Property)
    if not place.in_data:
        return Answer(None, "CAST(NULL AS ARRAY<DOUBLE>)", True)
    texts = numbers = None
    if asked[0]:
        texts = f"array_distinct({columns.lookup('data_strings', place.name)})"
    if asked[1]:
        ints, doubles, bools = (
            columns.lookup(f"data_{kind}s", place.name) for kind in ("int", "double", "bool")
        )
        numbers = (
            f"array_distinct(coalesce(CAST({ints} AS ARRAY<DOUBLE>), "
            f"transform({doubles}, x -> {_normal('x')}), CAST({bools} AS ARRAY<DOUBLE>)))"
        )
    return Answer(texts, numbers, True)


def type_columns(types: TypeSets, columns: TakenOut) -> dict[str, str]:
    """For each column of event types, the expression of its bits."""
    found = {}
    for word, bits in enumerate(types.columns()):
        parts = []
        for bit, patterns in bits:
            fits = type_expression(patterns, columns)
            assert fits is not None
            parts.append(f"CASE WHEN {fits} THEN {bit}L ELSE 0L END")
        found[f"e_types{word}"] = " | ".join(parts)
    return found
