"""Restoring lines after a restart of the service or a lost connection.

CORBA does not report ended proxies. So after each lost connection, all proxies with a line are
checked. Those that survived find their clients by themselves; the others are recreated and
connected.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

from tidings.channel.commands import Command
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Side
from tidings.client.transports.backoff import pauses
from tidings.client.transports.iiop.commands import Commands
from tidings.client.transports.iiop.lines import Line
from tidings.client.transports.iiop.objects import Objects
from tidings.client.transports.memory import Memory
from tidings.errors import ChannelNotFound, NotFound, Stopping, TidingsError, Unreachable
from tidings.events.reference import Reference

_log: Final = logging.getLogger(__name__)

Key: TypeAlias = tuple[int, int]
"""A channel and a proxy's id as the program knows it."""


class Held(NamedTuple):
    """A line and its object that the service calls."""

    line: Line
    reference: Reference
    object_key: bytes


class Recovery:
    """Reconnects lines, which are known by the program's ids."""

    def __init__(
        self,
        objects: Objects,
        commands: Commands,
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self.lines: dict[Key, Held] = {}
        self.memory = Memory()
        self._objects = objects
        self._commands = commands
        self._start = start
        # Number of lost connections, and of those already handled.
        self._losses = self._seen = 0
        self._task: asyncio.Task[None] | None = None

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command given in the program's ids."""
        answer = await self._commands.ask(self.memory.outward(command))
        return self.memory.note(command, answer)

    def lost(self) -> None:
        """Handle the loss of a connection to the service."""
        self._losses += 1
        if self.lines and (self._task is None or self._task.done()):
            self._task = self._start(self._see())

    def watch(self) -> Callable[[Key], Awaitable[bool]]:
        """Return a function that tells, once per restart, whether a missing proxy is back."""
        before = (self._losses, self._seen)

        async def restored(key: Key) -> bool:
            nonlocal before
            if (self._losses, self._seen) == before and self._losses == self._seen:
                return False
            while self._task is not None and not self._task.done():
                await asyncio.wait([self._task])
            before = (self._losses, self._seen)
            held = self.lines.get(key)
            return held is not None and held.line.error is None

        return restored

    async def _see(self) -> None:
        """Check all lines, until no connection was lost meanwhile."""
        with suppress(Stopping):
            for pause in pauses():
                now = self._losses
                try:
                    for key, held in list(self.lines.items()):
                        if held.line.error is None:
                            await self._see_to(key, held)
                except Unreachable as error:
                    _log.info("the service cannot be reached: %s", error)
                    await self._objects.patience.pause(pause)
                else:
                    self._seen = now
                if self._seen == self._losses:
                    return

    async def _see_to(self, key: Key, held: Held) -> None:
        channel = key[0]
        try:
            if await self._lasts(key):
                return
            if await self._objects.is_gone(await self._objects.channel(channel)):
                self._objects.forget_channel(channel)
                raise ChannelNotFound(f"channel {channel} is gone, and its proxies with it")
            await self._make_again(key, held)
        except (Unreachable, Stopping):
            raise
        except TidingsError as error:
            _log.info("proxy %d of channel %d cannot be made again: %s", key[1], channel, error)
            held.line.close(error)

    async def _lasts(self, key: Key) -> bool:
        try:
            proxy = await self._objects.proxy(key[0], self.memory.proxy_now(*key))
            return not await self._objects.is_gone(proxy.far)
        except NotFound:
            return False

    async def _make_again(self, key: Key, held: Held) -> None:
        channel, before = key[0], self.memory.proxy_now(*key)
        if not await self.memory.remake(key, self._commands.ask):
            return  # it was closed meanwhile
        self._commands.forget_proxy(channel, before)
        made = self.memory.proxies.get(key)
        if made is not None and made.command.side is Side.CONSUMER:  # CORBA has no history
            _log.warning("channel %d, proxy %d was gone: what waited for it was missed", *key)
        now = self.memory.proxy_now(*key)
        proxy = await self._objects.proxy(channel, now)
        if self.lines.get(key) is not held:
            await self._commands.ask(Disconnect(channel, now))
            return
        held.line.moved(proxy)
        await self._objects.call(proxy.far, proxy.kind.connect, held.reference)
        await self.memory.settle(key, self._commands.ask)
        await held.line.connected_again()
