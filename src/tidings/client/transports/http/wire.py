"""One WebSocket connection: frames are sent at once and received by callback.

Nothing here waits: a frame is handed to the socket in the same turn of the event loop.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

import msgspec
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from tidings.api.frames import SUBPROTOCOL
from tidings.api.problems import error_of
from tidings.errors import TidingsError, Unreachable

# The service pings every 20 seconds; longer silence means a dead connection.
SILENCE: Final = 50.0
_OPENING: Final = 10.0
_CLOSING: Final = 1.0


class Wire(asyncio.Protocol):
    """An open WebSocket.

    `on_frame` gets each text message; `on_cut` gets the close code and the reason, once.
    """

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        on_frame: Callable[[bytes], None],
        on_cut: Callable[[int, str], None],
    ) -> None:
        self._protocol = ClientProtocol(
            parse_uri(url), subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=None
        )
        self._headers = headers
        self._on_frame = on_frame
        self._on_cut = on_cut
        self._loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[None] = self._loop.create_future()
        # Whoever opens it may have been cancelled, and asks no more how that ended.
        self.opened.add_done_callback(lambda opened: opened.cancelled() or opened.exception())
        self._transport: asyncio.Transport | None = None
        self._parts: list[bytes] = []
        self._heard = self._loop.time()
        self._watch: asyncio.TimerHandle | None = None
        self._over = False
        self._gone: asyncio.Future[None] = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        request = self._protocol.connect()
        for name, value in self._headers.items():
            request.headers[name] = value
        self._protocol.send_request(request)
        self._write()
        self._listen()

    def data_received(self, data: bytes) -> None:
        """Process received data."""
        self._heard = self._loop.time()
        protocol = self._protocol
        protocol.receive_data(data)
        self._write()
        for event in protocol.events_received():
            if self._over:  # no frames after abort or close
                return
            if isinstance(event, Frame):
                self._read(event)
            elif isinstance(event, Response):
                self._answered(event)
        if protocol.handshake_exc is not None and not self.opened.done():
            self._refused(protocol.handshake_exc)
        if protocol.close_expected():
            self.abort()

    def eof_received(self) -> None:
        """Handle the end of the service's stream."""
        self._protocol.receive_eof()

    def connection_lost(self, error: Exception | None) -> None:
        """Report the loss of the socket."""
        if self._watch is not None:
            self._watch.cancel()
        self._gone.set_result(None)
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("cut during the handshake"))
        elif not self.opened.cancelled() and self.opened.exception() is None:
            said = self._protocol.close_rcvd
            if said is None:
                self._on_cut(1006, str(error) if error else "the connection was cut")
            else:
                self._on_cut(said.code, said.reason or "the service closed the connection")

    def send(self, frame: bytes) -> None:
        """Send a text frame; do nothing if the socket is gone."""
        protocol = self._protocol
        if protocol.state is State.OPEN:
            protocol.send_text(frame)
            self._write()

    def abort(self) -> None:
        """Close the socket at once; drop unprocessed data."""
        self._over = True
        if self._transport is not None:
            self._transport.abort()

    async def close(self) -> None:
        """Close the socket after sending a close frame, if possible."""
        self._over = True
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
            self._write()
        if self._transport is not None:
            self._transport.close()
            await asyncio.wait({self._gone}, timeout=_CLOSING)
            self.abort()

    def _write(self) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        data = self._protocol.data_to_send()
        if data:
            transport.write(b"".join(data))

    def _read(self, frame: Frame) -> None:
        if frame.opcode is Opcode.TEXT and frame.fin:
            self._on_frame(bytes(frame.data))
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            self._parts.append(bytes(frame.data))
            if frame.fin:
                whole, self._parts = b"".join(self._parts), []
                self._on_frame(whole)

    def _answered(self, response: Response) -> None:
        if self.opened.done():
            return
        if self._protocol.handshake_exc is None:
            self.opened.set_result(None)
        else:
            self._refused(self._protocol.handshake_exc)

    def _refused(self, error: Exception) -> None:
        told: Exception = error
        if isinstance(error, InvalidStatus):
            told = _problem(error.response)
        elif isinstance(error, InvalidHandshake):
            told = Unreachable(f"what answers is no Tidings service: {error}")
        self.opened.set_exception(told)
        self.abort()

    def _listen(self) -> None:
        left = self._heard + SILENCE - self._loop.time()
        if left <= 0:
            self.abort()
        else:
            self._watch = self._loop.call_later(left, self._listen)


def _problem(response: Response) -> TidingsError:
    status = response.status_code
    try:
        plain = msgspec.json.decode(response.body or b"")
    except msgspec.DecodeError:
        plain = None
    if isinstance(plain, dict) and "code" in plain:
        return error_of(plain, status)
    return Unreachable(f"the service refuses a WebSocket with the status {status}")


async def open_wire(
    url: str,
    headers: dict[str, str],
    tls: ssl.SSLContext | None,
    on_frame: Callable[[bytes], None],
    on_cut: Callable[[int, str], None],
) -> Wire:
    """Open a WebSocket; raise `OSError` if the service is unreachable, or its refusal."""
    uri = parse_uri(url)
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_OPENING):
        _, wire = await loop.create_connection(
            lambda: Wire(url, headers, on_frame, on_cut), uri.host, uri.port, ssl=tls
        )
        try:
            await wire.opened
        except BaseException:
            wire.abort()
            raise
    return wire
