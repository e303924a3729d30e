"""Processes in which the demo's houses and bidders run, apart from the service and each other.

`tidings demo` starts them and writes a job and then orders to standard input, as JSON lines; the
process reports as JSON lines on standard output. It ends when its input ends.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, Self

import msgspec

from tidings.apps.auction_alert.parts import Bidders, Houses, Part
from tidings.apps.auction_alert.scene import Scene
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.errors import TidingsError

HOUSES = "houses"
BIDDERS = "bidders"

_DONE = "done"


class Job(msgspec.Struct, frozen=True):
    """The task of a process.

    `begins` is in microseconds since 1970, `pause` in seconds between two offers of a house;
    `part` is ``houses`` or ``bidders``.
    """

    url: str
    ledgers: str
    seed: int
    begins: int
    pause: float
    part: str

    @property
    def scene(self) -> Scene:
        """Return the scene to play."""
        return Scene(self.seed, self.begins)


class Happening(msgspec.Struct, frozen=True):
    """A reported happening with its details."""

    word: str
    about: dict[str, Any]


class AuctionProcess:
    """The parent's handle of a process; leaving the context ends the process.

    `folder` receives its standard error; `heard` is called with each report.
    """

    _process: Process
    _reading: asyncio.Task[None]
    _answer: asyncio.Future[None] | None = None

    def __init__(self, part: str, folder: Path, heard: Callable[[Happening], None]) -> None:
        self.part = part
        self._errors = folder / f"{part}.txt"
        self._heard = heard

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    async def order(self, what: Job | str) -> None:
        """Send the job, or an order, and wait until it is done; `ended` reports failures."""
        assert self._process.stdin is not None
        self._answer = asyncio.get_running_loop().create_future()
        with suppress(BrokenPipeError, ConnectionResetError):  # `ended` reports the cause
            self._process.stdin.write(msgspec.json.encode(what) + b"\n")
            await self._process.stdin.drain()
        await self._answer

    async def ended(self) -> NoReturn:
        """Wait until the process ends unexpectedly; raise TidingsError with the cause."""
        await self._reading
        code = await self._process.wait()
        last = self._errors.read_text(errors="replace").strip().rpartition("\n")[2]
        raise TidingsError(f"the process of the {self.part} ended, code {code}: {last}")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            happening = msgspec.json.decode(line, type=Happening)
            if happening.word == _DONE and self._answer is not None:
                self._answer.set_result(None)
            else:
                self._heard(happening)

    async def __aenter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tidings.apps.auction_alert.process"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is for the parent, which ends the process
            )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *error: object) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        self._reading.cancel()
        await asyncio.wait((self._reading,))
        await self._process.communicate()


# The child process.


def _tell(word: str, about: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(Happening(word, about)) + b"\n")
    sys.stdout.buffer.flush()


async def _play(job: Job, orders: asyncio.Queue[str]) -> None:
    part: Part = (
        Houses(job.scene, Path(job.ledgers), _tell, job.pause)
        if job.part == HOUSES
        else Bidders(job.scene, Path(job.ledgers), _tell, SystemClock())
    )
    try:
        async with await connect(job.url, on_connection=part.on_connection) as client:
            await part.connect(client)
            while True:
                _tell(_DONE, {})
                await part.do(await orders.get())
    finally:
        await part.close()


async def _obey() -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    first = await lines.readline()
    if not first:
        return
    orders: asyncio.Queue[str] = asyncio.Queue()
    playing = asyncio.create_task(_play(msgspec.json.decode(first, type=Job), orders))
    reading = asyncio.create_task(_listen(lines, orders))
    await asyncio.wait((playing, reading), return_when=asyncio.FIRST_COMPLETED)
    if playing.done():
        playing.result()
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


async def _listen(lines: asyncio.StreamReader, orders: asyncio.Queue[str]) -> None:
    async for line in lines:
        orders.put_nowait(msgspec.json.decode(line, type=str))


def main() -> None:
    """Run a part until the parent is gone."""
    asyncio.run(_obey())


if __name__ == "__main__":
    main()
