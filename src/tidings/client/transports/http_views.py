"""What there is at a service, looked at over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from tidings.api import calls
from tidings.api.call import BASE, Call
from tidings.channel.settings import Settings
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Side
from tidings.client.transport import HistoryPage, Message
from tidings.client.transports.http_calls import CLOSED, Caller
from tidings.client.transports.http_pulls import Pulls, message_of
from tidings.client.transports.http_socket import Socket
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names
from tidings.errors import ChannelNotFound, ProxyNotFound, Stopping
from tidings.names import is_readable

_T = TypeVar("_T")

# How long what happens to a line may take to be noticed after an answer by HTTP, in seconds.
NOTICING: Final = 0.05


class _Page(NamedTuple):
    """Past events of a channel."""

    messages: Sequence[Message]
    next: int
    end: bool
    last: int
    lost: Sequence[tuple[int, int]]


class HttpViews:
    """The part of the transport that only looks.

    Args:
        caller: Makes requests.
        memory: What was made.
        names: What it is called.
        origins: By channel, the origin it has.
        pulls: What pull consumers have said is sent before anything is looked at.
        socket: Tells when the service has been started again.
    """

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
        """Does something with a proxy; once more if it was made again meanwhile."""
        generation = self._socket.generation
        try:
            return await work()
        except ProxyNotFound:
            if not await self._was_restarted(key, generation):
                raise
        return await work()

    async def _was_restarted(self, key: tuple[int, int], generation: int) -> bool:
        """Whether a proxy was not found because its service is another one by now."""
        if key not in self._memory.proxies or not self._has_line(key):
            return False
        await asyncio.sleep(NOTICING)
        if self._socket.ready and self._socket.generation == generation:
            return False
        await self._socket.reached()
        return key in self._memory.proxies

    def _has_line(self, key: tuple[int, int]) -> bool:
        return any(line.key == key for line in self._socket.lines.values())

    async def _look(self, call: Call) -> Any:  # noqa: ANN401 -- see the call
        self._check_open()
        await self._pulls.told()
        return self._names.inward(await self._caller.call(call))

    async def channels(self) -> Sequence[ChannelInfo]:
        """All channels."""
        found: Sequence[ChannelInfo] = await self._look(calls.get_channels())
        return found

    async def channel(self, id_or_name: int | str) -> ChannelInfo:
        """One channel."""
        if isinstance(id_or_name, str) and not is_readable(id_or_name):
            raise ChannelNotFound(f"there is no channel named {id_or_name!r:.60}")
        found: ChannelInfo = await self._look(calls.get_channel(id_or_name))
        known = self._origins.get(found.id)
        if known != found.origin and not (known and self._has_lines(found.id)):
            self._origins[found.id] = found.origin
        return found

    def _has_lines(self, channel: int) -> bool:
        return any(line.connect.channel == channel for line in self._socket.lines.values())

    async def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """One admin."""
        found: AdminInfo = await self._look(calls.get_admin(channel, side, id))
        return found

    async def proxies(self, channel: int) -> Sequence[ProxyInfo]:
        """All proxies of a channel."""
        found: Sequence[ProxyInfo] = await self._look(calls.get_proxies(channel))
        return found

    async def proxy(self, channel: int, id_or_name: int | str) -> ProxyInfo:
        """One proxy."""
        if isinstance(id_or_name, str):
            if not is_readable(id_or_name):
                raise ProxyNotFound(f"channel {channel} has no proxy named {id_or_name!r:.60}")
            found: ProxyInfo = await self._look(calls.get_proxy(channel, id_or_name))
            return found
        id = id_or_name
        now = self._memory.proxy_now
        return await self._safely(
            (channel, id), lambda: self._look(calls.get_proxy(channel, now(channel, id)))
        )

    async def filter(self, id: int) -> FilterInfo | MappingInfo:
        """One filter."""
        call = calls.get_filter(self._names.filter_now(id))
        found: FilterInfo | MappingInfo = await self._look(call)
        return found

    async def rules(self) -> Settings:
        """The settings of the service that decide what is allowed."""
        found: Settings = await self._look(calls.get_rules())
        return found

    async def filters(self, after: int, most: int) -> Sequence[FilterInfo | MappingInfo]:
        """Filters by rising ids, with those they have at the service."""
        found: Sequence[FilterInfo | MappingInfo] = await self._look(calls.get_filters(after, most))
        return found

    async def advertisement(self, channel: int) -> Advertisement:
        """What is offered and wanted in a channel, and by whom."""
        found: Advertisement = await self._look(calls.get_advertisement(channel))
        return self._names.advertisement(channel, found)

    async def highest_number(self, channel: int, producer: str) -> int | None:
        """The highest number a producer's accepted events had."""
        found: int | None = await self._look(calls.get_highest_number(channel, producer))
        return found

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Past events of a channel, as far as its journal has them."""
        asked = {"after": after, "since": since, "most": most, "filter": constraint_text}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        path = f"{BASE}/channels/{channel}/events?{query}"
        found: HistoryPage = await self._look(Call("GET", path, None, _page))
        return found

    async def dead_letters(
        self, channel: int | None, proxy: int | None, after: int, most: int
    ) -> Sequence[DeadLetterInfo]:
        """Dead letters in the order they came."""
        if channel is not None and proxy is not None:
            proxy = self._memory.proxy_now(channel, proxy)
        call = calls.get_dead_letters(channel, proxy, after, most)
        found: Sequence[DeadLetterInfo] = await self._look(call)
        return found

    async def redrive(self, id: int) -> None:
        """Delivers a dead letter again."""
        await self._look(calls.redrive(id))

    async def drop_dead_letter(self, id: int) -> None:
        """Forgets a dead letter."""
        await self._look(calls.drop_dead_letter(id))


def _page(plain: Any) -> _Page:  # noqa: ANN401 -- parsed JSON
    messages = [message_of(plain["origin"], one) for one in plain["events"]]
    lost = [(first, last) for first, last in plain.get("lost", ())]
    return _Page(messages, plain["next"], plain["end"], plain["last"], lost)
