"""The table on Spark: broadcast to every executor and joined with the events' answers.

One scan of the events and one join serve all probes: an event yields one row per answer, and finds
its rows of the table by a hash of probe and answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from tidings.filters.to_spark.columns import Occurring
from tidings.pipeline.matching.book import PlanBook
from tidings.pipeline.matching.compile import Compiled, Row
from tidings.pipeline.matching.events import (
    Answer,
    ExtractedColumns,
    Numbers,
    answer_of,
    bit_columns,
    normal,
    split_names,
    text_of,
)
from tidings.pipeline.matching.needles import needle_finder
from tidings.pipeline.matching.ways import Probe

_ARROW: Final = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "decimal(20,0)": pa.decimal128(20, 0),
}
_LISTS: Final = ("member", "needle")
_INSIDE: Final = "t."
_NO_TEXT: Final = "CAST(NULL AS STRING)"
_NO_NUMBER: Final = "CAST(NULL AS DOUBLE)"
_NO_CELL: Final = "CAST(NULL AS INT)"


def table_of(made: Compiled, events: DataFrame, book: PlanBook, occurring: Occurring) -> DataFrame:
    """Return the consumers that the table finds for events."""
    return _Join(made, book, occurring).applied(events)


class _Join:
    def __init__(self, made: Compiled, book: PlanBook, occurring: Occurring) -> None:
        self._made = made
        self._columns = ExtractedColumns(split=split_names(made.trees), occurring=occurring)
        # Probes with one answer come first: their index is the place of the answer.
        self._probes = sorted(made.probes, key=lambda probe: probe.kind in _LISTS)
        self._single = sum(probe.kind not in _LISTS for probe in self._probes)
        self._origins = len({unit.origin for unit in book.units}) > 1
        self._versions = any(row.versions is not None for row in made.rows)
        self._cells = any(probe.beside is not None for probe in made.probes)

    def applied(self, events: DataFrame) -> DataFrame:
        table = self._table(events)
        condition = self._condition()
        answers = {probe: self._answer(probe) for probe in self._probes}
        bits = bit_columns(self._made.bits, self._columns)
        for settled in self._columns.settled():
            events = events.selectExpr("*", *_aliased({e: n for n, e in settled.items()}))
        taken = events.selectExpr(*self._kept(), *_aliased(self._columns.taken))
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

    def _kept(self) -> list[str]:
        kept = ["origin", "seq", "position"]
        if self._versions:
            kept.append("plan")
        return [f"{name} AS e_{name}" for name in kept]

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
                continue
            if answer.text is not None:
                answered.append(f"{answer.text} AS a_text{number}")
            if answer.number is not None:
                answered.append(f"{answer.number} AS a_number{number}")
            if answer.cell is not None:
                answered.append(f"{answer.cell} AS a_cell{number}")
        asking = taken.selectExpr("*", *answered)
        if self._is_simple:
            (answer,) = answers.values()
            return asking.selectExpr("*", f"{self._key('0', *self._only(answer))} AS e_key")
        ends, before = [], str(self._single)
        for number, answer in enumerate(answers.values()):
            if number >= self._single:
                before = f"{before} + {self._size(number, answer)}"
                ends.append(f"{before} AS a_end{number}")
        asking = asking.selectExpr("*", *ends) if ends else asking
        asking = asking.selectExpr("*", f"{self._places(len(answers))} AS e_at")
        return self._chosen(asking, answers)

    @property
    def _is_simple(self) -> bool:
        """Whether every event gives at most one answer."""
        return len(self._probes) == self._single == 1

    @staticmethod
    def _only(answer: Answer) -> tuple[str, str, str]:
        return (
            _NO_TEXT if answer.text is None else "a_text0",
            _NO_NUMBER if answer.number is None else "a_number0",
            _NO_CELL if answer.cell is None else "a_cell0",
        )

    def _places(self, probes: int) -> str:
        """Return the places of all answers, in sequence."""
        if probes == self._single:
            return f"explode(sequence(0, {probes - 1}))"
        last = f"a_end{probes - 1}"
        return f"explode(CASE WHEN {last} > 0 THEN sequence(0, {last} - 1) END)"

    @staticmethod
    def _size(number: int, answer: Answer) -> str:
        names = [
            f"a_{kind}{number}"
            for kind, has in (("text", answer.text), ("number", answer.number))
            if has is not None
        ]
        # A sequence has texts or numbers, not both.
        cases = " ".join(f"WHEN {name} IS NOT NULL THEN size({name})" for name in names)
        return f"CASE {cases} ELSE 0 END"

    def _chosen(self, asking: DataFrame, answers: dict[Probe, Answer]) -> DataFrame:
        texts: list[str] = []
        numbers: list[str] = []
        cells: list[str] = []
        probes, firsts = [], []
        for number, answer in enumerate(answers.values()):
            is_last = number == len(answers) - 1
            if number < self._single:
                when = f"WHEN e_at = {number} THEN"
            else:
                before = self._single if number == self._single else f"a_end{number - 1}"
                when = f"WHEN e_at < a_end{number} THEN"
                firsts.append(f"{'ELSE' if is_last else when} {before}")
            # No condition on the last one: without an ELSE, Spark tests for NULL first.
            probes.append(f"{'ELSE' if is_last else when} {number}")
            shown = (
                "a_{kind}{number}" if number < self._single else "get(a_{kind}{number}, e_index)"
            )
            for kind, has, cases in (
                ("text", answer.text, texts),
                ("number", answer.number, numbers),
                ("cell", answer.cell, cells),
            ):
                if has is not None:
                    cases.append(f"WHEN {number} THEN {shown.format(kind=kind, number=number)}")
        first = f"CASE {' '.join(firsts)} END" if len(firsts) > 1 else (firsts or ["ELSE 0"])[0][4:]
        placed = asking.selectExpr(
            "*",
            f"CASE {' '.join(probes)} END AS e_probe" if len(probes) > 1 else "0 AS e_probe",
            f"e_at - {first} AS e_index",
        )
        chosen = placed.selectExpr(
            "*",
            f"{_case(texts, _NO_TEXT)} AS e_text",
            f"{_case(numbers, _NO_NUMBER)} AS a_number",
            *([f"{_case(cells, _NO_CELL)} AS e_cell"] if self._cells else []),
        ).selectExpr("*", f"{normal('a_number')} AS e_number")
        key = self._key("e_probe", "e_text", "e_number", "e_cell")
        return chosen.selectExpr("*", f"{key} AS e_key")

    def _not_before(self) -> list[str]:
        """Require that no equal element precedes this one in the sequence.

        It is a condition on the joined row, so that Spark tests it per match, not per answer.
        """
        tests = []
        for number, probe in enumerate(self._probes):
            if probe.kind == "member":
                answer = self._answer(probe)
                for kind, has in (("text", answer.text), ("number", answer.number)):
                    if has is not None:
                        at = f"array_position(a_{kind}{number}, e_{kind})"
                        tests.append(
                            f"(t.probe != {number} OR t.{kind} IS NULL OR {at} = e_index + 1)"
                        )
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
            text, number, cell = self._only(self._answer(self._probes[0]))
            tests = []
        else:
            text, number, cell = "e_text", "e_number", "e_cell"
            tests = ["e_probe >= t.probe", "e_probe <= t.probe"]
        if text != _NO_TEXT:
            tests.append(f"(t.text IS NULL OR {text} = t.text)")
        if number != _NO_NUMBER:
            tests.append(f"(t.number IS NULL OR {number} = t.number)")
        if self._cells:
            tests.append(f"(t.cell IS NULL OR {cell} = t.cell)")
        if self._origins:
            tests.append("(t.origin IS NULL OR e_origin = t.origin)")
        return tests

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
            values = {**asks_nothing, **_values(row, places)}
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


def _values(row: Row, places: Sequence[int]) -> dict[str, object]:
    versions = row.versions
    return {
        "t.probe": places[row.probe],
        "t.text": row.text,
        "t.number": row.number,
        "t.cell": row.cell,
        "t.origin": row.origin,
        "t.since": None if versions is None else versions.start,
        "t.until": None if versions is None else versions.end,
        "t_sure": not row.filled and versions is None,
        **dict(row.filled),
    }


def _case(cases: Sequence[str], otherwise: str) -> str:
    return f"CASE e_probe {' '.join(cases)} END" if cases else otherwise


def _aliased(expressions: dict[str, str]) -> Iterable[str]:
    return [f"{expression} AS {name}" for expression, name in expressions.items()]
