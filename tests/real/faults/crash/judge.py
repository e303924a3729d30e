"""Opens a host on what a crash left, and compares it with the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.scene import (
    CONSUMERS,
    SEGMENT_OCTETS,
    SOURCE,
    URGENT,
    Numbered,
    channel_of,
    drained,
    event_of,
    mark_of,
    numbered,
    objects,
    push,
    wants,
)
from tidings.channel.channel import Channel
from tidings.channel.effects import Message
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.engine.host import Host

__all__ = ["LOST", "judged", "judged_host"]

LOST = "lost"

# A channel remembers `Limits.producer_runs` runs of each pusher: so many numbers at least.
REMEMBERED = DEFAULT_SETTINGS.limits.producer_runs - 1


async def judged(folder: Path, ledger: Ledger, later: Ledger | None = None) -> str | None:
    """What is wrong with a folder after a crash; None if nothing is.

    Args:
        folder: The host's.
        ledger: What was answered before the crash.
        later: What the publisher wrote down in the end, had there been no crash.
    """
    host = await Host.open(folder, segment_octets=SEGMENT_OCTETS)
    try:
        return await judged_host(host, ledger, later)
    finally:
        await host.close(0)


async def judged_host(host: Host, ledger: Ledger, later: Ledger | None = None) -> str | None:
    """The same of a host that was just opened."""
    if wrong := _wrong_objects(objects(host), ledger, later or ledger):
        return wrong
    channel = channel_of(host)
    if channel is None or SOURCE not in channel.names or not ledger.pushing:
        return f"{LOST}: the whole channel" if ledger.pushing else None
    seqs = dict(ledger.pushed)
    for consumer in CONSUMERS:
        found = await drained(host, channel, consumer)
        if wrong := _wrong_events(consumer, found, ledger, seqs):
            return f"{consumer}: {wrong}"
    if len(set(seqs.values())) < len(seqs):
        return f"a sequence number was given twice: {sorted(seqs.values())}"
    return await _wrong_answers(host, channel, ledger, seqs)


def _wrong_objects(found: dict[str, Any], ledger: Ledger, later: Ledger) -> str | None:
    """Every change that was answered is there; the one under way may be, in any part."""
    made = len(ledger.made) - 1
    now = ledger.made[made]
    then = later.made[made + 1] if ledger.making > made and len(later.made) > made + 1 else now
    for name in found.keys() | now.keys() | then.keys():
        if not _lies_between(found.get(name), now.get(name), then.get(name)):
            return (
                f"{LOST}: change {made}: {name} is {found.get(name)}, not {now.get(name)} "
                f"or {then.get(name)}"
            )
    return None


def _lies_between(found: Any, now: Any, then: Any) -> bool:
    """Whether an object is as it was, as it will be, or has ids of what is between the two."""
    if found in (now, then):
        return True
    if not (isinstance(found, dict) and isinstance(now, dict) and isinstance(then, dict)):
        return False
    last = [one.get("last_proxy", 0) for one in (now, found, then)]
    rests = [{**one, "last_proxy": 0} for one in (now, found, then)]
    return sorted(last) == last and rests[1] in (rests[0], rests[2])


def _wrong_events(
    consumer: str, found: Sequence[Message], ledger: Ledger, seqs: dict[Numbered, int]
) -> str | None:
    """Compares what waits for a consumer with what it was promised; adds to the numbers."""

    def wanted(number: Numbered) -> Iterator[bool]:
        return (wants(consumer, number[1], phase) for phase in ledger.phases(number))

    which = [numbered(message) for message in found]
    for number, message in zip(which, found, strict=True):
        phase = ledger.pushing.get(number)
        if phase is None or not any(wanted(number)):
            return f"{number} was never pushed, or is not for it"
        if message.event != event_of(*number, phase) or message.mark != mark_of(*number):
            return f"{number} is not as it was pushed: {message}"
        if seqs.setdefault(number, message.seq) != message.seq:
            return f"{number} had the sequence number {seqs[number]}, not {message.seq}"
    if len(set(which)) < len(which):
        return f"something waits twice: {which}"
    taken = [took for took in ledger.took if took.consumer == consumer]
    durable = ledger.took[: ledger.acknowledged]
    if back := {took.which for took in durable if took.consumer == consumer}.intersection(which):
        return f"acknowledged, the host closed in good order, and back: {sorted(back)}"
    promised = {number for number in ledger.pushed if all(wanted(number))}
    if gone := promised.difference(which, (took.which for took in taken)):
        return f"{LOST}: {sorted(gone)}"
    keys = [(-m.priority if consumer == URGENT else 0, m.seq) for m in found]
    return None if keys == sorted(keys) else f"not in order: {keys}"


async def _wrong_answers(
    host: Host, channel: Channel, ledger: Ledger, seqs: dict[Numbered, int]
) -> str | None:
    """Pushes all again that is remembered: if it was accepted the answer is as before, else new."""
    answers: dict[Numbered, object] = {}
    last = channel.seq
    for which, phase in ledger.pushing.items():
        if which[1] > ledger.last(which[0]) - REMEMBERED:
            [answers[which]] = await push(host, [which], phase)
    known = {which: seq for which, seq in seqs.items() if which in answers}
    if wrong := {n: (answers[n], seq) for n, seq in known.items() if answers[n] != seq}:
        return f"answered otherwise the second time: {wrong}"
    if len(set(answers.values())) < len(answers):
        return f"a sequence number was given twice: {answers}"
    # Some were in the journal, and all their consumers had acknowledged them.
    new = [seq for seq in answers.values() if isinstance(seq, int) and seq > last]
    if sorted(new) != list(range(last + 1, channel.seq + 1)):
        return f"after {last} came {sorted(new)}"
    return None
