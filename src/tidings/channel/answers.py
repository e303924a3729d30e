"""What consumers answer: taken, failed, never again; and what comes back from the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Final

from tidings.channel.channel import Channel
from tidings.channel.commands import Ack, Failed, Lost, Redrive, Refilled, Reject, Revoke
from tidings.channel.delivery import Delivery, delivery_of, noted_cause, put_back
from tidings.channel.effects import (
    Accepted,
    Cause,
    DeadLetter,
    Done,
    NoticeKind,
    Outcome,
    Refill,
    Unspill,
)
from tidings.channel.entries import Entry
from tidings.channel.holders import Proxy
from tidings.channel.overflow import overflow, put_behind_spilled, spill
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Style
from tidings.errors import Disconnected, InvalidUsage

# Longer reasons are cut: they are kept with every event that failed.
MAX_REASON: Final = 1_000


def acked(proxy: Proxy, command: Ack) -> None:
    """The consumer has taken events; numbers not in flight are ignored."""
    delivery = proxy.delivery
    if delivery is None or not _landed(proxy, delivery, command.seqs, Outcome.DELIVERED):
        return
    if delivery.failures:
        delivery.failures = delivery.retry_at = 0


def lost(proxy: Proxy, command: Lost) -> None:
    """Events cannot be delivered, for their content is lost; numbers not in flight are ignored."""
    delivery = proxy.delivery
    if delivery is not None:
        _landed(proxy, delivery, command.seqs, Outcome.LOST)


def _landed(proxy: Proxy, delivery: Delivery, seqs: Sequence[int], outcome: Outcome) -> bool:
    """Ends the flight of events; whether some of them were in flight."""
    flight = delivery.flight
    found = map(flight.pop, seqs, repeat(None))
    entries = [entry for entry in found if entry is not None]
    if not entries:
        return False
    if delivery.leases:
        for entry in entries:
            delivery.leases.pop(entry.seq, None)
    channel = proxy.channel
    channel.done(proxy, entries, outcome)
    channel.core.touched[proxy] = None
    return True


def failed(proxy: Proxy, command: Failed, now: int, end: Callable[[Proxy, bool], None]) -> None:
    """Events could not be handed over: they are tried again after a pause.

    Args:
        proxy: Whose events.
        command: Which ones, and why.
        now: Host time.
        end: Ends a proxy, and says whether its client is to be told.
    """
    channel = proxy.channel
    if command.gone:
        end(proxy, False)
        return
    delivery = proxy.delivery
    back = put_back(proxy, command.seqs)
    if delivery is None or not back:
        return
    reason = kept_reason(command.reason)
    cause = Cause(now + channel.core.offset, reason)
    noted_cause(delivery, back, cause)
    channel.core.touched[proxy] = None
    if proxy.style is Style.PULL:
        return  # who pulls asks again
    settings = channel.core.settings
    if command.behind:
        _pause(delivery, settings, now)
        return
    if delivery.retry_at > now:
        return  # handed over before the pause: the same failure
    delivery.failures += 1
    text = f"{delivery.failures} failed deliveries in a row; the last: {reason}"
    if not proxy.durable and delivery.failures >= settings.retry_limit:
        proxy.notice(NoticeKind.GIVEN_UP, text)
        bury(proxy, delivery, delivery.all_entries(), cause, Outcome.DEAD)
        end(proxy, True)
        return
    if delivery.failures == 1:
        proxy.notice(NoticeKind.FAILING, text)
    _pause(delivery, settings, now)


def _pause(delivery: Delivery, settings: Settings, now: int) -> None:
    """Hands over nothing for a while: longer with each failure in a row."""
    pause = settings.retry_first << min(max(delivery.failures - 1, 0), 30)
    delivery.retry_at = now + min(pause, settings.retry_longest)


def rejected(proxy: Proxy, command: Reject, now: int) -> None:
    """The consumer will never take these events."""
    delivery = proxy.delivery
    if delivery is None:
        return
    flight = delivery.flight
    entries = [flight[seq] for seq in dict.fromkeys(command.seqs) if seq in flight]
    if not entries:
        return
    cause = Cause(now + proxy.channel.core.offset, kept_reason(command.reason))
    noted_cause(delivery, entries, cause)
    bury(proxy, delivery, entries, cause, Outcome.REJECTED)
    too_many = delivery.withdraw([entry.seq for entry in entries])
    if too_many:
        proxy.channel.done(proxy, too_many, Outcome.DISCARDED)
    proxy.channel.core.touched[proxy] = None


def kept_reason(reason: object) -> str:
    """A consumer's words as they can be written down: whatever they are, nobody else suffers."""
    text = reason if isinstance(reason, str) else repr(reason)
    return text[:MAX_REASON].encode("utf-8", "backslashreplace").decode()


def bury(
    proxy: Proxy, delivery: Delivery, entries: Sequence[Entry], last: Cause, outcome: Outcome
) -> None:
    """Makes dead letters of events, of the last ones if they are too many; with their causes."""
    channel = proxy.channel
    dead = list(entries[-channel.core.settings.limits.dead_letters :])
    for entry in dead:
        causes = tuple(delivery.causes.get(entry.seq, ())) or (last,)
        channel.core.out.append(DeadLetter(channel.id, proxy.id, entry, last.at, causes))
    delivery.withdraw([entry.seq for entry in dead])
    if dead:
        channel.done(proxy, dead, outcome)


