"""Schemas of typed tables: which column holds a property of which kind, and how they evolve.

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
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from tidings.errors import PipelineFailed

FORMAT: Final = 1
JSON: Final = "json"
BODY: Final = "body"
"""The part that holds a bare value; it has no name."""
EMPTY_SEQUENCE: Final = "empty"
SEQUENCES: Final = ("ints", "doubles", "strings", "bools")
KINDS: Final = ("int", "double", "string", "bool", *SEQUENCES, JSON)
# Integers up to here are exact as doubles.
LARGEST_EXACT: Final = 2**53

FIXED: Final = ("origin", "channel", "seq", "arrival", "name", "priority", "producer", "number")
_EMPTY_NAME: Final = "_"
_MAX_FOLDER: Final = 120  # encoded; file systems allow 255 bytes
_MAX_COLUMN: Final = 120
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._-]")
_NONE: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})
_TAKEN: Final = frozenset({*FIXED, "date"})  # `date` is the partition column


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
        for kind in _in_order(seen, main):
            if _fits(kind, main, own, is_wide=(part, name) in wide):
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


def _in_order(seen: Collection[str], main: str) -> list[str]:
    """Sort kinds: the main one first, empty sequences last, as they fit any sequence column."""
    order = (main, *KINDS, EMPTY_SEQUENCE)
    return [kind for kind in dict.fromkeys(order) if kind in seen]


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
    made = "".join(char if _stays(char) else f"_x{ord(char):x}_" for char in name)
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


def _stays(char: str) -> bool:
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
