"""A book of plans: units over versions, and what is told when versions are missing."""

from __future__ import annotations

import json
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_plan_laws import Rules
from tidings.filters.constraint import constraint
from tidings.filters.plan import AdminRule, Operator, Plan, PlanChange, ProxyRule, Rule, Side
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.plan_book import PlanBook, Span

ORIGIN = "0a" * 16


class Line(NamedTuple):
    """A row of the archive's plans."""

    origin: str
    version: int
    change: str
    position: int


def line(change: PlanChange, position: int, origin: str = ORIGIN) -> Line:
    return Line(origin, change.version, json.dumps(change_to_plain(change)), position)


def consumer(proxy: int, text: str = "", admin: int = 0) -> ProxyRule:
    return ProxyRule(Side.CONSUMER, proxy, admin, Rule(((constraint(text),),)))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_a_book_has_the_units_of_every_version(seed: int, order: Random) -> None:
    rules = Rules(Random(seed))
    lines, plans = [], []
    for position, (plan, change) in enumerate(rules.changes(Plan(), 7)):
        plans.append(plan)
        lines.append(line(plan.whole() if order.random() < 0.2 else change, position))
        if order.random() < 0.2:  # as checkpoints write it again
            lines.append(line(plan.whole(), position))
    order.shuffle(lines)
    book = PlanBook.from_rows(lines)
    assert not book.problems
    for plan in plans:
        assert book.knows(ORIGIN, plan.version)
        units = {unit.proxy: unit for unit in book.at(ORIGIN, plan.version)}
        assert len(units) == len(book.at(ORIGIN, plan.version))
        wanted = [rule for rule in plan.proxies.values() if rule.side is Side.CONSUMER]
        assert sorted(units) == sorted(rule.proxy for rule in wanted)
        for scene in rules.world.scenes:
            passed = tuple(p for p in sorted(units) if units[p].plan().judge(scene.fields)[1])
            assert passed == plan.judge(scene.fields).recipients
        for proxy, unit in units.items():
            assert unit.mapping("priority") == plan.mapping(proxy, "priority")
            assert unit.mapping("lifetime") == plan.mapping(proxy, "lifetime")


def test_a_unit_lasts_as_long_as_nothing_about_it_changes() -> None:
    first, one = Plan().changed(proxies={1: consumer(1, "$a == 1"), 2: consumer(2, "$a == 2")})
    second, two = first.changed(proxies={2: consumer(2, "$a == 3")})
    _, three = second.changed(proxies={1: None})
    book = PlanBook.from_rows([line(one, 1), line(two, 2), line(three, 3)])
    spans = sorted((unit.proxy, unit.span.start, unit.span.end) for unit in book.units)
    assert spans == [(1, 1, 3), (2, 1, 2), (2, 2, None)]


def test_an_admin_changes_the_units_of_its_proxies_only() -> None:
    first, one = Plan().changed(proxies={1: consumer(1, admin=1), 2: consumer(2, admin=2)})
    admin = AdminRule(Side.CONSUMER, 1, Operator.OR, Rule(((constraint("$a == 1"),),)))
    _, two = first.changed(admins={(Side.CONSUMER, 1): admin})
    book = PlanBook.from_rows([line(one, 1), line(two, 2)])
    spans = sorted((unit.proxy, unit.span.start, unit.span.end) for unit in book.units)
    assert spans == [(1, 1, 2), (1, 2, None), (2, 1, None)]
    assert [unit.admin for unit in book.at(ORIGIN, 2) if unit.proxy == 1] == [admin]


def test_suppliers_are_no_units() -> None:
    _, change = Plan().changed(proxies={1: ProxyRule(Side.SUPPLIER, 1, 0), 2: consumer(2)})
    assert [unit.proxy for unit in PlanBook.from_rows([line(change, 1)]).units] == [2]


def test_missing_versions_are_told_and_unknown_up_to_the_next_whole_plan() -> None:
    plans = [Plan()]
    changes = []
    for proxy in range(1, 6):
        made, change = plans[-1].changed(proxies={proxy: consumer(proxy)})
        plans.append(made)
        changes.append(change)
    book = PlanBook.from_rows(
        [line(changes[0], 1), line(changes[2], 3), line(changes[3], 4), line(plans[5].whole(), 5)]
    )
    assert book.problems == (f"channel {ORIGIN}: versions 2 to 2 are missing",)
    assert [version for version in range(7) if book.knows(ORIGIN, version)] == [0, 1, 5, 6]
    assert book.known == {ORIGIN: (Span(0, 2), Span(5))}
    assert sorted((unit.proxy, unit.span.end) for unit in book.units if unit.span.start == 1) == [
        (1, 2)
    ]
    assert len(book.at(ORIGIN, 3)) == 0
    assert len(book.at(ORIGIN, 5)) == 5


def test_an_archive_that_begins_in_the_middle_knows_nothing_before_a_whole_plan() -> None:
    plan, _ = Plan().changed(proxies={1: consumer(1)})
    later, change = plan.changed(proxies={2: consumer(2)})
    book = PlanBook.from_rows([line(change, 1)])
    assert book.units == ()
    assert len(book.problems) == 1
    assert PlanBook.from_rows([line(change, 1), line(later.whole(), 2)]).at(ORIGIN, 2)


def test_a_change_that_cannot_be_read_is_told_with_its_version() -> None:
    plan, change = Plan().changed(proxies={1: consumer(1)})
    broken = Line(ORIGIN, 2, "{", 2)
    book = PlanBook.from_rows([line(change, 1), broken, line(plan.whole(), 3, "0b" * 16)])
    assert book.problems[0].startswith(f"channel {ORIGIN}: version 2 cannot be read: ")
    assert not book.knows(ORIGIN, 2)
    assert book.knows(ORIGIN, 1)
    assert [unit.span for unit in book.at(ORIGIN, 1)] == [Span(1, 2)]


def test_channels_are_kept_apart() -> None:
    _, one = Plan().changed(proxies={1: consumer(1)})
    _, two = Plan().changed(proxies={1: consumer(1, "$a == 1"), 2: consumer(2)})
    book = PlanBook.from_rows([line(one, 1), line(two, 1, "0b" * 16)])
    assert [unit.proxy for unit in book.at(ORIGIN, 1)] == [1]
    assert sorted(unit.proxy for unit in book.at("0b" * 16, 1)) == [1, 2]
    assert len({unit.id for unit in book.units}) == 3
