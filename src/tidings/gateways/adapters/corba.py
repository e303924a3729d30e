"""Channels of other CORBA services: the Notification Service, and the plain Event Service.

The gateway is a client of the channel, with an ORB of its own, as a program in C++ would be one.
Only what the standards have is used. Neither lets a consumer come back to what it has missed, so
nothing is left at the channel when the gateway disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec

from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Style
from tidings.channel.vocabulary import Side as Role
from tidings.client.transports.iiop.lines import Line
from tidings.client.transports.iiop.transport import callback_address
from tidings.client.transports.iiop.values import Events, measured
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.events import MOST_OCTETS, any_in, event_in
from tidings.cos.kinds import SUFFIXES, Kind, kind_of
from tidings.cos.names import look_up
from tidings.errors import InvalidEvent, InvalidEventType, InvalidUsage, NotFound, TidingsError
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import marked, unmarked
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
    unreadable,
)
from tidings.gateways.corba_channel import (
    Channel,
    PlacedFilter,
    Proxy,
    check_reference,
    ended,
    made_by,
    resolve,
)
from tidings.gateways.corba_outlets import Outlet, PulledOutlet, PushingOutlet, Sized
from tidings.orb.aio import Options, Orb

# Seconds for one call of the service, and for all that ends what we have made there.
_CALL: Final = 10.0
_GOODBYE: Final = 5.0
# Seconds between two looks whether our proxies are still there.
_LOOK: Final = 2.0
_BATCH: Final = 256


class CorbaParameters(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"into": "in"}
):
    """Which channel, and how it is used.

    Attributes:
        reference: Where the channel is: `IOR:…`, `corbaloc:…`, `corbaname:…` (through a naming
            service), or `file:PATH` of a file with one of these.
        channel: The channel's id, if the reference is that of a channel factory.
        model: What the channel is: one of the Notification Service, or of the Event Service.
        into: Whether the service pushes events to the gateway, or the gateway pulls them; `in` in
            configurations.
        out: Whether the gateway pushes events to the service, or the service pulls them.
        form: In which form events travel; structured if it is left out, any in the Event Service.
        admin: Whether our proxies belong to admins that we make, or to the channel's default ones,
            whose filters then hold back what others have decided.
        listen: The address where the service calls back, `HOST:PORT`; empty for this machine's
            address on the way to the service, and a free port.
        bidirectional: Whether the service may call back over our connection; without `listen` it
            then cannot do so in another way.
        poll: Seconds until the gateway pulls again when there was no event.
        settle: Seconds that a push waits for the events to be safe where they go, before it is
            answered; 0 to answer when the gateway has them.
        most_octets: The longest event that the service takes.
    """

    reference: str
    channel: int | None = None
    model: Literal["notification", "events"] = "notification"
    into: Literal["push", "pull"] = "push"
    out: Literal["push", "pull"] = "push"
    form: Literal["any", "structured", "sequence"] | None = None
    admin: Literal["own", "default"] = "own"
    listen: str = ""
    bidirectional: bool = False
    poll: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 0.1
    settle: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 0.0
    most_octets: Annotated[int, msgspec.Meta(gt=0)] = MOST_OCTETS


class _Settling:
    """Events of one push that are not safe yet."""

    def __init__(self, count: int) -> None:
        self._left = count
        self.done = asyncio.Event()

    def settle(self) -> None:
        """One of them is safe."""
        self._left -= 1
        if self._left <= 0:
            self.done.set()


class _End(Line):
    """Our end of a proxy, which the channel calls."""

    def __init__(self, adapter: CorbaAdapter) -> None:
        super().__init__()
        self._adapter = adapter

    async def take(self, value: object) -> None:
        """Take events that are pushed to us."""
        if self.error is not None:
            raise GoneClient
        await self._adapter.take(value)

    async def give(self, most: int) -> Sequence[object]:
        """Give events to the channel, which pulls them."""
        if self.error is not None:
            raise GoneClient
        return self._adapter.give(most)

    def ended(self) -> None:
        """Notice that the channel has disconnected us; what we have closed does not matter."""
        if self.error is None:
            self._adapter.hang_up("the service has disconnected us")
        self.close()


class CorbaAdapter(Adapter[CorbaParameters]):
    """The adapter of a channel of a CORBA service."""

    Parameters = CorbaParameters
    capabilities = Capabilities(
        kind="corba",
        promise="at least once into the channel, twice only around a failure; at most once out of "
        "it, with nothing lost while both run and the channel discards nothing",
        filtering=Filtering.CONTENT,
        holds=False,
        confirms=True,
        marks=True,
        control=True,
        announces=True,
        nested=True,
        most_octets=MOST_OCTETS,
        priority=Survival.KEPT,
        order=Survival.KEPT,
        lifetime=Survival.KEPT,
        reliability=Survival.KEPT,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: CorbaParameters) -> None:
        super().__init__(side, parameters)
        check_reference(parameters.reference)
        self._bare = parameters.model == "events"
        form = parameters.form or ("any" if self._bare else "structured")
        self._form = Form[form.upper()]
        self._style = Style(parameters.into)
        for name, wrong in (
            ("form", self._form is not Form.ANY),
            ("channel", parameters.channel is not None),
        ):
            if self._bare and wrong:
                raise InvalidUsage(
                    f"{side.adapter}: the Event Service knows channels without ids and anys only:"
                    f" leave {name} out, or set model to notification"
                )
        self.capabilities = msgspec.structs.replace(
            self.capabilities, most_octets=parameters.most_octets, **_NARROW[self._bare]
        )
        self._events = Events()
        self._orb: Orb | None = None
        self._channel: Channel | None = None
        self._source: Proxy | None = None
        self._filter: PlacedFilter | None = None
        self._poller: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._offered: set[str] = set()

    # Its life.

    async def connect(self, heard: Heard) -> None:
        """Find the channel, and connect as a supplier; as a consumer when something is wanted."""
        self._heard = heard
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._look = asyncio.Event()
        try:
            self._channel = await self._opened()
            style = Style(self.parameters.out)
            self._target = await self._channel.obtain(self._kind(Role.SUPPLIER, style), _End(self))
            make = PushingOutlet if style is Style.PUSH else PulledOutlet
            self._outlet: Outlet = make(self._channel, self._target, self._lost)
            await self._channel.join(self._target)
        except BaseException as error:
            await self.disconnect()
            if isinstance(error, TidingsError | OSError):
                raise self._failed(error) from error
            raise

    async def _opened(self) -> Channel:
        given = self.parameters
        options = Options(
            offer_bidirectional=given.bidirectional,
            connect_seconds=_CALL,
            call_seconds=_CALL,
            close_seconds=1.0,
        )
        self._orb = orb = Orb(options, names=look_up)
        orb.tell_losses(self._look.set)
        reference = await resolve(orb, given.reference)
        if given.listen or not given.bidirectional:
            await orb.listen(*await callback_address(given.listen or None, reference))
        side = self.side
        owner = (side.system, side.gateway, side.adapter, given.reference, given.channel)
        return await Channel.open(
            orb,
            reference,
            given.channel,
            bare=self._bare,
            own_admins=given.admin == "own" and not self._bare,
            made=made_by(owner),
        )

    def _failed(self, error: Exception) -> AdapterError:
        return AdapterError(f"{self.parameters.reference:.100}: {error}")

    def _kind(self, role: Role, style: Style) -> Kind:
        return kind_of(role, style, self._form, self._bare)

    async def disconnect(self) -> None:
        """Leave the channel, with nothing left there."""
        channel, self._channel = self._channel, None
        orb, self._orb = self._orb, None
        if channel is not None:
            with suppress(TidingsError, TimeoutError):
                async with asyncio.timeout(_GOODBYE):
                    await self._unsubscribe(channel)
                    await channel.close()
        self._source = self._filter = None
        self._offered.clear()
        if orb is not None:
            await orb.close()

    async def lost(self) -> str:
        """Wait until the service is away, has forgotten our proxies, or disconnects us."""
        while not self._lost.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self._look.wait()
            self._look.clear()
            if self._channel is not None and not self._lost.done():
                try:
                    cause = await self._channel.missing()
                except TidingsError as error:
                    cause = str(error)
                if cause:
                    self.hang_up(cause)
        return self._lost.result()

    def hang_up(self, cause: str) -> None:
        """Note that the connection is lost."""
        if not self._lost.done():
            self._lost.set_result(cause)
            self._look.set()

    # From the service.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Have a proxy supplier with these filters, or none."""
        channel = self._connected()
        try:
            if not filters:
                await self._unsubscribe(channel)
                return []
            if self._source is None:
                return await self._subscribe(channel, filters)
            return await self._place(filters)
        except TidingsError as error:
            raise self._failed(error) from error

    def _connected(self) -> Channel:
        if self._channel is None or self._lost.done():
            raise AdapterError(f"{self.parameters.reference:.100} is not connected")
        return self._channel

    async def _subscribe(self, channel: Channel, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Obtain a proxy supplier, and connect to it when its filter is in place."""
        source = await channel.obtain(self._kind(Role.CONSUMER, self._style), _End(self))
        self._source = source
        try:
            if not self._bare:
                self._filter = PlacedFilter(channel)
                await self._filter.attach(source)
            placed = await self._place(filters)
            await channel.join(source)
        except BaseException:
            with suppress(TidingsError):
                await self._unsubscribe(channel)
            raise
        if self._style is Style.PULL:
            self._poller = asyncio.create_task(self._poll(channel, source))
        return placed

    async def _place(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        if self._filter is None:
            why = "the Event Service has no filters"
            return [Placed("everything", exact=False, surplus=why) for _ in filters]
        placed = await self._filter.change(filters)
        return [
            Placed(one.text or "TRUE", exact=True)
            if found == one
            else Placed(_types(found), exact=False, surplus=self._filter.why)
            for one, found in zip(filters, placed, strict=True)
        ]

    async def _unsubscribe(self, channel: Channel) -> None:
        poller, self._poller = self._poller, None
        if poller is not None:
            poller.cancel()
            await asyncio.wait((poller,))
        source, self._source = self._source, None
        filter, self._filter = self._filter, None
        if source is not None:
            await channel.end(source)
        if filter is not None:
            await filter.close()

    async def _poll(self, channel: Channel, source: Proxy) -> None:
        """Pull events until the connection is lost."""
        most = (_BATCH,) if self._form is Form.SEQUENCE else ()
        operation = f"try_pull{SUFFIXES[self._form]}"
        try:
            while True:
                value, found = await channel.call(source.far, operation, *most)
                if found:
                    await self.take(value)
                else:
                    await asyncio.sleep(self.parameters.poll)
        except NotFound:
            self.hang_up(ended(source))
        except TidingsError as error:
            self.hang_up(str(error))

    async def take(self, value: Any) -> None:  # noqa: ANN401 -- by form
        """Take what came in one call; return when the gateway has it, or when it is safe."""
        arrivals = self._read(value)
        settling = _Settling(len(arrivals))
        async with self._turn:
            await self._heard([one._replace(handle=settling) for one in arrivals])
        if self.parameters.settle and arrivals:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.parameters.settle):
                    await settling.done.wait()

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Let pushes be answered that wait for this."""
        for arrival in arrivals:
            arrival.handle.settle()

    def _read(self, value: Any) -> list[Arrival]:  # noqa: ANN401 -- by form
        found = []
        for one in value if self._form is Form.SEQUENCE else (value,):
            try:
                event = any_in(one) if self._form is Form.ANY else event_in(one)
                found.append(Arrival(*unmarked(entered(event, unwrap=True))))
            except InvalidEvent as error:
                # Refused, it would come again and again, and hold up what is behind it.
                found.append(unreadable(repr(one).encode(), self._form.name.lower(), str(error)))
        return found

    # To the service.

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events, in order; anys hold a structured event, so that the mark travels."""
        self._connected()
        answers: list[Refused | None] = [None] * len(events)
        fitting: list[Sized] = []
        for at, (event, mark) in enumerate(events):
            try:
                item = self._events.outgoing(marked(event, mark), self._form)
                octets = measured(item, self._form, self.parameters.most_octets)
            except InvalidEvent as error:
                answers[at] = Refused(str(error))
            else:
                fitting.append(Sized(at, item, octets))
        try:
            for at, fault in (await self._outlet.publish(fitting)).items():
                answers[at] = Refused(str(fault))
        except TidingsError as error:
            raise self._failed(error) from error
        return answers

    def give(self, most: int) -> Sequence[object]:
        """Give events to the channel, which pulls them."""
        return self._outlet.give(most)

    async def offer(self, subjects: Sequence[str]) -> None:
        """Offer event types with the names of the subjects."""
        if self._bare:
            return
        channel, wanted = self._connected(), set(subjects)
        for subject in sorted(wanted ^ self._offered):
            types = (EventType("*", subject),)
            change = (types, ()) if subject in wanted else ((), types)
            try:
                with suppress(InvalidEventType):  # not a name that types may have
                    await channel.call(self._target.far, "offer_change", *change)
            except TidingsError as error:
                raise self._failed(error) from error
        self._offered = wanted


def _types(placed: Constraint) -> str:
    """Name the event types that a wider filter lets pass."""
    types = ", ".join(f"{one.domain}::{one.type}" for one in placed.event_types)
    return types or "everything"


_NARROW: Final[dict[bool, dict[str, Any]]] = {
    False: {},
    # Properties of the header pass, and the service does not act on them.
    True: {
        "filtering": Filtering.NONE,
        "announces": False,
        **dict.fromkeys(("priority", "lifetime", "reliability"), Survival.PARTLY),
    },
}
"""What the Event Service (`True`) lacks."""
