"""Evaluate whole plans on a frame of events: who received, or would have received, each of them.

The plans are compiled to one table, which is broadcast to every executor (`matching/compile.py`).
Each event probes it a few times: by the values of its fields, by the cell of a number, by the
substrings of a text. One generated condition tests the rows found, which yield consumers. What the
table cannot hold is evaluated by the Python reference in Arrow batches. The results are those of
`Plan.judge` at the version of the plan that each event carries.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_schema

from tidings.events.codecs.arrow_codec import BARE
from tidings.events.fields import ANY_EVENT_TYPE
from tidings.filters.to_spark.columns import ANYTHING, Occurring, quoted
from tidings.filters.to_spark.native import native_names, reads_event
from tidings.pipeline.matching.book import PlanBook
from tidings.pipeline.matching.compile import (
    Compiled,
    LaneOf,
    MatchLimits,
    compile_book,
    constant_since,
)
from tidings.pipeline.matching.reference import MATCHED, judge_batches
from tidings.pipeline.matching.table import TableJoin

__all__ = ["LaneOf", "MatchLimits", "explain_match", "match"]

_READ_BY_REFERENCE: Final = ("origin", "seq", "plan", "arrival_us", "raw", "position")


def match(
    df: DataFrame,
    book: PlanBook,
    *,
    occurring: Occurring = ANYTHING,
    limits: MatchLimits | None = None,
) -> DataFrame:
    """Return the consumers of events, by the version of the plan that each event carries.

    `df` has the columns of the archive's events and may be a stream; `occurring` are the properties
    that they are known to have. The result has one row per event and consumer, unordered: `origin`,
    `seq`, `proxy` and the event's `position`. An event with a version that the book does not know
    matches nothing.
    """
    made = compile_book(book, limits or MatchLimits())
    known = df.filter(_of_book(book))
    odd = _odd(made, occurring)
    found = []
    if made.rows:
        plain = known if odd is None else known.filter(~odd)
        found.append(TableJoin(made, book, occurring).apply(plain))
    if odd is not None or made.reference:
        # All events for some units, some events for all units.
        is_odd = sf.lit(False) if odd is None else odd
        rows = known if made.reference else known.filter(is_odd)
        judge = judge_batches(made.reference, [] if odd is None else made.native)
        read = rows.select(*_READ_BY_REFERENCE, is_odd.alias("odd"))
        found.append(read.mapInArrow(judge, from_arrow_schema(MATCHED)))
    if not found:
        nobody = sf.lit(None).cast("int").alias("proxy")
        found.append(df.filter(sf.lit(False)).select("origin", "seq", nobody, "position"))
    return reduce(DataFrame.unionByName, found)


def explain_match(
    book: PlanBook, occurring: Occurring = ANYTHING, *, limits: MatchLimits | None = None
) -> list[LaneOf]:
    """Explain how each unit of a book is matched, and why."""
    made = compile_book(book, limits or MatchLimits())
    names, bare = _names_met(made, occurring)
    met = []
    if names:
        met.append(f"where {' or '.join(f'${name}' for name in names)} holds what no column can")
    if bare:
        met.append("that are bare values")
    if not met:
        return made.lanes
    told = f"; Arrow batches for events {' and '.join(met)}"
    return [
        lane if lane.lanes == ("reference",) else lane._replace(why=lane.why + told)
        for lane in made.lanes
    ]


def _of_book(book: PlanBook) -> Column:
    """Select the events of the book's channels, and of known versions where one test suffices."""
    origins = sorted({unit.origin for unit in book.units})
    wanted = sf.col("origin").isin(*origins) if origins else sf.lit(False)
    since = constant_since(book)
    return wanted if since is None else wanted & (sf.col("plan") >= since)


def _names_met(made: Compiled, occurring: Occurring) -> tuple[list[str], bool]:
    """Return the names that may have other kinds, and whether bare values may occur."""
    names = {name for tree in made.trees for name in native_names(tree)}
    bare = any(map(reads_event, made.trees))
    return sorted(filter(occurring.as_other, names)), bare and occurring.as_other(BARE)


def _odd(made: Compiled, occurring: Occurring) -> Column | None:
    """Select the events that the table cannot judge; None if there are none."""
    names, bare = _names_met(made, occurring)
    tests = []
    if names:
        listed = ", ".join(map(quoted, names))
        tests += [f"arrays_overlap({part}_other, array({listed}))" for part in ("header", "data")]
    if bare:
        domain, type_ = map(quoted, ANY_EVENT_TYPE)
        tests.append(f"(type = {type_} AND domain = {domain})")
    return sf.expr(" OR ".join(tests)) if tests else None
