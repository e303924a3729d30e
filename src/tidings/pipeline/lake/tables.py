"""Typed tables: which column holds a property of which kind, how schemas evolve, and the rows.

The first kind of a property determines its column. Other kinds cannot change it, because existing
files already have it; they get columns of their own, `<column>__<kind>`, and count as conflicts.
Two cases fit without a conflict: integers in a column of doubles, if a double holds them exactly,
and empty sequences in a column of any sequence.

A folder name keeps ASCII letters, digits, `.`, `-` and `_`; everything else, and a leading `.` or
`_` (Spark ignores such folders), is percent-encoded as UTF-8. The empty name becomes `_`. Names of
more than 120 bytes are cut and end in `~` and a digest.

A column name keeps letters, digits and `_`; any other character becomes `_xHH_` with its code
point. The schema file of the type has the original property, so nothing has to decode this.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tidings.errors import PipelineFailed
from tidings.events.fields import ANY_EVENT_TYPE

FORMAT: Final = 1
JSON: Final = "json"
BODY: Final = "body"
"""The part that holds a bare value; it has no name."""
EMPTY_SEQUENCE: Final = "empty"
SEQUENCES: Final = ("ints", "doubles", "strings", "bools")
_SIMPLE: Final = ("int", "double", "string", "bool")
KINDS: Final = (*_SIMPLE, *SEQUENCES, JSON)
# Integers up to here are exact as doubles.
LARGEST_EXACT: Final = 2**53

FIXED: Final = ("origin", "channel", "seq", "arrival", "name", "priority", "producer", "number")
_EMPTY_NAME: Final = "_"
_MAX_FOLDER: Final = 120  # encoded; file systems allow 255 bytes
_MAX_COLUMN: Final = 120
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._-]")
_NONE: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})
PARTITION: Final = "date"
_TAKEN: Final = frozenset({*FIXED, PARTITION})
_DAY_US: Final = 86_400_000_000
_FIRST_DAY: Final = -719_162  # 0001-01-01
_LAST_DAY: Final = 2_932_896  # 9999-12-31
_ELEMENTS: Final = dict(zip(SEQUENCES, ("bigint", "double", "string", "boolean"), strict=True))
# Properties of an event as JSON texts, whatever their types.
_RAW_FORM: Final = "header MAP<STRING, STRING>, data MAP<STRING, STRING>, body STRING"
_RAW: Final = "_raw_properties"
_names_of: Final = msgspec.json.Decoder(list[list[str]]).decode


class FoundProperty(NamedTuple):
    """A property of an event, with its kind."""

    part: str  # `header` or `data`; `body` for bare values
    name: str
    kind: str


class PropertyColumn(msgspec.Struct, frozen=True):
    """A column of a typed table."""

    column: str
    part: str
    name: str
    kind: str


class TypeSchema(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of a typed table beyond the fixed ones, in order of appearance."""

    domain: str
    type: str
    columns: tuple[PropertyColumn, ...] = ()
    format: int = FORMAT

    def of_property(self, part: str, name: str) -> list[PropertyColumn]:
        """Return the columns of a property, its original one first."""
        return [one for one in self.columns if one.part == part and one.name == name]


class KindConflict(msgspec.Struct, frozen=True):
    """A property whose kind differs from that of its column."""

    domain: str
    type: str
    part: str
    name: str
    kind: str
    column: str  # column that holds the values of this kind
    rows: int


@dataclass(frozen=True, slots=True)
class SchemaGrowth:
    """A schema after a batch."""

    schema: TypeSchema
    changed: bool  # whether columns were added
    # Properties of this batch of another kind than their column
    conflicts: tuple[KindConflict, ...]
    left_out: tuple[FoundProperty, ...]  # properties without a column, because there are too many


def widened(schema: TypeSchema, found: Iterable[FoundProperty]) -> list[tuple[str, str]]:
    """Return the properties, as (part, name), whose integers go into a column of doubles."""
    kinds = _kinds_by_property(found)
    return [
        (part, name)
        for (part, name), seen in kinds.items()
        if "int" in seen and _main_kind(schema.of_property(part, name), seen) == "double"
    ]


