"""Questions and history over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from tidings.api.call import BASE, Call
from tidings.channel.questions import SeeAdvertisement, SeeChannel, SeeProxy
from tidings.channel.views import ChannelInfo
from tidings.client.transport import HistoryPage, Message
from tidings.client.transports.http.calls import CLOSED, Caller
from tidings.client.transports.http.pulls import Pulls, message_of
from tidings.client.transports.http.socket import Socket
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names
from tidings.cores import Question
from tidings.errors import ChannelNotFound, ProxyNotFound, Stopping
from tidings.names import is_readable

_T = TypeVar("_T")

# Seconds by which events on a line may lag behind an HTTP answer.
NOTICING: Final = 0.05


class _Page(NamedTuple):
    """Past events of a channel."""

    messages: Sequence[Message]
    next: int
    end: bool
    last: int
    lost: Sequence[tuple[int, int]]


class HttpViews:
    """The read-only part of the transport."""

    def __init__(
        self,
        caller: Caller,
        memory: Memory,
        names: Names,
        origins: dict[int, str],
        pulls: Pulls,
        socket: Socket,
    ) -> None:
        self._caller = caller
        self._memory = memory
        self._names = names
        self._origins = origins
        self._pulls = pulls
        self._socket = socket
        self._closed = False

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping(CLOSED)

    async def _safely(self, key: tuple[int, int], work: Callable[[], Awaitable[_T]]) -> _T:
        """Run something with a proxy; retry once if the proxy was recreated meanwhile."""
        generation = self._socket.generation
        try:
            return await work()
        except ProxyNotFound:
            if not await self._was_restarted(key, generation):
                raise
        return await work()

    async def _was_restarted(self, key: tuple[int, int], generation: int) -> bool:
        """Tell whether a proxy was not found because the service has restarted."""
        if key not in self._memory.proxies or not self._has_line(key):
            return False
        await asyncio.sleep(NOTICING)
        if self._socket.ready and self._socket.generation == generation:
            return False
        await self._socket.reached()
        return key in self._memory.proxies

    def _has_line(self, key: tuple[int, int]) -> bool:
        return any(line.key == key for line in self._socket.lines.values())

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question."""
        self._check_open()
        key = (getattr(question, "channel", 0), getattr(question, "proxy", 0))
        return await self._safely(key, partial(self._look, question))

    async def _look(self, question: Question[_T]) -> _T:
        if isinstance(question, SeeChannel | SeeProxy):
            _check_readable(question)
        await self._pulls.told()
        found: Any = await self._caller.ask(self._names.outward(question))
        if isinstance(question, SeeAdvertisement):
            return self._names.advertisement(question.channel, found)  # type: ignore[return-value]
        if isinstance(question, SeeChannel):
            self._note_origin(found)
        answer: _T = self._names.inward(found)
        return answer

    def _note_origin(self, found: ChannelInfo) -> None:
        known = self._origins.get(found.id)
        if known != found.origin and not (known and self._has_lines(found.id)):
            self._origins[found.id] = found.origin

    def _has_lines(self, channel: int) -> bool:
        return any(line.connect.channel == channel for line in self._socket.lines.values())

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Return past events from the channel's journal."""
        asked = {"after": after, "since": since, "most": most, "filter": constraint_text}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        path = f"{BASE}/channels/{channel}/events?{query}"
        self._check_open()
        await self._pulls.told()
        found: HistoryPage = await self._caller.call(Call("GET", path, None, _page))
        return found


def _check_readable(question: SeeChannel | SeeProxy) -> None:
    """Refuse names that cannot even be sent."""
    named = question.channel if isinstance(question, SeeChannel) else question.proxy
    if isinstance(named, int) or is_readable(named):
        return
    if isinstance(question, SeeChannel):
        raise ChannelNotFound(f"there is no channel named {named!r:.60}")
    raise ProxyNotFound(f"channel {question.channel} has no proxy named {named!r:.60}")


def _page(plain: Any) -> _Page:  # noqa: ANN401 -- parsed JSON
    messages = [message_of(plain["origin"], one) for one in plain["events"]]
    lost = [(first, last) for first, last in plain.get("lost", ())]
    return _Page(messages, plain["next"], plain["end"], plain["last"], lost)
