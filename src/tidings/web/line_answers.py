"""JSON lines both ways: answers stream back while the lines still come.

Reading and answering are two tasks with a bounded queue between them: whoever does not read the
answers is not read any further.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tidings.engine.turns import Turns
from tidings.errors import LimitExceeded, TidingsError
from tidings.events.codecs.json_text import write_json
from tidings.web.event_bodies import LINES_MEDIA_TYPES, LineSplitter, Numbering, apart, read_line
from tidings.web.options import WebOptions
from tidings.web.publisher import Asked, Publisher
from tidings.web.results import result_form
from tidings.web.state import WebState

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
