"""Finding a service's objects by id, and calling them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final, NamedTuple

from tidings.channel.vocabulary import Place, Side
from tidings.client.transports.iiop.errors import told
from tidings.client.transports.iiop.patience import Patience, is_away, not_done
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.kinds import Kind, kind_of_type
from tidings.cos.operations import bound_to
from tidings.errors import (
    AdminNotFound,
    ChannelNotFound,
    FilterNotFound,
    InvalidUsage,
    NotFound,
    ProxyNotFound,
    TidingsError,
    Unreachable,
)
from tidings.events.reference import Reference
from tidings.orb.aio import Orb
from tidings.orb.exceptions import CorbaError
from tidings.orb.pseudo import IS_A, NON_EXISTENT
from tidings.orb.stubs import Interface, Operation

LISTS: Final = {
    Side.SUPPLIER: ("_get_push_consumers", "_get_pull_consumers"),
    Side.CONSUMER: ("_get_push_suppliers", "_get_pull_suppliers"),
}
"""An admin's operations that list its proxies."""

ADMINS: Final = {
    Side.SUPPLIER: channel_admin.SupplierAdmin_INTERFACE,
    Side.CONSUMER: channel_admin.ConsumerAdmin_INTERFACE,
}
"""Interfaces of admins."""
_GET_ADMIN: Final = {Side.SUPPLIER: "get_supplieradmin", Side.CONSUMER: "get_consumeradmin"}
_GET_PROXY: Final = {Side.SUPPLIER: "get_proxy_consumer", Side.CONSUMER: "get_proxy_supplier"}
_EVERY_ADMIN: Final = {
    Side.SUPPLIER: "get_all_supplieradmins",
    Side.CONSUMER: "get_all_consumeradmins",
}


def is_repeatable(interface: Interface, operation: str) -> bool:
    """Tell whether a call may be retried; operations not in the catalogue are read-only."""
    bound = bound_to(interface).get(operation)
    return bound is None or bound.row.safe


class Far(NamedTuple):
    """An object of the service; `missing` is the error to raise when it no longer exists."""

    words: str
    reference: Reference
    interface: Interface
    missing: type[NotFound] | type[Unreachable]
    channel: int | None = None


class FarProxy(NamedTuple):
    """A proxy of the service."""

    far: Far
    kind: Kind


