"""Lines: a client's connections to proxies, which outlast single WebSockets."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from tidings.api import frames as f
from tidings.api.forms import reason_form
from tidings.api.items import item_form
from tidings.channel.effects import Message
from tidings.channel.functions import Source, SourceReader, checked_function, error_text
from tidings.channel.management import Connect
from tidings.client.past import PAGE, Wish, judge
from tidings.client.transport import Transport, TypesChanged
from tidings.client.transports.http.redelivery import Arrival, Redelivery
from tidings.errors import CursorNotFound, Disconnected
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.inbox import HandlerRunner, Inbox

# Limits of catching up, because missed events wait in memory; the rest is reported as missed.
MOST: Final = 10_000
MOST_LOOKED_AT: Final = 10 * MOST
# Seconds; longer than any frame is in transit.
_INSISTING: Final = 1.0
# Seconds before retrying an event that the service does not track.
_PAUSE: Final = 0.1


class Missed(NamedTuple):
    """Missed events from the journal, and a description of those it lacks."""

    messages: Sequence[Message]
    words: str


class Gap:
    """How far a line has received events; `start` is the channel's latest number at connecting."""

    def __init__(self) -> None:
        self.start: int | None = None
        # Highest number received by priority: more urgent events overtake others.
        self._highest: dict[int, int] = {}

    def arrived(self, frame: f.EventsFrame) -> None:
        """Record received events."""
        highest = self._highest
        for one in frame.events:
            if one.seq > highest.get(one.priority, 0):
                highest[one.priority] = one.seq

    async def missed(self, transport: Transport, channel: int, wish: Wish) -> Missed:
        """Read the missed events; call after reconnecting, so that later ones come on the line."""
        latest = max(self._highest.values(), default=self.start)
        if latest is None:
            return Missed((), "how many events were missed is not known")
        # Events held back by more urgent ones are not far behind.
        after: int | None = max(min(self._highest.values(), default=latest), latest - MOST)
        wants = judge(wish)
        messages: list[Message] = []
        seen = kept = 0
        while len(messages) < MOST and seen < MOST_LOOKED_AT:
            try:
                page = await transport.history(channel, after, None, PAGE, None)
            except CursorNotFound:  # retention dropped some: start at the oldest kept
                after = None
                continue
            after = page.next
            seen += len(page.messages)
            kept += sum(message.seq > latest for message in page.messages)
            messages += [one for one in page.messages if self._is_behind(one) and wants(one)]
            if page.end:
                return Missed(messages, _lost(page.last - latest - kept))
        return Missed(messages, f"events after number {after} were missed: there are too many")

    def _is_behind(self, message: Message) -> bool:
        """Tell by number and priority whether an event has not been received."""
        highest = [seq for at, seq in self._highest.items() if at <= message.priority]
        return message.seq > max(highest, default=self.start or 0)


def _lost(most: int) -> str:
    if most <= 0:
        return ""
    if most > MOST:  # a crash skips numbers, which look like lost events
        return "how many BestEffort events were missed is not known"
    events = "event" if most == 1 else "events"
    return f"up to {most} {events} missed: BestEffort, or no longer kept"


class Line:
    """A connection to one proxy that receives only changes of event types.

    It is `live` while the service has it connected to the current socket, and `established` once it
    was ever connected; `error` says why it has ended. The socket sets its number there, and how to
    send frames.
    """

    number: int
    send: Callable[[bytes], None]

    def __init__(self, connect: Connect, on_types: TypesChanged | None = None) -> None:
        self.connect = connect
        self.live = self.established = False
        self.error: Exception | None = None
        self._on_types = checked_function(on_types)

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

    def deliver(self, frame: f.EventsFrame) -> None:
        """Receive events."""

    def poll(self, number: int, most: int) -> None:
        """Answer the service's request for events."""

    def flush(self) -> None:
        """Send pending acknowledgements now."""

    def cut(self) -> None:
        """Handle the loss of the socket; another one will follow."""
        self.live = False

    def end(self, error: Exception) -> None:
        """End the line for good."""
        if self.error is None:
            self.error = error
            self.live = False


