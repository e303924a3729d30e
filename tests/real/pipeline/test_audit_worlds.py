"""Audits of archives with a past: what is lost, dropped or damaged is told, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.archive_worlds import World, archive_journal, make_world
from tests.real.pipeline.archive_faults import ArchiveCopy
from tests.real.pipeline.auditing import adds_up, audited, faults, final_outcomes, only
from tidings.engine.host import Host
from tidings.pipeline.audit.result import FindingKind, PairId
from tidings.stores.archive import retention
from tidings.stores.archive.archiver import ArchiveOptions
from tidings.stores.archive.columns import EVENTS, OUTCOMES
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.retention import Retention
from tidings.stores.segments import Cursor

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

Kind = FindingKind
SEGMENT = 24 * 1024


async def retained(world: World) -> None:
    """Old segments of the journal go; what is needed of them is carried forward."""
    kept = Retention(keep_octets=SEGMENT, keep_microseconds=None)
    host = await Host.open(world.data, segment_octets=SEGMENT, retention=kept)
    try:
        await host.housekeeping.run_once()
    finally:
        await host.close(0.05)


# A past.


def test_behind_the_journals_retention_nothing_is_said(spark: SparkSession, tmp_path: Path) -> None:
    """The archive begins with what was carried forward, whose plans it never saw."""
    world = asyncio.run(make_world(tmp_path, 150, archived=False, segment_octets=SEGMENT))
    segments = len([*world.journal.glob("*.journal")])
    asyncio.run(retained(world))
    assert min(int(path.stem) for path in world.journal.glob("*.journal")) > 1
    assert segments > 3
    archive_journal(world.journal, world.archive)
    result = audited(spark, world.archive)
    assert result.faults == ()
    assert result.books_checked
    assert adds_up(result)
    assert Kind.NOT_JUDGED in {finding.kind for finding in result.findings}


def test_a_gap_is_told_and_nothing_else(spark: SparkSession, tmp_path: Path) -> None:
    world = asyncio.run(make_world(tmp_path, 150, archived=False, segment_octets=SEGMENT))
    archive_journal(world.journal, world.archive, upto=Cursor(2, SEGMENT // 2))
    asyncio.run(retained(world))
    archive_journal(world.journal, world.archive)
    assert any(seal.gap for seal in read_manifest(world.archive).seals)
    result = audited(spark, world.archive)
    assert faults(result).keys() == {Kind.GAP}
    assert adds_up(result)
    later = audited(spark, world.archive, since_us=(result.sealed_us or 0) + 1)
    assert later.status == 0


def test_what_retention_dropped_is_told_and_not_looked_at(
    spark: SparkSession, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of the segments that are left are compacted."""
    monkeypatch.setattr(retention, "LEAST_OCTETS", 2_000)
    options = ArchiveOptions(seal_rows=100, keep_octets=150_000)
    archive_journal(world.journal, tmp_path / "archive", options)
    manifest = read_manifest(tmp_path / "archive")
    assert manifest.gone
    assert manifest.folded
    result = audited(spark, tmp_path / "archive")
    assert result.faults == ()
    [told] = [one for one in result.findings if one.kind is Kind.RETENTION]
    assert f"with {sum(file.rows for file in manifest.gone)} rows" in told.sentence
    assert result.since_us is not None
    assert 0 < sum(one.events for one in result.accounts) < len(world.firsts)
    assert adds_up(result)


# Three faults at once.


def test_the_outcome_that_made_a_dead_letter_is_missed(
    spark: SparkSession, world: World, tmp_path: Path
) -> None:
    """Beside it an event stands twice, and a clock was wrong: all of it is told."""
    copy = ArchiveCopy.of(world.archive, tmp_path / "copy")
    rows = copy.rows(OUTCOMES)
    again = next(row for row in rows if row["outcome"] == "redriven")
    key = ("origin", "proxy", "seq")
    before = next(row for row in rows if [row[k] for k in key] == [again[k] for k in key])
    assert before["outcome"] == "rejected"
    copy.remove_outcome(before)
    event = copy.rows(EVENTS)[11]
    here = (event["origin"], event["seq"])
    copy.change(EVENTS, lambda one: [one, one] if (one["origin"], one["seq"]) == here else [one])
    late = final_outcomes(copy, world)[0]
    copy.change(OUTCOMES, lambda one: [{**one, "at_us": 1} if one == late else one])
    result = audited(spark, copy.folder)
    assert Kind.SEGMENT_CHANGED in {one.kind for one in result.faults}
    found = faults(result)
    assert found.keys() == {Kind.MISSING_OUTCOME, Kind.EVENT_DOUBLED, Kind.BOOKS_DISAGREE}
    assert only(found, Kind.MISSING_OUTCOME).pairs == (PairId(again["seq"], again["proxy"]),)
    assert only(found, Kind.EVENT_DOUBLED).pairs == (PairId(event["seq"]),)
    assert only(found, Kind.BOOKS_DISAGREE).pairs == (PairId(event["seq"]),)
    [skew] = [one for one in result.findings if one.kind is Kind.CLOCK_SKEW]
    assert (skew.fault, skew.count) == (False, 1)


# Damage.


def test_a_segment_that_cannot_be_read_is_told_with_what_it_had(
    spark: SparkSession, world: World, tmp_path: Path
) -> None:
    copy = ArchiveCopy.of(world.archive, tmp_path / "copy")
    lost = copy.cut(EVENTS)
    found = faults(audited(spark, copy.folder))
    finding = only(found, Kind.SEGMENT_LOST)
    assert finding.file == lost.path
    assert finding.count == lost.rows
    assert Kind.EVENT_MISSING not in found


def test_books_that_cannot_be_read_are_told(
    spark: SparkSession, world: World, tmp_path: Path
) -> None:
    copy = ArchiveCopy.of(world.archive, tmp_path / "copy")
    path = copy.folder / copy.manifest.seals[-1].books
    path.write_bytes(path.read_bytes()[:-2])
    flipped = copy.flip(OUTCOMES)
    result = audited(spark, copy.folder)
    assert not result.books_checked
    kinds = {one.kind: one for one in result.faults}
    assert "books cannot be read" in kinds[Kind.BOOKS_DISAGREE].sentence
    damaged = kinds.get(Kind.SEGMENT_LOST) or kinds[Kind.SEGMENT_CHANGED]
    assert damaged.file == flipped


def test_an_archive_without_a_seal_has_nothing_to_tell(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"")
    result = audited(spark, tmp_path)
    assert (result.seal, result.accounts, result.findings) == (0, (), ())
