"""The clauses of a unit: exactly one holds when the unit passes, and none when it does not."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_plan_laws import Rules
from tests.unit.pipeline.test_plan_book import line
from tidings.events.fields import Fields
from tidings.filters.constraint import constraint
from tidings.filters.plan import AdminRule, Operator, Plan, PlanOptions, ProxyRule, Rule, Side
from tidings.filters.to_python import to_python
from tidings.pipeline.matching_clauses import Clause, Literal, clauses_of
from tidings.pipeline.plan_book import PlanBook, Span, Unit


def holds(literal: Literal, fields: Fields) -> bool:
    is_type = not literal.types or any(p.matches(*fields.event_type) for p in literal.types)
    true = is_type and (literal.tree is None or to_python(literal.tree)(fields) is True)
    return true is literal.holds


def holding(clauses: list[Clause], fields: Fields) -> int:
    return sum(all(holds(one, fields) for one in clause) for clause in clauses)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_one_clause_holds_when_the_unit_passes(seed: int) -> None:
    rules = Rules(Random(seed))
    lines = [line(change, at) for at, (_, change) in enumerate(rules.changes(Plan(), 5))]
    for unit in PlanBook.from_rows(lines).units:
        clauses = clauses_of(unit)
        for scene in rules.world.scenes:
            passed = bool(unit.plan().judge(scene.fresh()).recipients)
            if clauses is not None:
                assert holding(clauses, scene.fresh()) == passed


def unit_of(*texts: str, operator: Operator = Operator.AND, admin: str | None = None) -> Unit:
    shared = Rule(((constraint(admin),),)) if admin is not None else Rule()
    own = Rule((tuple(constraint(text) for text in texts),))
    return Unit(
        0,
        "",
        Span(1),
        AdminRule(Side.CONSUMER, 0, operator, shared),
        ProxyRule(Side.CONSUMER, 1, 0, own),
        PlanOptions(),
    )


def test_equalities_that_exclude_each_other_need_no_further_test() -> None:
    clauses = clauses_of(unit_of("$a == 1 or $a == 2", "$a == 3 and $b == 'xy'"))
    assert clauses is not None
    assert sorted(map(len, clauses)) == [1, 1, 2]


def test_what_contradicts_itself_is_left_out() -> None:
    assert clauses_of(unit_of("$a == 1", admin="$a == 2")) == []


def test_too_many_alternatives_are_not_spread() -> None:
    many = " and ".join(f"($a{at} == 1 or $b{at} > 2)" for at in range(8))
    (clause,) = clauses_of(unit_of(many)) or []
    assert len(clause) == 1  # the constraint stays whole
    texts = [f"$a{at} > {at}" for at in range(40)]
    assert clauses_of(unit_of(*texts)) is None
