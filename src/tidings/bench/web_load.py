"""The servers of `tidings bench web`, and a client that does as little as possible.

So the server is what is measured: frames are made beforehand; what comes in is cut into frames and
handed on as octets. Nothing is parsed, nothing is copied that need not be.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self, TypeAlias
from urllib.parse import quote

import httpx2
import msgspec

from tidings.bench.harness import ServerProcess, demand, sample_event
from tidings.bench.web_floor import Answers
from tidings.events.codecs.json_codec import encode_event

Handler = Callable[[bytes], None]
"""Called with the octets of each text frame."""

_TEXT: Final = 0x81
_CLOSE: Final = 0x88
_PING: Final = 0x89
_PONG: Final = 0x8A
_MASKED: Final = 0x80
_AT_ONCE: Final = 16
# Connects that are sent before their answers are waited for.
_CONNECTS: Final = 500
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


class Publishing(msgspec.Struct, frozen=True):
    """A publisher's socket, and what its pushes name."""

    socket: Socket
    channel: int
    proxy: int

    def frames(self, first: int, count: int) -> list[bytes]:
        """Frames that push one event each; the events differ."""
        return [
            client_frame(
                b'{"op":"push","id":%d,"channel":%d,"proxy":%d,"events":[%b],"producer":"bench",'
                b'"number":%d}' % (at, self.channel, self.proxy, encode_event(sample_event(at)), at)
            )
            for at in range(first, first + count)
        ]


class TidingsService(ServerProcess):
    """The service, with everything in memory; `options` are those of `tidings serve`."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = ["tidings", "serve", "--memory", "--port", "0", *options, "--port-file"]
        super().__init__(command, folder / "service.json")
        self._channels: dict[str, int] = {}
        self._kept: list[Socket] = []

    async def consumer(self, group: str, subscriptions: int, on_text: Handler) -> Socket:
        """Makes the subscriptions that match nothing first, all of them connected."""
        async with self._http() as http:
            channel = await self._channel(http, group)
            if subscriptions > 1:
                proxies = await _all_made(http, channel, range(1, subscriptions))
                self._kept.append(await self._connected(channel, proxies))
        wanted = quote("$area == 0 and $rate > 30")
        path = f"/v1/channels/{channel}/subscribe?filter={wanted}&window=256"
        came = asyncio.Event()

        def begun(frame: bytes) -> None:
            demand(b'"connected"' in frame, frame.decode())
            came.set()

        socket = await Socket.open(self.port, path, begun)
        await asyncio.wait_for(came.wait(), 30)
        socket.on_text = on_text
        return socket

    async def publisher(self, group: str, on_text: Handler) -> Publishing:
        """Makes a proxy and connects it."""
        async with self._http() as http:
            channel = await self._channel(http, group)
            proxy = await _made(http, channel, {"side": "supplier"})
        socket = await self._connected(channel, [proxy])
        socket.on_text = on_text
        return Publishing(socket, channel, proxy)

    async def let_go(self) -> None:
        """Closes the sockets of the subscriptions that match nothing."""
        for socket in self._kept:
            socket.close()
        self._kept.clear()
        await asyncio.sleep(0.01)  # a turn of the loop in which they, and others, are closed

    def _http(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=f"{self.url}/v1", timeout=60)

    async def _channel(self, http: httpx2.AsyncClient, group: str) -> int:
        if group not in self._channels:
            answer = await http.post("/channels", json={"name": group, "persistent": False})
            demand(answer.status_code == 201, answer.text)
            self._channels[group] = answer.json()["id"]
        return self._channels[group]

    async def _connected(self, channel: int, proxies: list[int]) -> Socket:
        """A socket with a line to each proxy."""
        left = 0
        answered = asyncio.Event()

        def answer(frame: bytes) -> None:
            nonlocal left
            if frame.startswith(b'{"op":"types"'):
                return
            demand(frame.startswith(b'{"op":"ok"'), frame.decode())
            left -= 1
            if not left:
                answered.set()

        socket = await Socket.open(self.port, "/v1/ws", answer)
        for first in range(0, len(proxies), _CONNECTS):
            group = proxies[first : first + _CONNECTS]
            left = len(group)
            answered.clear()
            for line, proxy in enumerate(group, first):
                told = {"op": "connect", "id": line, "line": line, "channel": channel}
                more = {"proxy": proxy, "window": 256, "notices": False}
                socket.write(client_frame(msgspec.json.encode({**told, **more})))
            await asyncio.wait_for(answered.wait(), 60)
        return socket


async def _all_made(http: httpx2.AsyncClient, channel: int, areas: range) -> list[int]:
    """Subscriptions to areas, made several at once."""
    made: list[int] = []
    waiting = iter(areas)

    async def work() -> None:
        for area in waiting:
            asked = {"constraints": [f"$area == {area} and $rate > 30"]}
            made.append(await _made(http, channel, asked))

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(work())
    return made


async def _made(http: httpx2.AsyncClient, channel: int, asked: dict[str, Any]) -> int:
    answer = await http.post(f"/channels/{channel}/proxies", json=asked)
    demand(answer.status_code == 201, answer.text)
    proxy: int = answer.json()["id"]
    return proxy


class FloorService(ServerProcess):
    """The server that only answers frames with the `answers`, set before publishing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(["tidings.bench.web_floor"], folder / "floor.json")
        self.answers = Answers("", "")

    async def consumer(self, group: str, subscriptions: int, on_text: Handler) -> Socket:
        """A consumer; there are no other subscriptions here."""
        return await Socket.open(self.port, f"/consume/{group}", on_text)

    async def publisher(self, group: str, on_text: Handler) -> Publishing:
        """A publisher, which tells first what to answer with."""
        socket = await Socket.open(self.port, f"/publish/{group}", on_text)
        socket.write(client_frame(msgspec.json.encode(self.answers)))
        return Publishing(socket, 1, 1)


Service: TypeAlias = TidingsService | FloorService
"""A server that publishers and consumers connect to, in groups that do not know each other."""
