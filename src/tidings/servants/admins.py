"""Admins: where clients obtain proxies."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.management import ObtainProxy
from tidings.channel.views import AdminInfo
from tidings.channel.vocabulary import Form, Style
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ClientType,
    ConsumerAdminServant,
    EventChannel_INTERFACE,
    InterFilterGroupOperator,
    SupplierAdminServant,
)
from tidings.errors import ProxyNotFound
from tidings.events.reference import Reference
from tidings.servants.parts import SIDES, FilterPart, MappingPart, QosPart
from tidings.servants.proxy_kinds import form_of, proxy_interface


class AdminPart(QosPart, FilterPart):
    """Operations shared by the admins of both sides."""

    async def get_MyID(self) -> int:
        """Return the admin's id, unique on its side of the channel."""
        return self._info().id

    async def get_MyChannel(self) -> Reference:
        """Return the channel."""
        return self.reference("channel", (self.place.channel,), EventChannel_INTERFACE)

    async def get_MyOperator(self) -> InterFilterGroupOperator:
        """Return how the admin's filters combine with those of its proxies."""
        return InterFilterGroupOperator(self._info().operator.value)

    def _info(self) -> AdminInfo:
        info = self.view()
        assert isinstance(info, AdminInfo)
        return info

    async def _obtain(self, style: Style, form: Form, *, bare: bool) -> tuple[Reference, int]:
        """Create a proxy; return its reference and id."""
        channel, number, admin = self.key.ids
        side = SIDES[number]
        command = ObtainProxy(channel, side, style, form, admin, bare=bare)
        made: int = await self.door.ask(command)
        interface = proxy_interface(side, style, form, bare=bare)
        return self.reference("proxy", (channel, made), interface), made

    async def _obtain_bare(self, style: Style) -> Reference:
        reference, _ = await self._obtain(style, Form.ANY, bare=True)
        return reference

    def _proxy(self, id: int) -> Reference:
        if id not in self._info().proxies:
            raise ProxyNotFound(f"the {self.place} has no proxy {id}")
        info = self.door.views.proxy(self.place.channel, id)
        interface = proxy_interface(info.side, info.style, info.form)
        return self.reference("proxy", (info.channel, id), interface)

    def _proxies(self, style: Style) -> Sequence[int]:
        proxy, channel = self.door.views.proxy, self.place.channel
        return tuple(id for id in self._info().proxies if proxy(channel, id).style is style)


class ConsumerAdminObject(AdminPart, MappingPart, ConsumerAdminServant):
    """CosNotifyChannelAdmin::ConsumerAdmin."""

    async def get_pull_suppliers(self) -> Sequence[int]:
        """Return the ids of proxies for pull consumers."""
        return self._proxies(Style.PULL)

    async def get_push_suppliers(self) -> Sequence[int]:
        """Return the ids of proxies for push consumers."""
        return self._proxies(Style.PUSH)

    async def get_proxy_supplier(self, proxy_id: int) -> Reference:
        """Return a proxy by id."""
        return self._proxy(proxy_id)

    async def obtain_notification_pull_supplier(self, ctype: ClientType) -> tuple[Reference, int]:
        """Create a proxy for a pull consumer; return its reference and id."""
        return await self._obtain(Style.PULL, form_of(ctype), bare=False)

    async def obtain_notification_push_supplier(self, ctype: ClientType) -> tuple[Reference, int]:
        """Create a proxy for a push consumer; return its reference and id."""
        return await self._obtain(Style.PUSH, form_of(ctype), bare=False)

    async def obtain_pull_supplier(self) -> Reference:
        """Create a proxy for an Event Service pull consumer."""
        return await self._obtain_bare(Style.PULL)

    async def obtain_push_supplier(self) -> Reference:
        """Create a proxy for an Event Service push consumer."""
        return await self._obtain_bare(Style.PUSH)


class SupplierAdminObject(AdminPart, SupplierAdminServant):
    """CosNotifyChannelAdmin::SupplierAdmin."""

    async def get_pull_consumers(self) -> Sequence[int]:
        """Return the ids of proxies for pull suppliers."""
        return self._proxies(Style.PULL)

    async def get_push_consumers(self) -> Sequence[int]:
        """Return the ids of proxies for push suppliers."""
        return self._proxies(Style.PUSH)

    async def get_proxy_consumer(self, proxy_id: int) -> Reference:
        """Return a proxy by id."""
        return self._proxy(proxy_id)

    async def obtain_notification_pull_consumer(self, ctype: ClientType) -> tuple[Reference, int]:
        """Create a proxy for a pull supplier; return its reference and id."""
        return await self._obtain(Style.PULL, form_of(ctype), bare=False)

    async def obtain_notification_push_consumer(self, ctype: ClientType) -> tuple[Reference, int]:
        """Create a proxy for a push supplier; return its reference and id."""
        return await self._obtain(Style.PUSH, form_of(ctype), bare=False)

    async def obtain_pull_consumer(self) -> Reference:
        """Create a proxy for an Event Service pull supplier."""
        return await self._obtain_bare(Style.PULL)

    async def obtain_push_consumer(self) -> Reference:
        """Create a proxy for an Event Service push supplier."""
        return await self._obtain_bare(Style.PUSH)
