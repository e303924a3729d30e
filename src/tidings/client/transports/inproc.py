"""The transport within one process; it is given a host, and imports none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from tidings.api.live_frames import ObjectsFrame
from tidings.channel.commands import Command
from tidings.channel.functions import Source
from tidings.channel.management import Connect
from tidings.client.transport import HistoryPage, PulledEvents, TypesChanged
from tidings.cores import Question
from tidings.filters.constraint import constraint
from tidings.inbox import Inbox
from tidings.live.board import View
from tidings.live.core import looked_at
from tidings.live.requests import LookAtObjects, SeeLiveObjects

_T = TypeVar("_T")


class InProcess:
    """Connects to a host in this process through its `tidings.engine.door.LocalDoor`."""

    def __init__(self, door: Any) -> None:  # noqa: ANN401 -- clients know no engine
        self._door = door
        self.tell = door.tell
        self.release = door.release
        self.close = door.close

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command."""
        return await self._door.ask(command)

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Inbox:
        """Connect a push consumer that reads from an inbox."""
        inbox: Inbox = await self._connected(connect, self._door.buffer(on_offers))
        return inbox

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connect a push consumer whose function is called with each event or batch."""
        return await self._connected(connect, self._door.handler(handler))

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connect a supplier; the service pulls events from its source, if given."""
        return await self._connected(connect, self._door.supplier(on_wanted, source))

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connect a pull consumer."""
        return await self._connected(connect, self._door.buffer(on_offers))

    async def _connected(self, connect: Connect, endpoint: _T) -> _T:
        await self._door.connect(connect, endpoint)
        return endpoint

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledEvents:
        """Pull events."""
        found = await self._door.pull(channel, proxy, most, wait, lease)
        return PulledEvents(found.messages, found.again)

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question."""
        found: _T = await self._door.request(question)
        return found

    async def history(
        self, channel: int, after: int | None, since: int | None, most: int, text: str | None
    ) -> HistoryPage:
        """Return past events from the channel's journal."""
        wanted = None if text is None else constraint(text)
        return HistoryPage(*await self._door.history(channel, after, since, most, wanted))

    async def look(
        self, asked: SeeLiveObjects, rate: float, show: Callable[[ObjectsFrame], None]
    ) -> None:
        """Show live objects as they move, until cancelled."""
        view: View = await self._door.request(LookAtObjects(looked_at(asked)))
        while True:
            told = view.take()
            if told:
                show(ObjectsFrame.of(told))
            await asyncio.sleep(0 if told.more else 1 / rate)
