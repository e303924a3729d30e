"""The two servers of `tidings bench web`, each in a process of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from resource import getpagesize
from typing import Any, Final, Protocol, Self
from urllib.parse import quote, urlsplit

import httpx2
import msgspec

from tidings.bench.figures import demand, sample_event
from tidings.bench.web_floor import Answers
from tidings.bench.web_load import Handler, Socket, client_frame
from tidings.events.codecs.json_codec import encode_event

_STARTS_IN: Final = 30.0
_AT_ONCE: Final = 16
# Connects that are sent before their answers are waited for.
_CONNECTS: Final = 500


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


class Service(Protocol):
    """A server that publishers and consumers connect to, in groups that do not know each other."""

    async def consumer(self, group: str, subscriptions: int, on_text: Handler) -> Socket:
        """A consumer that gets everything of its group, beside subscriptions that match nothing."""
        ...

    async def publisher(self, group: str, on_text: Handler) -> Publishing:
        """A publisher of a group."""
        ...


class ServerProcess:
    """A server in a process of its own, which ends with the context."""

    def __init__(self, command: list[str], port_file: Path) -> None:
        port_file.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command, str(port_file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.url = self._found(port_file)
        port = urlsplit(self.url).port
        assert port is not None
        self.port = port

    def _found(self, port_file: Path) -> str:
        until = time.monotonic() + _STARTS_IN
        while time.monotonic() < until and self._process.poll() is None:
            try:
                url: str = msgspec.json.decode(port_file.read_bytes())["url"]
            except (OSError, msgspec.DecodeError):
                time.sleep(0.02)
            else:
                return url
        self._process.kill()
        raise AssertionError(f"the server did not start: {self._process.args!r}")

    def resident_octets(self) -> int:
        """How much memory the process has now, as the system counts it."""
        statm = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * getpagesize()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()


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
                await self._connect(channel, proxies)
        wanted = quote("$area == 0 and $rate > 30")
        path = f"/v1/channels/{channel}/subscribe?filter={wanted}&window=256"
        return await self._opened(path, on_text, b'"connected"')

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

    async def _connect(self, channel: int, proxies: list[int]) -> None:
        self._kept.append(await self._connected(channel, proxies))

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

    async def _opened(self, path: str, on_text: Handler, first: bytes) -> Socket:
        came = asyncio.Event()

        def begun(frame: bytes) -> None:
            demand(first in frame, frame.decode())
            came.set()

        socket = await Socket.open(self.port, path, begun)
        await asyncio.wait_for(came.wait(), 30)
        socket.on_text = on_text
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
