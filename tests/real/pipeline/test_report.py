"""The report of real archives, compared with what the engine decided."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.archive_worlds import Decided, World, archive_journal
from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row, cars
from tests.real.pipeline.conftest import Audited
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.notice_event import event_of
from tidings.channel.management import CreateChannel, DestroyChannel
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import ArchiveNotFound, Forbidden
from tidings.names import new_origin
from tidings.pipeline.audit.result import ACCOUNTED
from tidings.pipeline.page import page_html
from tidings.pipeline.report import Destroyed, Refusals, Report, ReportOptions, run_report
from tidings.pipeline.report.services import SERVICE_CHANGES
from tidings.pipeline.report.view import report_page, report_sections
from tidings.server.cores import service_cores
from tidings.stores.archive.manifest import read_manifest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def silent(step: str, done: float) -> None:
    """Nobody wants to know."""


@pytest.fixture(scope="module")
def told() -> list[tuple[str, float]]:
    return []


@pytest.fixture(scope="module")
def report(spark: SparkSession, world: World, told: list[tuple[str, float]]) -> Report:
    options = ReportOptions(str(world.archive), top=50)
    return run_report(spark, options, lambda step, done: told.append((step, done)))


def test_every_event_is_counted_once(report: Report, world: World) -> None:
    events = world.firsts
    assert any(one.redriven for one in world.events)
    assert report.events == len(events)
    assert report.first_us == min(one.arrival_us for one in events)
    assert report.last_us == max(one.arrival_us for one in events)
    by_type = Counter((one.channel, one.event.domain, one.event.type) for one in events)
    assert {(v.channel, v.domain, v.type): v.events for v in report.volumes} == by_type
    assert report.types == len(by_type)
    assert sum(one.events for one in report.slices) == len(events)
    assert all(one.from_us % report.slice_us == 0 for one in report.slices)


def test_suppliers_are_those_who_marked_events(report: Report, world: World) -> None:
    expected = Counter(one.producer for one in world.firsts)
    assert {one.producer: one.events for one in report.suppliers} == expected
    assert report.suppliers_in_all == len(expected)
    assert list(report.suppliers) == sorted(report.suppliers, key=lambda one: -one.events)


def test_fan_out_and_selectivity_are_the_engines(report: Report, world: World) -> None:
    events = Counter(one.channel for one in world.firsts)
    for found in report.fan_out:
        widths = [len(one.durable) for one in world.firsts if one.channel == found.channel]
        assert found.events == len(widths)
        assert (found.copies, found.most) == (sum(widths), max(widths))
        assert found.to_nobody == widths.count(0)
        assert found.mean == pytest.approx(sum(widths) / len(widths))
    copies = Counter((one.origin, proxy) for one in world.firsts for proxy in one.durable)
    assert {(one.origin, one.proxy): one.copies for one in report.consumers} == copies
    assert report.consumers_in_all == len(copies)
    for one in report.consumers:
        assert one.share == pytest.approx(one.copies / events[one.channel])


def last_outcomes(world: World) -> Counter[str]:
    """The ledger: every copy once, by the last word on it; "" for those without one."""
    last: dict[tuple[str, int, int], str] = {}
    for one in world.order:
        if isinstance(one, Decided):
            last |= {(one.origin, one.seq, proxy): "" for proxy in one.durable}
        elif one.outcome != "withdrawn" and (one.origin, one.seq, one.proxy) in last:
            last[one.origin, one.seq, one.proxy] = one.outcome
    return Counter(last.values())


def test_report_audit_and_ledger_count_alike(
    report: Report, world: World, audited_world: Audited
) -> None:
    ledger = last_outcomes(world)
    counted = Counter(report.outcomes)
    redriven = counted.pop("redriven")
    assert redriven == sum(one.redriven for one in world.events)
    assert counted.total() == ledger.total() == sum(one.copies for one in report.fan_out)
    # Of a consumer that is gone, or no longer durable, the ledger has no last word.
    silent_ends = ("pending", "disconnected", "no longer tracked")
    assert {name: n for name, n in counted.items() if name not in silent_ends} == {
        name: n for name, n in ledger.items() if name and name not in silent_ends
    }
    assert counted["purged"] > 0
    accounts = audited_world.result.accounts
    audited = {
        state: sum(getattr(one, name) for one in accounts) for state, name in ACCOUNTED.items()
    }
    assert audited.pop("best effort") > 0
    assert +Counter(audited) == counted
    assert sum(one.redriven for one in accounts) == redriven
    assert sum(one.copies for one in accounts) == counted.total()


def test_latencies_are_in_order(report: Report) -> None:
    assert report.latency is not None
    assert report.latency.measured == report.outcomes["delivered"]
    timed = [one.latency for one in report.slowest if one.latency]
    for one in (report.latency, *timed):
        assert 0 <= one.p50 <= one.p90 <= one.p99 <= one.most
    assert [one.p99 for one in timed] == sorted((one.p99 for one in timed), reverse=True)
    assert max(one.most for one in timed) == report.latency.most


def test_dead_letters_have_their_causes(report: Report) -> None:
    found: Counter[str] = Counter()
    for one in report.dead_letters:
        assert one.cause
        found[one.outcome] += one.count
    dead = ("dead-lettered", "rejected")
    assert found == {name: n for name, n in report.outcomes.items() if name in dead}


def test_the_archives_facts(report: Report, world: World) -> None:
    manifest = read_manifest(world.archive)
    facts = report.facts
    assert facts.seals == manifest.last_seal
    assert facts.segments == len(manifest.files)
    assert facts.octets == sum((world.archive / one.path).stat().st_size for one in manifest.files)
    assert facts.rows["events"] == len(world.firsts)
    assert report.problems == ()


def test_progress_goes_from_nothing_to_all(report: Report, told: list[tuple[str, float]]) -> None:
    shares = [done for _, done in told]
    assert report.seconds > 0
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_it_can_be_written_down(report: Report) -> None:
    again = msgspec.json.decode(msgspec.json.encode(report))
    assert again["events"] == report.events
    text = page_html(report_page(report, "made now"))
    for title in ("Events over time", "Top suppliers", "Fan-out", "Outcomes", "Filter selectivity"):
        assert f"<h2>{title}</h2>" in text


def test_a_part_of_it(spark: SparkSession, tmp_path: Path) -> None:
    maker = ArchiveMaker(tmp_path)
    gone = ServiceDescription(ServiceTypeDescription("Bank"), reference="IOR:00")
    given = (ChangeKind.REMOVAL_SERVICE, TimeIndicator.ADVANCE, 5, FIRST_US)
    notice = Notice("EV1", *given, before=gone)
    maker.seal([*cars(1, 60), Row(101, event_of(notice), SERVICE_CHANGES)])
    files = maker.seal(cars(61, 40, "other"))
    maker.close()
    options = ReportOptions(
        str(tmp_path),
        channels=("traffic",),
        since_us=FIRST_US + 11 * SECOND,
        until_us=FIRST_US + 21 * SECOND,
    )
    part = run_report(spark, options, silent)
    assert (part.events, part.types) == (10, 1)
    [volume] = part.volumes
    assert volume.channel == "traffic"
    assert part.outcomes == {}
    assert part.latency is None
    nobody = run_report(spark, ReportOptions(str(tmp_path), channels=("none",)), silent)
    assert (nobody.events, nobody.slices, nobody.consumers) == (0, (), ())
    assert "no events" in page_html(report_page(nobody, ""))
    [events] = [file for file in files if file.kind == "events"]
    (tmp_path / events.path).write_bytes(b"short")
    damaged = run_report(spark, ReportOptions(str(tmp_path)), silent)
    assert (damaged.events, damaged.types) == (61, 2)
    assert [(one.service_type, one.announced) for one in damaged.services] == [("Bank", 1)]
    assert "<h2>Who changed which service</h2>" in page_html(report_page(damaged, ""))
    assert any(events.path in problem for problem in damaged.problems)


async def test_it_answers_who_destroyed_a_channel_and_who_was_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    host = await Host.open(tmp_path / "data", cores=service_cores())
    ann = LocalDoor(host, Caller("ann", True, None, 3, "HTTP", "192.0.2.7"))
    eve = LocalDoor(host, Caller("eve", door="WebSocket", peer="192.0.2.9"))
    roads = await ann.ask(CreateChannel(new_origin(), {}, name="roads"))
    for _ in range(5):
        with pytest.raises(Forbidden):
            await eve.ask(DestroyChannel(roads))
    await ann.ask(DestroyChannel(roads))
    await host.close()
    archive_journal(tmp_path / "data" / "journal", tmp_path / "archive")
    found = run_report(spark, ReportOptions(str(tmp_path / "archive")), silent)
    assert found.facts.rows["changes"] == 4  # two changes, the first refusal, and four more in one
    [destroyed] = found.destroyed
    assert destroyed == Destroyed("roads", destroyed.at_us, "ann", 3, "HTTP", "192.0.2.7")
    assert [(one.principal, one.operation, one.result, one.count) for one in found.changes] == [
        ("ann", "create_channel", "done", 1),
        ("ann", "destroy_channel", "done", 1),
    ]
    [refused] = found.refusals
    who = ("eve", "WebSocket", "192.0.2.9", "destroy_channel", "forbidden", 5)
    assert refused == Refusals(*who, refused.last_us)
    assert found.changes[0].last_us <= refused.last_us <= destroyed.at_us + SECOND
    sections = {one.title: one.sheet for one in report_sections(found)}
    destroyed_rows = sections["Destroyed channels"]
    assert destroyed_rows is not None
    assert destroyed_rows.rows[0][0::2] == ("roads", "ann", "HTTP")
    assert "<h2>Refusals</h2>" in page_html(report_page(found, ""))
    other = run_report(spark, ReportOptions(str(tmp_path / "archive"), channels=("rails",)), silent)
    assert (other.destroyed, other.refusals) == ((), ())


def test_no_archive(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(ArchiveNotFound):
        run_report(spark, ReportOptions(str(tmp_path / "none")), silent)
