"""How objects begin, change and end: admins and proxies, their properties, filters and types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tidings.channel import properties
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import (
    DisconnectPeer,
    FilterTypesChanged,
    Notice,
    NoticeKind,
    TopologyChanged,
)
from tidings.channel.filter_host import FilterHost, HostedFilter
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.property_errors import TIME_T, Level, PropertyRange, Request
from tidings.channel.qos import QoS, Reliability, fixed_above
from tidings.channel.qos_check import changed, validate
from tidings.channel.rules import Rules, offer_key, offers_changed, tell_consumers
from tidings.channel.settings import FilterPart, Inheritance, room_for_one
from tidings.channel.snapshot import erased, key_of, state_of
from tidings.channel.supplier import SupplierProxy
from tidings.channel.unused import Unused
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.errors import (
    AdminLimitExceeded,
    AlreadyConnected,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    FilterNotFound,
    InvalidUsage,
    NameTaken,
    NotConnected,
    PropertyError,
    PropertyErrorCode,
    TooManyObjects,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.filter import EventTypes, Filter
from tidings.filters.plan import Fence
from tidings.names import checked_name

# Ids of proxies that are not durable, or are gone, have no record: so that none is used twice,
# they are reserved this many at a time.
RESERVED_AT_ONCE = 1_000
# The alarm id for proxies whose client cannot be called.
_UNUSED_PROXIES: Final = 1
_DAY: Final = 24 * 3600 * 1_000_000
# What a proxy records of its client, as `Connect` says it.
_CLIENT: Final = ("reachable", "notices", "window", "address")
_VALUE_TYPES = {"priority": tc.SHORT, "lifetime": TIME_T}


class Lifecycle:
    """Creates and ends the objects of a channel."""

    def __init__(self, channels: Channels, filters: FilterHost, rules: Rules) -> None:
        self._channels = channels
        self._core = core = channels.core
        self._filters = filters
        self._rules = rules
        lifetime = core.settings.unused_proxy_lifetime
        self.unattended: Unused[tuple[int, int]] = Unused(core, _UNUSED_PROXIES, lifetime)
        """Proxies whose client cannot be called, by channel and id."""

    def watch(self, proxy: Proxy, now: int) -> None:
        """Start the lifetime of a proxy whose client cannot be called, until it can.

        A named proxy lasts until it is deleted, and a durable consumer's keeps its events.
        """
        key = (proxy.channel.id, proxy.id)
        if _lasts(proxy) or (proxy.attached and proxy.reachable):
            self.unattended.forget(key)
        else:
            self.unattended.begin(key, now)

    def collect(self, now: int) -> None:
        """End proxies whose client cannot be called and has not come for long enough."""
        days = self._core.settings.unused_proxy_lifetime / _DAY
        for channel, id in self.unattended.due(now):
            proxy = self._channels[channel].proxies[id]
            waits = isinstance(proxy, ConsumerProxy) and proxy.consumer and proxy.consumer.pulls
            if waits or _lasts(proxy):  # its quality of service was changed meanwhile
                self.watch(proxy, now)
                continue
            detail = f"its client cannot be called, and has not used it for {days:g} days"
            self._core.out.append(Notice(NoticeKind.GIVEN_UP, channel, id, detail))
            self.unattended.collected += 1
            self.end(proxy, tell=False)

    def store(self, thing: Channel | Holder) -> None:
        """Record the current state of a channel, an admin or a durable proxy."""
        if not isinstance(thing, Proxy) or thing.durable:
            self._core.out.append(TopologyChanged(*key_of(thing), state_of(thing)))

    def new_admin(self, channel: Channel, side: Side, operator: Operator) -> Admin:
        """Create an admin, or raise TooManyObjects; the first of a side is the default, id 0."""
        admins = channel.admins[side]
        if 0 in admins:
            count = sum(map(len, channel.admins.values()))
            most = self._core.settings.limits.admins
            room_for_one(count, most, "admins", channel.label)
        id = channel.last_admin[side] + 1 if 0 in admins else 0
        channel.last_admin[side] = max(id, channel.last_admin[side])
        # The quality of service is copied (8.2): it is immutable.
        admin = admins[id] = Admin(channel, id, side, channel.qos, operator=operator)
        self.store(admin)
        self._rules.refresh(admin)
        return admin

    def destroy_admin(self, admin: Admin) -> None:
        """End an admin and its proxies; a default admin is created anew."""
        for proxy in list(admin.proxies.values()):
            self.end(proxy, tell=True)
        channel = self._channels[admin.channel.id]
        if admin.id:  # prevents reuse of its id after a restart
            self.store(channel)
        del channel.admins[admin.side][admin.id]
        self._rules.forget_admin(admin)
        self._filters.release_all(admin)
        if admin.side is Side.SUPPLIER:
            tell_consumers(channel, channel.offers.withdraw(offer_key(admin)))
        self._core.out.append(erased(admin))
        if admin.id == 0:
            self.new_admin(channel, admin.side, self._core.settings.default_operator)

    def obtain(self, channel: Channel, command: ObtainProxy, now: int) -> Proxy:
        """Create a proxy; if it raises, nothing was created."""
        admin = channel.admin(command.side, command.admin)
        self._check_room(channel, command)
        asked = dict(command.qos)
        qos = changed(admin.qos, Level.PROXY, admin.qos, asked, self._core.settings.narrowed)
        filter = self._own_filter(command)  # the last that can fail
        channel.last_proxy += 1
        proxy = new_proxy(admin, channel.last_proxy, command.style, command.form, qos)
        if asked:
            proxy.own = {name: qos[name] for name in asked}
        proxy.name, proxy.owner, proxy.bare = command.name, command.owner, command.bare
        admin.proxies[proxy.id] = channel.proxies[proxy.id] = proxy
        self._channels.own(proxy)
        if proxy.name:
            channel.names[proxy.name] = proxy.id
        proxy.fence = tuple(command.fence) if proxy.side is Side.CONSUMER else ()
        self._rules.adjust(proxy)
        if filter is not None:  # first: a stored proxy without it would pass all
            proxy.last_attachment = 1
            proxy.attached_filters = ((1, filter),)
            self._filters.hold(filter, proxy)
        if command.types and proxy.side is Side.CONSUMER:
            proxy.types = proxy.types.changed(command.types, ())
        elif command.types:
            offers_changed(channel, proxy, command.types, ())
        if self._core.spills and proxy.id > channel.proxies_reserved:
            channel.proxies_reserved = proxy.id + RESERVED_AT_ONCE
            self.store(channel)
        self.store(proxy)
        self.watch(proxy, now)
        if command.keep and proxy.side is Side.CONSUMER:
            self.connect(proxy, Connect(channel.id, proxy.id, notices=False), now)
            self.detach(proxy, now)
        return proxy

    def confine(self, channel: Channel, proxies: Iterable[int], fence: Fence) -> None:
        """Change the fence of consumers; what waits for them was judged by another one."""
        known = map(channel.proxies.get, proxies)
        changed = [one for one in known if isinstance(one, ConsumerProxy) and one.fence != fence]
        for proxy in changed:
            proxy.fence, proxy.fenced_at = fence, channel.seq
            self.store(proxy)
        self._rules.confine(channel, [proxy for proxy in changed if proxy.connected])

    def _check_room(self, channel: Channel, command: ObtainProxy) -> None:
        limits = self._core.settings.limits
        _check_limit(channel, command.side)
        owned, most = len(self._channels.owned.get(command.owner, ())), command.most_owned
        if most is not None and owned >= most:
            raise TooManyObjects(
                f"{command.owner} owns {owned} proxies, as many as it may: delete one first"
            )
        if checked_name(command.name) in channel.names:
            raise NameTaken(f"{channel.label} has a proxy named {command.name!r} already")
        room_for_one(len(channel.proxies), limits.proxies, "proxies", channel.label)
        if command.name:
            named = sum(len(one.names) for one in self._channels.values())
            room_for_one(named, limits.named_proxies, "named_proxies", "the service")

    def _own_filter(self, command: ObtainProxy) -> int | None:
        if not command.constraints:
            return None
        if command.bare:
            raise InvalidUsage("a proxy of the Event Service has no filters")
        self._core.settings.limits.check_filter(map(FilterPart.of, command.constraints))
        made, _ = new_filter(command.constraints)
        return self._filters.add(made, command.owner, private=True).id

    def connect(self, proxy: Proxy, command: Connect, now: int) -> None:
        """Connect a client, or raise InvalidUsage if it needs a reference to be reached."""
        if proxy.connected and not command.again:
            raise AlreadyConnected(
                f"proxy {proxy.id} of {proxy.channel.label} has a client already"
            )
        must_be_called = (proxy.side is Side.CONSUMER) == (proxy.style is Style.PUSH)
        if not command.reachable and must_be_called:
            raise InvalidUsage(f"the client of a {proxy.style.value} proxy must be reachable")
        if command.window < 1:
            raise InvalidUsage(f"a window holds at least one event, not {command.window}")
        first = not proxy.connected
        client = {name: getattr(command, name) for name in _CLIENT}
        is_new = any(getattr(proxy, name) != value for name, value in client.items())
        proxy.connected = proxy.attached = True
        for name, value in client.items():
            setattr(proxy, name, value)
        if first:
            proxy.updates = True
            self._rules.refresh(proxy)
        else:
            proxy.cut()
            if isinstance(proxy, ConsumerProxy) and proxy.consumer is not None:
                proxy.consumer.forgive()
        if first or is_new:  # a mere reconnect needs no record
            self.store(proxy)
        self.watch(proxy, now)
        self._go_on(proxy, now)

    def _go_on(self, proxy: Proxy, now: int) -> None:
        if isinstance(proxy, ConsumerProxy):
            self._core.touched[proxy] = None
        elif isinstance(proxy, SupplierProxy) and proxy.style is Style.PULL:
            self._channels[proxy.channel.id].begin_polling(proxy, now)

    def detach(self, proxy: Proxy, now: int) -> None:
        """Requeue what was in flight: the client's connection is cut."""
        if proxy.connected:
            proxy.attached = False
            self.watch(proxy, now)
            proxy.cut()
            if isinstance(proxy, ConsumerProxy):
                self._core.touched[proxy] = None  # what waits again may expire

    def suspend(self, proxy: Proxy) -> None:
        """Suspend delivery, or raise InvalidUsage if the proxy waits for its client to begin."""
        self._check_connected(proxy)
        if proxy.suspended:
            raise ConnectionAlreadyInactive(f"proxy {proxy.id} is suspended already")
        proxy.suspended = True
        self.store(proxy)

    def resume(self, proxy: Proxy, now: int) -> None:
        """Resume delivery, or raise InvalidUsage if the proxy waits for its client to begin."""
        self._check_connected(proxy)
        if not proxy.suspended:
            raise ConnectionAlreadyActive(f"proxy {proxy.id} is not suspended")
        proxy.suspended = False
        self.store(proxy)
        self._go_on(proxy, now)

    @staticmethod
    def _check_connected(proxy: Proxy) -> None:
        if (proxy.side is Side.CONSUMER) != (proxy.style is Style.PUSH):
            raise InvalidUsage(f"proxy {proxy.id} waits for its client; it cannot be suspended")
        if not proxy.connected:
            raise NotConnected(f"nobody is connected to proxy {proxy.id}")

    def end(self, proxy: Proxy, tell: bool) -> None:
        """End a proxy: drop its queue, withdraw its types, and tell its client if `tell`."""
        channel = self._channels[proxy.channel.id]
        if isinstance(proxy, ConsumerProxy):
            proxy.drop_events()
            self._core.touched.pop(proxy, None)
        del channel.proxies[proxy.id]
        self.unattended.forget((channel.id, proxy.id))
        channel.names.pop(proxy.name, None)
        del proxy.admin.proxies[proxy.id]
        self._channels.disown(proxy)
        self._rules.forget(proxy)
        if proxy.side is Side.SUPPLIER:
            tell_consumers(channel, channel.offers.withdraw(offer_key(proxy)))
        if proxy.durable:
            self._core.out.append(erased(proxy))
        self._filters.release_all(proxy)
        if proxy.connected:
            told = tell and proxy.reachable
            self._core.out.append(DisconnectPeer(channel.id, proxy.id, told))
        proxy.connected = proxy.attached = False

    def destroy_channel(self, channel: Channel) -> None:
        """End a channel and everything in it."""
        for side in Side:
            for admin in list(channel.admins[side].values()):
                for proxy in list(admin.proxies.values()):
                    self.end(proxy, tell=True)
                self._filters.release_all(admin)
                self._core.out.append(erased(admin))
        del self._channels[channel.id]
        self._core.out.append(erased(channel))