class Objects:
    """Finds objects and calls them.

    Channels, admins and proxies have the service's ids. Filters have none in CORBA; they are
    numbered here in the order they become known.
    """

    def __init__(self, orb: Orb, factory: Reference, patience: Patience) -> None:
        self.orb = orb
        self.patience = patience
        self.channel_factory = Far(
            "factory of channels",
            factory,
            channel_admin.EventChannelFactory_INTERFACE,
            Unreachable,
        )
        self._channels: dict[int, Far] = {}
        self._admins: dict[tuple[int, Side, int], Far] = {}
        self._proxies: dict[tuple[int, int], FarProxy] = {}
        self._filters: dict[int, Far] = {}
        self._filter_ids: dict[Reference, int] = {}
        self._filter_numbers = count(1)

    async def call(
        self,
        far: Far,
        operation: str | Operation,
        *arguments: object,
        timeout: float | None = None,  # noqa: ASYNC109 -- the ORB's, of each try
    ) -> Any:  # noqa: ANN401 -- as various as the results of operations
        """Call an operation by its name on the wire; retry while the service is unreachable."""
        found = operation
        if isinstance(found, str):
            found = far.interface.operations[found]
        bound = bound_to(far.interface).get(found.name)
        done = None if bound is None else bound.row.done
        tries, unsure = self.patience.tries(), False
        while True:
            try:
                return await self.once(far, found, arguments, timeout)
            except TidingsError as error:
                if unsure and done is not None and isinstance(error, done):
                    return None
                self.patience.check_end(error)
                if not is_away(error):
                    raise
                if not not_done(error):
                    if not is_repeatable(far.interface, found.name):
                        raise
                    unsure = True
                if not await tries.again():
                    raise

    async def once(
        self,
        far: Far,
        operation: Operation,
        arguments: tuple[object, ...],
        timeout: float | None = None,  # noqa: ASYNC109 -- the ORB's, of all attempts together
    ) -> Any:  # noqa: ANN401 -- as various as the results of operations
        """Call an operation without retries."""
        try:
            return await self.orb.call(far.reference, operation, arguments, timeout)
        except CorbaError as error:
            raise await self._told(error, far, operation.name) from error

    async def is_gone(self, far: Far) -> bool:
        """Tell whether an object no longer exists."""
        try:
            return bool(await self.call(far, NON_EXISTENT))
        except (far.missing, NotFound):  # it, or its channel
            return True

    async def _told(self, error: CorbaError, far: Far, operation: str) -> TidingsError:
        repeatable = is_repeatable(far.interface, operation)
        made = told(error, far.words, operation, far.missing, repeatable=repeatable)
        if type(made) is far.missing and far.channel is not None:
            # The object may be missing because its channel is.
            try:
                await self.call(self.channel_factory, "get_event_channel", far.channel)
            except ChannelNotFound:
                return ChannelNotFound(f"there is no channel {far.channel}")
        return made

    # The factory and its channels.

    async def is_factory(self) -> bool:
        """Tell whether the given object is a channel factory."""
        id = self.channel_factory.interface.id
        if self.channel_factory.reference.type_id == id:
            return not await self.is_gone(self.channel_factory)
        return bool(await self.call(self.channel_factory, IS_A, id))

    async def factory(self, operation: str, *arguments: object) -> Any:  # noqa: ANN401
        """Call the factory."""
        return await self.call(self.channel_factory, operation, *arguments)

    def made_channel(self, id: int, reference: Reference) -> Far:
        """Register a channel's reference."""
        interface = channel_admin.EventChannel_INTERFACE
        made = Far(f"channel {id}", reference, interface, ChannelNotFound)
        self._channels[id] = made
        return made

    async def channel(self, id: int) -> Far:
        """Return a channel; raise `ChannelNotFound` if there is none."""
        known = self._channels.get(id)
        if known is not None:
            return known
        if type(id) is not int or not 0 <= id < 2**31:
            raise ChannelNotFound(f"there is no channel {id!r:.60}")
        return self.made_channel(id, await self.factory("get_event_channel", id))

    def forget_channel(self, id: int) -> None:
        """Forget a channel and everything in it."""
        self._channels.pop(id, None)
        for admin in [key for key in self._admins if key[0] == id]:
            del self._admins[admin]
        for proxy in [key for key in self._proxies if key[0] == id]:
            del self._proxies[proxy]

    # Admins.

    def made_admin(self, channel: int, side: Side, id: int, reference: Reference) -> Far:
        """Register an admin's reference."""
        words = str(Place(channel, side, id))
        made = Far(words, reference, ADMINS[side], AdminNotFound, channel)
        self._admins[channel, side, id] = made
        return made

    async def admin(self, channel: int, side: Side, id: int) -> Far:
        """Return an admin; raise `AdminNotFound` if there is none."""
        known = self._admins.get((channel, side, id))
        if known is not None:
            return known
        parent = await self.channel(channel)
        return self.made_admin(channel, side, id, await self.call(parent, _GET_ADMIN[side], id))

    async def admin_ids(self, channel: int, side: Side) -> Sequence[int]:
        """List the admins on one side of a channel."""
        found: Sequence[int] = await self.call(await self.channel(channel), _EVERY_ADMIN[side])
        return found

    # Proxies.

    def made_proxy(self, channel: int, id: int, kind: Kind, reference: Reference) -> FarProxy:
        """Register a proxy's reference."""
        words = str(Place(channel, proxy=id))
        far = Far(words, reference, kind.proxy, ProxyNotFound, channel)
        made = self._proxies[channel, id] = FarProxy(far, kind)
        return made

    async def proxy(self, channel: int, id: int) -> FarProxy:
        """Return a proxy, searching all admins if needed; raise `ProxyNotFound` if absent."""
        known = self._proxies.get((channel, id))
        if known is not None:
            return known
        for side in Side:
            for admin in await self.admin_ids(channel, side):
                parent = await self.admin(channel, side, admin)
                for operation in LISTS[side]:
                    if id in await self.call(parent, operation):
                        return await self.proxy_of(parent, channel, side, id)
        raise ProxyNotFound(f"there is no {Place(channel, proxy=id)}")

    async def proxy_of(self, parent: Far, channel: int, side: Side, id: int) -> FarProxy:
        """Return an admin's proxy."""
        known = self._proxies.get((channel, id))
        if known is not None:
            return known
        reference = await self.call(parent, _GET_PROXY[side], id)
        base = channel_admin.ProxyConsumer_INTERFACE
        if side is Side.CONSUMER:
            base = channel_admin.ProxySupplier_INTERFACE
        asked = Far(str(Place(channel, proxy=id)), reference, base, ProxyNotFound, channel)
        type_ = await self.call(asked, "_get_MyType")
        kind = kind_of_type(side, type_)
        if kind is None:
            raise InvalidUsage(f"{asked.words} is of the type {type_}, which nobody here can use")
        return self.made_proxy(channel, id, kind, reference)

    def forget_proxy(self, channel: int, id: int) -> None:
        """Forget a proxy."""
        self._proxies.pop((channel, id), None)

    async def place(self, place: Place) -> Far:
        """Return a channel, admin or proxy."""
        if place.proxy is not None:
            return (await self.proxy(place.channel, place.proxy)).far
        if place.side is not None and place.admin is not None:
            return await self.admin(place.channel, place.side, place.admin)
        return await self.channel(place.channel)

    # Filters.

    async def filter_factory(self) -> Far:
        """Return the filter factory; any channel provides it, so one must exist."""
        for id in (*self._channels, *await self.factory("get_all_channels")):
            try:
                channel = await self.channel(id)
                found = await self.call(channel, "_get_default_filter_factory")
            except ChannelNotFound:
                self.forget_channel(id)
                continue
            interface = filters.FilterFactory_INTERFACE
            return Far("factory of filters", found, interface, Unreachable)
        raise InvalidUsage("over CORBA filters come from a channel: make a channel first")

    def filter_id(self, reference: Reference, interface: Interface) -> int:
        """Return a filter's number here; assign one if it is new."""
        known = self._filter_ids.get(reference)
        if known is None:
            known = next(self._filter_numbers)
            self._filter_ids[reference] = known
            self._filters[known] = Far(f"filter {known}", reference, interface, FilterNotFound)
        return known

    def forget_filter(self, id: int) -> None:
        """Forget a filter."""
        found = self._filters.pop(id, None)
        if found is not None:
            del self._filter_ids[found.reference]

    def filter(self, id: int) -> Far:
        """Return a filter or mapping filter by its number here."""
        found = self._filters.get(id)
        if found is None:
            raise FilterNotFound(f"this client knows no filter {id!r:.60}")
        return found
