"""One WebSocket: many lines, both ways.

Frames of one socket are dealt with in the order in which they come. A push is handed to the host
at once and answered when it is done, so that many can be under way.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final

from msgspec.structs import replace
from starlette.types import Receive, Send
from starlette.websockets import WebSocket

from tidings.api import frames as f
from tidings.api.items import write_delivered
from tidings.api.problems import problem_of
from tidings.channel.commands import Push
from tidings.channel.effects import Message
from tidings.channel.management import Connect, Detach
from tidings.channel.vocabulary import Form, Item
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint, EventBatch, Types
from tidings.engine.turns import Turns
from tidings.errors import (
    BadInput,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    LimitExceeded,
    TidingsError,
    Unreachable,
)
from tidings.web.event_bodies import read_frame, read_items
from tidings.web.publisher import plain_results, without_bad
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

# Events that wait to be written to one consumer are joined up to this length.
JOINED_CHARACTERS: Final = 256 * 1024
# How often it is looked whether anything was written, while its patience lasts.
_LOOKS: Final = 4


@dataclass(slots=True)
class EventsOut:
    """A frame of events for a line that grows until it is written, or is not `open` any more.

    `again` has the numbers of events that may have come before, `size` the length of all texts.
    """

    line: int
    origin: str
    texts: list[str]
    again: list[int]
    size: int
    open: bool = True

    def add(self, texts: Sequence[str], again: Sequence[int], size: int) -> None:
        """Adds events at the end."""
        self.texts += texts
        self.again += again
        self.size += size

    def close(self) -> str:
        """The frame; nothing more is added."""
        self.open = False
        return f.write_events(self.line, self.origin, ",".join(self.texts), self.again)


class SocketWriter:
    """Writes frames to a WebSocket in order, as fast as its peer reads them.

    At most `most` characters wait. If nothing could be written for `patience` seconds, it calls
    `on_stalled` once and drops everything from then on.
    """

    def __init__(
        self, send: Send, most: int, patience: float, on_stalled: Callable[[str], object]
    ) -> None:
        self._send = send
        self._most = most
        self._patience = patience
        self._on_stalled = on_stalled
        self._loop = asyncio.get_running_loop()
        self._queue: deque[str | EventsOut] = deque()
        self._waiting = 0
        self._written = 0
        self._idle: asyncio.Future[None] | None = None
        self._hungry: list[Callable[[], None]] = []
        self._watch: asyncio.TimerHandle | None = None
        self._ended = False
        self._last: tuple[int, str] | None = None

    @property
    def full(self) -> bool:
        """Whether so much waits that events had better be held back."""
        return self._waiting > self._most // 4

    def put(self, frame: str | EventsOut) -> None:
        """Has a frame written behind those that wait; after the end nothing is."""
        if self._ended:
            return
        self._queue.append(frame)
        self.grew(len(frame) if frame.__class__ is str else frame.size)  # type: ignore[union-attr]
        idle = self._idle
        if idle is not None:
            self._idle = None
            if not idle.done():
                idle.set_result(None)
        if self._watch is None and not self._ended:
            self._look_later(0)

    def grew(self, size: int) -> None:
        """Something that waits became longer."""
        self._waiting += size
        if self._waiting > self._most and len(self._queue) > 1:  # however long one alone may be
            self.stall(f"more than {self._most} characters wait to be read")

    def when_room(self, act: Callable[[], None]) -> None:
        """Calls a function, once, when it is not full any more, or has ended."""
        self._hungry.append(act)

    async def room(self) -> None:
        """Waits until it is not full, or has ended."""
        if self.full:
            made = asyncio.Event()
            self.when_room(made.set)
            await made.wait()

    def finish(self, code: int, reason: str) -> None:
        """Closes the socket behind what waits; nothing more is taken."""
        self._ended = True
        self._last = (code, reason)
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def drop(self) -> None:
        """Takes nothing more, and forgets what waits."""
        self._ended = True
        self._queue.clear()
        self._waiting = 0
        self._feed()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def run(self) -> None:
        """Writes until the socket is closed; the task of whoever has the socket."""
        queue, send = self._queue, self._send
        try:
            while True:
                while queue:
                    frame = queue.popleft()
                    if frame.__class__ is str:
                        text, size = frame, len(frame)
                    else:
                        text, size = frame.close(), frame.size  # type: ignore[union-attr]
                    await send({"type": "websocket.send", "text": text})
                    self._waiting -= size
                    self._written += 1
                    if self._hungry and not self.full:
                        self._feed()
                if self._last is not None:
                    code, reason = self._last
                    await send({"type": "websocket.close", "code": code, "reason": reason})
                    return
                self._idle = self._loop.create_future()
                await self._idle
        except OSError:  # the peer is gone, of which the reading side hears, too
            pass
        finally:
            self.drop()

    def _feed(self) -> None:
        hungry, self._hungry = self._hungry, []
        for act in hungry:
            act()

    def _look_later(self, looks: int) -> None:
        interval = self._patience / _LOOKS
        self._watch = self._loop.call_later(interval, self._look, self._written, looks)

    def _look(self, written: int, looks: int) -> None:
        """Looks whether something was written since; so many looks before found nothing."""
        self._watch = None
        if not self._waiting:
            return
        if self._written != written:
            self._look_later(0)
        elif looks + 1 < _LOOKS:
            self._look_later(looks + 1)
        else:
            self.stall(f"nothing was read for {self._patience:g} s")

    def stall(self, why: str) -> None:
        """The peer is too slow: everything is dropped."""
        if not self._ended:
            self.drop()
            self._on_stalled(why)


class Line(Endpoint):
    """A client at the other end of a WebSocket, for one proxy.

    Everything for the client waits until `ready`: the client first learns that it is connected.
    Events also wait while the client reads slowly: their texts are made when there is room.
    `held` says whether this line prolongs the proxy's lifetime.
    """

    def __init__(self, owner: Socket, number: int, channel: int, proxy: int, origin: str) -> None:
        self._owner = owner
        self._writer = owner.writer
        self._encoded = owner.encoded
        self._most_held = owner.most_held
        self._origin = origin
        self._early: list[Callable[[], None]] | None = []
        self._replayed: set[int] = set()
        self._out: EventsOut | None = None
        self._waiting: deque[EventBatch] = deque()
        self._held_octets = 0
        self._hungry = False
        self._polls: dict[int, asyncio.Future[Sequence[Item]]] = {}
        self._poll_numbers = count(1)
        self._closed = False
        self._released = False
        self.number = number
        self.channel = channel
        self.proxy = proxy
        self.held = False

    # What the engine says.

    def deliver(self, batch: EventBatch) -> None:
        """Writes the events to the client."""
        if self._early is not None or self._replayed:
            self._deliver_later(batch)
            return
        if self._waiting or self._writer.full:
            self._held_octets += _octets(batch.messages)
            self._waiting.append(batch)
            self._feed()
        else:
            self._hand_out(batch)

    def _hand_out(self, batch: EventBatch) -> None:
        """Writes events as far as there is room for their texts; the rest waits."""
        encoded, messages = self._encoded, batch.messages
        if batch.form is Form.SEQUENCE:
            events = ",".join([encoded[message] for message in messages])
            again = _among(batch.again, messages)
            self._writer.put(f.write_events(self.number, self._origin, events, again, batch=True))
            return
        texts: list[str] = []
        size = first = 0
        for at, message in enumerate(messages):
            text = encoded[message]
            texts.append(text)
            size += len(text)
            if size > JOINED_CHARACTERS:
                self._write(texts, _among(batch.again, messages[first : at + 1]), size)
                texts, size, first = [], 0, at + 1
                if self._writer.full and first < len(messages):
                    self._held_octets += _octets(messages[first:])
                    self._waiting.appendleft(replace(batch, messages=messages[first:]))
                    self._feed()
                    return
        if texts:
            self._write(texts, _among(batch.again, messages[first:]), size)

    def _feed(self) -> None:
        """Writes of what waits as much as there is room for, now and later."""
        waiting, writer = self._waiting, self._writer
        while waiting and not writer.full:
            batch = waiting.popleft()
            self._held_octets -= _octets(batch.messages)
            self._hand_out(batch)
        if self._held_octets > self._most_held:
            writer.stall("its window lets more in than is kept for a socket: make it smaller")
        elif waiting and not self._hungry and not self._closed:
            self._hungry = True
            writer.when_room(self._fed)

    def _fed(self) -> None:
        self._hungry = False
        self._feed()

    def _write(self, texts: list[str], again: Sequence[int], size: int) -> None:
        out = self._out
        if out is not None and out.open and out.size + size <= JOINED_CHARACTERS:
            out.add(texts, again, size)
            self._writer.grew(size)
        else:
            self._out = EventsOut(self.number, self._origin, texts, [*again], size)
            self._writer.put(self._out)

    def _deliver_later(self, batch: EventBatch) -> None:
        """Events that come before the line is ready, or that may have been replayed already."""
        if self._early is not None:
            self._early.append(partial(self.deliver, batch))
            return
        known = [m.seq for m in batch.messages if m.seq in self._replayed]
        if known:
            self._replayed.difference_update(known)
            self._answers.ack(self.channel, self.proxy, known)
            batch = replace(batch, messages=[m for m in batch.messages if m.seq not in known])
        if batch.messages:
            replayed, self._replayed = self._replayed, set()
            self.deliver(batch)
            self._replayed = replayed

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Asks the client at the other end."""
        number = next(self._poll_numbers)
        future: asyncio.Future[Sequence[Item]] = asyncio.get_running_loop().create_future()
        self._polls[number] = future
        self._tell(f.PollFrame(self.number, number, most))
        try:
            return await future
        finally:
            self._polls.pop(number, None)

    def offers(self, added: Types, removed: Types) -> None:
        """Tells the client."""
        self._tell(f.TypesFrame.of(self.number, added, removed))

    subscriptions = offers

    def disconnected(self) -> None:
        """Tells the client that its proxy has ended."""
        where = f"proxy {self.proxy} of channel {self.channel}"
        self._end(Disconnected(f"{where} has ended"), ended=True)

    def close(self, error: Exception | None = None) -> None:
        """Ends the line; the client is told, if it has not asked for it."""
        self._end(error, ended=False)

    def _end(self, error: Exception | None, *, ended: bool) -> None:
        if self._closed:
            return
        self._closed = True
        self._waiting.clear()
        if error is not None and not self._released:
            self._tell(f.GoneFrame(self.number, problem_of(error)))
        for future in self._polls.values():
            if not future.done():
                future.set_exception(Unreachable("the line to the supplier was cut"))
        self._owner.forget(self, ended=ended)

    def _tell(self, frame: f.GoneFrame | f.PollFrame | f.TypesFrame) -> None:
        text = f.write_frame(frame)
        if self._early is not None:
            self._early.append(partial(self._writer.put, text))
        else:
            self._writer.put(text)

    # What the socket says.

    def ready(self, replayed: set[int] | None = None) -> None:
        """Release all that waited, except events that were already replayed from the journal."""
        self._replayed = replayed or set()
        early, self._early = self._early or [], None
        for act in early:
            act()

    def replay(self, messages: Sequence[Message], lost: Sequence[tuple[int, int]] = ()) -> None:
        """Writes events of the past, which the client does not answer, and which are lost."""
        if lost:
            told = f.write_events(self.number, self._origin, "", replayed=True, lost=lost)
            self._writer.put(told)
        texts: list[str] = []
        size = 0
        for one in messages:
            text = write_delivered(one)
            texts.append(text)
            size += len(text)
            if one is messages[-1] or size > JOINED_CHARACTERS:
                events = ",".join(texts)
                self._writer.put(f.write_events(self.number, self._origin, events, replayed=True))
                texts, size = [], 0

    def release(self) -> None:
        """The client itself ends the line: it is not told of it."""
        self._released = True

    def ack(self, seqs: Sequence[int]) -> None:
        """The client has taken events."""
        if not self._closed:
            self._answers.ack(self.channel, self.proxy, seqs)

    def fail(self, seqs: Sequence[int], reason: str) -> None:
        """The client could not take events."""
        if not self._closed:
            self._answers.failed(self.channel, self.proxy, seqs, reason)

    def reject(self, seqs: Sequence[int], reason: str) -> None:
        """The client will never take events."""
        if not self._closed:
            self._answers.reject(self.channel, self.proxy, seqs, reason)

    def polled(self, frame: f.PolledFrame, found: Iterable[Item | TidingsError]) -> None:
        """Take the client's answer to a poll; if it holds something else than events, fail it."""
        future = self._polls.pop(frame.poll, None)
        if future is None or future.done():
            return  # it was asked before a cut, or has answered already
        if frame.gone:
            future.set_exception(Disconnected(frame.reason or "the supplier is no more"))
            return
        if frame.reason:
            future.set_exception(TidingsError(frame.reason))
            return
        items: list[Item] = []
        for item in found:
            if isinstance(item, TidingsError):
                future.set_exception(item)
                raise item
            items.append(item)
        future.set_result(items)


