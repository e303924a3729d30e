"""Schemas of typed tables: which column holds a property of which kind, and how that grows.

A property gets a column of the kind it comes with first. Later kinds do not change it, because
files that are there already have it: they get columns of their own, `<column>__<kind>`, and
count as conflicts. Two things fit without one: integers in a column of doubles, as long as a
double holds them exactly, and empty sequences in a column of any sequence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from tidings.errors import PipelineFailed
from tidings.pipeline.lake.names import column_name, same_column, table_of_type, unused_column

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
_NONE: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})
_TAKEN: Final = frozenset({*FIXED, "date"})  # `date` is the folder


class Found(NamedTuple):
    """A property of a kind, as it came."""

    part: str
    """`header` or `data`; `body` for bare values."""
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
    column: str
    """Where the values of this kind are."""
    rows: int


@dataclass(frozen=True, slots=True)
class Grown:
    """A schema after a batch.

    Attributes:
        schema: With the new columns.
        changed: Whether there are any.
        conflicts: Properties of this batch that came with another kind than their column has.
        left_out: Properties that got no column because there are too many.
    """

    schema: TypeSchema
    changed: bool
    conflicts: tuple[KindConflict, ...]
    left_out: tuple[Found, ...]


def widened(schema: TypeSchema, found: Iterable[Found]) -> list[tuple[str, str]]:
    """The properties, as (part, name), whose integers are to stand in a column of doubles."""
    kinds = _kinds_by_property(found)
    return [
        (part, name)
        for (part, name), seen in kinds.items()
        if "int" in seen and _main_kind(schema.of_property(part, name), seen) == "double"
    ]


def grown(
    schema: TypeSchema,
    found: Mapping[Found, int],
    *,
    wide: Mapping[tuple[str, str], int] = _NONE,
    most: int = 500,
) -> Grown:
    """A schema with columns for all that was found.

    Args:
        schema: As it was; an empty one for a new type.
        found: The properties of a batch, and how many rows have them.
        wide: Those of `widened` with integers that no double holds exactly, and how many rows.
        most: How many columns a type may have behind the fixed ones.
    """
    columns = list(schema.columns)
    conflicts: list[KindConflict] = []
    left_out: list[Found] = []
    for (part, name), seen in sorted(_kinds_by_property(found).items()):
        own = schema.of_property(part, name)
        main = _main_kind(own, seen)
        for kind in _in_order(seen, main):
            if _fits(kind, main, own, is_wide=(part, name) in wide):
                continue
            kept = "ints" if kind == EMPTY_SEQUENCE else kind
            column = next((one for one in own if one.kind == kept), None)
            if column is None and len(columns) >= most:
                left_out.append(Found(part, name, kept))
                continue
            if column is None:
                column = PropertyColumn(
                    _new_name(part, name, kept, main, columns), part, name, kept
                )
                columns.append(column)
                own = [*own, column]
            if kept != main:
                rows = wide.get((part, name), 0) if kind == "int" else 0
                rows = rows or found[Found(part, name, kind)]
                conflicts.append(
                    KindConflict(schema.domain, schema.type, part, name, kept, column.column, rows)
                )
    after = TypeSchema(domain=schema.domain, type=schema.type, columns=tuple(columns))
    return Grown(after, len(columns) > len(schema.columns), tuple(conflicts), tuple(left_out))


def _kinds_by_property(found: Iterable[Found]) -> dict[tuple[str, str], set[str]]:
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


def schema_path(domain: str, type: str) -> str:
    """The file of a type's schema."""
    return f"_schemas/{table_of_type(domain, type).removeprefix('types/')}.json"


def schema_octets(schema: TypeSchema) -> bytes:
    """A schema as its file has it."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=1)


def read_schema(octets: bytes, place: str) -> TypeSchema:
    """A schema from its file.

    Raises:
        PipelineFailed: It is none.
    """
    try:
        schema = msgspec.json.decode(octets, type=TypeSchema)
    except msgspec.MsgspecError as error:
        raise PipelineFailed(f"{place} is no schema of a typed table: {error}") from error
    if schema.format > FORMAT:
        raise PipelineFailed(
            f"{place} has format {schema.format}; this version of Tidings knows {FORMAT}"
        )
    return schema
