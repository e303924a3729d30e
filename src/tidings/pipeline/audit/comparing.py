"""What was counted against the archiver's books, and what follows from the differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyspark.sql import DataFrame

from tidings.pipeline.audit.books import (
    NOTHING,
    Lacking,
    Total,
    asked_of,
    differences,
    lacking_events,
    lacking_outcomes,
)
from tidings.pipeline.audit.findings import (
    bad_pair_findings,
    doubled_event_findings,
    lacking_event_findings,
    lacking_outcome_finding,
    orphan_findings,
)
from tidings.pipeline.audit.pairs import ORPHAN, UNKNOWN
from tidings.pipeline.audit.plans import plan_histories
from tidings.pipeline.audit.reading import AuditedArchive
from tidings.pipeline.audit.result import Finding, FindingKind
from tidings.pipeline.audit.tally import (
    BAD,
    EventTotals,
    TallyRow,
    bad_pairs,
    odd_pairs,
    orphan_totals,
    waiting_pairs,
)
from tidings.pipeline.frames import PlanRow
from tidings.stores.archive.schema import EVENTS

# Consumers whose waiting events are looked at one by one; the books of more are only counted.
_MOST_CONSUMERS: Final = 1_000

Consumer = tuple[str, int]


class Counted(NamedTuple):
    """What an audit counted."""

    events: DataFrame  # each once, as `audit.pairs.Sources` has them
    pairs: DataFrame  # all of them
    totals: Mapping[str, EventTotals]  # of events, by origin
    rows: Sequence[TallyRow]  # of pairs, by consumer and state
    plans: Sequence[PlanRow]  # all rows of plans


@dataclass(slots=True)
class Compared:
    """What came of comparing."""

    findings: list[Finding] = field(default_factory=list)  # what is wrong or worth knowing
    books_checked: bool = False  # whether the books were compared
    # By origin, how many pairs wait by the rows and not by the books
    disbelieved: dict[str, int] = field(default_factory=dict)


def compare(archive: AuditedArchive, counted: Counted) -> Compared:
    """Compares what was counted with the books, and looks at what is wrong."""
    found = Compared()
    found.books_checked = archive.books is not None and not archive.options.is_part
    _doubled_events(found, archive, counted)
    _sums(found, archive, counted)
    rows, books = _waiting(archive, counted) if found.books_checked else ({}, {})
    beyond = dict(sorted(differences(rows, books).items()))
    if beyond or any(row.state in BAD for row in counted.rows):
        # Whatever is wrong, all pairs are gone through only once more.
        odd = odd_pairs(counted.pairs, [*beyond][:_MOST_CONSUMERS])
        try:
            _look_at(found, archive, counted._replace(pairs=odd), _Waiting(rows, books, beyond))
        finally:
            odd.unpersist()
    elif found.books_checked:
        _compare_events(found, archive, counted, {}, {})
    if found.books_checked:
        _compare_plans(found, archive, counted)
    found.findings += _told(counted)
    return found


class _Waiting(NamedTuple):
    """What waits for consumers: by the rows, by the books, and what the rows have beyond."""

    rows: Mapping[Consumer, Total]
    books: Mapping[Consumer, Total]
    beyond: Mapping[Consumer, Total]


def _look_at(found: Compared, archive: AuditedArchive, counted: Counted, waiting: _Waiting) -> None:
    """Names what is wrong with pairs."""
    bad = bad_pairs(counted.pairs, counted.events, archive.options.sample)
    strays = [pair for pair in bad if pair.state == ORPHAN]
    orphans = orphan_totals(counted.pairs) if strays else {}
    gone: dict[str, set[int]] = {}
    by_books: dict[str, bool] = {}
    lacking: dict[tuple[str, int], list[int]] = {}
    if found.books_checked:
        by_books = _compare_events(found, archive, counted, orphans, gone)
        for pair in strays:
            if by_books.get(pair.origin):
                gone.setdefault(pair.origin, set()).add(pair.seq)
        lacking = _compare_waiting(found, archive, counted, waiting, gone)
    wrong = [pair for pair in bad if pair.state != ORPHAN]
    found.findings += bad_pair_findings(wrong, archive.names, lacking)
    # Events that retention has dropped, or that a lost segment had, are missing for a reason.
    explained = {origin for file in archive.dropped for origin in file.sums}
    explained |= {origin for file in archive.lost if file.kind == EVENTS for origin in file.sums}
    strays = [pair for pair in strays if pair.origin not in explained or by_books.get(pair.origin)]
    found.findings += orphan_findings(strays, archive.names, by_books=by_books)


def _doubled_events(found: Compared, archive: AuditedArchive, counted: Counted) -> None:
    counts = {origin: one.doubled for origin, one in counted.totals.items() if one.doubled}
    if not counts:
        return
    rows = (
        archive.rows(EVENTS)
        .groupBy("origin", "seq")
        .count()
        .where("count > 1")
        .orderBy("origin", "seq")
        .limit(archive.options.sample)
        .collect()
    )
    doubled: dict[str, list[int]] = {}
    for origin, seq, _ in rows:
        doubled.setdefault(origin, []).append(seq)
    found.findings += doubled_event_findings(doubled, counts, archive.names)


def _sums(found: Compared, archive: AuditedArchive, counted: Counted) -> None:
    """Counted twice, by other means, the engine's lists must have as many pairs."""
    listed: dict[str, int] = {}
    for row in counted.rows:
        listed[row.origin] = listed.get(row.origin, 0) + row.listed
    for origin, totals in counted.totals.items():
        if totals.listed != listed.get(origin, 0):
            name = archive.names.get(origin, origin)
            text = (
                f"channel {name}: the accounts do not add up: the events name {totals.listed} "
                f"durable recipients, and {listed.get(origin, 0)} were accounted for"
            )
            found.findings.append(
                Finding(FindingKind.SUM_WRONG, fault=True, sentence=text, channel=name,
                        origin=origin)
            )  # fmt: skip


