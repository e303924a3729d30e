"""Servants of proxies: twelve kinds of the Notification Service, four of the Event Service.

Pulled events are acknowledged when the answer is written, not before. An event that cannot be
encoded for a consumer becomes a dead letter without affecting others; events that exceed one
message wait for the next pull.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from tidings.channel.commands import Ack, Failed, Push, Reject
from tidings.channel.effects import Message
from tidings.channel.management import Disconnect, Resume
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.events import (
    MOST_OCTETS,
    NO_EVENT,
    ReadBatch,
    ReadEvent,
    read_bare,
    read_batch,
    read_event,
)
from tidings.cos.kinds import KINDS, SUFFIXES, Kind, WriteEvent
from tidings.engine.turns import Turns
from tidings.errors import LimitExceeded, TidingsError
from tidings.events.reference import Reference
from tidings.orb.aio.later import Later
from tidings.orb.exceptions import SystemException
from tidings.orb.stubs import Interface, Servant
from tidings.servants.objects import FilterPart, MappingPart, PlacedServant, QosPart
from tidings.servants.operations import partly

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.orb.cdr_reader import Reader
    from tidings.orb.cdr_writer import Writer
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

# Pulled events count as delivered only once their answer is written. The lease covers that time.
LEASE: Final = 30_000_000
"""Microseconds."""
MOST_PULLED: Final = 10_000
"""More events in one answer would delay other clients."""


class ProxyPart(PlacedServant):
    """A proxy; all there is to an Event Service proxy. `KIND` says whom it serves."""

    KIND: ClassVar[Kind]

    async def connect_client(self, client: Reference) -> None:
        """Connect the client, which may be nil if it is not called."""
        channel, proxy = self.key.ids
        await self.service.clients.connect(self.door, channel, proxy, self.KIND, client)


class StandardPart(ProxyPart, QosPart, FilterPart):
    """A proxy of the Notification Service; all there is to one for suppliers."""

    async def get_MyType(self) -> notification.ProxyType:
        """Return the proxy's style and form."""
        return self.KIND.type

    async def get_MyAdmin(self) -> Reference:
        """Return the admin it was obtained from."""
        channel, proxy = self.key.ids
        return self.admin_reference(self.KIND.side, self.door.views.proxy(channel, proxy).admin)


class SupplierProxyPart(StandardPart, MappingPart):
    """A proxy that acts as a supplier: CosNotifyChannelAdmin::ProxySupplier."""


class SuspendPart(ProxyPart):
    """Proxies that call their clients and can be suspended."""

    async def resume_connection(self) -> None:
        """Resume with the waiting events."""
        channel, proxy = self.key.ids
        await self.door.ask(Resume(channel, proxy))
        reached = self.service.clients.reached(channel, proxy)
        if reached is not None:
            reached.go_on()


# ---------------------------------------------------------------- pushed events


class TakingPart(ProxyPart):
    """Proxies that accept single events of any form."""

    def take(self, came: ReadEvent) -> Later[int]:
        """Accept a pushed event; the result is set once the channel has accepted it."""
        channel, proxy = self.key.ids
        hops = self.service.clients.loops.passed(channel, proxy)
        if hops is None:
            dropped: Later[int] = Later()
            dropped.set_result(0)
            return dropped
        self.service.clients.events.came(came, self.KIND.form)
        return self.door.push(channel, proxy, came.event, hops)


class BatchTakingPart(ProxyPart):
    """Proxies that accept batches of events."""

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


_READ: Final[dict[Form, Callable[[Reader], object]]] = {
    Form.ANY: read_bare,
    Form.STRUCTURED: read_event,
    Form.SEQUENCE: read_batch,
}


def _taking(kind: Kind) -> Interface:
    """Return the proxy's interface with pushed events decoded and passed to the method `take`."""
    name, read = f"push{SUFFIXES[kind.form]}", _READ[kind.form]
    push = kind.proxy.operations[name].replace(
        method="take", read_arguments=lambda reader: (read(reader),)
    )
    return kind.proxy.with_operations({name: push})


# ---------------------------------------------------------------- pulled events


class Pulled(NamedTuple):
    """The answer to a pull, and where to acknowledge its events."""

    door: GatheringDoor | Host
    channel: int
    proxy: int
    messages: Sequence[Message]

    def taken(self, messages: Sequence[Message]) -> None:
        """Acknowledge the events that are in the answer."""
        if messages:
            self.door.tell(Ack(self.channel, self.proxy, [one.seq for one in messages]))

    def refused(self, message: Message, error: SystemException) -> None:
        """Reject an event that can never be in an answer to this consumer."""
        self.door.tell(Reject(self.channel, self.proxy, [message.seq], str(error)))

    def left(self, messages: Sequence[Message]) -> None:
        """Return events that are for the next answer."""
        seqs = [one.seq for one in messages]
        self.door.tell(Failed(self.channel, self.proxy, seqs, "no room in the answer"))


