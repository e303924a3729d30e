"""Lines: what a client has connected, over one WebSocket after the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from tidings.api.frames import (
    EventsFrame,
    FailFrame,
    RejectFrame,
    write_frame,
)
from tidings.channel.management import Connect
from tidings.client.transport import Message, TypesChanged
from tidings.client.transports.http.gap import Gap
from tidings.client.transports.http.redelivery import Arrival, Redelivery
from tidings.errors import InvalidUsage, TidingsError
from tidings.filters.constraint import EventTypePattern

Sender: TypeAlias = Callable[[bytes], None]
"""Sends a frame."""

# What the service keeps of a reason.
_LONGEST_REASON: Final = 1_000
# Longer than anything is on its way from the service, in seconds.
_INSISTING: Final = 1.0
# How long what could not be dealt with waits, if the service does not know of it, in seconds.
_PAUSE: Final = 0.1


def told_reason(reason: object) -> str:
    """A program's words as they can be sent, whatever they are."""
    text = reason if isinstance(reason, str) else repr(reason)
    return text[:_LONGEST_REASON].encode("utf-8", "backslashreplace").decode()


def checked(function: object) -> None:
    """Refuses what cannot be called.

    Raises:
        InvalidUsage: It cannot.
    """
    if function is not None and not callable(function):
        raise InvalidUsage(f"events and changes are told to a function, not to {function!r:.60}")


class Line:
    """A connection to one proxy; as it is, one that only hears of event types.

    Args:
        connect: With the ids the program knows.
        number: Its number on every socket.
        send: Sends a frame.
        on_types: Told which event types were added and which removed.

    Attributes:
        live: Whether frames can be sent: the service has connected it to the present socket.
        established: Whether the service has connected it once.
        error: Why it has ended; None while it has not.
    """

    def __init__(
        self,
        connect: Connect,
        number: int,
        send: Sender,
        on_types: TypesChanged | None = None,
    ) -> None:
        checked(on_types)
        self.connect = connect
        self.number = number
        self.live = self.established = False
        self.error: TidingsError | None = None
        self._send = send
        self._on_types = on_types

    @property
    def key(self) -> tuple[int, int]:
        """Channel and proxy, as the program knows them."""
        return self.connect.channel, self.connect.proxy

    @property
    def notices(self) -> bool:
        """Whether changes of event types are told to anybody."""
        return self.connect.notices and self._on_types is not None

    def types(self, added: Sequence[EventTypePattern], removed: Sequence[EventTypePattern]) -> None:
        """Tells the program in a later turn of the loop."""
        if self._on_types is not None:
            asyncio.get_running_loop().call_soon(self._on_types, added, removed)

    def deliver(self, frame: EventsFrame) -> None:
        """Events came."""

    def poll(self, number: int, most: int) -> None:
        """The service asks for events."""

    def flush(self) -> None:
        """Answers at once what was dealt with."""

    def cut(self) -> None:
        """The socket is gone; another one will come."""
        self.live = False

    def end(self, error: TidingsError) -> None:
        """Nothing more comes."""
        if self.error is None:
            self.error = error
            self.live = False


