"""Constraints on Spark: expressions over the event columns of the archive.

The answer is the reference's for every row. What can be an expression is one; the reference itself
judges the rest, in Arrow batches. `plan_of` says which, and why.

Needs pyspark: ``pip install tidings[spark]``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from tidings.events.codecs.arrow_codec import BARE
from tidings.events.fields import ANY_EVENT_TYPE
from tidings.filters.constraint import Constraint
from tidings.filters.to_spark.batches import reference_column
from tidings.filters.to_spark.columns import ANYTHING, ARCHIVE, EventColumns, Occurring
from tidings.filters.to_spark.event_types import type_condition
from tidings.filters.to_spark.native import native_names, native_reason, reads_event
from tidings.filters.to_spark.translate import translate

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def matching(df: DataFrame, constraint: Constraint, occurring: Occurring = ANYTHING) -> DataFrame:
    """The events that a constraint matches; `occurring` is what the rows are known to have.

    If the constraint asks for nothing that occurs with a kind that no column holds, Spark works
    alone; otherwise only the rows that need it go through Arrow batches, and come last. See
    `plan_of`.
    """
    if df.isStreaming or native_reason(constraint.tree) is not None:
        return df.filter(match_column(constraint, EventColumns(occurring=occurring)))
    made = translate(constraint.tree, EventColumns(occurring=_met(constraint, occurring)))
    tried = type_condition(constraint.event_types)
    rows = df if tried is None else df.filter(tried)
    needs = made.needs_reference
    if needs is None:
        return rows.filter(made.native)
    # Reading twice is cheaper by far than a way through Python for rows that have no need of it.
    judged = rows.filter(needs).filter(reference_column(constraint))
    return rows.filter(~needs & made.native).unionAll(judged)


def match_column(constraint: Constraint, columns: EventColumns = ARCHIVE) -> Column:
    """TRUE in the rows that a constraint matches; FALSE or NULL in the others."""
    from pyspark.sql import functions as sf

    tried = type_condition(constraint.event_types, columns)
    if native_reason(constraint.tree) is not None:
        return reference_column(constraint, tried, columns)
    met = replace(columns, occurring=_met(constraint, columns.occurring))
    made = translate(constraint.tree, met)
    needs, answer = made.needs_reference, made.native
    if needs is not None:
        asked = needs if tried is None else tried & needs
        answer = sf.when(needs, reference_column(constraint, asked, columns)).otherwise(answer)
    return answer if tried is None else tried & answer


def _met(constraint: Constraint, occurring: Occurring) -> Occurring:
    """What this constraint can meet: one for other types meets no bare values."""
    if occurring.others is None or constraint.is_tried(*ANY_EVENT_TYPE):
        return occurring
    return replace(occurring, others=frozenset(occurring.others) - {BARE})


def plan_of(constraint: Constraint, occurring: Occurring = ANYTHING) -> str:
    """How a constraint is judged on Spark, in words: `native`, `Arrow batches: …` or both."""
    reason = native_reason(constraint.tree)
    if reason is not None:
        return f"Arrow batches: {reason}"
    names = native_names(constraint.tree)
    met = _met(constraint, occurring).others
    rows = []
    if names and met is None:
        rows.append(f"if {_listed(names)} holds what no column can")
    elif met is not None and names & frozenset(met):
        rows.append(f"where {_listed(names & frozenset(met))} holds what no column can")
    if reads_event(constraint.tree) and (met is None or BARE in met):
        rows.append("for bare values")
    return f"native; Arrow batches {' and '.join(rows)}" if rows else "native"


def _listed(names: Collection[str]) -> str:
    return " or ".join(f"${name}" for name in sorted(names))
