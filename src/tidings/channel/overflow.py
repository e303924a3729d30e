"""What happens when too many events wait: discarded, or put on the disk.

The quality of service comes first: above MaxEventsPerConsumer the DiscardPolicy chooses. The
server's own limits hold besides: above them BestEffort events are discarded by the same policy,
Persistent ones go to the disk and come back when there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify
from typing import TYPE_CHECKING, Final

from tidings.channel.backlog import discard_key
from tidings.channel.delivery import Delivery
from tidings.channel.effects import NoticeKind, Outcome, Spill
from tidings.channel.entries import PERSISTENT, Entry
from tidings.channel.pumping import pump
from tidings.channel.qos import DiscardPolicy
from tidings.errors import ChannelFull

if TYPE_CHECKING:
    from tidings.channel.core import Core
    from tidings.channel.holders import Proxy

_SERVER_LIMIT: Final = "the server keeps no more for one consumer"


def discard_policy(proxy: Proxy) -> DiscardPolicy:
    """Which of a consumer's events go first."""
    asked = proxy.qos.discard_policy
    return proxy.channel.core.settings.any_discard if asked is DiscardPolicy.ANY else asked


def overflow(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Brings a consumer's queue below its limits again."""
    expired = delivery.queue.expire(now)
    if expired:
        proxy.channel.done(proxy, expired, Outcome.EXPIRED)
    pump(proxy, now)  # what can be handed over does not have to go
    most = proxy.qos.max_events_per_consumer
    while most and delivery.waiting > most and (len(delivery.queue) or delivery.later):
        _discard(proxy, delivery, f"MaxEventsPerConsumer is {most}")
    while delivery.is_over():
        if not (proxy.channel.core.spills and proxy.durable):
            _discard(proxy, delivery, _SERVER_LIMIT)
        elif delivery.refilling or not len(delivery.queue):
            # What comes back must find everything before it in memory; and what waits for its
            # StartTime has no place on the disk.
            return
        else:
            _spill_last(proxy, delivery)


def _discard(proxy: Proxy, delivery: Delivery, why: str) -> Entry:
    policy = discard_policy(proxy)
    if len(delivery.queue):
        victim = delivery.queue.discard(policy)
    else:  # all wait for their StartTime: the one that would come last
        last = max(delivery.later)
        victim = last[1]
        delivery.later.remove(last)
        heapify(delivery.later)
    _discarded(proxy, delivery, [victim], why)
    return victim


def _discarded(proxy: Proxy, delivery: Delivery, victims: Sequence[Entry], why: str) -> None:
    proxy.channel.done(proxy, victims, Outcome.DISCARDED)
    policy = discard_policy(proxy)
    report_slow(proxy, delivery, f"{why}; events are discarded by {policy.name} policy")


def report_slow(proxy: Proxy, delivery: Delivery, why: str) -> None:
    """Tells once that a consumer does not keep up, until it has caught up."""
    if delivery.slow:
        return
    delivery.slow = True
    text = f"{delivery.waiting} events wait, {len(delivery.flight)} are in flight; {why}"
    proxy.notice(NoticeKind.SLOW_CONSUMER, text)


def _spill_last(proxy: Proxy, delivery: Delivery) -> None:
    """Puts the events that would be delivered last on the disk, many at once."""
    entries = delivery.queue.take_last(max(1, delivery.most // 10))
    kept = [entry for entry in entries if entry.flags & PERSISTENT]
    lost = [entry for entry in entries if not entry.flags & PERSISTENT]
    if kept:
        spill(proxy, delivery, kept)
    if lost:
        proxy.channel.done(proxy, lost, Outcome.DISCARDED)
    report_slow(proxy, delivery, "the rest waits on the disk")


def queue_beside_spilled(proxy: Proxy, delivery: Delivery, entry: Entry, now: int) -> None:
    """Takes an event in while others are on the disk."""
    proxy.channel.core.touched[proxy] = None
    delivery.queue.push(entry)
    most = proxy.qos.max_events_per_consumer
    # It takes part in the choice with those in memory: nobody knows the others.
    why = f"MaxEventsPerConsumer is {most}"
    if most and delivery.waiting > most and _discard(proxy, delivery, why) is entry:
        return
    if not delivery.goes_before_spilled(entry):
        delivery.queue.take_last(1)  # the others in memory come before what is on the disk
        put_behind_spilled(proxy, delivery, entry)
    elif delivery.is_over():
        overflow(proxy, delivery, now)


def put_behind_spilled(proxy: Proxy, delivery: Delivery, entry: Entry) -> None:
    """Puts an event behind what is on the disk: there, or in memory until it is back."""
    if delivery.refilling:
        delivery.held.append(entry)
    elif entry.flags & PERSISTENT:
        spill(proxy, delivery, [entry])
    elif len(delivery.queue) + len(delivery.later) + len(delivery.held) < delivery.most:
        delivery.held.append(entry)  # the content of a BestEffort event is in memory only
    else:
        _discarded(proxy, delivery, [entry], _SERVER_LIMIT)


def spill(proxy: Proxy, delivery: Delivery, entries: Sequence[Entry]) -> None:
    """Puts entries on the disk; the account of their events is then kept there."""
    channel = proxy.channel
    first = entries[0]
    for entry in entries:
        if delivery.queue.is_before(entry, first):
            first = entry
    if delivery.boundary is None or delivery.queue.is_before(first, delivery.boundary):
        delivery.boundary = first
    delivery.spilled += len(entries)
    channel.spilled += len(entries)
    channel.core.out.append(Spill(channel.id, proxy.id, list(entries)))
    channel.unload(entries)


def swap_out(proxy: Proxy) -> int:
    """Puts all of a consumer's Persistent entries on the disk; how many."""
    delivery = proxy.delivery
    if delivery is None or not proxy.durable or not proxy.channel.core.spills:
        return 0
    if delivery.refilling:
        return 0
    entries = delivery.queue.take_last(len(delivery.queue))
    kept = [entry for entry in entries if entry.flags & PERSISTENT]
    for entry in entries:
        if not entry.flags & PERSISTENT:
            behind = kept and delivery.queue.is_before(kept[0], entry)
            (delivery.held.append if behind else delivery.queue.push)(entry)
    if kept:
        spill(proxy, delivery, kept)
    return len(kept)


def relieve(core: Core, octets: int) -> None:
    """Makes room in memory for all: the consumer with the largest backlog loses events.

    Raises:
        ChannelFull: Not enough can be discarded; nothing was.
    """
    limit = core.settings.limits.octets_in_all
    fixed = _undiscardable_octets(core)
    if fixed + octets > limit:
        raise ChannelFull(
            f"events on their way take {fixed} octets of {limit}; the event was not accepted"
        )
    while core.octets + octets > limit:
        proxy, delivery = max(core.deliveries(), key=lambda pair: pair[1].queue.octets)
        policy = discard_policy(proxy)
        waiting = [entry for entry in delivery.queue.entries() if entry.octets]
        waiting.sort(key=lambda entry: discard_key(policy, entry))
        # A tenth at a time, so that finding the largest is rare.
        seqs = [entry.seq for entry in waiting[: max(1, len(waiting) // 10)]]
        victims = delivery.queue.remove(seqs)
        _discarded(proxy, delivery, victims, "the server's memory for events is full")


def _undiscardable_octets(core: Core) -> int:
    """What the events take that are in flight or wait for something else than their turn."""
    events: dict[tuple[int, int], int] = {}
    for proxy, delivery in core.deliveries():
        elsewhere = [*delivery.flight.values(), *delivery.held, *(e for _, e in delivery.later)]
        events.update(((proxy.channel.id, entry.seq), entry.octets) for entry in elsewhere)
    return sum(events.values())
