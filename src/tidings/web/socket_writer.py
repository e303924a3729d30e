"""The way out of one WebSocket: bounded, and never in the way of others."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from starlette.types import Send

from tidings.api.frames import write_events

# Events that wait to be written to one consumer are joined up to this length.
JOINED_CHARACTERS: Final = 256 * 1024
# How often it is looked whether anything was written, while its patience lasts.
_LOOKS: Final = 4


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class EventsOut:
    """A frame of events for a line that grows until it is written, or is not `open` any more.

    `again` has the numbers of events that may have come before, `size` the length of all texts.
    """

    __slots__ = ("_again", "_line", "_origin", "_texts", "open", "size")

    def __init__(
        self, line: int, origin: str, texts: list[str], again: Sequence[int], size: int
    ) -> None:
        self._line = line
        self._origin = origin
        self._texts = texts
        self._again = [*again]
        self.size = size
        self.open = True

    def add(self, texts: Sequence[str], again: Sequence[int], size: int) -> None:
        """Adds events at the end."""
        self._texts += texts
        if again:
            self._again += again
        self.size += size

    def close(self) -> str:
        """The frame; nothing more is added."""
        self.open = False
        texts = self._texts
        events = texts[0] if len(texts) == 1 else ",".join(texts)
        return write_events(self._line, self._origin, events, self._again)


class SocketWriter:
    """Writes frames to a WebSocket in order, as fast as its peer reads them.

    At most `most` characters wait. If nothing could be written for `patience` seconds, it calls
    `on_stalled` once and drops everything from then on.
    """

    def __init__(
        self, send: Send, most: int, patience: float, on_stalled: Callable[[str], object]
    ) -> None:
        self._send = send
        self._most = most
        self._patience = patience
        self._on_stalled = on_stalled
        self._loop = asyncio.get_running_loop()
        self._queue: deque[str | EventsOut] = deque()
        self._waiting = 0
        self._written = 0
        self._idle: asyncio.Future[None] | None = None
        self._hungry: list[Callable[[], None]] = []
        self._watch: asyncio.TimerHandle | None = None
        self._ended = False
        self._last: tuple[int, str] | None = None

    @property
    def full(self) -> bool:
        """Whether so much waits that events had better be held back."""
        return self._waiting > self._most // 4

    def put(self, frame: str | EventsOut) -> None:
        """Has a frame written behind those that wait; after the end nothing is."""
        if self._ended:
            return
        self._queue.append(frame)
        self.grew(len(frame) if frame.__class__ is str else frame.size)  # type: ignore[union-attr]
        idle = self._idle
        if idle is not None:
            self._idle = None
            if not idle.done():
                idle.set_result(None)
        if self._watch is None and not self._ended:
            self._look_later(0)

    def grew(self, size: int) -> None:
        """Something that waits became longer."""
        self._waiting += size
        if self._waiting > self._most and len(self._queue) > 1:  # however long one alone may be
            self.stall(f"more than {self._most} characters wait to be read")

    def when_room(self, act: Callable[[], None]) -> None:
        """Calls a function, once, when it is not full any more, or has ended."""
        self._hungry.append(act)

    async def room(self) -> None:
        """Waits until it is not full, or has ended."""
        if self.full:
            made: asyncio.Future[None] = self._loop.create_future()
            self.when_room(partial(_set, made))
            await made

    def finish(self, code: int, reason: str) -> None:
        """Closes the socket behind what waits; nothing more is taken."""
        self._ended = True
        self._last = (code, reason)
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def drop(self) -> None:
        """Takes nothing more, and forgets what waits."""
        self._ended = True
        self._queue.clear()
        self._waiting = 0
        self._feed()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def run(self) -> None:
        """Writes until the socket is closed; the task of whoever has the socket."""
        queue, send = self._queue, self._send
        try:
            while True:
                while queue:
                    frame = queue.popleft()
                    if frame.__class__ is str:
                        text, size = frame, len(frame)
                    else:
                        text, size = frame.close(), frame.size  # type: ignore[union-attr]
                    await send({"type": "websocket.send", "text": text})
                    self._waiting -= size
                    self._written += 1
                    if self._hungry and not self.full:
                        self._feed()
                if self._last is not None:
                    code, reason = self._last
                    await send({"type": "websocket.close", "code": code, "reason": reason})
                    return
                self._idle = self._loop.create_future()
                await self._idle
        except OSError:  # the peer is gone, of which the reading side hears, too
            pass
        finally:
            self.drop()

    def _feed(self) -> None:
        hungry, self._hungry = self._hungry, []
        for act in hungry:
            act()

    def _look_later(self, looks: int) -> None:
        interval = self._patience / _LOOKS
        self._watch = self._loop.call_later(interval, self._look, self._written, looks)

    def _look(self, written: int, looks: int) -> None:
        """Looks whether something was written since; so many looks before found nothing."""
        self._watch = None
        if not self._waiting:
            return
        if self._written != written:
            self._look_later(0)
        elif looks + 1 < _LOOKS:
            self._look_later(looks + 1)
        else:
            self.stall(f"nothing was read for {self._patience:g} s")

    def stall(self, why: str) -> None:
        """The peer is too slow: everything is dropped."""
        if not self._ended:
            self.drop()
            self._on_stalled(why)
