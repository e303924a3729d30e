"""Counts what the pairs of tree and event exercise, and says where it is too little."""

from __future__ import annotations

from collections import Counter

from tests.laws.filter_events import KIND_NAMES, Scene, kind_of
from tests.laws.filter_trees import reached
from tidings.events.paths import Path
from tidings.filters.explain import Explained
from tidings.filters.tree import (
    ALL_NODES,
    LITERALS,
    And,
    Arithmetic,
    Comparison,
    Component,
    Contains,
    Default,
    Exist,
    In,
    Node,
    Not,
    Or,
)

# Of all pairs at least so many parts in a hundred; of every node with every kind so many pairs.
SHARES: dict[bool | None, int] = {True: 30, False: 30, None: 20}
AT_LEAST = 20

_WORDS = {True: "TRUE", False: "FALSE", None: "error"}
_TWO_SIDED = (Comparison, Arithmetic, Contains, In)
_ONE_SIDED = (And, Or, Not, Exist, Default, Component)


def rows() -> list[str]:
    """A row for every node that has operands, two for one that has a left and a right."""
    found = []
    for cls in ALL_NODES:
        if issubclass(cls, _TWO_SIDED):
            found += [f"{cls.__name__} left", f"{cls.__name__} right"]
        elif issubclass(cls, _ONE_SIDED):
            found.append(cls.__name__)
    return found


class Quota:
    """A table of what was asked, and how often."""

    def __init__(self) -> None:
        self.answers: Counter[bool | None] = Counter()
        self.operands: Counter[tuple[str, str]] = Counter()
        self.literals: Counter[str] = Counter()

    def add(self, explained: Explained, scene: Scene) -> None:
        """Counts one pair; each node with each kind at most once."""
        value = explained.value
        self.answers[value if isinstance(value, bool) else None] += 1
        seen = {(row, kind) for part in reached(explained) for row, kind in _operands(part, scene)}
        self.operands.update(seen)
        for part in reached(explained):
            if isinstance(part.node, LITERALS):
                self.literals[type(part.node).__name__] += 1

    def shortfalls(self) -> list[str]:
        """Where the pairs fall short of the quota."""
        total = self.answers.total()
        found = [
            f"{_WORDS[answer]}: {100 * self.answers[answer] / total:.1f} %, wanted {share} %"
            for answer, share in SHARES.items()
            if 100 * self.answers[answer] < share * total
        ]
        found += [
            f"{row} of a {kind}: {self.operands[row, kind]} times, wanted {AT_LEAST}"
            for row in rows()
            for kind in KIND_NAMES
            if self.operands[row, kind] < AT_LEAST
        ]
        return found + [
            f"{cls.__name__}: {self.literals[cls.__name__]} times, wanted {AT_LEAST}"
            for cls in LITERALS
            if self.literals[cls.__name__] < AT_LEAST
        ]

    def table(self) -> str:
        """The table a person reads."""
        total = self.answers.total()
        shares = [f"{_WORDS[a]} {100 * self.answers[a] / total:.1f} %" for a in SHARES]
        lines = [f"{total} pairs of tree and event: {', '.join(shares)}", ""]
        lines.append(f"{'operand of':20}" + "".join(f"{kind:>10}" for kind in KIND_NAMES))
        for row in rows():
            counts = (self.operands[row, kind] for kind in KIND_NAMES)
            lines.append(f"{row:20}" + "".join(f"{count:10}" for count in counts))
        literals = ", ".join(f"{cls.__name__} {self.literals[cls.__name__]}" for cls in LITERALS)
        return "\n".join([*lines, "", f"literals: {literals}"])


def _operands(part: Explained, scene: Scene) -> list[tuple[str, str]]:
    """The operands of a node that had a value, or were missing, each with its row."""
    node, name = part.node, type(part.node).__name__
    place = _place(node)
    if place is not None:
        return [(name, kind_of(scene.fields[place]))]
    found = []
    for side, operand in zip(("left", "right", *[""] * len(part.parts)), part.parts, strict=False):
        kind = "missing" if operand.error == "missing" else ""
        if operand.value is not None:
            kind = kind_of(operand.value)
        if kind and operand.reached:
            found.append((f"{name} {side}" if isinstance(node, _TWO_SIDED) else name, kind))
    return found


def _place(node: Node) -> Path | None:
    """Where a node looks that has no operand but a place; `default` asks the union itself."""
    if isinstance(node, Component | Exist):
        return node.path
    if isinstance(node, Default):
        return Path(node.path.root, node.path.steps[:-1])
    return None
