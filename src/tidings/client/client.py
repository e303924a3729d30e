"""Client for publishing, subscribing, pulling and managing over any transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Final, Self

from tidings.channel.functions import Source
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
from tidings.client.transport import Transport, TypesChanged
from tidings.errors import ProxyNotFound
from tidings.events.anyvalue import Value
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.names import new_origin

WINDOW = 256
"""Default number of events a subscription may hold unacknowledged."""


# `Client.publish` drops cached publishers of deleted channels once it holds this many.
_FEW_PUBLISHERS: Final = 64


class Client(LooksBack):
    """A connection to a service."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._proxies = Proxies(transport)
        self._publishers: dict[int, Publisher] = {}
        self._forget_at = _FEW_PUBLISHERS
        self._making = asyncio.Lock()

    @property
    def transport(self) -> Transport:
        """The transport, for tools that send commands and questions themselves."""
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
        """Create a channel.

        Args:
            name: Unique; empty for an unnamed channel.
            qos: Quality of service under the standard's names.
            admin: Admin properties under the standard's names.
            persistent: Whether accepted events and connections survive a crash. Sets both
                reliabilities (Persistent or BestEffort); `qos` overrides it.

        Raises:
            UnsupportedQoS: Lists every property that cannot be granted.
            NameTaken: Another channel has this name.
            InvalidUsage: The name is invalid.
        """
        asked = {**reliabilities(persistent=persistent), **(qos or {})}
        made = await self._transport.ask(CreateChannel(new_origin(), asked, admin or {}, name))
        return await self.channel(made)

    async def channel(self, id_or_name: int | str) -> Channel:
        """Look up a channel.

        Raises:
            ChannelNotFound: No channel has this id or name.
        """
        return Channel(self._transport, await self._transport.request(SeeChannel(id_or_name)))

    async def channels(self) -> Sequence[ChannelInfo]:
        """List all channels."""
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
        """Create a publisher.

        Args:
            channel: The channel to publish to.
            producer: A name to keep across restarts; numbering then continues where it stopped.
                Without one, each publisher is a new producer.
            admin: A supplier admin; None for the default one.
            qos: Overrides of the admin's quality of service.
            on_wanted: Called with the event types that consumers newly want and no longer want.

        Raises:
            AdminLimitExceeded: The channel has its maximum number of suppliers.
            InvalidEvent: The producer name is invalid.
        """
        name = producer or new_origin()
        ProducerMark(name, 0)  # checks the name, which is trusted later
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
        """Publish one event; for many, create a publisher."""
        id = (await self._info(channel)).id
        try:
            return await (await self._publisher(id)).publish(event)
        except ProxyNotFound:  # the default admin was destroyed and recreated
            self._publishers.pop(id, None)
            return await (await self._publisher(id)).publish(event)

    async def _publisher(self, channel: int) -> Publisher:
        found = self._publishers.get(channel)
        if found is None:
            async with self._making:  # concurrent callers share one publisher
                found = self._publishers.get(channel)
                if found is None:
                    await self._forget_publishers()
                    found = self._publishers[channel] = await self.publisher(channel)
        return found

    async def _forget_publishers(self) -> None:
        """Drop publishers of deleted channels; the service does not report deletions."""
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
        """Let the service pull events from a function repeatedly.

        Args:
            channel: The channel to publish to.
            source: Called with the maximum number of events; returns one, several or None. May be
                a coroutine function. Raise `Disconnected` to end the supply.
            form: SEQUENCE asks for up to MaximumBatchSize events per call.
            admin: A supplier admin; None for the default one.
            qos: Overrides of the admin's quality of service.
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
        """Subscribe to events and read them from an asynchronous iterator.

        Args:
            channel: The channel to read from.
            wanted: A constraint, or several of which one must match; None for all events.
            types: Event types (`Auction::books`) in addition to the constraints; empty for all.
            name: A named subscription lives until deleted; subscribe with the same name to resume
                it. Arguments given then replace the old ones; omitted ones stay as they were.
            form: SEQUENCE batches events by MaximumBatchSize and PacingInterval. Default
                STRUCTURED.
            admin: A consumer admin; None for the default one.
            qos: Overrides of the admin's quality of service.
            window: Maximum number of unacknowledged events at the client.
            manual_ack: Whether the program acknowledges with `Delivery.ack`.
            on_offers: Called with the event types newly offered and no longer offered.
            since: Start with events from the journal accepted at or after this time, then continue
                with new ones: each event once, without a gap. Applies to this call only.

        Raises:
            InvalidConstraint: A constraint is invalid.
            UnsupportedQoS: A property cannot be granted.
            AdminLimitExceeded: The channel has its maximum number of consumers.
            InvalidUsage: The name is invalid or belongs to a proxy of another kind.
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
        """Replay from the journal; the connection exists already, so no event falls in between."""
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
        """Call a function with each event, or each batch of events (form SEQUENCE).

        The function receives a `Message` or a list of them and may be a coroutine function. When it
        returns, the events are acknowledged; when it raises, they are redelivered after a pause.
        Raise `Disconnected` to end the connection. Other arguments are those of `subscribe`.
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
        """Subscribe to events that wait until pulled; arguments as in `subscribe`.

        The form defaults to SEQUENCE, so that one pull can return many events.
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
        """Create a filter that admins and subscriptions can share."""
        found, _ = await self._transport.ask(CreateFilter(constraints(wanted)))
        return HostedFilter(self._transport, found)

    async def filters(
        self, *, after: int = 0, most: int = 100
    ) -> Sequence[FilterInfo | MappingInfo]:
        """List filters and mapping filters by ascending id.

        The service deletes filters without holders if they stay unused.

        Args:
            after: The last id already seen.
            most: Maximum number to return, up to 1,000.
        """
        return await self._transport.request(SeeFilters(after, most))

    async def create_mapping(
        self, default: Value, mapped: Iterable[MappedConstraint] = ()
    ) -> HostedFilter:
        """Create a mapping filter for priorities (shorts) or lifetimes (TimeT)."""
        found, _ = await self._transport.ask(CreateMapping(default, tuple(mapped)))
        return HostedFilter(self._transport, found)

    async def dead_letters(
        self,
        channel: Channel | int | str | None = None,
        *,
        after: int = 0,
        most: int = 100,
    ) -> Sequence[DeadLetterInfo]:
        """List undeliverable events with their causes, oldest first."""
        id = None if channel is None else (await self._info(channel)).id
        return await self._transport.request(SeeDeadLetters(id, None, after, most))

    async def redrive(self, dead_letter: int) -> None:
        """Redeliver a dead letter to its consumer."""
        await self._transport.request(RedriveDeadLetter(dead_letter))

    async def drop_dead_letter(self, dead_letter: int) -> None:
        """Delete a dead letter."""
        await self._transport.request(DropDeadLetter(dead_letter))

    async def close(self) -> None:
        """Disconnect from the service.

        Everything the client made without a name ends; named subscriptions stay. Loops over
        subscriptions end, and every later call raises `Stopping`.
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
