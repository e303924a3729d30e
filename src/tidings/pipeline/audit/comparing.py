"""Compare the counts with the archiver's books and turn the differences into findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from pyspark.sql import DataFrame

from tidings.pipeline.audit.findings import ChannelFaults, events_text
from tidings.pipeline.audit.pairs import ORPHAN, UNKNOWN
from tidings.pipeline.audit.reading import AuditedArchive
from tidings.pipeline.audit.result import Finding, FindingKind, PairId
from tidings.pipeline.audit.tally import (
    BAD,
    NOTHING,
    EventTotals,
    MissingOutcomes,
    TallyRow,
    Total,
    asked_of,
    bad_pairs,
    differences,
    missing_events,
    missing_outcomes,
    odd_pairs,
    orphan_totals,
    waiting_pairs,
)
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.books import Books, chain_digest
from tidings.stores.archive.columns import EVENTS

# Consumers whose waiting events are examined one by one; beyond, the books are only counted.
_MOST_CONSUMERS: Final = 1_000

Consumer = tuple[str, int]


class Counts(NamedTuple):
    """Counts of an audit."""

    events: DataFrame  # each once, as in `audit.pairs.Sources`
    pairs: DataFrame
    totals: Mapping[str, EventTotals]  # by origin
    rows: Sequence[TallyRow]  # by consumer and state
    plans: Sequence[PlanRow]


class Comparison:
    """Comparison of the counts with the books, with findings for the differences.

    `disbelieved` counts by origin the pairs that wait in the rows but not in the books.
    """

    def __init__(self, archive: AuditedArchive, counts: Counts) -> None:
        self._archive = archive
        self._counts = counts
        self._faults = ChannelFaults(archive.names)
        # The books cannot be compared with a part of the events.
        self._books = None if archive.options.is_part else archive.books
        self.books_checked = self._books is not None
        self.disbelieved: dict[str, int] = {}
        self._find_doubled_events()
        self._check_sums()
        rows, books = self._waiting(self._books) if self._books is not None else ({}, {})
        beyond = dict(sorted(differences(rows, books).items()))
        if beyond or any(row.state in BAD for row in counts.rows):
            # One more pass over all pairs, whatever is wrong.
            odd = odd_pairs(counts.pairs, [*beyond][:_MOST_CONSUMERS])
            try:
                self._look_at(odd, rows, books)
            finally:
                odd.unpersist()
        elif self._books is not None:
            self._compare_events(self._books, {}, {})
        if self._books is not None:
            self._compare_plans(self._books)
        more = len(beyond) - _MOST_CONSUMERS
        self.findings = [*self._faults.findings, *_told(counts)]
        if more > 0:
            text = f"the books of {more} more consumers disagree with the rows"
            finding = Finding(FindingKind.BOOKS_DISAGREE, fault=True, sentence=text)
            self.findings.append(finding)

    def _look_at(
        self, odd: DataFrame, rows: Mapping[Consumer, Total], books: Mapping[Consumer, Total]
    ) -> None:
        archive = self._archive
        bad = bad_pairs(odd, self._counts.events, archive.options.sample)
        strays = [pair for pair in bad if pair.state == ORPHAN]
        gone: dict[str, set[int]] = {}
        by_books: dict[str, bool] = {}
        lacking: dict[tuple[str, int], list[int]] = {}
        if self._books is not None:
            orphans = orphan_totals(odd) if strays else {}
            by_books = self._compare_events(self._books, orphans, gone)
            for pair in strays:
                if by_books.get(pair.origin):
                    gone.setdefault(pair.origin, set()).add(pair.seq)
            lacking = self._compare_waiting(odd, rows, books, gone)
        self._faults.add_bad_pairs((pair for pair in bad if pair.state != ORPHAN), lacking)
        # Events that retention has dropped, or of a lost segment, are missing for a known reason.
        lost = (file for file in archive.lost if file.kind == EVENTS)
        explained = {origin for file in (*archive.dropped, *lost) for origin in file.sums}
        self._faults.add_orphans(
            (one for one in strays if one.origin not in explained or by_books.get(one.origin)),
            by_books,
        )

    def _find_doubled_events(self) -> None:
        counts = {origin: one.doubled for origin, one in self._counts.totals.items() if one.doubled}
        if not counts:
            return
        rows = (
            self._archive.rows(EVENTS)
            .groupBy("origin", "seq")
            .count()
            .where("count > 1")
            .orderBy("origin", "seq")
            .limit(self._archive.options.sample)
            .collect()
        )
        for origin, group in groupby(rows, lambda row: str(row[0])):
            seqs = [row[1] for row in group]
            stands = "stands" if len(seqs) == 1 else "stand"
            said = f"{events_text(seqs)} {stands} in the archive more than once"
            pairs = map(PairId, seqs)
            self._faults.add(FindingKind.EVENT_DOUBLED, origin, said, counts[origin], pairs)

    def _check_sums(self) -> None:
        """Check that the engine's lists, counted in another way, have as many pairs."""
        listed: Counter[str] = Counter()
        for row in self._counts.rows:
            listed[row.origin] += row.listed
        for origin, totals in self._counts.totals.items():
            if totals.listed != listed[origin]:
                said = (
                    f"the accounts do not add up: the events name {totals.listed} durable "
                    f"recipients, and {listed[origin]} were accounted for"
                )
                self._faults.add(FindingKind.SUM_WRONG, origin, said)

    def _compare_plans(self, books: Books) -> None:
        histories = plan_histories(self._counts.plans)
        for origin in self._archive.names:
            book = books.channels.get(origin)
            history = histories.get(origin, PlanHistory())
            if book is None or (history.rows, history.digest) == (book.plans, book.plan_digest):
                continue
            said = (
                f"the plans are not those that were archived: there are {history.rows} of "
                f"{book.plans} versions, and their digest is not the one in the archiver's books"
            )
            faults = [f"version {version} {problem}" for version, problem in history.faults[:3]]
            version = history.faults[0][0] if history.faults else None
            said = "; ".join([said, *faults])
            self._faults.add(FindingKind.PLAN_CHANGED, origin, said, version=version)

    def _compare_events(
        self, kept: Books, orphans: Mapping[str, Total], gone: dict[str, set[int]]
    ) -> dict[str, bool]:
        """Return by origin whether the books also miss the orphans."""
        books = {
            origin: Total(kept.channels[origin].events, kept.channels[origin].seq_sum)
            for origin in self._archive.names
            if origin in kept.channels
        }
        unknown = (*self._archive.dropped, *self._archive.lost)
        for file in unknown:
            for origin, sums in file.sums.items() if file.kind == EVENTS else ():
                if origin in books:
                    books[origin] = books[origin].less(Total(*sums))
        rows = {origin: one.rows for origin, one in self._counts.totals.items()}
        by_books = dict.fromkeys(orphans, False)
        for origin, beyond in differences(rows, books).items():
            has_others = any(file.sums.get(origin) for file in unknown)
            known = NOTHING if has_others else orphans.get(origin, NOTHING)
            lacking = missing_events(beyond, known)
            by_books[origin] = lacking.orphans
            gone.setdefault(origin, set()).update(lacking.named)
            if lacking.named == (known.sum,) and known.count == 1:
                by_books[origin] = True
                continue
            by_rows, by_book = rows.get(origin, NOTHING), books.get(origin, NOTHING)
            self._faults.add_missing_events(origin, by_rows, by_book, lacking)
        return by_books

    def _compare_waiting(
        self,
        odd: DataFrame,
        rows: Mapping[Consumer, Total],
        books: Mapping[Consumer, Total],
        gone: Mapping[str, set[int]],
    ) -> dict[tuple[str, int], list[int]]:
        """Return the consumers known to lack an outcome, by origin and event."""
        first = dict(sorted(differences(rows, books).items())[:_MOST_CONSUMERS])
        asked = {key: asked_of(beyond, gone.get(key[0], ())) for key, beyond in first.items()}
        seqs = waiting_pairs(odd, asked, self._archive.options.sample) if asked else {}
        lacking_of: dict[tuple[str, int], list[int]] = {}
        for (origin, proxy), beyond in first.items():
            exact = self._archive.is_exact(origin)
            waiting, missing = seqs[origin, proxy], gone.get(origin, ())
            lacking = missing_outcomes(beyond, waiting, missing, exact=exact)
            if lacking == MissingOutcomes():
                continue
            self.disbelieved[origin] = self.disbelieved.get(origin, 0) + lacking.outcomes
            by_rows, by_books = (one.get((origin, proxy), NOTHING) for one in (rows, books))
            self._faults.add_missing_outcomes(origin, proxy, by_rows, by_books, lacking)
            for seq in (*lacking.named, *lacking.suspects):
                lacking_of.setdefault((origin, seq), []).append(proxy)
        return lacking_of

    def _waiting(self, kept: Books) -> tuple[dict[Consumer, Total], dict[Consumer, Total]]:
        """Return the totals of waiting events per consumer by the rows and by the books."""
        books: dict[Consumer, Total] = {}
        absent: set[Consumer] = set()
        for key, proxy in kept.proxies.items():
            origin, _, number = key.partition("/")
            channel = kept.channels.get(origin)
            if origin not in self._archive.names:
                continue
            if proxy.present and (channel is None or channel.present):
                # Excluded, as the journal had them only in part: the rows lack some consumers.
                partial = proxy.extra & channel.carried if channel is not None else set[int]()
                pending = Total(proxy.pending, proxy.pending_sum)
                books[origin, int(number)] = pending.less(Total(len(partial), sum(partial)))
            else:
                absent.add((origin, int(number)))
        rows: dict[Consumer, Total] = {}
        for row in self._counts.rows:
            who = (row.origin, row.proxy)
            if row.waiting and who not in absent:
                rows[who] = rows.get(who, NOTHING).plus(Total(row.waiting, row.waiting_sum))
        return rows, books


