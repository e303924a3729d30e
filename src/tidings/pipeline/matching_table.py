"""The table on Spark: sent to every executor, and joined with the events' answers.

One scan of the events and one join serve all probes: an event becomes one row for each answer it
gives, and finds its rows of the table by a number computed from the probe and the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tidings.pipeline.matching_compile import Compiled, Row
from tidings.pipeline.matching_events import (
    Answer,
    TakenOut,
    answer_of,
    split_names,
    text_of,
    type_columns,
)
from tidings.pipeline.matching_needles import needle_finder
from tidings.pipeline.matching_views import deadline_sql, priority_sql
from tidings.pipeline.matching_ways import Probe
from tidings.pipeline.plan_book import PlanBook

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["table_of"]

_ARROW: Final = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "decimal(20,0)": pa.decimal128(20, 0),
}
_LISTS: Final = ("member", "needle")
_NO_TEXT: Final = "CAST(NULL AS STRING)"
_NO_NUMBER: Final = "CAST(NULL AS DOUBLE)"


def table_of(made: Compiled, events: DataFrame, book: PlanBook, *, decisions: bool) -> DataFrame:
    """The consumers that the table gives for events."""
    return _Join(made, book, decisions).applied(events)


class _Join:
    def __init__(self, made: Compiled, book: PlanBook, decisions: bool) -> None:
        self._made = made
        self._decisions = decisions
        self._columns = TakenOut(split=split_names(made.trees))
        # Probes with one answer come first: their number is the place of the answer.
        self._probes = sorted(made.probes, key=lambda probe: probe.kind in _LISTS)
        self._single = sum(probe.kind not in _LISTS for probe in self._probes)
        self._origins = len({unit.origin for unit in book.units}) > 1
        self._versions = any(row.versions is not None for row in made.rows)
        self._positions = any(row.positions is not None for row in made.rows)

    def applied(self, events: DataFrame) -> DataFrame:
        """The rows of all events."""
        from pyspark.sql import functions as sf

        table = self._table(events)
        condition = self._condition()
        answers = {probe: self._answer(probe) for probe in self._probes}
        decided = self._decided()
        types = type_columns(self._made.types, self._columns)
        free = events.selectExpr("*", *_aliased(self._columns.hiding))
        taken = free.selectExpr(*self._kept(), *_aliased(self._columns.taken))
        if types:
            taken = taken.selectExpr("*", *_aliased({e: n for n, e in types.items()}))
        asking = self._asking(taken, answers)
        joined = asking.join(sf.broadcast(table), sf.expr(condition))
        rows = joined.selectExpr(*decided, "t_proxies")
        return rows.selectExpr(
            "e_origin AS origin",
            "e_seq AS seq",
            "explode(t_proxies) AS proxy",
            *(("priority", "deadline_us") if self._decisions else ()),
            "e_position AS position",
        )

    def _kept(self) -> list[str]:
        """Columns of the event under the names they have everywhere here."""
        kept = ["origin", "seq", "position"]
        if self._versions:
            kept.append("plan")
        if self._decisions:
            kept += ["priority", "expiry_us"]
            if self._made.views:
                kept.append("arrival_us")
        return [f"{name} AS e_{name}" for name in kept]

    def _decided(self) -> list[str]:
        if not self._decisions:
            return ["e_origin", "e_seq", "e_position"]
        priorities, deadlines = [], []
        for number, view in enumerate(self._made.views):
            priorities.append(f"WHEN {number} THEN {priority_sql(view, self._columns)}")
            deadlines.append(f"WHEN {number} THEN {deadline_sql(view, self._columns)}")
        priority, deadline = "e_priority", "e_expiry_us"
        if self._made.views:
            priority = f"CASE t_view {' '.join(priorities)} ELSE e_priority END"
            deadline = f"CASE t_view {' '.join(deadlines)} ELSE e_expiry_us END"
        return [
            *("e_origin", "e_seq", "e_position"),
            f"CAST({priority} AS BIGINT) AS priority",
            f"{deadline} AS deadline_us",
        ]

    def _answer(self, probe: Probe) -> Answer:
        number = self._made.probes.index(probe)
        rows = [row for row in self._made.rows if row.probe == number]
        if probe.kind == "needle":
            assert probe.place is not None
            return Answer(None, text_of(probe.place, self._columns), True)
        asked = (
            any(row.text is not None for row in rows),
            any(row.number is not None for row in rows),
        )
        return answer_of(probe, self._columns, asked, self._made.ways.grids)

    def _asking(self, taken: DataFrame, answers: dict[Probe, Answer]) -> DataFrame:
        """One row for each answer of an event, with the number that leads into the table."""
        from pyspark.sql import functions as sf

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
        asking = taken.selectExpr("*", *answered)
        if self._is_simple:
            (answer,) = answers.values()
            return asking.selectExpr("*", f"{self._key('0', *self._only(answer))} AS e_key")
        asking = asking.selectExpr("*", f"{self._places(answers)} AS e_at")
        return self._chosen(asking, answers)

    @property
    def _is_simple(self) -> bool:
        """Whether every event gives at most one answer."""
        return len(self._probes) == self._single == 1

    @staticmethod
    def _only(answer: Answer) -> tuple[str, str]:
        return (
            _NO_TEXT if answer.text is None else "a_text0",
            _NO_NUMBER if answer.number is None else "a_number0",
        )

    def _places(self, answers: dict[Probe, Answer]) -> str:
        """The places of all answers, one behind the other."""
        sizes = [self._size(number, answer) for number, answer in enumerate(answers.values())]
        count = " + ".join([str(self._single), *sizes[self._single :]])
        if not sizes[self._single :]:
            return f"explode(sequence(0, {self._single - 1}))"
        return f"explode(CASE WHEN {count} > 0 THEN sequence(0, {count} - 1) END)"

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
        """The answer at each place."""
        texts, numbers, probes = [], [], []
        before = str(self._single)
        for number, answer in enumerate(answers.values()):
            if number < self._single:
                when, index = f"WHEN e_at = {number}", None
            else:
                after = f"{before} + {self._size(number, answer)}"
                when, index = f"WHEN e_at < {after}", f"e_at - ({before})"
                before = after
            probes.append(f"{when} THEN {number}")
            texts.append(f"{when} THEN {_element('text', answer.text, number, index)}")
            numbers.append(f"{when} THEN {_element('number', answer.number, number, index)}")
        chosen = asking.selectExpr(
            "*",
            f"CASE {' '.join(probes)} END AS e_probe",
            f"CASE {' '.join(texts)} END AS e_text",
            f"CASE {' '.join(numbers)} END AS e_number",
        )
        return chosen.selectExpr("*", f"{self._key('e_probe', 'e_text', 'e_number')} AS e_key")

    def _key(self, probe: str, text: str, number: str, origin: str = "e_origin") -> str:
        """The number by which rows are found; NULL where there is no answer."""
        parts = [probe, *([origin] if self._origins else []), text, number]
        hashed = f"xxhash64({', '.join(parts)})"
        # Never NULL: Spark would look for NULLs first, and take everything out twice for it.
        return f"CASE WHEN {text} IS NOT NULL OR {number} IS NOT NULL THEN {hashed} ELSE 0L END"

    def _condition(self) -> str:
        """What makes an event meet a row: the same answer, and all that is left to test."""
        tests = ["e_key = t_key", *self._same_answer()]
        left = []
        if self._versions:
            left.append("(t_from IS NULL OR e_plan >= t_from)")
            left.append("(t_to IS NULL OR e_plan < t_to)")
        if self._positions:
            left.append("(t_start IS NULL OR e_position >= t_start)")
            left.append("(t_end IS NULL OR e_position < t_end)")
        slots = self._made.slots.condition(self._columns)
        if slots is not None:
            left.append(slots)
        if left:
            tests.append(f"(t_sure OR ({' AND '.join(left)}))")
        return " AND ".join(tests)

    def _same_answer(self) -> list[str]:
        """That not only the numbers made of two answers are the same.

        Each test is written so that Spark does not make it part of the join's key: a key of one
        number is found several times faster than any other.
        """
        if self._is_simple:
            text, number = self._only(self._answer(self._probes[0]))
            tests = []
        else:
            text, number = "e_text", "e_number"
            tests = ["e_probe >= t_probe", "e_probe <= t_probe"]
        if text != _NO_TEXT:
            tests.append(f"(t_text IS NULL OR {text} = t_text)")
        if number != _NO_NUMBER:
            tests.append(f"(t_number IS NULL OR {number} = t_number)")
        if self._origins:
            tests.append("(t_origin IS NULL OR e_origin = t_origin)")
        return tests

    def _table(self, events: DataFrame) -> DataFrame:
        types = {
            "t_probe": "int",
            "t_text": "string",
            "t_number": "double",
            "t_origin": "string",
            **dict.fromkeys(("t_from", "t_to", "t_start", "t_end"), "bigint"),
            "t_view": "int",
            "t_sure": "boolean",
            **self._made.slots.types(),
        }
        places = [self._probes.index(probe) for probe in self._made.probes]
        rows = self._made.rows
        made = {name: [] for name in types}  # type: dict[str, list[object]]
        for row in rows:
            values = _values(row, places)
            for name, column in made.items():
                column.append(values.get(name))
        arrays = [
            pa.array(made[name], _ARROW.get(kind, pa.int32())) for name, kind in types.items()
        ]
        proxies = pa.array(list(rows.values()), pa.list_(pa.int32()))
        frame = events.sparkSession.createDataFrame(
            pa.Table.from_arrays([*arrays, proxies], [*types, "t_proxies"])
        )
        key = self._key("t_probe", "t_text", "t_number", "t_origin")
        return frame.selectExpr("*", f"{key} AS t_key")


def _values(row: Row, places: Sequence[int]) -> dict[str, object]:
    versions, positions = row.versions, row.positions
    return {
        "t_probe": places[row.probe],
        "t_text": row.text,
        "t_number": row.number,
        "t_origin": row.origin,
        "t_from": None if versions is None else versions.start,
        "t_to": None if versions is None else versions.end,
        "t_start": None if positions is None else positions.start,
        "t_end": None if positions is None else positions.end,
        "t_view": row.view,
        "t_sure": not row.filled and versions is None and positions is None,
        **dict(row.filled),
    }


def _element(kind: str, has: str | None, number: int, index: str | None) -> str:
    if has is None:
        return "NULL"
    name = f"a_{kind}{number}"
    return name if index is None else f"get({name}, {index})"


def _aliased(expressions: dict[str, str]) -> Iterable[str]:
    return [f"{expression} AS {name}" for expression, name in expressions.items()]
