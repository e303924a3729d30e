"""The HTTP transport's calls, its socket and the wire below: what is tried again, what is told."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import httpx2
import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tests.patience import PATIENCE
from tests.promises.services import eventually
from tidings import event
from tidings.api.frames import SUBPROTOCOL
from tidings.api.operations import Call
from tidings.api.problems import problem_of
from tidings.channel.commands import Command, Push
from tidings.channel.management import Connect, DestroyChannel, Suspend
from tidings.channel.questions import SeeChannel, SeeChannels, SeeProxy
from tidings.client.transports.http.calls import Caller
from tidings.client.transports.http.lines import Line, StreamLine
from tidings.client.transports.http.socket import Cut, Socket
from tidings.client.transports.http.transport import HttpTransport
from tidings.client.transports.http.wire import Wire, open_wire
from tidings.errors import (
    ChannelNotFound,
    ConnectionAlreadyInactive,
    Disconnected,
    InvalidUsage,
    ProxyNotFound,
    Stopping,
    TidingsError,
    Unauthenticated,
    Unreachable,
)


async def answered(asked: Command | Call, *answers: object) -> tuple[object, int]:
    """What a caller makes of answers, one after the other, and how often it asked."""
    requests: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        answer = answers[min(len(requests), len(answers) - 1)]
        requests.append(request)
        if isinstance(answer, TidingsError):
            return httpx2.Response(answer.http_status, json=problem_of(answer))
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(200, content=msgspec.json.encode(answer))

    url = "http://localhost:1"
    caller = Caller(url, {"Authorization": "Bearer t"}, None, 0.2)
    await caller._http.aclose()
    caller._http = httpx2.AsyncClient(transport=httpx2.MockTransport(handle), base_url=url)
    try:
        work = (
            caller.call(asked, safe=asked.method == "GET")
            if isinstance(asked, Call)
            else caller.ask(asked)
        )
        return await work, len(requests)
    except TidingsError as error:
        return error, len(requests)
    finally:
        await caller.close()


async def test_what_was_done_by_the_first_try_counts_as_done() -> None:
    for command, error in (
        (DestroyChannel(1), ChannelNotFound("there is no channel 1")),
        (Suspend(1, 2), ConnectionAlreadyInactive("it has a pause")),
    ):
        assert await answered(command, httpx2.ReadError("cut"), error) == (None, 2)
        assert isinstance((await answered(command, error))[0], type(error))


async def test_a_service_that_is_stopping_is_asked_again_and_what_cannot_be_is_told() -> None:
    post = Call("POST", "/v1/x", {"a": 1}, lambda plain: plain)
    assert await answered(post, Stopping("it stops"), [1]) == ([1], 2)
    unsendable = Call("POST", "/v1/x", {"a": "\ud800"}, lambda plain: plain)
    for call, answer, error in (
        (post, Stopping("it stops"), Stopping),
        (post, httpx2.DecodingError("no gzip"), Unreachable),
        (unsendable, {}, InvalidUsage),
    ):
        assert isinstance((await answered(call, answer))[0], error)


async def test_a_name_that_is_none_names_nothing_and_a_closed_transport_does_nothing() -> None:
    transport = HttpTransport("http://127.0.0.1:1", patience=0.1)
    for name in ("\ud800", "a\nb"):
        with pytest.raises(ChannelNotFound):
            await transport.request(SeeChannel(name))
        with pytest.raises(ProxyNotFound):
            await transport.request(SeeProxy(1, name))
    await transport.close()
    await transport.close()
    for asking in (
        transport.ask(DestroyChannel(1)),
        transport.request(SeeChannels()),
        transport.receive(Connect(1, 2), None),
        transport.pull(1, 2, 1, 0, None),
    ):
        with pytest.raises(Stopping, match="the client is closed"):
            await asking


class FakeWire:
    """The service at the other end: it answers at once, as told."""

    def __init__(
        self, service: FakeService, on_frame: Callable[[bytes], None], on_cut: Callable[..., None]
    ) -> None:
        self.service, self.on_frame, self.on_cut = service, on_frame, on_cut

    def send(self, data: bytes) -> None:
        frame = msgspec.json.decode(data)
        self.service.frames.append(frame)
        answer = self.service.answers.get(frame["op"], {"op": "ok"})
        if isinstance(answer, TidingsError):
            answer = {"op": "error", "problem": problem_of(answer)}
        if answer is not None and "id" in frame:
            said = msgspec.json.encode({**answer, "id": frame["id"]})
            asyncio.get_running_loop().call_soon(self.on_frame, said)

    def cut(self, code: int = 1006) -> None:
        self.on_cut(code, "cut")

    def abort(self) -> None:
        asyncio.get_running_loop().call_soon(self.on_cut, 1006, "aborted")

    async def close(self) -> None:
        self.abort()


class FakeService:
    """What a `Socket` opens, and what it recovers with."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self.wires: list[FakeWire] = []
        self.refusals: list[Exception] = []
        self.forgotten: list[Line] = []
        # Lines are connected again only then, if it is there; and how many wait for it.
        self.remaking: asyncio.Event | None = None
        self.working = 0

    async def open(self, *on_frame_and_cut: Any) -> FakeWire:
        if self.refusals:
            raise self.refusals.pop(0)
        self.wires.append(FakeWire(self, *on_frame_and_cut))
        return self.wires[-1]

    async def reconnect(self, line: Line, connect: Callable[..., Any]) -> None:
        if self.remaking is not None:
            self.working += 1
            try:
                await self.remaking.wait()
            finally:
                self.working -= 1
        await connect(line, True)

    async def lost_channels(self, channels: set[int]) -> dict[int, ChannelNotFound]:
        return {}

    def is_own(self, line: Line) -> bool:
        return True

    def missed(self) -> str:
        return ""

    def forget(self, line: Line) -> None:
        self.forgotten.append(line)

    def proxy_now(self, channel: int, proxy: int) -> int:
        return proxy

    def of(self, op: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["op"] == op]


