"""Event-type patterns as Spark expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tidings.filters.constraint import EventTypePattern
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column


def type_condition(
    patterns: Iterable[EventTypePattern], columns: EventColumns = ARCHIVE
) -> Column | None:
    """Which rows a constraint with these patterns applies to; None for all."""
    from pyspark.sql import functions as sf

    made = type_expression(patterns, columns)
    return None if made is None else sf.expr(made)


def type_expression(
    patterns: Iterable[EventTypePattern], columns: EventColumns = ARCHIVE
) -> str | None:
    """`type_condition` as SQL text; no session is needed."""
    tests = []
    for pattern in patterns:
        both = []
        if not pattern.any_domain:
            both.append(_fits(columns.named("domain"), pattern.domain))
        if not pattern.any_type:
            both.append(_fits(columns.named("type"), pattern.type))
        if not both:
            return None
        tests.append(f"({' AND '.join(both)})")
    return f"({' OR '.join(dict.fromkeys(tests))})" if tests else None


def _fits(column: str, pattern: str) -> str:
    """Whether a column matches a pattern with `*`."""
    if "*" not in pattern:
        return f"{column} = {quoted(pattern)}"
    first, *middle, last = pattern.split("*")
    pieces = [piece for piece in middle if piece]
    if not pieces and not last:
        return f"startswith({column}, {quoted(first)})"
    if not pieces and not first:
        return f"endswith({column}, {quoted(last)})"
    # Each piece is taken where it comes first and never sought again, so no pattern is slow.
    inner = "".join(f"(?>.*?{_literally(piece)})" for piece in pieces)
    regex = f"(?s)\\A{_literally(first)}{inner}.*{_literally(last)}\\z"
    return f"{column} RLIKE {quoted(regex)}"


def _literally(text: str) -> str:
    """A text as a regular expression of Java's."""
    return re.sub(r"[^A-Za-z0-9]", lambda found: f"\\x{{{ord(found[0]):x}}}", text)