def _told(counted: Counts) -> list[Finding]:
    """Return findings that are not faults."""
    found = []
    skewed = sum(row.skewed for row in counted.rows)
    if skewed:
        text = (
            f"{skewed} outcomes are older than their events: the clock was set back, or the "
            "clocks of two machines differ"
        )
        found.append(Finding(FindingKind.CLOCK_SKEW, fault=False, sentence=text, count=skewed))
    unknown = sum(row.pairs for row in counted.rows if row.state == UNKNOWN)
    unjudged = sum(one.unjudged for one in counted.totals.values())
    if unjudged:
        text = (
            f"{unjudged} events were judged by plans that are older than the archive; they were "
            "compared with the engine's own lists instead"
        )
        if unknown:
            text += f", and {unknown} outcomes of them are of consumers that these do not name"
        found.append(Finding(FindingKind.NOT_JUDGED, fault=False, sentence=text, count=unjudged))
    return found


@dataclass(slots=True)
class PlanHistory:
    """The plan rows of one channel."""

    rows: int = 0
    digest: str = ""  # over all rows, as the archiver computes it
    version: int = 0  # of the last row
    # What does not follow from the row before, by version. No fault if the books agree: the archive
    # may have begun later than the channel, or the journal had a gap.
    faults: list[tuple[int, str]] = field(default_factory=list)


class _Change(msgspec.Struct):
    version: int
    whole: bool = False


_decode = msgspec.json.Decoder(_Change).decode


def plan_histories(rows: Iterable[PlanRow]) -> Mapping[str, PlanHistory]:
    """Return the plan history of each origin; `rows` are sorted by position."""
    found: dict[str, PlanHistory] = {}
    for row in rows:
        history = found.setdefault(row.origin, PlanHistory())
        history.rows += 1
        history.digest = chain_digest(history.digest, row.version, row.change)
        problem = _plan_problem(row, history.version)
        if problem is not None:
            history.faults.append((row.version, problem))
        history.version = row.version
    return found


def _plan_problem(row: PlanRow, before: int) -> str | None:
    try:
        change = _decode(row.change)
    except msgspec.DecodeError as error:
        return f"cannot be read: {error}"
    if (change.version, change.whole) != (row.version, row.whole):
        return f"says that it is version {change.version}"
    if not change.whole and before != row.version - 1:
        return f"is made out of version {row.version - 1}, and follows version {before}"
    return None
