"""What is wrong with a command of the pipeline is told before Spark is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import environment
from tests.unit.cli.running import tidings
from tidings.cli.pipeline_command import check_html, show_sections, span_of
from tidings.errors import InvalidUsage
from tidings.pipeline.report_page import Section, Sheet


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TIDINGS_ARCHIVE", raising=False)
    return tmp_path


def told(*arguments: str) -> str:
    result = tidings("pipeline", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def test_which_archive() -> None:
    text = told("report")
    assert "which archive? --archive DIR names it, or TIDINGS_ARCHIVE" in text


def test_the_archive_of_the_settings(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "tidings.toml").write_text('[archive]\ndir = "far/away"\n')
    assert "there is no archive in" in told("report")
    assert "far/away" in told("report")
    monkeypatch.setenv("TIDINGS_ARCHIVE", "nearer")
    assert "nearer" in told("report")
    assert "here" in told("report", "--archive", "here")


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


def test_a_service_that_is_away(elsewhere: Path) -> None:
    text = told("replay", "--into", "x", "--url", "http://127.0.0.1:1", "--archive", "none")
    assert "`tidings serve` starts a service" in text


def test_nothing_of_spark_is_loaded_for_help() -> None:
    code = (
        "import sys; from tidings.cli.main import app\n"
        "try: app(['pipeline', 'report', '--help'])\n"
        "except SystemExit: pass\n"
        "names = {'pyspark', 'pyarrow', 'pandas', 'altair', 'tidings.pipeline'}\n"
        "assert not names & set(sys.modules), names & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, env=environment()
    )
    assert done.returncode == 0, done.stderr.decode()


def test_without_the_packages(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidings.pipeline import job

    monkeypatch.setattr(job, "find_spec", lambda name: None)
    text = told("report", "--archive", "none")
    assert "pip install tidings[spark]" in text


def test_settings_of_spark() -> None:
    from tidings.cli.pipeline_command import _settings

    assert _settings(["a.b=c=d", " x = y "]) == {"a.b": "c=d", "x": "y"}
    with pytest.raises(InvalidUsage):
        _settings(["=x"])


def test_a_span_and_a_page(elsewhere: Path) -> None:
    assert span_of(None, None) == (None, None)
    assert span_of("2026-11-15", None).since_us == 1_794_700_800_000_000
    check_html(None)
    check_html(elsewhere / "page.html")
    with pytest.raises(InvalidUsage):
        check_html(elsewhere)


def test_long_tables_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(str(i),) for i in range(50)]
    show_sections([Section("Numbers", sheet=Sheet(("n",), rows)), Section("No table")])
    text = capsys.readouterr().out
    assert text.startswith("\nNumbers\nn\n0\n1\n")
    assert text.endswith("39\n… 10 more: --json or --html\n")
