"""The story for a person: the bank changes again and again, until somebody stops it."""

from __future__ import annotations

import asyncio
import webbrowser
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from tidings.apps.demo_service import DemoService
from tidings.apps.live_demo import free_port, keep_running, together, until_stopped, unusual
from tidings.apps.local_pages import listener
from tidings.apps.subscriber_agent.bank import STORY, Bank, set_up
from tidings.apps.subscriber_agent.web import PORT, served
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.errors import TidingsError
from tidings.terminal import render

CONSOLE_PORT: Final = 8080
PACE: Final = 10.0


class LiveChanges:
    """One run of the story; its data is in `folder`. `pace` is the seconds between two steps."""

    def __init__(self, folder: Path, *, opens: bool = False, pace: float = PACE) -> None:
        self._folder = folder
        self._opens = opens
        self._pace = pace
        self._service = DemoService(folder, port=free_port(CONSOLE_PORT))

    def play(self) -> None:
        """Run the story until somebody stops it."""
        asyncio.run(until_stopped(self._play()))

    async def _play(self) -> None:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._service)
            await self._service.start()
            client = await stack.enter_async_context(await connect(self._service.url))
            await set_up(client)
            listening = listener(PORT, otherwise_any=True)
            url = await stack.enter_async_context(served(client, self._service.url, listening))
            self._tell(url)
            if self._opens:
                await asyncio.to_thread(webbrowser.open, url)
            await together(keep_running(self._service), self._stories(client))

    async def _stories(self, client: Client) -> None:
        bank, clock = Bank(client), SystemClock()
        while True:
            for kind in STORY:
                try:
                    render.say(f"{await bank.announce(kind, clock.now())} announces {kind.name}.")
                    await asyncio.sleep(self._pace)
                    await bank.make(kind)
                except TidingsError as error:  # such as: the service is away
                    render.say(f"{kind.name} was left out: {error}")
                await asyncio.sleep(self._pace)

    def _tell(self, url: str) -> None:
        service = self._service.url
        render.say(f"agent    {url}{unusual(url, PORT)}", "bold")
        render.say(f"console  {service}{unusual(service, CONSOLE_PORT)}", "bold")
        render.say(f"data     {self._folder}  removed at the end")
        render.say()
        render.say(
            "Pick Bank and Bank_2 as what to hear of, and read the notices; announce a change of "
            "the printer yourself."
        )
        render.say("Ctrl-C ends the demo.")
        render.say()