def grow_schema(
    schema: TypeSchema,
    found: Mapping[FoundProperty, int],
    *,
    wide: Mapping[tuple[str, str], int] = _NONE,
    most: int = 500,
) -> SchemaGrowth:
    """Add columns for all properties found, up to `most` beyond the fixed ones.

    `found` and `wide` count rows; `wide` has those of `widened` with integers that a double cannot
    hold.
    """
    columns = list(schema.columns)
    conflicts: list[KindConflict] = []
    left_out: list[FoundProperty] = []
    for (part, name), seen in sorted(_kinds_by_property(found).items()):
        own = schema.of_property(part, name)
        main = _main_kind(own, seen)
        # The main kind first, empty sequences last, as they fit any sequence column.
        for kind in dict.fromkeys((main, *KINDS, EMPTY_SEQUENCE)):
            if kind not in seen or _fits(kind, main, own, is_wide=(part, name) in wide):
                continue
            kept = "ints" if kind == EMPTY_SEQUENCE else kind
            column = next((one for one in own if one.kind == kept), None)
            if column is None and len(columns) >= most:
                left_out.append(FoundProperty(part, name, kept))
                continue
            if column is None:
                column = PropertyColumn(
                    _new_name(part, name, kept, main, columns), part, name, kept
                )
                columns.append(column)
                own = [*own, column]
            if kept != main:
                rows = wide.get((part, name), 0) if kind == "int" else 0
                rows = rows or found[FoundProperty(part, name, kind)]
                conflicts.append(
                    KindConflict(schema.domain, schema.type, part, name, kept, column.column, rows)
                )
    after = TypeSchema(domain=schema.domain, type=schema.type, columns=tuple(columns))
    return SchemaGrowth(
        after, len(columns) > len(schema.columns), tuple(conflicts), tuple(left_out)
    )


def _kinds_by_property(found: Iterable[FoundProperty]) -> dict[tuple[str, str], set[str]]:
    kinds: dict[tuple[str, str], set[str]] = {}
    for one in found:
        kinds.setdefault((one.part, one.name), set()).add(one.kind)
    return kinds


def _main_kind(own: list[PropertyColumn], seen: Collection[str]) -> str:
    """Return the kind whose column has the property's own name."""
    kinds = [one.kind for one in own if one.kind != JSON]
    if kinds:
        return kinds[0]
    if "double" in seen:
        return "double"
    for kind in KINDS:
        if kind in seen and kind != JSON:
            return kind
    return "ints" if EMPTY_SEQUENCE in seen else JSON


def _fits(kind: str, main: str, own: list[PropertyColumn], *, is_wide: bool) -> bool:
    if kind == "int" and main == "double":
        return not is_wide
    return kind == EMPTY_SEQUENCE and any(one.kind in SEQUENCES for one in own)


def _new_name(part: str, name: str, kind: str, main: str, columns: Iterable[PropertyColumn]) -> str:
    made = column_name(name)
    if part == BODY:
        made = BODY
    elif part == "header":
        made = f"header_{made}"
    elif same_column(made) in _TAKEN:
        made = f"data_{made}"
    if kind == JSON or kind != main:
        made = f"{made}__{kind}"
    return unused_column(made, {same_column(one.column) for one in columns})


# Names of folders and columns.


def folder_name(name: str) -> str:
    """Return the folder of a domain or type; unique for each name."""
    if not name:
        return _EMPTY_NAME
    octets = name.encode("utf-8", "surrogatepass")
    made = "".join(
        chr(octet) if _PLAIN.match(bytes([octet])) else f"%{octet:02X}" for octet in octets
    )
    if made[0] in "._":
        made = f"%{ord(made[0]):02X}{made[1:]}"
    return _cut(made, name, _MAX_FOLDER, "~")


def table_of_type(domain: str, type: str) -> str:
    """Return the table of an event type, such as `types/Traffic/Speed`."""
    return f"types/{folder_name(domain)}/{folder_name(type)}"


