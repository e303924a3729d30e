"""Lines: a client's connections to proxies, which outlast single WebSockets."""

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

# The service truncates reasons to this length.
_LONGEST_REASON: Final = 1_000
# Seconds; longer than any frame is in transit.
_INSISTING: Final = 1.0
# Seconds before retrying an event that the service does not track.
_PAUSE: Final = 0.1


def told_reason(reason: object) -> str:
    """Convert a reason to a text that can be sent."""
    text = reason if isinstance(reason, str) else repr(reason)
    return text[:_LONGEST_REASON].encode("utf-8", "backslashreplace").decode()


def checked(function: object) -> None:
    """Refuse anything that is not callable or None."""
    if function is not None and not callable(function):
        raise InvalidUsage(f"events and changes are told to a function, not to {function!r:.60}")


class Line:
    """A connection to one proxy that receives only changes of event types.

    It is `live` while the service has it connected to the current socket, and `established` once it
    was ever connected; `error` says why it has ended.
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
        """Channel and proxy, in the program's ids."""
        return self.connect.channel, self.connect.proxy

    @property
    def notices(self) -> bool:
        """Whether the program wants changes of event types."""
        return self.connect.notices and self._on_types is not None

    def types(self, added: Sequence[EventTypePattern], removed: Sequence[EventTypePattern]) -> None:
        """Call the program's function in a later turn of the event loop."""
        if self._on_types is not None:
            asyncio.get_running_loop().call_soon(self._on_types, added, removed)

    def deliver(self, frame: EventsFrame) -> None:
        """Receive events."""

    def poll(self, number: int, most: int) -> None:
        """Answer the service's request for events."""

    def flush(self) -> None:
        """Send pending acknowledgements now."""

    def cut(self) -> None:
        """Handle the loss of the socket; another one will follow."""
        self.live = False

    def end(self, error: TidingsError) -> None:
        """End the line for good."""
        if self.error is None:
            self.error = error
            self.live = False


class ConsumerLine(Line):
    """A push consumer; acknowledgements of one turn of the event loop share a frame."""

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
        # Failed events that must come first: numbers, reason, and how long to insist.
        self._back: set[int] = set()
        self._back_reason = ""
        self._back_until = 0.0
        self.gap = Gap()
        # Missed events from the journal: numbers handed out, and those unacknowledged.
        self._caught_up: set[int] = set()
        self._caught: dict[int, Message] = {}
        # Frames that arrived before the missed events were handed out.
        self._early: list[EventsFrame] | None = None
        # Events received but not read when the socket was cut.
        self._dropped: list[Message] = []

    def hold(self) -> None:
        """Queue arriving events until `catch_up`, because the proxy was recreated."""
        self._early = []

    def catch_up(self, messages: Sequence[Message], *, batch: bool) -> None:
        """Hand out missed events, which the service does not track, then those held meanwhile."""
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
        """Forget unread events: the proxy survived the cut and redelivers them."""
        self._dropped = []

    def _cut_off(self, unseen: Iterable[Message]) -> list[Message]:
        """Note unread events; return those that stay because the service does not track them."""
        self._early = None
        unseen = list(unseen)
        self._dropped += [one for one in unseen if one.seq not in self._caught]
        self._known.cut([one.seq for one in unseen], self._again)
        return [one for one in unseen if one.seq in self._caught]

    def deliver(self, frame: EventsFrame) -> None:
        """Accept new events, and repeat acknowledgements and rejections that were lost."""
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
        """Remove and acknowledge events that the journal had already supplied."""
        twice = [one.seq for one in found.messages if one.seq in self._caught_up]
        if not twice:
            return found
        self._known.acked(twice)
        new = [one for one in found.messages if one.seq not in self._caught_up]
        return found._replace(messages=new, acked=[*found.acked, *twice])

    def _overtakes(self, frame: EventsFrame) -> bool:
        """Fail events that were in transit when earlier ones failed: they must come after those."""
        seqs = [one.seq for one in frame.events]
        late = asyncio.get_running_loop().time() > self._back_until
        if late or not self._back.isdisjoint(seqs):
            self._back.clear()
            return False
        self._back.update(seqs)
        self._send(write_frame(FailFrame(self.number, seqs, self._back_reason)).encode())
        return True

    def _take_in(self, messages: Sequence[Any], *, batch: bool) -> None:
        """Queue events until they are handed out."""

    def _acked(self, seqs: Sequence[int]) -> None:
        if not self._taken:
            asyncio.get_running_loop().call_soon(self.flush)
        self._taken += seqs

    def flush(self) -> None:
        """Send pending acknowledgements."""
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
        """Forget failed events: the service redelivers everything in order."""
        super().cut()
        self._back.clear()

    def end(self, error: TidingsError) -> None:
        """Send pending acknowledgements before ending."""
        self.flush()
        super().end(error)
        self._again.clear()


class StreamLine(ConsumerLine):
    """Events that wait until read: a `Stream`."""

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
        """Number of events waiting."""
        return len(self._waiting)

    def _take_in(self, messages: Sequence[Message], *, batch: bool) -> None:
        self._waiting.extend(messages)
        if self._readers:
            self._wake()

    async def get(self) -> Message:
        """Wait for the next event; raise `Disconnected` when the stream has ended."""
        if not self._waiting:
            await self._filled()
        return self._waiting.popleft()

    def get_nowait(self) -> Message | None:
        """Return the next event if one waits; raise `Disconnected` when the stream has ended."""
        if self._waiting:
            return self._waiting.popleft()
        if self.error is not None:
            raise self.error
        return None

    async def batch(self, most: int) -> Sequence[Message]:
        """Wait for events and return up to `most`; raise `Disconnected` at the stream's end."""
        if not self._waiting:
            await self._filled()
        take = self._waiting.popleft
        return [take() for _ in range(min(most, len(self._waiting)))]

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        self._acked((message.seq,))

    def ack_many(self, messages: Sequence[Message]) -> None:
        """Acknowledge events."""
        if messages:
            self._acked([message.seq for message in messages])

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered before those behind it."""
        behind = [other.seq for other in self._waiting]
        self._waiting.clear()
        self._failed(message.seq, behind, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Turn the event into a dead letter."""
        self._rejected(message.seq, reason)

    def redelivered(self, seq: int) -> bool:
        """Tell whether an unacknowledged event may have been delivered before."""
        return seq in self._again

    def cut(self) -> None:
        """Drop unread events; the service redelivers them."""
        super().cut()
        self._waiting = deque(self._cut_off(self._waiting))

    def end(self, error: TidingsError) -> None:
        """Drop unread events and raise the error in all readers."""
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
