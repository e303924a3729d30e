"""Findings of an audit, worded for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from tidings.pipeline.audit.pairs import DISAGREES, DOUBLED, NOT_ENDED, WRONG
from tidings.pipeline.audit.result import Finding, FindingKind, PairId
from tidings.pipeline.audit.tally import BadPair, MissingEvents, MissingOutcomes, Total

# Numbers named in a sentence; the finding lists more.
_SAID: Final = 5


class ChannelFaults:
    """The faults of channels, worded for people; `names` are those of channels by origin."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.findings: list[Finding] = []

    def add(
        self,
        kind: FindingKind,
        origin: str,
        said: str,
        count: int = 1,
        pairs: Iterable[PairId] = (),
        version: int | None = None,
    ) -> None:
        """Add a fault in a channel."""
        name = self._names.get(origin, origin)
        sentence = f"channel {name}: {said}"
        finding = Finding(kind, True, sentence, name, origin, count, tuple(pairs), version)
        self.findings.append(finding)

    def add_bad_pairs(
        self, bad: Iterable[BadPair], lacking: Mapping[tuple[str, int], list[int]]
    ) -> None:
        """Add one fault per channel, kind and version; `bad` must be sorted by these."""
        of_one_kind = attrgetter("origin", "state", "version")
        for (origin, state, version), group in groupby(bad, of_one_kind):
            pairs = list(group)
            total, ids = pairs[0].total, [PairId(pair.seq, pair.proxy) for pair in pairs]
            kind, words = _BAD_PAIRS[state]
            said = words(pairs[0], lacking.get((origin, pairs[0].seq), ()))
            if total > 1 and state != DISAGREES:
                said += f"; and {total - 1} more of this kind"
            self.add(kind, origin, said, total, ids, version)

    def add_orphans(self, orphans: Iterable[BadPair], by_books: Mapping[str, bool]) -> None:
        """Add one fault per channel for events of which only outcomes exist.

        `orphans` are sorted by origin; `by_books` says whether the books miss these events, too,
        and lacks origins for which that is unknown.
        """
        for origin, group in groupby(orphans, attrgetter("origin")):
            pairs = [PairId(pair.seq, pair.proxy) for pair in group]
            seqs = sorted({pair.seq for pair in pairs})
            books = {
                True: "the archiver's books had them",
                False: "the archiver's books do not know them, either",
                None: "the books were not asked",
            }[by_books.get(origin)]
            them = "it" if len(seqs) == 1 else "them"
            said = f"{events_text(seqs)} cannot be found, and outcomes of {them} can; {books}"
            self.add(FindingKind.EVENT_MISSING, origin, said, len(seqs), pairs)

    def add_missing_events(
        self, origin: str, rows: Total, books: Total, lacking: MissingEvents
    ) -> None:
        """Add what the difference between rows and books of a channel tells."""
        counted = f"the archive has {rows.count} events, and the archiver's books {books.count}"
        if lacking.named:
            said = f"{events_text(lacking.named)} cannot be found: {counted}, whose numbers name it"
            pairs = map(PairId, lacking.named)
            self.add(FindingKind.EVENT_MISSING, origin, said, len(lacking.named), pairs)
        if lacking.unnamed.count:
            said = (
                f"{lacking.unnamed.count} events cannot be found, whose numbers add up to "
                f"{lacking.unnamed.sum}: {counted}"
            )
            self.add(FindingKind.EVENT_MISSING, origin, said, lacking.unnamed.count)
        if lacking.extra.count:
            one = (lacking.extra.sum,) if lacking.extra.count == 1 else ()
            which = events_text(one) if one else "some"
            said = f"{counted}; {which} should not be there, or not twice"
            pairs = map(PairId, one)
            self.add(FindingKind.BOOKS_DISAGREE, origin, said, lacking.extra.count, pairs)
        if lacking.changed:
            said = (
                f"the archive has as many events as the archiver's books, {books.count}, but their "
                f"numbers add up to {rows.sum} instead of {books.sum}: one has the place of another"
            )
            self.add(FindingKind.EVENT_CHANGED, origin, said)

    def add_missing_outcomes(
        self, origin: str, proxy: int, rows: Total, books: Total, lacking: MissingOutcomes
    ) -> None:
        """Add what the difference between rows and books of a consumer tells."""
        seqs = lacking.named or lacking.suspects
        kind = FindingKind.MISSING_OUTCOME
        if lacking.odd:
            kind = FindingKind.BOOKS_DISAGREE
            said = (
                f"by the rows {rows.count} events wait for proxy {proxy}, whose numbers add up to "
                f"{rows.sum}, and by the archiver's books {books.count} with the sum {books.sum}"
            )
        elif lacking.named:
            have = "has" if len(seqs) == 1 else "have"
            said = (
                f"{events_text(seqs)} {have} no outcome for proxy {proxy}, "
                "and by the archiver's books there was one"
            )
        else:
            sum_ = lacking.sum
            of_sum = "" if sum_ is None else f", of events whose numbers add up to {sum_}"
            said = (
                f"{lacking.outcomes} outcomes of proxy {proxy} are missing by the archiver's "
                f"books{of_sum}; they are among those that wait by the rows: {events_text(seqs)}"
            )
        pairs = (PairId(seq, proxy) for seq in seqs)
        self.add(kind, origin, said, max(1, lacking.outcomes), pairs)


def _listed(seqs: Sequence[int]) -> str:
    texts = [str(seq) for seq in seqs[:_SAID]]
    if len(seqs) > _SAID:
        return f"{', '.join(texts)} …"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def events_text(seqs: Sequence[int]) -> str:
    """Name some events."""
    return f"event{'s' if len(seqs) > 1 else ''} {_listed(seqs)}"


def _doubled(first: BadPair, _: object) -> str:
    return (
        f"event {first.seq} has more than one final outcome for proxy {first.proxy} "
        f"({', '.join(first.outcomes)}), and was not redriven between them"
    )


def _not_ended(first: BadPair, _: object) -> str:
    return (
        f"event {first.seq} was redriven to proxy {first.proxy} as a dead letter "
        f"({', '.join(first.outcomes)}), and the outcome that made it one is missing"
    )


def _wrong(first: BadPair, lacking: Sequence[int]) -> str:
    said = f"event {first.seq} has the outcome {', '.join(first.outcomes)} for proxy {first.proxy}"
    if first.sent:
        said += ", which was not durable: no outcome of it should be there"
    else:
        said += f", to which version {first.plan} of the plan does not send it"
    if lacking:
        said += f"; proxy {_listed(lacking)}, which gets it, lacks one"
    return said


def _disagreeing(first: BadPair, _: object) -> str:
    how = "by the plan and not by the engine" if first.sent else "by the engine and not by the plan"
    return (
        f"version {first.plan} of the plan does not give what the engine decided with it, for "
        f"{first.total} {'pairs' if first.total > 1 else 'pair'} of event and proxy: event "
        f"{first.seq} goes to proxy {first.proxy} {how}; it is not the plan the events were "
        "judged by, or the events are not what they were"
    )


_BAD_PAIRS: Final[dict[str, tuple[FindingKind, Callable[[BadPair, Sequence[int]], str]]]] = {
    DOUBLED: (FindingKind.DOUBLED_OUTCOME, _doubled),
    NOT_ENDED: (FindingKind.MISSING_OUTCOME, _not_ended),
    DISAGREES: (FindingKind.PLAN_DISAGREES, _disagreeing),
    WRONG: (FindingKind.WRONG_PROXY, _wrong),
}
