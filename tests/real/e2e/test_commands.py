"""The commands as a user runs them, against a service of its own process."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.real.e2e.processes import TIDINGS, environment, event_lines, finished
from tidings.cli.main import app

SECONDS = 30


class Running:
    """A service that can be killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.url = "http://127.0.0.1:0"
        self.start()

    def start(self) -> None:
        told = self._folder / "port.json"
        told.unlink(missing_ok=True)
        with (self._folder / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(*TIDINGS, "serve", "--data", str(self._folder / "data")),
                    *("--port", self.url.rpartition(":")[2], "--port-file", str(told)),
                ],
                cwd=self._folder,
                env=environment(),
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + SECONDS
        while not told.exists():
            assert self._process.poll() is None, (self._folder / "serve.log").read_text()
            assert time.monotonic() < until, "the service does not start"
            time.sleep(0.02)
        self.url = json.loads(told.read_text())["url"]

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(SECONDS)

    def popen(self, *arguments: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*TIDINGS, *arguments],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=self._folder,
            env={**environment(), "TIDINGS_URL": self.url},
        )

    def run(self, *arguments: str, given: bytes = b"") -> tuple[int, str, str]:
        """Runs a command in this process: only its effect on the service is of interest."""
        here = {"TIDINGS_URL": self.url}
        ran = CliRunner().invoke(app, list(arguments), input=given, env=here)
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        return ran.exit_code, ran.stdout, ran.stderr

    def done(self, *arguments: str, given: bytes = b"") -> str:
        code, out, err = self.run(*arguments, given=given)
        assert code == 0, err
        return out


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    yield running
    running.kill()


def _line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def _interrupted(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Ctrl-C; the exit code, and what was told."""
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=SECONDS)
    return process.returncode, told.decode()


def test_five_minutes(service: Running) -> None:
    service.done("channel", "create", "auction")
    service.done("subscription", "create", "auction", "bargains", "$price < 10")
    assert service.done("publish", "auction", "Auction::offer", "Emma", "price=12") == "1\n"
    assert service.done("publish", "auction", "Auction::offer", "Dracula", "price=8") == "2\n"
    shown = service.done("subscribe", "auction", "--name", "bargains", "--count", "1")
    assert "Auction::offer Dracula  price=8" in shown
    assert len(service.done("peek", "auction").splitlines()) == 2
    assert "bargains" in service.done("tree")
    assert service.done("trail", "auction", "A::b", "price=1").startswith("accepted, for 1 of 1")
    service.done("channel", "create", "copy")
    assert service.done("replay", "auction", "--into", "copy") == "into copy: 2 accepted\n"


def test_a_subscriber_gets_events_as_they_come_and_ends_by_ctrl_c(service: Running) -> None:
    service.done("channel", "create", "auction")
    with service.popen("subscribe", "auction", "--since", "1h", "--json") as subscriber:
        for number in (1, 2, 3):
            service.done("publish", "auction", "Auction::offer", f"price={number}")
            assert json.loads(_line(subscriber))["seq"] == number
        code, told = _interrupted(subscriber)
    assert (code, told) == (130, "")


def test_a_named_subscriber_goes_on_when_the_service_is_killed(service: Running) -> None:
    service.done("channel", "create", "auction")
    with service.popen("subscribe", "auction", "--name", "one", "--json") as subscriber:
        while '"attached":true' not in service.done("subscription", "list", "--json"):
            time.sleep(0.02)
        service.done("publish", "auction", "Auction::offer", "price=1")
        assert json.loads(_line(subscriber))["seq"] == 1
        service.kill()
        service.start()
        service.done("publish", "auction", "Auction::offer", "price=2")
        seen = json.loads(_line(subscriber))
        while seen["redelivered"] and seen["seq"] == 1:  # its acknowledgement was on the way
            seen = json.loads(_line(subscriber))
        assert seen["seq"] == 2
        code, told = _interrupted(subscriber)
    assert code == 130
    assert [json.loads(line)["connection"] for line in told.splitlines()] == ["cut", "back"]


def test_publishing_goes_on_after_a_kill_and_nothing_comes_twice(service: Running) -> None:
    service.done("channel", "create", "traffic")
    lines = event_lines(3_000)
    command = ("publish", "traffic", "--json-lines", "-", "--producer", "import-7")
    with service.popen(*command, "--json") as publisher:
        assert publisher.stdin is not None
        publisher.stdin.write(b"".join(lines[:1_000]))
        publisher.stdin.flush()
        assert json.loads(_line(publisher))["line"] == 1
        service.kill()
        publisher.kill()
    service.start()
    told = service.done(*command, given=b"".join(lines))
    assert told == "3000 events accepted, numbers 1 to 3000\n"
    found = service.done("peek", "traffic", "--most", "5000", "--json").splitlines()
    names = [json.loads(line)["event"]["name"] for line in found]
    assert names == [f"car-{number}" for number in range(3_000)]


def test_each_line_is_published_before_the_next_is_written(service: Running) -> None:
    service.done("channel", "create", "traffic")
    with service.popen("publish", "traffic", "--json-lines", "-", "--json") as publisher:
        assert publisher.stdin is not None
        for number, line in enumerate(event_lines(3), 1):
            publisher.stdin.write(line)
            publisher.stdin.flush()
            assert json.loads(_line(publisher))["seq"] == number
        code, told = _interrupted(publisher)  # while it waits for more
    assert code == 130
    assert json.loads(told)["accepted"] == 3


def test_a_service_goes_into_a_file_and_into_another_service(
    service: Running, tmp_path: Path
) -> None:
    service.done("channel", "create", "auction", "--qos", "Priority=3")
    service.done("subscription", "create", "auction", "bargains", "$price < 10")
    service.done("subscription", "create", "auction", "archive", "--pull", "--type", "A::*")
    file = tmp_path / "service.toml"
    service.done("export", str(file))
    assert service.run("apply", str(file), "--dry-run")[0] == 0
    folder = tmp_path / "other"
    folder.mkdir()
    other = Running(folder)
    try:
        assert other.run("apply", str(file), "--dry-run")[0] == 1
        other.done("apply", str(file))
        assert other.done("export") == file.read_text()
        other.done("publish", "auction", "A::b", "price=1")
        waiting = [
            json.loads(line)["waiting"]
            for line in other.done("subscription", "list", "--json").splitlines()
        ]
        assert waiting == [1, 1]
    finally:
        other.kill()


def test_shells_can_complete_names_of_channels(service: Running) -> None:
    for name in ("auction", "alarms", "traffic"):
        service.done("channel", "create", name)
    asked = {"COMP_WORDS": "tidings publish a", "COMP_CWORD": "2"}
    complete = environment() | asked | {"_TIDINGS_COMPLETE": "complete_bash"}
    for _ in range(10):  # on a busy machine an answer may take longer than shells are kept waiting
        ran = finished(TIDINGS, {**complete, "TIDINGS_URL": service.url})
        if ran.stdout.strip():
            break
    assert ran.stdout.split() == [b"alarms", b"auction"]


def test_a_service_that_is_not_there() -> None:
    command = [*TIDINGS, "channel", "list", "--url", "http://127.0.0.1:1", "--patience", "0.5"]
    ran = subprocess.run(command, check=False, capture_output=True, env=environment())
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"error: http://127.0.0.1:1 cannot be reached")
    assert b"`tidings serve` starts a service" in ran.stderr
