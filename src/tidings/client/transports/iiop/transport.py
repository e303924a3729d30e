"""The transport over CORBA, using only the standard's interfaces.

Features the standard lacks raise `NotOverCorba`: names, sequence and producer numbers, history,
dead letters, trails, acknowledgements and leases. Calls retry while the service is unreachable, and
lines are reconnected when it is back (`recovery`).
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Final, Self, TypeVar

from tidings.api.live_frames import ObjectsFrame
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.commands import Ack, Command, Failed, Push, Reject
from tidings.channel.functions import Source
from tidings.channel.management import Connect, Disconnect, ObtainProxy, Resume, Suspend
from tidings.channel.questions import SeeChannel, SeeProxy
from tidings.client.transport import HistoryPage, PulledEvents, TypesChanged
from tidings.client.transports.backoff import CLOSED, PATIENCE, Patience
from tidings.client.transports.iiop.commands import Commands
from tidings.client.transports.iiop.kinds import servant_for
from tidings.client.transports.iiop.lines import (
    CorbaStream,
    HandlerLine,
    Line,
    PullLine,
    SourceLine,
    Valve,
)
from tidings.client.transports.iiop.objects import FarProxy, Objects
from tidings.client.transports.iiop.pushes import Pushes, Target
from tidings.client.transports.iiop.recovery import Held, Recovery
from tidings.client.transports.iiop.values import Events, beyond, unsupported
from tidings.client.transports.iiop.views import Views
from tidings.cores import Question
from tidings.cos.names import look_up
from tidings.errors import InvalidUsage, ProxyNotFound, Stopping, TidingsError, Unreachable
from tidings.events.reference import Reference
from tidings.inbox import Inbox
from tidings.live.requests import SeeLiveObjects
from tidings.names import new_origin
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.exceptions import BAD_PARAM, COMM_FAILURE, TRANSIENT, CorbaError
from tidings.orb.ior import profile_of

FACTORY_KEY: Final = "NotificationService"
"""Object key of the channel factory."""

_IIOP: Final = re.compile(r"iiop://(?P<address>[^/?#]+)(?:/(?P<key>[^?#]*))?", re.IGNORECASE)
_LISTEN: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::(?P<port>[0-9]{1,5}))?")


def object_url(url: str) -> str:
    """Expand ``iiop://host:port`` to an object URL; return others unchanged."""
    text = url.strip()
    if not text.lower().startswith("iiop:"):
        return text
    found = _IIOP.fullmatch(text)
    if found is None:
        raise InvalidUsage(f"{url!r:.80} is no address of a service; iiop://host:2809 would be one")
    return f"corbaloc:iiop:1.2@{found['address']}/{found['key'] or FACTORY_KEY}"


async def callback_address(listen: str | None, service: Reference) -> Address:
    """Choose where to listen for the service's calls.

    The default is this machine's address on the route to the service, and a free port.
    """
    if listen is not None:
        found = _LISTEN.fullmatch(listen)
        if found is None or not found["host"]:
            raise InvalidUsage(
                f"{listen!r:.80} is no address to listen on; 10.0.0.7:0 would be one"
            )
        return Address(found["host"].strip("[]"), int(found["port"] or 0))
    profile = profile_of(service)
    if profile is None:
        raise InvalidUsage("the reference has no address that this ORB could use")
    loop = asyncio.get_running_loop()
    try:
        family, _, _, _, there = (
            await loop.getaddrinfo(profile.host, profile.port, type=socket.SOCK_DGRAM)
        )[0]
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect(there)  # sends nothing, only selects a route
            return Address(asked.getsockname()[0], 0)
    except OSError as error:
        raise Unreachable(f"there is no way to {profile.host}: {error}") from error


# Seconds to tell the service that the client closes.
_GOODBYE_SECONDS: Final = 5.0

_T = TypeVar("_T")


