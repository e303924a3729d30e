"""The data pipeline: Spark jobs over the archived events, filters and plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import Column

Progress: TypeAlias = Callable[[str, float], None]
"""Called by a job with the current step and the fraction that is done."""


def number(name: str) -> Column:
    """Return a numeric data property as a double, whether it was sent as an integer or a real.

    The archive keeps integers and reals in two maps, so 130 and 130.5 of one property are in
    different columns. The double is exact up to 2**53, and null where the property is missing or
    not a number.
    """
    from pyspark.sql import functions as sf

    return sf.coalesce(sf.col("data_double")[name], sf.col("data_int")[name].cast("double"))
