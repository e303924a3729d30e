"""Client for publishing, subscribing, pulling and managing over any transport."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Self, TypeAlias, TypeVar

from tidings.api.live_frames import RATE
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.constraint_views import CheckedConstraint, Explanation
from tidings.channel.effects import Message
from tidings.channel.functions import Source
from tidings.channel.qos import Reliability, reliabilities
from tidings.channel.views import ChannelInfo, DeadLetterInfo, FilterInfo, MappingInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Item, Place, Side, Style
from tidings.client.connection import PushConnection
from tidings.client.live import LiveView
from tidings.client.managing import Admin, Channel, HostedFilter, Wanted, constraints
from tidings.client.past import PAGE, Moment, Past, microseconds, wish_of, wish_of_proxy
from tidings.client.publishing import Publisher, Receipt, patterns
from tidings.client.subscription import PullSubscription, Subscription
from tidings.client.transport import Transport, TypesChanged
from tidings.errors import InvalidUsage, ProxyNotFound
from tidings.events.anyvalue import Value
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.live.area import Area
from tidings.live.model import ObjectUpdate
from tidings.live.requests import SeeLiveObjects, SetObjects
from tidings.names import new_origin

QoSRequest: TypeAlias = Mapping[str, object]
"""Quality of service under the standard's names."""

_T = TypeVar("_T")

_FORMS: Final = {Style.PUSH: Form.STRUCTURED, Style.PULL: Form.SEQUENCE}

WINDOW = 256
"""Default number of events a subscription may hold unacknowledged."""

# `Client.publish` drops cached publishers of deleted channels once it holds this many.
_FEW_PUBLISHERS: Final = 64


