"""`tidings pipeline …` as real processes: a service, its archive, and what may go wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import tidings
from tests.e2e.processes import TIDINGS, environment, event_lines, finished, run
from tests.e2e.served import served
from tidings.pipeline.java import find_java
from tidings.stores.archive.manifest import read_manifest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(700)]

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


def pipeline(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return run("pipeline", *arguments, timeout=PATIENCE)


def refused(*arguments: str) -> str:
    """What is told of a command that cannot be done: no result, no traceback, exit code 2."""
    done = pipeline(*arguments)
    text = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), text
    assert text.startswith("error: ")
    assert "Traceback" not in text
    return text


def test_a_report_and_its_page(scene: Scene, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = ("--archive", str(scene.archive), "--html", str(page), *SPARK)
    done = pipeline("report", *asked)
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.decode().split())
    assert f"Events {scene.events} " in shown
    assert f"traffic Traffic::Speed {scene.events} 100.0%" in shown
    assert f"cams {scene.events} 100.0%" in shown
    assert "<h1>Event report</h1>" in page.read_text()
    # Progress, and where the page is: nothing of Spark's own.
    lines = done.stderr.decode().splitlines()
    assert all("%  " in line or line.startswith("the page is") for line in lines), lines


def test_a_replay_that_is_broken_off_goes_on(scene: Scene) -> None:
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
        assert "Traceback" not in told
        before = len(list(client.history("copy")))
        assert before < scene.events // 2
        done = run(*asked, "--speed", "max", "--json", timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        found = json.loads(done.stdout)
        assert (found["before"], found["accepted"]) == (before, scene.events // 2 - before)
        names = [message.event.name for message in client.history("copy")]
        assert names == [f"car-{i}" for i in range(scene.events) if i % 100 < 50]


def test_an_archive_in_which_nothing_happened_and_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"")
    asked = ("--archive", str(tmp_path), *SPARK)
    done = pipeline("report", "--html", "/dev/full", *asked)
    text = done.stderr.decode()
    assert done.returncode == 2
    assert "/dev/full: No space left on device; the page was not written" in text
    assert "Traceback" not in text


def test_no_archive(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        text = refused("report", "--archive", str(folder))
        assert text.startswith(f"error: there is no archive in {folder}: it has no manifest.jsonl")


def test_a_bad_constraint_is_pointed_at(tmp_path: Path) -> None:
    text = refused("backtest", "$rate > 5 und $road == 'A1'", "--archive", str(tmp_path))
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "$rate > 5 und" in line)
    assert lines[at + 1].index("^") == lines[at].index("und")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--since", "last week", "'last week' is no time"),
        ("--master", "everywhere", "'everywhere' is no master of Spark's"),
        ("--memory", "much", "'much' is no amount of memory"),
    ],
)
def test_bad_options(scene: Scene, option: str, value: str, words: str) -> None:
    assert words in refused("report", "--archive", str(scene.archive), option, value)


def test_no_service_to_replay_into(scene: Scene) -> None:
    asked = ("--archive", str(scene.archive), "--into", "copy", "--url", "http://127.0.0.1:1")
    assert "`tidings serve` starts a service" in refused("replay", *asked)


def test_no_such_channel_to_replay_into(scene: Scene) -> None:
    asked = ("--archive", str(scene.archive), "--into", "nowhere", "--url", scene.url)
    assert "nowhere" in refused("replay", *asked)


def test_no_java(scene: Scene, tmp_path: Path) -> None:
    """Of the usual folders none is looked into: this machine may have Java there."""
    assert find_java()
    code = (
        "import tidings.pipeline.java as java; java.find_java.__defaults__ = (None, ())\n"
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
