"""A channel does what its model does, whatever happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.channel_observed import KINDS
from tests.laws.channel_worlds import STEPS, World, shortfalls, table

STEPS_IN_A_WORLD = 150

# Weighted as in a random world.
step = st.sampled_from([name for name, weight in STEPS.items() for _ in range(weight)])


@given(st.sampled_from(list(KINDS)), st.integers(0, 1 << 16), st.lists(step, max_size=40))
def test_a_channel_agrees_with_its_model(kind: str, seed: int, steps: list[str]) -> None:
    World(kind, seed, Counter()).live(steps)


@pytest.mark.slow
def test_everything_is_met_often_enough(record_property: Callable[[str, object], None]) -> None:
    examples = settings().max_examples
    met: Counter[str] = Counter()
    for kind in KINDS:
        for seed in range(2 * examples):
            World(kind, seed, met).run(STEPS_IN_A_WORLD)
    record_property("table", table(met))
    assert not shortfalls(met, examples // 6)
