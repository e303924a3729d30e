"""After recovery: restores the core and its backlog."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tidings.channel.channel import Channel
from tidings.channel.effects import Effect
from tidings.channel.entries import Entry
from tidings.channel.factory import Factory
from tidings.engine.cores import Cores
from tidings.engine.losses import Losses, LossReports
from tidings.engine.recording import HOST_ORIGIN, Recorder
from tidings.engine.recovery import ChannelState, Recovered, uncollected
from tidings.engine.storage import Storage
from tidings.stores.journal import Journal
from tidings.stores.payloads import marks_payload
from tidings.stores.records import Kind, Record

log = logging.getLogger(__name__)

# So many events that wait are kept from the collector: each of its full runs would look at all
# of them, and hold up the loop for as long as that takes.
_VERY_MANY: Final = 100_000
# Events taken in before the loop gets a turn.
_AT_ONCE: Final = 500


class Resumed(NamedTuple):
    """The parts of a host to restore; the factory has no channels yet."""

    factory: Factory
    cores: Cores
    storage: Storage
    reports: LossReports
    perform: Callable[[Sequence[Effect]], None]
    now: Callable[[], int]


async def resume(
    host: Resumed, found: Recovered, archived: Mapping[bytes, tuple[str, int]] | None = None
) -> None:
    """Bring a new host into the state before the stop.

    `archived` is what its archive knows: by origin, name and highest number of each channel.
    """
    waiting = sum(len(state.pending) for state in found.channels.values())
    with uncollected():
        await _resume(host, found, archived or {})
        if waiting >= _VERY_MANY:
            gc.freeze()


async def _resume(
    host: Resumed, found: Recovered, archived: Mapping[bytes, tuple[str, int]]
) -> None:
    origins = found.origins()
    factory, recorder, reports = host.factory, host.storage.recorder, host.reports
    recorder.origins = origins
    recorder.origin_texts = {id: origin.hex() for id, origin in origins.items()}
    passed_over = factory.restore(found.states, found.last_channel)
    passed_over += host.cores.restore(found.cores)
    for what in passed_over:
        log.warning("passed over on recovery: %s", what)
    store = host.storage.journal
    reports.losses = Losses(store.book, recorder.origin_texts, store.dropped)
    note_losses(reports.losses, store.journal, found, factory, passed_over, archived, host.now())
    await reports.tell_all()
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
    effects = factory.recovered(versions, host.now())
    host.perform(effects)


def note_losses(
    losses: Losses,
    journal: Journal,
    found: Recovered,
    factory: Factory,
    passed_over: Sequence[str],
    archived: Mapping[bytes, tuple[str, int]],
    now: int,
) -> None:
    """Record the cost of damage found when a journal was opened.

    A channel or subscription is lost if another record names it, it has no record itself, and it
    was not removed. `archived` is as for `resume`.
    """
    if not (losses.damaged(journal.damage, now) or found.unreadable):
        return
    ids = {origin: id for id, origin in found.origins().items()}
    for text in passed_over:
        losses.add_object(text, text, now)
    for origin in sorted({*found.channels, *archived} - found.destroyed - {HOST_ORIGIN}):
        state = found.channels.get(origin) or ChannelState()
        name, highest = archived.get(origin, ("", 0))
        channel = factory.channels.get(ids.get(origin, 0))
        if channel is None:
            if not (found.holes or state.pending):  # only what came after its end is left of it
                continue
            text = _lost_channel(origin, name, max(highest, state.seq), len(state.pending))
            losses.add_object(f"channel {origin.hex()}", text, now)
            continue
        losses.add_events(channel.id, state.lost)
        losses.add_runs(channel.id, [(max(state.seq, state.used) + 1, highest)])
        named = {proxy for one in state.pending.values() for proxy in one[5]}
        for proxy in sorted(named.difference(channel.proxies)):
            if (channel.id, "proxy", str(proxy)) not in found.gone:
                text = f"the subscription {proxy} of channel {channel.id}"
                losses.add_object(f"subscription {origin.hex()} {proxy}", text, now)
    if found.unreadable:
        text = f"{found.unreadable} records that this version does not understand"
        losses.add_object(text, text, now)


def _lost_channel(origin: bytes, name: str, highest: int, waiting: int) -> str:
    called = f"{name} ({origin.hex()})" if name else origin.hex()
    upto = f" up to {highest}" if highest else ""
    return f"the channel {called}, with its subscriptions and events{upto}; {waiting} of them wait"


def last_words(factory: Factory, recorder: Recorder) -> list[Record]:
    """Return the records of a clean stop: how far the numbers went, and producers' marks."""
    records: list[Record] = []
    for id, channel in factory.channels.items():
        origin = recorder.origins[id]
        if channel.seq:  # also if all are in the journal: the record of the last may get lost
            records.append(recorder.reserved(channel.reservation()._replace(upto=channel.seq)))
        if len(channel.marks):
            payload = marks_payload(channel.marks.to_plain())
            records.append(Record(Kind.MARK, origin, 0, payload))
    return records


async def _load(host: Resumed, channel: Channel, state: ChannelState) -> None:
    """Queue a channel's waiting events again, in the order of their numbers."""
    load, held = host.factory.load_pending, host.storage.bodies.of(channel.id)
    now = host.now()
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
            host.perform(host.factory.loaded())
            await asyncio.sleep(0)
