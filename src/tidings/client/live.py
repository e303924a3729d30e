"""Live objects for programs: setting them, and looking at them as they move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Self

from tidings.api.live_frames import ObjectsFrame, checked_rate
from tidings.client.transport import Transport
from tidings.events.anyvalue import Value
from tidings.live.core import looked_at
from tidings.live.requests import SeeLiveObjects


@dataclass(slots=True)
class Seen:
    """What has changed in a view since it was looked at last, by tag."""

    entered: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)


class LiveView:
    """Live objects as they are now, kept up to date; an asynchronous context manager.

    Iterating waits until something has changed. Whoever takes long for one turn of the loop finds
    in the next what is newest then. If the connection is cut, the view is made anew by itself.

    Attributes:
        objects: By tag, the attributes of each object in the view.
    """

    def __init__(self, transport: Transport, asked: SeeLiveObjects, rate: float) -> None:
        looked_at(asked)  # what is wrong is told at once
        self.objects: dict[str, dict[str, Value]] = {}
        self._transport = transport
        self._asked = asked
        self._rate = checked_rate(rate)
        self._tags: dict[int, str] = {}
        self._seen = Seen()
        self._came = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        looking = self._transport.look(self._asked, self._rate, self._show)
        self._looking = asyncio.ensure_future(looking)
        self._looking.add_done_callback(lambda _: self._came.set())
        try:
            await self._wait()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait((self._looking,))

    async def __aiter__(self) -> AsyncIterator[Seen]:
        """Yield what has changed, when something has; the first time all that is there."""
        while True:
            await self._wait()
            seen, self._seen = self._seen, Seen()
            self._came.clear()
            yield seen

    async def _wait(self) -> None:
        await self._came.wait()
        if self._looking is not None and self._looking.done():
            self._looking.result()

    def _show(self, frame: ObjectsFrame) -> None:
        seen = self._seen
        if frame.anew:
            for tag in self.objects:
                self._leave(tag)
            self.objects.clear()
            self._tags.clear()
        for number in frame.left:
            tag = self._tags.pop(number)
            del self.objects[tag]
            self._leave(tag)
        for number, (tag, attributes) in frame.entered.items():
            self._tags[number] = tag
            self.objects[tag] = dict(attributes)
            if tag in seen.left:
                seen.left.remove(tag)
                seen.changed.add(tag)
            else:
                seen.entered.add(tag)
        for number, attributes in frame.changed.items():
            tag = self._tags[number]
            self.objects[tag].update(attributes)
            if tag not in seen.entered:
                seen.changed.add(tag)
        self._came.set()

    def _leave(self, tag: str) -> None:
        self._seen.changed.discard(tag)
        if tag in self._seen.entered:
            self._seen.entered.remove(tag)
        else:
            self._seen.left.add(tag)
