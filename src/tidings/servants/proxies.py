"""Servants of proxies: twelve kinds of the Notification Service, four of the Event Service."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tidings.channel.commands import Push
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.events import ReadBatch, ReadEvent, read_bare, read_batch, read_event
from tidings.engine.turns import Turns
from tidings.errors import LimitExceeded, TidingsError
from tidings.orb.aio.later import Later
from tidings.orb.cdr_reader import Reader
from tidings.orb.stubs import Interface, Servant
from tidings.servants.client_kinds import client_kind
from tidings.servants.clients import kind_of
from tidings.servants.faults import partly
from tidings.servants.proxy_parts import (
    ProxyPart,
    PullingPart,
    StandardPart,
    SupplierProxyPart,
    SuspendPart,
)
from tidings.servants.pulled import handing_out

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

# Proxies for suppliers: they act as consumers.


def _reading(interface: Interface, pushing: str, read: Callable[[Reader], object]) -> Interface:
    """Return the interface with pushed events decoded and passed to the method `take`."""
    push = interface.operations[pushing].replace(
        method="take", read_arguments=lambda reader: (read(reader),)
    )
    operations = {**interface.operations, pushing: push}
    return Interface(interface.id, interface.name, interface.bases, operations)


class _TakingPart(ProxyPart):
    """The part that accepts single events of any form."""

    def take(self, came: ReadEvent) -> Later[int]:
        """Accept a pushed event; the result is set once the channel has accepted it."""
        channel, proxy = self.key.ids
        hops = self.service.clients.loops.passed(channel, proxy)
        if hops is None:
            dropped: Later[int] = Later()
            dropped.set_result(0)
            return dropped
        self.service.clients.events.came(came, self.CLIENT.form)
        return self.door.push(channel, proxy, came.event, hops)


class AnyPushConsumer(_TakingPart, StandardPart, notification.ProxyPushConsumerServant):
    """CosNotifyChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY)
    INTERFACE = _reading(notification.ProxyPushConsumer_INTERFACE, "push", read_bare)


class EventPushConsumer(_TakingPart, event_service.ProxyPushConsumerServant):
    """CosEventChannelAdmin::ProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.ANY, bare=True)
    INTERFACE = _reading(event_service.ProxyPushConsumer_INTERFACE, "push", read_bare)


class StructuredPushConsumer(
    _TakingPart, StandardPart, notification.StructuredProxyPushConsumerServant
):
    """CosNotifyChannelAdmin::StructuredProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    INTERFACE = _reading(
        notification.StructuredProxyPushConsumer_INTERFACE,
        "push_structured_event",
        read_event,
    )


class SequencePushConsumer(StandardPart, notification.SequenceProxyPushConsumerServant):
    """CosNotifyChannelAdmin::SequenceProxyPushConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PUSH, Form.SEQUENCE)
    INTERFACE = _reading(
        notification.SequenceProxyPushConsumer_INTERFACE,
        "push_structured_events",
        read_batch,
    )

    async def take(self, came: ReadBatch) -> None:
        """Accept a pushed batch; return once all of it is accepted.

        Raises:
            LimitExceeded: The batch is too large; none of it has been read.
            TidingsError: The first event's error; no event was accepted unless completion is MAYBE.
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
        if faults:  # the disk failed after validation
            raise faults[0] if len(faults) == len(answers) else partly(faults[0])

    async def disconnect_sequence_push_consumer(self) -> None:
        """Delete the proxy after the batches that have arrived."""
        async with self.service.clients.reading(self.key.ids):
            pass
        channel, proxy = self.key.ids
        await self.door.ask(Disconnect(channel, proxy))


class AnyPullConsumer(SuspendPart, StandardPart, notification.ProxyPullConsumerServant):
    """CosNotifyChannelAdmin::ProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.ANY)


class EventPullConsumer(ProxyPart, event_service.ProxyPullConsumerServant):
    """CosEventChannelAdmin::ProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.ANY, bare=True)


class StructuredPullConsumer(
    SuspendPart, StandardPart, notification.StructuredProxyPullConsumerServant
):
    """CosNotifyChannelAdmin::StructuredProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.STRUCTURED)


class SequencePullConsumer(
    SuspendPart, StandardPart, notification.SequenceProxyPullConsumerServant
):
    """CosNotifyChannelAdmin::SequenceProxyPullConsumer."""

    CLIENT = client_kind(Side.SUPPLIER, Style.PULL, Form.SEQUENCE)


# Proxies for consumers: they act as suppliers.


class AnyPushSupplier(SuspendPart, SupplierProxyPart, notification.ProxyPushSupplierServant):
    """CosNotifyChannelAdmin::ProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.ANY)


class EventPushSupplier(ProxyPart, event_service.ProxyPushSupplierServant):
    """CosEventChannelAdmin::ProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.ANY, bare=True)


class StructuredPushSupplier(
    SuspendPart, SupplierProxyPart, notification.StructuredProxyPushSupplierServant
):
    """CosNotifyChannelAdmin::StructuredProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.STRUCTURED)


class SequencePushSupplier(
    SuspendPart, SupplierProxyPart, notification.SequenceProxyPushSupplierServant
):
    """CosNotifyChannelAdmin::SequenceProxyPushSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PUSH, Form.SEQUENCE)


class AnyPullSupplier(PullingPart, SupplierProxyPart, notification.ProxyPullSupplierServant):
    """CosNotifyChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY)
    INTERFACE = handing_out(notification.ProxyPullSupplier_INTERFACE, Form.ANY)


class EventPullSupplier(PullingPart, event_service.ProxyPullSupplierServant):
    """CosEventChannelAdmin::ProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.ANY, bare=True)
    INTERFACE = handing_out(event_service.ProxyPullSupplier_INTERFACE, Form.ANY)


class StructuredPullSupplier(
    PullingPart, SupplierProxyPart, notification.StructuredProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::StructuredProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.STRUCTURED)
    INTERFACE = handing_out(notification.StructuredProxyPullSupplier_INTERFACE, Form.STRUCTURED)


class SequencePullSupplier(
    PullingPart, SupplierProxyPart, notification.SequenceProxyPullSupplierServant
):
    """CosNotifyChannelAdmin::SequenceProxyPullSupplier."""

    CLIENT = client_kind(Side.CONSUMER, Style.PULL, Form.SEQUENCE)
    INTERFACE = handing_out(notification.SequenceProxyPullSupplier_INTERFACE, Form.SEQUENCE)


_SERVANTS: Final[tuple[type[ProxyPart], ...]] = (
    AnyPushConsumer,
    AnyPullConsumer,
    StructuredPushConsumer,
    StructuredPullConsumer,
    SequencePushConsumer,
    SequencePullConsumer,
    EventPushConsumer,
    EventPullConsumer,
    AnyPushSupplier,
    AnyPullSupplier,
    StructuredPushSupplier,
    StructuredPullSupplier,
    SequencePushSupplier,
    SequencePullSupplier,
    EventPushSupplier,
    EventPullSupplier,
)
# By the client's interface, which identifies the kind of proxy.
_BY_CLIENT: Final = {servant.CLIENT.interface.id: servant for servant in _SERVANTS}


def make_proxy(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    """Return the servant of a proxy, or None if there is no such proxy."""
    channel, id = key.ids
    found = service.host.channels.get(channel)
    proxy = None if found is None else found.proxies.get(id)
    if proxy is None:
        return None
    made = _BY_CLIENT[kind_of(proxy).interface.id](service, door, key)
    assert isinstance(made, Servant)
    return made
