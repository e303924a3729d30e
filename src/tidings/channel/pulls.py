"""Pull consumers: who asks gets what waits, or waits itself."""

from __future__ import annotations

from typing import NamedTuple

from tidings.channel.commands import CancelPull, Pull
from tidings.channel.delivery import Delivery, again_among, delivery_of, taken
from tidings.channel.effects import Outcome, Pulled, PullEnded
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Form, Style
from tidings.errors import Disconnected, InvalidUsage

__all__ = ["WaitingPull", "begin_pull", "cancel_pull", "end_pulls", "serve_pulls"]


class WaitingPull(NamedTuple):
    """A pull that has not been answered.

    Attributes:
        token: The engine's number for it.
        most: At most so many events.
        until: When it stops waiting, host time; None for never.
        lease: How long the consumer has to acknowledge; None if it has not to.
    """

    token: int
    most: int
    until: int | None
    lease: int | None


def begin_pull(proxy: Proxy, command: Pull, now: int) -> None:
    """Takes a pull; it is answered by `Pulled` or `PullEnded`, at once or later.

    Raises:
        Disconnected: Nobody is connected to the proxy.
        InvalidUsage: The proxy is none to pull from, or the number of events is not positive.
    """
    if proxy.style is not Style.PULL:
        raise InvalidUsage(f"proxy {proxy.id} pushes to its consumer; it cannot be pulled from")
    if not proxy.connected:
        raise Disconnected(f"nobody is connected to proxy {proxy.id} of channel {proxy.channel.id}")
    if command.most < 1:
        raise InvalidUsage(f"a pull asks for at least one event, not for {command.most}")
    delivery = delivery_of(proxy)
    most = command.most if proxy.form is Form.SEQUENCE or command.lease is not None else 1
    until = None if command.wait is None else now + command.wait
    delivery.pulls.append(WaitingPull(command.token, most, until, command.lease))
    serve_pulls(proxy, delivery, now)
    if command.wait == 0:
        _answer_empty(proxy, delivery, command.token)
    proxy.channel.core.touched[proxy] = None


def _answer_empty(proxy: Proxy, delivery: Delivery, token: int) -> None:
    """Whoever does not wait is answered now, though there is nothing."""
    for pull in delivery.pulls:
        if pull.token == token:
            delivery.pulls.remove(pull)
            channel = proxy.channel
            channel.core.out.append(Pulled(token, channel.id, proxy.id, (), frozenset()))
            return


def serve_pulls(proxy: Proxy, delivery: Delivery, now: int) -> None:
    """Answers waiting pulls, the oldest first, while there are events."""
    pacing = proxy.qos.pacing_interval // 10 if proxy.form is Form.SEQUENCE else 0
    while delivery.pulls and len(delivery.queue):
        pull = delivery.pulls[0]
        patient = pull.until is None or pull.until > now
        if pacing and patient and len(delivery.queue) < pull.most:
            if delivery.first_at is None:
                delivery.first_at = now
            if now < delivery.first_at + pacing:
                return
        entries = taken(proxy, delivery, pull.most, now)
        if not entries:
            return
        delivery.pulls.popleft()
        delivery.first_at = None
        channel = proxy.channel
        again = again_among(delivery, entries)
        channel.core.out.append(Pulled(pull.token, channel.id, proxy.id, entries, again))
        if pull.lease is None:
            channel.done(proxy, entries, Outcome.DELIVERED)
            continue
        for entry in entries:
            delivery.flight[entry.seq] = entry
            delivery.leases[entry.seq] = now + pull.lease


def cancel_pull(proxy: Proxy, command: CancelPull) -> None:
    """Whoever asked waits no more."""
    delivery = proxy.delivery
    if delivery is not None:
        for pull in [p for p in delivery.pulls if p.token == command.token]:
            delivery.pulls.remove(pull)


def end_pulls(proxy: Proxy) -> None:
    """The proxy is going: whoever waits at it is told."""
    delivery = proxy.delivery
    if delivery is None:
        return
    for pull in delivery.pulls:
        error = Disconnected(f"proxy {proxy.id} of channel {proxy.channel.id} is gone")
        proxy.channel.core.out.append(PullEnded(pull.token, error))
    delivery.pulls.clear()
