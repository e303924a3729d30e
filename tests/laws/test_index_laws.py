"""The law of the match index: its answer is that of the plain loop, for every event."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings

from tests.laws.filter_quota import Quota
from tests.laws.filter_strategies import sources
from tests.laws.index_law import broken_in_world

SEED = 70_000
WORLDS = 500


@pytest.mark.slow
def test_the_index_equals_the_plain_loop(
    record_property: Callable[[str, object], None],
) -> None:
    quota = Quota()
    for seed in range(WORLDS):
        assert list(broken_in_world(Random(SEED + seed), 3, quota)) == [], f"world {SEED + seed}"
    record_property("table", quota.table())
    assert quota.shortfalls() == []


@settings(max_examples=40)
@given(sources())
def test_the_index_equals_the_plain_loop_in_small_worlds(rng: Random) -> None:
    assert list(broken_in_world(rng, 1)) == []
