"""Loss-of-separation warnings from aircraft positions.

Positions are `Surveillance::Position` events with `icao24`, `callsign`, `latitude`, `longitude`,
`altitude` (feet), `onground` and `at` (microseconds since 1970), one a second for each aircraft.
Two airborne aircraft that are closer than 5 nautical miles and 1,000 feet in the same second have
lost separation: one `Surveillance::LossOfSeparation` per pair and minute.

    tidings pipeline run src/tidings/pipeline/examples/separation.py --archive … --url …
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as f

from tidings.pipeline import number
from tidings.pipeline.derive import Batch, derived, query

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MILES, FEET = 5.0, 1_000.0
EARTH_MILES = 3_440.065  # radius in nautical miles
# Feet; below, other rules separate aircraft on parallel approaches.
LOWEST = 6_000.0
SECOND, MINUTE = 1_000_000, 60_000_000
# Positions of the same second may be sealed into two batches and arrive some time apart.
LATE = 120 * SECOND
# Degrees; a cell is larger than 5 nautical miles up to 65 degrees north.
CELL_NORTH, CELL_EAST = 0.1, 0.2


@query(reads="positions", writes="warnings")
def separation(batch: Batch) -> DataFrame:
    """Publish one warning per pair of aircraft and minute."""
    new = _positions(batch.new(type="Surveillance::Position"))
    since = batch.first_us - LATE - MINUTE
    known = _positions(batch.before(type="Surveillance::Position", since_us=since))
    tagged = new.withColumn("fresh", f.lit(True)).unionByName(
        known.withColumn("fresh", f.lit(False))
    )
    close = _close_pairs(tagged)
    first = Window.partitionBy("one", "two", "minute").orderBy("second")
    losses = (
        close.withColumn("place", f.row_number().over(first))
        .withColumn(
            "warned", f.max(~f.col("fresh")).over(Window.partitionBy("one", "two", "minute"))
        )
        .where("place = 1 and not warned")
    )
    return derived(
        losses,
        domain="Surveillance",
        type="LossOfSeparation",
        name=f.concat_ws("/", "one", "two"),
        data={
            "one": f.col("one"),
            "two": f.col("two"),
            "callsigns": f.concat_ws("/", "callsign_one", "callsign_two"),
            "miles": f.round("miles", 3),
            "feet": f.col("feet"),
            "at": f.col("second") * SECOND,
        },
        header={"Priority": f.lit(5)},
    )


def _positions(events: DataFrame) -> DataFrame:
    """Return one position per airborne aircraft and second."""
    rows = events.select(
        f.col("data_string")["icao24"].alias("icao24"),
        f.col("data_string")["callsign"].alias("callsign"),
        number("latitude").alias("latitude"),
        number("longitude").alias("longitude"),
        number("altitude").alias("altitude"),
        f.floor(number("at") / SECOND).alias("second"),
        f.coalesce(f.col("data_bool")["onground"], f.lit(False)).alias("onground"),
    )
    flying = rows.where(f"not onground and altitude >= {LOWEST}").dropna(
        subset=["icao24", "latitude", "longitude", "second"]
    )
    return flying.withColumn("north", f.floor(f.col("latitude") / CELL_NORTH)).withColumn(
        "east", f.floor(f.col("longitude") / CELL_EAST)
    )


def _close_pairs(positions: DataFrame) -> DataFrame:
    """Return pairs that are too close in the same second; fresh if either position is new."""
    around = f.array(
        *(
            f.struct(f.lit(n).alias("n"), f.lit(e).alias("e"))
            for n in (-1, 0, 1)
            for e in (-1, 0, 1)
        )
    )
    near = positions.withColumn("step", f.explode(around))
    near = near.withColumn("north", f.col("north") + f.col("step.n")).withColumn(
        "east", f.col("east") + f.col("step.e")
    )
    one, two = positions.alias("a"), near.alias("b")
    joined = one.join(two, ["second", "north", "east"]).where("a.icao24 < b.icao24")
    miles = _miles(
        f.col("a.latitude"), f.col("a.longitude"), f.col("b.latitude"), f.col("b.longitude")
    )
    rows = joined.select(
        f.col("a.icao24").alias("one"),
        f.col("b.icao24").alias("two"),
        f.col("a.callsign").alias("callsign_one"),
        f.col("b.callsign").alias("callsign_two"),
        "second",
        f.floor(f.col("second") / 60).alias("minute"),
        miles.alias("miles"),
        f.abs(f.col("a.altitude") - f.col("b.altitude")).alias("feet"),
        (f.col("a.fresh") | f.col("b.fresh")).alias("fresh"),
    )
    return rows.where(f"miles < {MILES} and feet < {FEET}")


def _miles(lat: Column, lon: Column, lat2: Column, lon2: Column) -> Column:
    half_north = f.sin(f.radians(lat2 - lat) / 2)
    half_east = f.sin(f.radians(lon2 - lon) / 2)
    share = (
        half_north * half_north
        + f.cos(f.radians(lat)) * f.cos(f.radians(lat2)) * half_east * half_east
    )
    return f.asin(f.sqrt(share)) * 2 * EARTH_MILES
