"""All connections of an ORB: limits, listening, time-outs, and those that calls share."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from tidings.admission import ACCEPT_AT_ONCE, Admission, AdmissionLimits, is_loopback
from tidings.errors import Unreachable
from tidings.names import new_origin
from tidings.orb.aio.link import Link, LinkLost
from tidings.orb.aio.options import Address, Options, Point
from tidings.orb.aio.targets import plain_address
from tidings.orb.aio.tls import TlsFault, TlsStream
from tidings.orb.exceptions import (
    BAD_INV_ORDER,
    NO_PERMISSION,
    NO_RESOURCES,
    OMG,
    TRANSIENT,
    SystemException,
)

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.codesets import CodeSets
    from tidings.orb.poa import ObjectAdapter

_log: Final = logging.getLogger(__name__)

# Seconds for peers to read the last messages when the ORB closes.
_LAST_SECONDS: Final = 0.5
# Connections that the system keeps waiting until they are accepted.
_BACKLOG: Final = 1_024
_EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104, RUF100 - to be told apart, not to listen at


class Links:
    """The connections of an ORB, accepted and opened; `near` serves peers on this machine."""

    def __init__(
        self, options: Options, adapter: ObjectAdapter, near: ObjectAdapter | None = None
    ) -> None:
        self.options = options
        self.on_loss: Callable[[], None] | None = None
        """Told that a connection which was opened from here is gone."""
        self._adapter = adapter
        self._near = near or adapter
        self.closing = False
        self._closed = False
        self.pool = Pool(self)
        self.listening: list[Address] = []
        self.secured: Address | None = None
        """Where connections with TLS are accepted."""
        self._all: set[Link] = set()
        self._sockets: set[Link] = set()
        self._empty = asyncio.Event()
        self.admission = Admission(
            AdmissionLimits(
                options.max_connections,
                options.max_connections_per_host,
                options.max_unauthenticated,
                options.limit_loopback,
            )
        )
        self._servers: list[asyncio.Server] = []
        self._unlistening: asyncio.Task[None] | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._nowhere: Address | None = None

    @property
    def count(self) -> int:
        """How many connections are open, accepted and our own."""
        return len(self._all)

    # ------------------------------------------------------------ where the ORB is

    async def listen(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> Address:
        """Accept connections at an address, with TLS or without; port 0 takes a free one."""
        loop = asyncio.get_running_loop()

        def accepted() -> Link:
            return Link(self, opener=False, tls=None if tls is None else TlsStream(tls))

        try:
            server = await loop.create_server(accepted, host, port, backlog=ACCEPT_AT_ONCE)
        except OSError as error:
            raise Unreachable(f"cannot listen at {Address(host, port)}: {reason(error)}") from error
        self._servers.append(server)
        _let_wait(server)
        name = server.sockets[0].getsockname()
        address = Address(str(name[0]), int(name[1]))
        if tls is None:
            self.listening.append(address)
        else:
            self.secured = address
        self._sweep()
        return address

    def points(self) -> tuple[Address, ...]:
        """The addresses in references; empty if none is known.

        Port 0 says that the host is called with TLS only.
        """
        options = self.options
        found = [_reachable(address) for address in self.listening]
        if options.advertise is not None:
            host, port = options.advertise
            found = [Address(host, port or (found[0].port if found else 0))]
        elif not found and self.secured is not None:
            found = [Address(_reachable(self.secured).host, 0)]
        elif not found and options.offer_bidirectional:
            # Nobody can connect here; the name only tells our objects from others'.
            self._nowhere = self._nowhere or Address(f"{new_origin()}.invalid", 1)
            found = [self._nowhere]
        return (*found, *options.alternates)

    @property
    def tls_port(self) -> int:
        """The port in references for TLS; 0 for none."""
        return 0 if self.secured is None else self.options.advertise_tls_port or self.secured.port

    def own(self) -> tuple[Address, ...]:
        """All addresses that lead here, with TLS or without."""
        points = self.points()
        secured = [Address(points[0].host, self.tls_port)] if self.tls_port else []
        return (*(point for point in points if point.port), *secured)

    def adapter_for(self, peer: Address) -> ObjectAdapter:
        """The object adapter for requests from a peer."""
        return self._near if is_loopback(peer.host) else self._adapter

    # ------------------------------------------------------------ connections come and go

    def link_opened(self, link: Link) -> bool:
        """Admit a connection; False if there are too many."""
        self._sockets.add(link)
        if not link.opener and (self.closing or not self.admission.admit(link.place)):
            return False
        self._all.add(link)
        self._sweep()
        return True

    def link_lost(self, link: Link) -> None:
        """A connection has ended."""
        if link in self._all:
            self._all.discard(link)
            self.pool.forget(link)
            if link.opener and self.on_loss is not None and not self.closing:
                self.on_loss()

    def cut(self, fingerprint: str, why: str) -> None:
        """End the accepted connections whose peer has shown a certificate."""
        for link in list(self._all):
            if link.fingerprint == fingerprint and not link.opener:
                link.cut(why)

    def link_gone(self, link: Link) -> None:
        """The socket of a connection is closed."""
        self._sockets.discard(link)
        if not self._sockets:
            self._empty.set()
        self.admission.leave(link.place)  # it counts as long as it costs a socket

    def _sweep(self) -> None:
        if self._sweeping is None:
            self._sweeping = asyncio.get_running_loop().create_task(self._sweep_always())

    async def _sweep_always(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.options.sweep_seconds)
            now = loop.time()
            for link in list(self._all):
                link.sweep(now)

    def take_no_more(self) -> None:
        """Accept no connections, and answer requests with TRANSIENT."""
        self.closing = True
        servers, self._servers = self._servers, []
        if servers:
            loop = asyncio.get_running_loop()
            for server in servers:
                for listening in server.sockets:
                    loop.remove_reader(listening.fileno())
            self._unlistening = loop.create_task(_close_servers(servers))

    async def close(self) -> None:
        """End everything in good order: requests in progress may finish for a while."""
        if self._closed:
            return
        self._closed = True
        self.take_no_more()
        if self._unlistening is not None:
            await self._unlistening
        self.pool.close()
        try:
            async with asyncio.timeout(self.options.close_seconds):
                await asyncio.gather(*(link.drained() for link in self._all))
        except TimeoutError:
            _log.warning("requests in progress did not end in time; they are given up")
        for link in list(self._all):
            link.close()
        for link in list(self._sockets - self._all):
            link.abort()
        if self._sweeping is not None:
            self._sweeping.cancel()
        await self._hang_up()

    async def _hang_up(self) -> None:
        """Wait until the last messages are sent, but not for peers that do not read them."""
        if not self._sockets:
            return
        self._empty.clear()
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                await self._empty.wait()
        except TimeoutError:
            for link in list(self._sockets):
                link.abort()
            await self._empty.wait()


def _reachable(address: Address) -> Address:
    """The address others connect to: an ORB that listens everywhere is found by the host's name."""
    return Address(socket.gethostname(), address.port) if address.host in _EVERYWHERE else address


