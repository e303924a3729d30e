"""The audit of real archives: nothing is said of a good one, and every planted fault is named."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.archive_worlds import World, make_world
from tests.pipeline.archive_faults import ArchiveCopy, Row
from tests.pipeline.auditing import adds_up, audited, faults, final_outcomes, only, origin_of
from tidings.errors import ArchiveNotFound, InvalidUsage
from tidings.pipeline.audit import run_audit
from tidings.pipeline.audit_result import AuditOptions, FindingKind, PairId
from tidings.stores.archive.archiver import ArchiveOptions
from tidings.stores.archive.schema import EVENTS, OUTCOMES, PLANS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

Kind = FindingKind
FIXED = pytest.mark.parametrize("fixed", [False, True], ids=["as found", "fixed up"])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Everything happens in it, a restart included."""
    options = ArchiveOptions(seal_rows=600)
    return asyncio.run(make_world(tmp_path_factory.mktemp("world"), 260, options=options))


@pytest.fixture
def spoiled(world: World, tmp_path: Path) -> Callable[[bool], ArchiveCopy]:
    """Makes a copy to be spoiled."""
    return lambda fixed: ArchiveCopy.of(world.archive, tmp_path / "copy", fixed=fixed)


# A good archive.


def test_a_good_archive_is_explained_and_adds_up(spark: SparkSession, world: World) -> None:
    told: list[float] = []
    result = run_audit(spark, AuditOptions(str(world.archive)), lambda _, done: told.append(done))
    assert result.faults == ()
    assert result.status == 0
    assert result.books_checked
    assert adds_up(result)
    assert told == sorted(told)
    assert told[-1] == 1.0
    by_origin = {account.origin: account for account in result.accounts}
    for origin in world.channels:
        events = [one for one in world.firsts if one.origin == origin]
        account = by_origin[origin]
        assert account.events == len(events)
        assert account.pairs == sum(len(one.recipients) for one in events)
        waiting = {pair for pair in world.pending if pair[0] == origin}
        gone = {pair for pair in waiting if (pair[0], pair[2]) in world.gone}
        assert account.pending == len(waiting - gone)
    main = by_origin[origin_of(world)]
    assert main.best_effort
    assert main.delivered
    assert main.expired
    assert main.discarded
    assert main.rejected + main.dead_lettered
    assert main.disconnected
    assert main.redriven
    assert by_origin[origin_of(world, "doomed")].disconnected


def test_one_channel_is_audited_with_its_books(spark: SparkSession, world: World) -> None:
    result = audited(spark, world.archive, channels=("doomed",))
    assert [account.channel for account in result.accounts] == ["doomed"]
    assert result.books_checked
    assert result.faults == ()


def test_a_part_of_the_time_is_audited_without_books(spark: SparkSession, world: World) -> None:
    arrivals = sorted(one.arrival_us for one in world.firsts)
    since, until = arrivals[len(arrivals) // 4], arrivals[3 * len(arrivals) // 4]
    result = audited(spark, world.archive, since_us=since, until_us=until)
    assert result.faults == ()
    assert not result.books_checked
    assert adds_up(result)
    assert sum(account.events for account in result.accounts) == len(
        [one for one in arrivals if since <= one < until]
    )


def test_an_archive_or_channel_that_is_not_there_is_told(
    spark: SparkSession, world: World, tmp_path: Path
) -> None:
    with pytest.raises(ArchiveNotFound):
        audited(spark, tmp_path)
    with pytest.raises(InvalidUsage, match="'nowhere'"):
        audited(spark, world.archive, channels=("nowhere",))


# The five faults.


@FIXED
def test_an_outcome_that_is_missing_is_named(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy], fixed: bool
) -> None:
    copy = spoiled(fixed)
    row = final_outcomes(copy, world)[5]
    copy.remove_outcome(row)
    result = audited(spark, copy.folder)
    found = faults(result)
    assert found.keys() == {Kind.MISSING_OUTCOME}
    finding = only(found, Kind.MISSING_OUTCOME)
    assert finding.pairs == (PairId(row["seq"], row["proxy"]),)
    assert finding.channel == "world"
    assert f"event {row['seq']} has no outcome for proxy {row['proxy']}" in finding.sentence
    assert result.status == 1
    assert adds_up(result)
    [account] = [one for one in result.accounts if one.channel == "world"]
    assert account.unexplained == 1
    assert (Kind.SEGMENT_CHANGED in {one.kind for one in result.faults}) is not fixed


