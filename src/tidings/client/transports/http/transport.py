"""The transport over HTTP and one WebSocket, which reconnects by itself.

Management uses HTTP; events and lines use the WebSocket, opened when first needed. After a cut the
client reconnects all lines and resends unanswered events: none is lost, delivered twice or accepted
twice.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlencode, urlsplit

from tidings.api.live_frames import ObjectsFrame
from tidings.api.operations import BASE, Call
from tidings.channel.commands import Ack, Command, DryRun, Failed, Push, Reject
from tidings.channel.functions import Source
from tidings.channel.management import Connect, DestroyChannel, Disconnect, Resume
from tidings.channel.questions import SeeChannel, SeeProxy
from tidings.channel.trail import Traced
from tidings.channel.vocabulary import Form
from tidings.client.transport import HistoryPage, PulledEvents, TypesChanged
from tidings.client.transports.backoff import CLOSED, ONE_TRY, PATIENCE, Patience, checked_patience
from tidings.client.transports.http import looking
from tidings.client.transports.http.calls import Caller
from tidings.client.transports.http.lines import (
    ConsumerLine,
    HandlerLine,
    Line,
    StreamLine,
    SupplierLine,
)
from tidings.client.transports.http.pulls import Pulls, message_of
from tidings.client.transports.http.recovery import ServiceRecovery
from tidings.client.transports.http.socket import Cut, OnConnection, Socket
from tidings.client.transports.http.wire import Wire, open_wire
from tidings.client.transports.memory import Memory
from tidings.cores import Question
from tidings.errors import (
    InvalidUsage,
    ProxyNotFound,
    Stopping,
    TidingsError,
    Unauthenticated,
    Unreachable,
)
from tidings.inbox import Inbox
from tidings.live.requests import SeeLiveObjects

_T = TypeVar("_T")

# Seconds by which events on a line may lag behind an HTTP answer.
NOTICING: Final = 0.05


# Seconds to tell the service that the client closes.
_GOOD_BYE: Final = 5.0


class HttpTransport:
    """Connects to a service over HTTP; arguments as in `tidings.client.connecting.connect`."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        patience: float = PATIENCE,
        on_connection: OnConnection | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._url = checked_url(url)
        secure = self._url.startswith("https:")
        self._tls = (tls or ssl.create_default_context()) if secure else None
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        patience = checked_patience(patience)
        waiting = max(patience, ONE_TRY)
        self._caller = Caller(self._url, self._headers, self._tls, patience)
        self._memory = Memory()
        # By id, the origins of channels, which tell two services with the same ids apart.
        self._origins: dict[int, str] = {}
        self._recovery = ServiceRecovery(self._caller, self._memory, self._origins)
        self._recovery.views = self
        self._socket = Socket(
            self._opened, self._recovery, patience=waiting, on_connection=on_connection
        )
        self._pulls = Pulls(self._caller, self._memory.outward, waiting, self._goes_on)
        self._looking = Patience(waiting)
        self._closed = False
        # Forms of pull consumers; some forms get one event at a time.
        self._forms: dict[tuple[int, int], Form] = {}
        self._closing = asyncio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where the service is, without a slash at the end."""
        return self._url

    async def _opened(
        self, on_frame: Callable[[bytes], None], on_cut: Callable[[int, str], None]
    ) -> Wire:
        return await self._opened_at("/ws", on_frame, on_cut)

    async def _opened_at(
        self, path: str, on_frame: Callable[[bytes], None], on_cut: Callable[[int, str], None]
    ) -> Wire:
        url = f"ws{self._url.removeprefix('http')}{BASE}{path}"
        return await open_wire(url, self._headers, self._tls, on_frame, on_cut)

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping(CLOSED)

    async def _safely(self, key: tuple[int, int], work: Callable[[], Awaitable[_T]]) -> _T:
        """Run something with a proxy; retry once if the proxy was recreated meanwhile."""
        generation = self._socket.generation
        try:
            return await work()
        except ProxyNotFound:
            if not await self._was_restarted(key, generation):
                raise
        return await work()

    async def _was_restarted(self, key: tuple[int, int], generation: int) -> bool:
        """Tell whether a proxy was not found because the service has restarted."""
        if key not in self._memory.proxies or not self._has_line(key):
            return False
        await asyncio.sleep(NOTICING)
        if self._socket.ready and self._socket.generation == generation:
            return False
        await self._socket.reached()
        return key in self._memory.proxies

    def _has_line(self, key: tuple[int, int]) -> bool:
        return any(line.key == key for line in self._socket.lines.values())

    # Commands.

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command; an `Unreachable` error says if the outcome is unknown."""
        if self._closed:
            self._check_open()
        if command.__class__ is Push:
            return await self._push(command)
        await self._pulls.told()
        place = getattr(command, "place", command)
        key = (getattr(place, "channel", 0), getattr(place, "proxy", None) or 0)
        answer = await self._safely(key, lambda: self._caller.ask(self._memory.outward(command)))
        answer = self._memory.note(command, answer)
        if isinstance(command, Resume):
            await self._recovery.catch_up(key)
        if isinstance(command, DestroyChannel):
            self._origins.pop(command.channel, None)
        return self._memory.inward(answer, command) if isinstance(command, DryRun) else answer

    async def _push(self, push: Push) -> list[Any]:
        self._socket.need()
        answers = await self._socket.pushes.ask(push)
        if push.trail:
            answers = [
                await self._traced(push, item, answer)
                for item, answer in zip(push.items, answers, strict=True)
            ]
        return answers

    async def _traced(self, push: Push, item: Any, answer: Any) -> Any:  # noqa: ANN401
        """Return an answer with its trail; if the first answer was lost, with a dry run's."""
        if isinstance(answer, Traced):
            return Traced.of(int(answer), self._memory.inward(answer.trail, push))
        if isinstance(answer, TidingsError):
            return answer
        return Traced.of(answer, await self.ask(DryRun(push.channel, item, push.proxy)))

    def tell(self, command: Command) -> None:
        """Send a pull consumer's acknowledgement or disconnect before later requests."""
        if not self._closed and isinstance(command, Ack | Disconnect | Failed | Reject):
            self._pulls.tell(command)
            self._memory.note(command, None)

    # Lines.

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Inbox:
        """Connect a push consumer that reads from an inbox."""
        line = StreamLine(connect, on_offers)
        await self._connected(line)
        return line

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connect a push consumer whose function is called with each event or batch."""
        line: HandlerLine = HandlerLine(connect, handler, lambda: self._leave(line))
        return await self._connected(line)

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connect a supplier; the service pulls events from its source, if given."""
        if source is None:
            return await self._connected(Line(connect, on_wanted))
        return await self._connected(SupplierLine(connect, on_wanted, source))

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connect a pull consumer."""
        line = Line(connect, on_offers)
        form = (await self.request(SeeProxy(*line.key))).form
        await self._connected(line)
        self._forms[line.key] = form
        return line

    async def _connected(self, line: Line) -> Line:
        self._check_open()
        window = line.connect.window
        if window < 1:
            raise InvalidUsage(f"a window holds at least one event, not {window}")
        await self._pulls.told()
        if line.connect.channel not in self._origins:
            await self.request(SeeChannel(line.connect.channel))
        await self._socket.connect(line)
        if isinstance(line, ConsumerLine) and line.key in self._memory.proxies:
            with suppress(TidingsError):  # then the line's start is unknown
                page = await self.history(line.connect.channel, None, None, 1, None)
                line.gap.start = page.last
        return line

    def _leave(self, line: Line) -> None:
        """End the proxy of a handler that raised `Disconnected`."""
        task = asyncio.get_running_loop().create_task(self._left(line))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _left(self, line: Line) -> None:
        with suppress(TidingsError):
            await self.release(*line.key, line, end=True)

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Close a line, and its proxy with `end`."""
        self._check_open()
        assert isinstance(line, Line)
        await self._pulls.told()
        self._pulls.end(line.key)
        self._forms.pop(line.key, None)
        over = line.error is not None
        try:
            if not over:
                await self._socket.release(line, end=end)
        except (Cut, InvalidUsage):  # the service no longer has this line
            over = True
        try:
            if over and end:
                await self._end_proxy(channel, proxy)
        finally:
            if end:
                self._memory.forget(channel, proxy)

    async def _end_proxy(self, channel: int, proxy: int) -> None:
        """End a proxy whose line is cut; ignore an unreachable service if the proxy is unnamed."""
        ending = self._caller.ask(self._memory.outward(Disconnect(channel, proxy)))
        if (channel, proxy) not in self._memory.proxies:
            await ending
            return
        with suppress(TimeoutError, Unauthenticated, Unreachable):
            async with asyncio.timeout(_GOOD_BYE):
                await ending

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledEvents:
        """Pull events."""
        self._check_open()
        single = self._forms.get((channel, proxy)) in (Form.ANY, Form.STRUCTURED)
        key = (channel, proxy)
        return await self._safely(
            key, lambda: self._pulls.pull(key, most, wait, lease, single=single)
        )

    async def _goes_on(self, key: tuple[int, int]) -> bool:
        """Tell whether a disconnected line was only cut off and is connected again."""
        if self._closed or not self._has_line(key):
            return False
        await asyncio.sleep(NOTICING)  # the line hears of a take-over or an end
        await self._socket.reached()
        return self._has_line(key)

    # Questions.

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question."""
        self._check_open()
        key = (getattr(question, "channel", 0), getattr(question, "proxy", 0))
        return await self._safely(key, partial(self._look, question))

    async def _look(self, question: Question[_T]) -> _T:
        await self._pulls.told()
        found: Any = await self._caller.ask(self._memory.outward(question))
        if isinstance(question, SeeChannel):
            known = self._origins.get(found.id)
            lines = self._socket.lines.values()
            if not known or all(line.connect.channel != found.id for line in lines):
                self._origins[found.id] = found.origin
        answer: _T = self._memory.inward(found, question)
        return answer

    async def history(
        self, channel: int, after: int | None, since: int | None, most: int, text: str | None
    ) -> HistoryPage:
        """Return past events from the channel's journal."""
        asked = {"after": after, "since": since, "most": most, "filter": text}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        path = f"{BASE}/channels/{channel}/events?{query}"
        self._check_open()
        await self._pulls.told()
        found: HistoryPage = await self._caller.call(Call("GET", path, None, _page), safe=True)
        return found

    # Live objects.

    async def look(
        self, asked: SeeLiveObjects, rate: float, show: Callable[[ObjectsFrame], None]
    ) -> None:
        """Show live objects as they move, until cancelled."""
        self._check_open()
        opened = partial(self._opened_at, "/live/view")
        await looking.look(opened, asked, rate, show, self._looking)

    # The end.

    async def close(self) -> None:
        """Disconnect; only named proxies stay at the service."""
        async with self._closing:  # a second close waits for the first
            if self._closed:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_GOOD_BYE):
                    await self._let_go()
            self._closed = True
            self._looking.end()
            for task in self._leaving:
                task.cancel()
            await self._pulls.close()
            await self._socket.close()
            await self._caller.close()

    async def _let_go(self) -> None:
        if not self._socket.ready:
            return
        await self._pulls.told()
        await asyncio.gather(*map(self._released, list(self._socket.lines.values())))

    async def _released(self, line: Line) -> None:
        self._pulls.end(line.key)
        with suppress(Cut, TidingsError):
            await self._socket.release(line, end=line.key in self._memory.proxies)


def checked_url(url: str) -> str:
    """Return the service's root URL without a trailing slash; refuse invalid ones."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except (AttributeError, TypeError, ValueError):
        right = False
    if right and not (parts.query or parts.fragment or parts.username is not None):
        root = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        if root.isprintable() and " " not in root:
            return root
    shown = "a URL with a user or password" if "@" in str(url) else f"{url!r:.100}"
    raise InvalidUsage(
        f"{shown} is no address of a service; one is http://localhost:8080, for example"
    )


def _page(plain: Any) -> HistoryPage:  # noqa: ANN401 -- parsed JSON
    messages = [message_of(plain["origin"], one) for one in plain["events"]]
    lost = [(first, last) for first, last in plain.get("lost", ())]
    return HistoryPage(messages, plain["next"], plain["end"], plain["last"], lost)