def _let_wait(server: asyncio.Server) -> None:
    """Let the system queue more connections than are accepted at once."""
    for listening in server.sockets:
        with socket.socket(fileno=os.dup(listening.fileno())) as same:
            same.listen(_BACKLOG)


async def _close_servers(servers: list[asyncio.Server]) -> None:
    """Close listening sockets once everything they accepted is with us.

    When a server is closed, asyncio loses a connection that it has accepted and not handed over
    yet, and leaves its socket open.
    """
    for _ in range(3):  # a task for it, its transport, and then it is told to us
        await asyncio.sleep(0)
    for server in servers:
        server.close()


# ---------------------------------------------------------------- connections to others


class Pool:
    """The connections an ORB calls through: opened once per address, shared by all calls."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._opened: dict[Point, list[Link]] = {}
        self._opening: dict[Point, asyncio.Task[Link]] = {}
        self._callbacks: dict[Point, Link] = {}
        self._closed = False
        self._system_tls: ssl.SSLContext | None = None

    @property
    def count(self) -> int:
        """How many connections opened from here are open or being opened."""
        return sum(map(len, self._opened.values())) + len(self._opening)

    def add_callback(self, point: Point, link: Link) -> None:
        """Call objects at this address over a connection that their side opened."""
        self._callbacks[point] = link

    def forget(self, link: Link) -> None:
        """Remove a connection."""
        for point in [each for each, kept in self._callbacks.items() if kept is link]:
            del self._callbacks[point]
        for point, links in list(self._opened.items()):
            if link in links:
                links.remove(link)
                if not links:
                    del self._opened[point]

    async def link(self, point: Point, codesets: CodeSets | None) -> Link:
        """A connection to an address, with these code sets if any are asked for."""
        existing = self.existing(point, codesets)
        if existing is not None:
            return existing
        opening = self._opening.get(point)
        if opening is None:
            self._make_room()
            opening = asyncio.get_running_loop().create_task(self._open(point))
            # Whoever asked may have gone when it fails.
            opening.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._opening[point] = opening
        try:
            # Others may wait for the same connection: who gives up does not end it for them.
            link = await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled():
                raise _closed() from None
            raise
        if link.connection.fits(codesets):
            return link
        return await self.link(point, codesets)

    def existing(self, point: Point, codesets: CodeSets | None) -> Link | None:
        """A connection to an address that is already open, or None."""
        back = self._callbacks.get(point)
        if back is not None and not back.closed:
            return back
        for link in self._opened.get(point, ()):
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

    async def _open(self, point: Point) -> Link:
        seconds, address = self._links.options.connect_seconds, point.address
        try:
            async with asyncio.timeout(seconds):
                context = await self._client_tls() if point.tls else None
                link = await self._connected(address, context)
                await link.handshake()
        except TimeoutError as error:
            why = f"{address} does not answer within {seconds:g} s"
            raise TRANSIENT(OMG | 2, why=why) from error
        except TlsFault as error:
            raise NO_PERMISSION(why=f"{address}: TLS: {error}") from error
        except LinkLost as error:
            raise TRANSIENT(OMG | 2, why=f"{address}: TLS: {error}") from error
        except (OSError, ValueError) as error:
            raise TRANSIENT(OMG | 2, why=f"{address}: {reason(error)}") from error
        finally:
            self._opening.pop(point, None)
        self._opened.setdefault(point, []).append(link)
        return link

    async def _client_tls(self) -> ssl.SSLContext:
        context = self._links.options.client_tls or self._system_tls
        if context is None:  # reading all authorities takes a while
            context = self._system_tls = await asyncio.to_thread(ssl.create_default_context)
        return context

    async def _connected(self, address: Address, tls: ssl.SSLContext | None) -> Link:
        """Connect to the first allowed address that answers; a name is looked up once."""
        loop = asyncio.get_running_loop()
        targets = self._links.options.targets
        if address in self._links.own():
            targets = None  # where the operator says that this ORB is itself
        found = await _resolved(address)
        allowed = [one for one in found if targets is None or targets.allows(one, address.port)]
        if targets is not None and not allowed:
            raise targets.refusal(address, found[0])
        for one in allowed:
            stream = None if tls is None else TlsStream(tls, address.host)
            made = partial(Link, self._links, opener=True, tls=stream)
            try:
                _, link = await loop.create_connection(made, one, address.port)
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
        for point in points_of(reference, options):
            address = point.address
            if point in self._callbacks or address in self._links.own():
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


def points_of(reference: Reference, options: Options) -> list[Point]:
    """The addresses of an object; empty if its reference cannot be used."""
    try:
        found = options.destinations(reference)
    except SystemException:
        return []
    return [Point(*address, each.tls) for each in found for address in each.addresses]


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
