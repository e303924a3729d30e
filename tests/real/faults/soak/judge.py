"""Compares the ledgers of a soak with each other, with the history and with the audit on Spark.

A finding begins with one of these words:

- ``lost``: an event that was answered did not come, and nothing names it.
- ``twice``: an event came twice without a mark, or two events have one number.
- ``order``: events of a channel came to a consumer in another order than they were accepted in.
- ``otherwise``: what was sent again was answered otherwise, or an event is not what was sent.
- ``history``: an answered event is not in the history, and nothing names it.
- ``audit``: the audit does not say what the ledgers say.
- ``silent``: damage was done, and the service did not report it.
- ``stuck``: nothing happens any more.
- ``fault``: a program ended with an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

from tests.real.faults.service.ledgers import Consumed, Published
from tests.real.faults.soak.world import CONSUMERS, PUBLISHERS

__all__ = ["Books", "Damaged", "Pair", "judged_audit", "judged_history", "judged_ledgers"]

_FEW: Final = 5
# What an audit finds when a record was damaged before it was archived, or an outcome after it.
_OF_DAMAGE: Final = ("gap", "doubled outcome")


class Pair(NamedTuple):
    """One consumer's copy of an event."""

    consumer: str
    seq: int


@dataclass
class Damaged:
    """What was damaged on purpose, and reported.

    Attributes:
        events: Channel and number of events whose record was hit.
        copies: Copies whose outcome was hit: they may come again, marked.
        records: How many records of any kind were hit.
    """

    events: set[tuple[str, int]] = field(default_factory=set)
    copies: set[Pair] = field(default_factory=set)
    records: int = 0


@dataclass(frozen=True)
class Books:
    """All ledgers at the end.

    Attributes:
        published: By publisher.
        consumed: By consumer.
        damaged: What may be missing.
    """

    published: Mapping[str, Published]
    consumed: Mapping[str, Consumed]
    damaged: Damaged

    def answered(self, channel: str) -> list[tuple[int, str, int]]:
        """Sequence number, producer and its number of all answers."""
        return [
            (seq, name, number)
            for name, ledger in self.published.items()
            if PUBLISHERS[name].channel == channel
            for number, seq in ledger.answers.items()
        ]

    def is_named(self, channel: str, seq: int) -> bool:
        """Whether it is reported that an event is lost."""
        return (channel, seq) in self.damaged.events

    @property
    def channels(self) -> list[str]:
        """All of them."""
        return sorted({part.channel for part in PUBLISHERS.values()})


def judged_ledgers(books: Books) -> Iterator[str]:
    """What is wrong with the ledgers."""
    for name, ledger in books.published.items():
        yield from (f"otherwise: {name}: {one}" for one in ledger.otherwise[:_FEW])
        seqs = [seq for _, seq in sorted(ledger.answers.items())]
        if not ledger.refused and seqs != sorted(seqs):
            yield f"order: {name} was answered out of order"
    for channel in books.channels:
        answers = [seq for seq, _, _ in books.answered(channel)]
        if len(set(answers)) < len(answers):
            yield f"twice: {channel}: one number was the answer to two events"
    for name, taken in books.consumed.items():
        yield from (
            f"{word}: {name}: {what}" for word, what in _judged_consumer(name, books, taken)
        )


def _judged_consumer(name: str, books: Books, ledger: Consumed) -> Iterator[tuple[str, str]]:
    part = CONSUMERS[name]
    answered = books.answered(part.channel)
    wanted = [one for one in answered if part.wants(one[2])]
    came = {one[2:] for one in ledger.took}
    gone = [
        seq
        for seq, *which in wanted
        if tuple(which) not in came and not books.is_named(part.channel, seq)
    ]
    if gone:
        yield "lost", f"{len(gone)} of {len(wanted)}: {sorted(gone)[:_FEW]}"
    seqs = [one.seq for one in ledger.took]
    had = set(seqs)
    if len(had) < len(seqs):
        twice = sorted({seq for seq, after in pairwise(sorted(seqs)) if seq == after})
        yield "twice", f"without a mark: {twice[:_FEW]} ({len(twice)})"
    if len(came) < len(had):
        yield "twice", "one event has two numbers"
    sent = {seq: tuple(which) for seq, *which in answered}
    wrong = [one for one in ledger.took if sent.get(one.seq, one[2:]) != one[2:]]
    wrong += [one for one in ledger.took if not part.wants(one.number)]
    if wrong:
        yield "otherwise", f"{wrong[:_FEW]}"
    if part.kind == "pull":
        return  # an event whose lease is over comes after later ones, marked
    for before, after in pairwise(seqs):
        if after < before:
            yield "order", f"{after} came after {before}"
            return


def judged_history(books: Books, channel: str, kept: Sequence[tuple[int, str, int]]) -> list[str]:
    """What is wrong with the events that the service remembers: number, producer, its number."""
    findings = []
    found = {seq: (producer, number) for seq, producer, number in kept}
    if len(set(found.values())) < len(kept):
        findings.append(f"twice: {channel}: an event is in the history twice")
    gone = [
        seq
        for seq, *which in books.answered(channel)
        if found.get(seq) != tuple(which) and not books.is_named(channel, seq)
    ]
    if gone:
        findings.append(f"history: {channel}: {len(gone)} are missing: {sorted(gone)[:_FEW]}")
    return findings


def _is_of_damage(fault: Mapping[str, Any], damaged: Damaged) -> bool:
    """Whether what an audit finds follows from what was damaged."""
    if fault["kind"] == "missing outcome":
        # An event that was archived before its record was hit: nobody knows any more who waited.
        hit = {(fault["channel"], pair["seq"]) for pair in fault["pairs"]}
        return bool(hit) and hit <= damaged.events
    return bool(damaged.records) and fault["kind"] in _OF_DAMAGE


def judged_audit(books: Books, audit: Mapping[str, Any]) -> Iterator[str]:
    """Whether an audit, as JSON, says what the ledgers say."""
    damaged = books.damaged
    for fault in (one for one in audit["findings"] if one["fault"]):
        if not _is_of_damage(fault, damaged):
            yield f"audit: {fault['kind']}: {fault['sentence']}"
    accounts = {one["channel"]: one for one in audit["accounts"]}
    for channel in books.channels:
        one = accounts[channel]
        took = sum(
            len(ledger.seqs)
            for name, ledger in books.consumed.items()
            if CONSUMERS[name].channel == channel
        )
        # Damage that came before the archive, or that made a copy come again, is not counted.
        spare = sum(pair.consumer.startswith(channel) for pair in damaged.copies)
        spare += len(CONSUMERS) * sum(where == channel for where, _ in damaged.events)
        events = len(books.answered(channel))
        if abs(one["events"] - events) > spare:
            yield f"audit: {channel} has {one['events']} events, the publishers' ledgers {events}"
        if abs(one["delivered"] - took) > spare:
            yield f"audit: {channel} has {one['delivered']} delivered, the ledgers {took}"
        others = one["pairs"] - one["delivered"]
        if others > spare:
            yield f"audit: {channel} has {others} copies that were not delivered: {one}"
