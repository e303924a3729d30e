"""Schemas of typed tables: which column holds a property of which kind, and how that grows.

A property gets a column of the kind it comes with first. Later kinds do not change it, because
files that are there already have it: they get columns of their own, `<column>__<kind>`, and
count as conflicts. Two things fit without one: integers in a column of doubles, as long as a
double holds them exactly, and empty sequences in a column of any sequence.

A folder keeps letters, digits, `.`, `-` and `_` of ASCII; everything else, and a `.` or `_` at the
beginning (Spark passes such folders over), is percent-encoded as UTF-8. The empty name is `_`.
Names of more than 120 octets are cut, and end in `~` and a digest.

A column keeps letters, digits and `_`; another character is `_xHH_` with its code point. The
property itself stands in the schema file of its type, so nothing depends on undoing this.
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
"""The part that a bare value is; it has no name."""
EMPTY_SEQUENCE: Final = "empty"
SEQUENCES: Final = ("ints", "doubles", "strings", "bools")
KINDS: Final = ("int", "double", "string", "bool", *SEQUENCES, JSON)
# Integers up to here are exact as doubles.
LARGEST_EXACT: Final = 2**53

FIXED: Final = ("origin", "channel", "seq", "arrival", "name", "priority", "producer", "number")
_EMPTY_NAME: Final = "_"
_MAX_FOLDER: Final = 120  # encoded; file systems take 255 octets
_MAX_COLUMN: Final = 120
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._-]")
_NONE: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})
_TAKEN: Final = frozenset({*FIXED, "date"})  # `date` is the folder


class FoundProperty(NamedTuple):
    """A property of a kind, as it came."""

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
    """The columns of a typed table behind the fixed ones, in the order they came."""

    domain: str
    type: str
    columns: tuple[PropertyColumn, ...] = ()
    format: int = FORMAT

    def of_property(self, part: str, name: str) -> list[PropertyColumn]:
        """The columns of a property; the first is the one it came with first."""
        return [one for one in self.columns if one.part == part and one.name == name]


class KindConflict(msgspec.Struct, frozen=True):
    """A property that came with another kind than its column has."""

    domain: str
    type: str
    part: str
    name: str
    kind: str
    column: str  # where the values of this kind are
    rows: int


@dataclass(frozen=True, slots=True)
class SchemaGrowth:
    """A schema after a batch."""

    schema: TypeSchema  # with the new columns
    changed: bool  # whether there are any
    # Properties of this batch that came with another kind than their column has
    conflicts: tuple[KindConflict, ...]
    left_out: tuple[FoundProperty, ...]  # properties that got no column because there are too many


def widened(schema: TypeSchema, found: Iterable[FoundProperty]) -> list[tuple[str, str]]:
    """The properties, as (part, name), whose integers are to stand in a column of doubles."""
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
    """A schema with columns for all that was found.

    Args:
        schema: As it was; an empty one for a new type.
        found: The properties of a batch, and how many rows have them.
        wide: Those of `widened` with integers that no double holds exactly, and how many rows.
        most: How many columns a type may have behind the fixed ones.
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
    """The kind whose column bears the property's own name."""
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
    """The main kind first, empty sequences last: they stand where there is room."""
    order = (main, *KINDS, EMPTY_SEQUENCE)
    return [kind for kind in dict.fromkeys(order) if kind in seen]


def _fits(kind: str, main: str, own: list[PropertyColumn], *, is_wide: bool) -> bool:
    """Whether values of a kind stand in a column that is there for another."""
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
    """The folder of a domain or type; no two names have one."""
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
    """The table of an event type, such as `types/Traffic/Speed`."""
    return f"types/{folder_name(domain)}/{folder_name(type)}"


def column_name(name: str) -> str:
    """A name that every reader of columns takes; several properties may come out the same."""
    made = "".join(char if _stays(char) else f"_x{ord(char):x}_" for char in name)
    return _cut(made or _EMPTY_NAME, name, _MAX_COLUMN, "__")


def same_column(name: str) -> str:
    """What two names have in common that Spark takes for one column."""
    return name.lower()


def unused_column(name: str, used: Container[str]) -> str:
    """The name, or with the first number behind it that makes it one nobody has."""
    made, number = name, 1
    while same_column(made) in used:
        number += 1
        made = f"{name}__{number}"
    return made


def _stays(char: str) -> bool:
    if char == "_" or (char.isascii() and char.isalnum()):
        return True
    # A letter with one small and one large form: others compare equal in Java and not here.
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
    """The file of a type's schema."""
    return f"_schemas/{table_of_type(domain, type).removeprefix('types/')}.json"


def schema_octets(schema: TypeSchema) -> bytes:
    """A schema as its file has it."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=1)


def read_schema(octets: bytes, place: str) -> TypeSchema:
    """A schema from its file."""
    try:
        schema = msgspec.json.decode(octets, type=TypeSchema)
    except msgspec.MsgspecError as error:
        raise PipelineFailed(f"{place} is no schema of a typed table: {error}") from error
    if schema.format > FORMAT:
        raise PipelineFailed(
            f"{place} has format {schema.format}; this version of Tidings knows {FORMAT}"
        )
    return schema
