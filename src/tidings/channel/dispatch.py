"""Which part of the core runs which command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import qos_check
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import Consumer, ConsumerProxy
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
from tidings.filters.filter import Filter, FilterVersion, accepted_grammar
from tidings.filters.mapping import MappedConstraint, MappingFilter

_P = TypeVar("_P", bound=Proxy)

_Part: TypeAlias = Constraint | MappedConstraint

Handler: TypeAlias = Callable[[Any, int], Any]
"""Runs one command; returns what the command's docstring says."""


class Dispatch:
    """Looks up the objects that commands name, and runs the commands."""

    def __init__(
        self, channels: Channels, filters: FilterHost, life: Lifecycle, adjust: ObjectChanges
    ) -> None:
        self._channels = channels
        self._core = channels.core
        self._filters = filters
        self._life = life
        self._adjust = adjust

    def handlers(self) -> dict[type, Handler]:
        """Return the handler of each command class, except those that create or end channels."""
        return {**self._flow(), **self._objects(), **self._filtering()}

    def _proxy(self, command: Any) -> Proxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).proxy(command.proxy))

    def _consumer(self, command: Any) -> ConsumerProxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).consumer(command.proxy))

    def _supplier(self, command: Any) -> SupplierProxy:  # noqa: ANN401
        return self._used(self._channels.find(command.channel).supplier(command.proxy))

    def _used(self, proxy: _P) -> _P:
        """Mark the proxy as used now, and return it."""
        self._life.unattended.touch((proxy.channel.id, proxy.id), self._core.now)
        return proxy

    def _holder(self, place: Place, side: Side | None = None) -> Holder:
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

    def _place(self, place: Place) -> Channel | Holder:
        if place.proxy is None and place.admin is None:
            return self._channels.find(place.channel)
        return self._holder(place)

    # The flow of events.

    def _flow(self) -> dict[type, Handler]:
        channel, state, known = self._channels.find, self._state, self._known
        return {
            c.Push: self._push,
            c.Pull: lambda x, now: state(x).pull(x, now),
            c.CancelPull: lambda x, now: known(x, lambda consumer: consumer.cancel_pull(x.token)),
            c.Ack: self._ack,
            c.Lost: lambda x, now: known(x, lambda consumer: consumer.lose(x.seqs)),
            c.Withhold: lambda x, now: known(x, lambda consumer: consumer.withhold(x.seqs)),
            c.Failed: self._failed,
            c.Reject: lambda x, now: known(
                x, lambda consumer: consumer.reject(x.seqs, x.reason, now)
            ),
            c.Redrive: lambda x, now: state(x).redrive(x, now),
            c.Refilled: lambda x, now: state(x).refill(x, now),
            c.Revoke: lambda x, now: channel(x.channel).revoke(x),
            m.Purge: lambda x, now: (
                known(x, lambda consumer: consumer.purge(channel(x.channel).seq)) or 0
            ),
            c.Bound: self._bound,
            c.Idle: lambda x, now: known(x, lambda consumer: consumer.swap_out()) or 0,
            c.Polled: self._polled,
            c.DryRun: self._dry_run,
            c.Tick: self._tick,
            c.ClockSet: self._clock_set,
            c.RefusePersistent: self._refuse_persistent,
        }

    def _state(self, command: Any) -> Consumer:  # noqa: ANN401
        return self._consumer(command).ensure_consumer()

    def _known(self, command: Any, act: Callable[[Consumer], Any]) -> Any:  # noqa: ANN401
        """Act on a consumer's delivery state; do nothing for a proxy that never had an event."""
        consumer = self._consumer(command).consumer
        return None if consumer is None else act(consumer)

    def _ack(self, command: c.Ack, now: int) -> None:
        consumer = self._consumer(command).consumer
        if consumer is not None:
            consumer.acknowledge(command.seqs)

    def _failed(self, command: c.Failed, now: int) -> None:
        proxy = self._consumer(command)
        if command.gone:
            self._life.end(proxy, tell=False)
            return
        state, behind = proxy.consumer, command.behind
        if state is not None and state.fail(command.seqs, command.reason, now, behind=behind):
            self._life.end(proxy, tell=True)

    def _push(self, command: c.Push, now: int) -> list[int | TidingsError]:
        channel = self._channels.find(command.channel)
        if command.whole:
            channel.check_whole(command, now)
        self._life.unattended.touch((command.channel, command.proxy), now)
        answers = (traced_push if command.trail else Channel.push)(channel, command, now)
        if command.more:
            self._core.begun.add(command.channel)
        return answers

    def _polled(self, command: c.Polled, now: int) -> None:
        proxy = self._supplier(command)
        if self._channels.find(command.channel).take_polled(proxy, command, now):
            self._life.end(proxy, tell=not command.gone)

    def _dry_run(self, command: c.DryRun, now: int) -> Trail:
        supplier = None if command.proxy is None else self._supplier(command)
        return dry_run(self._channels.find(command.channel), command.item, supplier, now)

    def _bound(self, command: c.Bound, now: int) -> None:
        found = self._channels.owned.get(command.owner, {})
        consumers = [one.consumer for one in found if isinstance(one, ConsumerProxy)]
        self._core.bound(command.owner, command.octets)
        for consumer in consumers:
            if consumer is not None:
                consumer.rebound(now)

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

    # Admins, proxies, their properties and event types.

    def _objects(self) -> dict[type, Handler]:
        channel, life, adjust = self._channels.find, self._life, self._adjust
        return {
            m.NewAdmin: lambda x, now: life.new_admin(channel(x.channel), x.side, x.operator).id,
            m.DestroyAdmin: lambda x, now: life.destroy_admin(
                channel(x.channel).admin(x.side, x.admin)
            ),
            m.ObtainProxy: lambda x, now: life.obtain(channel(x.channel), x, now).id,
            m.Confine: lambda x, now: life.confine(channel(x.channel), x.proxies, tuple(x.fence)),
            m.Connect: lambda x, now: life.connect(self._proxy(x), x, now),
            m.Detach: lambda x, now: life.detach(self._proxy(x), now),
            m.Disconnect: self._disconnect,
            m.Suspend: lambda x, now: life.suspend(self._proxy(x)),
            m.Resume: lambda x, now: life.resume(self._proxy(x), now),
            m.SetQoS: lambda x, now: adjust.set_qos(self._place(x.place), x.properties, now),
            m.ValidateQoS: lambda x, now: adjust.validate_qos(self._place(x.place), x.properties),
            m.ValidateEventQoS: lambda x, now: qos_check.validate_event(
                self._proxy(x).qos, x.properties, self._core.settings.narrowed
            ),
            m.SetAdminProperties: lambda x, now: adjust.set_admin_properties(
                channel(x.channel), x.properties
            ),
            m.OfferChange: self._offer,
            m.SubscriptionChange: lambda x, now: adjust.subscribe(
                self._holder(x.place, Side.CONSUMER), x.added, x.removed
            ),
            m.ObtainTypes: self._obtain_types,
        }

    def _disconnect(self, command: m.Disconnect, now: int) -> None:
        proxy = self._proxy(command)
        if command.given_up:
            proxy.notice(NoticeKind.GIVEN_UP, command.given_up)
        self._life.end(proxy, self._core.settings.call_back_on_disconnect)

    def _offer(self, command: m.OfferChange, now: int) -> None:
        holder = self._holder(command.place, Side.SUPPLIER)
        channel = self._channels.find(command.place.channel)
        offers_changed(channel, holder, command.added, command.removed)
        self._life.store(holder)

    def _obtain_types(self, command: m.ObtainTypes, now: int) -> object:
        proxy = self._proxy(command)
        channel = self._channels.find(command.channel)
        types = obtain_types(channel, proxy, command.mode)
        self._life.store(proxy)
        return types

    # Filters and their attachments.

    def _filtering(self) -> dict[type, Handler]:
        adjust, filters, holder = self._adjust, self._filters, self._holder
        return {
            m.CreateFilter: self._create_filter,
            m.CreateMapping: self._create_mapping,
            m.AddConstraints: lambda x, now: self._add(
                x.filter, filters.filter(x.filter), x.constraints, now
            ),
            m.ModifyConstraints: lambda x, now: self._modify(x, filters.filter(x.filter), now),
            m.AddMapped: lambda x, now: self._add(
                x.filter, filters.mapping(x.filter), x.mapped, now
            ),
            m.ModifyMapped: lambda x, now: self._modify(x, filters.mapping(x.filter), now),
            m.ClearFilter: self._clear,
            m.DestroyFilter: lambda x, now: adjust.destroy_filter(filters.find(x.filter)),
            m.AddFilter: lambda x, now: adjust.add_filter(holder(x.place), x.filter),
            m.RemoveFilter: lambda x, now: adjust.remove_filter(holder(x.place), x.attachment),
            m.RemoveAllFilters: lambda x, now: adjust.remove_all_filters(holder(x.place)),
            m.SetMapping: lambda x, now: adjust.set_mapping(holder(x.place), x.purpose, x.filter),
        }

    def _create_filter(self, command: m.CreateFilter, now: int) -> m.CreatedFilter:
        accepted_grammar(command.grammar)
        self._check(command.constraints)
        made, ids = new_filter(command.constraints)
        hosted = self._filters.add(made, command.owner, private=command.private)
        return m.CreatedFilter(hosted.id, ids)

    def _create_mapping(self, command: m.CreateMapping, now: int) -> m.CreatedFilter:
        accepted_grammar(command.grammar)
        self._check(command.mapped)
        made = MappingFilter(command.default)
        ids = tuple(made.add(command.mapped)) if command.mapped else ()
        hosted = self._filters.add(made, command.owner, private=command.private)
        return m.CreatedFilter(hosted.id, ids)

    def _add(self, id: int, made: Any, new: Sequence[_Part], now: int) -> object:  # noqa: ANN401
        """Add constraints to a filter, or mapped ones to a mapping filter."""
        self._check(new, _parts_of(made).values())
        return self._adjust.change_filter(self._filters.use(id, now), lambda: made.add(new))

    def _modify(self, command: Any, made: Any, now: int) -> object:  # noqa: ANN401
        new, old = command.replace, _parts_of(made)
        self._check(list(new.values()), [one for id, one in old.items() if id not in new])
        hosted = self._filters.use(command.filter, now)
        return self._adjust.change_filter(hosted, lambda: made.modify(command.delete, new))

    def _check(self, new: Sequence[_Part], old: Iterable[_Part] = ()) -> None:
        """Refuse constraints that exceed the limits, alone or with the filter's old ones."""
        if new:
            found = [one if isinstance(one, Constraint) else one.constraint for one in (*old, *new)]
            self._core.settings.limits.check_filter(map(FilterPart.of, found))

    def _clear(self, command: m.ClearFilter, now: int) -> None:
        hosted = self._filters.use(command.filter, now)
        made: Filter | MappingFilter = hosted.filter
        self._adjust.change_filter(hosted, made.clear)


def _parts_of(filter: Filter | MappingFilter) -> Mapping[int, _Part]:
    version = filter.version
    return version.constraints if isinstance(version, FilterVersion) else version.mapped
