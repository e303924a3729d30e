"""The commands of the pipeline: what is wrong is told before Spark starts, and what is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.running import tidings
from tests.edges.pipeline import samples
from tidings.cli import pipeline
from tidings.cli.pipeline import Job, show_sections
from tidings.pipeline.lake import LakeResult
from tidings.pipeline.lake.tables import KindConflict
from tidings.pipeline.page import Section, Sheet
from tidings.pipeline.replay import ReplayOptions, ReplayResult
from tidings.pipeline.session import job


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TIDINGS_ARCHIVE", raising=False)
    return tmp_path


def told(*arguments: str) -> str:
    result = tidings("pipeline", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return " ".join(result.stderr.split())


def test_which_archive_is_meant(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "which archive? --archive DIR names it, or TIDINGS_ARCHIVE" in told("report")
    (elsewhere / "tidings.toml").write_text('[archive]\ndir = "far/away"\n')
    assert "there is no archive in" in told("report")
    assert "far/away" in told("report")
    monkeypatch.setenv("TIDINGS_ARCHIVE", "nearer")
    assert "nearer" in told("report")
    assert "here" in told("report", "--archive", "here")
    monkeypatch.setattr(job, "find_spec", lambda name: None)
    assert "pip install tidings[spark]" in told("report", "--archive", "none")


AWAY = ("replay", "--into", "x", "--url", "http://127.0.0.1:1")


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("report", "--since", "yesterday"), "'yesterday' is no time; write 2026-11-15T08:30:00Z"),
        (("report", "--since", "1h", "--until", "2h"), "nothing lies between 1h and 2h"),
        (("report", "--html", "none/page.html"), "a file in a folder that is there"),
        (("backtest", "$price <"), "line 1, column 9"),
        (("replay", "$price <", "--into", "x"), "line 1, column 9"),
        (("replay",), "--into CHANNEL says where the events go"),
        (("replay", "--into", "x", "--speed", "fast"), "a number above 0, such as 1 or 10, or max"),
        (("replay", "--into", "x", "--speed", "-1"), "a number above 0"),
        (("lake", "lake", "--checks", "none.py"), "there is no such file"),
        (("report", "--conf", "odd"), "should be NAME=VALUE"),
        (AWAY, "`tidings serve` starts a service"),
    ],
)
def test_bad_options(arguments: tuple[str, ...], words: str) -> None:
    assert words in told(*arguments, "--archive", "none")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--master", "nonsense", "is no master of Spark's; there are local[*]"),
        ("--master", "spark://nowhere", "should be spark://host:port"),
        ("--master", "spark://127.0.0.1:1", "nobody answers at spark://127.0.0.1:1"),
        ("--memory", "lots", "is no amount of memory; write 512m or 4g"),
    ],
)
def test_bad_options_of_spark(elsewhere: Path, option: str, value: str, words: str) -> None:
    (elsewhere / "manifest.jsonl").write_bytes(b"")
    assert words in told("report", "--archive", str(elsewhere), option, value)


def test_long_tables_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(str(i),) for i in range(50)]
    show_sections([Section("Numbers", sheet=Sheet(("n",), rows)), Section("No table")])
    text = capsys.readouterr().out
    assert text.startswith("\nNumbers\nn\n0\n1\n")
    assert text.endswith("39\n… 10 more: --json or --html\n")


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Job, bool]]:
    """The jobs that would have asked Spark, and whether they wait for an archive."""
    seen: list[tuple[Job, bool]] = []

    @contextmanager
    def session(self: Job, *, waits: bool = False) -> Iterator[tuple[Any, Any]]:
        seen.append((self, waits))
        yield None, lambda step, done: None

    async def reached(*given: object) -> None:
        """The service is there."""

    monkeypatch.setattr(Job, "session", session)
    monkeypatch.setattr(pipeline, "_check", reached)
    return seen


def answering(monkeypatch: pytest.MonkeyPatch, name: str, result: object) -> list[Any]:
    """Has a question answered; what is asked."""
    asked: list[Any] = []

    def run(spark: object, options: object, progress: object) -> object:
        asked.append(options)
        return result

    monkeypatch.setattr(f"tidings.pipeline.{name}.run_{name}", run)
    return asked


def test_a_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jobs: list[tuple[Job, bool]]
) -> None:
    asked = answering(monkeypatch, "report", samples.report())
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
    assert jobs == [(Job("a", "local[2]", "python3", "1g", ["a=b"], True), False)]
    assert "Events over time\nfrom" in shown.stdout
    assert "auction/billing 1,000 50.0%" in " ".join(shown.stdout.split())
    assert "warning: a segment is missing" in shown.stderr
    assert "<h1>Event report</h1>" in page.read_text()
    assert "Made by Tidings" in page.read_text()
    data = json.loads(tidings("pipeline", "report", "--archive", "a", "--json").stdout)
    assert (data["events"], data["latency"]["p99"]) == (2_000, 2_500.0)
    assert data["consumers"][0]["outcomes"] == {"delivered": 900, "pending": 100}


@pytest.mark.usefixtures("jobs")
def test_a_backtest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = answering(monkeypatch, "backtest", samples.backtest())
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


@pytest.mark.usefixtures("jobs")
def test_an_audit_that_finds_something_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = ("pipeline", "audit", "--archive", "a")
    for good, code, words in ((False, 1, "2 copies have no outcome"), (True, 0, "all explained")):
        answering(monkeypatch, "audit", samples.audit(good=good))
        shown = tidings(*audit)
        assert (shown.exit_code, tidings(*audit, "--json").exit_code) == (code, code)
        assert words in " ".join(shown.stdout.split())


def replayed(**found: Any) -> ReplayResult:
    return ReplayResult(run="monday", into="copy", selected=9, seconds=1.5, **found)


REPLAY = ("pipeline", "replay", "--into", "copy", "--archive", "a")


@pytest.mark.usefixtures("jobs")
def test_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    result = replayed(before=2, accepted=6, stopped=1, behind_ms=2_500.0)
    asked = answering(monkeypatch, "replay", result)
    shown = tidings(
        *REPLAY, "$price < 10", "--channel", "x", "--type", "Auction::*", "--until", "2026-11-15",
        "--speed", "10", "--run", "monday", "--stamp", "--url", "http://x", "--patience", "7",
    )  # fmt: skip
    assert shown.exit_code == 0
    assert asked == [
        ReplayOptions(
            "a", "copy", "http://x", None, "monday", "$price < 10", 10.0, True, 7.0,
            channels=("x",), types=("Auction::*",), until_us=1_794_700_800_000_000,
        )
    ]  # fmt: skip
    sent = "into copy: 2 sent before, 6 accepted, 1 stopped by a filter, in 1.5 s\n"
    assert shown.stdout == sent
    assert "up to 2.5 s behind its pace" in shown.stderr
    assert "this was run monday" in shown.stderr
    shown = tidings(*REPLAY, "--speed", "max", "--json")
    assert asked[1].speed is None
    assert json.loads(shown.stdout)["run"] == "monday"


@pytest.mark.usefixtures("jobs")
def test_a_replay_of_which_something_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    result = replayed(accepted=8, refused=1, reasons=("event 3 of a: no",))
    answering(monkeypatch, "replay", result)
    shown = tidings(*REPLAY)
    assert shown.exit_code == 2
    assert "error: event 3 of a: no" in shown.stderr
    assert "8 accepted, 1 refused" in shown.stdout


LAKE = LakeResult(
    lake="lake", batches=2, events=100, outcomes=90, quarantined=3, damaged={"x.parquet": "short"},
    failed_checks={"rate is there": 3}, properties_left_out=(), types_left_out={}, files=4,
    conflicts=(KindConflict("Traffic", "Speed", "data", "rate", "string", "double", 7),),
    gaps=("segment 3 was gone",), rows_by_table={"events": 97}, upto_seal=12, latency_us=None,
    notes=(), seconds=1.25,
)  # fmt: skip


def test_a_lake(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jobs: list[tuple[Job, bool]]
) -> None:
    asked = answering(monkeypatch, "lake", LAKE)
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
    assert [waits for _, waits in jobs] == [True]
    assert "100 events and 90 outcomes in 2 batches, up to seal 12, in 1.2 s" in shown.stdout
    assert "3 events are in quarantine\n\ntable" in shown.stdout
    assert "warning: x.parquet is left out: short" in shown.stderr
    assert "warning: segment 3 was gone" in shown.stderr
    assert "Traffic::Speed: 7 events have rate as string" in " ".join(shown.stderr.split())
