"""Events from requests to the host: through a supplier's proxy, in order, judged one by one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tidings.api.operations import view_json
from tidings.api.problems import problem_of
from tidings.channel.commands import Push, Warned
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.qos import Reliability
from tidings.channel.trail import Traced
from tidings.channel.vocabulary import Item, Side, Style
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint
from tidings.engine.turns import Turns
from tidings.errors import (
    AlreadyConnected,
    Disconnected,
    LimitExceeded,
    NotFound,
    TidingsError,
    WrongClient,
)
from tidings.events.codecs.json_text import write_json
from tidings.events.envelope import ProducerMark
from tidings.web.event_bodies import (
    LINES_MEDIA_TYPES,
    Incoming,
    LineSplitter,
    Numbering,
    apart,
    read_line,
)
from tidings.web.options import WebOptions
from tidings.web.state import Counts, WebState

log = logging.getLogger(__name__)


def plain_results(answers: Sequence[object], counts: Counts) -> list[int | dict[str, Any]]:
    """The answers to a push: numbers, and objects for those with a trail, warnings or an error."""
    return [
        one if type(one) is int else result_form(one, counts)  # no subclass: `Traced`, `Warned`
        for one in answers
    ]


def result_form(answer: object, counts: Counts) -> dict[str, Any]:
    """The answer to one pushed event as an object; an error is counted."""
    if isinstance(answer, Traced):
        return {"seq": int(answer), "trail": view_json(answer.trail)}
    if isinstance(answer, Warned):
        return {"seq": int(answer), "warnings": list(answer.warnings)}
    if isinstance(answer, int):
        return {"seq": answer}
    assert isinstance(answer, Exception)
    counts.rejected += 1
    if not isinstance(answer, TidingsError):
        log.error("an event has met a fault", exc_info=answer)
    return {"error": problem_of(answer)}


def without_bad(
    items: Sequence[Item | TidingsError], marks: Sequence[ProducerMark] | None
) -> tuple[list[Item], Sequence[ProducerMark] | None, dict[int, TidingsError]]:
    """The events that are some, with their marks; and what stood in the place of others."""
    bad = {at: one for at, one in enumerate(items) if isinstance(one, TidingsError)}
    good = [one for one in items if not isinstance(one, TidingsError)]
    if bad and marks is not None:
        marks = [mark for at, mark in enumerate(marks) if at not in bad]
    return good, marks, bad


async def connect_quietly(door: LocalDoor, channel: int, proxy: int) -> None:
    """Connect a client that comes with each request, and gets nothing in between."""
    with suppress(AlreadyConnected):  # by another request, at the same time
        await door.connect(Connect(channel, proxy, notices=False), Endpoint())


class Suppliers:
    """The proxy of each principal and channel that requests without one of their own share."""

    def __init__(self, state: WebState) -> None:
        self._proxies: dict[tuple[str, int], asyncio.Future[int]] = {}

    async def proxy(self, door: LocalDoor, channel: int) -> int:
        """The id of the shared proxy, which is made on first use."""
        key = (door.caller.name, channel)
        found = self._proxies.get(key)
        if found is None:
            found = self._proxies[key] = asyncio.ensure_future(self._made(door, channel))
        try:
            return await asyncio.shield(found)  # others may wait for it, too
        except Exception:
            self._proxies.pop(key, None)
            raise

    def forget(self, door: LocalDoor, channel: int, proxy: int) -> None:
        """The proxy has ended: the next who asks gets a new one."""
        found = self._proxies.get((door.caller.name, channel))
        if found is not None and found.done() and found.result() == proxy:
            del self._proxies[door.caller.name, channel]

    async def _made(self, door: LocalDoor, channel: int) -> int:
        qos = {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        proxy: int = await door.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH, qos=qos))
        await connect_quietly(door, channel, proxy)
        return proxy


class Asked(NamedTuple):
    """Pushes that are under way: each with the places of its events."""

    size: int
    errors: list[tuple[int, TidingsError]]
    pushes: list[tuple[list[int], Push, asyncio.Future[Any]]]


class Publisher:
    """Pushes what requests bring, through a proxy or the shared one.

    With `trail`, the answers say how each event was judged.
    """

    def __init__(
        self, state: WebState, door: LocalDoor, channel: int, proxy: int | None, *, trail: bool
    ) -> None:
        self._state = state
        self._door = door
        self._channel = channel
        self._own = proxy
        # Those who share a proxy do not share their turns.
        self._source = self if proxy is None else None
        self._trail = trail
        self._proxy = 0
        self.origin = door.views.channel(channel).origin

    async def begin(self) -> None:
        """Find the proxy; refuse one that nobody can push through."""
        if self._own is None:
            suppliers = self._state.part(Suppliers)
            self._proxy = await suppliers.proxy(self._door, self._channel)
        else:
            found = self._door.views.proxy(self._channel, self._own)
            if found.side is not Side.SUPPLIER or found.style is not Style.PUSH:
                raise WrongClient(
                    f"proxy {found.id} is a {found.style.value} proxy of a {found.side.value}: "
                    "events are pushed through a push proxy of a supplier"
                )
            self._proxy = found.id
            self._state.lifetimes.touch(self._channel, self._proxy)

    def ask(self, incoming: Sequence[Incoming]) -> Asked:
        """Hands events to the host, after `begin`; `answers` waits for what becomes of them."""
        asked = Asked(len(incoming), [], [])
        for kind, run in groupby(enumerate(incoming), _kind):
            places, found = zip(*run, strict=True)
            if kind == _BAD:
                asked.errors.extend(zip(places, (one.item for one in found), strict=True))
                continue
            marks = None if kind == _UNMARKED else [one.mark for one in found]
            items = [one.item for one in found]
            push = Push(self._channel, self._proxy, items, marks, trail=self._trail)
            asked.pushes.append((list(places), push, self._door.ask(push, self._source)))
        return asked

    async def answers(self, asked: Asked) -> list[object]:
        """What became of each event: its number, perhaps with its trail, or an error."""
        found: list[object] = [None] * asked.size
        for place, error in asked.errors:
            found[place] = error
        for places, push, future in asked.pushes:
            for place, answer in zip(places, await self._answer(push, future), strict=True):
                found[place] = answer
        return found

    async def _answer(self, push: Push, future: asyncio.Future[Any]) -> Sequence[object]:
        try:
            answers: Sequence[object] = await future
        except (Disconnected, NotFound):
            await self._find_again(push.proxy)
            answers = await self._door.ask(push._replace(proxy=self._proxy), self._source)
        return answers

    async def _find_again(self, proxy: int) -> None:
        """The proxy has ended since it was last used, or nobody ever connected to it."""
        if self._own is not None:
            await connect_quietly(self._door, self._channel, proxy)
        elif self._proxy == proxy:
            self._state.part(Suppliers).forget(self._door, self._channel, proxy)
            await self.begin()


_MARKED, _UNMARKED, _BAD = range(3)


def _kind(placed: tuple[int, Incoming]) -> int:
    """Events with and without marks go in pushes of their own."""
    _, incoming = placed
    if isinstance(incoming.item, TidingsError):
        return _BAD
    return _UNMARKED if incoming.mark is None else _MARKED


# How many events one push has at most, and how many pushes are under way at a time.
_EVENTS_AT_ONCE: Final = 100
_PUSHES_AT_ONCE: Final = 16

_Numbered = tuple[Sequence[int], Asked | TidingsError]


class LineAnswers(Response):
    """Pushes the lines of a request's body, and answers each with a line, in their order."""

    media_type = LINES_MEDIA_TYPES[0]

    def __init__(
        self, publisher: Publisher, numbering: Numbering, state: WebState, place: ExitStack
    ) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._publisher = publisher
        self._numbering = numbering
        self._counts = state.counts
        self._values = state.bounds.values
        self._options = state.options
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads and answers until the body ends."""
        under_way: asyncio.Queue[_Numbered | Exception | None] = asyncio.Queue(_PUSHES_AT_ONCE)
        reading = asyncio.ensure_future(self._read(receive, under_way))
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        begun = False
        try:
            while (found := await under_way.get()) is not None:
                if isinstance(found, Exception):
                    raise found
                lines = await self._answers(*found)
                if not begun:  # not before: some clients send nothing once they were answered
                    begun = True
                    await send(start)
                await send({"type": "http.response.body", "body": lines, "more_body": True})
            if not begun:
                await send(start)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._place.close()
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    async def _read(
        self, receive: Receive, under_way: asyncio.Queue[_Numbered | Exception | None]
    ) -> None:
        splitter, patience = LineSplitter(), _Patience(self._options)
        try:
            async for part in _parts(receive, patience):
                await self._push(splitter.feed(part), under_way)
                patience.heard(in_line=not part.endswith(b"\n"), line=splitter.number)
            await self._push(splitter.end(), under_way)
        except TimeoutError:
            await under_way.put(([splitter.number], LimitExceeded(patience.words)))
            await under_way.put(None)
        except Exception as error:  # noqa: BLE001 -- raised again where the answers are written
            await under_way.put(error)
        else:
            await under_way.put(None)

    async def _push(
        self,
        lines: Iterator[tuple[int, bytes | None]],
        under_way: asyncio.Queue[_Numbered | Exception | None],
    ) -> None:
        turns = Turns()
        while some := list(islice(lines, _EVENTS_AT_ONCE)):
            incoming, numbers = [], []
            for number, line in some:
                await turns.give()
                if line != b"":
                    read = partial(read_line, line, self._values)
                    incoming.append(self._numbering.mark(await apart(line or b"", read)))
                    numbers.append(number)
            if not numbers:
                continue
            try:
                await under_way.put((numbers, self._publisher.ask(incoming)))
            except TidingsError as error:
                await under_way.put((numbers, error))
            await asyncio.sleep(0)

    async def _answers(self, numbers: Sequence[int], asked: Asked | TidingsError) -> bytes:
        try:
            if isinstance(asked, TidingsError):
                raise asked
            answers = await self._publisher.answers(asked)
        except TidingsError as error:  # for all of them
            answers = [error] * len(numbers)
        lines, turns = [], Turns()
        for number, one in zip(numbers, answers, strict=True):
            lines.append(write_json({"line": number, **result_form(one, self._counts)}) + b"\n")
            await turns.give()
        return b"".join(lines)


class _Patience:
    """How long is waited for the next part of an upload."""

    def __init__(self, options: WebOptions) -> None:
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._line = 0  # the one that has begun
        self._end = 0.0
        self.words = ""

    def heard(self, *, in_line: bool, line: int) -> None:
        """Something came: whether it ends within a line, and within which."""
        if not in_line:
            self._line = 0
        elif line != self._line:
            self._line, self._end = line, self._loop.time() + self._options.body_patience

    def until(self) -> float:
        """When it is too late, in the time of the loop."""
        options, now = self._options, self._loop.time()
        if not self._line:
            self.words = f"nothing has come for {options.upload_pause:g} s: send the rest anew"
            return now + options.upload_pause
        self.words = "the end of the line has not come in time: send it, and the rest, anew"
        return min(now + options.read_patience, self._end)


async def _parts(receive: Receive, patience: _Patience) -> AsyncIterator[bytes]:
    """The parts of a body as they come; TimeoutError if the next one does not come in time."""
    more = True
    while more:
        async with asyncio.timeout_at(patience.until()):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if message.get("body"):
            yield message["body"]
