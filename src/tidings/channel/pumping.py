"""Handing events over: to push consumers while there is room in their window, to waiting pulls."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Final

from tidings.channel.alarms import set_alarm
from tidings.channel.delivery import Delivery, again_among, begin_pacing, taken
from tidings.channel.effects import Deliver, NoticeKind, Refill
from tidings.channel.entries import Entry
from tidings.channel.holders import Proxy
from tidings.channel.pulls import serve_pulls
from tidings.channel.vocabulary import Form, Style

# A field of a named tuple, read without a Python call.
_SEQ: Final[Callable[[Entry], int]] = itemgetter(1)


def pump(proxy: Proxy, now: int) -> None:
    """Hands over what can be handed over now, and has the proxy looked at when more can."""
    delivery = proxy.delivery
    if delivery is None:
        return
    if proxy.attached and not proxy.suspended and delivery.retry_at <= now:
        if proxy.style is Style.PUSH:
            if proxy.form is Form.SEQUENCE:
                _pump_batches(proxy, delivery, now)
            else:
                room = proxy.window - len(delivery.flight)
                if room > 0 and delivery.queue.length:
                    _hand_over(proxy, delivery, room, now)
        elif delivery.pulls:
            serve_pulls(proxy, delivery, now)
    if delivery.spilled and not delivery.refilling:
        _ask_for_more(proxy, delivery)
    set_alarm(proxy, delivery, now)
    if delivery.slow and not delivery.waiting:
        delivery.slow = False
        proxy.notice(NoticeKind.CAUGHT_UP, "nothing waits any more")


def _hand_over(proxy: Proxy, delivery: Delivery, most: int, now: int) -> None:
    entries = taken(proxy, delivery, most, now)
    if not entries:
        return
    flight = delivery.flight
    flight.update(zip(map(_SEQ, entries), entries, strict=True))
    channel = proxy.channel
    again = again_among(delivery, entries)
    channel.core.out.append(Deliver(channel.id, proxy.id, entries, again))


def _pump_batches(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """A batch goes when it is full, or a pacing interval after its first event came."""
    size = proxy.qos.maximum_batch_size
    pacing = proxy.qos.pacing_interval // 10
    if pacing:
        begin_pacing(proxy, delivery, now)
    while len(delivery.queue) and (
        not delivery.flight or len(delivery.flight) + size <= proxy.window
    ):
        core = proxy.channel.core
        if proxy.channel.id in core.unfinished and len(delivery.queue) < size:
            core.held[proxy] = None  # the rest of a push comes soon, and may fill the batch
            return
        if pacing and len(delivery.queue) < size:
            first = now if delivery.first_at is None else delivery.first_at
            if now < first + pacing:
                delivery.first_at = first
                return
        _hand_over(proxy, delivery, size, now)
        # What is left came after the first: it must not wait longer than that one would have.
        if not len(delivery.queue):
            delivery.first_at = None


def _ask_for_more(proxy: Proxy, delivery: Delivery) -> None:
    """Entries come back from the disk before memory runs out of them."""
    limit = proxy.channel.core.settings.limits.entries_per_consumer
    if len(delivery.queue) > limit // 4 or not proxy.attached or proxy.suspended:
        return
    delivery.refilling = delivery.queue.order
    order = delivery.queue.order.name.lower()
    count = max(1, limit // 2)
    channel = proxy.channel
    channel.core.out.append(Refill(channel.id, proxy.id, order, count))