@FIXED
def test_an_outcome_that_stands_twice_is_named(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy], fixed: bool
) -> None:
    copy = spoiled(fixed)
    row = final_outcomes(copy, world, "discarded")[3]
    copy.double_outcome(row)
    found = faults(audited(spark, copy.folder))
    assert found.keys() == {Kind.DOUBLED_OUTCOME}
    finding = only(found, Kind.DOUBLED_OUTCOME)
    assert finding.pairs == (PairId(row["seq"], row["proxy"]),)
    assert "discarded, discarded" in finding.sentence


@FIXED
def test_a_delivery_to_the_wrong_proxy_is_named_with_who_lacks_it(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy], fixed: bool
) -> None:
    copy = spoiled(fixed)
    recipients = {(one.origin, one.seq): one.recipients for one in world.firsts}
    origin = origin_of(world)
    row, wrong = next(
        (row, proxy)
        for row in final_outcomes(copy, world)
        for proxy in world.proxies[origin]
        if proxy not in recipients[origin, row["seq"]]
    )
    copy.deliver_to(row, wrong)
    found = faults(audited(spark, copy.folder))
    assert found.keys() == {Kind.WRONG_PROXY, Kind.MISSING_OUTCOME}
    finding = only(found, Kind.WRONG_PROXY)
    assert finding.pairs == (PairId(row["seq"], wrong),)
    assert f"proxy {row['proxy']}, which gets it, lacks one" in finding.sentence
    lacking = only(found, Kind.MISSING_OUTCOME)
    assert lacking.pairs == (PairId(row["seq"], row["proxy"]),)


@FIXED
def test_an_event_that_is_missing_is_named(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy], fixed: bool
) -> None:
    copy = spoiled(fixed)
    row = final_outcomes(copy, world)[7]
    copy.remove_event(row["origin"], row["seq"])
    found = faults(audited(spark, copy.folder))
    assert found.keys() == {Kind.EVENT_MISSING}
    finding = only(found, Kind.EVENT_MISSING)
    assert {pair.seq for pair in finding.pairs} == {row["seq"]}
    assert row["proxy"] in {pair.proxy for pair in finding.pairs}
    assert finding.channel == "world"


def test_an_event_nobody_has_an_outcome_of_is_named_by_the_books(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy]
) -> None:
    copy = spoiled(True)
    with_outcome = {(row["origin"], row["seq"]) for row in copy.rows(OUTCOMES)}
    waiting = {(origin, seq) for origin, seq, proxy in world.pending if proxy}
    origin, seq = min(waiting - with_outcome)
    copy.remove_event(origin, seq)
    found = faults(audited(spark, copy.folder))
    assert found.keys() == {Kind.EVENT_MISSING}
    assert only(found, Kind.EVENT_MISSING).pairs == (PairId(seq),)


def judged_versions(copy: ArchiveCopy, world: World) -> list[Row]:
    """Versions of the main channel's plan that judged events, and that are no whole plans."""
    origin = origin_of(world)
    used = {row["plan"] for row in copy.rows(EVENTS) if row["origin"] == origin}
    return [
        row
        for row in copy.rows(PLANS)
        if row["origin"] == origin and row["version"] >= min(used) - 1
    ]


@FIXED
def test_a_plan_that_was_swapped_is_named(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy], fixed: bool
) -> None:
    copy = spoiled(fixed)
    first, second = judged_versions(copy, world)[:2]
    copy.swap_plans(first, second)
    found = faults(audited(spark, copy.folder))
    assert Kind.PLAN_CHANGED in found
    finding = only(found, Kind.PLAN_CHANGED)
    assert finding.channel == "world"
    assert finding.version == first["version"]
    assert f"says that it is version {second['version']}" in finding.sentence


def test_a_plan_that_was_swapped_with_care_is_named_by_what_it_decides(
    spark: SparkSession, world: World, spoiled: Callable[[bool], ArchiveCopy]
) -> None:
    """The filters of consumers are made to let nothing pass."""
    copy = spoiled(True)
    row = next(row for row in judged_versions(copy, world) if '"filters"' in row["change"])
    text = re.sub(r'"text":"[^"]*"', '"text":"FALSE"', row["change"])

    def edit(one: Row) -> list[Row]:
        return [{**one, "change": text} if one["position"] == row["position"] else one]

    assert copy.change(PLANS, edit) == 1
    found = faults(audited(spark, copy.folder))
    assert found.keys() == {Kind.PLAN_CHANGED, Kind.PLAN_DISAGREES}
    for finding in found[Kind.PLAN_DISAGREES]:
        assert finding.version is not None
        assert finding.version >= row["version"]
        assert finding.pairs
        assert "by the engine and not by the plan" in finding.sentence
