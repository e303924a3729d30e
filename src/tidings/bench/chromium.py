"""The system's Chromium without a window, asked over its DevTools protocol."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from tidings.bench.harness import PATIENCE, demand
from tidings.errors import InvalidUsage

_T = TypeVar("_T")

_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--remote-debugging-port=0", "--window-size=1280,900"),
)
_LISTENS: Final = re.compile(rb"DevTools listening on (ws://\S+)")


def find_chromium() -> str:
    """Return where Chromium is; raise InvalidUsage if there is none."""
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        raise InvalidUsage(
            f"the bench needs Chromium: none of {', '.join(_PROGRAMS)} is in the PATH; "
            "on Debian: apt-get install chromium"
        )
    return found


# Of the tasks of a page, those of the thread that paints it and runs its scripts.
_MAIN: Final = "CrRendererMain"
_TASKS: Final = ("RunTask", "ThreadControllerImpl::RunTask")


class Task(NamedTuple):
    """A task of a page: how long it took by the clock, and of a processor, in milliseconds."""

    clock: float
    processor: float


class Page:
    """A page of the browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._session = ""
        self._trace: list[dict[str, Any]] = []
        self._traced = asyncio.Event()

    async def attach(self) -> None:
        """Make the page."""
        target = await self.send("Target.createTarget", url="about:blank")
        found = await self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = found["sessionId"]
        await self.send("Page.enable")

    async def send(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command; return its result."""
        asked: dict[str, Any] = {"id": next(self._ids), "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        self._waiting[asked["id"]] = answer = asyncio.get_running_loop().create_future()
        await self._connection.send(msgspec.json.encode(asked).decode())
        return await asyncio.wait_for(answer, PATIENCE)

    async def evaluate(self, script: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what an expression gives; a promise is awaited."""
        found = await self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        demand("exceptionDetails" not in found, f"{script}: {found.get('exceptionDetails')}")
        return found["result"].get("value")

    async def heap(self) -> int:
        """How many octets its objects take after a garbage collection."""
        await self.send("HeapProfiler.collectGarbage")
        used: int = (await self.send("Runtime.getHeapUsage"))["usedSize"]
        return used

    async def traced(self, work: Awaitable[_T]) -> tuple[_T, list[Task]]:
        """What some work gives, and the tasks of the page's main thread meanwhile."""
        self._trace.clear()
        self._traced.clear()
        categories = {"includedCategories": ["toplevel"], "excludedCategories": ["*"]}
        await self.send("Tracing.start", traceConfig=categories, transferMode="ReportEvents")
        found = await work
        await self.send("Tracing.end")
        await asyncio.wait_for(self._traced.wait(), PATIENCE)
        main = {
            (one["pid"], one["tid"])
            for one in self._trace
            if one["name"] == "thread_name" and one["args"]["name"] == _MAIN
        }
        tasks = [
            Task(one["dur"] / 1e3, one.get("tdur", one["dur"]) / 1e3)
            for one in self._trace
            if one["name"] in _TASKS and "dur" in one and (one["pid"], one["tid"]) in main
        ]
        demand(bool(tasks), "Chromium has traced no task of the page")
        return found, tasks

    async def read(self) -> None:
        """Hand answers to those who wait for them, and collect what is traced."""
        async for text in self._connection:
            told = msgspec.json.decode(text)
            if told.get("method") == "Tracing.dataCollected":
                self._trace += told["params"]["value"]
            elif told.get("method") == "Tracing.tracingComplete":
                self._traced.set()
            waiting = self._waiting.pop(told.get("id", 0), None)
            if waiting is not None and not waiting.done():
                if "error" in told:
                    waiting.set_exception(AssertionError(f"Chromium: {told['error']}"))
                else:
                    waiting.set_result(told["result"])


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Page]:
    """An empty page in a Chromium of its own, which keeps its files in a folder."""
    process = await asyncio.create_subprocess_exec(
        find_chromium(), *_OPTIONS, f"--user-data-dir={folder / 'chromium'}", "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with connect(await _address(process), max_size=None) as connection:
            page = Page(connection)
            reading = asyncio.create_task(page.read())
            try:
                await page.attach()
                yield page
            finally:
                reading.cancel()
                with suppress(asyncio.CancelledError):
                    await reading
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    """Where the browser takes connections, which it says among other lines."""
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE):
        async for line in process.stderr:
            if told := _LISTENS.search(line):
                return told[1].decode()
    raise AssertionError("Chromium has ended before it took connections")
