"""The audit: every event must be accounted for, for every consumer.

As of the last seal, Spark evaluates each event again with its own version of the plan and compares
the result with the engine's decision, with the outcomes, and with the archiver's books, which are
kept independently of the rows. Whatever none of them explains is a finding.

Only plans, objects, counts per consumer and samples reach the driver.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from time import monotonic

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.pipeline import Progress
from tidings.pipeline.audit.comparing import Comparison, Counts
from tidings.pipeline.audit.pairs import ORPHAN, Sources, pairs, proxy_tiles
from tidings.pipeline.audit.reading import AuditedArchive, open_archive
from tidings.pipeline.audit.result import AuditOptions, AuditResult
from tidings.pipeline.audit.tally import accounts, event_totals, tally
from tidings.pipeline.frames import occurring_in
from tidings.pipeline.matching import MatchLimits, match
from tidings.pipeline.matching.book import PlanBook, PlanRow
from tidings.pipeline.matching.compile import compile_book
from tidings.stores.archive.columns import EVENTS, OBJECTS, OUTCOMES, PLANS

__all__ = ["AuditOptions", "AuditResult", "run_audit"]


def run_audit(
    spark: SparkSession, options: AuditOptions, progress: Progress = lambda *_: None
) -> AuditResult:
    """Audit an archive."""
    begun = monotonic()
    progress("checking the segments", 0.0)
    archive = open_archive(spark, options)
    progress("reading plans and objects", 0.2)
    rows = archive.rows(PLANS).select(*PlanRow._fields).collect()
    plans = sorted((PlanRow(*row) for row in rows), key=attrgetter("position"))
    book = PlanBook.from_rows(plans)
    events = _events(archive, plans, book)
    progress("counting events", 0.3)
    totals = event_totals(events)
    if any(one.doubled for one in totals.values()):
        events = events.dropDuplicates(["origin", "seq"])
    progress("matching plans and events, and comparing with the outcomes", 0.4)
    found = pairs(_sources(archive, plans, book, events))
    if options.is_part:  # outcomes without an event that are outside the audited time range
        in_time = F.coalesce(_between(F.col("first_at_us"), archive), F.lit(True))
        found = found.where((F.col("state") != ORPHAN) | in_time)
    counts = tally(found, archive.settled_from)
    progress("comparing with the books", 0.8)
    compared = Comparison(archive, Counts(events, found, totals, counts, plans))
    progress("done", 1.0)
    seals = archive.manifest.seals
    findings = [*archive.findings, *compared.findings]
    return AuditResult(
        archive=options.archive,
        seal=archive.manifest.last_seal,
        sealed_us=seals[-1].sealed_us if seals else None,
        since_us=archive.since_us,
        until_us=options.until_us,
        books_checked=compared.books_checked,
        accounts=accounts(counts, totals, archive.names, compared.disbelieved),
        findings=tuple(sorted(findings, key=lambda finding: not finding.fault)),
        lanes=_lanes(book),
        seconds=round(monotonic() - begun, 3),
    )


def _events(archive: AuditedArchive, plans: list[PlanRow], book: PlanBook) -> DataFrame:
    """Return all events, with whether each is audited and whether its plan is known."""
    versions = {(plan.origin, plan.version) for plan in plans}
    # Before its first change, a channel has an empty plan.
    versions |= {(plan.origin, 0) for plan in plans if plan.version == 1}
    known = archive.spark.createDataFrame(
        sorted(version for version in versions if book.knows(*version)),
        "k_origin string, k_version long",
    )
    is_known = (F.col("origin") == F.col("k_origin")) & (F.col("plan") == F.col("k_version"))
    # Events rewritten by retention list only the consumers that still waited.
    judged = F.col("k_origin").isNotNull() & ~F.col("carried")
    return (
        archive.rows(EVENTS)
        .join(F.broadcast(known), is_known, "left")
        .withColumn("judged", judged)
        .withColumn("chosen", _between(F.col("arrival_us"), archive))
        .drop("k_origin", "k_version")
    )


def _between(time: Column, archive: AuditedArchive) -> Column:
    chosen = F.lit(True)
    if archive.since_us is not None:
        chosen &= time >= archive.since_us
    if archive.options.until_us is not None:
        chosen &= time < archive.options.until_us
    return chosen


def _sources(
    archive: AuditedArchive, plans: list[PlanRow], book: PlanBook, events: DataFrame
) -> Sources:
    asked = events.where("chosen and judged").drop("chosen", "judged")
    sent = match(asked, book, occurring=occurring_in(archive.files(EVENTS)))
    return Sources(events, sent, archive.rows(OUTCOMES), proxy_tiles(archive.rows(OBJECTS), plans))


def _lanes(book: PlanBook) -> tuple[str, ...]:
    """Count the rules of consumers by how they are matched; priorities do not matter here."""
    made = compile_book(book, MatchLimits())
    counts = Counter(" + ".join(lane.lanes) for lane in made.lanes)
    return tuple(f"{lanes}: {count}" for lanes, count in counts.most_common())
