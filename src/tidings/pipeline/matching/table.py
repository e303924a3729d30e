"""The table on Spark: broadcast to every executor and joined with the events' answers.

One scan of the events and one join serve all probes: an event yields one row per answer, and finds
its rows of the table by a hash of probe and answer. Everything that a condition reads becomes a
column before the join, so a map of properties is searched once per event and not once per row that
it meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from tidings.events.paths import Name, Pair, Path
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, Occurring, quoted
from tidings.filters.to_spark.event_types import type_expression
from tidings.filters.to_spark.places import HeaderText, Place, Property, place_of
from tidings.filters.to_spark.translate import expressions_of
from tidings.filters.to_spark.values import BOOL, DOUBLE, INT, TEXT, Kind, Value, only
from tidings.filters.tree import Component, Exist, In, Node, walk_tree
from tidings.pipeline.matching.book import PlanBook
from tidings.pipeline.matching.compile import Compiled
from tidings.pipeline.matching.needles import needle_finder
from tidings.pipeline.matching.slots import Alone, EventBits
from tidings.pipeline.matching.ways import Grid, Probe

_ARROW: Final = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "decimal(20,0)": pa.decimal128(20, 0),
}
_LISTS: Final = ("member", "needle")
_INSIDE: Final = "t."
_NONE: Final = {
    "text": "CAST(NULL AS STRING)",
    "number": "CAST(NULL AS DOUBLE)",
    "cell": "CAST(NULL AS INT)",
}
_KINDS: Final[dict[str, Kind]] = {"int": INT, "double": DOUBLE, "string": TEXT, "bool": BOOL}
_TYPES: Final = {"int": "BIGINT", "double": "DOUBLE", "string": "STRING", "bool": "BOOLEAN"}
_NO_SEQUENCE: Final = {
    f"data_{kind}s": f"CAST(NULL AS ARRAY<{type_}>)" for kind, type_ in _TYPES.items()
}
_NUMBERS: Final = ("double", "int", "bool")
_SIMPLE_HEADER: Final = tuple(f"header_{kind}" for kind in _KINDS)


class TableJoin:
    """The join of a compiled book with events."""

    def __init__(self, made: Compiled, book: PlanBook, occurring: Occurring) -> None:
        self._made = made
        self._columns = ExtractedColumns(split=split_names(made.trees), occurring=occurring)
        # Probes with one answer come first: their index is the place of the answer.
        self._probes = sorted(made.probes, key=lambda probe: probe.kind in _LISTS)
        self._single = sum(probe.kind not in _LISTS for probe in self._probes)
        self._origins = len({unit.origin for unit in book.units}) > 1
        self._versions = any(row.versions is not None for row in made.rows)
        self._cells = any(probe.beside is not None for probe in made.probes)

    def apply(self, events: DataFrame) -> DataFrame:
        """Return the consumers that the table finds for events."""
        table = self._table(events)
        condition = self._condition()
        answers = {probe: self._answer(probe) for probe in self._probes}
        bits = bit_columns(self._made.bits, self._columns)
        for settled in self._columns.settled():
            events = events.selectExpr("*", *_aliased({e: n for n, e in settled.items()}))
        kept = ("origin", "seq", "position", *(["plan"] if self._versions else []))
        taken = events.selectExpr(
            *(f"{name} AS e_{name}" for name in kept), *_aliased(self._columns.taken)
        )
        if bits:
            taken = taken.selectExpr("*", *_aliased({e: n for n, e in bits.items()}))
        asking = self._asking(taken, answers)
        joined = asking.join(sf.broadcast(table), sf.expr(condition))
        rows = joined.select("e_origin", "e_seq", "e_position", "t_proxies")
        return rows.selectExpr(
            "e_origin AS origin",
            "e_seq AS seq",
            "explode(t_proxies) AS proxy",
            "e_position AS position",
        )

    def _answer(self, probe: Probe) -> Answer:
        number = self._made.probes.index(probe)
        rows = [row for row in self._made.rows if row.probe == number]
        if probe.kind == "needle":
            assert probe.place is not None
            return Answer(None, text_of(probe.place, self._columns))
        asked = (
            any(row.text is not None for row in rows),
            any(row.number is not None for row in rows),
        )
        return answer_of(probe, self._columns, asked, self._made.ways.grids)

    def _asking(self, taken: DataFrame, answers: dict[Probe, Answer]) -> DataFrame:
        """Return one row per answer of an event, with its key into the table."""
        answered: list[str] = []
        for number, (probe, answer) in enumerate(answers.items()):
            if probe.kind == "needle":
                find = sf.arrow_udf(  # type: ignore[attr-defined]
                    needle_finder(list(self._made.ways.needles[probe])), "array<int>"
                )
                taken = taken.withColumn(f"a_hits{number}", find(sf.expr(str(answer.number))))
                answered.append(f"CAST(a_hits{number} AS ARRAY<DOUBLE>) AS a_number{number}")
            else:
                answered += [f"{sql} AS a_{part}{number}" for part, sql in answer.given()]
        asking = taken.selectExpr("*", *answered)
        if self._is_simple:
            (answer,) = answers.values()
            return asking.selectExpr("*", f"{self._key('0', *self._only(answer))} AS e_key")
        ends, before = [], str(self._single)
        for number, answer in enumerate(answers.values()):
            if number >= self._single:
                # A sequence has texts or numbers, not both.
                names = (f"a_{part}{number}" for part, _ in answer.given())
                sizes = " ".join(f"WHEN {name} IS NOT NULL THEN size({name})" for name in names)
                before = f"{before} + CASE {sizes} ELSE 0 END"
                ends.append(f"{before} AS a_end{number}")
        places = f"sequence(0, {len(answers) - 1})"
        if ends:
            last = f"a_end{len(answers) - 1}"
            places = f"CASE WHEN {last} > 0 THEN sequence(0, {last} - 1) END"
            asking = asking.selectExpr("*", *ends)
        return self._chosen(asking.selectExpr("*", f"explode({places}) AS e_at"), answers)

    @property
    def _is_simple(self) -> bool:
        """Whether every event gives at most one answer."""
        return len(self._probes) == self._single == 1

    @staticmethod
    def _only(answer: Answer) -> list[str]:
        given = dict(answer.given())
        return [f"a_{part}0" if part in given else none for part, none in _NONE.items()]

    def _chosen(self, asking: DataFrame, answers: dict[Probe, Answer]) -> DataFrame:
        cases: dict[str, list[str]] = {part: [] for part in _NONE}
        probes, firsts = [], []
        for number, answer in enumerate(answers.values()):
            is_last, shown = number == len(answers) - 1, "a_{}{}"
            if number < self._single:
                when = f"WHEN e_at = {number} THEN"
            else:
                before = self._single if number == self._single else f"a_end{number - 1}"
                when, shown = f"WHEN e_at < a_end{number} THEN", "get(a_{}{}, e_index)"
                firsts.append(f"{'ELSE' if is_last else when} {before}")
            # No condition on the last one: without an ELSE, Spark tests for NULL first.
            probes.append(f"{'ELSE' if is_last else when} {number}")
            for part, _ in answer.given():
                cases[part].append(f"WHEN {number} THEN {shown.format(part, number)}")
        first = f"CASE {' '.join(firsts)} END" if len(firsts) > 1 else (firsts or ["ELSE 0"])[0][4:]
        placed = asking.selectExpr(
            "*",
            f"CASE {' '.join(probes)} END AS e_probe" if len(probes) > 1 else "0 AS e_probe",
            f"e_at - {first} AS e_index",
        )
        found = {
            part: f"CASE e_probe {' '.join(cases[part])} END" if cases[part] else none
            for part, none in _NONE.items()
        }
        names = {"text": "e_text", "number": "a_number", "cell": "e_cell"}
        if not self._cells:
            del names["cell"]
        chosen = placed.selectExpr("*", *(f"{found[part]} AS {to}" for part, to in names.items()))
        chosen = chosen.selectExpr("*", f"{normal('a_number')} AS e_number")
        key = self._key("e_probe", "e_text", "e_number", "e_cell")
        return chosen.selectExpr("*", f"{key} AS e_key")

    def _not_before(self) -> list[str]:
        """Require that no equal element precedes this one in the sequence.

        It is a condition on the joined row, so that Spark tests it per match, not per answer.
        """
        tests = []
        for number, probe in enumerate(self._probes):
            if probe.kind == "member":
                for part, _ in self._answer(probe).given():
                    at = f"array_position(a_{part}{number}, e_{part})"
                    test = f"t.probe != {number} OR t.{part} IS NULL OR {at} = e_index + 1"
                    tests.append(f"({test})")
        return tests

    def _key(self, probe: str, text: str, number: str, cell: str, origin: str = "e_origin") -> str:
        """Return the key by which rows are found; 0 if there is no answer."""
        parts = [probe, *([origin] if self._origins else []), text, number]
        parts += [cell] if self._cells else []
        hashed = f"xxhash64({', '.join(parts)})"
        # Never NULL: Spark would test for NULL first, and compute everything twice for it.
        return f"CASE WHEN {text} IS NOT NULL OR {number} IS NOT NULL THEN {hashed} ELSE 0L END"

    def _condition(self) -> str:
        """Return the join condition: the same answer, and all remaining conditions."""
        tests = ["e_key = t_key", *self._same_answer(), *self._not_before()]
        left = []
        if self._versions:
            left.append("(t.since IS NULL OR e_plan >= t.since)")
            left.append("(t.until IS NULL OR e_plan < t.until)")
        slots = self._made.slots.condition(self._columns, Numbers(every=self._columns))
        if slots is not None:
            left.append(slots)
        if left:
            tests.append(f"(t_sure OR ({' AND '.join(left)}))")
        return " AND ".join(tests)

    def _same_answer(self) -> list[str]:
        """Require equal answers, as their hashes may collide.

        Each test is written so that Spark does not make it part of the join key: a key of one
        integer is several times faster than any other.
        """
        if self._is_simple:
            given = self._answer(self._probes[0]).given()
            same, tests = {part: f"a_{part}0" for part, _ in given}, []
        else:
            same = {part: f"e_{part}" for part in _NONE if part != "cell" or self._cells}
            tests = ["e_probe >= t.probe", "e_probe <= t.probe"]
        if self._origins:
            same["origin"] = "e_origin"
        return [*tests, *(f"(t.{name} IS NULL OR {own} = t.{name})" for name, own in same.items())]

    def _table(self, events: DataFrame) -> DataFrame:
        types = {
            "t.probe": "int",
            "t.text": "string",
            "t.number": "double",
            "t.cell": "int",
            "t.origin": "string",
            **dict.fromkeys(("t.since", "t.until"), "bigint"),
            "t_sure": "boolean",
            **self._made.slots.types(),
        }
        places = [self._probes.index(probe) for probe in self._made.probes]
        made: dict[str, list[object]] = {name: [] for name in types}
        asks_nothing = dict.fromkeys(self._made.slots.masks(), 0)
        for row in self._made.rows:
            since, until = (None, None) if row.versions is None else astuple(row.versions)
            values = {
                **asks_nothing,
                "t.probe": places[row.probe],
                "t.text": row.text,
                "t.number": row.number,
                "t.cell": row.cell,
                "t.origin": row.origin,
                "t.since": since,
                "t.until": until,
                "t_sure": not row.filled and row.versions is None,
                **dict(row.filled),
            }
            for name, column in made.items():
                column.append(values.get(name))
        arrays = [
            pa.array(made[name], _ARROW.get(kind, pa.int32())) for name, kind in types.items()
        ]
        proxies = pa.array(list(self._made.rows.values()), pa.list_(pa.int32()))
        frame = events.sparkSession.createDataFrame(
            pa.Table.from_arrays([*arrays, proxies], [*types, "t_proxies"])
        )
        # Spark loads top-level columns for every row that an event meets, but nested fields only
        # when they are tested.
        fields = [name for name in types if name.startswith(_INSIDE)]
        inside = ", ".join(f"'{name[len(_INSIDE) :]}', `{name}`" for name in fields)
        kept = [name for name in (*types, "t_proxies") if name not in fields]
        whole = frame.selectExpr(*kept, f"named_struct({inside}) AS t")
        key = self._key("t.probe", "t.text", "t.number", "t.cell", "t.origin")
        return whole.selectExpr("*", f"{key} AS t_key")


def _aliased(expressions: dict[str, str]) -> Iterable[str]:
    return [f"{expression} AS {name}" for expression, name in expressions.items()]


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
        in_header = any(self.occurring.in_map(one, name) for one in _SIMPLE_HEADER)
        if name in self.split or not in_header:
            return ARCHIVE.lookup(column, name)
        hidden = self.hidden.setdefault(name, f"m_{len(self.hidden)}")
        kind = column.partition("_")[2]
        header = f"header_{kind}" if kind in _KINDS else "NULL"
        # Search only the map that applies: Spark generates much code for a search.
        return f"(CASE WHEN {hidden} THEN {header} ELSE {column} END)[{quoted(name)}]"

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

    def given(self) -> list[tuple[str, str]]:
        """Return the parts of the answer, by name."""
        return [(part, sql) for part, sql in self._asdict().items() if sql is not None]


def answer_of(
    probe: Probe, columns: ExtractedColumns, asked: Sequence[bool], grids: Mapping[Probe, Grid]
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
    return _value(place, columns).of_kind(TEXT) or _NONE["text"]


def _number_of(place: Place, columns: ExtractedColumns) -> str:
    return _value(place, Numbers(every=columns)).as_double() or _NONE["number"]


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
    path = Path(place.name)
    if not (place.in_header and place.in_data):
        part = ("header", "variable_header") if place.in_header else ("filterable_data",)
        path = Path(None, (*map(Name, part), Pair(place.name)))
    # The translation of `exist` covers every column that can hold a property.
    return expressions_of(Exist(path), columns).native


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
