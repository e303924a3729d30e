"""The bench measures what it says, and notices when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tidings.bench import match
from tidings.bench.match_workloads import WORKLOADS
from tidings.errors import InvalidUsage
from tidings.events.fields import Fields, fields_of
from tidings.filters.index import MatchIndex
from tidings.filters.parse import parse
from tidings.filters.to_python import to_python


def _run(workload: str = "W1") -> dict[str, dict[str, Any]]:
    report = match.run(workload, 300, seed=1, rounds=1, events=20)
    assert report["bench"] == "match"
    return {row["name"]: row for row in report["results"]}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_figure_of_the_report_is_there(workload: str) -> None:
    rows = _run(workload)
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    for what in (
        *("index", "naive", "matches", "extracting fields", "naive / index", "parse", "add"),
        *("remove", "memory", "left when all are removed", "equal answers"),
    ):
        assert f"{workload} 300 {what}" in rows
    assert rows[f"{workload} 300 equal answers"]["value"] == 200
    assert rows["W1 naive"]["target"] == "<= 150"


def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MatchIndex.match

    def forgetful(self: MatchIndex[int], fields: Fields) -> list[int]:
        return right(self, fields)[1:]

    monkeypatch.setattr(MatchIndex, "match", forgetful)
    row = _run("W3")["W3 300 equal answers"]
    assert row["value"] < 200
    assert row["ok"] is False


def test_a_leak_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MatchIndex, "remove", lambda self, key: None)
    monkeypatch.setattr(match._Bench, "_churn", lambda self: None)
    row = _run()["W1 300 left when all are removed"]
    assert row["value"] > 50
    assert row["ok"] is False


def test_against_an_unfair_opponent_nothing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "_FAIR_NAIVE_NS", 0.001)
    assert not any(row["ok"] for row in _run().values())


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_same_seed_gives_the_same_data(workload: str) -> None:
    one = WORKLOADS[workload]
    assert list(one.constraints(50, 7)) == list(one.constraints(50, 7))
    assert list(one.events(20, 7)) == list(one.events(20, 7))
    assert list(one.constraints(50, 7)) != list(one.constraints(50, 8))


@pytest.mark.parametrize(
    ("workload", "least", "most"), [("W1", 0.00002, 0.0001), ("W2", 0.03, 0.06), ("W3", 0.08, 0.12)]
)
def test_workloads_are_as_selective_as_they_say(workload: str, least: float, most: float) -> None:
    one = WORKLOADS[workload]
    tests = [to_python(parse(text)) for text in one.constraints(4_000, 1)]
    events = [fields_of(event) for event in one.events(60, 1)]
    matches = sum(bool(test(fields)) for fields in events for test in tests)
    assert least <= matches / (len(tests) * len(events)) <= most


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="there are W1, W2, W3"):
        match.run("W9", 10)
    with pytest.raises(InvalidUsage, match="at least 1"):
        match.run("W1", 0)