def redrive(proxy: Proxy, command: Redrive, now: int) -> None:
    """Delivers a dead letter again.

    Raises:
        Disconnected: Nobody is connected to the proxy.
        InvalidUsage: The consumer waits for the event already.
    """
    channel = proxy.channel
    if not proxy.connected:
        raise Disconnected(f"nobody is connected to proxy {proxy.id} of channel {channel.id}")
    entry = command.entry
    delivery = delivery_of(proxy)
    if entry.seq not in channel.live:
        channel.core.octets += entry.octets
    elif any(other.seq == entry.seq for other in delivery.all_entries()):
        raise InvalidUsage(f"event {entry.seq} waits for proxy {proxy.id} already")
    channel.core.out.append(Done(channel.id, proxy.id, Outcome.REDRIVEN, 1, ()))
    delivery.counted(Outcome.REDRIVEN, [entry])
    delivery.again.add(entry.seq)
    channel.load([entry])
    channel.backlog = None
    durable = [proxy.id] if proxy.durable else []
    channel.core.out.append(
        Accepted(
            channel.id,
            entry.seq,
            command.event,
            command.arrival,
            command.plan,
            None,
            (),
            entry,
            None,
            [proxy.id],
            durable,
            {},
        )
    )
    channel.enqueue(proxy, entry, None, now)


def purge(proxy: Proxy) -> int:
    """Drops all events that wait for a consumer; how many."""
    delivery = proxy.delivery
    if delivery is None:
        return 0
    channel, dropped = proxy.channel, delivery.waiting
    waiting = [entry.seq for entry in delivery.all_entries() if entry.seq not in delivery.flight]
    if waiting:
        channel.done(proxy, delivery.withdraw(waiting), Outcome.PURGED)
    if delivery.spilled:
        delivery.purged = channel.seq
        _purge_spilled(proxy, delivery)
    channel.backlog = None
    channel.core.touched[proxy] = None
    return dropped


def _purge_spilled(proxy: Proxy, delivery: Delivery) -> None:
    """Asks for what is on the disk and to be dropped, unless some of it is on its way."""
    if delivery.refilling is not None:
        return
    delivery.refilling = order = delivery.queue.order
    channel = proxy.channel
    most = max(1, channel.core.settings.limits.entries_per_consumer // 2)
    channel.core.out.append(Refill(channel.id, proxy.id, order.name.lower(), most))


def refilled(proxy: Proxy, command: Refilled, now: int) -> None:
    """Entries are back from the disk; what was purged meanwhile is dropped."""
    delivery = delivery_of(proxy)
    dropped = [entry for entry in command.entries if entry.seq <= delivery.purged]
    if dropped:
        kept = [entry for entry in command.entries if entry.seq > delivery.purged]
        command = command._replace(entries=kept)
        proxy.channel.load(dropped)
        proxy.channel.done(proxy, dropped, Outcome.PURGED)
    _refilled(proxy, command, now)
    if not delivery.spilled:
        delivery.purged = 0
    elif delivery.purged:
        _purge_spilled(proxy, delivery)


def _refilled(proxy: Proxy, command: Refilled, now: int) -> None:
    """Asked for, entries come before everything that stayed on the disk."""
    delivery = delivery_of(proxy)
    channel = proxy.channel
    channel.spilled += command.left - delivery.spilled
    delivery.spilled = command.left
    if not command.asked and command.left:
        # The disk would not take them, and what it has may come first: the next refill tells.
        channel.load(command.entries)
        delivery.held += command.entries
        channel.core.touched[proxy] = None
        return
    asked = delivery.refilling if command.asked else None
    if command.asked:
        delivery.refilling = None
    if asked is not None and asked is not delivery.queue.order and command.left:
        # The best in an order that counts no more: the best in the new one may be on the disk.
        channel.load(command.entries)
        spill(proxy, delivery, command.entries)
        channel.core.touched[proxy] = None
        return
    if not command.left:
        delivery.boundary = None
    elif command.entries:
        delivery.boundary = command.entries[-1]
    channel.load(command.entries)
    channel.backlog = None
    held, delivery.held = delivery.held, []
    for entry in sorted([*command.entries, *held], key=attrgetter("seq")):
        if delivery.goes_before_spilled(entry):
            delivery.queue.push(entry)
        else:
            put_behind_spilled(proxy, delivery, entry)
    if delivery.is_over():
        overflow(proxy, delivery, now)
    channel.core.touched[proxy] = None


def revoked(channel: Channel, command: Revoke) -> None:
    """Events that could not be written were never accepted: they leave no trace."""
    core = channel.core
    for proxy, delivery in channel.deliveries():
        for entry in delivery.withdraw(command.seqs):
            delivery.again.discard(entry.seq)
            if channel.live.pop(entry.seq, None) is not None:
                core.octets -= entry.octets
        if delivery.spilled or delivery.refilling:  # how many are left is told by the next refill
            core.out.append(Unspill(channel.id, proxy.id, list(command.seqs)))
        core.touched[proxy] = None
    channel.backlog = None
    for mark in command.marks:
        channel.marks.forget(mark)
    # Their numbers are free again if nothing came after them.
    if sorted(command.seqs) == list(range(channel.seq - len(command.seqs) + 1, channel.seq + 1)):
        channel.seq -= len(command.seqs)
    else:
        channel.skipped += len(command.seqs)