def column_name(name: str) -> str:
    """Return a portable column name; different properties may get the same."""
    made = "".join(char if _is_portable(char) else f"_x{ord(char):x}_" for char in name)
    return _cut(made or _EMPTY_NAME, name, _MAX_COLUMN, "__")


def same_column(name: str) -> str:
    """Fold a name; Spark treats names with equal results as one column."""
    return name.lower()


def unused_column(name: str, used: Container[str]) -> str:
    """Return the name, with a number appended if it is used."""
    made, number = name, 1
    while same_column(made) in used:
        number += 1
        made = f"{name}__{number}"
    return made


def _is_portable(char: str) -> bool:
    if char == "_" or (char.isascii() and char.isalnum()):
        return True
    # Only letters with one lower and one upper form: others compare equal in Java but not here.
    return (
        char.isalnum()
        and len(char.lower()) == len(char.upper()) == 1
        and char.upper().lower() == char.lower()
    )


def _cut(made: str, name: str, most: int, mark: str) -> str:
    if len(made.encode()) <= most:
        return made
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    kept = made.encode()[: most - 20].decode(errors="ignore")
    return f"{kept}{mark}{digest}"


# Schema files.


def schema_path(domain: str, type: str) -> str:
    """Return the path of a type's schema file."""
    return f"_schemas/{table_of_type(domain, type).removeprefix('types/')}.json"


def schema_octets(schema: TypeSchema) -> bytes:
    """Encode a schema."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=1)


def read_schema(octets: bytes, place: str) -> TypeSchema:
    """Decode a schema."""
    try:
        schema = msgspec.json.decode(octets, type=TypeSchema)
    except msgspec.MsgspecError as error:
        raise PipelineFailed(f"{place} is no schema of a typed table: {error}") from error
    if schema.format > FORMAT:
        raise PipelineFailed(
            f"{place} has format {schema.format}; this version of Tidings knows {FORMAT}"
        )
    return schema


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
    maps = (*product(("header", "data"), _SIMPLE), *(("data", kind) for kind in SEQUENCES[1:]))
    keys = {(part, kind): F.map_keys(f"{part}_{kind}") for part, kind in maps}
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


def of_type(events: DataFrame, schema: TypeSchema) -> DataFrame:
    """Return the events of a type."""
    return events.where((F.col("domain") == schema.domain) & (F.col("type") == schema.type))


def typed(events: DataFrame, schema: TypeSchema) -> DataFrame:
    """Convert events of a type to rows of its table, with the date of arrival."""
    own = of_type(events, schema)
    if any(one.kind == JSON for one in schema.columns):
        domain, type_ = ANY_EVENT_TYPE
        is_bare = (F.col("domain") == domain) & (F.col("type") == type_)
        has_others = (F.size("header_other") > 0) | (F.size("data_other") > 0) | is_bare
        text = F.decode("raw", "utf-8")
        own = own.withColumn(_RAW, F.when(has_others, F.from_json(text, _RAW_FORM)))
    cells = (_cell(one, schema).alias(one.column) for one in schema.columns)
    timed = own.withColumn("arrival", F.timestamp_micros("arrival_us"))
    return timed.select(*FIXED, *cells, day_of(F.col("arrival_us")).alias(PARTITION))


def _cell(column: PropertyColumn, schema: TypeSchema) -> Column:
    part, name, kind = column.part, column.name, column.kind
    kinds = [one.kind for one in schema.of_property(part, name)]
    main = next((one for one in kinds if one != JSON), None)
    if part == BODY:
        return F.col(_RAW).getField(BODY)
    if kind == JSON:
        is_other = F.array_contains(F.col(f"{part}_other"), name)
        return F.when(is_other, F.col(_RAW).getField(part).getItem(name))
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
        empty = F.array().cast(f"array<{_ELEMENTS[kind]}>")
        return F.coalesce(value, F.when(F.size(integers) == 0, empty))
    return F.when(F.size(integers) > 0, integers) if kind == "ints" else value


def _value(kind: str, part: str, name: str) -> Column:
    return F.col(f"{part}_{kind}").getItem(name)


def _is_wide(integer: Column) -> Column:
    return (integer > LARGEST_EXACT) | (integer < -LARGEST_EXACT)