class PullingPart(ProxyPart):
    """Proxies for pulling, through the methods that `_handing_out` names."""

    async def hand_out(self, most: int = 1) -> Pulled:
        """Wait for events; return between 1 and `most`."""
        return await self._pull(most, wait=True)

    async def hand_out_now(self, most: int = 1) -> Pulled:
        """Return the available events, at most `most`."""
        return await self._pull(most, wait=False)

    async def _pull(self, most: int, *, wait: bool) -> Pulled:
        channel, proxy = self.key.ids
        most = min(most, MOST_PULLED)
        patience = None if wait else 0
        found = await self.door.pull(channel, proxy, most, patience, LEASE)
        while wait and not found.messages:  # the waiting events could not be read from disk
            found = await self.door.pull(channel, proxy, most, patience, LEASE)
        return Pulled(self.door, channel, proxy, found.messages)


# The standard's answer when there is no event.
_NOTHING: Final[dict[Form, tuple[object, bool]]] = {
    Form.ANY: (None, False),
    Form.STRUCTURED: (NO_EVENT, False),
    Form.SEQUENCE: ((), False),
}


def _handing_out(kind: Kind) -> Interface:
    """Return the proxy's interface with pulls as the methods `hand_out` and `hand_out_now`."""
    form = kind.form
    waits = f"pull{SUFFIXES[form]}"
    asks = f"try_{waits}"
    pull, try_pull = kind.proxy.operations[waits], kind.proxy.operations[asks]

    def write(writer: Writer, pulled: Pulled) -> None:
        (write_batch if form is Form.SEQUENCE else write_one)(writer, pulled, kind.write)

    def write_now(writer: Writer, pulled: Pulled) -> None:
        if not pulled.messages:
            try_pull.write_result(writer, _NOTHING[form])
        else:
            write(writer, pulled)
            writer.boolean(True)

    return kind.proxy.with_operations(
        {
            waits: pull.replace(method="hand_out", write_result=write),
            asks: try_pull.replace(method="hand_out_now", write_result=write_now),
        }
    )


def write_one(writer: Writer, pulled: Pulled, write: WriteEvent) -> None:
    """Write the event; it is acknowledged, or rejected if it cannot be written."""
    (message,) = pulled.messages
    try:
        write(writer, message.event)
    except SystemException as error:
        pulled.refused(message, error)
        raise
    pulled.taken(pulled.messages)


def write_batch(writer: Writer, pulled: Pulled, write: WriteEvent) -> None:
    """Write as many of the events as can be encoded and fit; raise if none can."""
    writer.length(0)  # overwritten at the end
    start = writer.at
    taken: list[Message] = []
    fault: SystemException | None = None
    for index, message in enumerate(pulled.messages):
        at, origin, depth = writer.at, writer.origin, writer.depth
        try:
            write(writer, message.event)
        except SystemException as error:
            del writer.buffer[at:]
            writer.origin, writer.depth = origin, depth
            pulled.refused(message, error)
            fault = fault or error
            continue
        if writer.at > MOST_OCTETS and taken:
            del writer.buffer[at:]
            pulled.left(pulled.messages[index:])
            break
        taken.append(message)
    if fault is not None and not taken:
        raise fault
    writer.buffer[start - 4 : start] = struct.pack("<L" if writer.little else ">L", len(taken))
    pulled.taken(taken)


# ---------------------------------------------------------------- kinds of proxies


def _servant_class(kind: Kind) -> type[ProxyPart]:
    """Make the class for a kind of proxy from the parts that it has."""
    parts: list[type[ProxyPart]] = []
    interface = kind.proxy
    if kind.side is Side.SUPPLIER and kind.style is Style.PUSH:
        parts.append(BatchTakingPart if kind.form is Form.SEQUENCE else TakingPart)
        interface = _taking(kind)
    elif kind.side is Side.CONSUMER and kind.style is Style.PULL:
        parts.append(PullingPart)
        interface = _handing_out(kind)
    elif not kind.bare:
        parts.append(SuspendPart)
    if not kind.bare:
        parts.append(StandardPart if kind.side is Side.SUPPLIER else SupplierProxyPart)
    name = kind.proxy.name.rpartition("::")[2]
    generated = vars(event_service if kind.bare else notification)[f"{name}Servant"]
    members = {"KIND": kind, "INTERFACE": interface, "__doc__": f"{kind.proxy.name}."}
    return type(name, (*(parts or [ProxyPart]), generated), members)


_CLASSES: Final = {
    (kind.side, kind.style, kind.form, kind.bare): _servant_class(kind) for kind in KINDS
}


def make_proxy(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    """Return the servant of a proxy, or None if there is no such proxy."""
    channel, id = key.ids
    found = service.host.channels.get(channel)
    proxy = None if found is None else found.proxies.get(id)
    if proxy is None:
        return None
    made: Any = _CLASSES[proxy.side, proxy.style, proxy.form, proxy.bare](service, door, key)
    return made  # type: ignore[no-any-return] # every class has a generated base