class ConsumerLine(Line):
    """A push consumer; acknowledgements of one turn of the event loop share a frame."""

    def __init__(self, connect: Connect, on_types: TypesChanged | None = None) -> None:
        super().__init__(connect, on_types)
        self._known = Redelivery(connect.window, sole=not connect.again)
        self._again: set[int] = set()
        self._taken: list[int] = []
        self._in_batches = False
        # Failed events that must come first: numbers, reason, and how long to insist.
        self._back: set[int] = set()
        self._back_reason = ""
        self._back_until = 0.0
        self.gap = Gap()
        # Missed events from the journal: numbers handed out, and those unacknowledged.
        self._caught_up: set[int] = set()
        self._caught: dict[int, Message] = {}
        # Frames that arrived before the missed events were handed out.
        self._early: list[f.EventsFrame] | None = None
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
            self._in_batches = batch
            self._take_in(messages)
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

    def deliver(self, frame: f.EventsFrame) -> None:
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
            self.send(f.write_frame(f.RejectFrame(self.number, [seq], reason)).encode())
        if found.messages:
            self._in_batches = frame.batch
            self._take_in(found.messages)

    def _without_caught_up(self, found: Arrival) -> Arrival:
        """Remove and acknowledge events that the journal had already supplied."""
        twice = [one.seq for one in found.messages if one.seq in self._caught_up]
        if not twice:
            return found
        self._known.acked(twice)
        new = [one for one in found.messages if one.seq not in self._caught_up]
        return found._replace(messages=new, acked=[*found.acked, *twice])

    def _overtakes(self, frame: f.EventsFrame) -> bool:
        """Fail events that were in transit when earlier ones failed: they must come after those."""
        seqs = [one.seq for one in frame.events]
        late = asyncio.get_running_loop().time() > self._back_until
        if late or not self._back.isdisjoint(seqs):
            self._back.clear()
            return False
        self._back.update(seqs)
        self.send(f.write_frame(f.FailFrame(self.number, seqs, self._back_reason)).encode())
        return True

    def _take_in(self, messages: Sequence[Message]) -> None:
        """Queue events until they are handed out."""

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
        self.send(b'{"op":"ack","line":%d,"seqs":%b}' % (self.number, str(seqs).encode()))

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
            self._back_reason = reason_form(reason)
            self._back_until = asyncio.get_running_loop().time() + _INSISTING
            frame = f.FailFrame(self.number, [seq, *behind], self._back_reason)
            self.send(f.write_frame(frame).encode())

    def _take_again(self, messages: Sequence[Message]) -> None:
        if self.error is None:
            self._take_in(messages)

    def _rejected(self, seq: int, reason: object) -> None:
        self.flush()
        if self._caught.pop(seq, None) is not None:
            return
        self._again.discard(seq)
        self._known.rejected(seq, reason_form(reason))
        if self.live:
            self.send(
                f.write_frame(f.RejectFrame(self.number, [seq], reason_form(reason))).encode()
            )

    def cut(self) -> None:
        """Forget failed events: the service redelivers everything in order."""
        super().cut()
        self._back.clear()

    def end(self, error: Exception) -> None:
        """Send pending acknowledgements before ending."""
        self.flush()
        super().end(error)
        self._again.clear()


class StreamLine(ConsumerLine, Inbox):
    """A push consumer whose events wait until read."""

    def __init__(self, connect: Connect, on_types: TypesChanged | None = None) -> None:
        Inbox.__init__(self)
        super().__init__(connect, on_types)

    def _take_in(self, messages: Sequence[Message]) -> None:
        self._put(messages)

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered before those behind it."""
        behind = [other.seq for other in self._waiting]
        self._waiting.clear()
        self._failed(message.seq, behind, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Turn the event into a dead letter."""
        self._rejected(message.seq, reason)

    def cut(self) -> None:
        """Drop unread events; the service redelivers them."""
        super().cut()
        self._waiting = deque(self._cut_off(self._waiting))

    def end(self, error: Exception) -> None:
        """Drop unread events and raise the error in all readers."""
        super().end(error)
        self._end(self.error or error)


class HandlerLine(ConsumerLine, HandlerRunner):
    """A push consumer whose handler is called with events; `Disconnected` calls `leave`."""

    def __init__(
        self, connect: Connect, handler: Callable[..., object], leave: Callable[[], object]
    ) -> None:
        HandlerRunner.__init__(self, checked_function(handler))
        super().__init__(connect)
        self._leave = leave

    def _take_in(self, messages: Sequence[Message]) -> None:
        self._put(messages, batch=self._in_batches)

    def _raised(self, called: list[int], behind: list[int], error: BaseException) -> None:
        if self.error is not None:
            return  # the line has ended: what became of a running call does not matter
        if isinstance(error, Disconnected):
            self._leave()
        else:
            first, *rest = called
            for seq in rest:
                self._known.failed(seq)
            self._failed(first, [*rest, *behind], error_text(error))

    def cut(self) -> None:
        """Drop queued events; the service redelivers them."""
        super().cut()
        queued = [one if isinstance(one, list) else [one] for one in self._queue]
        kept = self._cut_off(message for messages in queued for message in messages)
        self._queue.clear()  # keep the object: a running call uses it
        self._queue.extend([kept] if self._in_batches and kept else kept)

    def end(self, error: Exception) -> None:
        """Stop calling the handler; the result of a running call is ignored."""
        super().end(error)
        self._queue.clear()


class SupplierLine(Line):
    """A pull supplier: a source that the service asks for events.

    Events sent are kept until the service asks again; after a cut before that, they are resent.
    """

    def __init__(self, connect: Connect, on_types: TypesChanged | None, source: Source) -> None:
        super().__init__(connect, on_types)
        self._source = SourceReader(checked_function(source))
        self._handed: list[Any] = []
        self._number = 0
        self._task: asyncio.Task[None] | None = None

    def poll(self, number: int, most: int) -> None:
        """Ask the source, in its own task."""
        self._handed = []
        self._number = number
        if self._task is None and self.error is None:
            self._task = asyncio.get_running_loop().create_task(self._answer(most))

    async def _answer(self, most: int) -> None:
        found: list[Any] = []
        reason, gone = "", False
        try:
            found = await self._source.read(most)
        except Disconnected as error:
            reason, gone = error_text(error), True
        except Exception as error:  # noqa: BLE001 -- reported as the supplier's failure
            reason = error_text(error)
        finally:
            self._task = None
        sent = f.MAX_FRAME_EVENTS if self.live else 0
        self._source.put_back(found[sent:])
        if self.live:
            self._handed = found[:sent]
            # None is an invalid event, which the service refuses in its place.
            events = [
                item_form(item) if isinstance(item, StructuredEvent | AnyValue) else None
                for item in self._handed
            ]
            frame = f.PolledFrame(self.number, self._number, events, reason_form(reason), gone)
            self.send(f.write_frame(frame).encode())

    def cut(self) -> None:
        """Requeue events that the service may not have received."""
        super().cut()
        self._source.put_back(self._handed)
        self._handed = []
