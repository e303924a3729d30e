"""Which part of the core runs which command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import qos_check
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import NoticeKind
from tidings.channel.filter_host import UNUSED_FILTERS, FilterHost
from tidings.channel.holders import Holder, Proxy
from tidings.channel.lifecycle import Lifecycle, ObjectChanges, new_filter
from tidings.channel.rules import obtain_types, offers_changed
from tidings.channel.settings import FilterPart
from tidings.channel.supplier import SupplierProxy
from tidings.channel.trail import Trail, dry_run, traced_push
from tidings.channel.vocabulary import Place, Side
from tidings.errors import InvalidUsage, TidingsError
from tidings.filters.constraint import Constraint
from tidings.filters.filter import Filter, accepted_grammar
from tidings.filters.mapping import MappingFilter

_P = TypeVar("_P", bound=Proxy)

Handler: TypeAlias = Callable[[Any, int], Any]
"""Runs one command; returns what the command's docstring says."""


def handlers_of(
    channels: Channels, filters: FilterHost, life: Lifecycle, adjust: ObjectChanges
) -> dict[type, Handler]:
    """Return the handler of each command class, except those that create or end channels."""
    parts = (_Flow, _Objects, _Filters)
    made = [part(channels, filters, life, adjust) for part in parts]
    return {kind: handler for one in made for kind, handler in one.table().items()}


class _Part:
    """Handlers that look up the objects commands name."""

    def __init__(
        self, channels: Channels, filters: FilterHost, life: Lifecycle, adjust: ObjectChanges
    ) -> None:
        self._channels = channels
        self._core = channels.core
        self._filters = filters
        self._life = life
        self._adjust = adjust

    def table(self) -> dict[type, Handler]:
        """Return the handler of each command class."""
        raise NotImplementedError

    def proxy(self, command: Any) -> Proxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).proxy(command.proxy))

    def consumer(self, command: Any) -> ConsumerProxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).consumer(command.proxy))

    def supplier(self, command: Any) -> SupplierProxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).supplier(command.proxy))

    def _used(self, proxy: _P) -> _P:
        """Mark the proxy as used now, and return it."""
        self._life.unattended.touch((proxy.channel.id, proxy.id), self._core.now)
        return proxy

    def holder(self, place: Place, side: Side | None = None) -> Holder:
        channel = self._channels.find(place.channel)
        if place.proxy is not None:
            if side is Side.CONSUMER:
                return channel.consumer(place.proxy)
            return channel.proxy(place.proxy) if side is None else channel.supplier(place.proxy)
        if place.admin is None or place.side is None:
            raise InvalidUsage(f"{place} has no filters and no event types; its admins have")
        if side is not None and place.side is not side:
            raise InvalidUsage(f"{place} is not for a {side.value}")
        return channel.admin(place.side, place.admin)

    def place(self, place: Place) -> Channel | Holder:
        if place.proxy is None and place.admin is None:
            return self._channels.find(place.channel)
        return self.holder(place)


