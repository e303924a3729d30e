"""The laws of one tree and one event."""

from __future__ import annotations

from tests.laws.filter_reference import answer
from tidings.events.fields import Fields
from tidings.filters.explain import explain
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold, normalise, push_negation
from tidings.filters.to_python import to_python
from tidings.filters.tree import Node


def broken_laws(tree: Node, fields: Fields) -> list[str]:
    """The laws that a pair breaks."""
    expected = answer(tree, fields)
    normal = normalise(tree)
    answers: dict[str, object] = {
        "to_python": to_python(tree)(fields),
        "explain": explain(tree, fields).value,
        "fold": answer(fold(tree), fields),
        "push_negation": answer(push_negation(tree), fields),
        "normalise": answer(normal, fields),
        "to_python of normalise": to_python(normal)(fields),
    }
    found = [
        f"{who} says {said}, the reference {expected}"
        for who, said in answers.items()
        if said is not expected
    ]
    if parse(print_tree(tree)) != tree:
        found.append("print and parse gives another tree")
    if parse(print_tree(normal)) != normal:
        found.append("print and parse gives another tree once normalised")
    return found and [print_tree(tree), *found]
