"""The proxies that suppliers are connected to: six of the Notification Service, two of events."""

from __future__ import annotations

from collections.abc import Callable

from tidings.channel.commands import Push
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.events import ReadBatch, ReadEvent, read_bare, read_batch, read_event
from tidings.engine.turns import Turns
from tidings.errors import LimitExceeded, TidingsError
from tidings.events.reference import Reference
from tidings.orb.aio.later import Later
from tidings.orb.cdr_reader import Reader
from tidings.orb.stubs import Interface
from tidings.servants.client_kinds import client_kind
from tidings.servants.faults import partly
from tidings.servants.proxy_parts import ConsumerProxyPart, ProxyPart, SuspendPart


def _reading(interface: Interface, pushing: str, read: Callable[[Reader], object]) -> Interface:
    """An interface whose events are read as Tidings keeps them, and handed to the method `take`."""
    push = interface.operations[pushing].replace(
        method="take", read_arguments=lambda reader: (read(reader),)
    )
    operations = {**interface.operations, pushing: push}
    return Interface(interface.id, interface.name, interface.bases, operations)


class _TakingPart(ProxyPart):
    """Takes events one by one, whatever they were on the wire."""

    def take(self, came: ReadEvent) -> Later[int]:
        """Takes a pushed event; the result is there when it is accepted."""
        channel, proxy = self.key.ids
        hops = self.service.clients.loops.passed(channel, proxy)
        if hops is None:
            dropped: Later[int] = Later()
            dropped.set_result(0)
            return dropped
        self.service.clients.events.came(came, self.CLIENT.form)
        return self.door.push(channel, proxy, came.event, hops)


class _PushAnyPart(_TakingPart):
    """Takes anys."""

    async def disconnect_push_consumer(self) -> None:
        await self._disconnect()


class AnyPushConsumer(_PushAnyPart, ConsumerProxyPart, notification.ProxyPushConsumerServant):
    """CosNotifyChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY)
    INTERFACE = _reading(notification.ProxyPushConsumer_INTERFACE, "push", read_bare)

    async def connect_any_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)


class EventPushConsumer(_PushAnyPart, event_service.ProxyPushConsumerServant):
    """CosEventChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY, bare=True)
    INTERFACE = _reading(event_service.ProxyPushConsumer_INTERFACE, "push", read_bare)

    async def connect_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)


class StructuredPushConsumer(
    _TakingPart, ConsumerProxyPart, notification.StructuredProxyPushConsumerServant
):
    """CosNotifyChannelAdmin::StructuredProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    INTERFACE = _reading(
        notification.StructuredProxyPushConsumer_INTERFACE,
        "push_structured_event",
        read_event,
    )

    async def connect_structured_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)

    async def disconnect_structured_push_consumer(self) -> None:
        """Ends the proxy."""
        await self._disconnect()


class SequencePushConsumer(ConsumerProxyPart, notification.SequenceProxyPushConsumerServant):
    """CosNotifyChannelAdmin::SequenceProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.SEQUENCE)
    INTERFACE = _reading(
        notification.SequenceProxyPushConsumer_INTERFACE,
        "push_structured_events",
        read_batch,
    )

    async def connect_sequence_push_supplier(self, push_supplier: Reference) -> None:
        """Connects the supplier, which may be nil."""
        await self._connect(push_supplier)

    async def take(self, came: ReadBatch) -> None:
        """Takes a pushed batch; returns when all of it is accepted.

        Raises:
            LimitExceeded: They are too many; none has been read then.
            TidingsError: Of the first event that cannot be accepted; then none was, unless its
                completion is MAYBE.
        """
        channel, proxy = self.key.ids
        hops = self.service.clients.loops.passed(channel, proxy)
        if hops is None:
            return
        most = self.service.host.settings.limits.batch_events
        if came.count > most:
            raise LimitExceeded(f"{came.count} events are more than the {most} of one batch")
        async with self.service.clients.reading(self.key.ids):  # nothing overtakes a long batch
            events, turns = [], Turns()
            for one in came:
                self.service.clients.events.came(one, Form.SEQUENCE)
                events.append(one.event)
                await turns.give()
            push = Push(channel, proxy, events, hops=hops, whole=events)
            asked = self.door.ask(push, self.key.ids)
        answers = await asked
        faults = [answer for answer in answers if isinstance(answer, TidingsError)]
        if faults:  # the disk failed after the batch was found good
            raise faults[0] if len(faults) == len(answers) else partly(faults[0])

    async def disconnect_sequence_push_consumer(self) -> None:
        """Ends the proxy, behind the batches that have come."""
        async with self.service.clients.reading(self.key.ids):
            pass
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
