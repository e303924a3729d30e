"""The demos' service: `tidings serve` in a child process that can be killed and restarted."""

from __future__ import annotations

import asyncio
import os
import runpy
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Self

import msgspec

from tidings.errors import TidingsError

_LOOK_EVERY_SECONDS = 0.01


class _Announced(msgspec.Struct):
    url: str
    pid: int


class DemoService:
    """`tidings serve` on a folder, with environment variables; leaving the context ends it.

    `port` is 0 for any that is free.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, port: int = 0
    ) -> None:
        self.url = ""
        self._folder = folder
        self._settings = dict(settings or {})
        self._port = str(port)
        self._process: Process | None = None
        self._groups: list[int] = []  # process groups of all children

    @property
    def pid(self) -> int:
        """Process id."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the service and wait until it is ready; a restart uses the same port."""
        port_file = self._folder / "port.json"
        log_file = self._folder / "service.log"
        options = ("--host", "127.0.0.1", "--port", self._port, "--port-file", str(port_file))
        with log_file.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tidings.apps.demo_service", "serve"),
                *(*options, "--data", str(self._folder / "data")),
                stdin=PIPE,
                stdout=log,
                stderr=STDOUT,
                cwd=self._folder,  # a folder without a settings file
                env=_without_settings() | self._settings,
                start_new_session=True,
            )
        self._groups.append(self.pid)
        while (told := _announced(port_file)) is None or told.pid != self.pid:
            if self._process.returncode is not None:
                last = log_file.read_text(errors="replace").strip().rpartition("\n")[2]
                raise TidingsError(f"the service ended, code {self._process.returncode}: {last}")
            await asyncio.sleep(_LOOK_EVERY_SECONDS)
        self.url = told.url
        self._port = told.url.rpartition(":")[2]

    async def ended(self) -> None:
        """Wait until the service has ended, for whatever reason."""
        assert self._process is not None
        await self._process.wait()

    async def kill(self) -> None:
        """Kill with SIGKILL: no clean-up, nothing flushed."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """Stop with SIGTERM: a clean shutdown, which also seals the archive."""
        await self._end(signal.SIGTERM)

    async def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(how)
        await self._process.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        for group in self._groups:
            # The whole group: archivers would continue in a folder that is being removed.
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if self._process is not None:
            await self._process.communicate()


def _without_settings() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith("TIDINGS_")}


def _announced(port_file: Path) -> _Announced | None:
    try:
        return msgspec.json.decode(port_file.read_bytes(), type=_Announced)
    except FileNotFoundError:
        return None


# The child process.


def _end_with_input() -> None:
    """End the service when standard input ends, which means that its parent is gone."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    # Include the archiver if this process leads its group.
    kill = os.killpg if os.getpgrp() == os.getpid() else os.kill
    kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run `python -m tidings` with the same arguments, but end with the parent."""
    Thread(target=_end_with_input, daemon=True).start()
    runpy.run_module("tidings", run_name="__main__")


if __name__ == "__main__":
    main()