def _octets(messages: Sequence[Message]) -> int:
    return sum([message.octets for message in messages])


def _among(again: frozenset[int], messages: Sequence[Message]) -> Sequence[int]:
    return [message.seq for message in messages if message.seq in again] if again else ()


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
        self.encoded = state.encoded
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
                if kind is f.PushFrame:
                    events = len(frame.events)  # type: ignore[union-attr]
                    await self._push(frame, text, len(text) + (1 + events) * _EVENT_OVERHEAD)  # type: ignore[arg-type]
                    if self._under_way > self._most_under_way:
                        self._room = asyncio.get_running_loop().create_future()
                        await self._room
                elif kind is f.AckFrame:
                    line = lines.get(frame.line)  # type: ignore[union-attr]
                    if line is not None:
                        line.ack(frame.seqs)  # type: ignore[union-attr]
                else:
                    await self._handle(frame, text)
            except (BadInput, LimitExceeded) as error:
                self._refuse(f.frame_id(text), error)
                no_json = isinstance(error, InvalidEvent)
                return _NO_JSON if no_json else _BAD_FRAME, "the frame cannot be understood"
            except Exception as fault:
                log.exception("a frame has met a fault")
                self._refuse(f.frame_id(text), fault)
                return _FAULT, "the service met an error of its own"
            if turns.over:
                await turns.give()

    def _refuse(self, id: int | None, error: Exception) -> None:
        self.writer.put(f.write_frame(f.ErrorFrame(id, problem_of(error))))

    async def _handle(self, frame: f.ClientFrame, text: str) -> None:
        """Deals with all but pushes and acks."""
        if isinstance(frame, f.ConnectFrame):
            await self._answered(frame.id, self._connect(frame))
        elif isinstance(frame, f.ReleaseFrame):
            await self._answered(frame.id, self._release(frame))
        else:
            assert isinstance(frame, f.FailFrame | f.RejectFrame | f.PolledFrame)
            line = self._lines.get(frame.line)
            if line is None:
                return  # it has ended, of which the client may not have heard yet
            if isinstance(frame, f.FailFrame):
                line.fail(frame.seqs, frame.reason)
            elif isinstance(frame, f.RejectFrame):
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
            self.writer.put(f.write_frame(f.OkFrame(id)))
            if then is not None:
                then()

    # Events in.

    async def _push(self, frame: f.PushFrame, text: str, size: int) -> None:
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
        self.writer.put(f.write_pushed(id, plain_results(answers, self._state.counts)))

    # Lines.

    async def _connect(self, frame: f.ConnectFrame) -> Callable[[], None]:
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

    async def _release(self, frame: f.ReleaseFrame) -> None:
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
                host.tell(Detach(*key))  # whatever the client may do by now
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
