from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tidings.api.frames import SUBPROTOCOL
from tidings.api.problems import problem_of
from tidings.client.transports import http_wire
from tidings.client.transports.http_wire import Wire, open_wire
from tidings.errors import Unauthenticated, Unreachable


class Ends:
    """Both ends of a socket."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.cuts: list[tuple[int, str]] = []
        self.headers: list[str | None] = []

    async def open(self, port: int) -> Wire:
        return await open_wire(
            f"ws://127.0.0.1:{port}/v1/ws",
            {"Authorization": "Bearer t"},
            None,
            self.frames.append,
            lambda code, why: self.cuts.append((code, why)),
        )


def against(
    server: Callable[[ServerConnection], Coroutine[Any, Any, None]],
    scene: Callable[[int, Ends], Coroutine[Any, Any, None]],
    **settings: Any,
) -> Ends:
    """A scene with a server that does what it is told."""
    ends = Ends()

    async def run() -> None:
        async with serve(
            server, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)], **settings
        ) as listening:
            [socket] = listening.sockets
            await asyncio.wait_for(scene(socket.getsockname()[1], ends), 5)

    asyncio.run(run())
    return ends


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
        await asyncio.sleep(0.001)


def test_frames_go_both_ways_and_the_token_goes_with_the_handshake() -> None:
    seen: list[object] = []

    async def echo(connection: ServerConnection) -> None:
        assert connection.request is not None
        seen.append(connection.request.headers["Authorization"])
        seen.append(connection.subprotocol)
        async for message in connection:
            seen.append(message)
            await connection.send(message)
            await connection.send(["in ", "parts"])

    async def scene(port: int, ends: Ends) -> None:
        wire = await ends.open(port)
        wire.send(b'{"a":"\xc3\xab"}')
        await until(lambda: len(ends.frames) == 2)
        await wire.close()

    ends = against(echo, scene)
    assert seen == ["Bearer t", SUBPROTOCOL, '{"a":"ë"}']
    assert ends.frames == ['{"a":"ë"}'.encode(), b"in parts"]


def test_a_cut_is_told_once_with_its_code() -> None:
    async def close(connection: ServerConnection) -> None:
        await connection.close(1008, "the frame cannot be understood")

    async def drop(connection: ServerConnection) -> None:
        connection.transport.abort()

    async def scene(port: int, ends: Ends) -> None:
        wire = await ends.open(port)
        await until(lambda: ends.cuts)
        wire.send(b"{}")
        wire.abort()
        await asyncio.sleep(0.01)

    assert against(close, scene).cuts == [(1008, "the frame cannot be understood")]
    [(code, _)] = against(drop, scene).cuts
    assert code == 1006


def test_whoever_cuts_a_socket_hears_nothing_more_of_it() -> None:
    async def many(connection: ServerConnection) -> None:
        await connection.recv()
        for frame in ("1", "2", "3"):
            connection.protocol.send_text(frame.encode())
        connection.transport.write(b"".join(connection.protocol.data_to_send()))
        await asyncio.sleep(0.05)

    async def scene(port: int, ends: Ends) -> None:
        def read(frame: bytes) -> None:
            ends.frames.append(frame)
            wire.abort()

        wire = await open_wire(f"ws://127.0.0.1:{port}/", {}, None, read, lambda *_: None)
        wire.send(b"go")
        await until(lambda: ends.frames)

    assert against(many, scene).frames == [b"1"]


def test_closing_ends_the_connection_though_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_wire, "_CLOSING", 0.02)
    closed: list[Wire] = []

    async def deaf(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await until(lambda: closed)
        connection.transport.abort()

    async def scene(port: int, ends: Ends) -> None:
        wire = await ends.open(port)
        for _ in range(20):
            wire.send(b"0" * 1_000_000)
        await wire.close()
        await asyncio.sleep(0)
        closed.append(wire)
        assert wire._gone.done()

    against(deaf, scene)


def test_a_refusal_is_the_error_it_was() -> None:
    def refuse(connection: ServerConnection, request: Request) -> Response:
        response = connection.respond(HTTPStatus.UNAUTHORIZED, "")
        body = msgspec.json.encode(problem_of(Unauthenticated("the token is missing")))
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(body))
        return Response(401, "Unauthorized", response.headers, body)

    def elsewhere(connection: ServerConnection, request: Request) -> Response:
        return connection.respond(HTTPStatus.BAD_GATEWAY, "no")

    async def nothing(connection: ServerConnection) -> None:
        raise AssertionError

    def refused_with(error: type[Exception]) -> Callable[[int, Ends], Coroutine[Any, Any, None]]:
        async def scene(port: int, ends: Ends) -> None:
            with pytest.raises(error):
                await ends.open(port)

        return scene

    against(nothing, refused_with(Unauthenticated), process_request=refuse)
    ends = against(nothing, refused_with(Unreachable), process_request=elsewhere)
    assert ends.cuts == []


def test_nobody_there_is_an_os_error() -> None:
    async def scene() -> None:
        with pytest.raises(ConnectionRefusedError):
            await Ends().open(1)

    asyncio.run(scene())


def test_a_silent_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.client.transports.http_wire.SILENCE", 0.03)

    async def silent(connection: ServerConnection) -> None:
        await connection.wait_closed()

    async def scene(port: int, ends: Ends) -> None:
        await ends.open(port)
        await until(lambda: ends.cuts)

    assert len(against(silent, scene).cuts) == 1
