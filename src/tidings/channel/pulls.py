"""Pull consumers: who asks gets what waits, or waits itself."""

from __future__ import annotations

from typing import NamedTuple

from tidings.channel.commands import CancelPull, Pull
from tidings.channel.delivery import Delivery, again_among, begin_pacing, delivery_of, taken
from tidings.channel.effects import Pulled, PullEnded
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Form, Style
from tidings.errors import Disconnected, InvalidUsage
from tidings.events.texts import shortened


class WaitingPull(NamedTuple):
    """A pull that has not been answered.

    Attributes:
        token: The engine's number for it.
        most: At most so many events.
        until: When it stops waiting, host time; None for never.
        lease: How long the consumer has to acknowledge; None if the engine does it.
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
    if type(command.most) is not int or command.most < 1:
        raise InvalidUsage(f"a pull asks for at least one event, not for {shortened(command.most)}")
    proxy.attached = True  # whoever asks is there
    delivery = delivery_of(proxy)
    most = command.most if proxy.form is Form.SEQUENCE or command.lease is not None else 1
    until = None if command.wait is None else now + command.wait
    delivery.pulls.append(WaitingPull(command.token, most, until, command.lease))
    serve_pulls(proxy, delivery, now)
    if command.wait == 0 and not delivery.spilled:  # else it waits for what is on the disk
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
    if pacing:
        begin_pacing(proxy, delivery, now)
    while delivery.pulls and len(delivery.queue):
        pull = delivery.pulls[0]
        patient = pull.until is None or pull.until > now
        if pacing and patient and len(delivery.queue) < pull.most:
            first = now if delivery.first_at is None else delivery.first_at
            if now < first + pacing:
                delivery.first_at = first
                return
        entries = taken(proxy, delivery, pull.most, now)
        if not entries:
            return
        delivery.pulls.popleft()
        delivery.first_at = None
        channel = proxy.channel
        again = again_among(delivery, entries)
        channel.core.out.append(Pulled(pull.token, channel.id, proxy.id, entries, again))
        for entry in entries:
            delivery.flight[entry.seq] = entry
            if pull.lease is not None:
                delivery.leases[entry.seq] = now + pull.lease


def cancel_pull(proxy: Proxy, command: CancelPull) -> None:
    """Whoever asked waits no more."""
    delivery = proxy.delivery
    if delivery is not None:
        for pull in [p for p in delivery.pulls if p.token == command.token]:
            delivery.pulls.remove(pull)


def end_pulls(proxy: Proxy) -> None:
    """The connection ends: whoever waits at the proxy is told."""
    delivery = proxy.delivery
    if delivery is None:
        return
    for pull in delivery.pulls:
        where = f"proxy {proxy.id} of channel {proxy.channel.id}"
        error = Disconnected(f"the connection to {where} has ended")
        proxy.channel.core.out.append(PullEnded(pull.token, error))
    delivery.pulls.clear()
