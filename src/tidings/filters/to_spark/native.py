"""What can be an expression on Spark, and what needs the reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.to_spark.places import Body, Deep, Property, Whole, place_of

# t.In lookups of a property. A larger expression takes Spark longer to plan than to run.
LARGEST: Final = 2_000


def native_reason(tree: t.Node) -> str | None:
    """Why a constraint cannot be an expression on Spark; None if it can."""
    for node in t.walk_tree(tree):
        reason = _node_reason(node)
        if reason is not None:
            return reason
    if _weight(tree) > LARGEST:
        return "the constraint is too large for one expression"
    return None


def _node_reason(node: t.Node) -> str | None:
    if isinstance(node, t.Default):
        return f"default {node.path} asks for a union, which no column holds"
    if isinstance(node, t.Exist):
        deep = isinstance(place_of(node.path), Deep)
        return f"{node.path} lies inside a value" if deep else None
    if isinstance(node, t.In):
        return _sequence_reason(node.path)
    if isinstance(node, t.Component):
        place = place_of(node.path)
        if isinstance(place, Deep):
            return f"{node.path} lies inside a value"
        if isinstance(place, Body):
            return f"{node.path} is the body, which no column holds"
    return None


def _sequence_reason(path: Path) -> str | None:
    place = place_of(path)
    if isinstance(place, Deep):
        return f"{path} lies inside a value"
    if isinstance(place, Body):
        return f"{path} is the body, which no column holds"
    if isinstance(place, Whole) and place.is_sequence:
        return f"{path} is a sequence of pairs, which no column holds"
    return None


def properties_read(tree: t.Node) -> Iterator[Property]:
    """The properties whose values a native tree uses; the columns show whether one exists."""
    for node in t.walk_tree(tree):
        if isinstance(node, t.Component | t.In):
            place = place_of(node.path)
            if isinstance(place, Property):
                yield place


def native_names(tree: t.Node) -> frozenset[str]:
    """The names of the properties whose values a native tree uses."""
    return frozenset(place.name for place in properties_read(tree))


def reads_event(tree: t.Node) -> bool:
    """Whether the tree reads anything of the event."""
    return any(
        isinstance(node, t.Component | t.Exist | t.In | t.Default) for node in t.walk_tree(tree)
    )


def _weight(node: t.Node) -> int:
    """About how many lookups the expression has."""
    if isinstance(node, t.In):
        return 28 + _weight(node.left)
    if isinstance(node, t.Component | t.Exist):
        return 12
    return 1 + sum(map(_weight, t.children(node)))
