"""Filters and index at once and quickly: the case tables, and a few of the steered laws.

The tables and the laws have tests of their own, which are thorough; this one is for planted faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from tests.laws.conformance.case_tables import all_cases, all_cells
from tests.laws.conformance.judge import cell_complaints, complaints, crowd_complaints
from tests.laws.filter_events import draw_scene
from tests.laws.filter_trees import draw_tree
from tests.laws.index_law import broken_in_world
from tests.laws.laws import broken_laws

PAIRS = 1_000
WORLDS = 150


def cases() -> Iterator[str]:
    for case in all_cases():
        yield from complaints(case)


def crowds() -> Iterator[str]:
    yield from crowd_complaints(all_cases())


def worlds() -> Iterator[str]:
    for seed in range(WORLDS):
        yield from broken_in_world(Random(seed), 2)


def laws() -> Iterator[str]:
    rng = Random(11)
    for _ in range(PAIRS // 10):
        scene = draw_scene(rng)
        for _ in range(10):
            yield from broken_laws(draw_tree(rng, scene), scene.fresh())


def cells() -> Iterator[str]:
    for cell in all_cells():
        yield from cell_complaints(cell)


@pytest.mark.parametrize("check", [cases, crowds, worlds, laws, cells])
def test_nothing_is_found(check: Callable[[], Iterator[str]]) -> None:
    assert next(check(), None) is None
