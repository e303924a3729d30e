"""Constraint trees for the laws of filters, steered towards an answer for a given event.

Constants are taken from the event's own values and their neighbours, operands from its fields
of a wanted kind; so TRUE, FALSE and error each come as often as asked for, at every depth.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from random import Random

from tests.laws.filter_events import (
    DOMAINS,
    EDGES,
    FINITE,
    INTEGERS,
    KIND_NAMES,
    LABELS,
    TEXTS,
    TYPES,
    Scene,
    kind_of,
)
from tidings.events.fields import Char, EnumLabel, Plain
from tidings.events.paths import Discriminator, Path
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.explain import Explained, explain
from tidings.filters.printing import print_tree
from tidings.filters.to_python import to_python
from tidings.filters.tree import (
    ARITHMETIC,
    COMPARISONS,
    And,
    Arithmetic,
    Boolean,
    Component,
    Contains,
    Default,
    Equal,
    Exist,
    In,
    Integer,
    Label,
    Node,
    Not,
    Or,
    Real,
    Text,
)

_COMPARISONS = tuple(COMPARISONS.values())
_ARITHMETIC = tuple(ARITHMETIC.values())
_NUMBERS = ("integer", "real", "fixed", "boolean", "char")


class TreeMaker:
    """Draws trees that give a wanted answer for one event: TRUE, FALSE or None for an error."""

    def __init__(self, rng: Random, scene: Scene) -> None:
        self.rng = rng
        self.scene = scene

    def tree(self, target: bool | None, depth: int) -> Node:
        """A tree; at the depth 0 one without `and`, `or` and `not`."""
        roll = self.rng.random() if depth else 1.0
        if roll < 0.18:
            if target is None:
                return Not(self._error(depth - 1))
            return Not(self.tree(not target, depth - 1))
        if roll < 0.58:
            return self._logical(target, depth - 1)
        if roll < 0.64:
            return self._compared_truth(target, depth - 1)
        return self._atom(target)

    def _logical(self, target: bool | None, depth: int) -> Node:
        made = self.rng.choice((And, Or))
        passing = made is And  # an operand that does not decide
        count = self.rng.choice((2, 2, 3, 4))
        if target is passing:
            return made(tuple(self.tree(passing, depth) for _ in range(count)))
        at = self.rng.randrange(count)
        operands = [self.tree(passing, depth) for _ in range(at)]
        operands.append(self.tree(target, depth) if target is not None else self._error(depth))
        operands += [self._whatever(depth) for _ in range(count - at - 1)]
        return made(tuple(operands))

    def _compared_truth(self, target: bool | None, depth: int) -> Node:
        """Truth as an operand: `(a and b) == TRUE`."""
        side = self.rng.choice((True, False))
        inner = self.tree(None if target is None else target is side, depth)
        return Equal(inner, Boolean(side))

    def _whatever(self, depth: int) -> Node:
        target = self.rng.choice((True, False, None))
        return self._error(depth) if target is None else self.tree(target, depth)

    def _error(self, depth: int) -> Node:
        """Something that `and` and `or` cannot take: an error, or no boolean."""
        if self.rng.random() < 0.4:
            kind = self.rng.choice([kind for kind in KIND_NAMES if kind != "boolean"])
            return Component(self.scene.place(self.rng, kind))
        return self.tree(None, depth)

    def _atom(self, target: bool | None) -> Node:
        if target is None and self.rng.random() < 0.1:
            return self._error(0)
        for _ in range(8):
            found = self._candidate(wild=target is None)
            if explain(found, self.scene.fields).value is target:
                return found
        if target is None:
            return Equal(Component(self.scene.place(self.rng, "missing")), Integer(1))
        kind = "integer" if target else "missing"
        return Exist(self.scene.place(self.rng, kind))

    def _candidate(self, wild: bool) -> Node:
        """Any node that answers with a boolean; a wild one has operands of any kind."""
        roll = self.rng.random()
        if roll < 0.35:
            return self._comparison(wild)
        if roll < 0.65:
            return self._over_arithmetic(wild)
        if roll < 0.75:
            return self._in(wild)
        if roll < 0.83:
            return self._contains(wild)
        if roll < 0.89:
            return Exist(self._any_place())
        if roll < 0.96:
            return self._default(wild)
        if roll < 0.99:
            return Component(self.scene.place(self.rng, "boolean"))
        return Boolean(self.rng.random() < 0.5)

    def _any_place(self) -> Path:
        return self.scene.place(self.rng, self.rng.choice(KIND_NAMES))

    def _comparison(self, wild: bool) -> Node:
        """A field against a constant near its value, or against another field."""
        kinds = KIND_NAMES if wild else (*_NUMBERS, "string", "enum", "integer", "real")
        path = self.scene.place(self.rng, self.rng.choice(kinds))
        left: Node = Component(path)
        value = self.scene.fields[path]
        roll = self.rng.random()
        if roll < (0.4 if wild else 0.7):
            right = self._literal() if wild and self.rng.random() < 0.5 else self.near(value)
        elif roll < 0.9 and not wild:
            right = Component(self.scene.place(self.rng, self._comparable(kind_of(value))))
        else:
            right = Component(self._any_place())
        if self.rng.random() < 0.3:
            left, right = right, left
        return self.rng.choice(_COMPARISONS)(left, right)

    def _comparable(self, kind: str) -> str:
        if kind in _NUMBERS:
            return self.rng.choice(_NUMBERS)
        return kind

    def near(self, value: Plain) -> Node:
        """A literal that is the value, or just misses it."""
        if isinstance(value, EnumLabel):
            return Label(self.rng.choice((str(value), *LABELS)))
        if isinstance(value, str):
            return self._near_text(value)
        if isinstance(value, bool):
            return self.rng.choice((Boolean(value), Boolean(not value), Integer(int(value))))
        if isinstance(value, int | float | Decimal):
            return self._near_number(value)
        return self._literal()

    def _near_text(self, value: str) -> Node:
        if isinstance(value, Char) and self.rng.random() < 0.4:
            return Integer(ord(value) + self.rng.choice((-1, 0, 0, 1)))
        other = chr(ord(value[-1]) + 1) if value else "a"
        same = (value, value, value)
        return Text(self.rng.choice((*same, value[:-1], value + "a", value[:-1] + other, "")))

    def _near_number(self, value: float | Decimal) -> Node:
        rng = self.rng
        if isinstance(value, int) and rng.random() < 0.7:
            near = value + rng.choice((-1, 0, 0, 0, 1))
            return Integer(min(max(near, -(2**63)), 2**64 - 1))
        if isinstance(value, Decimal) and value == int(value) and rng.random() < 0.5:
            return self._near_number(min(max(int(value), -(2**63)), 2**64 - 1))
        real = float(value)
        if not math.isfinite(real):
            return rng.choice((Real(sys.float_info.max), Integer(rng.choice(EDGES)), Real(0.0)))
        up, down = math.nextafter(real, math.inf), math.nextafter(real, -math.inf)
        near_real = rng.choice([one for one in (real, real, up, down) if math.isfinite(one)])
        if abs(near_real) < 2**62 and rng.random() < 0.4:
            return Integer(int(near_real) + rng.choice((0, 0, 1)))
        return Real(near_real)

    def _literal(self) -> Node:
        """Any literal."""
        rng = self.rng
        roll = rng.randrange(6)
        if roll == 0:
            return Integer(rng.choice((*INTEGERS, *EDGES)))
        if roll == 1:
            return Real(rng.choice(FINITE))
        if roll == 2:
            return Boolean(rng.random() < 0.5)
        if roll == 3:
            return Label(rng.choice((*LABELS, "in", "TRUE", "nobody")))
        return Text(rng.choice(TEXTS))

    def _over_arithmetic(self, wild: bool) -> Node:
        """A sum or the like, against a constant near its value."""
        sum_ = self._arithmetic(wild, 0 if wild else self.rng.choice((0, 0, 1)))
        value = explain(sum_, self.scene.fields).value
        right: Node = Integer(1)
        if isinstance(value, int | float | Decimal):
            right = self._near_number(value)
        elif wild and self.rng.random() < 0.4:
            right = Component(self._any_place())
        left: Node = sum_
        if self.rng.random() < 0.2:
            left, right = right, left
        return self.rng.choice(_COMPARISONS)(left, right)

    def _arithmetic(self, wild: bool, depth: int) -> Arithmetic:
        made = self.rng.choice(_ARITHMETIC)
        return made(self._counting(wild, depth), self._counting(wild, depth))

    def _counting(self, wild: bool, depth: int) -> Node:
        """An operand of arithmetic."""
        rng = self.rng
        roll = rng.random()
        if depth and roll < 0.4:
            return self._arithmetic(wild, depth - 1)
        if wild or roll < 0.75:
            kind = rng.choice(KIND_NAMES if wild else _NUMBERS)
            return Component(self.scene.place(rng, kind))
        if roll < 0.85:
            return Real(rng.choice(FINITE))
        if roll < 0.95:
            return Integer(rng.choice((*INTEGERS, *EDGES)))
        return rng.choice((Text("B"), Boolean(True), Exist(self._any_place())))

    def _in(self, wild: bool) -> Node:
        kind = self.rng.choice(KIND_NAMES) if wild else "sequence"
        path = self.scene.place(self.rng, kind)
        items = self.scene.fields[path]
        if wild and self.rng.random() < 0.6:
            return In(Component(self._any_place()), path)
        if isinstance(items, tuple | bytes) and items:
            return In(self.near(self.rng.choice(items)), path)
        return In(self._literal(), path)

    def _contains(self, wild: bool) -> Node:
        rng = self.rng
        path = self.scene.place(rng, rng.choice(KIND_NAMES) if wild else "string")
        value = self.scene.fields[path]
        if wild and rng.random() < 0.7:
            return Contains(Component(self._any_place()), Component(path))
        if not isinstance(value, str) or not value or rng.random() < 0.2:
            return Contains(Text(rng.choice(TEXTS)), Component(path))
        start = rng.randrange(len(value))
        piece = value[start : start + rng.choice((1, 2, 3, 9))]
        if rng.random() < 0.15:
            return Contains(Component(path), Text(piece + rng.choice(TEXTS)))
        return Contains(Text(piece + rng.choice(("", "", "x"))), Component(path))

    def _default(self, wild: bool) -> Node:
        if wild:
            path = self._any_place()
            if path.steps and not _may_be_followed(path):
                path = Path("count")
        else:
            path = Path(self.rng.choice(("u", "by")))
        return Default(Path(path.root, (*path.steps, Discriminator())))


def _may_be_followed(path: Path) -> bool:
    return not str(path).endswith(("._length", "._d", "._type_id", "._repos_id"))


# More TRUE and FALSE than errors, as the quota wants it.
TARGETS = (True, True, True, True, False, False, False, False, None, None, None)


def draw_tree(rng: Random, scene: Scene) -> Node:
    """A tree with an answer of its own choice for the event."""
    return TreeMaker(rng, scene).tree(rng.choice(TARGETS), rng.choice((0, 1, 1, 2, 3)))


def constraint_of(tree: Node, types: tuple[EventTypePattern, ...] = ()) -> Constraint:
    """A constraint from a tree."""
    return Constraint(print_tree(tree), tree, types, predicate=to_python(tree))


def draw_types(rng: Random) -> tuple[EventTypePattern, ...]:
    """Event-type patterns: none, exact ones, and ones with wildcards."""
    if rng.random() < 0.4:
        return ()
    exact = [(domain, type_) for domain in DOMAINS for type_ in TYPES]
    domains = (*DOMAINS, "*", "T*", "*c", "*e*")
    types = (*TYPES, "*", "A*", "*2", "Al*m", "A*A", "%ANY")
    drawn = [EventTypePattern("", "%ALL")] if rng.random() < 0.1 else []
    only_exact = rng.random() < 0.5
    for _ in range(rng.choice((1, 1, 2, 3))):
        names = rng.choice(exact) if only_exact else (rng.choice(domains), rng.choice(types))
        drawn.append(EventTypePattern(*names))
    return tuple(drawn)


def reached(explained: Explained) -> list[Explained]:
    """The nodes that were evaluated."""
    return [part for _, part in explained.walk() if part.reached]
