"""`tidings pipeline …` and the demos: a service, its archive, and what may go wrong.

A command is a process of its own where that matters, and otherwise runs in the shared session.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest
from typer.testing import Result

import tidings
from tests.edges.cli import running
from tests.real.e2e.processes import TIDINGS, environment, event_lines, finished, run
from tests.real.e2e.served import served
from tidings.apps.flights.samples import PACKAGE, fetched
from tidings.java import find_java
from tidings.pipeline.session import job
from tidings.stores.archive.manifest import read_manifest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# One process has the scene and the session.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(700)]

Command: TypeAlias = Callable[..., Result]

# Starting Java takes seconds, and on a busy machine many.
PATIENCE = 300.0
SPARK = ("--master", "local[1]", "--memory", "1g", "--conf", "spark.sql.shuffle.partitions=2")


class Scene(NamedTuple):
    """A service that has archived some events."""

    url: str
    archive: Path
    events: int


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("scene")
    archive, events = folder / "archive", 300
    soon = {"TIDINGS_ARCHIVE__SEAL_AFTER": "200ms"}
    with served(folder, "--archive", str(archive), env=soon) as service:
        with tidings.connect_sync(service.url) as client:
            for name in ("traffic", "copy"):
                client.create_channel(name, persistent=True)
        lines = folder / "events.jsonl"
        lines.write_bytes(b"".join(event_lines(events)))
        asked = ("--url", service.url, "--producer", "cams")
        done = run("publish", "traffic", "--json-lines", str(lines), *asked)
        assert done.returncode == 0, done.stderr
        service.wait_for(lambda: _archived(archive) == events)
        yield Scene(service.url, archive, events)


def _archived(archive: Path) -> int:
    if not (archive / "manifest.jsonl").exists():
        return 0
    return sum(file.rows for file in read_manifest(archive).files if file.kind == "events")


@pytest.fixture
def command(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command in this process and in the session that is there already."""
    monkeypatch.setattr(job, "open_session", lambda *_: spark)
    monkeypatch.setattr(job, "close_session", lambda _: None)
    return running.tidings


def test_a_report_and_its_page(scene: Scene, command: Command, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = command("pipeline", "report", "--archive", str(scene.archive), "--html", str(page))
    assert done.exit_code == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert f"Events {scene.events} " in shown
    assert f"traffic Traffic::Speed {scene.events} 100.0%" in shown
    assert f"cams {scene.events} 100.0%" in shown
    assert "<h1>Event report</h1>" in page.read_text()
    lines = done.stderr.splitlines()
    assert all("%  " in line or line.startswith("the page is") for line in lines), lines


def test_a_replay_that_is_broken_off_goes_on(scene: Scene, command: Command) -> None:
    asked = (
        "pipeline", "replay", "$rate < 50", "--into", "copy", "--channel", "traffic", "--url",
        scene.url, "--run", "rehearsal", "--archive", str(scene.archive), *SPARK,
    )  # fmt: skip
    slow = [*TIDINGS, *asked, "--speed", "0.0005"]
    process = subprocess.Popen(
        slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    with tidings.connect_sync(scene.url) as client:
        until = time.monotonic() + PATIENCE
        while not list(client.history("copy")):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=PATIENCE)[1].decode()
        assert process.returncode == 130, told
        # Progress: nothing of Spark's own.
        assert all("%  " in line for line in told.splitlines()), told
        before = len(list(client.history("copy")))
        assert before < scene.events // 2
        done = command(*asked, "--speed", "max", "--json")
        assert (done.exit_code, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert (found["before"], found["accepted"]) == (before, scene.events // 2 - before)
        names = [message.event.name for message in client.history("copy")]
        assert names == [f"car-{i}" for i in range(scene.events) if i % 100 < 50]


def test_an_archive_in_which_nothing_happened_and_a_full_disk(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"")
    done = command("pipeline", "report", "--html", "/dev/full", "--archive", str(tmp_path))
    assert done.exit_code == 2
    text = " ".join(done.stderr.split())
    assert "/dev/full: No space left on device; the page was not written" in text


def test_a_bad_constraint_is_pointed_at(tmp_path: Path) -> None:
    asked = ("backtest", "$rate > 5 und $road == 'A1'", "--archive", str(tmp_path))
    done = run("pipeline", *asked)
    text = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), text
    assert text.startswith("error: ")
    assert "Traceback" not in text
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "$rate > 5 und" in line)
    assert lines[at + 1].index("^") == lines[at].index("und")


def test_no_such_channel_to_replay_into(scene: Scene, command: Command) -> None:
    asked = ("--archive", str(scene.archive), "--into", "nowhere", "--url", scene.url)
    done = command("pipeline", "replay", *asked)
    assert done.exit_code == 2
    assert "nowhere" in done.stderr


def test_no_java(scene: Scene, tmp_path: Path) -> None:
    """Of the usual folders none is looked into: this machine may have Java there."""
    assert find_java()
    code = (
        "import tidings.java as java; java.find_java.__defaults__ = (None, ())\n"
        "from tidings.cli.main import main; main()"
    )
    env = {**environment(), "PATH": str(tmp_path)}
    env.pop("JAVA_HOME", None)
    command = [sys.executable, "-c", code, "pipeline", "report", "--archive", str(scene.archive)]
    done = finished(command, env=env)
    text = done.stderr.decode()
    assert done.returncode == 2
    assert text.startswith("error: Spark needs Java 17 or newer: install openjdk-17-jre-headless")
    assert text.count("\n") == 1


FLOWN = 5_000


def test_real_flights_go_through_everything(
    tmp_path: Path, command: Command, record_real_part: Callable[[str, str], None]
) -> None:
    wheel = fetched(tmp_path)
    record_real_part("ADS-B samples", PACKAGE)
    kept = os.path.relpath(tmp_path / "kept")  # as people name folders
    options = ("--samples", str(wheel), "--positions", str(FLOWN), "--folder", kept)
    done = command("demo", "flights", *options)
    shown = done.stdout
    assert done.exit_code == 0, shown + done.stderr
    assert "WRONG" not in shown
    for what in ("accepted by the service", "rows in the archive", "rows in the lake"):
        assert re.search(rf"^{what} +{FLOWN:,} +{FLOWN:,}$", shown, re.MULTILINE), shown
    assert (tmp_path / "kept" / "lake" / "types" / "Surveillance" / "Position").is_dir()


def test_the_demo_ends_with_a_report_and_an_audit(command: Command) -> None:
    ran = command("demo")
    shown = ran.stdout
    assert ran.exit_code == 0, shown[-2_000:] + ran.stderr
    _, accounts, spark = shown.partition("The same evening from its archive, on Spark\n")
    assert accounts
    for line in (
        r"Faults +0 +all explained",
        r"Events +240",
        r"Unexplained copies +0",
        r"rows of events +240",
    ):
        assert re.search(rf"^{line}$", spark, re.MULTILINE), (line, spark)
    # What the bidders' ledgers have is what the archive has.
    alerts = re.search(r"(\d+) alerts to 6 bidders", shown)
    delivered = re.search(r"^delivered +(\d+)", spark, re.MULTILINE)
    assert alerts
    assert delivered
    assert int(alerts[1]) == int(delivered[1])
