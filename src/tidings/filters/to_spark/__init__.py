"""Constraints on Spark: expressions over the event columns of the archive.

The answer is the reference's for every row. What can be an expression is one; the reference itself
judges the rest, in Arrow batches. `plan_of` says which, and why.

Needs pyspark: ``pip install tidings[spark]``.
"""

from __future__ import annotations

from tidings.filters.to_spark.batches import reference_batches, reference_column
from tidings.filters.to_spark.columns import ANYTHING, ARCHIVE, EventColumns, Occurring
from tidings.filters.to_spark.event_types import type_condition
from tidings.filters.to_spark.matching import match_column, matching, plan_of
from tidings.filters.to_spark.native import native_names, native_reason
from tidings.filters.to_spark.translate import Translation, translate

__all__ = [
    "ANYTHING",
    "ARCHIVE",
    "EventColumns",
    "Occurring",
    "Translation",
    "match_column",
    "matching",
    "native_names",
    "native_reason",
    "plan_of",
    "reference_batches",
    "reference_column",
    "translate",
    "type_condition",
]