class IiopTransport:
    """Connects to a CORBA notification service, Tidings or another."""

    def __init__(self, orb: Orb, objects: Objects, events: Events | None = None) -> None:
        self._closed = False
        self._orb = orb
        self._objects = objects
        self._events = events or Events()
        self._commands = Commands(objects)
        self._views = Views(objects)
        self._pushes = Pushes(objects, self._events)
        self._recovery = Recovery(objects, self._commands, self._start)
        orb.tell_losses(self._recovery.lost)
        # Proxies made by this client, which end with it.
        self._made: set[tuple[int, int]] = set()
        self._adopted: dict[tuple[int, int], PullLine] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        listen: str | None = None,
        patience: float = PATIENCE,
        events: Events | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Self:
        """Find the channel factory; arguments as in `tidings.client.connecting.connect`."""
        waiting = Patience(patience)
        options = Options(offer_bidirectional=True, close_seconds=1.0, client_tls=tls)
        orb = Orb(options, names=look_up)
        try:
            factory = await _found(orb, url, waiting)
            if not _speaks_tls(factory, url, options, listen):
                await orb.listen(*await callback_address(listen, factory))
            objects = Objects(orb, factory, waiting)
            if not await objects.is_factory():
                raise Unreachable(f"{url:.200} is no factory of notification channels")
        except BaseException as error:
            await orb.close()
            if isinstance(error, BAD_PARAM):
                raise InvalidUsage(f"{url!r:.200} is no address of a service: {error}") from error
            for why in (error, error.__cause__):
                if isinstance(why, CorbaError):
                    raise Unreachable(f"{url:.200} does not answer: {why}") from why
            raise
        return cls(orb, objects, events)

    # Commands.

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command; an `Unreachable` error says if the outcome is unknown."""
        await self._ready()
        if isinstance(command, Push):
            return await self._push(command)
        if isinstance(command, Suspend | Resume):
            line = self._line(command.channel, command.proxy)
            if isinstance(line, CorbaStream):
                valve = line.valve
                return await (valve.suspend if isinstance(command, Suspend) else valve.resume)()
        place = getattr(command, "place", command)
        key = (getattr(place, "channel", 0), getattr(place, "proxy", None) or 0)
        answer = await self._safely(key, partial(self._recovery.ask, command))
        if isinstance(command, ObtainProxy):
            self._made.add((command.channel, answer))
        return answer

    def tell(self, command: Command) -> None:
        """Send a command that runs before later ones; its answer is discarded."""
        if isinstance(command, Ack | Failed | Reject):
            raise unsupported(type(command))
        if not self._closed:
            task = self._start(self._carry_out(command))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    async def _carry_out(self, command: Command) -> None:
        with suppress(TidingsError):
            if isinstance(command, Disconnect):
                self._forget(command.channel, command.proxy)
            await self._recovery.ask(command)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ready(self) -> None:
        """Wait for commands sent by `tell`; raise `Stopping` if the client is closed."""
        self._check_open()
        if self._told:
            await asyncio.wait(set(self._told))

    # Publishing.

    async def _push(self, command: Push) -> list[int | TidingsError]:
        if command.trail:
            raise beyond("trails of events")
        key = (command.channel, command.proxy)
        target = Target(partial(self._proxy, *key), partial(self._recovery.watch(), key))
        return await self._pushes.push(target, command.items)

    async def _proxy(self, channel: int, proxy: int) -> FarProxy:
        """Return a proxy by the program's id."""
        return await self._objects.proxy(channel, self._recovery.memory.proxy_now(channel, proxy))

    async def _safely(self, key: tuple[int, int], work: Callable[[], Awaitable[_T]]) -> _T:
        """Run something with a proxy; retry once if the proxy was recreated meanwhile."""
        restored = self._recovery.watch()
        try:
            return await work()
        except ProxyNotFound:
            if not await restored(key):
                raise
        return await work()

    # Lines.

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Inbox:
        """Connect a push consumer that reads from a stream."""
        await self._ready()
        if connect.window < 1:
            raise InvalidUsage(f"a window holds at least one event, not {connect.window}")
        channel, id = connect.channel, connect.proxy
        proxy = await self._proxy(channel, id)
        # Bypass the memory: the valve itself knows whether to suspend a recreated proxy.
        valve = Valve(
            partial(self._told_now, Suspend(channel, id)),
            partial(self._told_now, Resume(channel, id)),
        )
        stream = CorbaStream(
            proxy.kind.form, connect.window, valve, self._events, self._start, on_offers
        )
        await self._connect(connect, proxy, stream)
        return stream

    async def _told_now(self, command: Suspend | Resume) -> None:
        await self._commands.ask(self._recovery.memory.outward(command))

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connect a push consumer whose function is called with each event or batch."""
        await self._ready()
        proxy = await self._proxy(connect.channel, connect.proxy)
        line = HandlerLine(handler, proxy.kind.form, self._events)
        return await self._connect(connect, proxy, line)

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connect a supplier; the service pulls events from its source, if given."""
        await self._ready()
        proxy = await self._proxy(connect.channel, connect.proxy)
        if source is None:
            return await self._connect(connect, proxy, Line(on_wanted))
        most = self._orb.options.limits.message_size
        line = SourceLine(source, proxy.kind.form, self._events, most)
        return await self._connect(connect, proxy, line)

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connect a pull consumer."""
        await self._ready()
        proxy = await self._proxy(connect.channel, connect.proxy)
        line = PullLine(self._objects, proxy, self._events, on_offers)
        return await self._connect(connect, proxy, line)

    async def _connect(self, connect: Connect, proxy: FarProxy, line: Line) -> Line:
        key = (connect.channel, connect.proxy)
        object_key = new_origin().encode()
        reference = self._orb.activate(servant_for(proxy.kind.client_interface, line), object_key)
        self._made.add(key)
        try:
            await self._objects.call(proxy.far, proxy.kind.connect, reference)
        except BaseException:
            self._orb.deactivate(object_key)
            raise
        # Only now: a proxy that is already connected keeps its line.
        self._recovery.lines[key] = Held(line, reference, object_key)
        return line

    def _line(self, channel: int, proxy: int) -> Line | None:
        found = self._recovery.lines.get((channel, proxy))
        return None if found is None else found.line

    def _forget(self, channel: int, proxy: int) -> None:
        self._made.discard((channel, proxy))
        found = self._recovery.lines.pop((channel, proxy), None)
        if found is not None:
            self._orb.deactivate(found.object_key)
            found.line.close()

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Close a line and end its proxy, because an unnamed proxy cannot be resumed."""
        await self._ready()
        if (channel, proxy) not in self._made:
            raise ProxyNotFound(f"proxy {proxy} of channel {channel} has ended")
        self._forget(channel, proxy)
        try:
            await self._recovery.ask(Disconnect(channel, proxy))
        finally:
            self._recovery.memory.forget(channel, proxy)

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledEvents:
        """Pull events."""
        await self._ready()
        if lease is not None:
            raise beyond("leases", "pull without one: what is pulled is done with")
        if most < 1:
            raise InvalidUsage(f"a pull is for at least one event, not {most}")
        line = self._line(channel, proxy)
        if line is None:
            line = self._adopted.get((channel, proxy))
        if line is None:
            # A proxy that outlived the program that made it.
            found = await self._proxy(channel, proxy)
            line = PullLine(self._objects, found, self._events, None)
            self._adopted[channel, proxy] = line
        return await self._safely((channel, proxy), partial(line.pull, most, wait))

    # Questions.

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question; raise `NotOverCorba` if the standard has no such operation."""
        await self._ready()
        if not OPERATIONS[type(question)].corba:
            raise unsupported(type(question))
        if isinstance(question, SeeChannel) and isinstance(question.channel, str):
            raise beyond("channels by their names", "use the channel's id")
        if isinstance(question, SeeProxy) and isinstance(question.proxy, str):
            raise beyond("subscriptions with a name", "leave the name out")
        key = (getattr(question, "channel", 0), getattr(question, "proxy", 0))
        return await self._safely(key, partial(self._look, question))

    async def _look(self, question: Question[_T]) -> _T:
        memory = self._recovery.memory
        answer = await self._views.answer(memory.outward(question))
        found: _T = memory.inward(answer, question)
        return found

    async def history(
        self, channel: int, after: int | None, since: int | None, most: int, text: str | None
    ) -> HistoryPage:
        """Refuse: CORBA has no history."""
        self._check_open()
        raise beyond("past events")

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping(CLOSED)

    async def look(
        self, asked: SeeLiveObjects, rate: float, show: Callable[[ObjectsFrame], None]
    ) -> None:
        """Raise `NotOverCorba`: the standard has other means for displays."""
        raise beyond("views of live objects")

    async def close(self) -> None:
        """Disconnect; everything this client made ends."""
        if self._closed:
            return
        self._closed = True
        self._objects.patience.end()
        made = []
        for channel, proxy in list(self._made):
            self._forget(channel, proxy)
            made.append((channel, self._recovery.memory.proxy_now(channel, proxy)))
        for line in self._adopted.values():
            line.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._commands.end_all(made)
        for task in list(self._tasks):
            task.cancel()
        await self._orb.close()


def _speaks_tls(factory: Reference, url: str, options: Options, listen: str | None) -> bool:
    """Whether a service is called with TLS; it then calls back over the client's connection."""
    secured = options.destinations(factory)[0].tls
    if options.client_tls is not None and not secured:
        raise InvalidUsage(
            f"{url:.200} leads to a service without TLS, and tls is given: give an address with "
            "TLS, such as corbaloc:ssliop:host:2810/NotificationService"
        )
    if secured and listen is not None:
        raise InvalidUsage("with TLS the service calls back over the connection: leave listen out")
    return secured


async def _found(orb: Orb, url: str, patience: Patience) -> Reference:
    """Resolve a URL; retry while the naming service is unreachable."""
    tries = patience.tries()
    while True:
        try:
            return await orb.resolve(object_url(url))
        except (COMM_FAILURE, TRANSIENT):
            if not await tries.again():
                raise
