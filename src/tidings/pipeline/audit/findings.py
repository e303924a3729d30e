"""Findings of an audit, worded for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from tidings.pipeline.audit.pairs import DISAGREES, DOUBLED, NOT_ENDED, WRONG
from tidings.pipeline.audit.result import Finding, FindingKind, PairId
from tidings.pipeline.audit.tally import BadPair, MissingEvents, MissingOutcomes, Total

# Numbers named in a sentence; the finding lists more.
_SAID: Final = 5

_KINDS: Final = {
    DOUBLED: FindingKind.DOUBLED_OUTCOME,
    NOT_ENDED: FindingKind.MISSING_OUTCOME,
    DISAGREES: FindingKind.PLAN_DISAGREES,
    WRONG: FindingKind.WRONG_PROXY,
}


def channel_fault(
    kind: FindingKind,
    channel: tuple[str, str],
    said: str,
    count: int = 1,
    pairs: tuple[PairId, ...] = (),
    version: int | None = None,
) -> Finding:
    """Return a fault in a channel, which is given by origin and name."""
    origin, name = channel
    sentence = f"channel {name}: {said}"
    return Finding(kind, True, sentence, name, origin, count, pairs, version)


def _listed(seqs: Sequence[int]) -> str:
    texts = [str(seq) for seq in seqs[:_SAID]]
    if len(seqs) > _SAID:
        return f"{', '.join(texts)} …"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _events(seqs: Sequence[int]) -> str:
    return f"event{'s' if len(seqs) > 1 else ''} {_listed(seqs)}"


def bad_pair_findings(
    bad: Iterable[BadPair], names: Mapping[str, str], lacking: Mapping[tuple[str, int], list[int]]
) -> list[Finding]:
    """Return one finding per channel, kind and version; `bad` must be sorted by these."""
    found = []
    for (origin, state, version), group in groupby(bad, attrgetter("origin", "state", "version")):
        pairs = list(group)
        name = names.get(origin, origin)
        said = {
            DOUBLED: _doubled,
            NOT_ENDED: _not_ended,
            DISAGREES: _disagreeing,
            WRONG: _wrong,
        }[state](pairs, lacking)
        more = pairs[0].total - 1
        also = f"; and {more} more of this kind" if more and state != DISAGREES else ""
        found.append(
            channel_fault(
                _KINDS[state],
                (origin, name),
                f"{said}{also}",
                pairs[0].total,
                tuple(PairId(pair.seq, pair.proxy) for pair in pairs),
                version,
            )
        )
    return found


def _doubled(pairs: Sequence[BadPair], _: object) -> str:
    first = pairs[0]
    return (
        f"event {first.seq} has more than one final outcome for proxy {first.proxy} "
        f"({', '.join(first.outcomes)}), and was not redriven between them"
    )


def _not_ended(pairs: Sequence[BadPair], _: object) -> str:
    first = pairs[0]
    return (
        f"event {first.seq} was redriven to proxy {first.proxy} as a dead letter "
        f"({', '.join(first.outcomes)}), and the outcome that made it one is missing"
    )


def _wrong(pairs: Sequence[BadPair], lacking: Mapping[tuple[str, int], list[int]]) -> str:
    first = pairs[0]
    said = f"event {first.seq} has the outcome {', '.join(first.outcomes)} for proxy {first.proxy}"
    if first.sent:
        said += ", which was not durable: no outcome of it should be there"
    else:
        said += f", to which version {first.plan} of the plan does not send it"
    others = lacking.get((first.origin, first.seq))
    if others:
        said += f"; proxy {_listed(others)}, which gets it, lacks one"
    return said


def _disagreeing(pairs: Sequence[BadPair], _: object) -> str:
    first = pairs[0]
    how = "by the plan and not by the engine" if first.sent else "by the engine and not by the plan"
    return (
        f"version {first.plan} of the plan does not give what the engine decided with it, for "
        f"{first.total} {'pairs' if first.total > 1 else 'pair'} of event and proxy: event "
        f"{first.seq} goes to proxy {first.proxy} {how}; it is not the plan the events were "
        "judged by, or the events are not what they were"
    )


def orphan_findings(
    orphans: Iterable[BadPair], names: Mapping[str, str], *, by_books: Mapping[str, bool]
) -> list[Finding]:
    """Return one finding per channel for events of which only outcomes exist.

    `orphans` are sorted by origin; `by_books` says whether the books miss these events, too, and
    lacks origins for which that is unknown.
    """
    found = []
    for origin, group in groupby(orphans, attrgetter("origin")):
        pairs = list(group)
        name = names.get(origin, origin)
        seqs = sorted({pair.seq for pair in pairs})
        said = {
            True: "the archiver's books had them",
            False: "the archiver's books do not know them, either",
            None: "the books were not asked",
        }[by_books.get(origin)]
        found.append(
            channel_fault(
                FindingKind.EVENT_MISSING,
                (origin, name),
                f"{_events(seqs)} cannot be found, and outcomes of "
                f"{'it' if len(seqs) == 1 else 'them'} can; {said}",
                len(seqs),
                tuple(PairId(pair.seq, pair.proxy) for pair in pairs),
            )
        )
    return found


def missing_event_findings(
    origin: str, name: str, rows: Total, books: Total, lacking: MissingEvents
) -> list[Finding]:
    """Return findings for the difference between rows and books of a channel."""
    counted = f"the archive has {rows.count} events, and the archiver's books {books.count}"
    said: list[tuple[FindingKind, str, int, tuple[int, ...]]] = []
    if lacking.named:
        text = f"{_events(lacking.named)} cannot be found: {counted}, whose numbers name it"
        said.append((FindingKind.EVENT_MISSING, text, len(lacking.named), lacking.named))
    if lacking.unnamed.count:
        text = (
            f"{lacking.unnamed.count} events cannot be found, whose numbers add up to "
            f"{lacking.unnamed.sum}: {counted}"
        )
        said.append((FindingKind.EVENT_MISSING, text, lacking.unnamed.count, ()))
    if lacking.extra.count:
        one = (lacking.extra.sum,) if lacking.extra.count == 1 else ()
        text = f"{counted}; {_events(one) if one else 'some'} should not be there, or not twice"
        said.append((FindingKind.BOOKS_DISAGREE, text, lacking.extra.count, one))
    if lacking.changed:
        text = (
            f"the archive has as many events as the archiver's books, {books.count}, but their "
            f"numbers add up to {rows.sum} instead of {books.sum}: one has the place of another"
        )
        said.append((FindingKind.EVENT_CHANGED, text, 1, ()))
    return [
        channel_fault(kind, (origin, name), text, count, tuple(PairId(seq) for seq in seqs))
        for kind, text, count, seqs in said
    ]


def missing_outcome_finding(
    origin: str, name: str, proxy: int, rows: Total, books: Total, lacking: MissingOutcomes
) -> Finding:
    """Return the finding for the difference between rows and books of a consumer."""
    seqs = lacking.named or lacking.suspects
    if lacking.odd:
        kind = FindingKind.BOOKS_DISAGREE
        said = (
            f"by the rows {rows.count} events wait for proxy {proxy}, whose numbers add up to "
            f"{rows.sum}, and by the archiver's books {books.count} with the sum {books.sum}"
        )
    elif lacking.named:
        kind = FindingKind.MISSING_OUTCOME
        said = (
            f"{_events(seqs)} {'has' if len(seqs) == 1 else 'have'} no outcome for proxy {proxy}, "
            "and by the archiver's books there was one"
        )
    else:
        kind = FindingKind.MISSING_OUTCOME
        sum_ = "" if lacking.sum is None else f", of events whose numbers add up to {lacking.sum}"
        said = (
            f"{lacking.outcomes} outcomes of proxy {proxy} are missing by the archiver's "
            f"books{sum_}; they are among those that wait by the rows: {_events(seqs)}"
        )
    pairs = tuple(PairId(seq, proxy) for seq in seqs)
    return channel_fault(kind, (origin, name), said, max(1, lacking.outcomes), pairs)


def doubled_event_findings(
    doubled: Mapping[str, list[int]], counts: Mapping[str, int], names: Mapping[str, str]
) -> list[Finding]:
    """Return findings for sequence numbers that occur more than once."""
    return [
        channel_fault(
            FindingKind.EVENT_DOUBLED,
            (origin, names.get(origin, origin)),
            f"{_events(seqs)} {'stands' if len(seqs) == 1 else 'stand'} "
            "in the archive more than once",
            counts[origin],
            tuple(PairId(seq) for seq in seqs),
        )
        for origin, seqs in doubled.items()
    ]
