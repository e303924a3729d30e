"""The proxies that consumers are connected to: six of the Notification Service, two of events."""

from __future__ import annotations

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.events.reference import Reference
from tidings.servants.client_kinds import client_kind
from tidings.servants.proxy_parts import ProxyPart, PullingPart, SupplierProxyPart, SuspendPart
from tidings.servants.pulled import handing_out


class _PushAnyPart(ProxyPart):
    """Pushes anys to consumers."""

    async def disconnect_push_supplier(self) -> None:
        await self._disconnect()


class AnyPushSupplier(
    _PushAnyPart, SuspendPart, SupplierProxyPart, notification.ProxyPushSupplierServant
):
    """CosNotifyChannelAdmin::ProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.ANY)

    async def connect_any_push_consumer(self, push_consumer: Reference) -> None:
        """Connects the consumer, which gets events from now on."""
        await self._connect(push_consumer)


class EventPushSupplier(_PushAnyPart, event_service.ProxyPushSupplierServant):
    """CosEventChannelAdmin::ProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.ANY, bare=True)

    async def connect_push_consumer(self, push_consumer: Reference) -> None:
        """Connects the consumer, which gets events from now on."""
        await self._connect(push_consumer)


class StructuredPushSupplier(
    SuspendPart, SupplierProxyPart, notification.StructuredProxyPushSupplierServant
):
    """CosNotifyChannelAdmin::StructuredProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.STRUCTURED)

    async def connect_structured_push_consumer(self, push_consumer: Reference) -> None:
        """Connects the consumer, which gets events from now on."""
        await self._connect(push_consumer)

    async def disconnect_structured_push_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePushSupplier(
    SuspendPart, SupplierProxyPart, notification.SequenceProxyPushSupplierServant
):
    """CosNotifyChannelAdmin::SequenceProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.SEQUENCE)

    async def connect_sequence_push_consumer(self, push_consumer: Reference) -> None:
        """Connects the consumer, which gets batches from now on."""
        await self._connect(push_consumer)

    async def disconnect_sequence_push_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class _PullAnyPart(PullingPart):
    """Gives anys to consumers that ask."""

    async def disconnect_pull_supplier(self) -> None:
        await self._disconnect()


class AnyPullSupplier(_PullAnyPart, SupplierProxyPart, notification.ProxyPullSupplierServant):
    """CosNotifyChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY)
    INTERFACE = handing_out(notification.ProxyPullSupplier_INTERFACE, Form.ANY)

    async def connect_any_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)


class EventPullSupplier(_PullAnyPart, event_service.ProxyPullSupplierServant):
    """CosEventChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY, bare=True)
    INTERFACE = handing_out(event_service.ProxyPullSupplier_INTERFACE, Form.ANY)

    async def connect_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)


class StructuredPullSupplier(
    PullingPart, SupplierProxyPart, notification.StructuredProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::StructuredProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.STRUCTURED)
    INTERFACE = handing_out(notification.StructuredProxyPullSupplier_INTERFACE, Form.STRUCTURED)

    async def connect_structured_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)

    async def disconnect_structured_pull_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePullSupplier(
    PullingPart, SupplierProxyPart, notification.SequenceProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::SequenceProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.SEQUENCE)
    INTERFACE = handing_out(notification.SequenceProxyPullSupplier_INTERFACE, Form.SEQUENCE)

    async def connect_sequence_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)

    async def disconnect_sequence_pull_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()
