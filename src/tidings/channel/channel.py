"""The event channel: accepts an event, finds its consumers and accounts for it.

This file is the path of one event: `push` → `_accept` → `router.match` → the consumers' queues.
`lifecycle.py` handles objects, `consumer.py` one consumer's events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tidings.channel.account import Account
from tidings.channel.backlog import Backlog
from tidings.channel.commands import Polled, Push, Revoke, Warned
from tidings.channel.consumer import Consumer, ConsumerProxy
from tidings.channel.core import Core
from tidings.channel.effects import Accepted, Message, Reserved, Settled
from tidings.channel.entries import PERSISTENT, Entry
from tidings.channel.holders import Admin, Proxy
from tidings.channel.lifetimes import Quality, quality_of
from tidings.channel.offers import TypeRegistry
from tidings.channel.producers import ProducerMarks
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import DiscardPolicy, QoS
from tidings.channel.routing import Router
from tidings.channel.supplier import Polling, SupplierProxy
from tidings.channel.translation import approximate_octets, entered
from tidings.channel.vocabulary import Form, Item, Side
from tidings.errors import (
    AdminNotFound,
    ChannelFull,
    ChannelNotFound,
    Disconnected,
    DiskFull,
    InvalidUsage,
    LimitExceeded,
    ProxyNotFound,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.events.fields import Fields, fields_for
from tidings.events.standard_header import with_standard_types
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Plan

# BestEffort events leave no record: so that no number is used twice after a crash, numbers are
# reserved this many at a time.
RESERVED_AT_ONCE: Final = 100_000

_TO_COME: Final = Settled(0, ())
_NO_VIEWS: Final[Mapping[int, Entry]] = {}


class Channel(Account):
    """One event channel.

    Attributes:
        own: The quality of service set here; `qos` is what applies.
        admins: By side and id; 0 is the default admin.
        proxies_reserved: Ids up to this one may be in use without a record.
        seq_reserved: Numbers up to this one may be in use without a record.
        skipped: How many numbers up to `seq`, the latest, belong to no event.
        promised: How many events are still to come from pushes accepted as a whole.
    """

    def __init__(
        self, id: int, origin: str, channels: Channels, qos: QoS, admin: AdminProperties
    ) -> None:
        super().__init__(id, origin, channels.core)
        self.channels = channels
        self.qos = qos
        self.own: dict[str, int] = {}
        self.properties = admin
        self.admins: dict[Side, dict[int, Admin]] = {Side.SUPPLIER: {}, Side.CONSUMER: {}}
        self.last_admin = {Side.SUPPLIER: 0, Side.CONSUMER: 0}
        self.proxies: dict[int, Proxy] = {}
        self.names: dict[str, int] = {}
        self.last_proxy = 0
        self.proxies_reserved = 0
        self.seq = 0
        self.seq_reserved = 0
        self.skipped = 0
        self.promised = 0
        self.plan = Plan()
        self.router = Router()
        self.offers: TypeRegistry[tuple[str, int]] = TypeRegistry()
        self.wants: TypeRegistry[int] = TypeRegistry()
        self.marks = ProducerMarks(self.core.settings.limits)

    def proxy(self, id: int) -> Proxy:
        """Return a proxy by its id, or raise ProxyNotFound."""
        found = self.proxies.get(id)
        if found is None:
            raise ProxyNotFound(f"{self.label} has no proxy {id}")
        return found

    def consumer(self, id: int) -> ConsumerProxy:
        """Return a consumer's proxy, or raise ProxyNotFound, or InvalidUsage for a supplier's."""
        found = self.proxy(id)
        if not isinstance(found, ConsumerProxy):
            raise InvalidUsage(f"proxy {id} of {self.label} is not for a consumer")
        return found

    def supplier(self, id: int) -> SupplierProxy:
        """Return a supplier's proxy, or raise ProxyNotFound, or InvalidUsage for a consumer's."""
        found = self.proxy(id)
        if not isinstance(found, SupplierProxy):
            raise InvalidUsage(f"proxy {id} of {self.label} is not for a supplier")
        return found

    def admin(self, side: Side, id: int) -> Admin:
        """Return an admin by side and id, or raise AdminNotFound."""
        found = self.admins[side].get(id)
        if found is None:
            raise AdminNotFound(f"{self.label} has no {side.value} admin {id}")
        return found

    def proxies_of(self, side: Side) -> Iterator[Proxy]:
        """Iterate over all proxies of one side."""
        for admin in self.admins[side].values():
            yield from admin.proxies.values()

    @property
    def accepted(self) -> int:
        """Count the accepted events, as far as known after a crash."""
        return self.seq - self.skipped

    def reservation(self) -> Reserved:
        """Return the record that reserves the channel's numbers."""
        return Reserved(self.id, max(self.seq, self.seq_reserved), self.seq, self.skipped)

    def push(self, command: Push, now: int) -> list[int | TidingsError]:
        """Accept events; return for each its number, 0 if a filter stopped it, or an error."""
        items, promised = command.items, command.promised
        if promised:
            self.promised -= len(items)
        supplier = self.supplier_of(command)
        return self.take_in(supplier, items, command.marks, command.hops, now, promised=promised)

    def supplier_of(self, command: Push) -> SupplierProxy:
        """Return the connected proxy a push comes through, if the push has a valid size."""
        supplier = self.supplier(command.proxy)
        if not supplier.connected:
            raise Disconnected(f"nobody is connected to proxy {supplier.id} of {self.label}")
        items, marks = command.items, command.marks
        most = self.core.settings.limits.batch_events
        if len(items) > most:
            raise LimitExceeded(f"a push has at most {most} events, not {len(items)}")
        if marks is not None and len(marks) != len(items):
            raise InvalidUsage(f"{len(items)} events came with {len(marks)} producer marks")
        return supplier

    def check_whole(self, command: Push, now: int) -> None:
        """Raise the error of the first event that would be refused, before any is accepted."""
        supplier = self.supplier_of(command)
        core, items = self.core, command.whole
        is_tight = self.room_for(len(items)) < len(items)
        ahead = self.promised
        for item in items:
            event = self._entered(item)
            try:
                quality = supplier.quality_of(event.header, now)
                self._is_full_for(event, quality, approximate_octets(event), ahead)
            except TidingsError:
                if self._is_stopped(supplier, fields_for(event, now + core.offset)):
                    continue
                raise
            if is_tight:
                fields = fields_for(event, now + core.offset)
                if not self._is_stopped(supplier, fields) and self.router.match(fields):
                    ahead += 1
        if command.more:
            self.promised += len(items) - len(command.items)

    def take_in(
        self,
        supplier: SupplierProxy,
        items: Sequence[Item],
        marks: Sequence[ProducerMark] | None,
        hops: tuple[str, ...],
        now: int,
        *,
        promised: bool = False,
    ) -> list[int | TidingsError]:
        """Accept events one by one: a refused event does not affect the others."""
        ahead = 0 if promised else self.promised  # else room was kept for them
        answers: list[int | TidingsError] = []
        for index, item in enumerate(items):
            try:
                mark = None if marks is None else marks[index]
                answers.append(self._accept(supplier, item, mark, hops, now, ahead))
            except TidingsError as error:
                answers.append(error)
        return answers

    def _accept(
        self,
        supplier: SupplierProxy,
        item: Item,
        mark: ProducerMark | None,
        hops: tuple[str, ...],
        now: int,
        ahead: int,
    ) -> int:
        if mark is not None:
            known = self.marks.seen(mark)
            if known is not None:
                return known
        core = self.core
        event = self._entered(item)
        fields = fields_for(event, now + core.offset)
        if self._is_stopped(supplier, fields):
            if mark is not None:
                self.marks.record(mark, 0)
            return 0
        # Hot path: one call less than `SupplierProxy.quality_of`.
        quality = quality_of(event.header, supplier.defaults, supplier.qos, core, now)
        octets = approximate_octets(event)
        is_full = self._is_full_for(event, quality, octets, ahead)
        in_memory = not (quality.persistent and core.spills)
        if in_memory and core.octets + octets > core.settings.limits.octets_in_all:
            self.channels.relieve(octets)
        self.seq = seq = self.seq + 1
        if mark is not None:
            self.marks.record(mark, seq)
        if not in_memory:
            entry = Entry(quality.expiry, seq, quality.priority, 0, quality.flags)
        else:
            entry = Entry(quality.expiry, seq, quality.priority, octets, quality.flags)
            if seq > self.seq_reserved and core.spills:
                self.seq_reserved = seq + RESERVED_AT_ONCE
                core.out.append(self.reservation())
        self._give_out(event, fields, quality, entry, mark, hops, now)
        if is_full:
            most = self.properties.max_queue_length
            self._ensure_backlog().make_room(self.live, most - self.spilled)
        return Warned.of(seq, quality.warnings) if quality.warnings else seq

    def judge(self, proxy: int, item: Item, now: int) -> None:
        """Evaluate all filters an event meets on its way in; raise if it would be refused."""
        supplier = self.supplier(proxy)
        fields = fields_for(self._entered(item), now + self.core.offset)
        if not self._is_stopped(supplier, fields):
            self.router.match(fields)

    def _is_stopped(self, supplier: SupplierProxy, fields: Fields) -> bool:
        return supplier.judged and not self.plan.verdict(fields, supplier.id).passed

    def _entered(self, item: Item) -> StructuredEvent:
        event = entered(item, unwrap=True)
        return with_standard_types(event) if event.header else event

    def _is_full_for(
        self, event: StructuredEvent, quality: Quality, octets: int, ahead: int
    ) -> bool:
        """Refuse an event without room; return whether another must be discarded for it.

        `ahead` counts events that will wait before it but have not come yet: of the same push, and
        of pushes accepted as a whole.
        """
        core = self.core
        limits = core.settings.limits
        if octets > limits.event_octets:
            raise LimitExceeded(
                f"the event {event.name!r} takes about {octets} octets, "
                f"the limit is {limits.event_octets}"
            )
        if quality.persistent and core.disk_full:
            raise DiskFull(core.disk_full)
        most = self.properties.max_queue_length
        waiting = len(self.live) + self.spilled
        is_full = most > 0 and waiting + ahead >= most
        if is_full and self.properties.reject_new_events:
            batch = f"{ahead - self.promised} of the batch fit, none was accepted"
            raise ChannelFull(
                f"MaxQueueLength is {most}, and {waiting} events wait in {self.label}; "
                + (batch if ahead > self.promised else "the event was not accepted")
            )
        return is_full

    def room_for(self, events: int) -> int:
        """Return how many of `events` new events would be accepted."""
        most = self.properties.max_queue_length
        if not most or not self.properties.reject_new_events:
            return events
        return max(0, min(events, most - self.waiting - self.promised))

    def _give_out(
        self,
        event: StructuredEvent,
        fields: Fields,
        quality: Quality,
        entry: Entry,
        mark: ProducerMark | None,
        hops: tuple[str, ...],
        now: int,
    ) -> None:
        """Put an accepted event into the queues of all matching consumers."""
        core = self.core
        recipients = self.router.match(fields)
        seq = entry.seq
        if recipients:
            self.live[seq] = len(recipients)
            core.octets += entry.octets
        out = core.out
        place = len(out)
        out.append(_TO_COME)  # filled below: it must come before what rests on it
        core.touched.update(dict.fromkeys(recipients))
        views = self._queue_for(recipients, entry, fields, quality, now)
        durable: Sequence[int] = ()
        if entry.flags & PERSISTENT:
            durable = [proxy.id for proxy in recipients if proxy.durable]
        message = Message(
            event,
            self.origin,
            seq,
            now + core.offset,
            self.plan.version,
            entry.priority,
            mark,
            entry.octets,
            hops,
        )
        start = None if quality.start is None else quality.start + core.offset
        out[place] = Accepted(self.id, message, entry, start, recipients, durable, views)
        if self.backlog is not None and recipients:
            self.backlog.add(entry, recipients)

    def _queue_for(
        self,
        recipients: Sequence[ConsumerProxy],
        entry: Entry,
        fields: Fields,
        quality: Quality,
        now: int,
    ) -> Mapping[int, Entry]:
        """Queue an event; return the entries of consumers with their own view of it."""
        views: dict[int, Entry] | None = None
        at_once = quality.start is None
        for proxy in recipients:
            consumer = proxy.consumer
            if (
                at_once
                and consumer is not None
                and not (proxy.special or consumer.spilled or consumer.later)
            ):
                # The short path of most copies; `Consumer.enqueue` is the long one.
                queue = consumer.queue
                queue.push(entry)
                if queue.length > consumer.most or queue.octets > consumer.most_octets:
                    consumer.enforce_limits(now)
                continue
            seen, start = entry, quality.start
            if proxy.special:
                seen, start = proxy.view_of(entry, fields, quality, self.plan.options, now)
                if seen is not entry:
                    views = views or {}
                    views[proxy.id] = seen
            (consumer or proxy.ensure_consumer()).enqueue(seen, start, now)
        return views or _NO_VIEWS

    def revoke(self, command: Revoke) -> None:
        """Remove every trace of events that could not be written, and so were never accepted."""
        for consumer in self.consumers():
            consumer.revoke(command.seqs)
        self.backlog = None
        for mark in command.marks:
            self.marks.forget(mark)
        # Their numbers are free again if nothing came after them.
        if sorted(command.seqs) == list(range(self.seq - len(command.seqs) + 1, self.seq + 1)):
            self.seq -= len(command.seqs)
        else:
            self.skipped += len(command.seqs)

    def _ensure_backlog(self) -> Backlog:
        """Return the discard order of a full channel, built when first needed."""
        if self.backlog is None:
            asked = self.qos.discard_policy
            any_discard = self.core.settings.any_discard
            policy = any_discard if asked is DiscardPolicy.ANY else asked
            waiting = [(one.proxy, one.all_entries()) for one in self.consumers()]
            self.backlog = Backlog(policy, waiting)
        return self.backlog

    def consumers(self) -> list[Consumer]:
        """Return all consumers that have or had events."""
        proxies = self.proxies.values()
        found = (proxy.consumer for proxy in proxies if isinstance(proxy, ConsumerProxy))
        return [consumer for consumer in found if consumer is not None]

    # Polling of pull suppliers.

    def begin_polling(self, supplier: SupplierProxy, now: int) -> None:
        """Start polling a pull supplier that has connected or resumed."""
        if supplier.polling is None:
            supplier.polling = Polling(supplier)
        supplier.polling.at = now
        self.poll(supplier, now)

    def poll(self, supplier: SupplierProxy, now: int) -> None:
        """Poll a pull supplier if it is due, or set the alarm for when it is."""
        polling = supplier.polling
        if polling is None or not polling.is_due(now):
            return
        most = supplier.qos.maximum_batch_size if supplier.form is Form.SEQUENCE else 1
        polling.ask(self.room_for(min(most, self.core.settings.limits.batch_events)), now)

    def take_polled(self, supplier: SupplierProxy, command: Polled, now: int) -> bool:
        """Accept what a pull supplier returned; return whether to end the proxy."""
        polling = supplier.polling
        if polling is None:
            return False
        polling.asked = False
        if command.gone:
            return True
        reason = command.reason or self._refusal(supplier, command.items, now)
        if not reason:
            polling.had(len(command.items), now)
        elif polling.fail(reason, now):
            return True
        self.poll(supplier, now)
        return False

    def _refusal(self, supplier: SupplierProxy, items: Sequence[Item], now: int) -> str:
        """Accept events; return why none was accepted, empty if one was or a filter stopped it."""
        answers = self.take_in(supplier, items, None, (), now)
        errors = [one for one in answers if isinstance(one, TidingsError)]
        return str(errors[0]) if errors and len(errors) == len(answers) else ""