class _Flow(_Part):
    """Handlers for the flow of events."""

    def table(self) -> dict[type, Handler]:
        channel, consumer = self._channels.find, self.consumer
        return {
            c.Push: self._push,
            c.Pull: lambda x, now: consumer(x).ensure_consumer().pull(x, now),
            c.CancelPull: self._cancel_pull,
            c.Ack: self._ack,
            c.Lost: self._lost,
            c.Failed: self._failed,
            c.Reject: self._reject,
            c.Redrive: lambda x, now: consumer(x).ensure_consumer().redrive(x, now),
            c.Refilled: lambda x, now: consumer(x).ensure_consumer().refill(x, now),
            c.Revoke: lambda x, now: channel(x.channel).revoke(x),
            m.Purge: lambda x, now: consumer(x).purge(channel(x.channel).seq),
            c.Idle: self._idle,
            c.Polled: self._polled,
            c.DryRun: self._dry_run,
            c.Tick: self._tick,
            c.ClockSet: self._clock_set,
            c.RefusePersistent: self._refuse_persistent,
        }

    def _cancel_pull(self, command: c.CancelPull, now: int) -> None:
        consumer = self.consumer(command).consumer
        if consumer is not None:
            consumer.cancel_pull(command.token)

    def _ack(self, command: c.Ack, now: int) -> None:
        consumer = self.consumer(command).consumer
        if consumer is not None:
            consumer.acknowledge(command.seqs)

    def _lost(self, command: c.Lost, now: int) -> None:
        consumer = self.consumer(command).consumer
        if consumer is not None:
            consumer.lose(command.seqs)

    def _failed(self, command: c.Failed, now: int) -> None:
        proxy = self.consumer(command)
        if command.gone:
            self._life.end(proxy, tell=False)
            return
        consumer, behind = proxy.consumer, command.behind
        if consumer is not None and consumer.fail(command.seqs, command.reason, now, behind=behind):
            self._life.end(proxy, tell=True)

    def _reject(self, command: c.Reject, now: int) -> None:
        consumer = self.consumer(command).consumer
        if consumer is not None:
            consumer.reject(command.seqs, command.reason, now)

    def _idle(self, command: c.Idle, now: int) -> int:
        consumer = self.consumer(command).consumer
        return 0 if consumer is None else consumer.swap_out()

    def _push(self, command: c.Push, now: int) -> list[int | TidingsError]:
        channel = self._channels.find(command.channel)
        if command.whole:
            channel.check_whole(command, now)
        self._life.unattended.touch((command.channel, command.proxy), now)
        return traced_push(channel, command, now) if command.trail else channel.push(command, now)

    def _polled(self, command: c.Polled, now: int) -> None:
        proxy = self.supplier(command)
        if self._channels.find(command.channel).take_polled(proxy, command, now):
            self._life.end(proxy, tell=not command.gone)

    def _dry_run(self, command: c.DryRun, now: int) -> Trail:
        supplier = None if command.proxy is None else self.supplier(command)
        return dry_run(self._channels.find(command.channel), command.item, supplier, now)

    def _tick(self, command: c.Tick, now: int) -> None:
        for channel, id in self._core.due(now):
            if not channel:
                (self._filters if id == UNUSED_FILTERS else self._life).collect(now)
                continue
            found = self._channels.get(channel)
            proxy = None if found is None else found.proxies.get(id)
            if found is not None and isinstance(proxy, SupplierProxy):
                found.poll(proxy, now)
            elif isinstance(proxy, ConsumerProxy) and proxy.consumer is not None:
                proxy.consumer.wake(now)

    def _refuse_persistent(self, command: c.RefusePersistent, now: int) -> None:
        self._core.disk_full = command.reason

    def _clock_set(self, command: c.ClockSet, now: int) -> None:
        core = self._core
        moved = core.offset - command.offset
        core.offset = command.offset
        for consumer in self._channels.consumers():
            consumer.shift_absolute(moved)


class _Objects(_Part):
    """Handlers for admins, proxies, their properties and event types."""

    def table(self) -> dict[type, Handler]:
        channel, life, adjust = self._channels.find, self._life, self._adjust
        return {
            m.NewAdmin: lambda x, now: life.new_admin(channel(x.channel), x.side, x.operator).id,
            m.DestroyAdmin: lambda x, now: life.destroy_admin(
                channel(x.channel).admin(x.side, x.admin)
            ),
            m.ObtainProxy: lambda x, now: life.obtain(channel(x.channel), x, now).id,
            m.Connect: lambda x, now: life.connect(self.proxy(x), x, now),
            m.Detach: lambda x, now: life.detach(self.proxy(x), now),
            m.Disconnect: self._disconnect,
            m.Suspend: lambda x, now: life.suspend(self.proxy(x)),
            m.Resume: lambda x, now: life.resume(self.proxy(x), now),
            m.SetQoS: lambda x, now: adjust.set_qos(self.place(x.place), x.properties, now),
            m.ValidateQoS: lambda x, now: adjust.validate_qos(self.place(x.place), x.properties),
            m.ValidateEventQoS: lambda x, now: qos_check.validate_event(
                self.proxy(x).qos, x.properties, self._core.settings.narrowed
            ),
            m.SetAdminProperties: lambda x, now: adjust.set_admin_properties(
                channel(x.channel), x.properties
            ),
            m.OfferChange: self._offer,
            m.SubscriptionChange: lambda x, now: adjust.subscribe(
                self.holder(x.place, Side.CONSUMER), x.added, x.removed
            ),
            m.ObtainTypes: self._obtain_types,
        }

    def _disconnect(self, command: m.Disconnect, now: int) -> None:
        proxy = self.proxy(command)
        if command.given_up:
            proxy.notice(NoticeKind.GIVEN_UP, command.given_up)
        self._life.end(proxy, self._core.settings.call_back_on_disconnect)

    def _offer(self, command: m.OfferChange, now: int) -> None:
        holder = self.holder(command.place, Side.SUPPLIER)
        channel = self._channels.find(command.place.channel)
        offers_changed(channel, holder, command.added, command.removed)
        self._life.store(holder)

    def _obtain_types(self, command: m.ObtainTypes, now: int) -> object:
        proxy = self.proxy(command)
        channel = self._channels.find(command.channel)
        types = obtain_types(channel, proxy, command.mode)
        self._life.store(proxy)
        return types


