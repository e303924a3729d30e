"""The event channel: accepts an event, finds its consumers and accounts for it.

This file is the path of an event: `push` → `_accept` → `router.match` → the consumers' queues.
Events that come together for the same consumers are queued together.
`lifecycle.py` handles objects, `consumer.py` one consumer's events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final, TypeAlias

from tidings.channel.account import Account, Backlog
from tidings.channel.commands import Polled, Push, Revoke, Warned
from tidings.channel.consumer import Consumer, ConsumerProxy
from tidings.channel.core import Core
from tidings.channel.effects import Acceptance, Message, Reserved
from tidings.channel.entries import Entry, EntryRun
from tidings.channel.holders import Admin, Proxy
from tidings.channel.offers import TypeRegistry
from tidings.channel.producers import ProducerMarks
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import DiscardPolicy, QoS
from tidings.channel.routing import Router
from tidings.channel.supplier import Polling, Quality, SupplierProxy
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
from tidings.events.fields import ANY_EVENT_TYPE, Fields, fields_for
from tidings.events.standard_header import with_standard_types
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Plan

# BestEffort events leave no record: so that no number is used twice after a crash, numbers are
# reserved this many at a time.
RESERVED_AT_ONCE: Final = 100_000

_ANY_TYPE: Final = ANY_EVENT_TYPE[1]

Copy: TypeAlias = tuple[ConsumerProxy, Entry, int | None]
"""An event as one consumer sees it, and its earliest delivery there."""


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
        self.limits = self.core.settings.limits
        self.marks = ProducerMarks(self.limits)
        # Accepted events that are not queued yet, all for the same consumers, and whether all of
        # these see them alike; empty between commands.
        self._run: list[Entry] = []
        self._recipients: Sequence[ConsumerProxy] = ()
        self._alike = True

    @property
    def properties(self) -> AdminProperties:
        """The administrative properties of the channel."""
        return self._properties

    @properties.setter
    def properties(self, changed: AdminProperties) -> None:
        self._properties = changed
        self._most_waiting = changed.max_queue_length

    def no_proxy(self, id: int) -> ProxyNotFound:
        """Return the error for a proxy that is missing, or hidden from the caller."""
        return ProxyNotFound(f"{self.label} has no proxy {id}")

    def proxy(self, id: int) -> Proxy:
        """Return a proxy by its id, or raise ProxyNotFound."""
        found = self.proxies.get(id)
        if found is None:
            raise self.no_proxy(id)
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
        most = self.limits.batch_events
        if len(items) > most:
            raise LimitExceeded(f"a push has at most {most} events, not {len(items)}")
        if marks is not None and len(marks) != len(items):
            raise InvalidUsage(f"{len(items)} events came with {len(marks)} producer marks")
        return supplier

    def check_whole(self, command: Push, now: int) -> None:
        """Raise the error of the first event that would be refused, before any is accepted."""
        supplier = self.supplier_of(command)
        wall, items = now + self.core.offset, command.whole
        is_tight = self.room_for(len(items)) < len(items)
        ahead = self.promised
        for item in items:
            event = self._entered(item)
            try:
                quality = supplier.quality_of(event.header, now)
                self._is_full_for(event, quality, approximate_octets(event), ahead)
            except TidingsError:
                if self._is_stopped(supplier, fields_for(event, wall)):
                    continue
                raise
            if is_tight:
                fields = fields_for(event, wall)
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
        try:
            for item, mark in zip(items, marks or repeat(None), strict=False):
                try:
                    answer = None if mark is None else self.marks.seen(mark)
                    if answer is None:
                        answer = self._accept(supplier, item, mark, hops, now, ahead)
                    answers.append(answer)
                except TidingsError as error:
                    answers.append(error)
        finally:
            self._queue_run(now)
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
        core = self.core
        arrival = now + core.offset
        event = item
        if not isinstance(event, StructuredEvent) or event.type == _ANY_TYPE:
            event = entered(item, unwrap=True)
        quality = supplier.known_quality(event.header, now)
        if quality is None:
            event = with_standard_types(event)
        fields = fields_for(event, arrival)
        if supplier.judged and self._is_stopped(supplier, fields):
            if mark is not None:
                self.marks.record(mark, 0)
            return 0
        if quality is None:
            quality = supplier.quality_of(event.header, now)
        octets = approximate_octets(event)
        if self._run and 0 < self._most_waiting <= self.waiting + ahead:
            self._queue_run(now)  # consumers may discard: only then is it known how many wait
        is_full = self._is_full_for(event, quality, octets, ahead)
        on_disk = quality.persistent and core.spills
        if on_disk:
            octets = 0
        elif core.octets + octets > self.limits.octets_in_all:
            self._queue_run(now)
            self.channels.relieve(octets)
        self.seq = seq = self.seq + 1
        if mark is not None:
            self.marks.record(mark, seq)
        if seq > self.seq_reserved and core.spills and not on_disk:
            self.seq_reserved = seq + RESERVED_AT_ONCE
            core.out.append(self.reservation())
        priority, plan = quality.priority, self.plan.version
        entry = Entry(quality.expiry, seq, priority, octets, quality.flags)
        message = Message(
            event, self.origin, seq, arrival, plan, priority, mark, octets, hops, None, self.id
        )
        self._give_out(message, entry, fields, quality, on_disk, now)
        if is_full:
            self._queue_run(now)
            self._ensure_backlog().make_room(self.live, self._most_waiting - self.spilled)
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
        return with_standard_types(entered(item, unwrap=True))

    def _is_full_for(
        self, event: StructuredEvent, quality: Quality, octets: int, ahead: int
    ) -> bool:
        """Refuse an event without room; return whether another must be discarded for it.

        `ahead` counts events that will wait before it but have not come yet: of the same push, and
        of pushes accepted as a whole.
        """
        if octets > self.limits.event_octets:
            raise LimitExceeded(
                f"the event {event.name!r} takes about {octets} octets, "
                f"the limit is {self.limits.event_octets}"
            )
        if quality.persistent and self.core.disk_full:
            raise DiskFull(self.core.disk_full)
        most = self._most_waiting
        if not most or self.waiting + ahead < most:
            return False
        if self.properties.reject_new_events:
            batch = f"{ahead - self.promised} of the batch fit, none was accepted"
            raise ChannelFull(
                f"MaxQueueLength is {most}, and {self.waiting} events wait in {self.label}; "
                + (batch if ahead > self.promised else "the event was not accepted")
            )
        return True

    def room_for(self, events: int) -> int:
        """Return how many of `events` new events would be accepted."""
        most = self._most_waiting
        if not most or not self.properties.reject_new_events:
            return events
        return max(0, min(events, most - self.waiting - self.promised))

    def _give_out(
        self,
        message: Message,
        entry: Entry,
        fields: Fields,
        quality: Quality,
        on_disk: bool,
        now: int,
    ) -> None:
        """Have an accepted event kept, and queue it for all matching consumers."""
        recipients = self.router.match(fields)
        if recipients:
            self.live[entry[1]] = len(recipients)
            self.core.octets += entry[3]
            if self.backlog is not None:
                self.backlog.add(entry, recipients)
            if recipients is not self._recipients and recipients != self._recipients:
                self._begin_run(recipients, now)
        elif not on_disk:
            return
        copies: Sequence[Copy] = ()
        if not self._alike or quality.start is not None:
            copies = self._copies(recipients, entry, fields, quality, now)
        if on_disk:
            message.acceptance = self._acceptance(recipients, entry, quality, copies)
        self.core.out.append(message)
        if copies:
            self._queue_run(now)
            for proxy, seen, start in copies:
                proxy.ensure_consumer().enqueue(seen, start, now)
        elif recipients:
            self._run.append(entry)

    def _copies(
        self,
        recipients: Sequence[ConsumerProxy],
        entry: Entry,
        fields: Fields,
        quality: Quality,
        now: int,
    ) -> list[Copy]:
        """Return an event as each consumer sees it."""
        options = self.plan.options
        copies: list[Copy] = []
        for proxy in recipients:
            seen, start = entry, quality.start
            if proxy.special:
                seen, start = proxy.view_of(entry, fields, quality, options, now)
            copies.append((proxy, seen, start))
        return copies

    def _acceptance(
        self,
        recipients: Sequence[ConsumerProxy],
        entry: Entry,
        quality: Quality,
        copies: Sequence[Copy],
    ) -> Acceptance:
        start = None if quality.start is None else quality.start + self.core.offset
        durable = [proxy.id for proxy in recipients if proxy.durable]
        views = {proxy.id: seen for proxy, seen, _ in copies if seen is not entry}
        return Acceptance(entry, start, recipients, durable, views)

    def _begin_run(self, recipients: Sequence[ConsumerProxy], now: int) -> None:
        """Gather the events that come now: all are for the same consumers."""
        if self._run:
            self._queue_run(now)
        self._recipients = recipients
        self._alike = True
        touched = self.core.touched
        for proxy in recipients:
            touched[proxy] = None
            if proxy.special:
                self._alike = False

    def _queue_run(self, now: int) -> None:
        """Queue the gathered events, many at once for less than one by one."""
        entries, recipients = self._run, self._recipients
        self._recipients = ()
        if not entries:
            return
        self._run = []
        if len(entries) == 1:
            for proxy in recipients:
                (proxy.consumer or proxy.ensure_consumer()).enqueue(entries[0], None, now)
        else:
            run = EntryRun(entries)
            for proxy in recipients:
                (proxy.consumer or proxy.ensure_consumer()).enqueue_run(run, now)

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


def no_channel(id: int) -> ChannelNotFound:
    """Return the error for a channel that is missing, or hidden from the caller."""
    return ChannelNotFound(f"there is no channel {id}")


class Channels(dict[int, Channel]):
    """All channels of a factory by id, and the core they share.

    `owned` has the proxies of each owner.
    """

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.owned: dict[str, dict[Proxy, None]] = {}

    def own(self, proxy: Proxy) -> None:
        """Note a new proxy under its owner, if it has one."""
        if proxy.owner:
            self.owned.setdefault(proxy.owner, {})[proxy] = None

    def disown(self, proxy: Proxy) -> None:
        """Forget a proxy that has ended."""
        if proxy.owner:
            del self.owned[proxy.owner][proxy]
            if not self.owned[proxy.owner]:
                del self.owned[proxy.owner]

    def find(self, id: int) -> Channel:
        """Return a channel by its id, or raise ChannelNotFound."""
        found = self.get(id)
        if found is None:
            raise no_channel(id)
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
