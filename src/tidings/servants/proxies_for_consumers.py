"""The proxies that consumers are connected to: six of the Notification Service, two of events."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.CosNotification_auto import StructuredEvent
from tidings.cos.events import NO_EVENT, any_out, event_out, events_out
from tidings.events.boxes import Value
from tidings.events.reference import Reference
from tidings.servants.client_kinds import client_kind
from tidings.servants.proxy_parts import ProxyPart, PullingPart, SupplierProxyPart, SuspendPart

__all__ = [
    "AnyPullSupplier",
    "AnyPushSupplier",
    "EventPullSupplier",
    "EventPushSupplier",
    "SequencePullSupplier",
    "SequencePushSupplier",
    "StructuredPullSupplier",
    "StructuredPushSupplier",
]


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

    async def pull(self) -> Value:
        """The next event; waits for it."""
        (message,) = await self._pull(1, wait=True)
        return any_out(message.event)

    async def try_pull(self) -> tuple[Value, bool]:
        """The next event, if there is one now, and whether there is."""
        found = await self._pull(1, wait=False)
        return (any_out(found[0].event), True) if found else (None, False)

    async def disconnect_pull_supplier(self) -> None:
        await self._disconnect()


class AnyPullSupplier(_PullAnyPart, SupplierProxyPart, notification.ProxyPullSupplierServant):
    """CosNotifyChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY)

    async def connect_any_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)


class EventPullSupplier(_PullAnyPart, event_service.ProxyPullSupplierServant):
    """CosEventChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY, bare=True)

    async def connect_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)


class StructuredPullSupplier(
    PullingPart, SupplierProxyPart, notification.StructuredProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::StructuredProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.STRUCTURED)

    async def connect_structured_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)

    async def pull_structured_event(self) -> StructuredEvent:
        """The next event; waits for it."""
        (message,) = await self._pull(1, wait=True)
        return event_out(message.event)

    async def try_pull_structured_event(self) -> tuple[StructuredEvent, bool]:
        """The next event, if there is one now, and whether there is."""
        found = await self._pull(1, wait=False)
        return (event_out(found[0].event), True) if found else (NO_EVENT, False)

    async def disconnect_structured_pull_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePullSupplier(
    PullingPart, SupplierProxyPart, notification.SequenceProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::SequenceProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.SEQUENCE)

    async def connect_sequence_pull_consumer(self, pull_consumer: Reference) -> None:
        """Connects the consumer, which may be nil; events wait for it from now on."""
        await self._connect(pull_consumer)

    async def pull_structured_events(self, max_number: int) -> Sequence[StructuredEvent]:
        """The next events, at least one and at most so many; waits for them."""
        found = await self._pull(max_number, wait=True)
        return events_out(message.event for message in found)

    async def try_pull_structured_events(
        self, max_number: int
    ) -> tuple[Sequence[StructuredEvent], bool]:
        """The events there are now, at most so many, and whether there are any."""
        found = await self._pull(max_number, wait=False)
        return events_out(message.event for message in found), bool(found)

    async def disconnect_sequence_pull_supplier(self) -> None:
        """Ends the proxy."""
        await self._disconnect()
