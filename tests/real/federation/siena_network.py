"""SIENA servers as processes."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.patience import PATIENCE
from tidings.services.siena.client import SienaClient


class SienaNetwork:
    """Servers by name; each keeps its address when it is started again.

    Attributes:
        urls: Where they are.
    """

    def __init__(self) -> None:
        self.urls: dict[str, str] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="tidings-")
        self._options: dict[str, tuple[str, ...]] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *options: str) -> str:
        """Start a server; return its address when it listens."""
        self._options[name] = options
        place = Path(self._folder.name) / name
        listen = self.urls.get(name, "127.0.0.1:0").removeprefix("senp://")
        command = [
            *(sys.executable, "-m", "tidings.services.siena", "--name", name),
            *("--listen", listen, "--port-file", str(place), *options),
        ]
        place.unlink(missing_ok=True)
        with place.with_suffix(".log").open("ab") as log:
            process = self._processes[name] = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while not place.exists():
            assert process.poll() is None, place.with_suffix(".log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        self.urls[name] = json.loads(place.read_text())["url"]
        return self.urls[name]

    def kill(self, name: str) -> None:
        """End a server as a crash would."""
        self._processes[name].kill()
        self._processes[name].wait(PATIENCE)

    def restart(self, name: str) -> None:
        """Start a killed server again."""
        self.start(name, *self._options[name])

    def settle(self, name: str) -> None:
        """Wait until every link of the network is up."""
        asyncio.run(all_up(self.urls[name]))

    def stop(self) -> None:
        """End every server in order."""
        for process in self._processes.values():
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(PATIENCE) for process in self._processes.values()]
        ended = {name for name, one in self._processes.items() if not one.returncode}
        assert not any((Path(self._folder.name) / name).exists() for name in ended)
        logs = [path.read_text() for path in Path(self._folder.name).glob("*.log")]
        self._folder.cleanup()
        assert all(code in (0, -signal.SIGKILL) for code in codes), logs
        assert not any("Traceback" in text for text in logs), logs


async def all_up(url: str) -> None:
    """Wait until every link that a server of the network is to make is up."""
    async with asyncio.timeout(PATIENCE), await SienaClient.connect(url) as client:
        while await client.settle():  # noqa: ASYNC110 -- servers tell nobody
            await asyncio.sleep(0.02)
