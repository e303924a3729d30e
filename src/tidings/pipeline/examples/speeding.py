"""Speeding offences per licence and area, where limits change over time.

Cars report `Traffic::Speed` events with `licence`, `area`, `rate` (km/h) and `at` (microseconds
since 1970). The control room sets limits with `Traffic::SpeedLimit` events: `area`, `limit`, and
`at`, from which on the limit applies. A car gets at most one `Traffic::Offence` per area and ten
minutes: for its first reading above the limit that applied then.

    tidings pipeline run src/tidings/pipeline/examples/speeding.py --archive … --url …
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as f

from tidings.pipeline import number
from tidings.pipeline.derive import Batch, derived, query

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TEN_MINUTES = 600_000_000
# Longest delay between a reading and its arrival.
LATE = 3_600_000_000


@query(reads="traffic", writes="offences")
def speeding(batch: Batch) -> DataFrame:
    """Publish one offence per licence, area and ten minutes."""
    limits = _limits(batch.upto(type="Traffic::SpeedLimit"))
    fast = _too_fast(_readings(batch.new(type="Traffic::Speed")), limits)
    # Offences before this batch are not reported again.
    since = batch.first_us - TEN_MINUTES - LATE
    known = _too_fast(_readings(batch.before(type="Traffic::Speed", since_us=since)), limits)
    key = ["licence", "area", "window"]
    first = Window.partitionBy(*key).orderBy("at", "seq")
    offences = (
        fast.join(known.select(*key).distinct(), key, "left_anti")
        .withColumn("place", f.row_number().over(first))
        .where("place = 1")
    )
    return derived(
        offences,
        domain="Traffic",
        type="Offence",
        name=f.col("licence"),
        data={
            "licence": f.col("licence"),
            "area": f.col("area"),
            "rate": f.col("rate"),
            "limit": f.col("limit"),
            "at": f.col("at"),
            "reading": f.col("seq"),
        },
        header={"Priority": f.when(f.col("rate") > f.col("limit") + 30, 4).otherwise(0)},
    )


def _readings(events: DataFrame) -> DataFrame:
    return events.select(
        "seq",
        f.col("data_string")["licence"].alias("licence"),
        f.col("data_string")["area"].alias("area"),
        number("rate").alias("rate"),
        f.coalesce(number("at").cast("bigint"), f.col("arrival_us")).alias("at"),
    ).withColumn("window", f.floor(f.col("at") / TEN_MINUTES))


def _limits(events: DataFrame) -> DataFrame:
    """Return when each limit applies; of two set for the same time, the later event wins."""
    rows = events.select(
        f.col("data_string")["area"].alias("area"),
        number("limit").alias("limit"),
        f.coalesce(number("at").cast("bigint"), f.col("arrival_us")).alias("since"),
        "seq",
    )
    order = Window.partitionBy("area").orderBy("since", "seq")
    return rows.withColumn("until", f.lead("since").over(order)).drop("seq")


def _too_fast(readings: DataFrame, limits: DataFrame) -> DataFrame:
    held = (
        (readings["area"] == limits["area"])
        & (readings["at"] >= limits["since"])
        & (limits["until"].isNull() | (readings["at"] < limits["until"]))
    )
    return (
        readings.join(f.broadcast(limits), held)
        .drop(limits["area"])
        .where(f.col("rate") > f.col("limit"))
    )