@asynccontextmanager
async def opened(patience: float = 5.0) -> AsyncIterator[tuple[Socket, FakeService, list[bool]]]:
    service: Any = FakeService()
    told: list[bool] = []
    on_connection = lambda up, why: told.append(up)  # noqa: E731
    socket = Socket(service.open, service, patience=patience, on_connection=on_connection)
    try:
        yield socket, service, told
    finally:
        await socket.close()


def line_of(socket: Socket) -> StreamLine:
    return StreamLine(Connect(1, 5, window=8))


async def connected(socket: Socket) -> StreamLine:
    line = line_of(socket)
    await socket.connect(line)
    return line


async def test_it_is_opened_when_it_is_needed_and_lines_come_back_after_a_cut() -> None:
    async with opened() as (socket, service, told):
        await asyncio.sleep(0.01)
        assert service.wires == []
        line = await connected(socket)
        service.wires[0].cut()
        assert not line.live
        await eventually(lambda: line.live)
        first, second = service.of("connect")
        assert (first.get("again", False), second["again"]) == (False, True)
        assert first["line"] == second["line"]
        await eventually(lambda: told == [True, False, True])
        assert socket.generation == 2
        service.wires[1].on_frame(b'{"op":"riddle"}')  # what cannot be read cuts the socket
        await eventually(lambda: len(service.wires) == 3)


async def test_a_first_connection_that_is_cut_is_tried_again() -> None:
    async with opened() as (socket, service, _):
        service.answers["connect"] = None
        connecting = asyncio.create_task(connected(socket))
        await eventually(lambda: service.of("connect"))
        del service.answers["connect"]
        service.wires[0].cut()
        await connecting
        assert service.of("connect")[1]["again"]


async def test_a_line_whose_proxy_is_gone_ends() -> None:
    async with opened() as (socket, service, _):
        lines = [await connected(socket), await connected(socket)]
        service.answers["connect"] = ProxyNotFound("channel 1 has no proxy 5")
        service.wires[0].cut()
        with pytest.raises(Disconnected, match="has no proxy 5"):
            await lines[0].get()
        assert service.forgotten == lines


async def test_what_a_stopping_service_did_not_take_goes_to_the_next_and_a_refusal_ends() -> None:
    async with opened() as (socket, service, _):
        await connected(socket)
        service.answers["push"] = Stopping("the service stops")
        pushing = asyncio.create_task(socket.pushes.ask(Push(1, 5, [event("A", "b")])))
        await eventually(lambda: service.of("push"))
        service.answers["push"] = {"op": "pushed", "results": [7]}
        assert await pushing == [7]
        service.answers["push"] = None
        service.frames.clear()
        pushing = asyncio.create_task(socket.pushes.ask(Push(1, 5, [event("A", "b")])))
        await eventually(lambda: service.of("push"))
        service.wires[-1].cut(1008)
        with pytest.raises(Unreachable, match="refuses what was sent"):
            await pushing


