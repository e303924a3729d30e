"""The README's five minutes, word for word but for the port, each terminal a shell of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.docs.pages import ROOT

pytestmark = pytest.mark.slow


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


_PORT = str(_free_port())
_ELSEWHERE = {"TIDINGS_HTTP__PORT": _PORT, "TIDINGS_URL": f"http://127.0.0.1:{_PORT}"}
_CHANNEL = f"curl -s http://127.0.0.1:{_PORT}/v1/channels/roads"


def _blocks() -> list[str]:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.split("\n## Five minutes\n")[1].split("\n## ")[0]
    section = section.replace("127.0.0.1:8080", f"127.0.0.1:{_PORT}")
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


@contextmanager
def _terminal(commands: str, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A shell that is at it in the background, and the file with what it shows."""
    shown = folder / f"shown-{time.monotonic_ns()}.txt"
    with shown.open("wb") as file:
        process = subprocess.Popen(
            ["/bin/bash", "-ec", commands],
            cwd=folder,
            env={**os.environ, **_ELSEWHERE},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process, shown
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _until(right: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not right():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def _said(commands: str, folder: Path) -> str:
    done = subprocess.run(
        ["/bin/bash", "-ec", commands],
        check=False,
        cwd=folder,
        env={**os.environ, **_ELSEWHERE},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_works_as_it_stands(tmp_path: Path) -> None:
    install, serve, look, publish, afterwards = _blocks()
    assert install == "make install\n"
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    with _terminal(look, tmp_path) as (_, cars):  # it waits for the service
        with _terminal(serve, tmp_path) as (_, log):
            _until(lambda: "listening on http://127.0.0.1" in log.read_text(), "no service")
            _until(lambda: "roads made" in cars.read_text(), "no channel")
            _until(lambda: '"consumers":1' in _said(_CHANNEL, tmp_path), "no subscription")
            _said(publish, tmp_path)
            _until(lambda: "car-9" in cars.read_text(), "car-9 did not come")
        with _terminal(serve, tmp_path) as (_, log):
            _until(lambda: "listening on" in log.read_text(), "no service after the kill")
            past = _said(afterwards.splitlines()[0], tmp_path)
            _until(lambda: '"consumers":1' in _said(_CHANNEL, tmp_path), "did not go on")
            why = _said(afterwards.splitlines()[1], tmp_path)
            _said(publish.splitlines()[0], tmp_path)
            _until(lambda: cars.read_text().count("car-7") == 2, "did not go on")
    assert re.findall(r"car-\d", past) == ["car-7", "car-8", "car-9"]
    assert "none of the proxy's 1 constraints matches" in why
    assert "car-8" not in cars.read_text()
