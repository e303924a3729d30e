"""GIOP messages put together by hand, and a plain socket that sends them."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from typing import Self

REQUEST, REPLY, CANCEL, LOCATE_REQUEST, LOCATE_REPLY, CLOSE, ERROR, FRAGMENT = range(8)
NO_EXCEPTION, USER_EXCEPTION, SYSTEM_EXCEPTION, LOCATION_FORWARD = range(4)


def message(kind: int, body: bytes = b"", *, minor: int = 2, flags: int = 1) -> bytes:
    """A message with its header, little endian."""
    return b"GIOP" + bytes((1, minor, flags, kind)) + struct.pack("<I", len(body)) + body


def string(text: str) -> bytes:
    octets = text.encode("latin-1") + b"\0"
    return struct.pack("<I", len(octets)) + octets


def padded(octets: bytes, size: int, before: int = 12) -> bytes:
    return octets + bytes(-(len(octets) + before) % size)


def request(
    operation: str,
    body: bytes = b"",
    *,
    key: bytes = b"echo",
    id: int = 2,
    flags: int = 3,
    more: bool = False,
    contexts: tuple[tuple[int, bytes], ...] = (),
) -> bytes:
    """A GIOP 1.2 request."""
    head = struct.pack("<IB3xHxxI", id, flags, 0, len(key)) + key
    head = padded(head, 4) + string(operation)
    head = padded(head, 4) + struct.pack("<I", len(contexts))
    for number, data in contexts:
        head = padded(head, 4) + struct.pack("<II", number, len(data)) + data
    if body:
        head = padded(head, 8) + body
    return message(REQUEST, head, flags=3 if more else 1)


class Peer:
    """A socket to an ORB."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, host: str, port: int) -> Self:
        return cls(*await asyncio.open_connection(host, port))

    def send(self, octets: bytes) -> None:
        self._writer.write(octets)

    async def receive(self) -> tuple[int, int, bytes]:
        """The next message: kind, minor version and body."""
        head = await self._reader.readexactly(12)
        assert head[:5] == b"GIOP\x01"
        assert head[6] & 1 == 1
        body = await self._reader.readexactly(struct.unpack("<I", head[8:])[0])
        return head[7], head[5], body

    async def status(self) -> tuple[int, int]:
        """Request id and status of the next GIOP 1.2 reply."""
        kind, _, body = await self.receive()
        assert kind == REPLY
        id, status = struct.unpack_from("<II", body)
        return id, status

    async def exception(self) -> tuple[str, int, int]:
        """Name, minor code and completion of the system exception that comes next."""
        kind, _, body = await self.receive()
        assert kind == REPLY
        assert struct.unpack_from("<I", body, 4)[0] == SYSTEM_EXCEPTION
        text = body[12:]
        size = struct.unpack_from("<I", text)[0]
        name = text[4 : 4 + size - 1].decode()
        minor, completed = struct.unpack_from("<II", text, 4 + size + (-size % 4))
        return name.removeprefix("IDL:omg.org/CORBA/").removesuffix(":1.0"), minor, completed

    async def ended(self) -> bool:
        """Whether nothing more comes."""
        try:
            return not await self._reader.read(1)
        except ConnectionResetError:
            return True

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
