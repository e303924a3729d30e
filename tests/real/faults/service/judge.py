"""Compares the ledgers of publishers and consumers, and what the service itself remembers.

A finding begins with one of these words:

- ``missing``: an event that was answered did not come, or is not in the journal.
- ``twice``: an event is in a ledger or in the journal twice, or was handed out twice.
- ``order``: events came in another order than they were sent in.
- ``otherwise``: what was sent again was answered otherwise, or an event is not what was sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tests.real.faults.service.ledgers import Consumed, Published, Took

__all__ = ["Events", "judged", "judged_consumer", "judged_journal"]

Events = Mapping[int, tuple[str, int]]
"""By sequence number, the producer and its number."""

# So many are named in a finding.
_FEW = 5


def judged(
    published: Mapping[str, Published],
    consumed: Mapping[str, Consumed],
    plain: Sequence[str] = (),
) -> list[str]:
    """What is wrong with the ledgers.

    Args:
        published: By producer.
        consumed: By subscription.
        plain: Subscriptions that ask by HTTP alone: the service tells them what comes again,
            and nobody else keeps it from them, nor in order.
    """
    findings: list[str] = []
    answered: dict[int, tuple[str, int]] = {}
    for producer, ledger in published.items():
        findings += [f"otherwise: {producer}: {one}" for one in ledger.otherwise[:_FEW]]
        seqs = list(ledger.answers.items())
        for number, seq in seqs:
            other = answered.setdefault(seq, (producer, number))
            if other != (producer, number):
                findings.append(f"twice: {seq} was the answer to {other}, {producer} {number}")
        ordered = [seq for _, seq in sorted(seqs)]
        if ordered != sorted(ordered):
            findings.append(f"order: {producer} was answered out of order")
    for name, taken in consumed.items():
        wrong = judged_consumer(taken, answered, plain=name in plain)
        findings += [f"{one[0]}: {name}: {one[1]}" for one in wrong]
    return findings


def judged_consumer(
    ledger: Consumed, answered: Events, *, plain: bool = False
) -> Iterator[tuple[str, str]]:
    """What is wrong with the ledger of a consumer: what it is, and where."""
    which = {one[2:]: one.seq for one in ledger.took}
    if gone := [one for one in sorted(answered.items()) if one[1] not in which]:
        yield "missing", f"{len(gone)} of {len(answered)}: {gone[:_FEW]}"
    seqs = [one.seq for one in ledger.took]
    if len(set(seqs)) < len(seqs):
        twice = sorted({seq for seq, after in pairwise(sorted(seqs)) if seq == after})
        yield "twice", f"without a mark: {twice[:_FEW]} ({len(twice)})"
    if len(which) < len(set(seqs)):
        yield "twice", "one event has two sequence numbers"
    if wrong := [one for one in ledger.took if answered.get(one.seq, one[2:]) != one[2:]]:
        yield "otherwise", f"{wrong[:_FEW]}"
    if not plain:
        yield from _handed_out(ledger, seqs)
        yield from _numbers(ledger.took)


def _handed_out(ledger: Consumed, seqs: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The client hands nothing out twice in one life of a program, and all in order."""
    once = {(one.session, one.seq) for one in ledger.took}
    if twice := [one for one in ledger.again if (one.session, one.seq) in once]:
        yield "twice", f"handed out to the same process: {twice[:_FEW]} ({len(twice)})"
    for before, after in pairwise(seqs):
        if after < before:
            yield "order", f"{after} came after {before}"
            return


def _numbers(took: Sequence[Took]) -> Iterator[tuple[str, str]]:
    last: dict[str, int] = {}
    for one in took:
        if one.number != last.get(one.producer, 0) + 1:
            yield "order", f"{one} came after number {last.get(one.producer, 0)}"
            return
        last[one.producer] = one.number


def judged_journal(kept: Sequence[tuple[int, str, int]], answered: Events) -> list[str]:
    """What is wrong with the events that the service remembers: number, producer, its number."""
    findings = []
    seqs = [seq for seq, _, _ in kept]
    if seqs != list(range(1, len(seqs) + 1)):
        findings.append("order: the numbers in the journal have gaps")
    if len({one[1:] for one in kept}) < len(kept):
        findings.append("twice: an event is in the journal twice")
    found = {seq: (producer, number) for seq, producer, number in kept}
    if gone := [seq for seq, which in answered.items() if found.get(seq) != which]:
        findings.append(f"missing: {sorted(gone)[:_FEW]} ({len(gone)}) are not in the journal")
    return findings