async def test_who_waits_for_too_long_is_told() -> None:
    async with opened(patience=0.05) as (socket, service, _):
        service.refusals = [OSError("nobody is there")] * 100
        with pytest.raises(Unreachable, match="nobody is there"):
            await connected(socket)


async def test_a_wrong_token_is_told_at_once_and_a_closed_socket_takes_nothing() -> None:
    async with opened() as (socket, service, _):
        service.refusals = [Unauthenticated("the token is wrong")]
        with pytest.raises(Unauthenticated):
            await connected(socket)
        line = await connected(socket)
        await socket.close()
        with pytest.raises(Stopping):
            await connected(socket)
        with pytest.raises(Disconnected):
            await line.get()


async def test_a_line_without_a_name_that_is_closed_while_it_comes_back_ends() -> None:
    async with opened() as (socket, service, _):
        line = await connected(socket)
        service.remaking = asyncio.Event()
        service.wires[0].cut()
        await eventually(lambda: service.working)
        with pytest.raises(Cut):
            await socket.release(line, end=True)
        service.remaking.set()
        await eventually(lambda: service.of("release"))
        assert [frame["end"] for frame in service.of("release")] == [True]


class Ends:
    """What comes to this end of a real socket."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.cuts: list[int] = []

    async def open(self, port: int, on_frame: Callable[[bytes], None] | None = None) -> Wire:
        url, headers = f"ws://127.0.0.1:{port}/v1/ws", {"Authorization": "Bearer t"}
        read, cut = on_frame or self.frames.append, lambda code, why: self.cuts.append(code)
        return await open_wire(url, headers, None, read, cut)


async def against(
    server: Callable[[ServerConnection], Coroutine[Any, Any, None]],
    scene: Callable[[int, Ends], Coroutine[Any, Any, None]],
    **settings: Any,
) -> Ends:
    """A scene with a server that does what it is told."""
    ends, spoken = Ends(), [Subprotocol(SUBPROTOCOL)]
    async with serve(server, "127.0.0.1", 0, subprotocols=spoken, **settings) as listening:
        [socket] = listening.sockets
        await asyncio.wait_for(scene(socket.getsockname()[1], ends), PATIENCE)
    return ends


async def test_frames_go_both_ways_and_the_token_goes_with_the_handshake() -> None:
    seen: list[object] = []

    async def echo(connection: ServerConnection) -> None:
        assert connection.request is not None
        seen.extend((connection.request.headers["Authorization"], connection.subprotocol))
        async for message in connection:
            seen.append(message)
            await connection.send(message)
            await connection.send(["in ", "parts"])

    async def scene(port: int, ends: Ends) -> None:
        wire = await ends.open(port)
        wire.send(b'{"a":"\xc3\xab"}')
        await eventually(lambda: len(ends.frames) == 2)
        await wire.close()

    ends = await against(echo, scene)
    assert seen == ["Bearer t", SUBPROTOCOL, '{"a":"ë"}']
    assert ends.frames == ['{"a":"ë"}'.encode(), b"in parts"]


async def test_whoever_cuts_a_socket_hears_nothing_more_of_it() -> None:
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

        wire = await ends.open(port, read)
        wire.send(b"go")
        await eventually(lambda: ends.frames)

    assert (await against(many, scene)).frames == [b"1"]


async def test_a_refusal_is_the_error_it_was() -> None:
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

    for answer, error in ((refuse, Unauthenticated), (elsewhere, Unreachable)):

        async def scene(port: int, ends: Ends, error: type[Exception] = error) -> None:
            with pytest.raises(error):
                await ends.open(port)

        assert (await against(nothing, scene, process_request=answer)).cuts == []


async def test_a_silent_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.client.transports.http.wire.SILENCE", 0.03)

    async def scene(port: int, ends: Ends) -> None:
        await ends.open(port)
        await eventually(lambda: ends.cuts)

    assert len((await against(ServerConnection.wait_closed, scene)).cuts) == 1


async def test_a_wire_that_nobody_waits_for_is_cut_without_a_fault() -> None:
    wire = Wire("ws://localhost", {}, lambda _: None, lambda *_: None)
    wire.connection_lost(None)
    del wire
    gc.collect()  # where asyncio tells the loop of exceptions that nobody asked for
