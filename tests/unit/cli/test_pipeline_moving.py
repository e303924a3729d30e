"""What moving history shows; Spark is not asked here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.running import tidings
from tidings.cli import pipeline_moving
from tidings.cli.pipeline_command import Job
from tidings.pipeline.lake import LakeResult
from tidings.pipeline.lake_schemas import KindConflict
from tidings.pipeline.replay_result import ReplayOptions, ReplayResult


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether jobs wait for an archive."""
    seen: list[bool] = []

    @contextmanager
    def session(self: Job, *, waits: bool = False) -> Iterator[tuple[Any, Any]]:
        seen.append(waits)
        yield None, lambda step, done: None

    async def reached(*given: object) -> None:
        """The service is there."""

    monkeypatch.setattr(Job, "session", session)
    monkeypatch.setattr(pipeline_moving, "_check", reached)
    return seen


def replaying(monkeypatch: pytest.MonkeyPatch, **found: Any) -> list[ReplayOptions]:
    asked: list[ReplayOptions] = []

    def run(spark: object, options: ReplayOptions, progress: object) -> ReplayResult:
        asked.append(options)
        return ReplayResult(run="monday", into=options.into, selected=9, seconds=1.5, **found)

    monkeypatch.setattr("tidings.pipeline.replay.run_replay", run)
    return asked


def test_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replaying(monkeypatch, before=2, accepted=6, stopped=1, behind_ms=2_500.0)
    shown = tidings(
        "pipeline", "replay", "$price < 10", "--into", "copy", "--archive", "a", "--channel", "x",
        "--type", "Auction::*", "--until", "2026-11-15", "--speed", "10", "--run", "monday",
        "--stamp", "--url", "http://x", "--patience", "7",
    )  # fmt: skip
    assert shown.exit_code == 0
    assert asked == [
        ReplayOptions(
            "a", "copy", "http://x", None, "monday", "$price < 10", ("Auction::*",), ("x",), None,
            1_794_700_800_000_000, 10.0, True, 7.0,
        )
    ]  # fmt: skip
    assert shown.stdout == (
        "into copy: 2 sent before, 6 accepted, 1 stopped by a filter, in 1.5 s\n"
    )
    assert "up to 2.5 s behind its pace" in shown.stderr
    assert "this was run monday" in shown.stderr


def test_a_replay_without_pauses_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replaying(monkeypatch)
    shown = tidings(
        "pipeline", "replay", "--into", "c", "--archive", "a", "--speed", "max", "--json"
    )
    assert asked[0].speed is None
    assert json.loads(shown.stdout)["run"] == "monday"


def test_a_replay_of_which_something_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    replaying(monkeypatch, accepted=8, refused=1, reasons=("event 3 of a: no",))
    shown = tidings("pipeline", "replay", "--into", "c", "--archive", "a")
    assert shown.exit_code == 2
    assert "error: event 3 of a: no" in shown.stderr
    assert "8 accepted, 1 refused" in shown.stdout


def test_a_lake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, waited: list[bool]) -> None:
    asked: list[Any] = []

    def run(spark: object, options: object, progress: object) -> LakeResult:
        asked.append(options)
        return LakeResult(
            lake="lake", batches=2, events=100, outcomes=90, quarantined=3,
            failed_checks={"rate is there": 3}, conflicts=(_conflict(),), properties_left_out=(),
            types_left_out={}, gaps=("segment 3 was gone",), rows_by_table={"events": 97},
            damaged={"events/x.parquet": "it is short"}, upto_seal=12, files=4, latency_us=None,
            notes=(), seconds=1.25,
        )  # fmt: skip

    monkeypatch.setattr("tidings.pipeline.lake.run_lake", run)
    checks = tmp_path / "checks.py"
    checks.write_text(
        "from tidings.pipeline.ready_checks import not_null\nEXPECTATIONS = [not_null('rate')]\n"
    )
    shown = tidings(
        "pipeline", "lake", "lake", "--archive", "a", "--follow", "--every", "5", "--checks",
        str(checks), "--compact-every", "9", "--retry-damaged",
    )  # fmt: skip
    assert shown.exit_code == 0
    [options] = asked
    assert (options.archive, options.lake, options.once) == ("a", "lake", False)
    assert (options.every, options.compact_every, options.retry_damaged) == (5.0, 9, True)
    assert [one.name for one in options.expectations] == ["rate is there"]
    assert waited == [True]
    assert "100 events and 90 outcomes in 2 batches, up to seal 12, in 1.2 s" in shown.stdout
    assert "3 events are in quarantine" in shown.stdout
    assert "warning: events/x.parquet is left out: it is short" in shown.stderr
    assert "warning: segment 3 was gone" in shown.stderr
    assert "Traffic::Speed: 7 events have rate as string" in " ".join(shown.stderr.split())


def _conflict() -> KindConflict:
    return KindConflict(
        domain="Traffic", type="Speed", part="data", name="rate", kind="string", column="double",
        rows=7,
    )  # fmt: skip
