"""The scene for a person: it goes on, a second each second, until it is stopped."""

from __future__ import annotations

import asyncio
import webbrowser
from pathlib import Path
from typing import Final

from tidings.apps.child_process import unless_one_ends
from tidings.apps.demo_service import DemoService
from tidings.apps.live_demo import free_port, keep_running, together, until_stopped, unusual
from tidings.apps.local_pages import listener, served_app
from tidings.apps.traffic_monitoring.traffic import Traffic
from tidings.apps.traffic_monitoring.web import build_app
from tidings.terminal import render

PORT: Final = 8091
CONSOLE_PORT: Final = 8080
# What was not heard so soon is missing, and the scene goes on.
_PATIENCE: Final = 5.0


class LiveTraffic:
    """One run of the scene; its data is in `folder`. `pace` is the seconds between two of it."""

    def __init__(self, folder: Path, *, opens: bool = False, pace: float = 1.0) -> None:
        self._folder = folder
        self._opens = opens
        self._pace = pace
        self._service = DemoService(folder, port=free_port(CONSOLE_PORT))
        self._traffic = Traffic(folder, self._service, patience=_PATIENCE)

    def play(self) -> None:
        """Run the scene until somebody stops it."""
        asyncio.run(until_stopped(self._play()))

    async def _play(self) -> None:
        async with self._traffic as traffic:
            await unless_one_ends(traffic.begin(), traffic.processes)
            app = build_app(traffic.log, traffic.set_limit, self._trouble)
            async with served_app(app, listener(PORT, otherwise_any=True)) as url:
                self._tell(url)
                if self._opens:
                    await asyncio.to_thread(webbrowser.open, url)
                driving = unless_one_ends(self._drive(), traffic.processes)
                await together(driving, keep_running(self._service))

    async def _drive(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + self._pace
            await self._traffic.next_second()
            await asyncio.sleep(max(0.0, due - loop.time()))

    def _trouble(self) -> str:
        missing = len(self._traffic.missing)
        return f"{missing} messages by radio or SIENA have not arrived" if missing else ""

    def _tell(self, url: str) -> None:
        traffic, service = self._traffic, self._service.url
        render.say(f"map      {url}{unusual(url, PORT)}", "bold")
        render.say(f"console  {service}{unusual(service, CONSOLE_PORT)}", "bold")
        render.say(f"data     {self._folder}  removed at the end")
        render.say()
        render.say(
            f"{len(traffic.cars)} cars, {len(traffic.roads)} monitors and a SIENA server are "
            "processes of their own. Set a limit, and step through the logs."
        )
        render.say("Ctrl-C ends the demo.")
        render.say()
