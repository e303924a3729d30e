"""One WebSocket: many lines, both ways.

Frames of one socket are dealt with in the order in which they come. A push is handed to the host
at once and answered when it is done, so that many can be under way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from starlette.types import Receive, Send
from starlette.websockets import WebSocket

from tidings.api.frames import (
    AckFrame,
    ClientFrame,
    ConnectFrame,
    ErrorFrame,
    FailFrame,
    OkFrame,
    PolledFrame,
    PushFrame,
    RejectFrame,
    ReleaseFrame,
    frame_id,
    write_frame,
    write_pushed,
)
from tidings.api.problems import problem_of
from tidings.channel.commands import Push
from tidings.channel.management import Connect, Detach
from tidings.engine.door import LocalDoor
from tidings.engine.turns import Turns
from tidings.errors import BadInput, InvalidEvent, InvalidUsage, LimitExceeded, TidingsError
from tidings.web.encoded import encoded_of
from tidings.web.event_bodies import read_frame, read_items
from tidings.web.lines import Line
from tidings.web.results import plain_results, without_bad
from tidings.web.socket_writer import SocketWriter
from tidings.web.state import WebState

log = logging.getLogger(__name__)

# What one event, and a push, that is under way counts for beside its text: of the smallest
# events, some thousands are under way before the socket is not read any more.
_EVENT_OVERHEAD: Final = 4_096
# How much content one line may hold back, in parts of what may wait to be written.
_WINDOWS_KEPT: Final = 4

# Codes of RFC 6455 that a socket is closed with.
_UNSUPPORTED: Final = 1003
_NO_JSON: Final = 1007
_BAD_FRAME: Final = 1008
_FAULT: Final = 1011
_TOO_SLOW: Final = 1013


class Socket:
    """One WebSocket: its lines, and what comes and goes over them.

    Accept the connection before `serve`. `most_held` bounds the content that a line holds back.
    """

    def __init__(self, state: WebState, door: LocalDoor, websocket: WebSocket) -> None:
        options = state.options
        # The server's own functions: what stands in front of them costs a part of each frame.
        self._receive: Receive = websocket._receive
        self._send: Send = websocket._send
        self._state = state
        self._door = door
        self._lines: dict[int, Line] = {}
        self._under_way = 0
        self._most_under_way = options.max_socket_octets
        self._room: asyncio.Future[None] | None = None
        self._task = asyncio.current_task()
        self._stalled: asyncio.Task[None] | None = None
        self.encoded = state.part(encoded_of)
        self.most_held = _WINDOWS_KEPT * options.max_socket_octets
        self.writer = SocketWriter(
            self._send, options.max_socket_octets, options.write_patience, self._on_stalled
        )

    async def serve(self) -> int:
        """Deals with frames until the socket is closed; the code it was closed with."""
        counts = self._state.counts
        loop = asyncio.get_running_loop()
        writing = loop.create_task(self.writer.run())
        counts.websockets += 1
        try:
            code, reason = await self._read()
            if reason:
                self.writer.finish(code, reason)
                await self._patiently(writing)
            return code
        except asyncio.CancelledError:
            if self._stalled is None or self._task is None or not self._stalled.done():
                raise
            self._task.uncancel()
            return _TOO_SLOW
        finally:
            counts.websockets -= 1
            if not loop.is_closed():  # else nobody is left to be told
                self.writer.drop()
                writing.cancel()
                self.detach()

    # Reading.

    async def _read(self) -> tuple[int, str]:
        """Deals with what comes; the code at its end, and why it is to be closed, if it is."""
        receive, lines = self._receive, self._lines
        turns = Turns()
        while True:
            message = await receive()
            turns.go_on()
            if message["type"] != "websocket.receive":
                return message.get("code", 1005), ""
            text = message.get("text")
            if text is None:
                self._refuse(None, BadInput("frames are JSON in text messages, not binary ones"))
                return _UNSUPPORTED, "binary message"
            try:
                frame = await read_frame(text, self._state.bounds)
                kind = frame.__class__
                if kind is PushFrame:
                    events = len(frame.events)  # type: ignore[union-attr]
                    await self._push(frame, text, len(text) + (1 + events) * _EVENT_OVERHEAD)  # type: ignore[arg-type]
                    if self._under_way > self._most_under_way:
                        await self._made_room()
                elif kind is AckFrame:
                    line = lines.get(frame.line)  # type: ignore[union-attr]
                    if line is not None:
                        line.ack(frame.seqs)  # type: ignore[union-attr]
                else:
                    await self._handle(frame, text)
            except (BadInput, LimitExceeded) as error:
                self._refuse(frame_id(text), error)
                no_json = isinstance(error, InvalidEvent)
                return _NO_JSON if no_json else _BAD_FRAME, "the frame cannot be understood"
            except Exception as fault:
                log.exception("a frame has met a fault")
                self._refuse(frame_id(text), fault)
                return _FAULT, "the service met an error of its own"
            if turns.over:
                await turns.give()

    def _refuse(self, id: int | None, error: Exception) -> None:
        self.writer.put(write_frame(ErrorFrame(id, problem_of(error))))

    async def _handle(self, frame: ClientFrame, text: str) -> None:
        """Deals with all but pushes and acks."""
        if isinstance(frame, ConnectFrame):
            await self._answered(frame.id, self._connect(frame))
        elif isinstance(frame, ReleaseFrame):
            await self._answered(frame.id, self._release(frame))
        else:
            assert isinstance(frame, FailFrame | RejectFrame | PolledFrame)
            line = self._lines.get(frame.line)
            if line is None:
                return  # it has ended, of which the client may not have heard yet
            if isinstance(frame, FailFrame):
                line.fail(frame.seqs, frame.reason)
            elif isinstance(frame, RejectFrame):
                line.reject(frame.seqs, frame.reason)
            else:
                try:
                    line.polled(frame, await read_items(frame.events, text))
                except TidingsError as error:
                    self._refuse(None, error)

    async def _answered(self, id: int, work: Awaitable[Callable[[], None] | None]) -> None:
        try:
            then = await work
        except TidingsError as error:
            self._refuse(id, error)
        else:
            self.writer.put(write_frame(OkFrame(id)))
            if then is not None:
                then()

    # Events in.

    async def _push(self, frame: PushFrame, text: str, size: int) -> None:
        try:
            most = self._state.options.max_batch
            if len(frame.events) > most:
                raise LimitExceeded(f"{len(frame.events)} events are more than the {most} taken")
            items = await read_items(frame.events, text)
            good, marks, bad = without_bad(items, frame.producer_marks())
            command = Push(frame.channel, frame.proxy, good, marks, (), frame.trail)
            future = self._door.ask(command)
        except TidingsError as error:
            self._refuse(frame.id, error)
            return
        self._under_way += size
        self._state.lifetimes.touch(frame.channel, frame.proxy)
        future.add_done_callback(partial(self._pushed, frame.id, size, bad))

    def _pushed(
        self, id: int, size: int, bad: dict[int, TidingsError], future: asyncio.Future[Any]
    ) -> None:
        self._under_way -= size
        if self._room is not None and self._under_way <= self._most_under_way:
            room, self._room = self._room, None
            if not room.done():
                room.set_result(None)
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            self._refuse(id, error)  # type: ignore[arg-type]
            return
        answers = future.result()
        for at, one in bad.items():
            answers.insert(at, one)
        self.writer.put(write_pushed(id, plain_results(answers, self._state.counts)))

    async def _made_room(self) -> None:
        self._room = asyncio.get_running_loop().create_future()
        await self._room

    # Lines.

    async def _connect(self, frame: ConnectFrame) -> Callable[[], None]:
        found = self._door.views.proxy(frame.channel, frame.proxy)
        # Where nobody is, nobody is turned out.
        again = frame.again or (found.connected and not found.attached)
        command = Connect(frame.channel, frame.proxy, True, frame.notices, frame.window, "", again)
        line = await self.connect(frame.line, command)
        return line.ready

    async def connect(self, number: int, command: Connect) -> Line:
        """Connect a line; nothing comes over it before it is `Line.ready`."""
        if number in self._lines:
            raise InvalidUsage(f"line {number} of this socket is in use: release it first")
        channel, proxy = command.channel, command.proxy
        origin = self._door.views.channel(channel).origin
        line = Line(self, number, channel, proxy, origin)
        self._lines[number] = line
        line.held = self._state.lifetimes.hold(channel, proxy)
        try:
            await self._door.connect(command, line)
        except BaseException:
            self.forget(line, ended=False)
            raise
        return line

    async def _release(self, frame: ReleaseFrame) -> None:
        line = self._lines.get(frame.line)
        if line is None:
            raise InvalidUsage(f"this socket has no line {frame.line}")
        line.release()
        try:
            await self._door.release(line.channel, line.proxy, line, end=frame.end)
        finally:
            self.forget(line, ended=frame.end)

    def forget(self, line: Line, *, ended: bool) -> None:
        """A line is over; with `ended` so is its proxy."""
        if self._lines.get(line.number) is line:
            del self._lines[line.number]
            lifetimes = self._state.lifetimes
            if ended:
                lifetimes.forget(line.channel, line.proxy)
            elif line.held:
                lifetimes.release(line.channel, line.proxy)

    def fail(self, error: Exception) -> None:
        """Closes the socket because of something that is not its client's fault."""
        self._refuse(None, error)
        self.writer.finish(_FAULT, "the service cannot go on")

    def detach(self) -> None:
        """The socket is cut: its proxies stay, and what was in flight waits again."""
        host = self._state.host
        for line in list(self._lines.values()):
            line.release()
            key = (line.channel, line.proxy)
            if host.endpoint(*key) is line:  # no other client has taken over
                line.close()
                self._door.tell(Detach(*key))
            self.forget(line, ended=False)

    # A peer that does not read.

    def _on_stalled(self, why: str) -> None:
        log.info("a WebSocket is closed: %s", why)
        loop = asyncio.get_running_loop()
        self._stalled = loop.create_task(self._end_stalled(why))

    async def _end_stalled(self, why: str) -> None:
        self.detach()
        close = {"type": "websocket.close", "code": _TOO_SLOW, "reason": why}
        sent = await self._patiently(asyncio.ensure_future(self._send(close)))
        if not sent and self._task is not None:
            asyncio.get_running_loop().call_soon(self._task.cancel)

    async def _patiently(self, work: asyncio.Future[Any]) -> bool:
        """Waits for something to be written, but not for ever; whether it was."""
        await asyncio.wait({work}, timeout=self._state.options.write_patience)
        if work.done():
            return work.cancelled() or work.exception() is None
        work.cancel()
        return False