class Client:
    """A connection to a service."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
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
        made = await self._transport.ask(m.CreateChannel(new_origin(), asked, admin or {}, name))
        return await self.channel(made)

    async def channel(self, id_or_name: int | str) -> Channel:
        """Look up a channel.

        Raises:
            ChannelNotFound: No channel has this id or name.
        """
        return Channel(self._transport, await self._transport.request(q.SeeChannel(id_or_name)))

    async def channels(self) -> Sequence[ChannelInfo]:
        """List all channels."""
        return await self._transport.request(q.SeeChannels())

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
            highest = await self._transport.request(q.SeeHighestNumber(info.id, producer))
            last = highest or 0
        command = m.ObtainProxy(info.id, Side.SUPPLIER, qos=qos or {})
        connect = m.Connect(info.id, await self._obtain(command, admin))
        line = await self._linked(connect, self._transport.supply(connect, on_wanted, None))
        return Publisher(
            self._transport, connect, line, origin=info.origin, producer=name, last=last
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
            known = {info.id for info in await self._transport.request(q.SeeChannels())}
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
        command = m.ObtainProxy(info.id, Side.SUPPLIER, Style.PULL, form, qos=qos or {})
        connect = m.Connect(info.id, await self._obtain(command, admin))
        line = await self._linked(connect, self._transport.supply(connect, None, source))
        return PushConnection(self._transport, connect, line)

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
        connect = await self._consumer(
            channel, Style.PUSH, wanted, types, name, form, admin, qos, window
        )
        stream = await self._linked(connect, self._transport.receive(connect, on_offers))
        made = Subscription(self._transport, connect, stream, named=bool(name), manual=manual_ack)
        if start is not None:  # the connection exists already, so no event falls in between
            try:
                wish = await wish_of_proxy(self._transport, made.channel, made.proxy)
            except BaseException:
                await (made.close() if connect.again else made.delete())
                raise
            made.begin_with(Past(self._transport, made.channel, wish, since=start))
        return made

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
        connect = await self._consumer(
            channel, Style.PUSH, wanted, types, name, form, admin, qos, window
        )
        line = await self._linked(connect, self._transport.handle(connect, handler))
        return PushConnection(self._transport, connect, line, named=bool(name))

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
        connect = await self._consumer(channel, Style.PULL, wanted, types, name, form, admin, qos)
        line = await self._linked(connect, self._transport.listen(connect, None))
        return PullSubscription(self._transport, connect, line, named=bool(name))

    async def past(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
    ) -> Past:
        """Read past events in pages; arguments as in `history`."""
        id = (await self._info(channel)).id
        return Past(self._transport, id, wish_of(wanted), after=after, since=microseconds(since))

    async def history(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
    ) -> AsyncIterator[Message]:
        """Yield the events in a channel's journal by sequence number.

        The journal holds only Persistent events, as long as retention keeps them; a service in
        memory has none.

        Args:
            channel: The channel to read from.
            wanted: A constraint, or several of which one must match; None for all events.
            after: Only events with larger numbers; None begins at the oldest kept.
            since: Only events accepted at or after this time.

        Raises:
            CursorNotFound: Retention has removed events after `after` (the message names the oldest
                number kept), or no event has that number yet.
            InvalidConstraint: A constraint is invalid.
            InvalidUsage: `after` is not a sequence number, or `since` has no time zone.
        """
        past = await self.past(channel, wanted, after=after, since=since)
        while not past.end:
            for message in await past.page():
                yield message

    async def peek(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
        most: int = 100,
    ) -> list[Message]:
        """Return the first events of `history`."""
        if most < 1:
            raise InvalidUsage(f"at least one event is looked for, not {most}")
        past = await self.past(channel, wanted, after=after, since=since)
        found: list[Message] = []
        while not past.end and len(found) < most:
            found += await past.page(min(PAGE, most - len(found)))
        return found

    # Filters and dead letters.

    async def create_filter(self, wanted: Wanted = ()) -> HostedFilter:
        """Create a filter that admins and subscriptions can share."""
        found, _ = await self._transport.ask(m.CreateFilter(constraints(wanted)))
        return HostedFilter(self._transport, found)

    async def check_constraint(
        self, text: str, known: Mapping[str, Sequence[str]] | None = None
    ) -> CheckedConstraint:
        """Check whether a constraint is valid, and what seems odd about it.

        Args:
            text: The constraint.
            known: The kinds of the properties that events have, to find misspelt names.
        """
        return await self._transport.request(q.CheckConstraint(text, known or {}))

    async def explain_constraint(
        self, text: str, event: Item, types: Iterable[str | EventTypePattern] = ()
    ) -> Explanation:
        """Explain why an event matches a constraint, or does not."""
        return await self._transport.request(q.ExplainConstraint(text, event, patterns(types)))

    async def filters(
        self, *, after: int = 0, most: int = 100
    ) -> Sequence[FilterInfo | MappingInfo]:
        """List filters and mapping filters by ascending id.

        The service deletes filters without holders if they stay unused.

        Args:
            after: The last id already seen.
            most: Maximum number to return, up to 1,000.
        """
        return await self._transport.request(q.SeeFilters(after, most))

    async def create_mapping(
        self, default: Value, mapped: Iterable[MappedConstraint] = ()
    ) -> HostedFilter:
        """Create a mapping filter for priorities (shorts) or lifetimes (TimeT)."""
        found, _ = await self._transport.ask(m.CreateMapping(default, tuple(mapped)))
        return HostedFilter(self._transport, found)

    async def set_objects(self, objects: Mapping[str, Mapping[str, Value]]) -> None:
        """Set attributes of live objects, by tag; objects that do not exist yet are made."""
        updates = [ObjectUpdate(tag, attributes) for tag, attributes in objects.items()]
        await self._transport.ask(SetObjects(updates))

    def look(
        self,
        pattern: str = "",
        *,
        area: Area | tuple[float, float, float, float] | None = None,
        filter: str = "",
        attributes: Sequence[str] | None = None,
        rate: float = RATE,
    ) -> LiveView:
        """Look at live objects, as they are now and as they move.

        Args:
            pattern: The beginning of their tags; empty for all.
            area: South, west, north and east of where they are, in degrees.
            filter: A constraint on their attributes, such as `$height > 3000`.
            attributes: Which attributes are shown; None for all.
            rate: How often something is told, times a second at most.

        Example:
            async with client.look("flight/", filter="$height < 1000") as view:
                async for seen in view:
                    print(seen.entered, view.objects)
        """
        given = Area(*area) if isinstance(area, tuple) else area
        asked = SeeLiveObjects(pattern, given, filter, attributes)
        return LiveView(self._transport, asked, rate)

    async def dead_letters(
        self, channel: Channel | int | str | None = None, *, after: int = 0, most: int = 100
    ) -> Sequence[DeadLetterInfo]:
        """List undeliverable events with their causes, oldest first."""
        id = None if channel is None else (await self._info(channel)).id
        return await self._transport.request(q.SeeDeadLetters(id, None, after, most))

    async def redrive(self, dead_letter: int) -> None:
        """Redeliver a dead letter to its consumer."""
        await self._transport.request(q.RedriveDeadLetter(dead_letter))

    async def drop_dead_letter(self, dead_letter: int) -> None:
        """Delete a dead letter."""
        await self._transport.request(q.DropDeadLetter(dead_letter))

    # Proxies.

    async def _info(self, channel: Channel | int | str) -> ChannelInfo:
        if isinstance(channel, Channel):
            return channel.made
        return await self._transport.request(q.SeeChannel(channel))

    async def _obtain(self, command: m.ObtainProxy, admin: Admin | None) -> int:
        """Create a proxy under an admin and return its id."""
        channel, side, parent = command.channel, command.side, 0
        if admin is not None:
            if (admin.place.channel, admin.place.side) != (channel, side):
                raise InvalidUsage(f"{admin.place} is no {side.value} admin of channel {channel}")
            parent = admin.id
        # An unnamed proxy cannot be resumed after a restart, so it need not survive one.
        start = {} if command.name else {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        qos = {**start, **dict(command.qos)}
        found: int = await self._transport.ask(replace(command, admin=parent, qos=qos))
        return found

    async def _linked(self, connect: m.Connect, linking: Awaitable[_T]) -> _T:
        """Await the connection to a proxy; if it fails, drop a proxy that was created for it."""
        try:
            return await linking
        except BaseException:
            if not connect.again:  # without waiting, as the caller has failed or was cancelled
                self._transport.tell(m.Disconnect(connect.channel, connect.proxy))
                await asyncio.sleep(0)  # lets an in-process service run it
            raise

    async def _consumer(  # noqa: PLR0913, PLR0917 -- what users set
        self,
        channel: Channel | int | str,
        style: Style,
        wanted: Wanted,
        types: Iterable[EventTypePattern | str],
        name: str,
        form: Form | None,
        admin: Admin | None,
        qos: QoSRequest | None,
        window: int = WINDOW,
    ) -> m.Connect:
        """Create or resume a consumer's proxy; return the command that connects to it."""
        id = (await self._info(channel)).id
        asked = None if wanted is None else constraints(wanted)
        listed = patterns(types)
        if name:
            try:
                known = await self._transport.request(q.SeeProxy(id, name))
            except ProxyNotFound:
                pass
            else:
                _check_same(known, style, form, admin)
                await self._resume(known, asked, listed, qos)
                return m.Connect(id, known.id, window=window, again=True)
        command = m.ObtainProxy(
            id,
            style=style,
            form=_FORMS[style] if form is None else form,
            qos=qos or {},
            name=name,
            constraints=asked or (),
            types=listed,
        )
        return m.Connect(id, await self._obtain(command, admin), window=window)

    async def _resume(
        self,
        known: ProxyInfo,
        asked: Sequence[Constraint] | None,
        listed: Sequence[EventTypePattern],
        qos: QoSRequest | None,
    ) -> None:
        place = Place(known.channel, proxy=known.id)
        if qos:
            await self._transport.ask(m.SetQoS(place, qos))
        if listed and set(listed) != set(known.types):
            added = tuple(one for one in listed if one not in known.types)
            removed = tuple(one for one in known.types if one not in listed)
            await self._transport.ask(m.SubscriptionChange(place, added, removed))
        if asked is None:
            return
        own: dict[int, FilterInfo] = {}
        for attachment, filter_id in known.filters.items():
            found = await self._transport.request(q.SeeFilter(filter_id))
            if isinstance(found, FilterInfo) and found.private:
                own[attachment] = found
        now = [_texts(found.constraints.values()) for found in own.values()]
        if now == ([_texts(asked)] if asked else []):
            return
        # Add the new filter before removing the old one, so that neither's events are missed.
        if asked:
            made, _ = await self._transport.ask(m.CreateFilter(asked, private=True))
            await self._transport.ask(m.AddFilter(place, made))
        for attachment in own:
            await self._transport.ask(m.RemoveFilter(place, attachment))

    async def close(self) -> None:
        """Disconnect from the service.

        Everything the client made without a name ends; named subscriptions stay. Loops over
        subscriptions end, and every later call raises `Stopping`.
        """
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


def _check_same(known: ProxyInfo, style: Style, form: Form | None, admin: Admin | None) -> None:
    """Refuse changes to properties that a proxy cannot change."""
    kind = f"a {known.style.value} proxy of a {known.side.value}"
    if known.side is not Side.CONSUMER or known.style is not style:
        raise InvalidUsage(f"{known.name!r} is the name of {kind}, not of a {style.value} consumer")
    if form is not None and form is not known.form:
        raise InvalidUsage(f"{known.name!r} has the form {known.form.name}, not {form.name}")
    if admin is not None and admin.id != known.admin:
        raise InvalidUsage(f"{known.name!r} belongs to admin {known.admin}, not {admin.id}")


def _texts(given: Iterable[Constraint]) -> list[tuple[str, object]]:
    return [(one.text, one.event_types) for one in given]
