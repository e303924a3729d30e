"""Restoring a client's objects when the service is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from tidings.channel.questions import SeeChannel
from tidings.channel.vocabulary import Form, Side
from tidings.client.past import wish_of_proxy
from tidings.client.transport import Transport
from tidings.client.transports.http.calls import Caller
from tidings.client.transports.http.lines import ConsumerLine, Line, Missed
from tidings.client.transports.memory import Memory
from tidings.errors import ChannelNotFound, ProxyNotFound, Stopping, TidingsError, Unreachable

# Proxies recreated concurrently; a limit, so that other requests are served, too.
_AT_ONCE: Final = 16


class ServiceRecovery:
    """Recreates objects that ended with the service.

    `origins` detects a service without a disk, which starts empty and reuses the ids of channels.
    `views` is the transport, to read missed events with.
    """

    def __init__(self, caller: Caller, memory: Memory, origins: dict[int, str]) -> None:
        self._caller = caller
        self._memory = memory
        self._origins = origins
        self._remaking = asyncio.Semaphore(_AT_ONCE)
        self._behind: set[ConsumerLine] = set()
        self._missed: list[str] = []
        self.views: Transport | None = None

    async def lost_channels(self, channels: set[int]) -> dict[int, ChannelNotFound]:
        """Return errors for channels that are gone, or whose ids now belong to others."""
        ids = sorted(channels)
        found = await asyncio.gather(*map(self._lost, ids))
        return {id: error for id, error in zip(ids, found, strict=True) if error is not None}

    async def _lost(self, channel: int) -> ChannelNotFound | None:
        try:
            info = await self._caller.ask(SeeChannel(channel))
        except ChannelNotFound as error:
            return error
        if self._origins.get(channel, info.origin) != info.origin:
            self._origins[channel] = info.origin
            return ChannelNotFound(f"channel {channel} is gone: another one has its id")
        return None

    async def reconnect(self, line: Line, connect: Callable[[Line, bool], Awaitable[None]]) -> None:
        """Reconnect a line; recreate its proxy if the service has lost it.

        `connect` takes the line and whether to take over an existing connection.
        """
        try:
            if isinstance(line, ConsumerLine) and line in self._behind:  # cut before it caught up
                line.hold()
            await connect(line, True)
        except ProxyNotFound:
            async with self._remaking:
                made = await self._memory.remake(line.key, self._caller.ask)
            if not made:
                raise
            if isinstance(line, ConsumerLine):
                self._behind.add(line)
                line.hold()
            else:
                self._note_puller(line)
            await connect(line, False)
        if isinstance(line, ConsumerLine) and line not in self._behind:
            line.kept()
        elif self.is_own(line) and not self._memory.proxies[line.key].suspended:
            await self.catch_up(line.key)
        await self._memory.settle(line.key, self._caller.ask)

    def _note_puller(self, line: Line) -> None:
        command = self._memory.proxies[line.key].command
        if command.side is Side.CONSUMER:
            self._missed.append(
                f"channel {command.channel}: what waited for a puller without a name was missed"
            )

    async def catch_up(self, key: tuple[int, int]) -> None:
        """Hand out missed events on a line whose proxy was recreated and is not suspended."""
        for line in [one for one in self._behind if one.key == key]:
            await self._catch_up(line)
            self._behind.discard(line)

    async def _catch_up(self, line: ConsumerLine) -> None:
        """Hand out missed events, and note those that are not available."""
        assert self.views is not None
        channel, proxy = line.key
        made = self._memory.proxies[line.key]
        try:
            wish = await wish_of_proxy(self.views, channel, proxy)
            missed = await line.gap.missed(self.views, channel, wish)
        except (Stopping, Unreachable):
            raise
        except TidingsError as error:
            missed = Missed((), f"events may have been missed: {error}")
        if missed.words:
            self._missed.append(f"channel {channel}: {missed.words}")
        line.catch_up(missed.messages, batch=made.command.form is Form.SEQUENCE)

    def missed(self) -> str:
        """Describe what subscriptions missed since the last call."""
        missed, self._missed = self._missed, []
        return "; ".join(missed)

    def is_own(self, line: Line) -> bool:
        """Tell whether a line's proxy is unnamed, so that no other client can use it."""
        return line.key in self._memory.proxies

    def forget(self, line: Line) -> None:
        """Remove a line whose proxy has ended or was taken over."""
        self._behind -= {line}
        self._memory.forget(*line.key)

    def proxy_now(self, channel: int, proxy: int) -> int:
        """Return a proxy's current id at the service."""
        return self._memory.proxy_now(channel, proxy)
