"""What no expression can judge: Arrow batches, judged by the reference.

Only the constraint's text and its event types are sent to the executors, which need nothing but
this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias
from typing import Any as Unknown

import pyarrow as pa

from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import fields_for
from tidings.filters.constraint import Constraint, EventTypePattern, accepted_constraint
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns

if TYPE_CHECKING:
    from pyspark.sql import Column

_Types: TypeAlias = tuple[EventTypePattern, ...]
_Batches: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@lru_cache(maxsize=256)
def _constraint(text: str, event_types: _Types) -> Constraint:
    """A constraint, parsed once in every process."""
    return accepted_constraint(text, event_types)


def _verdicts(
    text: str, types: _Types, raw: pa.Array[Unknown], arrival: pa.Array[Unknown]
) -> pa.Array[Unknown]:
    """Whether each event matches; a missing one does not."""
    asked = _constraint(text, types)
    answers = [
        octets is not None
        and now is not None
        and asked.matches(fields_for(decode_event(octets), now))
        for octets, now in zip(raw.to_pylist(), arrival.to_pylist(), strict=True)
    ]
    return pa.array(answers, pa.bool_())


def reference_batches(text: str, event_types: _Types = ()) -> _Batches:
    """A function for `mapInArrow` that keeps the events a constraint matches.

    Its batches need the columns `raw` and `arrival_us`; they may have others.
    """

    def keep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            answers = _verdicts(text, event_types, batch["raw"], batch["arrival_us"])
            yield batch.filter(answers)

    return keep


def reference_column(
    constraint: Constraint, needed: Column | None = None, columns: EventColumns = ARCHIVE
) -> Column:
    """Whether an event matches, by the reference, which Spark calls in Arrow batches.

    `needed` says which rows to judge; the others do not match. All if None.
    """
    from pyspark.sql import functions as sf
    from pyspark.sql.types import BooleanType

    text, types = constraint.text, constraint.event_types

    # Spark evaluates these annotations, and pyarrow's classes take no arguments.
    def reference(raw: pa.Array, arrival_us: pa.Array) -> pa.Array:  # type: ignore[type-arg]
        return _verdicts(text, types, raw, arrival_us)

    raw = sf.expr(columns.named("raw"))
    asked = raw if needed is None else sf.when(needed, raw)
    judge = sf.arrow_udf(reference, BooleanType())  # type: ignore[attr-defined]
    answer: Column = judge(asked, sf.expr(columns.named("arrival_us")))
    return answer
