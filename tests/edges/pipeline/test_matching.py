"""Plans in books and clauses, and each way of matching gives what `Plan.judge` gives."""

from __future__ import annotations

import json
import math
from random import Random

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.test_plan_laws import Rules
from tests.real.pipeline.matching_worlds import Answer, MatchWorld, drawn_world, plan_of
from tidings.events.fields import Fields
from tidings.filters.constraint import constraint
from tidings.filters.parse import parse
from tidings.filters.plan import (
    AdminRule,
    Operator,
    Plan,
    PlanChange,
    PlanOptions,
    ProxyRule,
    Rule,
    Side,
)
from tidings.filters.plan_form import change_to_plain
from tidings.filters.to_python import to_python
from tidings.pipeline.matching.book import PlanBook, PlanRow, Span, Unit
from tidings.pipeline.matching.clauses import Literal, clauses_of
from tidings.pipeline.matching.needles import needle_finder
from tidings.pipeline.matching.reference import MATCHED, judge_batches
from tidings.pipeline.matching.ways import Grid, Interval, Ways

ORIGIN = "0a" * 16


def units_at(book: PlanBook, version: int) -> list[Unit]:
    return [unit for unit in book.units if unit.origin == ORIGIN and version in unit.span]


def line(change: PlanChange, position: int, origin: str = ORIGIN) -> PlanRow:
    text = json.dumps(change_to_plain(change))
    return PlanRow(origin, "channel", change.version, change.whole, text, 0, position)


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
        units = {unit.proxy: unit for unit in units_at(book, plan.version)}
        assert len(units) == len(units_at(book, plan.version))
        wanted = [rule for rule in plan.proxies.values() if rule.side is Side.CONSUMER]
        assert sorted(units) == sorted(rule.proxy for rule in wanted)
        for scene in rules.world.scenes:
            passed = tuple(p for p in sorted(units) if plan_of(units[p]).judge(scene.fields)[1])
            assert passed == plan.judge(scene.fields).recipients


def test_a_change_that_cannot_be_read_is_told_with_its_version() -> None:
    plan, change = Plan().changed(proxies={1: ProxyRule(Side.CONSUMER, 1, 0)})
    broken = PlanRow(ORIGIN, "channel", 2, False, "{", 0, 2)
    book = PlanBook.from_rows([line(change, 1), broken, line(plan.whole(), 3, "0b" * 16)])
    assert book.problems[0].startswith(f"channel {ORIGIN}: version 2 cannot be read: ")
    assert not book.knows(ORIGIN, 2)
    assert book.knows(ORIGIN, 1)
    assert [unit.span for unit in units_at(book, 1)] == [Span(1, 2)]


def holds(literal: Literal, fields: Fields) -> bool:
    is_type = not literal.types or any(p.matches(*fields.event_type) for p in literal.types)
    true = is_type and (literal.tree is None or to_python(literal.tree)(fields) is True)
    return true is literal.holds


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_one_clause_holds_when_the_unit_passes(seed: int) -> None:
    rules = Rules(Random(seed))
    lines = [line(change, at) for at, (_, change) in enumerate(rules.changes(Plan(), 5))]
    for unit in PlanBook.from_rows(lines).units:
        clauses = clauses_of(unit)
        for scene in rules.world.scenes:
            passed = bool(plan_of(unit).judge(scene.fresh()).recipients)
            if clauses is not None:
                fields = scene.fresh()
                holding = [all(holds(one, fields) for one in clause) for clause in clauses]
                assert sum(holding) == passed, "one clause, or none"


def unit_of(*texts: str) -> Unit:
    own = Rule((tuple(constraint(text) for text in texts),))
    admin = AdminRule(Side.CONSUMER, 0, Operator.AND, Rule())
    return Unit(0, "", Span(1), admin, ProxyRule(Side.CONSUMER, 1, 0, own), PlanOptions())


