"""Typed tables on Spark: find the properties of a batch's events, and convert events to rows.

Only native Spark expressions; no Python runs on executors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tidings.events.fields import ANY_EVENT_TYPE
from tidings.pipeline.lake.schemas import (
    BODY,
    EMPTY_SEQUENCE,
    JSON,
    LARGEST_EXACT,
    SEQUENCES,
    FoundProperty,
    PropertyColumn,
    TypeSchema,
)

PARTITION: Final = "date"
_DAY_US: Final = 86_400_000_000
_FIRST_DAY: Final = -719_162  # 0001-01-01
_LAST_DAY: Final = 2_932_896  # 9999-12-31
_SIMPLE: Final = ("int", "double", "string", "bool")
_TYPE_NAMES: Final = {
    "int": "bigint",
    "double": "double",
    "string": "string",
    "bool": "boolean",
    "ints": "array<bigint>",
    "doubles": "array<double>",
    "strings": "array<string>",
    "bools": "array<boolean>",
    JSON: "string",
}
# Properties of an event as JSON texts, whatever their types.
_RAW_FORM: Final = "header MAP<STRING, STRING>, data MAP<STRING, STRING>, body STRING"
_RAW: Final = "_raw_properties"


_names_of: Final = msgspec.json.Decoder(list[list[str]]).decode


@dataclass(slots=True)
class TypeFound:
    """The events of one type in a batch."""

    rows: int = 0
    # Properties, with the number of rows.
    found: dict[FoundProperty, int] = field(default_factory=dict)
    unnoted: int = 0  # occurrences of properties beyond the limit

    def note(self, found: FoundProperty, rows: int, most: int) -> None:
        """Count a property, unless there are too many."""
        if found in self.found or len(self.found) < most:
            self.found[found] = self.found.get(found, 0) + rows
        else:
            self.unnoted += 1


def day_of(microseconds: Column) -> Column:
    """Return the UTC date of a time, whatever the session's time zone.

    Times outside the years 1 to 9999, from a wrong clock, get the first or last day.
    """
    days = F.floor(microseconds / F.lit(_DAY_US)).cast("int")
    days = F.least(F.greatest(days, F.lit(_FIRST_DAY)), F.lit(_LAST_DAY))
    date = F.date_add(F.lit("1970-01-01").cast("date"), days)
    return F.when(microseconds.isNotNull(), date)


def found_types(events: DataFrame, most: int) -> dict[tuple[str, str], TypeFound]:
    """Return the types of events, by (domain, type), with their properties.

    Executors count events by shape; only shapes reach the driver.
    """
    keys = _keys()
    # Spark groups by one text much faster than by sixteen lists.
    shape = F.to_json(F.array(*keys.values())).alias("shape")
    counted = events.groupBy("domain", "type", shape).count()
    types: dict[tuple[str, str], TypeFound] = {}
    # Not collected: in the worst case every event has its own shape.
    for domain, type_, text, rows in counted.toLocalIterator():
        seen = types.setdefault((domain, type_), TypeFound())
        seen.rows += rows
        for (part, kind), names in zip(keys, _names_of(text), strict=True):
            for name in names:
                seen.note(FoundProperty(part, name, kind), rows, most)
    if ANY_EVENT_TYPE in types:
        types[ANY_EVENT_TYPE].found[FoundProperty(BODY, "", JSON)] = types[ANY_EVENT_TYPE].rows
    return types


def _keys() -> dict[tuple[str, str], Column]:
    """Return the property names of an event for each part and kind."""
    keys = {
        (part, kind): F.map_keys(f"{part}_{kind}")
        for part in ("header", "data")
        for kind in _SIMPLE
    }
    for kind in SEQUENCES[1:]:
        keys["data", kind] = F.map_keys(f"data_{kind}")
    keys["data", "ints"] = F.map_keys(F.map_filter("data_ints", lambda _, v: F.size(v) > 0))
    keys["data", EMPTY_SEQUENCE] = F.map_keys(
        F.map_filter("data_ints", lambda _, v: F.size(v) == 0)
    )
    for part in ("header", "data"):
        keys[part, JSON] = F.col(f"{part}_other")
    return keys


def wide_integers(
    events: DataFrame, properties: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """Count the rows of each property with integers that a double cannot hold exactly."""
    asked = list(properties)
    if not asked:
        return {}
    counts = [F.count_if(_is_wide(_value("int", part, name))) for part, name in asked]
    (row,) = events.agg(*(count.alias(f"_{i}") for i, count in enumerate(counts))).collect()
    return {one: count for one, count in zip(asked, row, strict=True) if count}


def typed(events: DataFrame, schema: TypeSchema) -> DataFrame:
    """Convert events of a type to rows of its table, with the date of arrival."""
    own = events.where((F.col("domain") == schema.domain) & (F.col("type") == schema.type))
    if any(one.kind == JSON for one in schema.columns):
        has_others = (F.size("header_other") > 0) | (F.size("data_other") > 0) | _is_bare()
        text = F.decode("raw", "utf-8")
        own = own.withColumn(_RAW, F.when(has_others, F.from_json(text, _RAW_FORM)))
    return own.select(
        "origin",
        "channel",
        "seq",
        F.timestamp_micros("arrival_us").alias("arrival"),
        "name",
        "priority",
        "producer",
        "number",
        *(_cell(one, schema).alias(one.column) for one in schema.columns),
        day_of(F.col("arrival_us")).alias(PARTITION),
    )


def _cell(column: PropertyColumn, schema: TypeSchema) -> Column:
    part, name, kind = column.part, column.name, column.kind
    kinds = [one.kind for one in schema.of_property(part, name)]
    main = next((one for one in kinds if one != JSON), None)
    if kind == JSON:
        return _raw_value(part, name)
    value = _value(kind, part, name)
    if kind == "double" and main == "double":
        whole = _value("int", part, name)
        value = F.coalesce(value, F.when(~_is_wide(whole), whole.cast("double")))
    elif kind == "int" and main == "double":
        value = F.when(_is_wide(value), value)
    elif kind in SEQUENCES:
        value = _sequence(value, kind, name, next(one for one in kinds if one in SEQUENCES))
    return value


def _sequence(value: Column, kind: str, name: str, first: str) -> Column:
    """Return a sequence; empty ones, archived as integers, go to the first sequence column."""
    integers = _value("ints", "data", name)
    if kind == first:
        empty = F.array().cast(_TYPE_NAMES[kind])
        return F.coalesce(value, F.when(F.size(integers) == 0, empty))
    return F.when(F.size(integers) > 0, integers) if kind == "ints" else value


def _value(kind: str, part: str, name: str) -> Column:
    return F.col(f"{part}_{kind}").getItem(name)


def _raw_value(part: str, name: str) -> Column:
    if part == BODY:
        return F.col(_RAW).getField(BODY)
    others = F.col(f"{part}_other")
    return F.when(F.array_contains(others, name), F.col(_RAW).getField(part).getItem(name))


def _is_bare() -> Column:
    return (F.col("domain") == ANY_EVENT_TYPE[0]) & (F.col("type") == ANY_EVENT_TYPE[1])


def _is_wide(integer: Column) -> Column:
    return (integer > LARGEST_EXACT) | (integer < -LARGEST_EXACT)
