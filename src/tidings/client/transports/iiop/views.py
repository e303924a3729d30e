"""Views of channels, admins, proxies and filters, as far as CORBA provides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidings.channel.questions import (
    SeeAdmin,
    SeeAdmins,
    SeeChannel,
    SeeChannels,
    SeeFilter,
    SeeProxies,
    SeeProxy,
)
from tidings.channel.views import AdminInfo, ChannelInfo, FilterInfo, MappingInfo, ProxyInfo
from tidings.channel.vocabulary import Operator, Side
from tidings.client.transports.iiop.objects import ADMINS, LISTS, Far, Objects
from tidings.client.transports.iiop.values import UNKNOWN
from tidings.cos.CosNotifyChannelAdmin_auto import InterFilterGroupOperator
from tidings.cos.CosNotifyFilter_auto import Filter_INTERFACE, MappingFilter_INTERFACE
from tidings.cos.mapping import constraints_in, mapped_in, properties_in
from tidings.orb.ior import is_nil


class Views:
    """Answers questions; names and origins are empty, counts of events -1."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    async def answer(self, question: Any) -> Any:  # noqa: ANN401 -- see the question
        """Answer a question that CORBA supports."""
        match question:
            case SeeChannels():
                return await self.channels()
            case SeeChannel(channel):
                return await self.channel(int(channel))
            case SeeAdmins(channel):
                ids = {side: await self._objects.admin_ids(channel, side) for side in Side}
                return [
                    await self.admin(channel, side, id) for side in Side for id in sorted(ids[side])
                ]
            case SeeAdmin(channel, side, id):
                return await self.admin(channel, side, id)
            case SeeProxies(channel):
                return await self.proxies(channel)
            case SeeProxy(channel, proxy):
                return await self.proxy(channel, int(proxy))
            case SeeFilter(filter):
                return await self.filter(filter)
        raise AssertionError(question)

    async def channels(self) -> list[ChannelInfo]:
        """List all channels."""
        return [await self.channel(id) for id in await self._objects.factory("get_all_channels")]

    async def channel(self, id: int) -> ChannelInfo:
        """Return a channel."""
        call, far = self._objects.call, await self._objects.channel(id)
        qos = properties_in(await call(far, "get_qos"))
        properties = properties_in(await call(far, "get_admin"))
        admins = {side: await self._objects.admin_ids(id, side) for side in Side}
        counts = {side: len(await self._proxy_ids(id, side)) for side in Side}
        return ChannelInfo(
            id,
            "",
            "",
            qos,
            properties,
            tuple(sorted(admins[Side.SUPPLIER])),
            tuple(sorted(admins[Side.CONSUMER])),
            counts[Side.SUPPLIER],
            counts[Side.CONSUMER],
            UNKNOWN,
            UNKNOWN,
            UNKNOWN,
            UNKNOWN,
        )

    async def _proxy_ids(self, channel: int, side: Side) -> list[tuple[Far, int]]:
        found: list[tuple[Far, int]] = []
        for id in await self._objects.admin_ids(channel, side):
            admin = await self._objects.admin(channel, side, id)
            found += [(admin, proxy) for proxy in await self._proxies_of(admin, side)]
        return found

    async def _proxies_of(self, admin: Far, side: Side) -> list[int]:
        lists = [await self._objects.call(admin, operation) for operation in LISTS[side]]
        return sorted([proxy for found in lists for proxy in found])

    async def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """Return an admin."""
        far = await self._objects.admin(channel, side, id)
        operator = await self._objects.call(far, "_get_MyOperator")
        joined = Operator.AND if operator is InterFilterGroupOperator.AND_OP else Operator.OR
        return AdminInfo(
            channel,
            side,
            id,
            joined,
            properties_in(await self._objects.call(far, "get_qos")),
            await self._attached(far),
            (),
            tuple(await self._proxies_of(far, side)),
            *await self._mappings(far, side),
        )

    async def proxies(self, channel: int) -> list[ProxyInfo]:
        """List a channel's proxies."""
        for side in Side:
            for admin, id in await self._proxy_ids(channel, side):
                await self._objects.proxy_of(admin, channel, side, id)
        known = [id for side in Side for _, id in await self._proxy_ids(channel, side)]
        return [await self.proxy(channel, id) for id in sorted(known)]

    async def proxy(self, channel: int, id: int) -> ProxyInfo:
        """Return a proxy; `connected` and later fields have default values, as CORBA lacks them."""
        far, kind = await self._objects.proxy(channel, id)
        call = self._objects.call
        qos = properties_in(await call(far, "get_qos"))
        parent = await call(far, "_get_MyAdmin")
        admin = Far("its admin", parent, ADMINS[kind.side], far.missing, channel)
        priority, lifetime = await self._mappings(far, kind.side)
        return ProxyInfo(
            channel,
            id,
            *kind[:3],
            await call(admin, "_get_MyID"),
            "",
            "",
            qos,
            await self._attached(far),
            (),
            True,
            True,
            False,
            UNKNOWN,
            UNKNOWN,
            UNKNOWN,
            UNKNOWN,
            {},
            priority,
            lifetime,
        )

    async def _attached(self, far: Far) -> dict[int, int]:
        found: dict[int, int] = {}
        ids: Sequence[int] = await self._objects.call(far, "get_all_filters")
        for attachment in ids:
            reference = await self._objects.call(far, "get_filter", attachment)
            found[attachment] = self._objects.filter_id(reference, Filter_INTERFACE)
        return found

    async def _mappings(self, far: Far, side: Side) -> tuple[int | None, int | None]:
        if side is Side.SUPPLIER:
            return None, None
        return await self._mapping(far, "priority"), await self._mapping(far, "lifetime")

    async def _mapping(self, far: Far, purpose: str) -> int | None:
        reference = await self._objects.call(far, f"_get_{purpose}_filter")
        if is_nil(reference):
            return None
        return self._objects.filter_id(reference, MappingFilter_INTERFACE)

    async def filter(self, id: int) -> FilterInfo | MappingInfo:
        """Return a filter that this client knows."""
        far, call = self._objects.filter(id), self._objects.call
        if far.interface is Filter_INTERFACE:
            constraints = constraints_in(await call(far, "get_all_constraints"))
            return FilterInfo(id, UNKNOWN, constraints, UNKNOWN, "")
        default = await call(far, "_get_default_value")
        mapped = mapped_in(await call(far, "get_all_mapping_constraints"))
        return MappingInfo(id, UNKNOWN, default, mapped, UNKNOWN, "")
