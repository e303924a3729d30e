"""Laws of filters: every back end gives the same answer, and no rewriting changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given

from tests.laws.filter_events import Scene, draw_scene
from tests.laws.filter_quota import Quota
from tests.laws.filter_reference import answer
from tests.laws.filter_strategies import trees_and_scenes
from tests.laws.filter_trees import constraint_of, draw_tree, draw_types
from tests.laws.laws import broken_laws
from tidings.filters.check import check
from tidings.filters.constraint import constraint
from tidings.filters.explain import explain
from tidings.filters.filter import Filter
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold, push_negation
from tidings.filters.tree import Node, walk_tree

SEED = 20_240_117
SCENES, TREES_EACH = 2_500, 10


def pairs(seed: int, scenes: int, trees_each: int = TREES_EACH) -> Iterator[tuple[Node, Scene]]:
    """Pairs of tree and event, always the same ones for a seed."""
    rng = Random(seed)
    for _ in range(scenes):
        scene = draw_scene(rng)
        for _ in range(trees_each):
            yield draw_tree(rng, scene), scene


@pytest.mark.slow
def test_the_pairs_keep_the_quota_and_the_laws(
    record_property: Callable[[str, object], None],
) -> None:
    quota = Quota()
    for tree, scene in pairs(SEED, SCENES):
        quota.add(explain(tree, scene.fields), scene)
        assert not broken_laws(tree, scene.fields)
    record_property("table", quota.table())
    assert quota.shortfalls() == []


def test_the_same_seed_gives_the_same_pairs() -> None:
    once, again = ([print_tree(tree) for tree, _ in pairs(5, 20)] for _ in range(2))
    assert once == again


def test_too_few_pairs_are_noticed() -> None:
    quota = Quota()
    for tree, scene in pairs(SEED, 5):
        quota.add(explain(tree, scene.fields), scene)
    assert len(quota.shortfalls()) > 100


@given(trees_and_scenes())
def test_all_back_ends_agree(pair: tuple[Node, Scene]) -> None:
    tree, scene = pair
    assert not broken_laws(tree, scene.fresh())


@given(trees_and_scenes())
def test_rewriting_twice_changes_nothing_more(pair: tuple[Node, Scene]) -> None:
    tree, _ = pair
    assert fold(fold(tree)) == fold(tree)
    assert push_negation(push_negation(tree)) == push_negation(tree)
    assert len(list(walk_tree(fold(tree)))) <= len(list(walk_tree(tree)))


@given(trees_and_scenes())
def test_the_text_of_a_tree_is_a_constraint(pair: tuple[Node, Scene]) -> None:
    tree, scene = pair
    text = print_tree(tree)
    made = constraint(text)
    assert made.tree == tree
    assert made.matches(scene.fields) is (answer(tree, scene.fields) is True)
    assert check(text).tree == tree


@pytest.mark.parametrize("seed", range(20))
def test_a_filter_is_the_or_of_its_constraints(seed: int) -> None:
    rng = Random(seed)
    for _ in range(20):
        scene = draw_scene(rng)
        trees = [(draw_tree(rng, scene), draw_types(rng)) for _ in range(rng.randrange(1, 6))]
        asked = Filter()
        asked.add([constraint_of(tree, types) for tree, types in trees])
        domain, type_ = scene.fields.event_type
        expected = any(
            answer(tree, scene.fields) is True
            and (not types or any(pattern.matches(domain, type_) for pattern in types))
            for tree, types in trees
        )
        assert asked.matches(scene.fields) is expected
