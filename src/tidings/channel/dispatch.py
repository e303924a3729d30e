"""Which part of the core carries out which command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tidings.channel import answers, qos_check, sharing
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.adjusting import Adjusting, new_filter
from tidings.channel.alarms import elapsed
from tidings.channel.channel import Channel
from tidings.channel.effects import NoticeKind
from tidings.channel.filter_host import UNUSED_FILTERS
from tidings.channel.holders import Holder, Proxy
from tidings.channel.lifecycle import Lifecycle
from tidings.channel.overflow import swap_out
from tidings.channel.polling import ask, polled
from tidings.channel.pulls import begin_pull, cancel_pull
from tidings.channel.settings import FilterPart
from tidings.channel.trail import Trail, dry_run, traced_push
from tidings.channel.vocabulary import Place, Side
from tidings.errors import InvalidUsage, TidingsError
from tidings.filters.constraint import Constraint
from tidings.filters.filter import Filter, accepted_grammar
from tidings.filters.mapping import MappingFilter

if TYPE_CHECKING:
    from tidings.channel.factory import Factory

Handler: TypeAlias = Callable[[Any, int], Any]
"""Carries out one kind of command at a time; returns what its docstring says."""


def handlers_of(factory: Factory, life: Lifecycle, adjust: Adjusting) -> dict[type, Handler]:
    """What carries out the commands of each kind, but those that make or end channels."""
    flow = _Flow(factory, life)
    objects = _Objects(factory, life, adjust)
    filters = _Filters(factory, adjust)
    return {**flow.table(), **objects.table(), **filters.table()}


class _Finds:
    def __init__(self, factory: Factory) -> None:
        self._factory = factory

    def proxy(self, command: Any, side: Side | None = None) -> Proxy:  # noqa: ANN401
        """The proxy a command is about."""
        found = self._factory.channel(command.channel).proxy(command.proxy, side)
        self._factory.unattended.touch((found.channel.id, found.id), self._factory.core.now)
        return found

    def consumer(self, command: Any) -> Proxy:  # noqa: ANN401
        """The same, which must be a consumer's."""
        return self.proxy(command, Side.CONSUMER)

    def holder(self, place: Place, side: Side | None = None) -> Holder:
        """The admin or proxy at a place."""
        channel = self._factory.channel(place.channel)
        if place.proxy is not None:
            return channel.proxy(place.proxy, side)
        if place.admin is None or place.side is None:
            raise InvalidUsage(f"{place} has no filters and no event types; its admins have")
        if side is not None and place.side is not side:
            raise InvalidUsage(f"{place} is not for a {side.value}")
        return channel.admin(place.side, place.admin)

    def place(self, place: Place) -> Channel | Holder:
        """The channel, admin or proxy at a place."""
        if place.proxy is None and place.admin is None:
            return self._factory.channel(place.channel)
        return self.holder(place)


class _Flow(_Finds):
    """The flow of events."""

    def __init__(self, factory: Factory, life: Lifecycle) -> None:
        super().__init__(factory)
        self._life = life

    def table(self) -> dict[type, Handler]:
        channel, consumer = self._factory.channel, self.consumer
        return {
            c.Push: self._push,
            c.Pull: lambda x, now: begin_pull(consumer(x), x, now),
            c.CancelPull: lambda x, now: cancel_pull(consumer(x), x),
            c.Ack: lambda x, now: answers.acked(consumer(x), x),
            c.Lost: lambda x, now: answers.lost(consumer(x), x),
            c.Failed: lambda x, now: answers.failed(consumer(x), x, now, self._life.end),
            c.Reject: lambda x, now: answers.rejected(consumer(x), x, now),
            c.Redrive: lambda x, now: answers.redrive(consumer(x), x, now),
            c.Refilled: lambda x, now: answers.refilled(consumer(x), x, now),
            c.Revoke: lambda x, now: answers.revoked(channel(x.channel), x),
            m.Purge: lambda x, now: answers.purge(consumer(x)),
            c.Idle: lambda x, now: swap_out(consumer(x)),
            c.Polled: self._polled,
            c.DryRun: self._dry_run,
            c.Tick: self._tick,
            c.ClockSet: self._clock_set,
        }

    def _push(self, command: c.Push, now: int) -> list[int | TidingsError]:
        channel = self._factory.channel(command.channel)
        if command.whole:
            channel.check_whole(command, now)
        self._factory.unattended.touch((command.channel, command.proxy), now)
        return traced_push(channel, command, now) if command.trail else channel.push(command, now)

    def _polled(self, command: c.Polled, now: int) -> None:
        proxy = self.proxy(command, Side.SUPPLIER)
        if polled(proxy, command, now):
            self._life.end(proxy, tell=not command.gone)

    def _dry_run(self, command: c.DryRun, now: int) -> Trail:
        supplier = None if command.proxy is None else self.proxy(command, Side.SUPPLIER)
        return dry_run(self._factory.channel(command.channel), command.item, supplier, now)

    def _tick(self, command: c.Tick, now: int) -> None:
        core = self._factory.core
        for channel, id in core.due(now):
            if not channel:
                (self._factory.filters if id == UNUSED_FILTERS else self._life).collect(now)
                continue
            found = core.channels.get(channel)
            proxy = None if found is None else found.proxies.get(id)
            if proxy is None:
                continue
            if proxy.side is Side.SUPPLIER:
                ask(proxy, now)
            elif proxy.delivery is not None:
                elapsed(proxy, proxy.delivery, now)

    def _clock_set(self, command: c.ClockSet, now: int) -> None:
        core = self._factory.core
        moved = core.offset - command.offset
        core.offset = command.offset
        for proxy, delivery in core.deliveries():
            delivery.shift_absolute(moved)
            delivery.alarm = None
            core.touched[proxy] = None