def test_too_many_alternatives_are_not_spread() -> None:
    many = " and ".join(f"($a{at} == 1 or $b{at} > 2)" for at in range(8))
    (clause,) = clauses_of(unit_of(many)) or []
    assert len(clause) == 1  # the constraint stays whole
    texts = [f"$a{at} > {at}" for at in range(40)]
    assert clauses_of(unit_of(*texts)) is None
    assert clauses_of(unit_of("", "$a > 1")) == [()]  # beside what is always true, nothing counts


ENDS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50, 50).map(float)
INTERVALS = st.lists(
    st.tuples(ENDS, ENDS, st.sampled_from(("both", "low", "high"))), min_size=1, max_size=12
)


def interval(one: tuple[float, float, str]) -> Interval:
    low, high = sorted(one[:2])
    return Interval(low if one[2] != "high" else -math.inf, high if one[2] != "low" else math.inf)


@given(INTERVALS, st.lists(st.floats(allow_nan=False) | ENDS, max_size=20))
def test_cells_never_fall_and_inner_cells_are_inside(
    drawn: list[tuple[float, float, str]], numbers: list[float]
) -> None:
    intervals = [interval(one) for one in drawn]
    grid = Grid(intervals)
    asked = sorted({*numbers, *(end for one in drawn for end in one[:2])})
    cells = [grid.cell(number) for number in asked]
    assert cells == sorted(cells)
    for one in intervals:
        first, last = grid.span(one)
        for number in asked:
            if one.low <= number <= one.high:
                assert first <= grid.cell(number) <= last
            above = grid.cell(number) > first or one.low == -math.inf
            if above and (grid.cell(number) < last or one.high == math.inf):
                assert one.low <= number <= one.high or not first <= grid.cell(number) <= last


ALPHABET = st.sampled_from("abé😀 ")
TEXTS = st.lists(st.none() | st.text(ALPHABET, max_size=14), max_size=8)
NEEDLES = st.lists(st.text(ALPHABET, min_size=1, max_size=6), min_size=1, max_size=10, unique=True)


@given(NEEDLES, TEXTS, st.integers(0, 3))
def test_finds_what_python_finds(needles: list[str], texts: list[str | None], first: int) -> None:
    find = needle_finder(needles)
    expected = [[at for at, one in enumerate(needles) if one in (text or "")] for text in texts]
    assert find(pa.array(texts, pa.string())).to_pylist() == expected
    # A slice begins in the middle of its buffers.
    assert find(pa.array(texts, pa.string()).slice(first)).to_pylist() == expected[first:]


def batch_of(world: MatchWorld, *, odd: bool) -> pa.RecordBatch:
    names = ["origin", "seq", "plan", "arrival_us", "raw", "position"]
    table = world.table().select(names)
    table = table.append_column("odd", pa.array([odd] * len(table)))
    return table.combine_chunks().to_batches()[0]


def answers(batch: pa.RecordBatch) -> list[Answer]:
    return [(row["origin"], row["seq"], row["proxy"]) for row in batch.to_pylist()]


def test_all_units_are_judged_at_the_version_an_event_carries() -> None:
    world = drawn_world(range(300, 312))
    units = PlanBook.from_rows(world.lines).units
    judge = judge_batches(units, ())
    (made,) = judge(iter([batch_of(world, odd=False)]))
    assert made.schema == MATCHED
    found = answers(made)
    assert len(found) == len(set(found))
    assert set(found) == world.answers
    assert len(found) > 150


def test_units_for_odd_events_are_asked_of_odd_events_only() -> None:
    world = drawn_world(range(300, 304))
    units = PlanBook.from_rows(world.lines).units
    judge = judge_batches(units[::2], units[1::2])
    (both,) = judge(iter([batch_of(world, odd=True)]))
    assert set(answers(both)) == world.answers
    (half,) = judge(iter([batch_of(world, odd=False)]))
    assert 0 < len(half) < len(both)


def test_few_clauses_under_a_value_are_found_by_it_alone() -> None:
    texts = [(f"$area == {area}", "$rate > 5") for area in range(20)]
    asked = [tuple(Literal(parse(text)) for text in pair) for pair in texts]
    ways = Ways(asked)
    assert {ways.probe_of(one).beside for one in asked} == {None}
    assert [door.numbers for door in ways.doors(asked[3])] == [(3.0,)]