def new_proxy(admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> Proxy:
    """Return a new proxy for the side its admin serves."""
    kind = ConsumerProxy if admin.side is Side.CONSUMER else SupplierProxy
    return kind(admin, id, style, form, qos)


def _lasts(proxy: Proxy) -> bool:
    """Return whether an unused proxy stays: it is named, or a durable consumer's."""
    return bool(proxy.name) or (proxy.durable and proxy.side is Side.CONSUMER)


def _check_limit(channel: Channel, side: Side) -> None:
    """Raise AdminLimitExceeded if the admin properties do not allow one more client."""
    name = "MaxConsumers" if side is Side.CONSUMER else "MaxSuppliers"
    limit = channel.properties[name]
    if limit and sum(proxy.side is side for proxy in channel.proxies.values()) >= limit:
        raise AdminLimitExceeded(name, limit)


class ObjectChanges:
    """Changes objects, and updates everything that depends on them."""

    def __init__(
        self, channels: Channels, filters: FilterHost, rules: Rules, life: Lifecycle
    ) -> None:
        self._channels = channels
        self._core = channels.core
        self._filters = filters
        self._rules = rules
        self._life = life

    def set_qos(self, place: Channel | Holder, request: Request, now: int) -> None:
        """Carry out set_qos: all of the request, or nothing, with every bad property listed."""
        level, parent = self._level(place)
        given = dict(request)
        settings = self._core.settings
        qos = changed(place.qos, level, parent, given, settings.narrowed)
        if settings.inheritance is Inheritance.FOLLOWED:
            self._check_followers(place, qos)
        place.qos = qos
        place.own = {**place.own, **{name: qos[name] for name in given}}
        fixed = fixed_above(qos)
        self._qos_changed(place, now, {n: v for n, v in fixed.items() if n in given})

    def validate_qos(self, place: Channel | Holder, request: Request) -> tuple[PropertyRange, ...]:
        """Carry out validate_qos: return what else could be set beside the request."""
        level, parent = self._level(place)
        settings = self._core.settings
        return validate(place.qos, level, parent, request, settings.narrowed)

    def _check_followers(self, place: Channel | Holder, qos: QoS) -> None:
        """Raise UnsupportedQoS if a child, itself set to Persistent, must be changed first."""
        settings = self._core.settings
        level = Level.ADMIN if isinstance(place, Channel) else Level.PROXY
        for child in _children(place):
            try:
                follows = changed(qos, level, qos, child.own, settings.narrowed)
            except UnsupportedQoS as error:
                code, persistent = PropertyErrorCode.UNAVAILABLE_VALUE, Reliability.PERSISTENT.value
                wrong = PropertyError(code, "ConnectionReliability", persistent, persistent)
                raise UnsupportedQoS([wrong]) from error
            self._check_followers(child, follows)

    def _level(self, place: Channel | Holder) -> tuple[Level, QoS | None]:
        if isinstance(place, Channel):
            return Level.CHANNEL, None
        if isinstance(place, Proxy):
            if place.bare:
                raise InvalidUsage(f"the Event Service proxy {place.id} has no quality of service")
            return Level.PROXY, place.admin.qos
        return Level.ADMIN, self._channels[place.channel.id].qos

    def _qos_changed(self, place: Channel | Holder, now: int, fixed: Mapping[str, int]) -> None:
        if isinstance(place, Proxy):
            self._proxy_changed(place, now)
        else:
            self._life.store(place)
        if isinstance(place, Channel):
            place.backlog = None
        followed = self._core.settings.inheritance is Inheritance.FOLLOWED
        for child in _children(place) if followed or fixed else ():
            below = {**place.qos, **child.own} if followed else {**child.qos, **fixed}
            child.qos = QoS(below)
            self._qos_changed(child, now, fixed)

    def _proxy_changed(self, proxy: Proxy, now: int) -> None:
        was_durable = proxy.durable
        self._rules.adjust(proxy)
        if was_durable and not proxy.durable:
            self._core.out.append(erased(proxy))
        if proxy.durable:  # its filters first: without them its record would let all pass
            for filter_id in proxy.filter_ids:
                self._filters.hold(filter_id, proxy)
        self._life.store(proxy)
        consumer = proxy.consumer if isinstance(proxy, ConsumerProxy) else None
        if consumer is not None:
            if consumer.is_over() or proxy.qos.max_events_per_consumer:
                consumer.enforce_limits(now)
            consumer.touch()

    def set_admin_properties(self, channel: Channel, request: Request) -> None:
        """Carry out set_admin: all of the request, or nothing."""
        narrowed = self._core.settings.narrowed
        channel.properties = properties.changed(channel.properties, request, narrowed)
        channel.backlog = None
        self._life.store(channel)

    def add_filter(self, holder: Holder, filter_id: int) -> int:
        """Attach a filter; return the id of the attachment."""
        self._refuse_bare(holder)
        self._filters.filter(filter_id)
        holder.last_attachment += 1
        holder.attached_filters += ((holder.last_attachment, filter_id),)
        self._filters.hold(filter_id, holder)
        self._changed(holder)
        return holder.last_attachment

    def remove_filter(self, holder: Holder, attachment: int) -> None:
        """Detach a filter."""
        held = dict(holder.attached_filters)
        if attachment not in held:
            raise FilterNotFound(f"no filter is attached there under the id {attachment}")
        rest = tuple(pair for pair in holder.attached_filters if pair[0] != attachment)
        holder.attached_filters = rest
        self._filters.release(held[attachment], holder)
        self._changed(holder)

    def remove_all_filters(self, holder: Holder) -> None:
        """Detach all filters."""
        held = [filter_id for _, filter_id in holder.attached_filters]
        holder.attached_filters = ()
        for filter_id in held:
            self._filters.release(filter_id, holder)
        self._changed(holder)

    def set_mapping(self, holder: Holder, purpose: str, filter_id: int | None) -> None:
        """Set or remove a mapping filter of a consumer's proxy or admin."""
        self._refuse_bare(holder)
        if holder.side is not Side.CONSUMER:
            raise InvalidUsage("mapping filters are for consumers; this is a supplier's object")
        wanted = _VALUE_TYPES.get(purpose)
        if wanted is None:
            raise InvalidUsage(f"a mapping filter is for priority or lifetime, not {purpose!r}")
        if filter_id is not None:
            found = self._filters.mapping(filter_id)
            if not found.value_type.equivalent(wanted):
                raise InvalidUsage(
                    f"filter {filter_id} has values of another type than a {purpose} has"
                )
        before: int | None = getattr(holder, f"{purpose}_filter")
        setattr(holder, f"{purpose}_filter", filter_id)
        if filter_id is not None:
            self._filters.hold(filter_id, holder)
        if before is not None:
            self._filters.release(before, holder)
        self._changed(holder)

    def subscribe(
        self,
        holder: Holder,
        added: Sequence[EventTypePattern],
        removed: Sequence[EventTypePattern],
    ) -> None:
        """Change the subscription list of a consumer or consumer admin."""
        holder.types = holder.types.changed(added, removed)
        self._changed(holder)

    def change_filter(self, hosted: HostedFilter, change: Callable[[], object]) -> object:
        """Change a filter; every object that holds it follows before this returns."""
        before = _event_types(hosted)
        answer = change()
        after = _event_types(hosted)
        if before != after:
            told = FilterTypesChanged(hosted.id, after - before, before - after)
            self._core.out.append(told)
        if hosted.stored:
            self._filters.store(hosted)
        for holder in hosted.holders:
            self._rules.refresh(holder)
        return answer

    def destroy_filter(self, hosted: HostedFilter) -> None:
        """End a filter, and detach it from its holders."""
        holders = list(hosted.holders)
        for holder in holders:
            rest = tuple(pair for pair in holder.attached_filters if pair[1] != hosted.id)
            holder.attached_filters = rest
            for name in ("priority_filter", "lifetime_filter"):
                if getattr(holder, name) == hosted.id:
                    setattr(holder, name, None)
        self._filters.remove(hosted)
        for holder in holders:
            self._changed(holder)

    def _changed(self, holder: Holder) -> None:
        self._life.store(holder)
        self._rules.refresh(holder)

    @staticmethod
    def _refuse_bare(holder: Holder) -> None:
        if isinstance(holder, Proxy) and holder.bare:
            raise InvalidUsage(f"the Event Service proxy {holder.id} has no filters")


def _event_types(hosted: HostedFilter) -> EventTypes:
    made = hosted.filter
    return made.version.event_types if isinstance(made, Filter) else frozenset()


def _children(place: Channel | Holder) -> Sequence[Holder]:
    if isinstance(place, Channel):
        return [admin for side in place.admins.values() for admin in side.values()]
    return list(place.proxies.values()) if isinstance(place, Admin) else ()


def new_filter(constraints: Sequence[Constraint]) -> tuple[Filter, tuple[int, ...]]:
    """Return a filter with its first constraints, and their ids."""
    made = Filter()
    return made, tuple(made.add(constraints)) if constraints else ()
