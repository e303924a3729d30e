"""Data checks as code: expectations on events, and quarantine for rows that fail them.

A check is a constraint in the filter language, or a function that returns a Spark column.
A checks file is a Python file with a list `EXPECTATIONS`:

    from tidings.pipeline.expectations import Expectation, Severity
    from tidings.pipeline.ready_checks import fresh, in_range, not_null

    EXPECTATIONS = [
        not_null("licence", event_types=["Traffic::Speed"]),
        in_range("rate", 0, 400, event_types=["Traffic::Speed"]),
        fresh("measured", ahead="5m", severity=Severity.WARNING),
        Expectation("limit or zone", "exist $limit or exist $zone"),
    ]

A row fails a constraint that raises an error, for example because a property is missing, and a
column that is NULL.
"""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from tidings.errors import InvalidUsage, TidingsError
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.to_spark import match_column
from tidings.filters.to_spark.columns import ANYTHING, EventColumns, Occurring
from tidings.filters.to_spark.event_types import type_condition

LIST_NAME: Final = "EXPECTATIONS"

ColumnMaker: TypeAlias = Callable[[], Column]


class Severity(StrEnum):
    """What happens to a row that fails a check."""

    ERROR = "error"
    """The row goes to quarantine."""
    WARNING = "warning"
    """The row is counted and kept."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A check on all events, or on those of some types.

    Attributes:
        name: Name in counts and reasons.
        check: A constraint that must match, or a function that returns a column that must be true.
        event_types: Types to check, such as `Traffic::Speed` or `Traffic::*`; empty for all.
        severity: What happens to a row that fails.
        reason: Reason given for such a row; by default the constraint itself.
    """

    name: str
    check: str | ColumnMaker
    event_types: Sequence[str] = ()
    severity: Severity = Severity.ERROR
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise InvalidUsage(f"a check needs a name, not {self.name!r}")
        if not isinstance(self.check, str) and not callable(self.check):
            raise InvalidUsage(
                f"the check {self.name!r} is {self.check!r}; it should be a constraint, or a "
                "function that makes a column"
            )
        self.constraint()

    def constraint(self) -> Constraint:
        """The check as a constraint; TRUE with the event types if the check is a column."""
        text = self.check if isinstance(self.check, str) else ""
        return constraint(text, self.event_types)

    @property
    def told(self) -> str:
        """Reason given for a row that fails."""
        if self.reason:
            return f"{self.name}: {self.reason}"
        return f"{self.name}: {self.check} does not hold" if self.check else self.name


@dataclass(frozen=True, slots=True)
class Split:
    """Rows that pass and rows that fail."""

    good: DataFrame  # with their original columns
    bad: DataFrame  # with the extra columns `failed` (names of checks) and `reason`
    # All rows with `failed`, `warned` and `reason`; `good` and `bad` are derived from it
    judged: DataFrame
    expectations: tuple[Expectation, ...]

    def counts(self) -> dict[str, int]:
        """Count the failing rows of each check; runs one Spark job."""
        otherwise = sf.explode(sf.concat("failed", "warned")).alias("name")
        found = self.judged.select(otherwise).groupBy("name").count().collect()
        counted = {row["name"]: int(row["count"]) for row in found}
        return {one.name: counted.get(one.name, 0) for one in self.expectations}


def split(
    df: DataFrame, expectations: Iterable[Expectation], occurring: Occurring = ANYTHING
) -> Split:
    """Separate rows that pass all checks from those that fail one.

    `df` has the columns of the archive's events, `occurring` the properties it is known to have.
    Raises InvalidUsage if two checks have the same name.
    """
    expected = tuple(expectations)
    for name, count in Counter(one.name for one in expected).items():
        if count > 1:
            raise InvalidUsage(f"two checks are called {name!r}; each needs a name of its own")
    columns = df.columns
    judged = df.select(
        "*", *(_holds(one, occurring).alias(_flag(i)) for i, one in enumerate(expected))
    )

    def told(severity: Severity, text: Callable[[Expectation], str]) -> Column:
        entries = [
            sf.when(~sf.col(_flag(i)), sf.lit(text(one)))
            for i, one in enumerate(expected)
            if one.severity is severity
        ]
        return sf.array_compact(sf.array(*entries)) if entries else sf.array().cast("array<string>")

    reasons = sf.array_join(told(Severity.ERROR, lambda one: one.told), "; ")
    judged = judged.select(
        *columns,
        told(Severity.ERROR, lambda one: one.name).alias("failed"),
        told(Severity.WARNING, lambda one: one.name).alias("warned"),
        reasons.alias("reason"),
    )
    good = judged.where(sf.size("failed") == 0).select(*columns)
    bad = judged.where(sf.size("failed") > 0).select(*columns, "failed", "reason")
    return Split(good, bad, judged, expected)


def _flag(index: int) -> str:
    return f"_check_{index}"


def _holds(expectation: Expectation, occurring: Occurring) -> Column:
    """Return whether a row passes or the check does not apply to it; never NULL."""
    asked = expectation.constraint()
    check = expectation.check
    holds = (
        match_column(asked, EventColumns(occurring=occurring))
        if isinstance(check, str)
        else check()
    )
    holds = sf.coalesce(holds, sf.lit(False))
    tried = type_condition(asked.event_types)
    return holds if tried is None else ~tried | holds


def load_expectations(path: Path) -> tuple[Expectation, ...]:
    """Run a Python file and return its list `EXPECTATIONS`; raise InvalidUsage if that fails."""
    try:
        found = runpy.run_path(str(path)).get(LIST_NAME)
    except TidingsError as error:
        raise InvalidUsage(f"{path}: {error}") from error
    except Exception as error:  # the file may raise anything
        raise InvalidUsage(f"{path}: {type(error).__name__}: {error}") from error
    if not isinstance(found, (list, tuple)) or not all(isinstance(o, Expectation) for o in found):
        raise InvalidUsage(
            f"{path} has no list {LIST_NAME} of checks, such as "
            f"{LIST_NAME} = [Expectation('rate is there', 'exist $rate')]"
        )
    return tuple(found)
