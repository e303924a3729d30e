"""Connections to others: opened once per address, shared by all calls."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from tidings.orb.aio.hub import Hub
from tidings.orb.aio.link import Link
from tidings.orb.aio.options import Address
from tidings.orb.exceptions import BAD_INV_ORDER, NO_PERMISSION, NO_RESOURCES, OMG, TRANSIENT

if TYPE_CHECKING:
    from tidings.orb.codesets import CodeSets

__all__ = ["Pool"]


class Pool:
    """The connections an ORB calls through.

    Args:
        hub: The ORB.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._opened: dict[Address, list[Link]] = {}
        self._opening: dict[Address, asyncio.Task[Link]] = {}
        self._callbacks: dict[Address, Link] = {}
        self._closed = False

    @property
    def count(self) -> int:
        """How many connections were opened from here and still are."""
        return sum(map(len, self._opened.values())) + len(self._opening)

    def add_callback(self, address: Address, link: Link) -> None:
        """Objects at this address are called over a connection of their own making."""
        self._callbacks[address] = link

    def forget(self, link: Link) -> None:
        """A connection is gone."""
        for address in [a for a, kept in self._callbacks.items() if kept is link]:
            del self._callbacks[address]
        for address, links in list(self._opened.items()):
            if link in links:
                links.remove(link)
                if not links:
                    del self._opened[address]

    async def link(self, address: Address, codesets: CodeSets | None) -> Link:
        """A connection to an address, with these code sets if any are asked for.

        Raises:
            TRANSIENT: Nobody answers there.
            NO_PERMISSION: The ORB may not connect there.
            NO_RESOURCES: The ORB has too many connections, and all have work.
            BAD_INV_ORDER: The ORB is closed.
        """
        at_hand = self.at_hand(address, codesets)
        if at_hand is not None:
            return at_hand
        opening = self._opening.get(address)
        if opening is None:
            self._check(address)
            opening = asyncio.get_running_loop().create_task(self._open(address))
            # Whoever asked may have gone when it fails.
            opening.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._opening[address] = opening
        try:
            # Others may wait for the same connection: who gives up does not end it for them.
            link = await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled():
                raise _closed() from None
            raise
        if link.connection.fits(codesets):
            return link
        return await self.link(address, codesets)

    def at_hand(self, address: Address, codesets: CodeSets | None) -> Link | None:
        """A connection to an address that is open already; None if there is none."""
        back = self._callbacks.get(address)
        if back is not None and not back.closed:
            return back
        for link in self._opened.get(address, ()):
            if not link.closed and link.connection.fits(codesets):
                return link
        return None

    def _check(self, address: Address) -> None:
        options = self._hub.options
        if self._closed:
            raise _closed()
        if options.may_connect is not None and not options.may_connect(*address):
            raise NO_PERMISSION(why=f"this ORB may not connect to {address}")
        if self.count >= options.max_opened:
            self._make_room()

    def _make_room(self) -> None:
        """Closes the connection that has been idle for longest."""
        places = [link.place for links in self._opened.values() for link in links]
        idle = [(since, place) for place in places if (since := place.idle_since()) is not None]
        if not idle:
            raise NO_RESOURCES(
                why=f"{self.count} connections are open, all of them have work, and no more are "
                "allowed (max_opened)"
            )
        min(idle, key=lambda each: each[0])[1].give_way()

    async def _open(self, address: Address) -> Link:
        loop = asyncio.get_running_loop()
        seconds = self._hub.options.connect_seconds
        try:
            async with asyncio.timeout(seconds):
                _, link = await loop.create_connection(
                    lambda: Link(self._hub, opener=True), address.host, address.port
                )
        except TimeoutError as error:
            why = f"{address} does not answer within {seconds:g} s"
            raise TRANSIENT(OMG | 2, why=why) from error
        except (OSError, UnicodeError) as error:
            raise TRANSIENT(OMG | 2, why=f"{address}: {reason(error)}") from error
        finally:
            self._opening.pop(address, None)
        self._opened.setdefault(address, []).append(link)
        return link

    def close(self) -> None:
        """Opens nothing more, and gives up on connections that are not there yet."""
        self._closed = True
        for opening in self._opening.values():
            opening.cancel()


def _closed() -> BAD_INV_ORDER:
    return BAD_INV_ORDER(OMG | 4, why="the ORB is closed")


def reason(error: Exception) -> str:
    """Why a connection could not be made, in the words of the system."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    if isinstance(error, OSError) and error.strerror:  # a name that nobody knows
        return error.strerror
    return str(error) or type(error).__name__
