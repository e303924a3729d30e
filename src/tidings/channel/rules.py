"""From filters and lists to the plan's rules, the router and the types offered and wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import PlanChanged, TellOffers, TellSubscriptions
from tidings.channel.filter_host import FilterHost
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.offers import ALL_TYPES, TypeChange, offered, wanted_by
from tidings.channel.qos import Reliability
from tidings.channel.supplier import SupplierProxy
from tidings.channel.vocabulary import InfoMode, Side
from tidings.filters.constraint import EventTypePattern
from tidings.filters.plan import AdminRule, MappingRule, Operator, ProxyRule, Rule


class Rules:
    """Keeps the rules up to date with the objects."""

    def __init__(self, channels: Channels, filters: FilterHost) -> None:
        self._channels = channels
        self._filters = filters

    def _channel_of(self, holder: Holder) -> Channel:
        return self._channels[holder.channel.id]

    @staticmethod
    def _change_plan(channel: Channel, **changed: Any) -> None:  # noqa: ANN401 -- as `Plan.changed`
        channel.plan, change = channel.plan.changed(**changed)
        channel.core.out.append(PlanChanged(channel.id, change))

    def rule_of(self, holder: Holder) -> Rule:
        """Return what an object asks for now."""
        asked = tuple(
            tuple(self._filters.filter(id).version.constraints.values())
            for _, id in holder.attached_filters
        )
        return Rule(
            asked,
            tuple(sorted(holder.types.types)),
            self._mapping(holder.priority_filter),
            self._mapping(holder.lifetime_filter),
        )

    def _mapping(self, id: int | None) -> MappingRule | None:
        if id is None:
            return None
        found = self._filters.mapping(id)
        return MappingRule(found.default, found.version.best_first)

    def event_types(self, holder: Holder) -> frozenset[EventTypePattern]:
        """Return all event types the object's filters name, or let pass without naming them."""
        named: set[EventTypePattern] = set()
        options = self._channel_of(holder).plan.options
        for _, id in holder.attached_filters:
            version = self._filters.filter(id).version
            named |= version.event_types
            if not version.constraints and options.empty_filter_passes:
                named.add(ALL_TYPES)
        return frozenset(named)

    def refresh(self, holder: Holder) -> None:
        """Update the plan to a new version, and all that depends on it, after an object changed."""
        if isinstance(holder, Admin):
            self._refresh_admin(holder)
        elif isinstance(holder, Proxy) and holder.connected:
            self._refresh_proxy(holder)

    def _refresh_admin(self, admin: Admin) -> None:
        channel = self._channel_of(admin)
        rule = self.rule_of(admin)
        key = (admin.side, admin.id)
        self._change_plan(channel, admins={key: AdminRule(*key, admin.operator, rule)})
        options = channel.plan.options
        if admin.side is Side.CONSUMER:
            channel.router.put_admin(admin, rule, options)
        for proxy in admin.proxies.values():
            if not proxy.connected:
                continue
            self.adjust(proxy)
            if isinstance(proxy, ConsumerProxy):
                if not options.empty_group_is_neutral:
                    channel.router.put(proxy, self.rule_of(proxy), options)
                self.want(proxy)

    def _refresh_proxy(self, proxy: Proxy) -> None:
        channel = self._channel_of(proxy)
        rule = self.rule_of(proxy)
        self._change_plan(channel, proxies={proxy.id: _proxy_rule(proxy, rule)})
        self.adjust(proxy)
        if isinstance(proxy, ConsumerProxy):
            channel.router.put(proxy, rule, channel.plan.options)
            self.want(proxy)

    def confine(self, channel: Channel, proxies: Sequence[ConsumerProxy]) -> None:
        """Update the plan, once for all of them, after the fences of consumers have changed."""
        rules = {proxy: self.rule_of(proxy) for proxy in proxies}
        if rules:
            changed = {proxy.id: _proxy_rule(proxy, rule) for proxy, rule in rules.items()}
            self._change_plan(channel, proxies=changed)
        for proxy, rule in rules.items():
            channel.router.put(proxy, rule, channel.plan.options)

    def forget(self, proxy: Proxy) -> None:
        """Remove the rules of a proxy that is gone."""
        channel = self._channel_of(proxy)
        if proxy.id in channel.plan.proxies:
            self._change_plan(channel, proxies={proxy.id: None})
        if isinstance(proxy, ConsumerProxy):
            channel.router.drop(proxy)
            tell_suppliers(channel, channel.wants.withdraw(proxy.id))

    def forget_admin(self, admin: Admin) -> None:
        """Remove the rules of an admin that is gone."""
        channel = self._channel_of(admin)
        self._change_plan(channel, admins={(admin.side, admin.id): None})
        if admin.side is Side.CONSUMER:
            channel.router.drop_admin(admin)

    def adjust(self, proxy: Proxy) -> None:
        """Compute what the event flow needs to know of a proxy."""
        persistent = proxy.qos.connection_reliability is Reliability.PERSISTENT
        proxy.durable = persistent and not proxy.bare  # which no client could find again
        if isinstance(proxy, SupplierProxy):
            proxy.adjust()
        elif isinstance(proxy, ConsumerProxy):
            admin = proxy.admin
            by_priority = self._mapping(proxy.priority_filter or admin.priority_filter)
            by_lifetime = self._mapping(proxy.lifetime_filter or admin.lifetime_filter)
            proxy.adjust(by_priority, by_lifetime)

    def want(self, proxy: ConsumerProxy) -> None:
        """Update the union of wanted types for a consumer, and tell suppliers what changed."""
        channel = self._channel_of(proxy)
        admin = proxy.admin
        own, shared = self.event_types(proxy), self.event_types(admin)
        neutral = channel.plan.options.empty_group_is_neutral or admin.operator is Operator.AND
        if not neutral and bool(proxy.attached_filters) != bool(admin.attached_filters):
            own = shared = frozenset()  # the group without filters lets all types pass
        asked = wanted_by(own, proxy.types, shared, admin.types)
        tell_suppliers(channel, channel.wants.replace(proxy.id, asked))


