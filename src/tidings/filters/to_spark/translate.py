"""Tree to Spark expression, with exactly the answers of the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from tidings.clock import to_timebase
from tidings.errors import InvalidUsage
from tidings.events.codecs.arrow_codec import BARE
from tidings.events.fields import ANY_EVENT_TYPE
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, quoted
from tidings.filters.to_spark.native import native_reason, properties_read, reads_event
from tidings.filters.to_spark.operators import SEQUENCES, compared, computed, contained, found_in
from tidings.filters.to_spark.places import (
    Arrival,
    Fixed,
    HeaderText,
    Nowhere,
    Property,
    place_of,
)
from tidings.filters.to_spark.values import (
    BOOL,
    CODE,
    DOUBLE,
    INT,
    LABEL,
    TEXT,
    WIDE,
    WIDE_TYPE,
    Kind,
    Scope,
    Value,
    both,
    either,
    only,
    unsure,
)

if TYPE_CHECKING:
    from pyspark.sql import Column

_KINDS: Final[dict[str, Kind]] = {"int": INT, "double": DOUBLE, "string": TEXT, "bool": BOOL}


_T = TypeVar("_T")


class Translation(NamedTuple, Generic[_T]):
    """A constraint as Spark columns, or as their SQL text.

    `native` is TRUE in the rows that match; FALSE or NULL in the others. `needs_reference` is TRUE
    in the rows that `native` cannot judge, and never NULL: a property that is asked for is of a
    kind no column holds, or the event is a bare value. None if there can be no such row.
    """

    native: _T
    needs_reference: _T | None


def translate(tree: t.Node, columns: EventColumns = ARCHIVE) -> Translation[Column]:
    """A constraint tree as columns; a session must be open."""
    from pyspark.sql import functions as sf

    native, needs = expressions_of(tree, columns)
    return Translation(sf.expr(native), None if needs is None else sf.expr(needs))


def expressions_of(
    tree: t.Node,
    columns: EventColumns = ARCHIVE,
    constants: Mapping[int, str] | None = None,
) -> Translation[str]:
    """`translate` as SQL text; no session is needed.

    `constants` has names of columns in place of literals, by the number of the literal in the
    order of `filters/shape.py`: one expression then serves all constraints of a shape. Such a
    column has the literal's kind.
    """
    reason = native_reason(tree)
    if reason is not None:
        raise InvalidUsage(f"this constraint is not native on Spark: {reason}")
    native = _Translator(columns, constants or {}).truth(tree, exact=False)[0]
    return Translation(native, _needs_reference(tree, columns))


def _needs_reference(tree: t.Node, columns: EventColumns) -> str | None:
    occurring = columns.occurring
    tests = list(
        dict.fromkeys(
            columns.listed(column, place.name)
            for place in properties_read(tree)
            if occurring.as_other(place.name)
            for column, asked in (
                ("header_other", place.in_header),
                ("data_other", place.in_data),
            )
            if asked
        )
    )
    if reads_event(tree) and occurring.as_other(BARE):
        domain, type_ = map(quoted, ANY_EVENT_TYPE)
        tests.append(
            f"({columns.named('type')} = {type_} AND {columns.named('domain')} = {domain})"
        )
    return f"({' OR '.join(tests)})" if tests else None


class _Translator:
    """Writes the expression of one tree."""

    def __init__(self, columns: EventColumns, constants: Mapping[int, str]) -> None:
        self._columns = columns
        self._constants = constants
        self._literals = 0
        self._scope = Scope()

    def truth(self, node: t.Node, *, exact: bool) -> tuple[str, bool]:
        """The truth of a node, and whether it is never an error.

        If `exact`, FALSE and an error, which is NULL, must differ; if not, both only mean that it
        is not
        TRUE, and SQL's own AND will do.
        """
        if isinstance(node, t.And):
            parts = [self.truth(operand, exact=exact) for operand in node.operands]
            return _joined(parts, "AND", both if exact else None)
        if isinstance(node, t.Or):
            # What stands before the last must be told apart from an error in any case.
            last = len(node.operands) - 1
            parts = [
                self.truth(operand, exact=exact or at < last)
                for at, operand in enumerate(node.operands)
            ]
            return _joined(parts, "OR", either)
        if isinstance(node, t.Not):
            inner, total = self.truth(node.operand, exact=True)
            return f"(NOT {inner})", total
        value = self.value(node)
        answer = value.of_kind(BOOL)
        if answer is None:
            return "CAST(NULL AS BOOLEAN)", False
        return answer, value.is_total and value.is_simple

    def value(self, node: t.Node) -> Value:
        """The value of a node."""
        making = _VALUES.get(type(node))
        if making is not None:
            return making(self, node)
        if isinstance(node, t.Comparison):
            left = self.value(node.left)
            return compared(node.symbol, left, self.value(node.right), self._scope)
        if isinstance(node, t.Arithmetic):
            left = self.value(node.left)
            return computed(node.symbol, left, self.value(node.right), self._scope)
        answer, total = self.truth(node, exact=True)
        return only(BOOL, answer, is_total=total)

    def _constant(self, written: str) -> str:
        """The column in place of the next literal, or the literal."""
        self._literals += 1
        return self._constants.get(self._literals - 1, written)

    def _integer(self, node: t.Integer) -> Value:
        if -(2**63) <= node.value < 2**63:
            return only(INT, self._constant(f"{node.value}L"), is_total=True, is_finite=True)
        wide = f"CAST({self._constant(f'{node.value}BD')} AS {WIDE_TYPE})"
        return only(WIDE, wide, is_total=True, is_finite=True)

    def _real(self, node: t.Real) -> Value:
        return only(DOUBLE, self._constant(f"({node.value!r}D)"), is_total=True, is_finite=True)

    def _text(self, node: t.Text) -> Value:
        text = self._constant(quoted(node.value))
        if len(node.value) != 1:
            return only(TEXT, text, is_total=True)
        code = f"CAST(ascii({text}) AS BIGINT)"
        return Value(({TEXT: text, CODE: code},), is_total=True)

    def _boolean(self, node: t.Boolean) -> Value:
        return only(BOOL, self._constant(str(node.value).upper()), is_total=True)

    def _label(self, node: t.Label) -> Value:
        return only(LABEL, self._constant(quoted(node.value)), is_total=True)

    def _component(self, node: t.Component) -> Value:
        place, columns = place_of(node.path), self._columns
        if isinstance(place, Property):
            return Value(tuple(filter(None, self._layers(place))) or ({},))
        if isinstance(place, HeaderText):
            return only(TEXT, columns.named(place.column), is_total=True)
        if isinstance(place, Arrival):
            time = f"({columns.named('arrival_us')} * 10L + {to_timebase(0)}L)"
            return only(INT, time, is_total=True, is_finite=True)
        if isinstance(place, Fixed):
            if isinstance(place.value, int):
                return only(INT, f"{place.value}L", is_total=True, is_finite=True)
            return only(TEXT, quoted(place.value), is_total=True)
        return unsure()

    def _layers(self, place: Property) -> Iterator[dict[Kind, str]]:
        for part, asked in (("header", place.in_header), ("data", place.in_data)):
            if asked:
                yield {
                    kind: self._columns.lookup(f"{part}_{end}", place.name)
                    for end, kind in _KINDS.items()
                    if self._columns.has(f"{part}_{end}", place.name)
                }

    def _exist(self, node: t.Exist) -> Value:
        return only(BOOL, self._existence(node.path), is_total=True)

    def _existence(self, path: Path) -> str:
        place, columns = place_of(path), self._columns
        if not isinstance(place, Property):
            return "FALSE" if isinstance(place, Nowhere) else "TRUE"
        maps = [f"{part}_{end}" for part in _parts(place) for end in _KINDS]
        maps += SEQUENCES if place.in_data else ()
        held = (name for name in maps if columns.has(name, place.name))
        tests = [f"{columns.lookup(name, place.name)} IS NOT NULL" for name in held]
        if columns.occurring.as_other(place.name):
            tests += [columns.listed(f"{part}_other", place.name) for part in _parts(place)]
        return f"({' OR '.join(tests)})" if tests else "FALSE"

    def _contains(self, node: t.Contains) -> Value:
        left = self.value(node.left)
        return contained(left, self.value(node.right))

    def _in(self, node: t.In) -> Value:
        left, place = self.value(node.left), place_of(node.path)
        if not isinstance(place, Property):
            return unsure()
        return found_in(left, place, self._columns, self._scope)


def _parts(place: Property) -> list[str]:
    return [part for part, asked in (("header", place.in_header), ("data", place.in_data)) if asked]


def _joined(
    parts: list[tuple[str, bool]], word: str, exactly: Callable[[str, str], str] | None
) -> tuple[str, bool]:
    """Operands of `and` or `or` joined, in a tree that is no deeper than it must be."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, left_total = _joined(parts[:middle], word, exactly)
    right, right_total = _joined(parts[middle:], word, exactly)
    total = left_total and right_total
    if exactly is None or left_total:
        return f"({left} {word} {right})", total
    return exactly(left, right), total


_VALUES: Final[dict[type[t.Node], Callable[..., Value]]] = {
    t.Integer: _Translator._integer,
    t.Real: _Translator._real,
    t.Text: _Translator._text,
    t.Boolean: _Translator._boolean,
    t.Label: _Translator._label,
    t.Component: _Translator._component,
    t.Exist: _Translator._exist,
    t.Contains: _Translator._contains,
    t.In: _Translator._in,
}
