"""Processes of a demo, apart from the service and each other.

The parent writes a job and then orders to standard input, as JSON lines; the process reports as
JSON lines on standard output. It ends when its input ends.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn, Self, TypeAlias, TypeVar

import msgspec

from tidings.errors import TidingsError

_T = TypeVar("_T")

DONE: Final = "done"
"""What a process reports when the job is prepared, or an order is carried out."""


class Happening(msgspec.Struct, frozen=True):
    """A reported happening with its details."""

    word: str
    about: dict[str, Any]


class ChildProcess:
    """The parent's handle of a process; leaving the context ends the process.

    `module` is what it runs, `folder` receives its standard error; `heard` is called with each
    report.
    """

    _process: Process
    _reading: asyncio.Task[None]
    _answer: asyncio.Future[None] | None = None

    def __init__(
        self, module: str, part: str, folder: Path, heard: Callable[[Happening], None]
    ) -> None:
        self.part = part
        self._module = module
        self._errors = folder / f"{part}.txt"
        self._heard = heard

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    async def order(self, what: object) -> None:
        """Send the job, or an order, and wait until it is done; `ended` reports failures."""
        assert self._process.stdin is not None
        self._answer = asyncio.get_running_loop().create_future()
        with suppress(BrokenPipeError, ConnectionResetError):  # `ended` reports the cause
            self._process.stdin.write(msgspec.json.encode(what) + b"\n")
            await self._process.stdin.drain()
        await self._answer

    async def ended(self) -> NoReturn:
        """Wait until the process ends unexpectedly; raise TidingsError with the cause."""
        await asyncio.wait((self._reading,))  # whoever is cancelled here leaves it reading
        self._reading.result()
        code = await self._process.wait()
        last = self._errors.read_text(errors="replace").strip().rpartition("\n")[2]
        raise TidingsError(f"the process of the {self.part} ended, code {code}: {last}")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            happening = msgspec.json.decode(line, type=Happening)
            if happening.word == DONE and self._answer is not None:
                self._answer.set_result(None)
            else:
                self._heard(happening)

    async def __aenter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._module),
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


async def unless_one_ends(story: Coroutine[Any, Any, _T], processes: Iterable[ChildProcess]) -> _T:
    """Run a story while processes are running; raise TidingsError if one of them ends before."""
    told = asyncio.create_task(story)
    endings = [asyncio.create_task(one.ended()) for one in processes]
    try:
        await asyncio.wait((told, *endings), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (told, *endings):
            task.cancel()
        await asyncio.wait((told, *endings))
    for ended in endings:
        if not ended.cancelled():
            ended.result()
    return told.result()


# The child process.

Play: TypeAlias = Callable[[bytes, "asyncio.Queue[Any]"], Coroutine[Any, Any, None]]
"""Carries out a job, and then the orders that come."""


def tell(word: str, about: dict[str, Any]) -> None:
    """Report something to the parent."""
    sys.stdout.buffer.write(msgspec.json.encode(Happening(word, about)) + b"\n")
    sys.stdout.buffer.flush()


async def obey(play: Play) -> None:
    """Play the job that comes first, with the orders that follow, until the parent is gone."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    first = await lines.readline()
    if not first:
        return
    orders: asyncio.Queue[Any] = asyncio.Queue()
    playing = asyncio.create_task(play(first, orders))
    reading = asyncio.create_task(_listen(lines, orders))
    await asyncio.wait((playing, reading), return_when=asyncio.FIRST_COMPLETED)
    if playing.done():
        playing.result()
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


async def _listen(lines: asyncio.StreamReader, orders: asyncio.Queue[Any]) -> None:
    async for line in lines:
        orders.put_nowait(msgspec.json.decode(line))
