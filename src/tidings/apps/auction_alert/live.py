"""The demo for a person: a service with its console, the pages, and one evening after the other.

It goes on until it is stopped. The service is a process of its own; whoever kills it sees it start
again on the same data, and everybody come back.
"""

from __future__ import annotations

import asyncio
import webbrowser
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from tidings.apps.auction_alert.evening import Evening
from tidings.apps.auction_alert.web import PORT, served
from tidings.apps.demo_service import DemoService
from tidings.apps.live_demo import free_port, keep_running, together, until_stopped, unusual
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
        self._service = DemoService(Path(folder), port=free_port(CONSOLE_PORT))

    def play(self) -> None:
        """Run the demo until somebody stops it."""
        asyncio.run(until_stopped(self._play()))

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
            await together(keep_running(self._service), _evenings(auction.evening, self._seed))

    def _tell(self, url: str) -> None:
        render.say(f"auction  {url}{unusual(url, PORT)}", "bold")
        render.say(
            f"console  {self._service.url}{unusual(self._service.url, CONSOLE_PORT)}", "bold"
        )
        render.say(f"data     {self._folder}  removed at the end")
        render.say()
        render.say(
            "Say what you look for, sell something, or watch houses and bidders. Kill the service "
            f"with kill -9 {self._service.pid}: it starts again, and nothing is lost."
        )
        render.say("Ctrl-C ends the demo.")
        render.say()


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