def _compare_plans(found: Compared, archive: AuditedArchive, counted: Counted) -> None:
    assert archive.books is not None
    histories = plan_histories(counted.plans)
    for origin, name in archive.names.items():
        book = archive.books.channels.get(origin)
        if book is None:
            continue
        history = histories.get(origin)
        have = history.rows if history is not None else 0
        if book.plans == have and (
            history is None or history.is_as_archived(book.plans, book.plan_digest)
        ):
            continue
        faults = history.faults if history is not None else ()
        said = [f"version {fault.version} {fault.problem}" for fault in faults[:3]]
        text = (
            f"channel {name}: the plans are not those that were archived: there are {have} of "
            f"{book.plans} versions, and their digest is not the one in the archiver's books"
        )
        found.findings.append(
            Finding(
                FindingKind.PLAN_CHANGED,
                fault=True,
                sentence="; ".join([text, *said]),
                channel=name,
                origin=origin,
                version=faults[0].version if faults else None,
            )
        )


def _compare_events(
    found: Compared,
    archive: AuditedArchive,
    counted: Counted,
    orphans: Mapping[str, Total],
    gone: dict[str, set[int]],
) -> dict[str, bool]:
    """Whether the books miss the events, too, whose outcomes are there; by origin."""
    assert archive.books is not None
    books = {}
    for origin in archive.names:
        book = archive.books.channels.get(origin)
        if book is not None:
            books[origin] = Total(book.events, book.seq_sum)
    for file in (*archive.dropped, *archive.lost):
        for origin, sums in file.sums.items() if file.kind == EVENTS else ():
            if origin in books:
                books[origin] = books[origin].less(Total(*sums))
    rows = {origin: one.rows for origin, one in counted.totals.items()}
    by_books = dict.fromkeys(orphans, False)
    for origin, beyond in differences(rows, books).items():
        has_others = any(file.sums.get(origin) for file in (*archive.dropped, *archive.lost))
        known = NOTHING if has_others else orphans.get(origin, NOTHING)
        lacking = lacking_events(beyond, known)
        by_books[origin] = lacking.orphans
        gone.setdefault(origin, set()).update(lacking.named)
        named_by_orphans = lacking.named == (known.sum,) and known.count == 1
        if named_by_orphans:
            by_books[origin] = True
            continue
        found.findings += lacking_event_findings(
            origin,
            archive.names.get(origin, origin),
            rows.get(origin, NOTHING),
            books.get(origin, NOTHING),
            lacking,
        )
    return by_books


def _compare_waiting(
    found: Compared,
    archive: AuditedArchive,
    counted: Counted,
    waiting: _Waiting,
    gone: Mapping[str, set[int]],
) -> dict[tuple[str, int], list[int]]:
    """By origin and event, the consumers whose outcome of it is missing, as far as it is known."""
    first = dict([*waiting.beyond.items()][:_MOST_CONSUMERS])
    asked = {key: asked_of(beyond, gone.get(key[0], ())) for key, beyond in first.items()}
    seqs = waiting_pairs(counted.pairs, asked, archive.options.sample) if asked else {}
    lacking_of: dict[tuple[str, int], list[int]] = {}
    for (origin, proxy), beyond in first.items():
        lacking = lacking_outcomes(
            beyond, seqs[origin, proxy], gone.get(origin, ()), exact=archive.is_exact(origin)
        )
        if lacking == Lacking():
            continue
        found.disbelieved[origin] = found.disbelieved.get(origin, 0) + lacking.outcomes
        by_rows = waiting.rows.get((origin, proxy), NOTHING)
        by_books = waiting.books.get((origin, proxy), NOTHING)
        name = archive.names.get(origin, origin)
        found.findings.append(
            lacking_outcome_finding(origin, name, proxy, by_rows, by_books, lacking)
        )
        for seq in (*lacking.named, *lacking.suspects):
            lacking_of.setdefault((origin, seq), []).append(proxy)
    if more := len(waiting.beyond) - len(first):
        text = f"the books of {more} more consumers disagree with the rows"
        found.findings.append(Finding(FindingKind.BOOKS_DISAGREE, fault=True, sentence=text))
    return lacking_of


def _waiting(
    archive: AuditedArchive, counted: Counted
) -> tuple[dict[Consumer, Total], dict[Consumer, Total]]:
    """What waits for consumers that exist: by the rows, and by the books."""
    assert archive.books is not None
    books: dict[Consumer, Total] = {}
    absent: set[Consumer] = set()
    for key, proxy in archive.books.proxies.items():
        origin, _, number = key.partition("/")
        channel = archive.books.channels.get(origin)
        if origin not in archive.names:
            continue
        if proxy.present and (channel is None or channel.present):
            # What the journal had only in part is told apart: the rows do not name all of it.
            partial = proxy.extra & channel.carried if channel is not None else set[int]()
            pending = Total(proxy.pending, proxy.pending_sum)
            books[origin, int(number)] = pending.less(Total(len(partial), sum(partial)))
        else:
            absent.add((origin, int(number)))
    rows: dict[Consumer, Total] = {}
    for row in counted.rows:
        who = (row.origin, row.proxy)
        if row.waiting and who not in absent:
            rows[who] = rows.get(who, NOTHING).plus(Total(row.waiting, row.waiting_sum))
    return rows, books


def _told(counted: Counted) -> list[Finding]:
    """What is no fault, and worth knowing."""
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
