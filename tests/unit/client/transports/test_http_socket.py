from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from tests.unit.client.transports.line_scenes import events
from tidings import event
from tidings.api.problems import problem_of
from tidings.channel.commands import Push
from tidings.channel.management import Connect
from tidings.client.transports.http_lines import Line, StreamLine
from tidings.client.transports.http_socket import Cut, Socket
from tidings.errors import (
    AlreadyConnected,
    ChannelNotFound,
    Disconnected,
    ProxyNotFound,
    Stopping,
    TidingsError,
    Unauthenticated,
    Unreachable,
)


class FakeWire:
    """The service at the other end: it answers at once, as told."""

    def __init__(
        self, service: FakeService, on_frame: Callable[[bytes], None], on_cut: Callable[..., None]
    ) -> None:
        self.service = service
        self.on_frame = on_frame
        self.on_cut = on_cut

    def send(self, data: bytes) -> None:
        frame = msgspec.json.decode(data)
        self.service.frames.append(frame)
        answer = self.service.answers.get(frame["op"], {"op": "ok"})
        if isinstance(answer, TidingsError):
            answer = {"op": "error", "problem": problem_of(answer)}
        if answer is not None and "id" in frame:
            self.say({**answer, "id": frame["id"]})

    def say(self, frame: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_soon(self.on_frame, msgspec.json.encode(frame))

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
        self.lost: dict[int, ChannelNotFound] = {}
        self.forgotten: list[Line] = []
        # Lines are connected again only then, if it is there; and how many wait for it.
        self.remaking: asyncio.Event | None = None
        self.working = 0

    async def open(
        self, on_frame: Callable[[bytes], None], on_cut: Callable[[int, str], None]
    ) -> FakeWire:
        if self.refusals:
            raise self.refusals.pop(0)
        self.wires.append(FakeWire(self, on_frame, on_cut))
        return self.wires[-1]

    async def lost_channels(self, channels: set[int]) -> dict[int, ChannelNotFound]:
        return self.lost

    async def reconnect(self, line: Line, connect: Callable[..., Any]) -> None:
        if self.remaking is not None:
            self.working += 1
            try:
                await self.remaking.wait()
            finally:
                self.working -= 1
        await connect(line, True)

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


def played(
    scene: Callable[[Socket, FakeService, list[bool]], Coroutine[Any, Any, None]],
    patience: float = 5.0,
) -> None:
    async def run() -> None:
        service = FakeService()
        told: list[bool] = []
        recovery: Any = service
        socket = Socket(
            service.open,  # type: ignore[arg-type]
            recovery,
            patience=patience,
            on_connection=lambda up, why: told.append(up),
        )
        try:
            async with asyncio.timeout(5):
                await scene(socket, service, told)
        finally:
            await socket.close()

    asyncio.run(run())


def line_of(socket: Socket, proxy: int = 5) -> StreamLine:
    return StreamLine(Connect(1, proxy, window=8), socket.next_number(), socket.send)


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
        await asyncio.sleep(0.001)


def test_it_is_opened_when_it_is_needed_and_lines_come_back_after_a_cut() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        await asyncio.sleep(0.01)
        assert service.wires == []
        line = line_of(socket)
        await socket.connect(line)
        service.wires[0].cut()
        assert not line.live
        await until(lambda: line.live)
        first, second = service.of("connect")
        assert (first.get("again", False), second["again"]) == (False, True)
        assert first["line"] == second["line"]
        await until(lambda: told == [True, False, True])
        assert socket.generation == 2

    played(scene)


def test_an_idle_socket_is_not_opened_again() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        await socket.release(line, end=True)
        service.wires[0].cut()
        await asyncio.sleep(0.05)
        assert len(service.wires) == 1

    played(scene)


def test_a_line_that_is_refused_is_none() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        service.answers["connect"] = AlreadyConnected("somebody is")
        with pytest.raises(AlreadyConnected):
            await socket.connect(line_of(socket))
        assert not socket.lines

    played(scene)


def test_a_first_connection_that_is_cut_is_tried_again() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        service.answers["connect"] = None
        line = line_of(socket)
        connecting = asyncio.create_task(socket.connect(line))
        await until(lambda: service.of("connect"))
        del service.answers["connect"]
        service.wires[0].cut()
        await connecting
        assert service.of("connect")[1]["again"]

    played(scene)


def test_a_line_nobody_waits_for_any_more_is_given_back() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        service.answers["connect"] = None
        connecting = asyncio.create_task(socket.connect(line_of(socket)))
        await until(lambda: service.of("connect"))
        connecting.cancel()
        await asyncio.wait([connecting])
        [release] = service.of("release")
        assert (release["line"], release.get("end", False)) == (1, False)

    played(scene)


def test_a_line_whose_proxy_is_gone_ends() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line, other = line_of(socket), line_of(socket)
        for one in (line, other):
            await socket.connect(one)
        service.answers["connect"] = ProxyNotFound("channel 1 has no proxy 5")
        service.wires[0].cut()
        with pytest.raises(Disconnected, match="has no proxy 5"):
            await line.get()
        del service.answers["connect"]
        assert service.forgotten == [line, other]

    played(scene)


def test_a_gone_frame_ends_its_line_only() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line, other = line_of(socket), line_of(socket)
        for one in (line, other):
            await socket.connect(one)
        problem = problem_of(Disconnected("another client has it"))
        service.wires[0].say({"op": "gone", "line": line.number, "problem": problem})
        with pytest.raises(Disconnected, match="another client has it"):
            await line.get()
        assert list(socket.lines.values()) == [other]

    played(scene)


def test_a_channel_that_is_another_one_ends_its_lines_and_pushes() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        service.answers["push"] = None
        pushing = asyncio.create_task(socket.pushes.ask(Push(1, 5, [event("A", "b")])))
        await until(lambda: service.of("push"))
        service.lost = {1: ChannelNotFound("it is gone")}
        service.wires[0].cut()
        with pytest.raises(Disconnected, match="it is gone"):
            await line.get()
        with pytest.raises(ChannelNotFound):
            await pushing

    played(scene)


def test_events_reach_their_line() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        wire = service.wires[0]
        wire.on_frame(msgspec.json.encode(events(1, 2)))
        assert [(await line.get()).seq for _ in range(2)] == [1, 2]
        wire.say({"op": "types", "line": 99, "added": [], "removed": []})  # of none of ours
        await asyncio.sleep(0)

    played(scene)


def test_what_cannot_be_read_cuts_the_socket() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        await socket.connect(line_of(socket))
        service.wires[0].on_frame(b'{"op":"riddle"}')
        await until(lambda: len(service.wires) == 2)

    played(scene)


def test_what_the_service_refuses_is_not_sent_for_ever() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        await socket.connect(line_of(socket))
        service.answers["push"] = None
        pushing = asyncio.create_task(socket.pushes.ask(Push(1, 5, [event("A", "b")])))
        await until(lambda: service.of("push"))
        service.wires[0].cut(1008)
        with pytest.raises(Unreachable, match="refuses what was sent"):
            await pushing

    played(scene)


def test_what_a_stopping_service_did_not_take_goes_to_the_next() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        await socket.connect(line_of(socket))
        service.answers["push"] = Stopping("the service stops")
        pushing = asyncio.create_task(socket.pushes.ask(Push(1, 5, [event("A", "b")])))
        await until(lambda: service.of("push"))
        service.answers["push"] = {"op": "pushed", "results": [7]}
        assert await pushing == [7]

    played(scene)


def test_who_waits_for_too_long_is_told() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        service.refusals = [OSError("nobody is there")] * 100
        with pytest.raises(Unreachable, match="nobody is there"):
            await socket.connect(line_of(socket))

    played(scene, patience=0.05)


def test_a_wrong_token_is_told_at_once() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        service.refusals = [Unauthenticated("the token is wrong")]
        with pytest.raises(Unauthenticated):
            await socket.connect(line_of(socket))

    played(scene)


def test_release_says_whether_the_service_has_heard_of_it() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        service.wires[0].cut()
        with pytest.raises(Cut):
            await socket.release(line, end=True)
        with pytest.raises(Disconnected):
            await line.get()

    played(scene)


def test_a_closed_socket_takes_nothing() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        await socket.close()
        with pytest.raises(Stopping):
            await socket.connect(line_of(socket))
        with pytest.raises(Disconnected):
            await line.get()

    played(scene)


def test_what_is_connected_again_is_not_when_the_next_socket_comes() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        lines = [line_of(socket, proxy) for proxy in (5, 6, 7)]
        for line in lines:
            await socket.connect(line)
        service.remaking = asyncio.Event()
        service.answers["connect"] = None
        service.wires[0].cut()
        await until(lambda: service.working == 3)
        service.remaking.set()  # they ask, and no answer comes
        await until(lambda: len(service.of("connect")) == 6)
        service.remaking.clear()
        service.answers.clear()
        service.wires[1].cut()
        await until(lambda: len(service.wires) == 3 and service.working == 3)
        service.remaking.set()
        await until(lambda: all(line.live for line in lines))
        assert len(service.of("connect")) == 9

    played(scene)


def test_a_line_without_a_name_that_is_closed_while_it_comes_back_ends() -> None:
    async def scene(socket: Socket, service: FakeService, told: list[bool]) -> None:
        line = line_of(socket)
        await socket.connect(line)
        service.remaking = asyncio.Event()
        service.wires[0].cut()
        await until(lambda: service.working)
        with pytest.raises(Cut):
            await socket.release(line, end=True)
        service.remaking.set()
        await until(lambda: service.of("release"))
        assert [frame["end"] for frame in service.of("release")] == [True]

    played(scene)
