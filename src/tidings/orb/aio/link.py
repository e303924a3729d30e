"""One TCP connection: octets in and out, calls that wait for answers, requests in progress."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tidings.admission import Place
from tidings.orb import connection as sans_io
from tidings.orb import giop
from tidings.orb.aio.options import Address, Bidirectional, Point
from tidings.orb.aio.serving import Serving
from tidings.orb.aio.targets import caller
from tidings.orb.aio.tls import TlsFault, TlsStream, certificate
from tidings.orb.connection import MOST_POINTS, Connection

if TYPE_CHECKING:
    from tidings.orb.aio.links import Links
    from tidings.orb.aio.repeated import RepeatedCall
    from tidings.orb.calls import Destination
    from tidings.orb.stubs import Operation


_log: Final = logging.getLogger(__name__)

# Seconds without a word after which a call that is given up makes its connection suspect.
SUSPECT_SECONDS: Final = 1.0

# Seconds in which no request has ended, of as many as there may be, until further ones are refused.
CROWDED_SECONDS: Final = 5.0

# Seconds in which one connection is dealt with before others are, and how often that is looked at.
_TURN_SECONDS: Final = 0.0015
_STEPS: Final = 8

# Seconds for a peer to read our last message and hang up.
_LINGER: Final = 1.0


class LinkLost(Exception):
    """The connection ended before the answer.

    `unseen` if the peer did nothing about the call, `refused` if its TLS does not let us in.
    """

    def __init__(self, why: str, *, unseen: bool, refused: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.unseen = unseen
        self.refused = refused


class Link(asyncio.Protocol):
    """One connection of an ORB; `opener` if it was opened from here."""

    def __init__(self, links: Links, *, opener: bool, tls: TlsStream | None = None) -> None:
        self.closed = False
        self._tls = tls
        self._tls_fault: TlsFault | None = None
        self._secured: asyncio.Future[None] | None = None  # somebody waits for the handshake
        self._options = options = links.options
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, asyncio.Future[sans_io.Answer] | RepeatedCall] = {}
        self._places = asyncio.Semaphore(options.max_calls)
        self._writable = asyncio.Event()
        self._writable.set()
        self._flushing = False  # what is ready is about to be sent
        self._suspect = False  # the peer may be gone without a word
        self._last_sent = self._loop.time()
        self.connection = Connection(
            opener=opener,
            little=options.little,
            limits=options.limits,
            accept_points=tls is not None
            or options.accept_bidirectional is not Bidirectional.NEVER,
        )
        self.opener = opener
        self.peer = Address("", 0)
        self.place = Place("", self._give_way, self._idle_since)
        self._authenticated = False
        self._links = links
        self._reading = True
        self._overcrowded = False
        self._paused_at = 0.0
        self._last_received = self._last_sent
        self._message_since: float | None = None  # when the message began that is not whole yet
        self._oldest: tuple[object | None, float] = (None, 0.0)  # waits for fragments, since when
        self._stuck: tuple[float, int] | None = None
        self._unread: Iterator[list[sans_io.Incoming]] | None = None  # what came and waits
        self._lingering: asyncio.TimerHandle | None = None
        self._points: set[Address] = set()  # whose objects are called over this connection
        self._set_peer(self.peer)

    # ------------------------------------------------------------ what asyncio tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        _keep_alive(transport)
        name = transport.get_extra_info("peername") or ("", 0)
        # A socket for both families shows addresses of the old one inside the new.
        self.peer = Address(str(name[0]).removeprefix("::ffff:"), int(name[1]))
        self.place.address = self.peer.host
        self._set_peer(self.peer)
        if not self._links.link_opened(self):
            self._give_way()
            return
        if self.opener and self._options.offer_bidirectional:
            self.connection.offer(self._links.own())
        if self.opener and self._tls is not None:
            self._unprotected(self._tls, b"")

    def _set_peer(self, peer: Address) -> None:
        """Choose the object adapter: what a peer may find depends on its address."""
        self._adapter = self._links.adapter_for(peer)
        self._serving = Serving(self._adapter, self._reply, self._options.on_request)

    def data_received(self, data: bytes) -> None:
        """Octets came."""
        if self._tls is not None and not self.closed:
            data = self._unprotected(self._tls, data)
        if self.closed or not data:
            return
        self._last_received = self._loop.time()
        steps = self.connection.receive_steps(data)
        if self._unread is None:  # else they are behind what waits
            self._receive(steps, self._last_received)

    def _unprotected(self, tls: TlsStream, data: bytes) -> bytes:
        """What octets of the wire say; the handshake goes on with them."""
        try:
            data = tls.receive(data)
        except TlsFault as fault:
            self._tls_fault, data = fault, b""
        self._write(tls.data_to_send())
        if self._tls_fault is not None:
            if not self.opener:
                _log.warning("%s: TLS: %s; the connection is closed", self.peer, self._tls_fault)
            self._end(f"TLS: {self._tls_fault}", unseen=False)
        elif tls.secured:
            self._flush()
            if self._secured is not None and not self._secured.done():
                self._secured.set_result(None)
        return data

    async def handshake(self) -> None:
        """Wait until calls can be sent; raise TlsFault or LinkLost if none can."""
        if self._tls is None or self._tls.secured:
            return
        self._secured = self._loop.create_future()
        try:
            if not self.closed:
                await self._secured
        except asyncio.CancelledError:
            self.abort()
            raise
        if self._tls_fault is not None:
            raise self._tls_fault
        if self.closed:
            raise LinkLost("the peer closed the connection during the handshake", unseen=True)

    @property
    def fingerprint(self) -> str:
        """That of the peer's certificate; empty if it has shown none."""
        return "" if self._tls is None else self._tls.fingerprint

    def _receive(self, steps: Iterator[list[sans_io.Incoming]], now: float | None = None) -> None:
        """Handle what came; after a turn, other connections go first."""
        self._unread = None
        if self.closed:
            return
        now = now or self._loop.time()
        caller.set(self.peer.host)
        certificate.set(self.fingerprint)
        received = self.connection.received
        self._flushing = True  # at the end of this
        for at, step in enumerate(steps, 1):
            for incoming in step:
                self._take(incoming)
            if not at % _STEPS and self._loop.time() - now > _TURN_SECONDS:
                self._unread = steps
                self._loop.call_soon(self._receive, steps)
                break
        if not self.connection.framer.in_message:
            self._message_since = None
        elif self._message_since is None or self.connection.received != received:
            self._message_since = now
        self._flush_and_gate()

    def eof_received(self) -> bool:
        """The peer sends nothing more: it is gone."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone, for whatever reason."""
        self._end(str(exc) if exc else "the peer closed the connection", unseen=False)
        if self._lingering is not None:
            self._lingering.cancel()
        self._links.link_gone(self)

    def pause_writing(self) -> None:
        """The peer reads more slowly than we write."""
        self._writable.clear()
        self._stuck = (self._loop.time(), self._unsent)
        self._gate()

    def resume_writing(self) -> None:
        """The peer has read most of its backlog."""
        self._stuck = None
        self._writable.set()
        self._gate()

    # ------------------------------------------------------------ what comes in

    def _take(self, incoming: sans_io.Incoming) -> None:
        match incoming:
            case sans_io.Call():
                if self._links.closing:
                    self._serving.turn_away(incoming, "the ORB is closing")
                elif len(self._serving.running) >= self._options.max_requests and (
                    self._waiting or self._overcrowded
                ):
                    # Reading must go on, or both sides might wait for each other.
                    self._serving.turn_away(incoming, "too many requests are in progress")
                else:
                    self._serving.start(incoming)
                    if not self._authenticated and self._serving.found:
                        self._authenticated = True
                        self._links.admission.authenticate(self.place)
            case sans_io.Answer():
                waiting = self._waiting.pop(incoming.reply.request_id, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(incoming)
            case sans_io.Locate():
                self.connection.send(self._adapter.locate(incoming))
            case sans_io.Refusal(call, error):
                self.connection.reply(call.request.request_id, self._adapter.refuse(call, error))
            case sans_io.Cancel():
                self._serving.cancel(incoming.request_id)
            case sans_io.ListenPoints():
                self._accept_points(incoming.points)
            case sans_io.End():
                self._ended(incoming)

    def _accept_points(self, points: tuple[tuple[str, int], ...]) -> None:
        believed = tuple(point for each in points if self._believes(point := Address(*each)))
        for point in believed:
            if len(self._points) < MOST_POINTS:
                self._points.add(point)
        believed = tuple(point for point in believed if point in self._points)
        if believed:
            self.connection.allow_calls()
            for point in believed:
                self._links.pool.add_callback(Point(*point), self)
                if self._tls is not None:
                    self._links.pool.add_callback(Point(*point, tls=True), self)

    def _believes(self, point: Address) -> bool:
        """Whether the peer may say that it is at an address.

        With TLS a client need not listen: its address is then a random name under .invalid, which
        leads nobody anywhere (RFC 2606), so that no calls of others can be meant.
        """
        if self._tls is not None and point.host.endswith(".invalid"):
            return True
        accepted = self._options.accept_bidirectional
        here = accepted is Bidirectional.SAME_HOST and point.host == self.peer.host
        return here or accepted is Bidirectional.ALWAYS

    def _ended(self, end: sans_io.End) -> None:
        if end.fault:
            _log.warning("%s: %s; the connection is closed", self.peer, end.why)
        self._flush()
        self._end(end.why, unseen=end.unseen)

    def _reply(self, request_id: int, octets: bytes | None) -> None:
        self.connection.reply(request_id, octets)
        if self._serving.running:
            self._flush_soon()
        elif not self._flushing:
            self._flush_and_gate()

    def _flush_and_gate(self) -> None:
        self._flushing = False
        self._flush()
        self._gate()

    def _suspect_silent_peer(self, sent: float) -> None:
        """Take no more calls if the peer has been silent since this one was sent.

        It may be gone without a word, as after a power cut, and TCP would take minutes to notice.
        A connection that the peer has opened is kept: there may be no other way to call it.
        """
        if not self.opener:
            return
        if self._last_received < sent and self._loop.time() - sent >= SUSPECT_SECONDS:
            self._suspect = True
            self._links.pool.forget(self)

    def _gate(self) -> None:
        """Read on, or stop reading while the peer has enough requests in progress."""
        crowded = len(self._serving.running) >= self._options.max_requests
        if not crowded:
            self._overcrowded = False
        has_room = not crowded or bool(self._waiting) or self._overcrowded
        wanted = has_room and self._unread is None and self._writable.is_set()
        if wanted is self._reading:
            return
        if self.closed or self._transport is None or self._transport.is_closing():
            return
        if wanted:
            self._transport.resume_reading()
            # The time in which nothing was read is not the peer's.
            now = self._loop.time()
            self._message_since = None if self._message_since is None else now
            self._oldest = (self._oldest[0], now)
        else:
            self._transport.pause_reading()
            self._paused_at = self._loop.time()
        self._reading = wanted

    # ------------------------------------------------------------ calls

    async def call(
        self,
        destination: Destination,
        target: giop.Target,
        operation: Operation,
        write_body: giop.WriteBody,
    ) -> sans_io.Answer | None:
        """Send a request and wait for the answer; None for a oneway operation."""
        async with self._places:
            await self._room()
            request_id = self.connection.call(
                target,
                operation.name,
                write_body,
                minor=destination.minor,
                response_flags=0 if operation.oneway else giop.ORDINARY,
                codesets=destination.codesets,
                contexts=operation.contexts,
            )
            if operation.oneway:
                self._flush()
                return None
            return await self._answer(request_id)

    async def locate(self, destination: Destination) -> sans_io.Answer:
        """Ask whether the object is there."""
        async with self._places:
            await self._room()
            request_id = self.connection.locate(destination.key, minor=destination.minor)
            return await self._answer(request_id)

    async def _room(self) -> None:
        while not self._writable.is_set() and not self.closed:
            await self._writable.wait()
        if self.closed:
            raise self._lost("the connection was closed before the call was sent", unseen=True)

    async def _answer(self, request_id: int) -> sans_io.Answer:
        waiting: asyncio.Future[sans_io.Answer] = self._loop.create_future()
        sent = self._loop.time()
        self._wait(request_id, waiting)
        try:
            return await waiting
        finally:
            # Still there only if the caller gave up.
            self.give_up_on(request_id, sent)

    def takes(self, template: giop.RequestTemplate) -> bool:
        """Whether a request from this template can be sent at once."""
        if self.closed or self._suspect or not self._writable.is_set():
            return False
        has_room = len(self._waiting) < self._options.max_calls
        return has_room and self.connection.fits_template(template)

    def begin(self, template: giop.RequestTemplate, body: bytes, waiting: RepeatedCall) -> int:
        """Send a request and return its id, by which it can be cancelled."""
        request_id = self.connection.call_again(template, body)
        self._wait(request_id, waiting)
        return request_id

    def _wait(
        self, request_id: int, waiting: asyncio.Future[sans_io.Answer] | RepeatedCall
    ) -> None:
        """Send a call and wait for its answer."""
        alone = not self._waiting and not self._flushing
        self._waiting[request_id] = waiting
        if alone:
            self._flush()
        else:  # others are likely to call at the same moment
            self._flush_soon()

    def give_up_on(self, request_id: int, sent: float) -> None:
        """Stop waiting for an answer, and tell the peer; `sent` is when the request left."""
        if self._waiting.pop(request_id, None) is not None and not self.closed:
            self.connection.cancel(request_id)
            self._flush()
            self._suspect_silent_peer(sent)

    # ------------------------------------------------------------ octets

    def _flush_soon(self) -> None:
        """Send what is ready at the same moment together: each write costs a system call."""
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush_and_gate)

    def _flush(self) -> None:
        if self._tls is not None and (self.closed or not self._tls.secured):
            return
        transport = self._transport
        if not self.connection.out or transport is None or transport.is_closing():
            return
        octets = self.connection.data_to_send()
        self._last_sent = self._loop.time()
        if self._tls is not None:
            self._tls.send(octets)
            octets = self._tls.data_to_send()
        self._write(octets)

    def _write(self, octets: bytes) -> None:
        transport = self._transport
        if not octets or transport is None or transport.is_closing():
            return
        transport.write(octets)
        if transport.get_write_buffer_size() > self._options.max_output:
            self.cut(f"it does not read, and {self._unsent} octets wait for it")

    @property
    def _unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport else 0

    # ------------------------------------------------------------ how it ends

    @property
    def busy(self) -> bool:
        """Whether a request is in progress here or a call waits for its answer."""
        return bool(self._waiting or self._serving.running)

    @property
    def used_at(self) -> float:
        """When something came or went last, in the loop's time."""
        return max(self._last_received, self._last_sent)

    def _idle_since(self) -> float | None:
        # Over one that goes both ways the peer could not be called any more.
        return None if self.busy or self.connection.both_ways else self.used_at

    def _give_way(self) -> None:
        """End the connection to make room for others: close its socket at once."""
        self.close("room was needed for another connection")
        if self._transport is not None:
            self._transport.close()

    def sweep(self, now: float) -> None:
        """Check whether the peer took too long for something."""
        if self.closed:
            return
        options = self._options
        if self._stuck is not None:
            since, unsent = self._stuck
            if self._unsent < unsent:
                self._stuck = (now, self._unsent)
            elif now - since >= options.write_seconds:
                self.cut(f"it has read nothing for {options.write_seconds:g} s")
            return
        if not self._reading:
            # Else nobody would notice that the peer is gone, or cancels something.
            self._overcrowded = now - self._paused_at >= CROWDED_SECONDS
            self._gate()
            return
        if self._oldest[0] is not self.connection.framer.oldest:
            self._oldest = (self.connection.framer.oldest, now)
        begun = self._message_since if self._oldest[0] is None else self._oldest[1]
        if begun is not None and now - begun >= options.message_seconds:
            why = f"it has begun a message and not ended it for {options.message_seconds:g} s"
            _log.warning("%s: %s; the connection is closed", self.peer, why)
            self.connection.give_up()
            self._flush()
            self._end(why, unseen=False)
        elif not self.busy:
            self._sweep_idle(now - self.used_at)

    def _sweep_idle(self, idle: float) -> None:
        options = self._options
        if self._suspect:
            self.close("the peer did not answer")
        elif not self.opener and not self.connection.received and idle >= options.message_seconds:
            _log.warning("%s: it connected and said nothing; closed", self.peer)
            self.close("it said nothing")
        elif self.connection.both_ways:
            pass  # who would be called over it could not be called any more
        elif idle >= (options.opened_idle_seconds if self.opener else options.idle_seconds):
            self.close("idle")

    async def drained(self) -> None:
        """Wait for the requests in progress."""
        await self._serving.drained()

    def close(self, why: str = "this ORB closed it") -> None:
        """End the connection in good order."""
        if self.closed:
            return
        self._serving.give_up()
        self.connection.close()
        self._flush()
        self._end(why, unseen=False)

    def cut(self, why: str) -> None:
        """End the connection without waiting for what is unsent."""
        _log.warning("%s: %s; the connection is cut", self.peer, why)
        self._end(why, unseen=False)
        self.abort()

    def _end(self, why: str, *, unseen: bool) -> None:
        if not self.closed:
            self.closed = True
            self._links.link_lost(self)
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(self._lost(why, unseen=unseen))
        if self._secured is not None and not self._secured.done():
            self._secured.set_result(None)
        self._writable.set()
        self._serving.abandon()
        self._hang_up()

    def _lost(self, why: str, *, unseen: bool) -> LinkLost:
        fault = self._tls_fault
        if fault is None or self.connection.received:
            return LinkLost(why, unseen=unseen)
        return LinkLost(f"TLS: {fault}", unseen=True, refused=True)

    def _hang_up(self) -> None:
        """Close the socket so that the peer can read the last message.

        Closing a socket while octets are unread revokes what was sent. So only our side ends, and
        what still comes is thrown away for a moment.
        """
        transport = self._transport
        if transport is None or transport.is_closing() or self._lingering is not None:
            return
        self._lingering = self._loop.call_later(_LINGER, transport.abort)
        if self._tls is not None:
            self._tls.close()
            transport.write(self._tls.data_to_send())
        if self._links.closing:
            transport.close()
            return
        transport.write_eof()
        if not self._reading:
            transport.resume_reading()

    def abort(self) -> None:
        """Close the socket, whatever is unsent."""
        if self._transport is not None:
            self._transport.abort()


def _keep_alive(transport: asyncio.Transport) -> None:
    """Let the system detect within two minutes a peer that vanished without a word.

    Otherwise a pull that waits here would wait for ever, and an event be given to it.
    """
    found: socket.socket | None = transport.get_extra_info("socket")
    if found is None:
        return
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # not all systems have them
            found.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
