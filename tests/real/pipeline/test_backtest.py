"""Backtests of a real archive, against the reference asked of every event."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.archive_worlds import Decided, World, archive_journal
from tests.real.pipeline.matching_worlds import plan_of
from tests.real.pipeline.services import service
from tidings import event
from tidings.errors import InvalidConstraint, InvalidEventType
from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import fields_for
from tidings.filters.constraint import constraint
from tidings.pipeline.archive import Selection
from tidings.pipeline.backtest import (
    BacktestOptions,
    BacktestResult,
    archived_rules,
    plain_event,
    run_backtest,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

HOUR = 3_600_000_000


def backtested(spark: SparkSession, world: World, text: str, **given: Any) -> BacktestResult:
    return run_backtest(spark, BacktestOptions(str(world.archive), text, **given))


def matching(world: World, text: str, types: tuple[str, ...] = ()) -> list[Decided]:
    """What the reference says."""
    asked = constraint(text, types)
    return [one for one in world.firsts if asked.matches(fields_for(one.event, one.arrival_us))]


@pytest.mark.parametrize(
    ("text", "types", "how"),
    [
        ("$speed > 50 and $zone == 3", (), "native"),
        ("$severity == 'major' or $fee > 1", (), "Arrow batches"),
        ("$driver.age == 36", (), "Arrow batches"),
        ("", ("Traffic::Speed*",), "native"),
        ("$nowhere == 1", (), "native"),
    ],
)
def test_a_constraint_matches_what_the_reference_says(
    spark: SparkSession, world: World, text: str, types: tuple[str, ...], how: str
) -> None:
    result = backtested(spark, world, text, event_types=types)
    wanted = matching(world, text, types)
    assert result.events == len(world.firsts)
    assert result.matched == len(wanted)
    assert how in result.how
    counts = Counter(
        (one.arrival_us - one.arrival_us % HOUR, one.event.domain, one.event.type) for one in wanted
    )
    assert {
        (one.hour_us, one.domain, one.type): one.matched for one in result.hours if one.matched
    } == counts
    assert sum(one.events for one in result.hours) == len(world.firsts)
    shown = {(sample.channel, sample.seq) for sample in result.samples}
    assert len(shown) == min(10, len(wanted))
    assert shown <= {(one.channel, one.seq) for one in wanted}
    assert result.share == len(wanted) / len(world.firsts)


def test_only_what_is_asked_for_is_looked_at(spark: SparkSession, world: World) -> None:
    of_world = [one for one in world.firsts if one.channel == "world"]
    since, until = of_world[20].arrival_us, of_world[-20].arrival_us
    chosen = [one for one in of_world if since <= one.arrival_us < until]
    result = backtested(
        spark, world, "$zone < 3", channels=("world",), since_us=since, until_us=until, samples=3
    )
    assert result.events == len(chosen)
    wanted = [one for one in matching(world, "$zone < 3") if one in chosen]
    assert result.matched == len(wanted)
    newest = sorted(wanted, key=lambda one: (one.arrival_us, one.seq), reverse=True)[:3]
    assert [sample.seq for sample in result.samples] == [one.seq for one in newest]
    assert (result.first_us, result.last_us) == (
        min(one.arrival_us for one in chosen),
        max(one.arrival_us for one in chosen),
    )


def test_the_present_subscriptions_are_asked_side_by_side(
    spark: SparkSession, world: World
) -> None:
    """Every event is judged by the last rules, of channels that exist."""
    text = "$speed > 50"
    result = backtested(spark, world, text, live=True)
    assert result.live is not None
    assert result.live_from == "the last rules in the archive"
    present = archived_rules(spark, Selection(str(world.archive)))
    new = {(one.origin, one.seq) for one in matching(world, text)}
    wanted = {}
    for unit in present.book.units:
        got = [
            one
            for one in world.firsts
            if one.origin == unit.origin
            and plan_of(unit).verdict(fields_for(one.event, one.arrival_us), unit.proxy).passed
        ]
        shared = [one for one in got if (one.origin, one.seq) in new]
        wanted[world.channels[unit.origin], unit.proxy] = (len(got), len(shared))
    found = {(one.channel, one.proxy): (one.matched, one.both) for one in result.live}
    assert found == wanted
    assert any(both for _, both in found.values())
    assert not any(channel == "doomed" for channel, _ in found)
    for one in result.live:
        assert sum(count for _, count in one.hours) == one.matched
    assert [one.matched for one in result.live] == sorted(
        (one.matched for one in result.live), reverse=True
    )


def test_the_subscriptions_of_a_service_are_asked(spark: SparkSession, tmp_path: Path) -> None:
    with service(tmp_path / "service") as running:
        running.channel("roads")
        for name, wanted in (("fast", "$speed > 50"), ("all", None), ("north", "$area == 'n'")):
            running.client.subscribe("roads", wanted, name=name)
        running.client.subscribe("roads", types=["Traffic::Slow"], name="typed")
        for speed in range(0, 100, 10):
            running.client.publish("roads", event("Traffic", "Speed", data={"speed": speed}))
        [journal] = {path.parent for path in tmp_path.rglob("*.journal")}
        archive_journal(journal, tmp_path / "archive")
        asked = BacktestOptions(
            str(tmp_path / "archive"), "$speed < 70", live=True, url=running.url
        )
        result = run_backtest(spark, asked)
    assert result.live is not None
    assert {one.name: (one.matched, one.both) for one in result.live} == {
        "all": (10, 7),
        "fast": (4, 1),
        "north": (0, 0),
        "typed": (0, 0),
    }
    assert {one.channel for one in result.live} == {"roads"}
    assert result.live_from == f"the service at {running.url}"


def test_what_cannot_be_asked_is_told_before_anything_is_read(spark: SparkSession) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        run_backtest(spark, BacktestOptions("/nowhere", "$speed >"))
    assert "^" in str(caught.value)
    with pytest.raises(InvalidEventType):
        run_backtest(spark, BacktestOptions("/nowhere", "", event_types=("A::%B",)))


def test_samples_are_shown_as_people_write_them(world: World) -> None:
    raw = (
        b'{"domain":"T","type":"S","data":{"c":{"$type":"char","value":"c"},'
        b'"d":{"x":[{"$type":"short","value":3}]}}}'
    )
    assert json.loads(plain_event(raw)) == {
        "domain": "T",
        "type": "S",
        "data": {"c": "c", "d": {"x": [3]}},
    }
    decode_event(plain_event(raw))
