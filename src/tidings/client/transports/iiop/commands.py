"""Management commands as operations of the standard.

The catalogue maps commands to operations. This module holds what takes more than one operation, and
what a client must remember.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from tidings.channel import management as m
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.vocabulary import Place, Side
from tidings.client.transports.iiop.objects import Far, Objects
from tidings.client.transports.iiop.values import beyond, unsupported
from tidings.cos.CosNotifyFilter_auto import Filter_INTERFACE, MappingFilter_INTERFACE
from tidings.cos.kinds import kind_of
from tidings.cos.operations import answer_in, arguments_of, name_of
from tidings.errors import InvalidUsage, NotFound, TidingsError
from tidings.events.reference import Reference
from tidings.filters.filter import GRAMMAR
from tidings.orb.stubs import Interface

_log: Final = logging.getLogger(__name__)

_NIL: Final = Reference()


class Commands:
    """Runs commands, except for the flow of events."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        # Private filters, deleted with their proxy.
        self._private: set[int] = set()
        self._held: dict[tuple[int, int], dict[int, int]] = {}
        self._special: dict[type, Callable[[Any], Awaitable[Any]]] = {
            m.AddFilter: self._add_filter,
            m.CreateChannel: self._create_channel,
            m.CreateFilter: self._create_filter,
            m.CreateMapping: self._create_mapping,
            m.DestroyAdmin: self._destroy_admin,
            m.DestroyChannel: self._destroy_channel,
            m.DestroyFilter: self._destroy_filter,
            m.Disconnect: self._disconnect,
            m.NewAdmin: self._new_admin,
            m.ObtainProxy: self._obtain_proxy,
            m.RemoveAllFilters: self._remove_filters,
            m.RemoveFilter: self._remove_filters,
        }

    async def ask(self, command: Any) -> Any:  # noqa: ANN401 -- see the command
        """Run a command; raise `NotOverCorba` if the standard has no such operation."""
        row = OPERATIONS[type(command)]
        if not row.corba:
            raise unsupported(type(command))
        act = self._special.get(type(command))
        if act is not None:
            return await act(command)
        return answer_in(row, await self._call(command))

    async def _call(self, command: Any) -> Any:  # noqa: ANN401 -- as the operation gives it
        row, far = OPERATIONS[type(command)], await self._target(command)
        operation = name_of(command, far.interface)
        if operation is None:
            raise InvalidUsage(f"{far.words} is of another kind: it has no {row.name}")
        arguments: Sequence[object] = arguments_of(row, command)
        if row.corba_arguments == ("filter",):
            arguments = (self._filter_reference(command.filter),)
        return await self._objects.call(far, operation, *arguments)

    async def _target(self, command: Any) -> Far:  # noqa: ANN401
        objects, fields = self._objects, OPERATIONS[type(command)].fields
        if "place" in fields:
            return await objects.place(command.place)
        if "filter" in fields:
            return objects.filter(command.filter)
        if "proxy" in fields:
            return (await objects.proxy(command.channel, command.proxy)).far
        if "admin" in fields and "side" in fields:
            return await objects.admin(command.channel, command.side, command.admin)
        if "channel" in fields:
            return await objects.channel(command.channel)
        is_filter = isinstance(command, m.CreateFilter | m.CreateMapping)
        return await objects.filter_factory() if is_filter else objects.channel_factory

    def _filter_reference(self, id: int | None) -> Reference:
        return _NIL if id is None else self._objects.filter(id).reference

    # Channels and admins.

    async def _create_channel(self, command: m.CreateChannel) -> int:
        if command.name:
            raise beyond("channels with a name", "leave it out, and keep the channel's id")
        reference, id = await self._call(command)
        self._objects.made_channel(id, reference)
        return int(id)

    async def _destroy_channel(self, command: m.DestroyChannel) -> None:
        await self._call(command)
        await self._drop_unheld(command.channel)
        self._objects.forget_channel(command.channel)

    async def _destroy_admin(self, command: m.DestroyAdmin) -> None:
        await self._call(command)
        await self._drop_unheld(command.channel)

    async def _drop_unheld(self, channel: int) -> None:
        """Delete the private filters of proxies that ended with their channel or admin."""
        for key in [key for key in self._held if key[0] == channel]:
            far, _ = await self._objects.proxy(*key)
            if await self._objects.is_gone(far):
                self._objects.forget_proxy(*key)
                for filter in self._held.pop(key, {}).values():
                    await self._drop(filter)

    async def _new_admin(self, command: m.NewAdmin) -> int:
        reference, id = await self._call(command)
        self._objects.made_admin(command.channel, command.side, id, reference)
        return int(id)

    # Proxies.

    async def _obtain_proxy(self, command: m.ObtainProxy) -> int:
        if command.name:
            told = "leave it out; with the QoS ConnectionReliability 1 it outlives the service"
            raise beyond("subscriptions with a name", told)
        if command.keep:
            raise beyond("proxies that collect events for nobody", "connect to them")
        reference, id = await self._call(command)
        kind = kind_of(command.side, command.style, command.form)
        self._objects.made_proxy(command.channel, id, kind, reference)
        place = Place(command.channel, proxy=id)
        try:
            if command.qos:
                await self.ask(m.SetQoS(place, command.qos))
            if command.constraints:
                made = await self._create_filter(m.CreateFilter(command.constraints, private=True))
                await self._add_filter(m.AddFilter(place, made.id))
            if command.types:
                consumes = command.side is Side.CONSUMER
                change = m.SubscriptionChange if consumes else m.OfferChange
                await self.ask(change(place, command.types))
        except BaseException:
            await self._disconnect(m.Disconnect(command.channel, id))
            raise
        return int(id)

    def forget_proxy(self, channel: int, proxy: int) -> None:
        """Forget a recreated proxy's old id; its private filters now belong to the new one."""
        self._objects.forget_proxy(channel, proxy)
        self._held.pop((channel, proxy), None)

    async def _disconnect(self, command: m.Disconnect) -> None:
        key = (command.channel, command.proxy)
        await self._objects.proxy(*key)  # raises before anything is forgotten
        try:
            await self._call(command)
        finally:
            self._objects.forget_proxy(*key)
            for filter in self._held.pop(key, {}).values():
                await self._drop(filter)

    # Filters.

    async def _create_filter(self, command: m.CreateFilter) -> m.CreatedFilter:
        id = await self._new_filter(command, Filter_INTERFACE)
        if command.private:
            self._private.add(id)
        return await self._filled(id, m.AddConstraints(id, command.constraints))

    async def _create_mapping(self, command: m.CreateMapping) -> m.CreatedFilter:
        id = await self._new_filter(command, MappingFilter_INTERFACE)
        return await self._filled(id, m.AddMapped(id, command.mapped))

    async def _new_filter(
        self, command: m.CreateFilter | m.CreateMapping, interface: Interface
    ) -> int:
        grammar = command.grammar or GRAMMAR
        return self._objects.filter_id(
            await self._call(replace(command, grammar=grammar)), interface
        )

    async def _filled(self, id: int, first: m.AddConstraints | m.AddMapped) -> m.CreatedFilter:
        """Add a new filter's first constraints; delete the filter if that fails."""
        parts = first.constraints if isinstance(first, m.AddConstraints) else first.mapped
        try:
            return m.CreatedFilter(id, tuple(await self.ask(first) if parts else ()))
        except BaseException:
            await self._drop(id)
            raise

    async def _destroy_filter(self, command: m.DestroyFilter) -> None:
        await self._call(command)
        self._objects.forget_filter(command.filter)

    async def _drop(self, filter: int) -> None:
        self._private.discard(filter)
        with suppress(NotFound):
            await self._destroy_filter(m.DestroyFilter(filter))

    async def _add_filter(self, command: m.AddFilter) -> int:
        added: int = await self._call(command)
        place = command.place
        if command.filter in self._private and place.proxy is not None:
            held = self._held.setdefault((place.channel, place.proxy), {})
            held[added] = command.filter
        return added

    async def _remove_filters(self, command: m.RemoveFilter | m.RemoveAllFilters) -> None:
        await self._call(command)
        place = command.place
        held = self._held.get((place.channel, place.proxy or 0), {})
        gone = [command.attachment] if isinstance(command, m.RemoveFilter) else list(held)
        for attachment in gone:
            filter = held.pop(attachment, None)
            if filter is not None and not self._is_held(filter):
                await self._drop(filter)

    def _is_held(self, filter: int) -> bool:
        return any(filter in held.values() for held in self._held.values())

    async def end_all(self, proxies: Sequence[tuple[int, int]]) -> None:
        """End proxies, as far as they exist and the service answers."""
        try:
            for channel, proxy in proxies:
                with suppress(NotFound):  # it has ended already, perhaps with its channel
                    await self._disconnect(m.Disconnect(channel, proxy))
            for filter in list(self._private):
                await self._drop(filter)
        except TidingsError as error:
            _log.info("not all that this client made could be ended: %s", error)