class ConsumerLine(Line):
    """A push consumer.

    Acknowledgements of one turn of the loop go in one frame.
    """

    def __init__(
        self,
        connect: Connect,
        number: int,
        send: Sender,
        on_types: TypesChanged | None = None,
    ) -> None:
        super().__init__(connect, number, send, on_types)
        self._known = Redelivery(connect.window, sole=not connect.again)
        self._again: set[int] = set()
        self._taken: list[int] = []
        # What was given back and must come first: numbers, why, and how long to insist on it.
        self._back: set[int] = set()
        self._back_reason = ""
        self._back_until = 0.0
        self.gap = Gap()
        # Of what was missed while the proxy was gone: numbers handed out, and what is unanswered.
        self._caught_up: set[int] = set()
        self._caught: dict[int, Message] = {}
        # Came before what was missed has been handed out.
        self._early: list[EventsFrame] | None = None
        # Came, and were not taken when the line was cut.
        self._dropped: list[Message] = []

    def hold(self) -> None:
        """The proxy was made again: what comes waits until `catch_up`."""
        self._early = []

    def catch_up(self, messages: Sequence[Message], *, batch: bool) -> None:
        """Hands out what the journal has of the gap, before what came meanwhile.

        The service does not wait to hear what became of it.
        """
        early, self._early = self._early or [], None
        messages = [*self._dropped, *messages]
        self._dropped = []
        if self.error is None and messages:
            self._caught |= {message.seq: message for message in messages}
            self._caught_up = set(self._caught)
            self._take_in(messages, batch=batch)
        for frame in early:
            self.deliver(frame)

    def kept(self) -> None:
        """The proxy has outlived the cut: it delivers again what was not taken."""
        self._dropped = []

    def _cut_off(self, unseen: Iterable[Message]) -> list[Message]:
        """Notes what was not taken; what of it the service does not know, and so stays."""
        self._early = None
        unseen = list(unseen)
        self._dropped += [one for one in unseen if one.seq not in self._caught]
        self._known.cut([one.seq for one in unseen], self._again)
        return [one for one in unseen if one.seq in self._caught]

    def deliver(self, frame: EventsFrame) -> None:
        """Takes in what is to be handed out, and answers again what was answered before."""
        if self.error is not None:
            return
        self.live = True
        if self._early is not None:
            self._early.append(frame)
            return
        if self._back and self._overtakes(frame):
            return
        self.gap.arrived(frame)
        found = self._known.arrived(frame.messages(), frame.again)
        if self._caught_up:
            found = self._without_caught_up(found)
        if found.marked:
            self._again.update(found.marked)
        if found.acked:
            self._send_ack(found.acked)
        for seq, reason in found.rejected:
            self._send(write_frame(RejectFrame(self.number, [seq], reason)).encode())
        if found.messages:
            self._take_in(found.messages, batch=frame.batch)

    def _without_caught_up(self, found: Arrival) -> Arrival:
        """Without what the journal had, too: it is acknowledged, and comes once."""
        twice = [one.seq for one in found.messages if one.seq in self._caught_up]
        if not twice:
            return found
        self._known.acked(twice)
        new = [one for one in found.messages if one.seq not in self._caught_up]
        return found._replace(messages=new, acked=[*found.acked, *twice])

    def _overtakes(self, frame: EventsFrame) -> bool:
        """Gives back events that were on their way already when others were given back.

        They come again behind those.
        """
        seqs = [one.seq for one in frame.events]
        late = asyncio.get_running_loop().time() > self._back_until
        if late or not self._back.isdisjoint(seqs):
            self._back.clear()
            return False
        self._back.update(seqs)
        self._send(write_frame(FailFrame(self.number, seqs, self._back_reason)).encode())
        return True

    def _take_in(self, messages: Sequence[Any], *, batch: bool) -> None:
        """Keeps events until they are handed out."""

    def _acked(self, seqs: Sequence[int]) -> None:
        if not self._taken:
            asyncio.get_running_loop().call_soon(self.flush)
        self._taken += seqs

    def flush(self) -> None:
        """Answers what was dealt with."""
        taken = self._taken
        if taken and self.error is None:
            self._taken = []
            if self._caught:
                taken = [seq for seq in taken if self._caught.pop(seq, None) is None]
                if not taken:
                    return
            self._known.acked(taken)
            if self._again:
                self._again.difference_update(taken)
            if self.live:
                self._send_ack(taken)

    def _send_ack(self, seqs: Sequence[int]) -> None:
        self._send(b'{"op":"ack","line":%d,"seqs":%b}' % (self.number, str(seqs).encode()))

    def _failed(self, seq: int, behind: list[int], reason: object) -> None:
        self.flush()
        if self._caught and (back := [s for s in (seq, *behind) if s in self._caught]):
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE, self._take_again, [self._caught[one] for one in back])
            rest = [one for one in (seq, *behind) if one not in self._caught]
            if not rest:
                return
            seq, *behind = rest
        self._known.failed(seq, behind)
        if self.live:
            self._back = {seq, *behind}
            self._back_reason = told_reason(reason)
            self._back_until = asyncio.get_running_loop().time() + _INSISTING
            frame = FailFrame(self.number, [seq, *behind], self._back_reason)
            self._send(write_frame(frame).encode())

    def _take_again(self, messages: Sequence[Message]) -> None:
        if self.error is None:
            self._take_in(messages, batch=False)

    def _rejected(self, seq: int, reason: object) -> None:
        self.flush()
        if self._caught.pop(seq, None) is not None:
            return
        self._again.discard(seq)
        self._known.rejected(seq, told_reason(reason))
        if self.live:
            self._send(write_frame(RejectFrame(self.number, [seq], told_reason(reason))).encode())

    def cut(self) -> None:
        """What was given back comes again in order, anyway."""
        super().cut()
        self._back.clear()

    def end(self, error: TidingsError) -> None:
        """What is acknowledged leaves before the end."""
        self.flush()
        super().end(error)
        self._again.clear()


