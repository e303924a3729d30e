"""What a client does beside connecting its lines again, once the service is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from tidings.api.calls import get_channel
from tidings.client.transports.http_calls import Caller
from tidings.client.transports.http_lines import Line
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names
from tidings.errors import ChannelNotFound, ProxyNotFound

__all__ = ["ServiceRecovery"]

# How many proxies are made again at a time: others want to be served, too.
_AT_ONCE: Final = 16


class ServiceRecovery:
    """Makes again what has ended with a service.

    Args:
        caller: Makes requests.
        memory: What was made.
        names: What it is called.
        origins: By channel, the origin it had: a service without a disk begins anew, and gives
            the same ids to other channels.
    """

    def __init__(
        self, caller: Caller, memory: Memory, names: Names, origins: dict[int, str]
    ) -> None:
        self._caller = caller
        self._memory = memory
        self._names = names
        self._origins = origins
        self._remaking = asyncio.Semaphore(_AT_ONCE)

    async def lost_channels(self, channels: set[int]) -> dict[int, ChannelNotFound]:
        """Those that are gone, or are others by now."""
        ids = sorted(channels)
        found = await asyncio.gather(*map(self._lost, ids))
        return {id: error for id, error in zip(ids, found, strict=True) if error is not None}

    async def _lost(self, channel: int) -> ChannelNotFound | None:
        try:
            info = await self._caller.call(get_channel(channel))
        except ChannelNotFound as error:
            return error
        if self._origins.get(channel, info.origin) != info.origin:
            self._origins[channel] = info.origin
            return ChannelNotFound(f"channel {channel} is gone: another one has its id")
        return None

    async def reconnect(self, line: Line, connect: Callable[[Line, bool], Awaitable[None]]) -> None:
        """Connects a line again, its proxy made again if the service has lost it.

        Args:
            line: The line.
            connect: Connects it, whether or not somebody is connected.
        """
        try:
            await connect(line, True)
        except ProxyNotFound:
            async with self._remaking:
                made = await self._memory.remake(line.key, self._caller.ask)
            self._names.refresh()
            if not made:
                raise
            await connect(line, False)
        await self._memory.settle(line.key, self._caller.ask)

    def is_own(self, line: Line) -> bool:
        """Whether nobody else knows of a line's proxy."""
        return line.key in self._memory.proxies

    def forget(self, line: Line) -> None:
        """A line's proxy has ended, or is another client's."""
        self._memory.forget(*line.key)

    def proxy_now(self, channel: int, proxy: int) -> int:
        """The id a proxy has at the service."""
        return self._memory.proxy_now(channel, proxy)
