"""Connections: what uvicorn leaves open about clients that are slow, or send what is no HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import (
    STATUS_PHRASES,
    H11Protocol,
    RequestResponseCycle,
)
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from tidings.admission import Admission, Place
from tidings.api.problems import MEDIA_TYPE
from tidings.events.codecs.json_text import write_json
from tidings.web.faults import http_problem
from tidings.web.security import AUTHENTICATED, CERTIFICATE

MOST_HEAD: Final = 256 * 1024
"""How long the head of a request may be: the longest filter, percent-encoded, and some more."""

# Answers to pings that a client may leave unread, in octets.
_MOST_UNREAD: Final = 1024 * 1024
# Where the state of a connection has what is called when it is gone.
_LEAVE: Final = "tidings.leave"
_DETAILS: Final = {
    400: "this is no well-formed HTTP/1.1 request",
    408: "the request did not come in time",
    431: "the head of the request is too long",
    503: "too many connections are open, and all of them are in use",
    501: "this Transfer-Encoding is not understood: use chunked",
}


class _StrictParser(h11.Connection):
    """Takes no request whose end two readers could see in two places (RFC 9112, 6.1)."""

    def next_event(self) -> Any:  # noqa: ANN401 -- an event, or one of two marks
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = [name for name, _ in event.headers]
            if b"transfer-encoding" in names and b"content-length" in names:
                raise h11.RemoteProtocolError("both Transfer-Encoding and Content-Length")
        return event


class HttpConnection(H11Protocol):
    """A connection that ends if a request does not come, and says so as a problem document.

    While nothing is being answered, the next request must be there in `patience` seconds.

    Attributes:
        pauses: How often an answer had to wait until some of it was read.
    """

    patience = 30.0
    admission: Admission

    def __init__(
        self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:  # fmt: skip
        super().__init__(config, server_state, app_state, _loop)
        self.conn = _StrictParser(h11.SERVER, MOST_HEAD)
        self._deadline: asyncio.TimerHandle | None = None
        self.pauses = 0
        self._place = Place("", self._give_way, self._idle_since)
        self._used_at = self.loop.time()
        # A WebSocket takes the place over with the state.
        self.app_state = {
            **app_state,
            AUTHENTICATED: partial(self.admission.authenticate, self._place),
            _LEAVE: partial(self.admission.leave, self._place),
        }

    def pause_writing(self) -> None:
        """Writes nothing more until some of it is read."""
        super().pause_writing()
        self.pauses += 1

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        # A socket for both families shows addresses of the old one inside the new.
        self._place.address = (self.client or ("", 0))[0].removeprefix("::ffff:")
        self.app_state[CERTIFICATE] = _fingerprint(transport)
        if self.admission.admit(self._place):
            self._watch()
        else:
            self._answer(503)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Takes what came."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begins to be idle, unless the next request is there."""
        self._used_at = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing more."""
        super().connection_lost(exc)
        self.admission.leave(self._place)
        self._stop_watching()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hands the connection on."""
        super().handle_websocket_upgrade(event)
        self._place.idle_since = _never_idle
        self._place.give_way = self.transport.abort
        self._stop_watching()

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _idle_since(self) -> float | None:
        return None if self._answering() else self._used_at

    def _give_way(self) -> None:
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Tells the client that this is no HTTP, unless an answer is under way already."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self._refuse(status if status in _DETAILS else 400)

    def _watch(self) -> None:
        handed_on = self.transport.get_protocol() is not self
        if self._answering() or handed_on or self.transport.is_closing():
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.patience, self._refuse, 408)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, status: int) -> None:
        began = self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])
        if began and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._answer(status)
        self.transport.close()

    def _answer(self, status: int) -> None:
        body = write_json(http_problem(status, _DETAILS[status]))
        headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))),
                   ("connection", "close")]  # fmt: skip
        answer = h11.Response(status_code=status, headers=headers,
                              reason=STATUS_PHRASES[status])  # fmt: skip
        for part in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(part) or b"")


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket whose client cannot have pings answered for ever without reading."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Leaves its place."""
        super().connection_lost(exc)
        self.app_state[_LEAVE]()

    def handle_ping(self) -> None:
        """Answers a ping."""
        super().handle_ping()
        if self.transport.get_write_buffer_size() > _MOST_UNREAD:
            self.transport.abort()


class Unread:
    """Finds connections whose clients read nothing of what is meant to be the last for them.

    A connection that is closed stays open until all is read; nobody else would end it.
    """

    def __init__(self) -> None:
        self._left: dict[Any, tuple[int, int]] = {}

    def look(self, connections: Iterable[Any]) -> None:
        """End the connections, of HTTP and WebSockets alike, that read nothing since last time."""
        left: dict[Any, tuple[int, int]] = {}
        for one in list(connections):
            transport = one.transport
            size = transport.get_write_buffer_size()
            waits = isinstance(one, HttpConnection) and one.flow.write_paused
            if not size or not (waits or transport.is_closing()):
                continue
            now = (size, one.pauses if isinstance(one, HttpConnection) else 0)
            before = self._left.get(one)
            if before is not None and now[1] == before[1] and size >= before[0]:
                transport.abort()
            else:
                left[one] = now
        self._left = left


def admitted(admission: Admission, seconds: float) -> type[HttpConnection]:
    """Connections that have a place, and wait so long for a request."""
    members: dict[str, Any] = {"admission": admission, "patience": seconds}
    return type("HttpConnection", (HttpConnection,), members)


def _fingerprint(transport: asyncio.Transport) -> str:
    """The SHA-256 fingerprint of the client's certificate; empty if it has shown none."""
    tls = transport.get_extra_info("ssl_object")
    shown: bytes | None = None if tls is None else tls.getpeercert(binary_form=True)
    return "" if shown is None else hashlib.sha256(shown).hexdigest()


def _never_idle() -> None:
    """Stands for a connection that is in use as long as it is open."""