class Channels(dict[int, Channel]):
    """All channels of a factory by id, and the core they share."""

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core

    def find(self, id: int) -> Channel:
        """Return a channel by its id, or raise ChannelNotFound."""
        found = self.get(id)
        if found is None:
            raise ChannelNotFound(f"there is no channel {id}")
        return found

    def consumers(self) -> list[Consumer]:
        """Return all consumers of all channels that have or had events."""
        return [consumer for channel in self.values() for consumer in channel.consumers()]

    def relieve(self, octets: int) -> None:
        """Discard events of the consumer with the largest backlog, or raise ChannelFull.

        If not enough can be discarded, nothing is.
        """
        core = self.core
        limit = core.settings.limits.octets_in_all
        fixed = self._undiscardable_octets()
        if fixed + octets > limit:
            raise ChannelFull(
                f"events on their way take {fixed} octets of {limit}; the event was not accepted"
            )
        while core.octets + octets > limit:
            largest = max(self.consumers(), key=lambda consumer: consumer.queue.octets)
            # A tenth at a time, so that finding the largest is rare.
            largest.discard_tenth("the server's memory for events is full")

    def _undiscardable_octets(self) -> int:
        """Return the octets of all consumers' undiscardable events, each event once."""
        events: dict[tuple[int, int], int] = {}
        for consumer in self.consumers():
            channel, elsewhere = consumer.channel.id, consumer.undiscardable()
            events.update(((channel, entry.seq), entry.octets) for entry in elsewhere)
        return sum(events.values())
