"""Changes of objects: quality of service, admin properties, filters, subscription lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidings.channel import properties, qos_check
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import FilterTypesChanged
from tidings.channel.filter_host import FilterHost, HostedFilter
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.lifecycle import Lifecycle
from tidings.channel.property_errors import TIME_T, Level, PropertyRange, Request
from tidings.channel.qos import QoS, Reliability, fixed_above
from tidings.channel.rules import Rules
from tidings.channel.settings import Inheritance
from tidings.channel.snapshot import erased
from tidings.channel.vocabulary import Side
from tidings.errors import (
    FilterNotFound,
    InvalidUsage,
    PropertyError,
    PropertyErrorCode,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.filter import EventTypes, Filter

_VALUE_TYPES = {"priority": tc.SHORT, "lifetime": TIME_T}


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
        qos = qos_check.changed(place.qos, level, parent, given, settings.narrowed)
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
        return qos_check.validate(place.qos, level, parent, request, settings.narrowed)

    def _check_followers(self, place: Channel | Holder, qos: QoS) -> None:
        """Raise UnsupportedQoS if a child, itself set to Persistent, must be changed first."""
        settings = self._core.settings
        level = Level.ADMIN if isinstance(place, Channel) else Level.PROXY
        for child in _children(place):
            try:
                follows = qos_check.changed(qos, level, qos, child.own, settings.narrowed)
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
