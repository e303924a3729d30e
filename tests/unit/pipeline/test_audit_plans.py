"""Whether the rows of plans are those that were archived."""

from __future__ import annotations

import json

from tidings.filters.plan import Plan, PlanChange, ProxyRule, Side
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.audit_plans import PlanHistory, plan_histories
from tidings.pipeline.frames import PlanRow
from tidings.stores.archive.rules import chained

A, B = "a" * 32, "b" * 32


def row(change: PlanChange, position: int, origin: str = A) -> PlanRow:
    text = json.dumps(change_to_plain(change))
    return PlanRow(origin, "x", change.version, change.whole, text, 0, position)


def history(origin: str = A, versions: int = 4) -> list[PlanRow]:
    """Changes, each out of the one before."""
    plan = Plan()
    rows = []
    for number in range(1, versions + 1):
        plan, change = plan.changed(proxies={number: ProxyRule(Side.CONSUMER, number, 0)})
        rows.append(row(change, number, origin))
    return rows


def faults(rows: list[PlanRow]) -> list[tuple[int, str]]:
    return [*plan_histories(rows)[A].faults]


def test_a_whole_history_has_no_fault() -> None:
    found = plan_histories(history() + history(B, 2))
    assert {origin: one.rows for origin, one in found.items()} == {A: 4, B: 2}
    assert not any(one.faults for one in found.values())


def test_a_missing_version_is_told_by_the_next() -> None:
    rows = history()
    [(version, problem)] = faults([rows[0], rows[2], rows[3]])
    assert version == 3
    assert problem == "is made out of version 2, and follows version 1"


def test_a_whole_plan_follows_from_anything() -> None:
    assert faults([*history(), row(Plan(version=9).whole(), 9)]) == []


def test_a_row_that_says_another_version_is_told() -> None:
    rows = history()
    swapped = [rows[0], rows[1]._replace(change=rows[2].change), rows[2]]
    assert faults(swapped) == [(2, "says that it is version 3")]


def test_a_row_that_cannot_be_read_is_told() -> None:
    rows = history(versions=1)
    for change in ("{", "[]", "{}"):
        [(version, problem)] = faults([rows[0]._replace(change=change)])
        assert version == 1
        assert problem.startswith("cannot be read")


def test_the_digest_is_the_archivers() -> None:
    rows = history(versions=2)
    digest = chained(chained("", 1, rows[0].change), 2, rows[1].change)
    assert plan_histories(rows) == {A: PlanHistory(2, digest)}
    assert plan_histories(rows)[A].is_as_archived(2, digest)
    assert not plan_histories(rows[:1])[A].is_as_archived(2, digest)
    assert not plan_histories(rows[::-1])[A].is_as_archived(2, digest)
