"""Connections to others: opened once per address, shared by all calls."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from typing import TYPE_CHECKING

from tidings.orb.aio.link import Link
from tidings.orb.aio.options import Address
from tidings.orb.aio.targets import plain_address
from tidings.orb.calls import destinations
from tidings.orb.exceptions import (
    BAD_INV_ORDER,
    NO_RESOURCES,
    OMG,
    TRANSIENT,
    SystemException,
)

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.aio.links import Links
    from tidings.orb.codesets import CodeSets


class Pool:
    """The connections an ORB calls through."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._opened: dict[Address, list[Link]] = {}
        self._opening: dict[Address, asyncio.Task[Link]] = {}
        self._callbacks: dict[Address, Link] = {}
        self._closed = False

    @property
    def count(self) -> int:
        """How many connections opened from here are open or being opened."""
        return sum(map(len, self._opened.values())) + len(self._opening)

    def add_callback(self, address: Address, link: Link) -> None:
        """Call objects at this address over a connection that their side opened."""
        self._callbacks[address] = link

    def forget(self, link: Link) -> None:
        """Remove a connection."""
        for address in [a for a, kept in self._callbacks.items() if kept is link]:
            del self._callbacks[address]
        for address, links in list(self._opened.items()):
            if link in links:
                links.remove(link)
                if not links:
                    del self._opened[address]

    async def link(self, address: Address, codesets: CodeSets | None) -> Link:
        """A connection to an address, with these code sets if any are asked for."""
        existing = self.existing(address, codesets)
        if existing is not None:
            return existing
        opening = self._opening.get(address)
        if opening is None:
            self._make_room()
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

    def existing(self, address: Address, codesets: CodeSets | None) -> Link | None:
        """A connection to an address that is already open, or None."""
        back = self._callbacks.get(address)
        if back is not None and not back.closed:
            return back
        for link in self._opened.get(address, ()):
            if not link.closed and link.connection.fits(codesets):
                return link
        return None

    def _make_room(self) -> None:
        """Close the connection that has been idle for longest, if there are as many as allowed."""
        if self._closed:
            raise _closed()
        if self.count < self._links.options.max_opened:
            return
        places = [link.place for links in self._opened.values() for link in links]
        idle = [(since, place) for place in places if (since := place.idle_since()) is not None]
        if not idle:
            raise NO_RESOURCES(
                why=f"{self.count} connections are open, all of them have work, and no more are "
                "allowed (max_opened)"
            )
        min(idle, key=lambda each: each[0])[1].give_way()

    async def _open(self, address: Address) -> Link:
        seconds = self._links.options.connect_seconds
        try:
            async with asyncio.timeout(seconds):
                link = await self._connected(address)
        except TimeoutError as error:
            why = f"{address} does not answer within {seconds:g} s"
            raise TRANSIENT(OMG | 2, why=why) from error
        except (OSError, UnicodeError) as error:
            raise TRANSIENT(OMG | 2, why=f"{address}: {reason(error)}") from error
        finally:
            self._opening.pop(address, None)
        self._opened.setdefault(address, []).append(link)
        return link

    async def _connected(self, address: Address) -> Link:
        """Connect to the first allowed address that answers; a name is looked up once."""
        loop = asyncio.get_running_loop()
        targets = self._links.options.targets
        if address in self._links.points():
            targets = None  # where the operator says that this ORB is itself
        found = await _resolved(address)
        allowed = [one for one in found if targets is None or targets.allows(one, address.port)]
        if targets is not None and not allowed:
            raise targets.refusal(address, found[0])
        for one in allowed:
            try:
                _, link = await loop.create_connection(
                    lambda: Link(self._links, opener=True), one, address.port
                )
            except OSError:
                if one is allowed[-1]:
                    raise
            else:
                return link
        raise OSError(errno.EHOSTUNREACH, "")

    async def admit(self, reference: Reference, given_by: str) -> None:
        """Check that the ORB may connect to a reference, before it is used.

        Existing connections, such as one that the client itself opened and offered, need no
        permission. An address that cannot be resolved now is checked when the ORB connects.
        """
        options = self._links.options
        if options.targets is None:
            return
        refused: list[tuple[Address, str]] = []
        admitted = False
        for address in addresses_of(reference, options.minor):
            if address in self._callbacks or address in self._links.points():
                admitted = True
                continue
            try:
                async with asyncio.timeout(options.connect_seconds):
                    found = await _resolved(address)
            except (TimeoutError, OSError, UnicodeError):
                admitted = True
                continue
            answers = [options.targets.allows(one, address.port, given_by) for one in found]
            admitted = admitted or any(answers)
            refused.append((address, found[0]))
        if refused and not admitted:
            raise options.targets.refusal(*refused[0], given_by)

    def close(self) -> None:
        """Open nothing more, and cancel connections that are being opened."""
        self._closed = True
        for opening in self._opening.values():
            opening.cancel()


def addresses_of(reference: Reference, minor: int) -> list[Address]:
    """The addresses of an object; empty if its reference cannot be used."""
    try:
        found = destinations(reference, minor)
    except SystemException:
        return []
    return [Address(*address) for destination in found for address in destination.addresses]


async def _resolved(address: Address) -> list[str]:
    """The plain addresses of a host."""
    plain = plain_address(address.host)
    if plain:
        return [plain]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    return [plain_address(str(each[4][0])) for each in found]


def _closed() -> BAD_INV_ORDER:
    return BAD_INV_ORDER(OMG | 4, why="the ORB is closed")


def reason(error: Exception) -> str:
    """Why a connection failed, in the system's words."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    if isinstance(error, OSError) and error.strerror:  # a name that nobody knows
        return error.strerror
    return str(error) or type(error).__name__
