"""The data pipeline: the same events, filters and plans, on Spark, over all history."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def number(name: str) -> Column:
    """A data property that is a number, whether its producer sent an integer or a real.

    The archive keeps integers and reals in two maps, so 130 and 130.5 of one property are in
    different columns. The result is a double, exact up to 2**53, and null where the property is
    missing or is not a number.
    """
    from pyspark.sql import functions as sf

    return sf.coalesce(sf.col("data_double")[name], sf.col("data_int")[name].cast("double"))
