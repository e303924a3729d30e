"""What an event costs follows its matches: counted, not timed."""

from __future__ import annotations

import pytest

from tidings.bench.match_workloads import WORKLOADS
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.index import MatchIndex
from tidings.filters.index.bucket import Bucket
from tidings.filters.index.entry import Entry, Way
from tidings.filters.parse import parse
from tidings.filters.tree import Node


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Counts buckets visited and predicates compiled while matching."""
    counted = {"buckets": 0, "compiled": 0}
    visit, compiled = Bucket.match, Way.compiled

    def counting_visit(self: Bucket, *args: object) -> None:
        counted["buckets"] += 1
        visit(self, *args)  # type: ignore[arg-type]

    def counting_compile(self: Way) -> object:
        counted["compiled"] += 1
        return compiled(self)

    monkeypatch.setattr(Bucket, "match", counting_visit)
    monkeypatch.setattr(Way, "compiled", counting_compile)
    return counted


def _index(trees: list[Node]) -> MatchIndex[int]:
    index = MatchIndex[int]()
    for key, tree in enumerate(trees):
        index.add_tree(key, tree)
    return index


def test_an_equality_and_a_range_visit_a_handful_of_buckets(steps: dict[str, int]) -> None:
    workload = WORKLOADS["W1"]
    index = _index([parse(text) for text in workload.constraints(30_000, 3)])
    steps.update(buckets=0, compiled=0)
    for one in workload.events(50, 3):
        index.match(fields_of(one))
    assert steps["buckets"] <= 50 * 3
    assert steps["compiled"] == 0


def test_many_fields_cost_what_the_event_has(steps: dict[str, int]) -> None:
    index = _index([parse(f"$f{n} == 1") for n in range(5_000)])
    fields = fields_of(event("D", "T", data={"f17": 1, "f18": 2, "other": 1}))
    assert index.match(fields) == [17]
    assert len(fields) < 10
    assert steps["buckets"] <= 5


def test_equal_constraints_are_one_list(steps: dict[str, int]) -> None:
    index = _index([parse("$a == 1 and $b == 2")] * 5_000)
    steps.update(buckets=0, compiled=0)
    assert len(index.match(fields_of(event("D", "T", data={"a": 1, "b": 2})))) == 5_000
    assert index.match(fields_of(event("D", "T", data={"a": 1, "b": 3}))) == []
    assert steps["buckets"] <= 12
    assert steps["compiled"] == 0


def test_very_many_conjuncts_do_not_nest_without_end() -> None:
    text = " and ".join(f"$f{n} == {n}" for n in range(300))
    index = _index([parse(text)] * 50)
    data = {f"f{n}": n for n in range(300)}
    assert len(index.match(fields_of(event("D", "T", data=data)))) == 50
    for key in range(50):
        index.remove(key)
    assert index.match(fields_of(event("D", "T", data=data))) == []


def test_several_intervals_do_not_multiply_without_end() -> None:
    text = " and ".join(f"$f{n} > 0.0 and $f{n} < 10.0" for n in range(8))
    index = _index([parse(text)] * 200)
    ways = [way for ways in index._ways.values() for way in ways]
    assert max(way.places for way in ways) <= 40


@pytest.mark.parametrize(
    "text", ["$x != 'a'", "$x + $y > 5", "default $u._d", "exist $x or $a + 1 > 2"]
)
def test_one_of_very_many_equal_ones_is_removed_without_a_search(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0

    def counting(self: Entry, other: object) -> bool:
        nonlocal compared
        compared += 1
        return self is other

    index = _index([parse(text)] * 3_000)
    monkeypatch.setattr(Entry, "__eq__", counting)
    monkeypatch.setattr(Entry, "__hash__", object.__hash__)
    for key in range(1_500, 1_600):
        index.remove(key)
    assert compared < 1_000
