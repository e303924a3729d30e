"""What a client holds of the service: a proxy, and the line to it."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import Self

from tidings.channel.management import Purge, Resume, Suspend
from tidings.channel.questions import SeeProxy
from tidings.channel.views import ProxyInfo
from tidings.client.transport import Transport
from tidings.errors import NotFound, Stopping


class Connection:
    """A proxy that this client is connected to.

    Used with ``async with``, it is closed at the end.

    Attributes:
        channel: Id of the channel.
        proxy: Id of the proxy there.
    """

    def __init__(
        self, transport: Transport, channel: int, proxy: int, line: object, *, named: bool = False
    ) -> None:
        self._transport = transport
        self.channel = channel
        self.proxy = proxy
        self._line = line
        self._named = named
        self._closed = False

    async def info(self) -> ProxyInfo:
        """The proxy as the service sees it."""
        return await self._transport.request(SeeProxy(self.channel, self.proxy))

    async def purge(self) -> int:
        """Drops all events that wait for it at the service; how many."""
        found: int = await self._transport.ask(Purge(self.channel, self.proxy))
        return found

    async def delete(self) -> None:
        """Ends it at the service, with a name or without; what waits for it is dropped."""
        self._closed = True
        with suppress(NotFound):  # it has ended already, perhaps with its channel
            await self._transport.release(self.channel, self.proxy, self._line, end=True)

    async def close(self) -> None:
        """Lets go: one with a name stays at the service and can be resumed, others end."""
        if self._closed:
            return
        self._closed = True
        with suppress(NotFound, Stopping):  # there is nothing left to let go of
            end = not self._named
            await self._transport.release(self.channel, self.proxy, self._line, end=end)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class PushConnection(Connection):
    """A connection the service keeps going by itself: it delivers events, or asks for them."""

    async def suspend(self) -> None:
        """Asks for a pause: events wait at the service, or are not asked for.

        Raises:
            ConnectionAlreadyInactive: It has one already.
        """
        await self._transport.ask(Suspend(self.channel, self.proxy))

    async def resume(self) -> None:
        """Goes on after `suspend`.

        Raises:
            ConnectionAlreadyActive: It was not suspended.
        """
        await self._transport.ask(Resume(self.channel, self.proxy))
