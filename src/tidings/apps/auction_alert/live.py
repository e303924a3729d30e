"""The demo for a person: a service with its console, the pages, and one evening after the other.

It goes on until it is stopped. The service is a process of its own; whoever kills it sees it start
again on the same data, and everybody come back.
"""

from __future__ import annotations

import asyncio
import signal
import webbrowser
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from tidings.apps.auction_alert.evening import Evening
from tidings.apps.auction_alert.web import PORT, served
from tidings.apps.demo_service import DemoService
from tidings.apps.local_pages import listener
from tidings.client.connecting import connect
from tidings.terminal import render

CONSOLE_PORT: Final = 8080
# An evening takes two minutes.
SPEED: Final = 5
BETWEEN_SECONDS: Final = 5.0


class LiveDemo:
    """One run of the demo; its data is in `folder`."""

    def __init__(self, folder: str, seed: int, *, opens: bool) -> None:
        self._folder = folder
        self._seed = seed
        self._opens = opens
        self._service = DemoService(Path(folder), port=_free(CONSOLE_PORT))

    def play(self) -> None:
        """Run the demo until somebody stops it."""
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        await _together(self._play(), stopped.wait())

    async def _play(self) -> None:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._service)
            await self._service.start()
            client = await stack.enter_async_context(await connect(self._service.url))
            listening = listener(PORT, otherwise_any=True)
            console = self._service.url
            url, auction = await stack.enter_async_context(served(client, console, listening))
            self._tell(url)
            if self._opens:
                await asyncio.to_thread(webbrowser.open, url)
            await _together(self._keep_running(), _evenings(auction.evening, self._seed))

    def _tell(self, url: str) -> None:
        render.say(f"auction  {url}{_usual(url, PORT)}", "bold")
        render.say(f"console  {self._service.url}{_usual(self._service.url, CONSOLE_PORT)}", "bold")
        render.say(f"data     {self._folder}  removed at the end")
        render.say()
        render.say(
            "Say what you look for, sell something, or watch houses and bidders. Kill the service "
            f"with kill -9 {self._service.pid}: it starts again, and nothing is lost."
        )
        render.say("Ctrl-C ends the demo.")
        render.say()

    async def _keep_running(self) -> None:
        while True:
            await self._service.ended()
            render.say(f"The service (process {self._service.pid}) has ended; starting it again.")
            await self._service.start()
            render.say(f"It is there again, as process {self._service.pid}.")


async def _evenings(evening: Evening, seed: int) -> None:
    evening.steer(SPEED)
    while True:
        evening.begin(seed)
        render.say(f"Evening {seed} begins at ×{evening.speed:g}.")
        await evening.ended()
        state = evening.state()
        told = f" It has ended early: {state.problem}" if state.problem else ""
        render.say(f"Evening {seed}: {state.called} lots.{told}")
        seed += 1
        await asyncio.sleep(BETWEEN_SECONDS)


async def _together(*works: Coroutine[Any, Any, object]) -> None:
    """Run works until one of them ends or fails, which ends the others."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _free(port: int) -> int:
    """Return a port if it is free, and 0, which stands for any, if it is taken."""
    with listener(port, otherwise_any=True) as probe:
        found: int = probe.getsockname()[1]
    return port if found == port else 0


def _usual(url: str, port: int) -> str:
    return "" if url.endswith(f":{port}") else f"  the usual port, {port}, is taken"
