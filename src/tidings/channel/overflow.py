"""What happens when too many events wait: discarded, or put on the disk.

The quality of service comes first: above MaxEventsPerConsumer the DiscardPolicy chooses. The
server's own limits hold besides: above them BestEffort events are discarded by the same policy,
Persistent ones go to the disk and come back when there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidings.channel.delivery import Delivery
from tidings.channel.effects import Notice, NoticeKind, Outcome, Spill
from tidings.channel.entries import PERSISTENT, Entry
from tidings.channel.pumping import pump
from tidings.channel.qos import DiscardPolicy
from tidings.errors import ChannelFull

if TYPE_CHECKING:
    from tidings.channel.channel import Channel
    from tidings.channel.holders import Proxy

__all__ = ["discard_policy", "overflow", "relieve", "spill", "swap_out"]


def discard_policy(proxy: Proxy) -> DiscardPolicy:
    """Which of a consumer's events go first."""
    asked = proxy.qos.discard_policy
    return proxy.channel.core.settings.any_discard if asked is DiscardPolicy.ANY else asked


def overflow(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Brings a consumer's queue below its limits again."""
    pump(proxy, now)  # what can be handed over does not have to go
    most = proxy.qos.max_events_per_consumer
    while most and delivery.waiting > most:
        _discard(proxy, delivery, f"MaxEventsPerConsumer is {most}")
    while delivery.is_over():
        if proxy.channel.core.spills and proxy.durable and len(delivery.queue):
            if delivery.refilling:  # what comes back must find everything before it in memory
                return
            _spill_last(proxy, delivery)
        else:
            _discard(proxy, delivery, "the server keeps no more for one consumer")


def _discard(proxy: Proxy, delivery: Delivery, why: str) -> None:
    policy = discard_policy(proxy)
    if len(delivery.queue):
        victim = delivery.queue.discard(policy)
    else:  # all wait for their StartTime: the one that would come last
        victim = max(delivery.later)[1]
        delivery.later.remove(max(delivery.later))
    proxy.channel.done(proxy, [victim], Outcome.DISCARDED)
    report_slow(proxy, delivery, f"{why}; events are discarded by {policy.name} policy")


def report_slow(proxy: Proxy, delivery: Delivery, why: str) -> None:
    """Tells once that a consumer does not keep up, until it has caught up."""
    if delivery.slow:
        return
    delivery.slow = True
    text = f"{delivery.waiting} events wait, {len(delivery.flight)} are in flight; {why}"
    channel = proxy.channel
    channel.core.out.append(Notice(NoticeKind.SLOW_CONSUMER, channel.id, proxy.id, text))


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
            delivery.queue.push(entry)
    if kept:
        spill(proxy, delivery, kept)
    return len(kept)


def relieve(channel: Channel, octets: int) -> None:
    """Makes room in memory for all: the consumer with the largest backlog loses events.

    Raises:
        ChannelFull: Nothing can be discarded.
    """
    core = channel.core
    limit = core.settings.limits.octets_in_all
    while core.octets + octets > limit:
        waiting = [(d.queue.octets, p.id, p, d) for p, d in core.deliveries() if d.queue.octets]
        if not waiting:
            raise ChannelFull(
                f"events in memory take {core.octets} octets of {limit}; the event was not accepted"
            )
        _, _, proxy, delivery = max(waiting)
        # A tenth at a time, so that finding the largest is rare.
        for _ in range(max(1, len(delivery.queue) // 10)):
            _discard(proxy, delivery, "the server's memory for events is full")
