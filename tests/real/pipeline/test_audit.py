"""The audit of real archives: nothing is said of a good one, and every planted fault is named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.archive_worlds import World, make_world
from tests.real.pipeline.archive_faults import ArchiveCopy, Row
from tests.real.pipeline.auditing import adds_up, audited, faults, only, origin_of
from tests.real.pipeline.conftest import Audited
from tests.real.pipeline.spoiled_channels import AlikeChannels, spoil
from tidings.errors import ArchiveNotFound, InvalidUsage
from tidings.pipeline.audit.result import AuditResult, FindingKind, PairId
from tidings.stores.archive.archiver import ArchiveOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

Kind = FindingKind


class Spoiled(NamedTuple):
    """An archive with a fault in each channel, and what its audit says.

    Attributes:
        result: Of the audit.
        rows: What each fault concerns, by channel.
    """

    result: AuditResult
    rows: Mapping[str, Sequence[Row]]


@pytest.fixture(scope="module")
def spoiled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Spoiled:
    """Lengths, checksums and sums are fixed up: only the content can tell."""
    folder = tmp_path_factory.mktemp("alike")
    options = ArchiveOptions(seal_rows=5_000)
    alike = asyncio.run(make_world(folder, 400, options=options, story=AlikeChannels))
    copy = ArchiveCopy.of(alike.archive, folder / "copy", fixed=True)
    rows = spoil(copy, alike)
    return Spoiled(audited(spark, copy.folder), rows)


# A good archive.


def test_a_good_archive_is_explained_and_adds_up(world: World, audited_world: Audited) -> None:
    result, shares = audited_world
    assert result.faults == ()
    assert result.status == 0
    assert result.books_checked
    assert adds_up(result)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
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
    purged = [one for one in world.outcomes if one.outcome == "purged"]
    assert main.purged == len(purged) > 0
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


# Faults, each in a channel of its own.


def test_all_that_is_spoiled_adds_up(spoiled: Spoiled) -> None:
    result = spoiled.result
    assert result.status == 1
    assert adds_up(result)
    assert {one.channel for one in result.faults} - {None} == spoiled.rows.keys()
    assert Kind.SEGMENT_CHANGED not in {one.kind for one in result.faults}


def test_an_outcome_that_is_missing_is_named(spoiled: Spoiled) -> None:
    [row] = spoiled.rows["missing-outcome"]
    found = faults(spoiled.result, "missing-outcome")
    assert found.keys() == {Kind.MISSING_OUTCOME}
    finding = only(found, Kind.MISSING_OUTCOME)
    assert finding.pairs == (PairId(row["seq"], row["proxy"]),)
    assert f"event {row['seq']} has no outcome for proxy {row['proxy']}" in finding.sentence
    [account] = [one for one in spoiled.result.accounts if one.channel == "missing-outcome"]
    assert account.unexplained == 1


def test_an_outcome_that_stands_twice_is_named(spoiled: Spoiled) -> None:
    [row] = spoiled.rows["doubled-outcome"]
    found = faults(spoiled.result, "doubled-outcome")
    assert found.keys() == {Kind.DOUBLED_OUTCOME}
    finding = only(found, Kind.DOUBLED_OUTCOME)
    assert finding.pairs == (PairId(row["seq"], row["proxy"]),)
    assert "delivered, delivered" in finding.sentence


def test_a_delivery_to_the_wrong_proxy_is_named_with_who_lacks_it(spoiled: Spoiled) -> None:
    right, wrong = spoiled.rows["wrong-proxy"]
    found = faults(spoiled.result, "wrong-proxy")
    assert found.keys() == {Kind.WRONG_PROXY, Kind.MISSING_OUTCOME}
    finding = only(found, Kind.WRONG_PROXY)
    assert finding.pairs == (PairId(wrong["seq"], wrong["proxy"]),)
    assert f"proxy {right['proxy']}, which gets it, lacks one" in finding.sentence
    lacking = only(found, Kind.MISSING_OUTCOME)
    assert lacking.pairs == (PairId(right["seq"], right["proxy"]),)


def test_an_event_that_is_missing_is_named(spoiled: Spoiled) -> None:
    [row] = spoiled.rows["missing-event"]
    found = faults(spoiled.result, "missing-event")
    assert found.keys() == {Kind.EVENT_MISSING}
    finding = only(found, Kind.EVENT_MISSING)
    assert {pair.seq for pair in finding.pairs} == {row["seq"]}
    assert row["proxy"] in {pair.proxy for pair in finding.pairs}


def test_an_event_nobody_has_an_outcome_of_is_named_by_the_books(spoiled: Spoiled) -> None:
    [row] = spoiled.rows["event-without-outcome"]
    found = faults(spoiled.result, "event-without-outcome")
    assert found.keys() == {Kind.EVENT_MISSING}
    assert only(found, Kind.EVENT_MISSING).pairs == (PairId(row["seq"]),)


def test_a_plan_that_was_swapped_is_named(spoiled: Spoiled) -> None:
    first, second = spoiled.rows["swapped-plan"]
    finding = only(faults(spoiled.result, "swapped-plan"), Kind.PLAN_CHANGED)
    assert finding.version == first["version"]
    assert f"says that it is version {second['version']}" in finding.sentence


def test_a_plan_that_was_swapped_with_care_is_named_by_what_it_decides(spoiled: Spoiled) -> None:
    [row] = spoiled.rows["careful-plan"]
    found = faults(spoiled.result, "careful-plan")
    assert found.keys() == {Kind.PLAN_CHANGED, Kind.PLAN_DISAGREES}
    for finding in found[Kind.PLAN_DISAGREES]:
        assert finding.version is not None
        assert finding.version >= row["version"]
        assert finding.pairs
        assert "by the engine and not by the plan" in finding.sentence


def test_two_outcomes_and_an_event_that_are_missing_are_told_apart(spoiled: Spoiled) -> None:
    first, second, lost = spoiled.rows["two-outcomes-and-an-event"]
    found = faults(spoiled.result, "two-outcomes-and-an-event")
    assert found.keys() == {Kind.MISSING_OUTCOME, Kind.EVENT_MISSING}
    assert {pair.seq for pair in only(found, Kind.EVENT_MISSING).pairs} == {lost["seq"]}
    named = {pair for finding in found[Kind.MISSING_OUTCOME] for pair in finding.pairs}
    assert {PairId(row["seq"], row["proxy"]) for row in (first, second)} <= named
    assert sum(finding.count for finding in found[Kind.MISSING_OUTCOME]) == 2


def test_a_doubled_outcome_and_a_wrong_proxy_are_told_apart(spoiled: Spoiled) -> None:
    twice, moved, wrong = spoiled.rows["doubled-and-wrong"]
    found = faults(spoiled.result, "doubled-and-wrong")
    assert found.keys() == {Kind.DOUBLED_OUTCOME, Kind.WRONG_PROXY, Kind.MISSING_OUTCOME}
    assert only(found, Kind.DOUBLED_OUTCOME).pairs == (PairId(twice["seq"], twice["proxy"]),)
    assert only(found, Kind.WRONG_PROXY).pairs == (PairId(wrong["seq"], wrong["proxy"]),)
    assert only(found, Kind.MISSING_OUTCOME).pairs == (PairId(moved["seq"], moved["proxy"]),)
