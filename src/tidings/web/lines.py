"""The lines of a WebSocket: each is how the client of one proxy is reached."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Protocol

from msgspec.structs import replace

from tidings.api.delivered import write_delivered
from tidings.api.frames import (
    GoneFrame,
    PolledFrame,
    PollFrame,
    TypesFrame,
    write_events,
    write_frame,
)
from tidings.api.problems import problem_of
from tidings.channel.effects import Message
from tidings.channel.vocabulary import Form, Item
from tidings.engine.endpoints import Endpoint, EventBatch, Types
from tidings.errors import Disconnected, TidingsError, Unreachable
from tidings.web.encoded import Encoded
from tidings.web.socket_writer import JOINED_CHARACTERS, EventsOut, SocketWriter


class LineOwner(Protocol):
    """The socket a line belongs to; `most_held` bounds the content that a line holds back."""

    writer: SocketWriter
    encoded: Encoded
    most_held: int

    def forget(self, line: Line, *, ended: bool) -> None:
        """The line is over; with `ended` so is its proxy."""
        ...


class Line(Endpoint):
    """A client at the other end of a WebSocket, for one proxy.

    Everything for the client waits until `ready`: the client first learns that it is connected.
    Events also wait while the client reads slowly: their texts are made when there is room.
    `held` says whether this line prolongs the proxy's lifetime.
    """

    def __init__(
        self,
        owner: LineOwner,
        number: int,
        channel: int,
        proxy: int,
        origin: str,
    ) -> None:
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
            self._writer.put(write_events(self.number, self._origin, events, again, batch=True))
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
            self._out = EventsOut(self.number, self._origin, texts, again, size)
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
        self._tell(PollFrame(self.number, number, most))
        try:
            return await future
        finally:
            self._polls.pop(number, None)

    def offers(self, added: Types, removed: Types) -> None:
        """Tells the client."""
        self._tell(TypesFrame.of(self.number, added, removed))

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tells the client."""
        self._tell(TypesFrame.of(self.number, added, removed))

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
            self._tell(GoneFrame(self.number, problem_of(error)))
        for future in self._polls.values():
            if not future.done():
                future.set_exception(Unreachable("the line to the supplier was cut"))
        self._owner.forget(self, ended=ended)

    def _tell(self, frame: GoneFrame | PollFrame | TypesFrame) -> None:
        text = write_frame(frame)
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
            told = write_events(self.number, self._origin, "", replayed=True, lost=lost)
            self._writer.put(told)
        texts: list[str] = []
        size = 0
        for one in messages:
            text = write_delivered(one)
            texts.append(text)
            size += len(text)
            if one is messages[-1] or size > JOINED_CHARACTERS:
                events = ",".join(texts)
                self._writer.put(write_events(self.number, self._origin, events, replayed=True))
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

    def polled(self, frame: PolledFrame, found: Iterable[Item | TidingsError]) -> None:
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
