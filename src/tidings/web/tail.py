"""Server-sent events: a channel as it goes, each event at most once.

``Last-Event-ID`` goes on from the journal without a gap. A reader that is too slow is told so
(`overflow`) and comes back the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query, Response
from starlette.types import Receive, Scope, Send

from tidings.api.items import write_delivered
from tidings.api.problems import problem_of
from tidings.channel.effects import Message
from tidings.channel.management import Connect, Disconnect, ObtainProxy
from tidings.channel.qos import OrderPolicy
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.errors import Disconnected, LimitExceeded, TidingsError
from tidings.events.codecs.json_text import write_json
from tidings.web.bodies import StrictRoute, client_gone
from tidings.web.paths import ChannelId, Number
from tidings.web.replay import Replay, Wanted
from tidings.web.routes.operations import make_proxy
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["events"], route_class=StrictRoute)

_WINDOW: Final = 1_000
# What waits for one reader at most.
_MOST_EVENTS: Final = 10_000
_MOST_OCTETS: Final = 16 * 1024 * 1024
# Events written at once.
_AT_ONCE: Final = 100

_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events as they come: `id` is the number, `data` the event. `lost` has "
        "the first and last numbers of past events that damage has cost. The last one is "
        "`overflow` if the reader was too slow, or `gone`, with a problem.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class TailBuffer(Endpoint):
    """A push consumer that takes everything at once and keeps a bounded amount for a reader.

    Attributes:
        end: Why it takes nothing more: the name of the last event, and the error.
        filled: Set while there is something to read, or the end.
    """

    def __init__(self, events: int = _MOST_EVENTS, octets: int = _MOST_OCTETS) -> None:
        self._most_events = events
        self._most_octets = octets
        self._waiting: list[Message] = []
        self._octets = 0
        self.end: tuple[str, Exception] | None = None
        self.filled = asyncio.Event()

    def deliver(self, batch: EventBatch) -> None:
        """Keeps the events, which are done with for the channel."""
        self._answers.ack(batch.channel, batch.proxy, [message.seq for message in batch.messages])
        if self.end is not None:
            return
        self._waiting += batch.messages
        self._octets += sum([message.octets for message in batch.messages])
        if len(self._waiting) > self._most_events or self._octets > self._most_octets:
            self._waiting.clear()
            told = "events come faster than they are read; go on with Last-Event-ID"
            self._finish("overflow", LimitExceeded(told))
        self.filled.set()

    def disconnected(self) -> None:
        """The proxy has ended, or its channel."""
        self._finish("gone", Disconnected("the subscription behind this stream has ended"))

    def close(self, error: Exception | None = None) -> None:
        """Nothing more comes."""
        self._finish("gone", error or Disconnected("the service has stopped"))

    def take(self) -> list[Message]:
        """What waits; nothing waits afterwards."""
        taken, self._waiting = self._waiting, []
        self._octets = 0
        if self.end is None:
            self.filled.clear()
        return taken

    def _finish(self, name: str, error: Exception) -> None:
        if self.end is None:
            self.end = (name, error)
            self.filled.set()


@router.get(
    "/channels/{channel}/tail",
    summary="Events as they come",
    response_class=Response,
    responses=_STREAM,
)
async def tail(
    state: State,
    door: Door,
    channel: ChannelId,
    wanted: Wanted,
    after: Annotated[
        Number | None, Query(description="Begins with what came after this number.")
    ] = None,
    last_event_id: Annotated[
        Number | None, Header(description="As `after`; sent by browsers that come back.")
    ] = None,
) -> Response:
    """Server-sent events, each at most once; for looking on, not for work that must be done.

    `Last-Event-ID` or `after` goes on from the journal without a gap. Whoever reads too slowly
    gets the event `overflow` at the end, and can come back with the last id.
    """
    start = after if last_event_id is None else last_event_id
    before = door.views.channel(channel).seq
    # In the order of their numbers, or the last number would say nothing of those before.
    qos = {"OrderPolicy": OrderPolicy.FIFO.value}
    command = ObtainProxy(channel, qos=qos, constraints=(wanted,) if wanted else ())
    with state.stream() as held:
        proxy = await make_proxy(state, door, command)
        place = held.pop_all()
    buffer = TailBuffer()
    made = Tail(state, door, channel, proxy, buffer, place)
    try:
        state.lifetimes.hold(channel, proxy)
        await door.connect(Connect(channel, proxy, notices=False, window=_WINDOW), buffer)
        if start is not None:
            await made.begin_with(Replay(door, channel, wanted, start, None), before)
    except BaseException:
        made.end()
        raise
    return made


class Tail(Response):
    """The stream for one reader; its proxy and its place end with it."""

    media_type = "text/event-stream"

    def __init__(
        self,
        state: WebState,
        door: LocalDoor,
        channel: int,
        proxy: int,
        buffer: TailBuffer,
        place: ExitStack,
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._state = state
        self._door = door
        self._channel = channel
        self._proxy = proxy
        self._buffer = buffer
        self._place = place
        self._replay: Replay | None = None
        self._before = 0

    async def begin_with(self, replay: Replay, before: int) -> None:
        """Put past events first; `before` is the channel's last number before the consumer."""
        await replay.begin()
        self._replay, self._before = replay, before

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Writes events until the reader goes away."""
        self._state.counts.tails += 1
        gone = asyncio.ensure_future(client_gone(receive))
        try:
            headers = self.raw_headers
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._write(send, ": the stream begins\n\n")
            replayed = await self._past(send)
            await self._live(send, gone, replayed)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (TimeoutError, OSError):
            pass  # nobody reads
        finally:
            self._state.counts.tails -= 1
            gone.cancel()
            self.end()

    def end(self) -> None:
        """Ends the proxy, and gives the place back."""
        self._place.close()
        self._state.lifetimes.forget(self._channel, self._proxy)
        # Whatever the reader may do by now.
        self._state.host.tell(Disconnect(self._channel, self._proxy))

    async def _past(self, send: Send) -> set[int]:
        """Writes past events; the numbers of those that may come once more."""
        both: set[int] = set()
        if self._replay is None:
            return both
        try:
            async for messages in self._replay.pages():
                if self._replay.lost:
                    lost, self._replay.lost = self._replay.lost, []
                    data = write_json([list(run) for run in lost]).decode()
                    await self._write(send, f"event: lost\ndata: {data}\n\n")
                texts = [(m.seq, write_delivered(m)) for m in messages]
                await self._write_events(send, texts)
                both.update(one.seq for one in messages if one.seq > self._before)
        except TidingsError as error:
            self._buffer.close(error)
        return both

    async def _live(self, send: Send, gone: asyncio.Future[None], replayed: set[int]) -> None:
        buffer, beat = self._buffer, self._state.options.heart_beat
        while not gone.done():
            messages = buffer.take()
            if messages:
                encoded = self._state.encoded
                await self._write_events(
                    send, [(m.seq, encoded[m]) for m in messages if m.seq not in replayed]
                )
            elif buffer.end is not None:
                name, error = buffer.end
                data = write_json(problem_of(error)).decode()
                await self._write(send, f"event: {name}\ndata: {data}\n\n")
                return
            else:
                filled = asyncio.ensure_future(buffer.filled.wait())
                waits: set[asyncio.Future[Any]] = {filled, gone}
                await asyncio.wait(waits, timeout=beat, return_when=asyncio.FIRST_COMPLETED)
                if not (filled.done() or gone.done()):
                    await self._write(send, ":\n\n")
                filled.cancel()

    async def _write_events(self, send: Send, events: Sequence[tuple[int, str]]) -> None:
        for start in range(0, len(events), _AT_ONCE):
            some = events[start : start + _AT_ONCE]
            text = "".join([f"id: {seq}\nevent: event\ndata: {one}\n\n" for seq, one in some])
            await self._write(send, text)

    async def _write(self, send: Send, text: str) -> None:
        async with asyncio.timeout(self._state.options.write_patience):
            body = text.encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})
