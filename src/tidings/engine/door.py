"""The door for programs in the same process: what a client's transport is handed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tidings.channel.commands import Command
from tidings.channel.management import Connect
from tidings.engine.access import OWNER, Principal
from tidings.engine.endpoints import (
    BufferEndpoint,
    Delivery,
    Endpoint,
    HandlerEndpoint,
    PullSupplierEndpoint,
    SupplierEndpoint,
)
from tidings.engine.host import Host
from tidings.engine.reach import TypesChanged
from tidings.engine.viewing import Viewing

__all__ = ["LocalDoor"]


class LocalDoor:
    """A host as one principal in this process may use it.

    Args:
        host: The host.
        principal: Who asks.
        owned: Whether closing the door stops the host.
    """

    def __init__(self, host: Host, principal: Principal = OWNER, *, owned: bool = False) -> None:
        self._host = host
        self._principal = principal
        self._owned = owned
        self.views = Viewing(host, principal)
        self.dead_letters = host.dead_letters

    def ask(self, command: Command) -> asyncio.Future[Any]:
        """Has a command carried out."""
        return self._host.ask(command, self._principal)

    async def connect(self, connect: Connect, endpoint: Endpoint | None) -> None:
        """Connects a client to a proxy."""
        await self._host.connect(connect, endpoint, self._principal)

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> Delivery:
        """Asks for events as a pull consumer."""
        return await self._host.pull(channel, proxy, most, wait, lease, self._principal)

    @staticmethod
    def buffer(on_offers: TypesChanged | None) -> BufferEndpoint:
        """A consumer that takes events when it likes."""
        return BufferEndpoint(on_offers)

    @staticmethod
    def handler(function: Callable[..., object]) -> HandlerEndpoint:
        """A consumer whose function is called with the events."""
        return HandlerEndpoint(function)

    @staticmethod
    def supplier(
        on_wanted: TypesChanged | None, source: Callable[[int], Any] | None
    ) -> SupplierEndpoint:
        """A supplier; one with a source is asked for events."""
        if source is None:
            return SupplierEndpoint(on_wanted)
        return PullSupplierEndpoint(source, on_wanted)

    async def close(self) -> None:
        """Stops the host if it is the client's own."""
        if self._owned:
            await self._host.close()
