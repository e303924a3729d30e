"""The client: publish, subscribe, pull and manage, whatever the transport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from tidings.channel.management import (
    AddFilter,
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    Disconnect,
    ModifyConstraints,
    ObtainProxy,
    SubscriptionChange,
)
from tidings.channel.qos import Reliability
from tidings.channel.views import ChannelInfo, DeadLetterInfo, FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Item, Place, Side, Style
from tidings.client.managing import Admin, Channel, HostedFilter
from tidings.client.publishing import Publisher, Receipt, patterns
from tidings.client.subscription import PullSubscription, Subscription
from tidings.client.transport import Source, Transport, TypesChanged
from tidings.errors import InvalidUsage, ProxyNotFound
from tidings.events.anyvalue import Value
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.names import new_origin

__all__ = ["Client"]

WINDOW = 256
"""How many events may be on their way to a subscription that has not acknowledged them."""

QoSRequest = Mapping[str, object]
Wanted = str | Constraint | Sequence[str | Constraint] | None


class Client:
    """A program's view of a service.

    Args:
        transport: The way to it.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._publishers: dict[int, Publisher] = {}

    # Channels.

    async def create_channel(
        self,
        name: str = "",
        *,
        qos: QoSRequest | None = None,
        admin: QoSRequest | None = None,
        persistent: bool = False,
    ) -> Channel:
        """Makes a channel.

        Args:
            name: For people; unique.
            qos: Quality of service under the standard's names.
            admin: Admin properties under the standard's names.
            persistent: Short for both reliabilities Persistent: what is accepted survives a
                crash, and so do connections.

        Raises:
            UnsupportedQoS: Something of it cannot be had; every bad property is listed.
            InvalidUsage: There is a channel with this name.
        """
        asked = {**_PERSISTENT, **(qos or {})} if persistent else dict(qos or {})
        made = await self._transport.ask(CreateChannel(new_origin(), asked, admin or {}, name))
        return await self.channel(made)

    async def channel(self, id_or_name: int | str) -> Channel:
        """A channel by its id or name.

        Raises:
            ChannelNotFound: There is none.
        """
        return Channel(self._transport, await self._transport.channel(id_or_name))

    async def channels(self) -> Sequence[ChannelInfo]:
        """All channels as they are now."""
        return await self._transport.channels()

    # Publishing.

    async def publisher(
        self,
        channel: Channel | int | str,
        producer: str = "",
        *,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
        on_wanted: TypesChanged | None = None,
    ) -> Publisher:
        """Makes a publisher.

        Args:
            channel: Where to.
            producer: A name that stays the same over restarts of the program: numbers go on
                where they were. Without one, each publisher is another producer.
            admin: A supplier admin; the default one if None.
            qos: What differs from the admin's quality of service.
            on_wanted: Told what consumers newly want, and what no more.
        """
        info = await self._info(channel)
        proxy = await self._obtain(info.id, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED, admin, qos)
        await self._transport.supply(Connect(info.id, proxy), on_wanted, None)
        last = 0
        if producer:
            last = await self._transport.highest_number(info.id, producer) or 0
        name = producer or new_origin()
        return Publisher(self._transport, info.id, info.origin, proxy, name, last)

    async def publish(self, channel: Channel | int | str, event: Item) -> Receipt:
        """Publishes one event; for many, make a publisher."""
        info = await self._info(channel)
        if info.id not in self._publishers:
            self._publishers[info.id] = await self.publisher(info.id)
        return await self._publishers[info.id].publish(event)

    async def supply(
        self,
        channel: Channel | int | str,
        source: Source,
        *,
        form: Form = Form.STRUCTURED,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
    ) -> int:
        """Has the service ask a function for events, again and again; the proxy's id."""
        info = await self._info(channel)
        proxy = await self._obtain(info.id, Side.SUPPLIER, Style.PULL, form, admin, qos)
        await self._transport.supply(Connect(info.id, proxy), None, source)
        return proxy

    # Subscribing.

    async def subscribe(  # noqa: PLR0913 -- keywords for what users set
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form = Form.STRUCTURED,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
        window: int = WINDOW,
        manual_ack: bool = False,
        on_offers: TypesChanged | None = None,
    ) -> Subscription:
        """Asks for events, to be taken from an iterator.

        Args:
            channel: Where from.
            wanted: A constraint, or several of which one must match; None for everything.
            types: Event types (`Auction::books`), beside the constraints; none for all.
            name: A subscription with a name lives until it is deleted, and is resumed by
                subscribing to the name again.
            form: How events come; SEQUENCE batches them by MaximumBatchSize and PacingInterval.
            admin: A consumer admin; the default one if None.
            qos: What differs from the admin's quality of service.
            window: How many events may be here unacknowledged.
            manual_ack: Whether the program acknowledges by `Delivery.ack`.
            on_offers: Told what is newly offered, and what no more.

        Raises:
            InvalidConstraint: A constraint is none.
            UnsupportedQoS: Something of the quality of service cannot be had.
        """
        info = await self._info(channel)
        proxy, again = await self._consumer(
            info, Style.PUSH, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        connect = Connect(info.id, proxy, window=window, again=again)
        stream = await self._transport.receive(connect, on_offers)
        return Subscription(
            self._transport, info.id, proxy, stream, named=bool(name), manual=manual_ack
        )

    async def handle(  # noqa: PLR0913 -- keywords for what users set
        self,
        channel: Channel | int | str,
        handler: Callable[..., object],
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form = Form.STRUCTURED,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
        window: int = WINDOW,
    ) -> ProxyInfo:
        """Has a function called with each event, or each batch of them (form SEQUENCE).

        An event is done with when the call returns; when it raises, the event comes again after
        a pause. `Disconnected` raised by the function ends the connection. Other arguments are
        those of `subscribe`.
        """
        info = await self._info(channel)
        proxy, again = await self._consumer(
            info, Style.PUSH, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        await self._transport.handle(Connect(info.id, proxy, window=window, again=again), handler)
        return await self._transport.proxy(info.id, proxy)

    async def puller(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form = Form.SEQUENCE,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
    ) -> PullSubscription:
        """Asks for events that wait until they are pulled; arguments as in `subscribe`."""
        info = await self._info(channel)
        proxy, again = await self._consumer(
            info, Style.PULL, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        await self._transport.listen(Connect(info.id, proxy, again=again), None)
        return PullSubscription(self._transport, info.id, proxy, named=bool(name))

    # Filters and dead letters.

    async def create_filter(self, wanted: Wanted = ()) -> HostedFilter:
        """Makes a filter that admins and subscriptions can share."""
        found, _ = await self._transport.ask(CreateFilter(_constraints(wanted)))
        return HostedFilter(self._transport, found)

    async def create_mapping(
        self, default: Value, mapped: Iterable[MappedConstraint] = ()
    ) -> HostedFilter:
        """Makes a mapping filter for priorities (shorts) or lifetimes (TimeT)."""
        found, _ = await self._transport.ask(CreateMapping(default, tuple(mapped)))
        return HostedFilter(self._transport, found)

    async def dead_letters(
        self,
        channel: Channel | int | str | None = None,
        *,
        after: int = 0,
        most: int = 100,
    ) -> Sequence[DeadLetterInfo]:
        """Events that could not be delivered, with their causes, in the order they came."""
        id = None if channel is None else (await self._info(channel)).id
        return await self._transport.dead_letters(id, None, after, most)

    async def redrive(self, dead_letter: int) -> None:
        """Delivers a dead letter again to the consumer it was for."""
        await self._transport.redrive(dead_letter)

    async def drop_dead_letter(self, dead_letter: int) -> None:
        """Forgets a dead letter."""
        await self._transport.drop_dead_letter(dead_letter)

    async def close(self) -> None:
        """Lets go of the service; subscriptions with a name stay."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # Inside.

    async def _info(self, channel: Channel | int | str) -> ChannelInfo:
        if isinstance(channel, Channel):
            return channel.made
        return await self._transport.channel(channel)

    async def _obtain(
        self,
        channel: int,
        side: Side,
        style: Style,
        form: Form,
        admin: Admin | None,
        qos: QoSRequest | None,
        name: str = "",
    ) -> int:
        parent = 0 if admin is None else admin.id
        # What has no name cannot be found again after a restart: it need not survive one.
        start = {} if name else {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        found: int = await self._transport.ask(
            ObtainProxy(channel, side, style, form, parent, {**start, **(qos or {})}, name)
        )
        return found

    async def _consumer(  # noqa: PLR0913 -- keywords for what users set
        self,
        info: ChannelInfo,
        style: Style,
        wanted: Wanted,
        types: Iterable[EventTypePattern | str],
        *,
        name: str,
        form: Form,
        admin: Admin | None,
        qos: QoSRequest | None,
    ) -> tuple[int, bool]:
        """A consumer's proxy, and whether it was there before."""
        asked, listed = _constraints(wanted), patterns(types)
        if name:
            try:
                known = await self._transport.proxy(info.id, name)
            except ProxyNotFound:
                pass
            else:
                await self._resume(known, style, asked)
                return known.id, True
        proxy = await self._obtain(info.id, Side.CONSUMER, style, form, admin, qos, name)
        place = Place(info.id, proxy=proxy)
        try:
            if asked:
                made, _ = await self._transport.ask(CreateFilter(asked, private=True))
                await self._transport.ask(AddFilter(place, made))
            if listed:
                await self._transport.ask(SubscriptionChange(place, listed))
        except BaseException:
            await self._transport.ask(Disconnect(info.id, proxy))
            raise
        return proxy, False

    async def _resume(self, known: ProxyInfo, style: Style, asked: Sequence[Constraint]) -> None:
        """A subscription with this name is there: it asks for the same, or for this from now on."""
        if known.side is not Side.CONSUMER or known.style is not style:
            raise InvalidUsage(f"{known.name!r} is the name of another kind of proxy")
        if not asked or not known.filters:
            return
        filter_id = next(iter(known.filters.values()))
        found = await self._transport.filter(filter_id)
        assert isinstance(found, FilterInfo)
        now = [(one.text, one.event_types) for one in found.constraints.values()]
        if now != [(one.text, one.event_types) for one in asked]:
            hosted = HostedFilter(self._transport, filter_id)
            await hosted.add(asked)
            await self._transport.ask(ModifyConstraints(filter_id, list(found.constraints)))


_PERSISTENT = {
    "EventReliability": Reliability.PERSISTENT.value,
    "ConnectionReliability": Reliability.PERSISTENT.value,
}


def _constraints(wanted: Wanted) -> tuple[Constraint, ...]:
    if wanted is None:
        return ()
    given = [wanted] if isinstance(wanted, str | Constraint) else wanted
    return tuple(constraint(one) if isinstance(one, str) else one for one in given)
