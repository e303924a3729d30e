"""The transport through CORBA: the interfaces of the standard, and nothing else.

What the standard has no words for raises `NotOverCorba`: names, numbers and marks of events, the
past, dead letters, trails, acknowledgements and leases.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NoReturn, Self

from tidings.channel.commands import Ack, Command, Failed, Push, Reject
from tidings.channel.management import Connect, Disconnect, ObtainProxy, Resume, Suspend
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Form, Side
from tidings.client.transport import HistoryPage, Source, Stream, TypesChanged
from tidings.client.transports.iiop_address import callback_address, object_url
from tidings.client.transports.iiop_commands import Commands
from tidings.client.transports.iiop_lines import (
    CorbaStream,
    HandlerLine,
    Line,
    Pulled,
    SourceLine,
    Valve,
)
from tidings.client.transports.iiop_objects import FarProxy, Objects
from tidings.client.transports.iiop_pulls import PullLine
from tidings.client.transports.iiop_servants import servant_for
from tidings.client.transports.iiop_values import UNKNOWN, Events, beyond
from tidings.client.transports.iiop_views import Views
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannelFactory_INTERFACE
from tidings.cos.names import look_up
from tidings.errors import (
    Forbidden,
    InvalidUsage,
    NotFound,
    ProxyNotFound,
    Stopping,
    TidingsError,
    Unreachable,
    WrongState,
)
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import BAD_PARAM, CorbaError

__all__ = ["IiopTransport"]

# So many single pushes are under way at one time.
_PUSHES: Final = 64
# How long the service has to hear that a client goes.
_GOODBYE_SECONDS: Final = 5.0
# Errors that say of every event the same: nothing can be pushed through this proxy.
_ALL: Final = (NotFound, WrongState, Forbidden, Unreachable)


class IiopTransport:
    """Talks to a CORBA notification service, ours or another.

    Args:
        orb: Our end; it listens for the service's calls.
        objects: The objects of the service.
        events: Reads and writes events.
    """

    def __init__(self, orb: Orb, objects: Objects, events: Events | None = None) -> None:
        self._orb = orb
        self._objects = objects
        self._events = events or Events()
        self._commands = Commands(objects)
        self._views = Views(objects)
        self._closed = False
        # What ends with this client: the proxies it made, with the lines to them.
        self._made: dict[tuple[int, int], tuple[bytes, Line] | None] = {}
        self._adopted: dict[tuple[int, int], PullLine] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(
        cls, url: str, *, listen: str | None = None, events: Events | None = None
    ) -> Self:
        """Finds the factory of channels.

        Args:
            url: Of the factory: ``corbaloc:``, ``corbaname:``, ``IOR:``, or ``iiop://host:port``.
            listen: Where the service calls back, ``host:port``; None for any free port of the
                address that leads to the service.
            events: Reads and writes events.

        Raises:
            InvalidUsage: The URL is none.
            Unreachable: Nobody is there, or somebody else is.
        """
        orb = Orb(Options(offer_bidirectional=True, close_seconds=1.0), names=look_up)
        try:
            factory = await orb.resolve(object_url(url))
            await orb.listen(*await callback_address(listen, factory))
            if not await orb.is_a(factory, EventChannelFactory_INTERFACE.id):
                raise Unreachable(f"{url:.200} is no factory of notification channels")
        except BaseException as error:
            await orb.close()
            if isinstance(error, BAD_PARAM):
                raise InvalidUsage(f"{url!r:.200} is no address of a service: {error}") from error
            if isinstance(error, CorbaError):
                raise Unreachable(f"{url:.200} does not answer: {error}") from error
            raise
        return cls(orb, Objects(orb, factory), events)

    # Commands.

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Has a command carried out."""
        await self._ready()
        if isinstance(command, Push):
            return await self._push(command)
        if isinstance(command, Suspend | Resume):
            line = self._line(command.channel, command.proxy)
            if isinstance(line, CorbaStream):
                valve = line.valve
                return await (valve.suspend if isinstance(command, Suspend) else valve.resume)()
        answer = await self._commands.ask(command)
        if isinstance(command, ObtainProxy):
            self._made[command.channel, answer] = None
        return answer

    def tell(self, command: Command) -> None:
        """Has a command carried out before what is asked later; nobody hears its answer."""
        if isinstance(command, Ack | Failed | Reject):
            raise beyond("acknowledgements of single events")
        if not self._closed:
            task = self._start(self._carry_out(command))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    async def _carry_out(self, command: Command) -> None:
        with suppress(TidingsError):
            if isinstance(command, Disconnect):
                self._forget(command.channel, command.proxy)
            await self._commands.ask(command)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ready(self) -> None:
        """What was told goes before what is asked.

        Raises:
            Stopping: The client is closed.
        """
        self._check_open()
        if self._told:
            await asyncio.wait(set(self._told))

    def _check_open(self) -> None:
        if self._closed:
            raise Stopping("the client is closed")

    # Events on their way in.

    async def _push(self, command: Push) -> list[int | TidingsError]:
        if command.trail:
            raise beyond("trails of events")
        proxy = await self._objects.proxy(command.channel, command.proxy)
        answers: list[int | TidingsError] = []
        if proxy.kind.form is Form.SEQUENCE:
            batch = [self._events.outgoing(item) for item in command.items]
            wire = self._events.batch(batch)
            await self._objects.call(proxy.far, "push_structured_events", wire)
            return [UNKNOWN] * len(batch)
        for start in range(0, len(command.items), _PUSHES):
            some = command.items[start : start + _PUSHES]
            answers += await asyncio.gather(*(self._push_one(proxy, item) for item in some))
        first = answers[0] if answers else None
        if isinstance(first, _ALL) and all(type(one) is type(first) for one in answers):
            raise first
        return answers

    async def _push_one(self, proxy: FarProxy, item: object) -> int | TidingsError:
        operation = "push" if proxy.kind.form is Form.ANY else "push_structured_event"
        try:
            event: StructuredEvent = self._events.outgoing(item)  # type: ignore[arg-type]
            wire = self._events.written(event, proxy.kind.form)
            await self._objects.call(proxy.far, operation, wire)
        except TidingsError as error:
            return error
        return UNKNOWN

    # Lines.

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Stream:
        """Connects a push consumer that takes events from a stream."""
        await self._ready()
        if connect.window < 1:
            raise InvalidUsage(f"a window holds at least one event, not {connect.window}")
        channel, id = connect.channel, connect.proxy
        proxy = await self._objects.proxy(channel, id)
        valve = Valve(
            partial(self._commands.ask, Suspend(channel, id)),
            partial(self._commands.ask, Resume(channel, id)),
        )
        stream = CorbaStream(
            proxy.kind.form, connect.window, valve, self._events, self._start, on_offers
        )
        await self._connect(connect, proxy, stream)
        return stream

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connects a push consumer whose function is called with each event, or batch."""
        await self._ready()
        proxy = await self._objects.proxy(connect.channel, connect.proxy)
        line = HandlerLine(handler, proxy.kind.form, self._events)
        return await self._connect(connect, proxy, line)

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connects a supplier; one with a source is asked for events."""
        await self._ready()
        proxy = await self._objects.proxy(connect.channel, connect.proxy)
        if source is None:
            return await self._connect(connect, proxy, Line(on_wanted))
        line = SourceLine(source, proxy.kind.form, self._events)
        return await self._connect(connect, proxy, line)

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connects a pull consumer."""
        await self._ready()
        proxy = await self._objects.proxy(connect.channel, connect.proxy)
        line = PullLine(self._objects, proxy, self._events, on_offers)
        return await self._connect(connect, proxy, line)

    async def _connect(self, connect: Connect, proxy: FarProxy, line: Line) -> Line:
        key = new_origin().encode()
        reference = self._orb.activate(servant_for(proxy.kind, line), key)
        try:
            await self._objects.call(proxy.far, proxy.kind.connect, reference)
        except BaseException:
            self._orb.deactivate(key)
            self._made.setdefault((connect.channel, connect.proxy), None)
            raise
        # Not before: a proxy that is connected already keeps the line it has.
        self._made[connect.channel, connect.proxy] = (key, line)
        return line

    def _line(self, channel: int, proxy: int) -> Line | None:
        found = self._made.get((channel, proxy))
        return None if found is None else found[1]

    def _forget(self, channel: int, proxy: int) -> None:
        """Nothing more comes from a proxy."""
        found = self._made.pop((channel, proxy), None)
        if found is not None:
            key, line = found
            self._orb.deactivate(key)
            line.close()

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Cuts a line; the proxy ends, since nobody could find it again."""
        await self._ready()
        if (channel, proxy) not in self._made:
            raise ProxyNotFound(f"proxy {proxy} of channel {channel} has ended")
        self._forget(channel, proxy)
        await self._commands.ask(Disconnect(channel, proxy))

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> Pulled:
        """Asks for events as a pull consumer."""
        await self._ready()
        if lease is not None:
            raise beyond("leases", "pull without one: what is pulled is done with")
        if most < 1:
            raise InvalidUsage(f"a pull is for at least one event, not {most}")
        line = self._line(channel, proxy)
        if line is None:
            line = self._adopted.get((channel, proxy))
        if line is None:
            # One of before, which has outlived the program that made it.
            found = await self._objects.proxy(channel, proxy)
            line = PullLine(self._objects, found, self._events, None)
            self._adopted[channel, proxy] = line
        return await line.pull(most, wait)

    # What there is to see.

    async def channels(self) -> Sequence[ChannelInfo]:
        """All channels."""
        await self._ready()
        return await self._views.channels()

    async def channel(self, id_or_name: int | str) -> ChannelInfo:
        """One channel."""
        await self._ready()
        if isinstance(id_or_name, str):
            raise beyond("channels by their names", "use the channel's id")
        return await self._views.channel(id_or_name)

    async def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """One admin."""
        await self._ready()
        return await self._views.admin(channel, side, id)

    async def proxies(self, channel: int) -> Sequence[ProxyInfo]:
        """All proxies of a channel."""
        await self._ready()
        return await self._views.proxies(channel)

    async def proxy(self, channel: int, id_or_name: int | str) -> ProxyInfo:
        """One proxy."""
        await self._ready()
        if isinstance(id_or_name, str):
            raise beyond("subscriptions with a name", "leave the name out")
        return await self._views.proxy(channel, id_or_name)

    async def filter(self, id: int) -> FilterInfo | MappingInfo:
        """One filter."""
        await self._ready()
        return await self._views.filter(id)

    async def advertisement(self, channel: int) -> Advertisement:
        """What is offered and wanted in a channel, and by whom: not told."""
        self._refuse("lists of who offers and wants what", "use on_wanted and on_offers")

    async def highest_number(self, channel: int, producer: str) -> int | None:
        """The highest number a producer's accepted events had: not told."""
        self._refuse("producers with a name", "leave the name out")

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Past events of a channel: not told."""
        self._refuse("past events")

    async def dead_letters(
        self, channel: int | None, proxy: int | None, after: int, most: int
    ) -> Sequence[DeadLetterInfo]:
        """Dead letters: not told."""
        self._refuse("dead letters")

    async def redrive(self, id: int) -> None:
        """Delivers a dead letter again: cannot be asked for."""
        self._refuse("dead letters")

    async def drop_dead_letter(self, id: int) -> None:
        """Forgets a dead letter: cannot be asked for."""
        self._refuse("dead letters")

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        self._check_open()
        raise beyond(what, instead)

    async def close(self) -> None:
        """Lets go of the service: everything that was made ends."""
        if self._closed:
            return
        self._closed = True
        made = list(self._made)
        for channel, proxy in made:
            self._forget(channel, proxy)
        for line in self._adopted.values():
            line.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._commands.end_all(made)
        for task in list(self._tasks):
            task.cancel()
        await self._orb.close()
