"""The client: publish, subscribe, pull and manage, whatever the transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Final, Self

from tidings.channel.management import (
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    ObtainProxy,
)
from tidings.channel.qos import reliabilities
from tidings.channel.questions import (
    DropDeadLetter,
    RedriveDeadLetter,
    SeeChannel,
    SeeChannels,
    SeeDeadLetters,
    SeeFilters,
    SeeHighestNumber,
)
from tidings.channel.views import ChannelInfo, DeadLetterInfo, FilterInfo, MappingInfo
from tidings.channel.vocabulary import Form, Item, Side, Style
from tidings.client.connection import PushConnection
from tidings.client.looking_back import LooksBack
from tidings.client.managing import Admin, Channel, HostedFilter, Wanted, constraints
from tidings.client.past import Moment, Past, microseconds, wish_of_proxy
from tidings.client.proxies import Proxies, QoSRequest
from tidings.client.publishing import Publisher, Receipt
from tidings.client.subscription import PullSubscription, Subscription
from tidings.client.transport import Source, Transport, TypesChanged
from tidings.errors import ProxyNotFound
from tidings.events.anyvalue import Value
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.names import new_origin

WINDOW = 256
"""How many events may be on their way to a subscription that has not acknowledged them."""


# More publishers that `Client.publish` has made are looked through before one more is.
_FEW_PUBLISHERS: Final = 64


class Client(LooksBack):
    """A program's view of a service.

    Args:
        transport: The way to it.
    """

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._proxies = Proxies(transport)
        self._publishers: dict[int, Publisher] = {}
        self._forget_at = _FEW_PUBLISHERS
        self._making = asyncio.Lock()

    @property
    def transport(self) -> Transport:
        """The way to the service, for tools that need its commands and views themselves."""
        return self._transport

    # Channels.

    async def create_channel(
        self,
        name: str = "",
        *,
        qos: QoSRequest | None = None,
        admin: QoSRequest | None = None,
        persistent: bool = True,
    ) -> Channel:
        """Makes a channel.

        Args:
            name: For people; unique.
            qos: Quality of service under the standard's names.
            admin: Admin properties under the standard's names.
            persistent: Short for both reliabilities, Persistent or BestEffort, unless `qos` says
                otherwise: whether what is accepted survives a crash, and connections do.

        Raises:
            UnsupportedQoS: Something of it cannot be had; every bad property is listed.
            NameTaken: There is a channel with this name.
            InvalidUsage: The name is none.
        """
        asked = {**reliabilities(persistent=persistent), **(qos or {})}
        made = await self._transport.ask(CreateChannel(new_origin(), asked, admin or {}, name))
        return await self.channel(made)

    async def channel(self, id_or_name: int | str) -> Channel:
        """A channel by its id or name.

        Raises:
            ChannelNotFound: There is none.
        """
        return Channel(self._transport, await self._transport.request(SeeChannel(id_or_name)))

    async def channels(self) -> Sequence[ChannelInfo]:
        """All channels as they are now."""
        return await self._transport.request(SeeChannels())

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

        Raises:
            AdminLimitExceeded: The channel has as many suppliers as it may.
            InvalidEvent: The producer's name is none.
        """
        name = producer or new_origin()
        ProducerMark(name, 0)  # the name is checked here, and trusted from then on
        info = await self._info(channel)
        last = 0
        if producer:
            highest = await self._transport.request(SeeHighestNumber(info.id, producer))
            last = highest or 0
        command = ObtainProxy(info.id, Side.SUPPLIER, qos=qos or {})
        proxy = await self._proxies.obtain(command, admin)
        connect = Connect(info.id, proxy)
        line = await self._proxies.linked(connect, self._transport.supply(connect, on_wanted, None))
        return Publisher(
            self._transport, info.id, proxy, line, origin=info.origin, producer=name, last=last
        )

    async def publish(self, channel: Channel | int | str, event: Item) -> Receipt:
        """Publishes one event; for many, make a publisher."""
        id = (await self._info(channel)).id
        try:
            return await (await self._publisher(id)).publish(event)
        except ProxyNotFound:  # it ended with the default admin, which begins anew
            self._publishers.pop(id, None)
            return await (await self._publisher(id)).publish(event)

    async def _publisher(self, channel: int) -> Publisher:
        found = self._publishers.get(channel)
        if found is None:
            async with self._making:  # those who come meanwhile share the one that is made
                found = self._publishers.get(channel)
                if found is None:
                    await self._forget_publishers()
                    found = self._publishers[channel] = await self.publisher(channel)
        return found

    async def _forget_publishers(self) -> None:
        """Lets go of those whose channels are gone; nobody tells the client when one goes."""
        if len(self._publishers) >= self._forget_at:
            known = {info.id for info in await self._transport.request(SeeChannels())}
            kept = {id: one for id, one in self._publishers.items() if id in known}
            self._publishers = kept
            self._forget_at = max(_FEW_PUBLISHERS, 2 * len(kept))

    async def supply(
        self,
        channel: Channel | int | str,
        source: Source,
        *,
        form: Form = Form.STRUCTURED,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
    ) -> PushConnection:
        """Has the service ask a function for events, again and again.

        Args:
            channel: Where to.
            source: Called with how many events are wanted at most; gives one, several or None,
                or is a coroutine function of these. `Disconnected` raised by it ends the supply.
            form: SEQUENCE asks for up to MaximumBatchSize at once.
            admin: A supplier admin; the default one if None.
            qos: What differs from the admin's quality of service.
        """
        info = await self._info(channel)
        command = ObtainProxy(info.id, Side.SUPPLIER, Style.PULL, form, qos=qos or {})
        proxy = await self._proxies.obtain(command, admin)
        connect = Connect(info.id, proxy)
        line = await self._proxies.linked(connect, self._transport.supply(connect, None, source))
        return PushConnection(self._transport, info.id, proxy, line)

    # Subscribing.

    async def subscribe(  # noqa: PLR0913 -- keywords for what users set
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form | None = None,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
        window: int = WINDOW,
        manual_ack: bool = False,
        on_offers: TypesChanged | None = None,
        since: Moment | None = None,
    ) -> Subscription:
        """Asks for events, to be taken from an iterator.

        Args:
            channel: Where from.
            wanted: A constraint, or several of which one must match; None for everything.
            types: Event types (`Auction::books`), beside the constraints; none for all.
            name: A subscription with a name lives until it is deleted, and is resumed by
                subscribing to the name again. What is given then counts from then on; what is
                left out stays as it was.
            form: How events come; SEQUENCE batches them by MaximumBatchSize and PacingInterval.
                STRUCTURED if None.
            admin: A consumer admin; the default one if None.
            qos: What differs from the admin's quality of service.
            window: How many events may be here unacknowledged.
            manual_ack: Whether the program acknowledges by `Delivery.ack`.
            on_offers: Told what is newly offered, and what no more.
            since: Begins with the past: what the journal has of events that came then or later,
                then what comes, each event once and none left out. Counts for this call only.

        Raises:
            InvalidConstraint: A constraint is none.
            UnsupportedQoS: Something of the quality of service cannot be had.
            AdminLimitExceeded: The channel has as many consumers as it may.
            InvalidUsage: The name is none, or that of a proxy of another kind.
        """
        start = microseconds(since)
        info = await self._info(channel)
        proxy, again = await self._proxies.consumer(
            info.id, Style.PUSH, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        connect = Connect(info.id, proxy, window=window, again=again)
        stream = await self._proxies.linked(connect, self._transport.receive(connect, on_offers))
        made = Subscription(
            self._transport, info.id, proxy, stream, named=bool(name), manual=manual_ack
        )
        if start is not None:
            await self._begin_with_past(made, start, connect)
        return made

    async def _begin_with_past(self, made: Subscription, since: int, connect: Connect) -> None:
        """The line is there already: what the past does not have yet will come over it."""
        try:
            wish = await wish_of_proxy(self._transport, made.channel, made.proxy)
        except BaseException:
            await (made.close() if connect.again else made.delete())
            raise
        made.begin_with(Past(self._transport, made.channel, wish, since=since))

    async def handle(  # noqa: PLR0913 -- keywords for what users set
        self,
        channel: Channel | int | str,
        handler: Callable[..., object],
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form | None = None,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
        window: int = WINDOW,
    ) -> PushConnection:
        """Has a function called with each event, or each batch of them (form SEQUENCE).

        The function is given a `Message`, or a list of them, and may be a coroutine function.
        An event is done with when the call returns; when it raises, the event comes again after
        a pause. `Disconnected` raised by the function ends the connection. Other arguments are
        those of `subscribe`.
        """
        info = await self._info(channel)
        proxy, again = await self._proxies.consumer(
            info.id, Style.PUSH, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        connect = Connect(info.id, proxy, window=window, again=again)
        line = await self._proxies.linked(connect, self._transport.handle(connect, handler))
        return PushConnection(self._transport, info.id, proxy, line, named=bool(name))

    async def puller(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        types: Iterable[EventTypePattern | str] = (),
        name: str = "",
        form: Form | None = None,
        admin: Admin | None = None,
        qos: QoSRequest | None = None,
    ) -> PullSubscription:
        """Asks for events that wait until they are pulled; arguments as in `subscribe`.

        The form is SEQUENCE if None: then one pull can have many events.
        """
        info = await self._info(channel)
        proxy, again = await self._proxies.consumer(
            info.id, Style.PULL, wanted, types, name=name, form=form, admin=admin, qos=qos
        )
        connect = Connect(info.id, proxy, again=again)
        line = await self._proxies.linked(connect, self._transport.listen(connect, None))
        return PullSubscription(self._transport, info.id, proxy, line, named=bool(name))

    # Filters and dead letters.

    async def create_filter(self, wanted: Wanted = ()) -> HostedFilter:
        """Makes a filter that admins and subscriptions can share."""
        found, _ = await self._transport.ask(CreateFilter(constraints(wanted)))
        return HostedFilter(self._transport, found)

    async def filters(
        self, *, after: int = 0, most: int = 100
    ) -> Sequence[FilterInfo | MappingInfo]:
        """Filters and mapping filters by rising ids; those with 0 holders end if nobody uses them.

        Args:
            after: The id of the last one seen.
            most: At most this many, up to 1,000.
        """
        return await self._transport.request(SeeFilters(after, most))

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
        return await self._transport.request(SeeDeadLetters(id, None, after, most))

    async def redrive(self, dead_letter: int) -> None:
        """Delivers a dead letter again to the consumer it was for."""
        await self._transport.request(RedriveDeadLetter(dead_letter))

    async def drop_dead_letter(self, dead_letter: int) -> None:
        """Forgets a dead letter."""
        await self._transport.request(DropDeadLetter(dead_letter))

    async def close(self) -> None:
        """Lets go of the service.

        Everything the client made without a name ends; subscriptions with a name stay. Loops
        over subscriptions end, and every later call raises `Stopping`.
        """
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