class _Filters(_Part):
    """Handlers for filters and their attachments."""

    def table(self) -> dict[type, Handler]:
        adjust = self._adjust
        return {
            m.CreateFilter: self._create_filter,
            m.CreateMapping: self._create_mapping,
            m.AddConstraints: self._add_constraints,
            m.ModifyConstraints: self._modify_constraints,
            m.AddMapped: self._add_mapped,
            m.ModifyMapped: self._modify_mapped,
            m.ClearFilter: self._clear,
            m.DestroyFilter: lambda x, now: adjust.destroy_filter(self._filters.find(x.filter)),
            m.AddFilter: lambda x, now: adjust.add_filter(self.holder(x.place), x.filter),
            m.RemoveFilter: lambda x, now: adjust.remove_filter(self.holder(x.place), x.attachment),
            m.RemoveAllFilters: lambda x, now: adjust.remove_all_filters(self.holder(x.place)),
            m.SetMapping: lambda x, now: adjust.set_mapping(
                self.holder(x.place), x.purpose, x.filter
            ),
        }

    def _create_filter(self, command: m.CreateFilter, now: int) -> m.CreatedFilter:
        accepted_grammar(command.grammar)
        self._check(command.constraints)
        made, ids = new_filter(command.constraints)
        filters = self._filters
        id = filters.add(made, command.owner, private=command.private).id
        return m.CreatedFilter(id, ids)

    def _create_mapping(self, command: m.CreateMapping, now: int) -> m.CreatedFilter:
        accepted_grammar(command.grammar)
        self._check([one.constraint for one in command.mapped])
        made = MappingFilter(command.default)
        ids = tuple(made.add(command.mapped)) if command.mapped else ()
        filters = self._filters
        id = filters.add(made, command.owner, private=command.private).id
        return m.CreatedFilter(id, ids)

    def _add_constraints(self, command: m.AddConstraints, now: int) -> object:
        filters = self._filters
        made = filters.filter(command.filter)
        self._check(command.constraints, made.version.constraints.values())
        hosted = filters.use(command.filter, now)
        return self._adjust.change_filter(hosted, lambda: made.add(command.constraints))

    def _modify_constraints(self, command: m.ModifyConstraints, now: int) -> None:
        filters = self._filters
        made = filters.filter(command.filter)
        new, old = command.replace, made.version.constraints
        self._check(list(new.values()), [one for id, one in old.items() if id not in new])
        hosted = filters.use(command.filter, now)
        self._adjust.change_filter(hosted, lambda: made.modify(command.delete, command.replace))

    def _add_mapped(self, command: m.AddMapped, now: int) -> object:
        filters = self._filters
        made = filters.mapping(command.filter)
        old = made.version.mapped.values()
        self._check([one.constraint for one in command.mapped], [one.constraint for one in old])
        hosted = filters.use(command.filter, now)
        return self._adjust.change_filter(hosted, lambda: made.add(command.mapped))

    def _modify_mapped(self, command: m.ModifyMapped, now: int) -> None:
        filters = self._filters
        made = filters.mapping(command.filter)
        new, old = command.replace, made.version.mapped
        rest = [one.constraint for id, one in old.items() if id not in new]
        self._check([one.constraint for one in new.values()], rest)
        hosted = filters.use(command.filter, now)
        self._adjust.change_filter(hosted, lambda: made.modify(command.delete, command.replace))

    def _check(self, new: Sequence[Constraint], old: Iterable[Constraint] = ()) -> None:
        """Refuse constraints that exceed the limits, alone or with the filter's old ones."""
        if new:
            self._core.settings.limits.check_filter(map(FilterPart.of, (*old, *new)))

    def _clear(self, command: m.ClearFilter, now: int) -> None:
        hosted = self._filters.use(command.filter, now)
        made: Filter | MappingFilter = hosted.filter
        self._adjust.change_filter(hosted, made.clear)
