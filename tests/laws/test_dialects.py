"""Laws of translations: never narrower; exact means equal; what is read back says the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from hypothesis import given

from tests.laws.dialect_reference import Selector, siena_matches
from tests.laws.dialect_worlds import ServiceView, field_tree
from tests.laws.filter_events import Scene, draw_scene
from tests.laws.filter_reference import answer, fits
from tests.laws.filter_strategies import sources
from tests.laws.filter_trees import constraint_of, draw_tree, draw_types
from tidings.filters.constraint import Constraint
from tidings.filters.dialects import jms, siena

CASES = 1_500


def worlds(rng: Random) -> tuple[Constraint, Scene, bool]:
    """A constraint, an event, and whether it matches."""
    scene = draw_scene(rng)
    tree = (field_tree if rng.random() < 0.85 else draw_tree)(rng, scene)
    types = draw_types(rng) if rng.random() < 0.2 else ()
    matches = answer(tree, scene.fields) is True and fits(types, scene.fields.event_type)
    return constraint_of(tree, types), scene, matches


def cases(seed: int) -> Iterator[tuple[Random, Constraint, Scene, bool]]:
    rng = Random(seed)
    for _ in range(CASES):
        yield (rng, *worlds(rng))


@given(sources())
def test_a_selector_is_never_narrower(rng: Random) -> None:
    check_selector(rng, *worlds(rng))


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def check_selector(rng: Random, wanted: Constraint, scene: Scene, matches: bool) -> str:
    view = ServiceView(rng, scene)
    written = jms.write(wanted, view.names)
    for activemq in (False, True):
        selected = Selector(written.text, activemq).matches(view.values)
        assert selected or not matches, (written, view.values)
        nan = activemq and any(is_nan(value) for value in view.values.values())
        assert selected is matches or not written.exact or nan, (written, view.values)
    return f"{matches} {selected} {written.exact}"


@given(sources())
def test_siena_filters_are_never_narrower(rng: Random) -> None:
    check_siena(rng, *worlds(rng))


def check_siena(rng: Random, wanted: Constraint, scene: Scene, matches: bool) -> str:
    view = ServiceView(rng, scene, nan=False)
    written = siena.write(wanted, view.names)
    selected = any(siena_matches(one, view.values) for one in written.filters)
    assert selected or not matches, (written, view.values)
    assert selected is matches or not written.exact, (written, view.values)
    return f"{matches} {selected} {written.exact}"