class StreamLine(ConsumerLine):
    """Events that wait until they are taken: a `Stream`."""

    def __init__(
        self,
        connect: Connect,
        number: int,
        send: Sender,
        on_types: TypesChanged | None = None,
    ) -> None:
        super().__init__(connect, number, send, on_types)
        self._waiting: deque[Message] = deque()
        self._readers: list[asyncio.Future[None]] = []

    def __len__(self) -> int:
        """How many events wait to be taken."""
        return len(self._waiting)

    def _take_in(self, messages: Sequence[Message], *, batch: bool) -> None:
        self._waiting.extend(messages)
        if self._readers:
            self._wake()

    async def get(self) -> Message:
        """The next event; waits for it.

        Raises:
            Disconnected: The stream has ended.
        """
        if not self._waiting:
            await self._filled()
        return self._waiting.popleft()

    def get_nowait(self) -> Message | None:
        """The next event; None if none waits.

        Raises:
            Disconnected: The stream has ended.
        """
        if self._waiting:
            return self._waiting.popleft()
        if self.error is not None:
            raise self.error
        return None

    async def batch(self, most: int) -> Sequence[Message]:
        """The next events, at most so many; waits for the first.

        Raises:
            Disconnected: The stream has ended.
        """
        if not self._waiting:
            await self._filled()
        take = self._waiting.popleft
        return [take() for _ in range(min(most, len(self._waiting)))]

    def ack(self, message: Message) -> None:
        """The event was dealt with."""
        self._acked((message.seq,))

    def ack_many(self, messages: Sequence[Message]) -> None:
        """The events were dealt with."""
        if messages:
            self._acked([message.seq for message in messages])

    def fail(self, message: Message, reason: str) -> None:
        """The event is to come again later, and before those that wait behind it."""
        behind = [other.seq for other in self._waiting]
        self._waiting.clear()
        self._failed(message.seq, behind, reason)

    def reject(self, message: Message, reason: str) -> None:
        """The event shall never come again: it becomes a dead letter."""
        self._rejected(message.seq, reason)

    def redelivered(self, seq: int) -> bool:
        """Whether an event that was not acknowledged yet may have come before."""
        return seq in self._again

    def cut(self) -> None:
        """What was not taken comes again."""
        super().cut()
        self._waiting = deque(self._cut_off(self._waiting))

    def end(self, error: TidingsError) -> None:
        """Who waits or takes gets the error; what waited is dropped."""
        super().end(error)
        self._waiting.clear()
        self._wake()

    async def _filled(self) -> None:
        while not self._waiting:
            if self.error is not None:
                raise self.error
            reader = asyncio.get_running_loop().create_future()
            self._readers.append(reader)
            try:
                await reader
            except asyncio.CancelledError:
                if reader in self._readers:
                    self._readers.remove(reader)
                raise

    def _wake(self) -> None:
        for reader in self._readers:
            if not reader.done():
                reader.set_result(None)
        self._readers.clear()
