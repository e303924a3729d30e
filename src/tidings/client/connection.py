"""Connections to proxies."""

from __future__ import annotations

from contextlib import suppress
from typing import Self

from tidings.channel.management import Connect, Purge, Resume, Suspend
from tidings.channel.questions import SeeProxy
from tidings.channel.views import ProxyInfo
from tidings.client.transport import Transport
from tidings.errors import NotFound, Stopping


class Connection:
    """A proxy that this client is connected to; ``async with`` closes it at the end.

    Attributes:
        channel: Id of the channel.
        proxy: Id of the proxy.
    """

    def __init__(
        self, transport: Transport, connect: Connect, line: object, *, named: bool = False
    ) -> None:
        self._transport = transport
        self.channel = connect.channel
        self.proxy = connect.proxy
        self._line = line
        self._named = named
        self._closed = False

    async def info(self) -> ProxyInfo:
        """Return the proxy's current state."""
        return await self._transport.request(SeeProxy(self.channel, self.proxy))

    async def purge(self) -> int:
        """Drop the backlog at the service and return its size."""
        found: int = await self._transport.ask(Purge(self.channel, self.proxy))
        return found

    async def delete(self) -> None:
        """Delete the proxy at the service, named or not, with its backlog."""
        self._closed = True
        with suppress(NotFound):  # it has ended already, perhaps with its channel
            await self._transport.release(self.channel, self.proxy, self._line, end=True)

    async def close(self) -> None:
        """Disconnect; a named proxy stays at the service and can be resumed, others end."""
        if self._closed:
            return
        self._closed = True
        with suppress(NotFound, Stopping):  # it has ended already
            end = not self._named
            await self._transport.release(self.channel, self.proxy, self._line, end=end)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


class PushConnection(Connection):
    """A connection on which the service acts: it delivers events, or pulls them from a source."""

    async def suspend(self) -> None:
        """Pause: the backlog waits at the service, or the source is not called.

        Raises:
            ConnectionAlreadyInactive: The connection is already suspended.
        """
        await self._transport.ask(Suspend(self.channel, self.proxy))

    async def resume(self) -> None:
        """Continue after `suspend`.

        Raises:
            ConnectionAlreadyActive: The connection was not suspended.
        """
        await self._transport.ask(Resume(self.channel, self.proxy))
