"""Code for many rows of one shape at once.

Subscriptions whose remaining tests differ only in their constants are rows of constants. For one
event the kinds of the fields are the same for all rows; with the kinds known, most of the truth
table is known, and a list comprehension over plain comparisons remains.

For every node two conditions are written: when it is TRUE, and when it is FALSE; in an error
neither holds. `and` is TRUE when all operands are, FALSE when one is after those before it were
TRUE; `or` the other way round: the short circuit of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from tidings.events.fields import Char, Composite, EnumLabel, Fields, Plain
from tidings.events.paths import Missing, Path
from tidings.filters import tree as t
from tidings.filters import truth
from tidings.filters.searching import LONG, stands_in
from tidings.filters.shape import Shape

# Larger shapes gain nothing from being run as rows, and their conditions grow.
_MOST_NODES = 40
# Combinations of kinds that are remembered for one shape.
_MOST_KINDS = 64

_CODES: Final[dict[type, str]] = {
    bool: "b",
    float: "f",
    str: "s",
    EnumLabel: "l",
    Composite: "c",
    Missing: "m",
    Char: "x",
    Decimal: "x",
    tuple: "q",
    bytes: "q",
}
_NUMBERS = "bif"
AWKWARD = "x"
"""The kind code of values for which rows are tested one by one."""


def kind_code(value: Plain) -> str:
    """One letter for what the generated code must know of a value."""
    if type(value) is int:
        return "i" if -truth.EXACT <= value <= truth.EXACT else AWKWARD
    return _CODES[type(value)]


Rows = Callable[[list[tuple[object, ...]], tuple[Plain, ...]], list[object]]


class RowCode:
    """The code of one shape, for every combination of kinds that has occurred."""

    def __init__(self, tree: t.Node) -> None:
        self.tree = tree
        self.paths: tuple[Path, ...] = tuple(sorted(t.paths_of(tree)))
        self.simple = _is_simple(tree)
        self._by_kinds: dict[str, Rows | None] = {}

    def run(self, rows: list[tuple[object, ...]], fields: Fields) -> list[object] | None:
        """The keys of the rows that pass; None if they must be tested one by one."""
        if not self.simple:
            return None
        values = tuple([fields[path] for path in self.paths])
        kinds = "".join(map(kind_code, values))
        if AWKWARD in kinds:
            return None
        run = self._for_kinds(kinds)
        return [] if run is None else run(rows, values)

    def _for_kinds(self, kinds: str) -> Rows | None:
        """The code for fields of these kinds; None if no row can match."""
        if kinds not in self._by_kinds:
            if len(self._by_kinds) >= _MOST_KINDS:
                self._by_kinds.clear()
            self._by_kinds[kinds] = _Writer(self.paths, kinds).rows(self.tree)
        return self._by_kinds[kinds]


# A longer shape is hardly shared, and its tree would be kept in the cache.
_LONGEST_SHAPE = 1_000


def has_row_code(shape: Shape) -> bool:
    """Whether rows of this shape can be tested together."""
    return len(shape.text) <= _LONGEST_SHAPE and row_code(shape).simple


@lru_cache(maxsize=2048)
def row_code(shape: Shape) -> RowCode:
    """The code of a shape; shared by all lanes of that shape."""
    return RowCode(shape.tree)


def _is_simple(tree: t.Node) -> bool:
    nodes = list(t.walk_tree(tree))
    return len(nodes) <= _MOST_NODES and all(map(_is_simple_node, nodes))


def _is_simple_node(node: t.Node) -> bool:
    if isinstance(node, t.Comparison | t.Contains):
        return all(isinstance(side, (t.Component, *t.LITERALS)) for side in (node.left, node.right))
    if isinstance(node, t.In):
        return isinstance(node.left, t.LITERALS)
    return isinstance(node, (t.And, t.Or, t.Not, t.Exist, t.Component, *t.LITERALS))


class _Conditions(NamedTuple):
    """When a node is TRUE, when it is FALSE, and whether it is certainly one of the two."""

    true: str
    false: str
    certain: bool

    def exchanged(self) -> _Conditions:
        return _Conditions(self.false, self.true, self.certain)


_ALWAYS, _NEVER = "True", "False"
_ERROR = _Conditions(_NEVER, _NEVER, certain=False)


class _Writer:
    """Writes the conditions of one shape for fields of known kinds."""

    def __init__(self, paths: tuple[Path, ...], kinds: str) -> None:
        self.kinds = dict(zip(paths, kinds, strict=True))
        self.names = {path: f"x{i}" for i, path in enumerate(paths)}
        self.constants = 0

    def rows(self, tree: t.Node) -> Rows | None:
        condition = self._conditions(tree).true
        if condition == _NEVER:
            return None
        values = "".join(f"{name}, " for name in self.names.values())
        constants = "".join(f", c{i}" for i in range(self.constants))
        source = (
            f"def rows(rows, values):\n [{values}] = values\n"
            f" return [key for key{constants or ','} in rows if {condition}]"
        )
        space: dict[str, object] = {"member": truth.member, "stands_in": stands_in}
        exec(compile(source, "<rows>", "exec"), space)
        return space["rows"]  # type: ignore[return-value]

    def _conditions(self, node: t.Node) -> _Conditions:
        if isinstance(node, t.And):
            return _chain([self._conditions(n) for n in node.operands])
        if isinstance(node, t.Or):
            # `or` is `and` with TRUE and FALSE exchanged.
            return _chain([self._conditions(n).exchanged() for n in node.operands]).exchanged()
        if isinstance(node, t.Not):
            return self._conditions(node.operand).exchanged()
        if isinstance(node, t.Exist):
            there = _Conditions(_ALWAYS, _NEVER, certain=True)
            return there.exchanged() if self.kinds[node.path] == "m" else there
        if isinstance(node, t.Component):
            return _plain(self.names[node.path]) if self.kinds[node.path] == "b" else _ERROR
        if isinstance(node, t.Boolean):
            return _plain(self._constant())
        if isinstance(node, t.In):
            left = self._constant()
            if self.kinds[node.path] != "q":
                return _ERROR
            call = f"member({left}, {self.names[node.path]})"
            return _Conditions(f"{call} is True", f"{call} is False", certain=False)
        return self._operator(node)

    def _constant(self) -> str:
        self.constants += 1
        return f"c{self.constants - 1}"

    def _operator(self, node: t.Node) -> _Conditions:
        assert isinstance(node, t.Comparison | t.Contains)
        left, left_kind = self._side(node.left)
        right, right_kind = self._side(node.right)
        pair = left_kind + right_kind
        texts = left_kind in "st" and right_kind in "st"
        if isinstance(node, t.Contains):
            inside = f"({left} in {right} if len({right}) < {LONG} else stands_in({left}, {right}))"
            return _plain(inside) if texts else _ERROR
        if "l" in pair:
            if pair != "ll" or node.symbol not in ("==", "!="):
                return _ERROR
        elif not texts:
            left, right = _as_number(left, pair), _as_number(right, pair[::-1])
            if not left or not right:
                return _ERROR
        return _plain(f"{left} {node.symbol} {right}")

    def _side(self, node: t.Node) -> tuple[str, str]:
        """An operand, and its kind: as of fields, `t` for one character, `I` for a large one."""
        if isinstance(node, t.Component):
            return self.names[node.path], self.kinds[node.path]
        name = self._constant()
        if isinstance(node, t.Integer):
            return name, "i" if -truth.EXACT <= node.value <= truth.EXACT else "I"
        if isinstance(node, t.Text):
            return name, "t" if len(node.value) == 1 else "s"
        kinds: dict[type[t.Node], str] = {t.Real: "f", t.Boolean: "b", t.Label: "l"}
        return name, kinds[type(node)]


def _plain(condition: str) -> _Conditions:
    return _Conditions(condition, f"not ({condition})", certain=True)


def _as_number(name: str, pair: str) -> str:
    """The first operand of the pair as a number; empty if it is not a number."""
    kind, other = pair[0], pair[1]
    if kind == "t":
        return f"ord({name})"
    if kind == "I":
        return f"float({name})" if other == "f" else name
    return name if kind in _NUMBERS else ""


def _chain(parts: list[_Conditions]) -> _Conditions:
    """Conditions of an `and`: all TRUE; one FALSE, with those before it TRUE."""
    true: list[str] = []
    false: list[str] = []
    certain = True
    for part in parts:
        # As long as nothing can fail, the plain `or` of the FALSE conditions says the same.
        false.append(_all([*([] if certain else true), part.false]))
        true.append(part.true)
        certain = certain and part.certain
    return _Conditions(_all(true), _any(false), certain)


def _all(conditions: list[str]) -> str:
    kept = [c for c in conditions if c != _ALWAYS]
    if _NEVER in kept:
        return _NEVER
    return " and ".join(f"({c})" for c in kept) if kept else _ALWAYS


def _any(conditions: list[str]) -> str:
    kept = [c for c in conditions if c != _NEVER]
    if _ALWAYS in kept:
        return _ALWAYS
    return " or ".join(f"({c})" for c in kept) if kept else _NEVER
