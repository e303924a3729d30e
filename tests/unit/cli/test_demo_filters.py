from __future__ import annotations

import re

import pytest

from tests.unit.cli.running import tidings
from tidings.cli import demo_filters
from tidings.cli.scene import SUBSCRIPTIONS, sample_events
from tidings.events.fields import fields_of


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_filters, "MANY", 3_000)
    monkeypatch.setattr(demo_filters, "MEASURED_EVENTS", 40)


def test_the_scene_ends_well() -> None:
    result = tidings("demo", "filters")
    assert result.exit_code == 0
    assert "7000 questions: the same counts." in result.stdout
    assert "the same answers both ways" in result.stdout
    assert "OTHER" not in result.stdout


@pytest.mark.parametrize("seed", [1, 2])
def test_the_counts_are_computed(seed: int) -> None:
    shown = tidings("demo", "filters", "--seed", str(seed)).stdout
    events = [fields_of(one) for one in sample_events(seed, demo_filters.EVENTS)]
    for one in SUBSCRIPTIONS:
        expected = sum(one.constraint().matches(fields) for fields in events)
        assert re.search(rf"^{one.name} +{expected} +[\d.]+%$", shown, re.MULTILINE)


def test_an_event_that_was_missed_is_explained() -> None:
    shown = tidings("demo", "filters").stdout
    assert "does not match: $zones is missing" in shown
    assert "└─ ! 17 in $zones   $zones is missing" in shown


def test_a_wrong_index_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidings.filters import index

    class Forgetful(index.MatchIndex[object]):
        def match(self, fields: object) -> list[object]:
            return super().match(fields)[1:]  # type: ignore[arg-type]

    monkeypatch.setattr(index, "MatchIndex", Forgetful)
    shown = tidings("demo", "filters").stdout
    assert "OTHER COUNTS" in shown
    assert "OTHER ANSWERS" in shown
