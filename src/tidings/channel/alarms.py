"""When a proxy is to be looked at, and what is done with the time that has passed."""

from __future__ import annotations

from heapq import heappop
from typing import Final

from tidings.channel.delivery import Delivery, put_back
from tidings.channel.effects import Outcome, Pulled
from tidings.channel.holders import Proxy
from tidings.channel.pulls import serve_pulls
from tidings.channel.vocabulary import Form

_NONE_AGAIN: Final[frozenset[int]] = frozenset()


def set_alarm(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Has a consumer's proxy looked at when something is due, unless it is before that."""
    at = _next_time(proxy, delivery, now)
    if at is not None and (delivery.alarm is None or at < delivery.alarm):
        delivery.alarm = at
        proxy.channel.core.wake(at, proxy)


def _next_time(proxy: Proxy, delivery: Delivery, now: int) -> int | None:
    times: list[int] = []
    if delivery.later:
        times.append(delivery.later[0][0])
    if delivery.retry_at > now and proxy.attached:
        times.append(delivery.retry_at)
    if delivery.leases:
        times.append(min(delivery.leases.values()))
    if not delivery.refilling:
        times += [pull.until for pull in delivery.pulls if pull.until is not None]
    if delivery.first_at is not None and proxy.form is Form.SEQUENCE:
        paced = delivery.first_at + proxy.qos.pacing_interval // 10
        if paced > now:
            times.append(paced)
    expiry = delivery.queue.next_expiry()
    if expiry is not None:
        # Expired events are also noticed when they would be delivered: no hurry.
        times.append(max(expiry, now + proxy.channel.core.settings.sweep_interval))
    return min(times) if times else None


def elapsed(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Does what the time asks for: starts, leases, pulls that waited long enough, expiry."""
    delivery.alarm = None
    while delivery.later and delivery.later[0][0] <= now:
        _, entry = heappop(delivery.later)
        proxy.channel.enqueue(proxy, entry, None, now)
    over = [seq for seq, until in delivery.leases.items() if until <= now]
    if over:
        put_back(proxy, over)
    if delivery.pulls and not delivery.refilling:  # what is on its way may be for them
        _end_waiting(proxy, delivery, now)
    expired = delivery.queue.expire(now)
    if expired:
        proxy.channel.done(proxy, expired, Outcome.EXPIRED)
    proxy.channel.core.touched[proxy] = None


def _end_waiting(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Answers the pulls that waited long enough, with what there is for them or nothing."""
    serve_pulls(proxy, delivery, now)
    for pull in [p for p in delivery.pulls if p.until is not None and p.until <= now]:
        delivery.pulls.remove(pull)
        channel = proxy.channel
        channel.core.out.append(Pulled(pull.token, channel.id, proxy.id, (), _NONE_AGAIN))
