"""`tidings serve` as a real process."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.patience import PATIENCE
from tests.real.e2e.processes import environment


class Served:
    """A running service.

    Attributes:
        url: Where it is.
        corba: The same for CORBA clients, if they can come.
        process: It.
        log: What it has written to standard error so far is in this file.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        env: Mapping[str, str] | None = None,
        before: str = "",
    ) -> None:
        folder.mkdir(exist_ok=True)
        self._port_file = folder / "port.json"
        self.log = folder / "log"
        command = [sys.executable, "-m", "tidings", "serve", "--port", "0",
                   "--port-file", str(self._port_file), "--data", str(folder / "data"),
                   *options]  # fmt: skip
        if before:
            command = ["sh", "-c", f'{before} && exec "$@"', "sh", *command]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                env={**environment(), **(env or {})},
            )  # fmt: skip
        self.url = ""

    def ready(self) -> Served:
        """Waits until it is ready; what a killed one has left may still be there meanwhile."""
        self.wait_for(lambda: self._told().get("pid") == self.process.pid)
        self.url = self._told()["url"]
        found = re.search(r"([\d.]+):(\d+)/", self._told().get("corba", ""))
        self.corba = ("", 0) if found is None else (found[1], int(found[2]))
        return self

    def _told(self) -> dict[str, Any]:
        with contextlib.suppress(FileNotFoundError):
            told: dict[str, Any] = json.loads(self._port_file.read_text())
            return told
        return {}

    def wait_for(self, happens: Any) -> None:
        """Waits until something is so, as long as the process lives."""
        until = time.monotonic() + PATIENCE
        while not happens():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.01)

    def wait_for_line(self, words: str) -> None:
        """Waits until the log has these words."""
        self.wait_for(lambda: words in self.log.read_text())

    def client(self, token: str = "") -> httpx2.Client:
        """Somebody who asks."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=PATIENCE)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal and waits for the end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def served(
    folder: Path,
    *options: str,
    env: Mapping[str, str] | None = None,
    before: str = "",
) -> Iterator[Served]:
    """A service that is ready; it is gone afterwards.

    Args:
        folder: Where its data and its log are.
        *options: Of the command.
        env: What it finds in its environment beside ours.
        before: What the shell that starts it does first.
    """
    service = Served(folder, *options, env=env, before=before)
    try:
        yield service.ready()
    finally:
        if service.process.poll() is None:
            service.process.kill()
            service.process.wait()
