"""Values of a constraint's parts, as SQL expressions, one for every kind a value can have.

An error is NULL: in SQL it spreads by itself through comparison and arithmetic. `and` and `or` are
another matter, see `both` and `either`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidings.filters.to_spark.columns import quoted

Kind: TypeAlias = Literal["int", "wide", "double", "bool", "text", "code", "label"]

INT: Final = "int"  # a bigint
WIDE: Final = "wide"  # an integer that may need more: a decimal of 20 digits
DOUBLE: Final = "double"
BOOL: Final = "bool"
TEXT: Final = "text"
CODE: Final = "code"  # what a literal of one character, which is a text too, counts as
LABEL: Final = "label"

WIDE_TYPE: Final = "decimal(20,0)"

_NONE: Final[dict[Kind, str]] = {
    INT: "CAST(NULL AS BIGINT)",
    WIDE: f"CAST(NULL AS {WIDE_TYPE})",
    DOUBLE: "CAST(NULL AS DOUBLE)",
    BOOL: "CAST(NULL AS BOOLEAN)",
    TEXT: "CAST(NULL AS STRING)",
    CODE: "CAST(NULL AS BIGINT)",
    LABEL: "CAST(NULL AS STRING)",
}

_Use: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Value:
    """A value whose kind is known for each row only.

    Attributes:
        layers: By kind, the expression that has the value if it is of this kind, and else is NULL.
            The first layer with a value counts: the header before the data.
        is_total: There is a value in every row, never an error.
        is_finite: A double is never NaN.
        record: One expression that has all kinds of the one layer, which names its parts; see
            `Scope`. None if the layers stand for themselves.
    """

    layers: tuple[Mapping[Kind, str], ...]
    is_total: bool = False
    is_finite: bool = False
    record: str | None = None

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds it may have."""
        return frozenset(kind for layer in self.layers for kind in layer)

    @property
    def is_simple(self) -> bool:
        """Whether its kind is known beforehand."""
        return self.record is None and len(self.layers) == 1 and len(self.kinds - {CODE}) == 1

    def chosen(self, uses: Mapping[Kind, _Use]) -> str | None:
        """The result of the use for the value's kind; NULL for a kind without one.

        A use must be NULL for NULL only. None if no kind the value may have is of use.
        """
        result: str | None = None
        for layer in reversed(self.layers):
            if result is not None:
                others = [f"{value} IS NULL" for kind, value in layer.items() if kind not in uses]
                if others:
                    result = f"CASE WHEN {' AND '.join(others)} THEN {result} END"
            parts = [uses[kind](value) for kind, value in layer.items() if kind in uses]
            result = first_known(parts if result is None else [*parts, result])
        return result

    def as_record(self, kinds: Sequence[Kind]) -> str:
        """One expression that has some kinds of the value as its parts."""
        if self.record is not None:
            return self.record
        *before, last = self.layers
        cases = [
            f"WHEN {' OR '.join(f'{part} IS NOT NULL' for part in layer.values())} "
            f"THEN {as_struct(layer, kinds)}"
            for layer in before
        ]
        record = as_struct(last, kinds)
        return f"CASE {' '.join(cases)} ELSE {record} END" if cases else record

    def of_kind(self, kind: Kind) -> str | None:
        """The value if it has this kind, else NULL."""
        return self.chosen({kind: _itself})

    def as_integer(self) -> str | None:
        """The value as an integer, if it counts as one: booleans and characters do."""
        return self.chosen(
            {INT: _itself, WIDE: _itself, BOOL: as_bigint, CODE: _itself},
        )

    def as_double(self) -> str | None:
        """The value as a double, if it is a number of any kind."""
        return self.chosen(
            {INT: to_double, WIDE: to_double, DOUBLE: _itself, BOOL: to_double, CODE: to_double},
        )


class Scope:
    """Names for values that are used more than once: each is then computed once.

    SQL has no such names, but the functions on arrays have arguments: a list of one value becomes a
    list of one answer.
    """

    def __init__(self) -> None:
        self._names = 0

    def bind(self, *values: Value, kinds: frozenset[Kind]) -> Bound:
        """Give names to values, except short ones; only `kinds` can be asked for afterwards."""
        named: list[Value] = []
        records: list[tuple[str, str]] = []
        for value in values:
            if value.is_simple and all(len(part) < _SHORT for part in value.layers[0].values()):
                named.append(value)
                continue
            self._names += 1
            name = f"v{self._names}"
            used = sorted(value.kinds & kinds)
            layer: dict[Kind, str] = {kind: f"{name}.{kind}" for kind in used}
            named.append(Value((layer,), value.is_total, value.is_finite))
            if used:
                records.append((name, value.as_record(used)))
        return Bound(tuple(named), tuple(records))


# About the length of a column's name with a literal or a lookup around it.
_SHORT: Final = 60


@dataclass(frozen=True, slots=True)
class Bound:
    """Values that have names, to be used `inside` only, and what the names stand for."""

    values: tuple[Value, ...]
    records: tuple[tuple[str, str], ...]

    def inside(self, body: str) -> str:
        """An expression that uses the names, in a place where they are known."""
        for name, record in reversed(self.records):
            body = f"get(transform(array({record}), {name} -> {body}), 0)"
        return body


def only(kind: Kind, value: str, *, is_total: bool = False, is_finite: bool = False) -> Value:
    """A value of one kind."""
    return Value(({kind: value},), is_total, is_finite)


def unsure() -> Value:
    """A value that is always an error."""
    return Value(({},))


def as_struct(layer: Mapping[Kind, str], kinds: Sequence[Kind]) -> str:
    """The expressions of a layer as one; kinds that it does not have are NULL."""
    parts = (f"{quoted(kind)}, {layer.get(kind, _NONE[kind])}" for kind in kinds)
    return f"named_struct({', '.join(parts)})"


def _itself(value: str) -> str:
    return value


def as_bigint(value: str) -> str:
    """A boolean as an integer."""
    return f"CAST({value} AS BIGINT)"


def to_double(value: str) -> str:
    """A number as a double, rounded to the nearest."""
    return f"CAST({value} AS DOUBLE)"


def first_known(parts: Sequence[str]) -> str | None:
    """The first of some expressions that is not NULL."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return f"coalesce({', '.join(parts)})"


def both(left: str, right: str) -> str:
    """`left and right` as in the language: an error on the left is an error.

    SQL's own AND says FALSE for NULL and FALSE. This form names each side once, so that long
    constraints stay small.
    """
    return f"get(array(FALSE, {right}), CAST({left} AS INT))"


def either(left: str, right: str) -> str:
    """`left or right` as in the language: an error on the left is an error."""
    return f"get(array({right}, TRUE), CAST({left} AS INT))"
