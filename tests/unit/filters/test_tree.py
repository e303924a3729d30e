"""The constraint tree: what it is made of."""

from __future__ import annotations

import pytest

from tidings.filters import tree
from tidings.filters.parse import parse
from tidings.filters.tree import (
    ALL_NODES,
    ARITHMETIC,
    COMPARISONS,
    Arithmetic,
    Boolean,
    Comparison,
    Integer,
    Node,
    Real,
    children,
    paths_of,
    walk_tree,
)


def test_every_node_class_is_listed() -> None:
    abstract = {Node, Comparison, Arithmetic}
    found = {cls for cls in vars(tree).values() if isinstance(cls, type) and issubclass(cls, Node)}
    assert found - abstract == set(ALL_NODES)
    assert len(set(ALL_NODES)) == len(ALL_NODES)


def test_trees_are_equal_when_built_alike() -> None:
    assert parse("$a == 1") == parse(" $a==1 ")
    assert hash(parse("$a == 1")) == hash(parse("$a == 1"))
    leaves: list[Node] = [Integer(1), Real(1.0), Boolean(True)]
    assert all(one != other for one in leaves for other in leaves if one is not other)
    assert parse("$a == 1") != parse("1 == $a")


def test_trees_do_not_change() -> None:
    with pytest.raises(AttributeError):
        parse("$a").path = "$b"  # type: ignore[attr-defined]


def test_walking_goes_in_reading_order() -> None:
    found = [type(node).__name__ for node in walk_tree(parse("not ($a + 1 < 2) or 'x' in $b"))]
    assert found == [
        *("Or", "Not", "Less", "Add", "Component", "Integer", "Integer", "In", "Text"),
    ]


def test_the_places_a_tree_looks_at() -> None:
    found = paths_of(parse("$a == $b.c and 1 in $d or exist $e or default $u._d or $a"))
    assert found == {"$a", "$b.c", "$d", "$e", "$u._d"}


def test_operators_have_the_symbols_they_are_written_with() -> None:
    assert list(COMPARISONS) == ["==", "!=", "<", "<=", ">", ">="]
    assert list(ARITHMETIC) == ["+", "-", "*", "/", "%"]


def test_leaves_have_no_children() -> None:
    for text in ("1", "'x'", "TRUE", "red", "$a", "exist $a", "default $u._d"):
        assert children(parse(text)) == ()
