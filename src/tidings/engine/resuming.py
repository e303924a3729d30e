"""After recovery: the core is made again, and what waited waits again."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidings.channel.channel import Channel
from tidings.channel.entries import Entry
from tidings.engine.recovery import ChannelState, Recovered, uncollected
from tidings.stores.payloads import marks_payload
from tidings.stores.records import Kind, Record

if TYPE_CHECKING:
    from tidings.engine.host import Host

__all__ = ["last_words", "resume"]

log = logging.getLogger(__name__)

# So many events that wait are kept from the collector: each of its full runs would look at all
# of them, and hold up the loop for as long as that takes.
_VERY_MANY: Final = 100_000
# Events taken in before the loop gets a turn.
_AT_ONCE: Final = 500


async def resume(host: Host, found: Recovered) -> None:
    """Brings a new host into the state before the stop."""
    waiting = sum(len(state.pending) for state in found.channels.values())
    with uncollected():
        await _resume(host, found)
        if waiting >= _VERY_MANY:
            gc.freeze()


async def _resume(host: Host, found: Recovered) -> None:
    origins = found.origins()
    host.recorder.origins = origins
    host.origins = {id: origin.hex() for id, origin in origins.items()}
    factory = host.factory
    passed_over = factory.restore(found.states, found.last_channel)
    for what in passed_over:
        log.warning("passed over on recovery: %s", what)
    store = host.store
    assert store is not None
    damage = host.losses.damaged(store.journal.damage)
    if damage or found.unreadable:
        host.report_damage(damage)
        host.report_losses(*_lost(host, found, passed_over))
    versions: dict[int, int] = {}
    for id, channel in factory.channels.items():
        state = found.channels.pop(origins[id], None) or ChannelState()
        versions[id] = state.plan
        channel.seq = max(state.seq, state.reserved)
        channel.seq_reserved = state.reserved
        channel.skipped = state.skipped + channel.seq - max(state.seq, state.used)
        if channel.skipped > state.skipped:  # or the next start would count them as accepted
            factory.core.out.append(channel.reservation())
        if state.marks is not None:
            channel.marks = state.marks
        await _load(host, channel, state)
    effects = factory.recovered(versions, host.clock.now())
    host.perform_alone(effects)


def _lost(
    host: Host, found: Recovered, passed_over: Sequence[str]
) -> tuple[dict[int, set[int]], list[str]]:
    """What damage has cost: events by channel, and objects in words.

    A channel or subscription is lost if events wait for it, nothing is known of it, and nobody
    has removed it.
    """
    origins = {origin: id for id, origin in host.recorder.origins.items()}
    events: dict[int, set[int]] = {}
    objects = list(passed_over)
    for origin, state in found.channels.items():
        channel = host.factory.channels.get(origins.get(origin, 0))
        if channel is None:
            if state.pending:
                objects.append(f"the channel {origin.hex()}, with {len(state.pending)} events")
            continue
        if state.lost:
            events[channel.id] = state.lost
        named = {proxy for one in state.pending.values() for proxy in one[5]}
        objects += [
            f"the subscription {proxy} of channel {channel.id}"
            for proxy in sorted(named.difference(channel.proxies))
            if (channel.id, "proxy", str(proxy)) not in found.gone
        ]
    if found.unreadable:
        objects.append(f"{found.unreadable} records that this version does not understand")
    return events, objects


def last_words(host: Host) -> list[Record]:
    """What a stop in good order leaves: how far the numbers went, and producers' marks."""
    records: list[Record] = []
    for id, channel in host.factory.channels.items():
        origin = host.recorder.origins[id]
        if channel.seq:  # also if all are in the journal: the record of the last may get lost
            records.append(host.recorder.reserved(channel.reservation()._replace(upto=channel.seq)))
        if len(channel.marks):
            payload = marks_payload(channel.marks.to_plain())
            records.append(Record(Kind.MARK, origin, 0, payload))
    return records


async def _load(host: Host, channel: Channel, state: ChannelState) -> None:
    """Lets a channel's events wait again, in the order of their numbers."""
    load, held = host.factory.load_pending, host.bodies.of(channel.id)
    now = host.clock.now()
    pending = state.pending
    state.pending = {}
    for at, seq in enumerate(sorted(pending)):
        place, expiry, priority, flags, start, proxies, views = pending.pop(seq)
        others = proxies if views is None else tuple(p for p in proxies if p not in views)
        entry = Entry(expiry, seq, priority, 0, flags)
        served = load(channel.id, entry, start, others, now) if others else 0
        for proxy in () if views is None else proxies:
            if proxy in views:
                seen = Entry(views[proxy][0], seq, views[proxy][1], 0, flags)
                served += load(channel.id, seen, start, (proxy,), now)
        if served:
            held[seq] = place
        if at % _AT_ONCE == _AT_ONCE - 1:
            host.perform_alone(host.factory.loaded())
            await asyncio.sleep(0)
