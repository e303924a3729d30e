"""What Hypothesis draws for the laws of filters: the steered trees and events, shrinkable.

The drawing itself is in `filter_trees.py` and `filter_events.py`, from any `random.Random`.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.laws.filter_events import Scene, draw_scene
from tests.laws.filter_trees import draw_tree
from tidings.filters.tree import Node


def sources() -> st.SearchStrategy[Random]:
    """Where the makers of trees, events and worlds draw from, so that Hypothesis can shrink."""
    return st.randoms(use_true_random=False)


@st.composite
def trees_and_scenes(draw: st.DrawFn) -> tuple[Node, Scene]:
    """A tree, and an event it is steered to."""
    rng = draw(sources())
    scene = draw_scene(rng)
    return draw_tree(rng, scene), scene