def _proxy_rule(proxy: Proxy, rule: Rule) -> ProxyRule:
    return ProxyRule(proxy.side, proxy.id, proxy.admin.id, rule, proxy.fence)


def offer_key(holder: Holder) -> tuple[str, int]:
    """Return the key of an object's offers in the registry."""
    return ("proxy" if isinstance(holder, Proxy) else "admin", holder.id)


def offers_changed(
    channel: Channel,
    holder: Holder,
    added: Sequence[EventTypePattern],
    removed: Sequence[EventTypePattern],
) -> None:
    """Change the event types a supplier or supplier admin offers."""
    holder.offered = offered(holder.offered, added, removed)
    tell_consumers(channel, channel.offers.replace(offer_key(holder), holder.offered))


def tell_consumers(channel: Channel, change: TypeChange) -> None:
    """Tell interested consumers which types are newly offered or withdrawn."""
    _tell(channel, Side.CONSUMER, TellOffers, change)


def tell_suppliers(channel: Channel, change: TypeChange) -> None:
    """Tell interested suppliers which types are newly wanted or withdrawn."""
    _tell(channel, Side.SUPPLIER, TellSubscriptions, change)


def _tell(
    channel: Channel, side: Side, tell: type[TellOffers | TellSubscriptions], change: TypeChange
) -> None:
    for proxy in channel.proxies_of(side) if change else ():
        if proxy.hears:
            channel.core.out.append(tell(channel.id, proxy.id, *change))


def obtain_types(channel: Channel, proxy: Proxy, mode: InfoMode) -> tuple[EventTypePattern, ...]:
    """Return the other side's types if the mode asks for them; set whether updates follow."""
    proxy.updates = mode.updates_on
    if not mode.all_now:
        return ()
    registry = channel.offers if proxy.side is Side.CONSUMER else channel.wants
    return registry.types()
