"""A WebSocket client that does as little as possible, so that the server is what is measured.

Frames are made beforehand. What comes in is cut into frames and handed on as octets; nothing is
parsed, nothing is copied that need not be.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable
from typing import Final, Self

from tidings.bench.figures import demand

Handler = Callable[[bytes], None]
"""Called with the octets of each text frame."""

_TEXT: Final = 0x81
_CLOSE: Final = 0x88
_PING: Final = 0x89
_PONG: Final = 0x8A
_MASKED: Final = 0x80
# Any mask will do; this one leaves the octets as they are.
_NO_MASK: Final = bytes(4)


def client_frame(text: bytes, kind: int = _TEXT) -> bytes:
    """A frame as a client sends it: masked, as the standard wants it."""
    size = len(text)
    if size < 126:
        head = bytes((kind, _MASKED | size))
    elif size < 65_536:
        head = bytes((kind, _MASKED | 126)) + size.to_bytes(2)
    else:
        head = bytes((kind, _MASKED | 127)) + size.to_bytes(8)
    return head + _NO_MASK + text


class Socket(asyncio.Protocol):
    """One connection, made by `Socket.open`; `on_text` is called with each text frame."""

    def __init__(self, on_text: Handler) -> None:
        self.on_text = on_text
        self.closed = False
        self._transport: asyncio.Transport | None = None
        self._waiting = b""
        self._is_open = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, port: int, path: str, on_text: Handler) -> Self:
        """Connect to a server on this machine."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(lambda: cls(on_text), "127.0.0.1", port)
        key = b64encode(bytes(16)).decode()
        socket.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: tidings.v1\r\n\r\n".encode()
        )
        await asyncio.wait_for(socket._is_open, 30)
        return socket

    def write(self, octets: bytes) -> None:
        """Sends frames made by `client_frame`."""
        assert self._transport is not None
        self._transport.write(octets)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self.closed = True
        if not self._is_open.done():
            self._is_open.set_exception(AssertionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        """Octets have come."""
        data = self._waiting + data if self._waiting else data
        if not self._is_open.done():
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._waiting = head
                return
            status = head.partition(b"\r\n")[0]
            demand(b" 101 " in status, f"no WebSocket: {status.decode(errors='replace')}")
            self._is_open.set_result(None)
        self._waiting = self._frames(data)

    def _frames(self, data: bytes) -> bytes:
        """Hands on all that is complete; gives back the rest."""
        at, size = 0, len(data)
        while size - at >= 2:
            kind, length, start = data[at], data[at + 1], at + 2
            if length > 125:
                start += 2 if length == 126 else 8
                if size < start:
                    break
                length = int.from_bytes(data[at + 2 : start])
            end = start + length
            if size < end:
                break
            if kind == _TEXT:
                self.on_text(data[start:end])
            elif kind == _PING:
                self.write(client_frame(data[start:end], _PONG))
            at = end
        return data[at:]

    def close(self) -> None:
        """Says farewell and closes."""
        if self._transport is not None and not self.closed:
            self.write(client_frame(b"\x03\xe8", _CLOSE))
            self._transport.close()
