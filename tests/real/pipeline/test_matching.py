"""Matching on Spark says what `Plan.judge` and the engine say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.archive_worlds import World
from tests.real.pipeline.matching_worlds import Answer, MatchWorld, drawn_world, world_of
from tests.real.pipeline.parity import occurring_of
from tests.real.pipeline.settings import compiling
from tidings.bench.match_workloads import WORKLOADS
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import constraint
from tidings.filters.plan import AdminRule, Operator, Plan, ProxyRule, Rule, Side
from tidings.filters.to_spark.columns import ANYTHING, Occurring
from tidings.pipeline.archive import Selection
from tidings.pipeline.frames import events_frame, plan_changes
from tidings.pipeline.matching import MatchLimits, explain_match, match
from tidings.pipeline.matching.book import PlanBook
from tidings.pipeline.matching.compile import compile_book

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow

WIDE = MatchLimits(slots=80, needles=3)


def answers_of(df: DataFrame) -> list[Answer]:
    return [(r.origin, r.seq, r.proxy) for r in df.collect()]


def check(
    spark: SparkSession, world: MatchWorld, limits: MatchLimits, *, known: bool = False
) -> PlanBook:
    """The answers are right; what the events have is known beforehand, or not."""
    book = PlanBook.from_rows(world.lines)
    assert not book.problems
    table = world.table()
    occurring = occurring_of(table) if known else ANYTHING
    df = spark.createDataFrame(table)
    found = answers_of(match(df, book, occurring=occurring, limits=limits))
    assert len(found) == len(set(found)), "a consumer came out twice"
    assert set(found) == world.answers
    return book


@pytest.mark.parametrize(("first", "known"), [(0, False), (100, True)])
def test_drawn_plans_give_what_judge_gives(
    spark: SparkSession, first: int, known: bool, record_property: Callable[[str, object], None]
) -> None:
    world = drawn_world(range(first, first + 6))
    with compiling(spark, on=known):
        book = check(spark, world, WIDE, known=known)
    lanes = Counter(lane for one in explain_match(book, limits=WIDE) for lane in one.lanes)
    record_property("lanes", dict(lanes))
    assert lanes.total() - lanes["reference"] > 15
    assert lanes["reference"] > 5
    assert len(world.answers) > 100


def test_a_narrow_table_leaves_the_rest_to_the_reference(spark: SparkSession) -> None:
    world = drawn_world(range(200, 203))
    narrow = MatchLimits(slots=3, needles=3)
    book = check(spark, world, narrow)
    why = {one.why for one in explain_match(book, limits=narrow) if one.lanes == ("reference",)}
    assert "too many shapes of conditions for one table" in why


def consumers(
    texts: Iterable[str], operator: Operator = Operator.AND, admin: Rule | None = None
) -> Plan:
    rules = {
        proxy: ProxyRule(Side.CONSUMER, proxy, 1, Rule(((constraint(text),),)))
        for proxy, text in enumerate(texts, 1)
    }
    shared = AdminRule(Side.CONSUMER, 1, operator, admin or Rule())
    return Plan().changed({(Side.CONSUMER, 1): shared}, rules)[0]


LANES = {
    "equal": "$kind == 'a-7'",
    "member": "3 in $zones",
    "range": "$level > 10 and $level <= 20.5",
    "needle": "'ren' ~ $text",
    "exist": "exist $urgent",
    "all": "$kind != 'a-3'",
    "reference": "$zones[0] == 3",
}


def lane_events() -> list[StructuredEvent]:
    rng = Random(4)
    made = []
    for _ in range(60):
        data: dict[str, object] = {
            "kind": f"a-{rng.randrange(9)}",
            "zones": rng.sample(range(6), 3),
            "level": rng.choice((10, 10.0, 20.5, 20.6, rng.uniform(0, 30), float("nan"), True)),
            "text": rng.choice(("karenta", "kare nta", "ren", "REN", "", "é ren 😀")),
        }
        if rng.random() < 0.3:
            data["urgent"] = rng.choice((1, "x", [1.5]))
        for name in [name for name in data if rng.random() < 0.1]:
            del data[name]
        made.append(event("Telecom", rng.choice(("Alarm", "Call")), "x", data))
    return made


@pytest.mark.parametrize("known", [False, True])
def test_every_lane_is_used_and_right(spark: SparkSession, known: bool) -> None:
    needles = [f"'{text}' ~ $text" for text in ("ren", "kar", "é", "zzz", "n", "a n")]
    plan = consumers([*LANES.values(), *needles])
    world = world_of(plan, plan.whole(), lane_events())
    book = check(spark, world, WIDE, known=known)
    lanes = {one.proxy: one.lanes for one in explain_match(book, limits=WIDE)}
    for proxy, lane in enumerate(LANES, 1):
        assert lanes[proxy] == (lane,)
        assert any(answer[2] == proxy for answer in world.answers), f"nothing by {lane}"


@pytest.mark.parametrize("alone", [True, False])
def test_many_under_one_value_are_parted_by_a_number(spark: SparkSession, alone: bool) -> None:
    """NaN, truth values, integers and missing numbers beside the value, at ends and inside."""
    ends = (0, 1, 10, 10.0, 12.5, 20.5, 20.6, 29)
    texts = [
        text.format(kind=kind, end=end)
        for kind in ("a-1", "a-7")
        for end in ends
        for text in (
            "$kind == '{kind}' and $level > {end}",
            "$kind == '{kind}' and not ($level > {end})",
            "$kind == '{kind}' and $level >= {end} and $level < 21",
        )
    ]
    texts += [] if alone else ["$kind == 'a-7' and 'ren' ~ $text", "3 in $zones"]
    plan = consumers(texts)
    crowd = [replace(one, data={**one.data, "kind": "a-7"}) for one in lane_events()[:40]]
    world = world_of(plan, plan.whole(), [*lane_events(), *crowd])
    check(spark, world, MatchLimits(), known=alone)
    answered = {answer[2] for answer in world.answers}
    assert len(answered) > 40
    made = compile_book(PlanBook.from_rows(world.lines), MatchLimits())
    assert sum(probe.beside is not None for probe in made.probes) == 1


def test_types_lead_to_consumers_too(spark: SparkSession) -> None:
    rule = Rule(((constraint("$level > 5 or $kind == 'a-1'", ["Telecom::Alarm", "X::*"]),),))
    plan = Plan().changed(
        {(Side.CONSUMER, 1): AdminRule(Side.CONSUMER, 1, Operator.OR, rule)},
        {
            1: ProxyRule(
                Side.CONSUMER, 1, 1, Rule(((constraint("$level < 7", ["Telecom::C*"]),),))
            ),
            2: ProxyRule(Side.CONSUMER, 2, 1, Rule(((constraint("", ["Telecom::Call"]),),))),
        },
    )[0]
    world = world_of(plan, plan.whole(), lane_events())
    book = check(spark, world, MatchLimits())
    assert {lane for one in explain_match(book) for lane in one.lanes} <= {
        *("type", "range", "equal", "all"),
    }


def test_numbers_meet_literals_of_every_kind(spark: SparkSession) -> None:
    big = 2**53
    values: list[object] = [
        *(0, -0.0, 0.0, 1, 1.0, True, False, 65, "A", "AA", big, big + 1, float(big)),
        *(float("inf"), float("-inf"), float("nan"), 2**63 - 1, -(2**63), 1e300),
    ]
    literals = ["0", "-0.0", "1", "1.0", "TRUE", "65", "'A'", "'AA'", str(big), str(big + 1)]
    literals += [f"{float(big)!r}", "1e300", str(2**63), str(2**63 - 1)]
    texts = [f"$x {sign} {one}" for one in literals for sign in ("==", ">=", "<")]
    texts += [f"{one} in $xs" for one in literals] + [f"not ($x > {one})" for one in ("1", "65.5")]
    plan = consumers(texts)
    events = [event("D", "T", "n", {"x": value}) for value in values]
    events += [event("D", "T", "n", {"xs": [value, value]}) for value in values]
    events += [event("D", "T", "n", {"xs": [0.0, -0.0, 1.5, float("nan")]})]
    world = world_of(plan, plan.whole(), events)
    book = check(spark, world, MatchLimits(slots=100))
    assert {lane for one in explain_match(book) for lane in one.lanes} >= {"equal", "range"}


@pytest.mark.parametrize("kind", ["W1", "W2", "W3"])
def test_the_workloads_of_the_bench(spark: SparkSession, kind: str) -> None:
    workload = WORKLOADS[kind]
    plan = consumers(workload.constraints(300, 5))
    world = world_of(plan, plan.whole(), list(workload.events(200, 5)))
    book = check(spark, world, MatchLimits())
    lanes = Counter(lane for one in explain_match(book) for lane in one.lanes)
    assert not lanes["reference"]
    assert lanes["all"] < 20


def test_only_the_needed_columns_are_read(spark: SparkSession, tmp_path: Path) -> None:
    plan = consumers(["$area == 3 and $rate > 7"])
    world = world_of(plan, plan.whole(), lane_events())
    spark.createDataFrame(world.table()).write.parquet(str(tmp_path / "events"))
    df = spark.read.parquet(str(tmp_path / "events"))
    book = PlanBook.from_rows(world.lines)
    matched = match(df, book, occurring=Occurring(others=()))
    assert matched.columns == ["origin", "seq", "proxy", "position"]
    plan_text = matched._jdf.queryExecution().executedPlan().toString()
    read = plan_text.partition("FileScan parquet [")[2].partition("]")[0]
    names = {name.partition("#")[0] for name in read.split(",")}
    assert names <= {
        *("origin", "seq", "plan", "position", "data_int", "data_double", "data_bool"),
        *("header_int", "header_double", "header_string", "header_bool"),
    }
    assert "BroadcastHashJoin [e_key" in plan_text
    assert "MapInArrow" not in plan_text


def test_the_engine_decided_the_same(spark: SparkSession, world: World) -> None:
    selection = Selection(str(world.archive))
    frame = events_frame(spark, selection)
    book = PlanBook.from_rows(plan_changes(spark, selection))
    found = answers_of(match(frame.df, book, occurring=frame.occurring))
    archived = {(row.origin, row.seq) for row in frame.df.select("origin", "seq").collect()}
    assert set(found) == {pair for pair in _copies(world) if pair[:2] in archived}


def _copies(world: World) -> set[Answer]:
    return {(one.origin, one.seq, proxy) for one in world.firsts for proxy in one.recipients}


def test_a_stream_is_matched_like_a_frame(spark: SparkSession, tmp_path: Path) -> None:
    plan = consumers(LANES.values())
    world = world_of(plan, plan.whole(), lane_events())
    spark.createDataFrame(world.table()).write.parquet(str(tmp_path / "events"))
    still = spark.read.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema(still.schema).parquet(str(tmp_path / "events"))
    matched = match(stream, PlanBook.from_rows(world.lines))
    query = (
        matched.writeStream.format("memory").queryName("matched").trigger(availableNow=True).start()
    )
    assert query.awaitTermination(60)
    assert set(answers_of(spark.table("matched"))) == world.answers


def test_an_empty_book_matches_nothing(spark: SparkSession) -> None:
    plan = consumers([])
    world = world_of(plan, plan.whole(), lane_events()[:3])
    check(spark, world, MatchLimits())
