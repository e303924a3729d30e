"""The transport over HTTP and one WebSocket: it comes back by itself after a cut or a restart.

Management goes by HTTP; events and lines go over the WebSocket, which is opened when it is first
needed. After a cut all lines are connected again, and events without an answer are sent again:
nothing is lost, and nothing is handed out or accepted twice.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from tidings.api.call import BASE
from tidings.channel.commands import Ack, Command, DryRun, Failed, Push, Reject
from tidings.channel.management import (
    Connect,
    DestroyChannel,
    Disconnect,
    Resume,
)
from tidings.channel.questions import SeeChannel, SeeProxy
from tidings.channel.trail import Traced, Trail
from tidings.channel.vocabulary import Form
from tidings.client.transport import PulledMessages, Source, Stream, TypesChanged
from tidings.client.transports.backoff import ONE_TRY, PATIENCE, checked_patience
from tidings.client.transports.http.calls import Caller
from tidings.client.transports.http.functions import HandlerLine, SupplierLine
from tidings.client.transports.http.lines import ConsumerLine, Line, StreamLine
from tidings.client.transports.http.pulls import Pulls
from tidings.client.transports.http.recovery import ServiceRecovery
from tidings.client.transports.http.socket import Cut, OnConnection, Socket
from tidings.client.transports.http.views import NOTICING, HttpViews
from tidings.client.transports.http.wire import Wire, open_wire
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names
from tidings.errors import (
    InvalidUsage,
    TidingsError,
    Unauthenticated,
    Unreachable,
)

# How long a client that is closed waits for the service to hear of it, in seconds.
_GOOD_BYE: Final = 5.0


class HttpTransport(HttpViews):
    """Talks to a service over HTTP.

    Args:
        url: Of the service, ``http://host:port`` or ``https://…``.
        token: What shows who asks; None on a loopback address.
        patience: How long whoever asks waits for a service that is away, in seconds.
        on_connection: Told ``(True, missed)`` when the WebSocket is open, with what subscriptions
            have missed in words, and ``(False, why)`` when it was cut; called on the loop.
        tls: For ``https``; None trusts what the system trusts.

    Raises:
        InvalidUsage: The URL is none, or the patience.
    """

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
        caller = Caller(self._url, self._headers, self._tls, patience)
        memory = Memory()
        names = Names(memory)
        origins: dict[int, str] = {}
        recovery = ServiceRecovery(caller, memory, names, origins)
        recovery.views = self
        self._recovery = recovery
        waiting = max(patience, ONE_TRY)
        socket = Socket(self._opened, recovery, patience=waiting, on_connection=on_connection)
        pulls = Pulls(caller, names.outward, waiting, self._goes_on)
        super().__init__(caller, memory, names, origins, pulls, socket)
        # Of pull consumers: those of some forms get one event at a time.
        self._forms: dict[tuple[int, int], Form] = {}
        self._closing = asyncio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()

    async def _opened(
        self, on_frame: Callable[[bytes], None], on_cut: Callable[[int, str], None]
    ) -> Wire:
        url = f"ws{self._url.removeprefix('http')}{BASE}/ws"
        return await open_wire(url, self._headers, self._tls, on_frame, on_cut)

    # Commands.

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Has a command carried out.

        Raises:
            Unreachable: The service is away; whether it was done is unknown if it says so.
        """
        if self._closed:
            self._check_open()
        if command.__class__ is Push:
            return await self._push(command)
        await self._pulls.told()
        place = getattr(command, "place", command)
        key = (getattr(place, "channel", 0), getattr(place, "proxy", None) or 0)
        answer = await self._safely(key, lambda: self._caller.ask(self._names.outward(command)))
        answer = self._memory.note(command, answer)
        if isinstance(command, Resume):
            await self._recovery.catch_up(key)
        if isinstance(command, DestroyChannel):
            self._origins.pop(command.channel, None)
        if isinstance(answer, Trail) and isinstance(command, DryRun):
            return self._names.trail(command.channel, answer)
        return answer

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
        """An answer with its trail; one whose first answer was lost comes without."""
        if isinstance(answer, Traced):
            return Traced.of(int(answer), self._names.trail(push.channel, answer.trail))
        if isinstance(answer, TidingsError):
            return answer
        return Traced.of(answer, await self.ask(DryRun(push.channel, item, push.proxy)))

    def tell(self, command: Command) -> None:
        """Has a command sent before what is asked later: a pull consumer's answer, or the end."""
        if not self._closed and isinstance(command, Ack | Disconnect | Failed | Reject):
            self._pulls.tell(command)
            self._memory.note(command, None)

    # Lines.

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Stream:
        """Connects a push consumer that takes events from a stream."""
        line = StreamLine(connect, self._socket.next_number(), self._socket.send, on_offers)
        await self._connected(line)
        return line

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connects a push consumer whose function is called with each event, or batch."""
        number = self._socket.next_number()
        line: HandlerLine = HandlerLine(
            connect, number, self._socket.send, handler, lambda: self._leave(line)
        )
        return await self._connected(line)

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connects a supplier; one with a source is asked for events."""
        number, send = self._socket.next_number(), self._socket.send
        if source is None:
            return await self._connected(Line(connect, number, send, on_wanted))
        return await self._connected(SupplierLine(connect, number, send, on_wanted, source))

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connects a pull consumer."""
        line = Line(connect, self._socket.next_number(), self._socket.send, on_offers)
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
            with suppress(TidingsError):  # then it is not known where the line begins
                page = await self.history(line.connect.channel, None, None, 1, None)
                line.gap.start = page.last
        return line

    def _leave(self, line: Line) -> None:
        """A handler wants no more: its proxy ends."""
        task = asyncio.get_running_loop().create_task(self._left(line))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _left(self, line: Line) -> None:
        with suppress(TidingsError):
            await self.release(*line.key, line, end=True)

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Cuts a line; the proxy ends, too, or stays."""
        self._check_open()
        assert isinstance(line, Line)
        await self._pulls.told()
        self._pulls.end(line.key)
        self._forms.pop(line.key, None)
        over = line.error is not None
        try:
            if not over:
                await self._socket.release(line, end=end)
        except (Cut, InvalidUsage):  # the service has no such line any more
            over = True
        try:
            if over and end:
                await self._end_proxy(channel, proxy)
        finally:
            if end:
                self._memory.forget(channel, proxy)

    async def _end_proxy(self, channel: int, proxy: int) -> None:
        """Ends a proxy whose line is cut.

        Raises:
            Unreachable: The service is away; a proxy without a name soon ends by itself then.
        """
        ending = self._caller.ask(self._names.outward(Disconnect(channel, proxy)))
        if (channel, proxy) not in self._memory.proxies:
            await ending
            return
        with suppress(TimeoutError, Unauthenticated, Unreachable):
            async with asyncio.timeout(_GOOD_BYE):
                await ending

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledMessages:
        """Asks for events as a pull consumer."""
        self._check_open()
        single = self._forms.get((channel, proxy)) in (Form.ANY, Form.STRUCTURED)
        key = (channel, proxy)
        return await self._safely(
            key, lambda: self._pulls.pull(key, most, wait, lease, single=single)
        )

    async def _goes_on(self, key: tuple[int, int]) -> bool:
        """Whether a connection that has ended was only cut: its line is there again."""
        if self._closed or not self._has_line(key):
            return False
        await asyncio.sleep(NOTICING)  # of a take-over, and of the end, its line hears, too
        await self._socket.reached()
        return self._has_line(key)

    # The end.

    async def close(self) -> None:
        """Lets go of the service: of all that was connected, what has a name stays."""
        async with self._closing:  # who closes it a second time waits for the first
            if self._closed:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_GOOD_BYE):
                    await self._let_go()
            self._closed = True
            for task in self._leaving:
                task.cancel()
            await self._pulls.close()
            await self._socket.close()
            await self._caller.close()

    async def _let_go(self) -> None:
        """Ends all lines, if the service is there."""
        if not self._socket.ready:
            return
        await self._pulls.told()
        await asyncio.gather(*map(self._released, list(self._socket.lines.values())))

    async def _released(self, line: Line) -> None:
        self._pulls.end(line.key)
        with suppress(Cut, TidingsError):
            await self._socket.release(line, end=line.key in self._memory.proxies)


def checked_url(url: str) -> str:
    """The root of a service.

    Raises:
        InvalidUsage: It is none.
    """
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except (AttributeError, TypeError, ValueError):
        right = False
    if right and not (parts.query or parts.fragment or parts.username is not None):
        root = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        if root.isprintable() and " " not in root:
            return root
    raise InvalidUsage(
        f"{url!r:.100} is no address of a service; one is http://localhost:8080, for example"
    )
