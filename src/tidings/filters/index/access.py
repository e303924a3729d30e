"""How the index finds a subscription: which conjunct sorts it into a bucket.

An *access* says: whenever the conjuncts are all TRUE, the field's value leads to one of these
buckets; and in the bucket, this much remains to be tested. Its own conjuncts are then known to be
TRUE (except for `or`, which only narrows the search and is tested in full).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.index.ordered import ORDERINGS, bound_of
from tidings.filters.index.tables import Grid
from tidings.filters.shape import Constant, constant_of
from tidings.filters.truth import EXACT, OneChar


class Access(NamedTuple):
    """One way to a subscription; the lower the rank, the fewer events use it."""

    rank: int
    kind: str  # equal, in, between, needle, true, false, either, there, ordered
    path: Path
    literals: tuple[Constant, ...]
    places: tuple[int, ...]  # of the conjuncts it comes from


def accesses(conjuncts: tuple[t.Node, ...]) -> Iterator[Access]:
    """The ways to a subscription."""
    lower: dict[Path, tuple[float, int]] = {}
    upper: dict[Path, tuple[float, int]] = {}
    for place, conjunct in enumerate(conjuncts):
        access = _single(conjunct, place)
        if access is not None:
            yield access
        bound = _bound(conjunct)
        if bound is not None:
            ends = lower if isinstance(conjunct, t.Greater | t.GreaterEqual) else upper
            ends.setdefault(conjunct.left.path, (bound, place))  # type: ignore[attr-defined]
    for path in lower.keys() & upper.keys():
        (low, first), (high, second) = lower[path], upper[path]
        if Grid.takes(low, high):
            yield Access(1, "between", path, (low, high), (first, second))


def _single(conjunct: t.Node, place: int) -> Access | None:
    if isinstance(conjunct, t.Equal):
        return _equal((conjunct,), place)
    if isinstance(conjunct, t.In):
        constant = constant_of(conjunct.left)
        return None if constant is None else Access(0, "in", conjunct.path, (constant,), (place,))
    if type(conjunct) is t.Or:
        return _equal(conjunct.operands, place) or _either(conjunct, place)
    if isinstance(conjunct, t.Contains):
        needle, text = conjunct.left, conjunct.right
        if isinstance(needle, t.Text) and needle.value and isinstance(text, t.Component):
            return Access(2, "needle", text.path, (needle.value,), (place,))
        return None
    if isinstance(conjunct, t.Component):
        return Access(3, "true", conjunct.path, (), (place,))
    if isinstance(conjunct, t.Not) and isinstance(conjunct.operand, t.Component):
        return Access(3, "false", conjunct.operand.path, (), (place,))
    if isinstance(conjunct, t.Exist):
        return Access(4, "there", conjunct.path, (), (place,))
    return _ordered(conjunct, place)


def _ordered(conjunct: t.Node, place: int) -> Access | None:
    node = _ordering(conjunct.operand if isinstance(conjunct, t.Not) else conjunct)
    if node is None or bound_of(node) is None:
        return None
    return Access(5, "ordered", node.left.path, (), (place,))  # type: ignore[attr-defined]


def _ordering(node: t.Node) -> t.Comparison | None:
    """The node, if it is `$x < literal` or another order between a field and a literal."""
    if type(node) not in ORDERINGS or not isinstance(node, t.Comparison):
        return None
    fits = isinstance(node.left, t.Component) and isinstance(node.right, t.LITERALS)
    return node if fits else None


def _equal(nodes: tuple[t.Node, ...], place: int) -> Access | None:
    """`$a == 1`, or `$a == 1 or $a == 2 …` with literals of one class.

    No value is an error against one of these and equal to another, so the order of the `or`
    does not matter.
    """
    path: Path | None = None
    literals: list[Constant] = []
    for node in nodes:
        if not isinstance(node, t.Equal) or not isinstance(node.left, t.Component):
            return None
        constant = constant_of(node.right)
        if constant is None or (path is not None and node.left.path != path):
            return None
        path = node.left.path
        literals.append(constant)
    if path is None or (len(literals) > 1 and not _one_class(literals)):
        return None
    return Access(0, "equal", path, tuple(dict.fromkeys(literals)), (place,))


def _one_class(literals: list[Constant]) -> bool:
    classes = {type(constant) for constant in literals}
    if OneChar in classes:
        return False
    return len(classes) == 1 and not _large(literals)


def _large(literals: list[Constant]) -> bool:
    """Whether one value could equal two of them: large integers round to one double."""
    return any(type(c) is int and not -EXACT < c < EXACT for c in literals)


# Each operand is one more place where the subscription is kept.
_MOST_OPERANDS = 16


def _either(conjunct: t.Or, place: int) -> Access | None:
    """Any other `or`, if each operand has an access of its own."""
    if len(conjunct.operands) > _MOST_OPERANDS:
        return None
    if any(best_of(operand) is None for operand in conjunct.operands):
        return None
    return Access(3, "either", Path(None), (), (place,))


def best_of(operand: t.Node) -> Access | None:
    """The best access of one operand of an `or`."""
    conjuncts = operand.operands if isinstance(operand, t.And) else (operand,)
    best = min(accesses(conjuncts), key=lambda access: access.rank, default=None)
    return None if best is None or best.kind == "either" else best


def _bound(conjunct: t.Node) -> float | None:
    """The number in `$x < number`, or another order, if it is a double."""
    node = _ordering(conjunct)
    if node is None or not isinstance(node.right, t.Integer | t.Real):
        return None
    number = node.right.value
    return float(number) if isinstance(number, float) or -EXACT <= number <= EXACT else None


def needs_deduplication(conjuncts: tuple[t.Node, ...]) -> bool:
    """Whether one event can reach the subscription in two ways.

    An `or` may have two TRUE operands; `'a' in $x` may meet 'a' and its code.
    """
    for place, conjunct in enumerate(conjuncts):
        if isinstance(conjunct, t.Or) and _equal(conjunct.operands, place) is None:
            return True
        if isinstance(conjunct, t.In) and type(constant_of(conjunct.left)) is OneChar:
            return True
    return False


def required_path(conjuncts: tuple[t.Node, ...]) -> Path | None:
    """A field without which the conjuncts cannot all be TRUE; None if there is none."""
    for conjunct in conjuncts:
        node = conjunct.operand if isinstance(conjunct, t.Not) else conjunct
        if isinstance(node, t.Or | t.And | t.Exist):
            continue
        paths = t.paths_of(node)
        # Below a comparison nothing is skipped, unless a logical operator stands there.
        if paths and not any(
            isinstance(part, t.Or | t.And | t.Exist) for part in t.walk_tree(node)
        ):
            return min(paths)
    return None