class _Objects(_Finds):
    """Admins, proxies, their properties and event types."""

    def __init__(self, factory: Factory, life: Lifecycle, adjust: Adjusting) -> None:
        super().__init__(factory)
        self._life = life
        self._adjust = adjust

    def table(self) -> dict[type, Handler]:
        channel, life, adjust = self._factory.channel, self._life, self._adjust
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
                self.proxy(x).qos, x.properties, self._factory.core.settings.narrowed
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
        self._life.end(proxy, self._factory.core.settings.call_back_on_disconnect)

    def _offer(self, command: m.OfferChange, now: int) -> None:
        holder = self.holder(command.place, Side.SUPPLIER)
        sharing.offers_changed(holder, command.added, command.removed)
        self._adjust.stored(holder)

    def _obtain_types(self, command: m.ObtainTypes, now: int) -> object:
        proxy = self.proxy(command)
        types = sharing.obtain_types(proxy, command.mode)
        self._adjust.stored(proxy)
        return types


class _Filters(_Finds):
    """Filters of the host, and who holds them."""

    def __init__(self, factory: Factory, adjust: Adjusting) -> None:
        super().__init__(factory)
        self._adjust = adjust

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
            m.DestroyFilter: lambda x, now: adjust.destroy_filter(
                self._factory.filters.find(x.filter)
            ),
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
        filters = self._factory.filters
        id = filters.add(made, command.owner, private=command.private).id
        return m.CreatedFilter(id, ids)

    def _create_mapping(self, command: m.CreateMapping, now: int) -> m.CreatedFilter:
        accepted_grammar(command.grammar)
        self._check([one.constraint for one in command.mapped])
        made = MappingFilter(command.default)
        ids = tuple(made.add(command.mapped)) if command.mapped else ()
        filters = self._factory.filters
        id = filters.add(made, command.owner, private=command.private).id
        return m.CreatedFilter(id, ids)

    def _add_constraints(self, command: m.AddConstraints, now: int) -> object:
        filters = self._factory.filters
        made = filters.filter(command.filter)
        self._check(command.constraints, made.version.constraints.values())
        hosted = filters.use(command.filter, now)
        return self._adjust.change_filter(hosted, lambda: made.add(command.constraints))

    def _modify_constraints(self, command: m.ModifyConstraints, now: int) -> None:
        filters = self._factory.filters
        made = filters.filter(command.filter)
        new, old = command.replace, made.version.constraints
        self._check(list(new.values()), [one for id, one in old.items() if id not in new])
        hosted = filters.use(command.filter, now)
        self._adjust.change_filter(hosted, lambda: made.modify(command.delete, command.replace))

    def _add_mapped(self, command: m.AddMapped, now: int) -> object:
        filters = self._factory.filters
        made = filters.mapping(command.filter)
        old = made.version.mapped.values()
        self._check([one.constraint for one in command.mapped], [one.constraint for one in old])
        hosted = filters.use(command.filter, now)
        return self._adjust.change_filter(hosted, lambda: made.add(command.mapped))

    def _modify_mapped(self, command: m.ModifyMapped, now: int) -> None:
        filters = self._factory.filters
        made = filters.mapping(command.filter)
        new, old = command.replace, made.version.mapped
        rest = [one.constraint for id, one in old.items() if id not in new]
        self._check([one.constraint for one in new.values()], rest)
        hosted = filters.use(command.filter, now)
        self._adjust.change_filter(hosted, lambda: made.modify(command.delete, command.replace))

    def _check(self, new: Sequence[Constraint], old: Iterable[Constraint] = ()) -> None:
        """Refuses constraints that no filter may have, or this one not in addition."""
        self._adjust.check_constraints(new)
        if new:
            self._factory.core.settings.limits.check_filter(map(FilterPart.of, (*old, *new)))

    def _clear(self, command: m.ClearFilter, now: int) -> None:
        hosted = self._factory.filters.use(command.filter, now)
        made: Filter | MappingFilter = hosted.filter
        self._adjust.change_filter(hosted, made.clear)
