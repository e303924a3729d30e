"""What the questions of the pipeline show; Spark is not asked here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.running import tidings
from tests.unit.pipeline import samples
from tidings.cli.pipeline_command import Job


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    jobs: list[Job] = []

    @contextmanager
    def session(self: Job, *, waits: bool = False) -> Iterator[tuple[Any, Any]]:
        jobs.append(self)
        yield None, lambda step, done: None

    monkeypatch.setattr(Job, "session", session)
    return jobs


def answering(monkeypatch: pytest.MonkeyPatch, function: str, result: object) -> list[Any]:
    asked: list[Any] = []

    def run(spark: object, options: object, progress: object) -> object:
        asked.append(options)
        return result

    monkeypatch.setattr(function, run)
    return asked


def test_a_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, without_spark: list[Job]
) -> None:
    asked = answering(monkeypatch, "tidings.pipeline.report.run_report", samples.report())
    page = tmp_path / "page.html"
    shown = tidings(
        "pipeline", "report", "--archive", "a", "--channel", "x", "--channel", "y", "--since",
        "2026-11-15", "--top", "5", "--html", str(page), "--master", "local[2]", "--memory", "1g",
        "--conf", "a=b", "--python", "python3", "--verbose",
    )  # fmt: skip
    assert shown.exit_code == 0
    [options] = asked
    assert (options.archive, options.channels, options.top) == ("a", ("x", "y"), 5)
    assert (options.since_us, options.until_us) == (1_794_700_800_000_000, None)
    assert without_spark == [Job("a", False, "local[2]", "python3", "1g", ["a=b"], True)]
    assert "Events over time\nfrom" in shown.stdout
    assert "auction/billing 1,000 50.0%" in " ".join(shown.stdout.split())
    assert "warning: a segment is missing" in shown.stderr
    assert "<h1>Event report</h1>" in page.read_text()
    assert "Made by Tidings" in page.read_text()


def test_a_report_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "tidings.pipeline.report.run_report", samples.report())
    shown = tidings("pipeline", "report", "--archive", "a", "--json")
    told = json.loads(shown.stdout)
    assert (told["events"], told["latency"]["p99"]) == (2_000, 2_500.0)
    assert told["consumers"][0]["outcomes"] == {"delivered": 900, "pending": 100}


def test_a_backtest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = answering(monkeypatch, "tidings.pipeline.backtest.run_backtest", samples.backtest())
    token = tmp_path / "token"
    token.write_text("secret\n")
    shown = tidings(
        "pipeline", "backtest", "$price < 10", "--archive", "a", "--type", "Auction::*",
        "--samples", "3", "--live", "--url", "http://x", "--token-file", str(token),
    )  # fmt: skip
    assert shown.exit_code == 0
    [options] = asked
    assert (options.constraint, options.event_types) == ("$price < 10", ("Auction::*",))
    assert (options.samples, options.live) == (3, True)
    assert (options.url, options.token) == ("http://x", "secret")
    assert "Would have matched 250 12.5%" in " ".join(shown.stdout.split())
    assert "Samples that match" in shown.stdout


def test_an_audit_that_finds_something_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "tidings.pipeline.audit.run_audit", samples.audit())
    shown = tidings("pipeline", "audit", "--archive", "a")
    assert shown.exit_code == 1
    assert "2 copies have no outcome" in " ".join(shown.stdout.split())
    assert tidings("pipeline", "audit", "--archive", "a", "--json").exit_code == 1


def test_an_audit_that_finds_nothing_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "tidings.pipeline.audit.run_audit", samples.audit(good=True))
    shown = tidings("pipeline", "audit", "--archive", "a")
    assert shown.exit_code == 0
    assert "all explained" in shown.stdout


@pytest.mark.parametrize("command", ["report", "backtest", "audit", "lake", "replay"])
def test_every_command_has_help_with_examples(command: str) -> None:
    text = tidings("pipeline", command, "--help").stdout
    assert "Examples:" in text
    assert f"tidings pipeline {command}" in text
    assert "Exit code: 0" in text
    for option in ("--archive", "--master", "--python", "--memory", "--conf", "--verbose"):
        assert option in text
