"""Commands that manage objects, as operations of the standard."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from tidings.channel import management as m
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import PropertyRange
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.vocabulary import Operator, Side
from tidings.client.transports.iiop_kinds import Kind
from tidings.client.transports.iiop_objects import Far, FarProxy, Objects
from tidings.client.transports.iiop_values import (
    beyond,
    constraint_out,
    properties_out,
    ranges_in,
    types_in,
    types_out,
)
from tidings.cos.CosNotifyChannelAdmin_auto import InterFilterGroupOperator, ObtainInfoMode
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintInfo,
    Filter_INTERFACE,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilter_INTERFACE,
)
from tidings.errors import InvalidUsage, NotFound, TidingsError
from tidings.events.reference import Reference
from tidings.filters.constraint import EventTypePattern
from tidings.filters.filter import GRAMMAR

_log: Final = logging.getLogger(__name__)

_NIL: Final = Reference()
_OPERATORS: Final = {
    Operator.AND: InterFilterGroupOperator.AND_OP,
    Operator.OR: InterFilterGroupOperator.OR_OP,
}
_NEW_ADMIN: Final = {Side.SUPPLIER: "new_for_suppliers", Side.CONSUMER: "new_for_consumers"}
_TYPES_OF_OTHERS: Final = {
    Side.SUPPLIER: "obtain_subscription_types",
    Side.CONSUMER: "obtain_offered_types",
}


class Commands:
    """Carries out what a program asks for, except for the flow of events.

    Args:
        objects: Finds objects and calls them.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        # Filters that were made for one proxy, and end with it.
        self._private: set[int] = set()
        self._held: dict[tuple[int, int], set[int]] = {}
        self._table: dict[type, Callable[[Any], Awaitable[Any]]] = {
            m.AddConstraints: self._add_constraints,
            m.AddFilter: self._add_filter,
            m.AddMapped: self._add_mapped,
            m.ClearFilter: self._clear_filter,
            m.CreateChannel: self._create_channel,
            m.CreateFilter: self._create_filter,
            m.CreateMapping: self._create_mapping,
            m.DestroyAdmin: self._destroy_admin,
            m.DestroyChannel: self._destroy_channel,
            m.DestroyFilter: self._destroy_filter,
            m.Disconnect: self._disconnect,
            m.ModifyConstraints: self._modify_constraints,
            m.ModifyMapped: self._modify_mapped,
            m.NewAdmin: self._new_admin,
            m.ObtainProxy: self._obtain_proxy,
            m.ObtainTypes: self._obtain_types,
            m.OfferChange: self._offer_change,
            m.RemoveAllFilters: self._remove_all_filters,
            m.RemoveFilter: self._remove_filter,
            m.Resume: self._resume,
            m.SetAdminProperties: self._set_admin,
            m.SetMapping: self._set_mapping,
            m.SetQoS: self._set_qos,
            m.SubscriptionChange: self._subscription_change,
            m.Suspend: self._suspend,
            m.ValidateEventQoS: self._validate_event_qos,
            m.ValidateQoS: self._validate_qos,
        }

    async def ask(self, command: object) -> Any:  # noqa: ANN401 -- see the command
        """Has a command carried out.

        Raises:
            NotOverCorba: No operation of the standard does this.
        """
        act = self._table.get(type(command))
        if act is None:
            raise beyond(_WORDS.get(type(command).__name__, type(command).__name__))
        return await act(command)

    # Channels and admins.

    async def _create_channel(self, command: m.CreateChannel) -> int:
        if command.name:
            raise beyond("channels with a name", "leave it out, and keep the channel's id")
        qos = properties_out(command.qos, QOS_PROPERTIES)
        admin = properties_out(command.admin, ADMIN_PROPERTIES)
        reference, id = await self._objects.factory("create_channel", qos, admin)
        self._objects.made_channel(id, reference)
        return int(id)

    async def _destroy_channel(self, command: m.DestroyChannel) -> None:
        await self._objects.call(await self._objects.channel(command.channel), "destroy")
        self._objects.forget_channel(command.channel)

    async def _new_admin(self, command: m.NewAdmin) -> int:
        channel, side, operator = command.channel, command.side, _OPERATORS[command.operator]
        parent = await self._objects.channel(channel)
        reference, id = await self._objects.call(parent, _NEW_ADMIN[side], operator)
        self._objects.made_admin(channel, side, id, reference)
        return int(id)

    async def _destroy_admin(self, command: m.DestroyAdmin) -> None:
        far = await self._objects.admin(command.channel, command.side, command.admin)
        await self._objects.call(far, "destroy")

    # Proxies.

    async def _obtain_proxy(self, command: m.ObtainProxy) -> int:
        if command.name:
            told = "leave it out; with the QoS ConnectionReliability 1 it outlives the service"
            raise beyond("subscriptions with a name", told)
        kind = Kind(command.side, command.style, command.form)
        parent = await self._objects.admin(command.channel, command.side, command.admin)
        reference, id = await self._objects.call(parent, kind.obtain, kind.client)
        made = self._objects.made_proxy(command.channel, id, kind, reference)
        try:
            qos = properties_out(command.qos, QOS_PROPERTIES)
            if qos:
                await self._objects.call(made.far, "set_qos", qos)
        except BaseException:
            await self._disconnect(m.Disconnect(command.channel, id))
            raise
        return int(id)

    def forget_proxy(self, channel: int, proxy: int) -> None:
        """A proxy is no more, and was made again; what was its alone is the new one's."""
        self._objects.forget_proxy(channel, proxy)
        self._held.pop((channel, proxy), None)

    async def _disconnect(self, command: m.Disconnect) -> None:
        far, kind = await self._proxy(command)
        key = (command.channel, command.proxy)
        self._objects.forget_proxy(*key)
        try:
            await self._objects.call(far, kind.disconnect)
        finally:
            for filter in self._held.pop(key, ()):
                await self._drop(filter)

    async def _suspend(self, command: m.Suspend) -> None:
        await self._objects.call((await self._called(command)).far, "suspend_connection")

    async def _resume(self, command: m.Resume) -> None:
        await self._objects.call((await self._called(command)).far, "resume_connection")

    async def _called(self, command: m.Suspend | m.Resume) -> FarProxy:
        found = await self._proxy(command)
        if "suspend_connection" not in found.far.interface.operations:
            raise InvalidUsage(f"the client of {found.far.words} begins itself: it cannot pause")
        return found

    async def _proxy(self, command: m.Disconnect | m.Suspend | m.Resume) -> FarProxy:
        return await self._objects.proxy(command.channel, command.proxy)

    # Properties.

    async def _set_qos(self, command: m.SetQoS) -> None:
        qos = properties_out(command.properties, QOS_PROPERTIES)
        await self._objects.call(await self._objects.place(command.place), "set_qos", qos)

    async def _validate_qos(self, command: m.ValidateQoS) -> tuple[PropertyRange, ...]:
        qos = properties_out(command.properties, QOS_PROPERTIES)
        far = await self._objects.place(command.place)
        return ranges_in(await self._objects.call(far, "validate_qos", qos))

    async def _validate_event_qos(self, command: m.ValidateEventQoS) -> tuple[PropertyRange, ...]:
        qos = properties_out(command.properties, QOS_PROPERTIES)
        far, _ = await self._objects.proxy(command.channel, command.proxy)
        return ranges_in(await self._objects.call(far, "validate_event_qos", qos))

    async def _set_admin(self, command: m.SetAdminProperties) -> None:
        asked = properties_out(command.properties, ADMIN_PROPERTIES)
        await self._objects.call(await self._objects.channel(command.channel), "set_admin", asked)

    # Filters.

    async def _create_filter(self, command: m.CreateFilter) -> tuple[int, tuple[int, ...]]:
        factory = await self._objects.filter_factory()
        grammar = command.grammar or GRAMMAR
        made = await self._objects.call(factory, "create_filter", grammar)
        id = self._objects.filter_id(made, Filter_INTERFACE)
        if command.private:
            self._private.add(id)
        try:
            added = await self._add_constraints(m.AddConstraints(id, command.constraints))
        except BaseException:
            await self._drop(id)
            raise
        return id, tuple(added)

    async def _create_mapping(self, command: m.CreateMapping) -> tuple[int, tuple[int, ...]]:
        factory = await self._objects.filter_factory()
        grammar = command.grammar or GRAMMAR
        made = await self._objects.call(factory, "create_mapping_filter", grammar, command.default)
        id = self._objects.filter_id(made, MappingFilter_INTERFACE)
        try:
            added = await self._add_mapped(m.AddMapped(id, command.mapped))
        except BaseException:
            await self._drop(id)
            raise
        return id, tuple(added)

    async def _add_constraints(self, command: m.AddConstraints) -> list[int]:
        if not command.constraints:
            return []
        asked = tuple([constraint_out(one) for one in command.constraints])
        far = self._filter(command.filter, "add_constraints")
        found = await self._objects.call(far, "add_constraints", asked)
        return [one.constraint_id for one in found]

    async def _modify_constraints(self, command: m.ModifyConstraints) -> None:
        changed = tuple(
            [ConstraintInfo(constraint_out(made), id) for id, made in command.replace.items()]
        )
        far = self._filter(command.filter, "modify_constraints")
        await self._objects.call(far, "modify_constraints", tuple(command.delete), changed)

    async def _add_mapped(self, command: m.AddMapped) -> list[int]:
        if not command.mapped:
            return []
        asked = tuple(
            [MappingConstraintPair(constraint_out(o.constraint), o.value) for o in command.mapped]
        )
        far = self._filter(command.filter, "add_mapping_constraints")
        found = await self._objects.call(far, "add_mapping_constraints", asked)
        return [one.constraint_id for one in found]

    async def _modify_mapped(self, command: m.ModifyMapped) -> None:
        changed = tuple(
            [
                MappingConstraintInfo(constraint_out(made.constraint), id, made.value)
                for id, made in command.replace.items()
            ]
        )
        far = self._filter(command.filter, "modify_mapping_constraints")
        await self._objects.call(far, "modify_mapping_constraints", tuple(command.delete), changed)

    async def _clear_filter(self, command: m.ClearFilter) -> None:
        far = self._objects.filter(command.filter)
        plain = far.interface is Filter_INTERFACE
        clear = "remove_all_constraints" if plain else "remove_all_mapping_constraints"
        await self._objects.call(far, clear)

    async def _destroy_filter(self, command: m.DestroyFilter) -> None:
        await self._objects.call(self._objects.filter(command.filter), "destroy")
        self._objects.forget_filter(command.filter)

    async def _drop(self, filter: int) -> None:
        """Ends a filter nobody else has, if it is still there."""
        self._private.discard(filter)
        with suppress(NotFound):
            await self._destroy_filter(m.DestroyFilter(filter))

    def _filter(self, id: int, operation: str) -> Far:
        far = self._objects.filter(id)
        if operation not in far.interface.operations:
            raise InvalidUsage(f"{far.words} is one of the other kind: it has no {operation}")
        return far

    async def _add_filter(self, command: m.AddFilter) -> int:
        far = await self._objects.place(command.place)
        reference = self._objects.filter(command.filter).reference
        added: int = await self._objects.call(far, "add_filter", reference)
        place = command.place
        if command.filter in self._private and place.proxy is not None:
            self._held.setdefault((place.channel, place.proxy), set()).add(command.filter)
        return added

    async def _remove_filter(self, command: m.RemoveFilter) -> None:
        far = await self._objects.place(command.place)
        await self._objects.call(far, "remove_filter", command.attachment)

    async def _remove_all_filters(self, command: m.RemoveAllFilters) -> None:
        await self._objects.call(await self._objects.place(command.place), "remove_all_filters")

    async def _set_mapping(self, command: m.SetMapping) -> None:
        far = await self._objects.place(command.place)
        operation = f"_set_{command.purpose}_filter"
        if operation not in far.interface.operations:
            raise InvalidUsage(f"{far.words} serves no consumers: it has no mapping filters")
        found = command.filter
        reference = _NIL if found is None else self._objects.filter(found).reference
        await self._objects.call(far, operation, reference)

    # Offers and subscriptions.

    async def _offer_change(self, command: m.OfferChange) -> None:
        await self._change(command, "offer_change")

    async def _subscription_change(self, command: m.SubscriptionChange) -> None:
        await self._change(command, "subscription_change")

    async def _change(self, command: m.OfferChange | m.SubscriptionChange, operation: str) -> None:
        far = await self._objects.place(command.place)
        if operation not in far.interface.operations:
            raise InvalidUsage(f"{far.words} serves the other side: it has no {operation}")
        added, removed = types_out(command.added), types_out(command.removed)
        await self._objects.call(far, operation, added, removed)

    async def _obtain_types(self, command: m.ObtainTypes) -> Sequence[EventTypePattern]:
        far, kind = await self._objects.proxy(command.channel, command.proxy)
        mode = ObtainInfoMode[command.mode.name]
        return types_in(await self._objects.call(far, _TYPES_OF_OTHERS[kind.side], mode))

    async def end_all(self, proxies: Sequence[tuple[int, int]]) -> None:
        """Ends proxies, as far as they are still there and the service answers."""
        try:
            for channel, proxy in proxies:
                with suppress(NotFound):  # it has ended already, perhaps with its channel
                    await self._disconnect(m.Disconnect(channel, proxy))
            for filter in list(self._private):
                await self._drop(filter)
        except TidingsError as error:
            _log.info("not all that this client made could be ended: %s", error)


_WORDS: Final = {
    "Ack": "acknowledgements of single events",
    "DryRun": "dry runs",
    "Failed": "retries of single events",
    "Reject": "rejections of single events",
}
"""What commands are called that no operation of the standard carries out."""
