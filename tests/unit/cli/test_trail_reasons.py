from __future__ import annotations

import pytest

from tests.unit.cli.served import Served
from tidings.cli import trail_reasons

EVENT = ("Traffic::Speed", "car-7", "rate=57.5")


@pytest.fixture
def traffic(served: Served) -> Served:
    served.done("channel", "create", "traffic")
    return served


def why(served: Served, *event: str) -> list[str]:
    """The lines below the consumers."""
    lines = served.done("trail", "traffic", *event).splitlines()
    return [line.strip(" │├└─") for line in lines if line.startswith(("│  ", "   "))]


def test_each_constraint_says_what_it_found(traffic: Served) -> None:
    traffic.done("subscription", "create", "traffic", "some", "$rate > 99", "$up", "$rate < 5")
    assert [line.split("   ")[0] for line in why(traffic, *EVENT)] == [
        "✗ $rate > 99",
        "! $up",
        "✗ $rate < 5",
    ]
    assert "$up is missing" in why(traffic, *EVENT)[1]


def test_a_constraint_that_is_not_asked(traffic: Served) -> None:
    command = ("subscription", "create", "traffic", "jams", "$rate > 1", "--type", "Traffic::Jam")
    traffic.done(*command)
    shown = traffic.done("trail", "traffic", *EVENT)
    assert "fits none of the proxy's 1 event types" in shown
    assert why(traffic, *EVENT) == []  # the constraint would do


def test_nothing_is_explained_to_those_who_get_it(traffic: Served) -> None:
    traffic.done("subscription", "create", "traffic", "fast", "$rate > 50", "$up")
    traffic.done("subscription", "create", "traffic", "all")
    assert why(traffic, *EVENT) == []


def test_long_lists_are_cut(traffic: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_reasons, "_CONSUMERS", 1)
    monkeypatch.setattr(trail_reasons, "_CONSTRAINTS", 2)
    constraints = [f"$rate > {n}" for n in (60, 70, 80, 90)]
    for name in ("a", "b"):
        traffic.done("subscription", "create", "traffic", name, *constraints)
    first, second, more = why(traffic, *EVENT)
    assert (first.split("   ")[0], second.split("   ")[0]) == ("✗ $rate > 60", "✗ $rate > 70")
    assert more.rstrip() == "✗ and 2 more"
