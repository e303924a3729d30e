"""The proxies that suppliers are connected to: six of the Notification Service, two of events."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.commands import Push
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.CosNotification_auto import StructuredEvent
from tidings.cos.events import any_in, event_in, events_in
from tidings.errors import TidingsError
from tidings.events.boxes import Value
from tidings.events.reference import Reference
from tidings.servants.client_kinds import client_kind
from tidings.servants.proxy_parts import ConsumerProxyPart, ProxyPart, SuspendPart

__all__ = [
    "AnyPullConsumer",
    "AnyPushConsumer",
    "EventPullConsumer",
    "EventPushConsumer",
    "SequencePullConsumer",
    "SequencePushConsumer",
    "StructuredPullConsumer",
    "StructuredPushConsumer",
]


class _PushAnyPart(ProxyPart):
    """Takes anys; a push returns when the event is accepted."""

    async def push(self, data: Value) -> None:
        channel, proxy = self.key.ids
        await self.door.push(channel, proxy, any_in(data))

    async def disconnect_push_consumer(self) -> None:
        await self._disconnect()


class AnyPushConsumer(_PushAnyPart, ConsumerProxyPart, notification.ProxyPushConsumerServant):
    """CosNotifyChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY)

    async def connect_any_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)


class EventPushConsumer(_PushAnyPart, event_service.ProxyPushConsumerServant):
    """CosEventChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY, bare=True)

    async def connect_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)


class StructuredPushConsumer(ConsumerProxyPart, notification.StructuredProxyPushConsumerServant):
    """CosNotifyChannelAdmin::StructuredProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)

    async def connect_structured_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)

    async def push_structured_event(self, notification: StructuredEvent) -> None:
        """Takes an event; returns when it is accepted."""
        channel, proxy = self.key.ids
        await self.door.push(channel, proxy, event_in(notification))

    async def disconnect_structured_push_consumer(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePushConsumer(ConsumerProxyPart, notification.SequenceProxyPushConsumerServant):
    """CosNotifyChannelAdmin::SequenceProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.SEQUENCE)

    async def connect_sequence_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)

    async def push_structured_events(self, notifications: Sequence[StructuredEvent]) -> None:
        """Takes a batch; returns when all of it is accepted.

        Raises:
            TidingsError: Of the first event that was not; others may have been.
        """
        channel, proxy = self.key.ids
        events = events_in(notifications)
        for answer in await self.door.ask(Push(channel, proxy, events)):
            if isinstance(answer, TidingsError):
                raise answer

    async def disconnect_sequence_push_consumer(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class _PullAnyPart(ProxyPart):
    """Asks suppliers for anys."""

    async def disconnect_pull_consumer(self) -> None:
        await self._disconnect()


class AnyPullConsumer(
    _PullAnyPart, SuspendPart, ConsumerProxyPart, notification.ProxyPullConsumerServant
):
    """CosNotifyChannelAdmin::ProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.ANY)

    async def connect_any_pull_supplier(self, pull_supplier: Reference) -> None:
        """Connects the supplier, which is asked for events from now on."""
        await self._connect(pull_supplier)


class EventPullConsumer(_PullAnyPart, event_service.ProxyPullConsumerServant):
    """CosEventChannelAdmin::ProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.ANY, bare=True)

    async def connect_pull_supplier(self, pull_supplier: Reference) -> None:
        """Connects the supplier, which is asked for events from now on."""
        await self._connect(pull_supplier)


class StructuredPullConsumer(
    SuspendPart, ConsumerProxyPart, notification.StructuredProxyPullConsumerServant
):
    """CosNotifyChannelAdmin::StructuredProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.STRUCTURED)

    async def connect_structured_pull_supplier(self, pull_supplier: Reference) -> None:
        """Connects the supplier, which is asked for events from now on."""
        await self._connect(pull_supplier)

    async def disconnect_structured_pull_consumer(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePullConsumer(
    SuspendPart, ConsumerProxyPart, notification.SequenceProxyPullConsumerServant
):
    """CosNotifyChannelAdmin::SequenceProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.SEQUENCE)

    async def connect_sequence_pull_supplier(self, pull_supplier: Reference) -> None:
        """Connects the supplier, which is asked for events from now on."""
        await self._connect(pull_supplier)

    async def disconnect_sequence_pull_consumer(self) -> None:
        """Ends the proxy."""
        await self._disconnect()
