"""The demos' service: `tidings serve` in a process of its own, to be killed and started again."""

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
from types import TracebackType
from typing import Self

import msgspec

from tidings.errors import TidingsError

_LOOK_EVERY_SECONDS = 0.01


class _Announced(msgspec.Struct):
    """What the service writes to its port file."""

    url: str
    pid: int


class DemoService:
    """`tidings serve` on a folder; leaving the context ends it.

    Args:
        folder: For its data, its port file and its log.
        settings: Of `tidings serve`, by the names of their environment variables.

    Attributes:
        url: Where it is, once it was started.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.url = ""
        self._folder = folder
        self._settings = dict(settings or {})
        self._port = "0"
        self._process: Process | None = None
        self._groups: list[int] = []  # of all processes that were started

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Starts it and waits until it is ready: on a free port, later on the same one.

        Raises:
            TidingsError: It ended instead; the message says why.
        """
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
                cwd=self._folder,  # no settings file lies here
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

    async def kill(self) -> None:
        """SIGKILL: no last word, no clean-up, nothing flushed."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        await self._process.communicate()

    async def stop(self) -> None:
        """SIGTERM: it ends in good order, and what it archives is sealed."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        await self._process.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for group in self._groups:
            # With archivers: they would go on in a folder that is being removed.
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if self._process is not None:
            await self._process.communicate()


def _without_settings() -> dict[str, str]:
    """The environment, without what is meant for another service."""
    return {name: text for name, text in os.environ.items() if not name.startswith("TIDINGS_")}


def _announced(port_file: Path) -> _Announced | None:
    try:
        return msgspec.json.decode(port_file.read_bytes(), type=_Announced)
    except FileNotFoundError:
        return None


# What runs there.


def _end_with_input() -> None:
    """Whoever started the service is gone when standard input ends: it must not stay."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    # With its archiver, if the group is its own.
    kill = os.killpg if os.getpgrp() == os.getpid() else os.kill
    kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """`python -m tidings` with the same arguments, which does not outlive its starter."""
    Thread(target=_end_with_input, daemon=True).start()
    runpy.run_module("tidings", run_name="__main__")


if __name__ == "__main__":
    main()
