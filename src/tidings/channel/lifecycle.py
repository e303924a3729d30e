"""The life cycle of admins and proxies: created, connected, suspended, ended."""

from __future__ import annotations

from typing import Final

from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import DisconnectPeer, Notice, NoticeKind, TopologyChanged
from tidings.channel.filter_host import FilterHost
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.property_errors import Level
from tidings.channel.qos import QoS
from tidings.channel.qos_check import changed
from tidings.channel.rules import Rules, offer_key, offers_changed, tell_consumers
from tidings.channel.settings import FilterPart, room_for_one
from tidings.channel.snapshot import erased, key_of, state_of
from tidings.channel.supplier import SupplierProxy
from tidings.channel.unused import Unused
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.errors import (
    AdminLimitExceeded,
    AlreadyConnected,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    InvalidUsage,
    NameTaken,
    NotConnected,
)
from tidings.filters.filter import Filter
from tidings.names import checked_name

# Ids of proxies that are not durable, or are gone, have no record: so that none is used twice,
# they are reserved this many at a time.
RESERVED_AT_ONCE = 1_000
# The alarm id for proxies whose client cannot be called.
_UNUSED_PROXIES: Final = 1
_DAY: Final = 24 * 3600 * 1_000_000
# What a proxy records of its client, as `Connect` says it.
_CLIENT: Final = ("reachable", "notices", "window", "address")


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
        if proxy.name:
            channel.names[proxy.name] = proxy.id
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

    def _check_room(self, channel: Channel, command: ObtainProxy) -> None:
        limits = self._core.settings.limits
        _check_limit(channel, command.side)
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
        made = Filter()
        made.add(command.constraints)
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
