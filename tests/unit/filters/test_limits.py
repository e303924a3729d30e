"""The limits of a constraint, as the specification sets them."""

from __future__ import annotations

from tidings.filters.limits import DEFAULT_LIMITS, Limits


def test_the_defaults_are_those_of_the_specification() -> None:
    assert (DEFAULT_LIMITS.octets, DEFAULT_LIMITS.depth, DEFAULT_LIMITS.steps) == (
        65_536,
        100,
        1_000,
    )


def test_limits_are_values() -> None:
    assert Limits(depth=5) == Limits(depth=5)
    assert Limits(depth=5) != DEFAULT_LIMITS
