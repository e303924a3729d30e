"""A queue does what a plain list does that is sorted when somebody asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.queue_worlds import (
    ORDERS,
    STEPS,
    Step,
    World,
    random_steps,
    shortfalls,
    small_bounds,
    table,
)
from tidings.channel.qos import OrderPolicy

WORLDS = 300
STEPS_IN_A_WORLD = 60

steps = st.lists(
    st.tuples(st.sampled_from(sorted(set(STEPS))), st.integers(0, (1 << 16) - 1)), max_size=60
)


@given(st.sampled_from(ORDERS), steps)
def test_a_queue_agrees_with_its_model(order: OrderPolicy, taken: list[Step]) -> None:
    with small_bounds():
        World(order, Counter()).run(taken)


def test_everything_is_met_often_enough(record_property: Callable[[str, object], None]) -> None:
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(WORLDS):
        with small_bounds():
            World(ORDERS[seed % 3], met).run(random_steps(seed, STEPS_IN_A_WORLD))
    record_property("table", table(met))
    assert not shortfalls(met)


@pytest.mark.parametrize("order", ORDERS)
def test_a_long_queue_agrees_with_its_model(order: OrderPolicy) -> None:
    """With the real bounds, and so many entries that they are met."""
    world = World(order, Counter())
    world.run([("burst", number) for number in range(400)])
    for seed in range(4):
        world.run(step for step in random_steps(seed, 40) if step[0] != "reorder")
        world.run([("burst", number) for number in range(100)])
