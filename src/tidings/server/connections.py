"""Connections: what uvicorn leaves open about clients that are slow, or send what is no HTTP."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import (
    STATUS_PHRASES,
    H11Protocol,
    RequestResponseCycle,
)
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tidings.api.problems import MEDIA_TYPE
from tidings.events.codecs.json_text import write_json
from tidings.web.faults import http_problem

__all__ = ["HttpConnection", "SocketConnection", "patient"]

# Answers to pings that a client may leave unread, in octets.
_MOST_UNREAD: Final = 1024 * 1024
_DETAILS: Final = {
    400: "this is no well-formed HTTP/1.1 request",
    408: "the request did not come in time",
    431: "the head of the request is too long",
    501: "this Transfer-Encoding is not understood: use chunked",
}


class HttpConnection(H11Protocol):
    """A connection that ends if a request does not come, and says so as a problem document.

    While nothing is being answered, the next request must be there in `patience` seconds.
    """

    patience = 30.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Takes what came."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing more."""
        super().connection_lost(exc)
        self._stop_watching()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hands the connection on."""
        super().handle_websocket_upgrade(event)
        self._stop_watching()

    def send_400_response(self, msg: str) -> None:
        """Tells the client that this is no HTTP, unless an answer is under way already."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self._refuse(status if status in _DETAILS else 400)

    def _watch(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        answering = cycle is not None and not cycle.response_complete
        handed_on = self.transport.get_protocol() is not self
        if answering or handed_on or self.transport.is_closing():
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
            body = write_json(http_problem(status, _DETAILS[status]))
            headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))),
                       ("connection", "close")]  # fmt: skip
            answer = h11.Response(status_code=status, headers=headers,
                                  reason=STATUS_PHRASES[status])  # fmt: skip
            for part in (answer, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(part) or b"")
        self.transport.close()


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket whose client cannot have pings answered for ever without reading."""

    def handle_ping(self) -> None:
        """Answers a ping."""
        super().handle_ping()
        if self.transport.get_write_buffer_size() > _MOST_UNREAD:
            self.transport.abort()


def patient(seconds: float) -> type[HttpConnection]:
    """Connections that wait so long for a request."""
    members: dict[str, Any] = {"patience": seconds}
    return type("HttpConnection", (HttpConnection,), members)
