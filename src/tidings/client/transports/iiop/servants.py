"""Servants for the twelve kinds of clients that the service calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.transports.iiop.kinds import Kind
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosNotification_auto import EventType, StructuredEvent
from tidings.cos.events import NO_EVENT
from tidings.events.anyvalue import Value
from tidings.orb.stubs import Servant


class Called(Protocol):
    """The line behind a servant."""

    async def take(self, value: object) -> None:
        """Receive an any, a structured event, or a sequence of structured events."""
        ...

    async def give(self, most: int) -> Sequence[object]:
        """Return up to `most` events in their wire form."""
        ...

    def changed(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """Handle a change in the event types offered or wanted."""
        ...

    def ended(self) -> None:
        """Handle the end of the proxy."""
        ...


class _Client:
    """The part common to all kinds."""

    def __init__(self, line: Called) -> None:
        self._line = line

    async def _changed(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        self._line.changed(added, removed)

    async def _ended(self) -> None:
        self._line.ended()


class _Consumer(_Client):
    offer_change = _Client._changed


class _Supplier(_Client):
    subscription_change = _Client._changed


class _AnyPushConsumer(_Consumer, comm.PushConsumerServant):
    disconnect_push_consumer = _Client._ended

    async def push(self, data: Value) -> None:
        await self._line.take(data)


class _StructuredPushConsumer(_Consumer, comm.StructuredPushConsumerServant):
    disconnect_structured_push_consumer = _Client._ended

    async def push_structured_event(self, notification: StructuredEvent) -> None:
        await self._line.take(notification)


class _SequencePushConsumer(_Consumer, comm.SequencePushConsumerServant):
    disconnect_sequence_push_consumer = _Client._ended

    async def push_structured_events(self, notifications: Sequence[StructuredEvent]) -> None:
        await self._line.take(notifications)


class _AnyPullConsumer(_Consumer, comm.PullConsumerServant):
    disconnect_pull_consumer = _Client._ended


class _StructuredPullConsumer(_Consumer, comm.StructuredPullConsumerServant):
    disconnect_structured_pull_consumer = _Client._ended


class _SequencePullConsumer(_Consumer, comm.SequencePullConsumerServant):
    disconnect_sequence_pull_consumer = _Client._ended


class _AnyPushSupplier(_Supplier, comm.PushSupplierServant):
    disconnect_push_supplier = _Client._ended


class _StructuredPushSupplier(_Supplier, comm.StructuredPushSupplierServant):
    disconnect_structured_push_supplier = _Client._ended


class _SequencePushSupplier(_Supplier, comm.SequencePushSupplierServant):
    disconnect_sequence_push_supplier = _Client._ended


class _AnyPullSupplier(_Supplier, comm.PullSupplierServant):
    disconnect_pull_supplier = _Client._ended

    async def try_pull(self) -> tuple[Value, bool]:
        found = await self._line.give(1)
        return (found[0], True) if found else (None, False)  # type: ignore[return-value]


class _StructuredPullSupplier(_Supplier, comm.StructuredPullSupplierServant):
    disconnect_structured_pull_supplier = _Client._ended

    async def try_pull_structured_event(self) -> tuple[StructuredEvent, bool]:
        found = await self._line.give(1)
        return (found[0], True) if found else (NO_EVENT, False)  # type: ignore[return-value]


class _SequencePullSupplier(_Supplier, comm.SequencePullSupplierServant):
    disconnect_sequence_pull_supplier = _Client._ended

    async def try_pull_structured_events(
        self, max_number: int
    ) -> tuple[Sequence[StructuredEvent], bool]:
        found = await self._line.give(max_number)
        return tuple(found), bool(found)  # type: ignore[arg-type]


_SERVANTS: Final[dict[Kind, type[_Client]]] = {
    Kind(Side.CONSUMER, Style.PUSH, Form.ANY): _AnyPushConsumer,
    Kind(Side.CONSUMER, Style.PUSH, Form.STRUCTURED): _StructuredPushConsumer,
    Kind(Side.CONSUMER, Style.PUSH, Form.SEQUENCE): _SequencePushConsumer,
    Kind(Side.CONSUMER, Style.PULL, Form.ANY): _AnyPullConsumer,
    Kind(Side.CONSUMER, Style.PULL, Form.STRUCTURED): _StructuredPullConsumer,
    Kind(Side.CONSUMER, Style.PULL, Form.SEQUENCE): _SequencePullConsumer,
    Kind(Side.SUPPLIER, Style.PUSH, Form.ANY): _AnyPushSupplier,
    Kind(Side.SUPPLIER, Style.PUSH, Form.STRUCTURED): _StructuredPushSupplier,
    Kind(Side.SUPPLIER, Style.PUSH, Form.SEQUENCE): _SequencePushSupplier,
    Kind(Side.SUPPLIER, Style.PULL, Form.ANY): _AnyPullSupplier,
    Kind(Side.SUPPLIER, Style.PULL, Form.STRUCTURED): _StructuredPullSupplier,
    Kind(Side.SUPPLIER, Style.PULL, Form.SEQUENCE): _SequencePullSupplier,
}


def servant_for(kind: Kind, line: Called) -> Servant:
    """Create the servant for a kind of proxy."""
    made = _SERVANTS[kind](line)
    assert isinstance(made, Servant)
    return made
