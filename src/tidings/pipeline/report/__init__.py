"""`tidings pipeline report`: statistics of the archive, or of a part of it.

Spark counts in native expressions, without Python on executors; the results are small, however
large the archive is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from tidings.errors import ArchiveDamaged
from tidings.pipeline.archive import Archive, journal_losses
from tidings.pipeline.frames import events_frame, kind_frame, plan_changes
from tidings.pipeline.matching.book import PlanRow
from tidings.pipeline.report import queries as queries
from tidings.pipeline.report.result import ArchiveFacts, Report, ReportOptions
from tidings.stores.archive.columns import KINDS
from tidings.stores.archive.manifest import Manifest

__all__ = ["Report", "ReportOptions", "run_report"]

# Columns needed for events; `raw` is read for its length only.
_EVENT_COLUMNS = (
    *("origin", "channel", "seq", "arrival_us", "domain", "type"),
    *("producer", "durable", "position", "plan", "carried"),
)


class _Frames(NamedTuple):
    events: DataFrame
    outcomes: DataFrame
    objects: DataFrame
    plans: list[PlanRow]
    problems: tuple[str, ...]


def run_report(
    spark: SparkSession, options: ReportOptions, progress: Callable[[str, float], None]
) -> Report:
    """Report on an archive; `progress` is called with the current step and the fraction done."""
    began = time.perf_counter()
    progress("reading the manifest", 0.0)
    manifest = Archive(options.archive).manifest()
    frames = _frames(spark, options, manifest)
    found = _answers(frames, options.top, progress)
    progress("done", 1.0)
    return Report(
        archive=options.archive,
        since_us=options.since_us,
        until_us=options.until_us,
        channels=tuple(options.channels),
        facts=_archive_facts(manifest),
        problems=frames.problems,
        seconds=time.perf_counter() - began,
        **found,
    )


def _frames(spark: SparkSession, options: ReportOptions, manifest: Manifest) -> _Frames:
    """Return all frames as of one seal, even if new ones are sealed meanwhile."""
    chosen = replace(options, upto_seal=manifest.last_seal)
    events = events_frame(spark, chosen)
    # Outcomes come after the event's arrival, however late: no end of the time range.
    outcomes = kind_frame(spark, replace(chosen, until_us=None), "outcomes")
    always = replace(chosen, since_us=None, until_us=None)
    objects = kind_frame(spark, always, "objects")
    told = [*events.problems, *outcomes.problems, *objects.problems]
    told += [text for _, text in journal_losses(manifest)]
    plans: list[PlanRow] = []
    try:
        plans = plan_changes(spark, always)
    except ArchiveDamaged as error:
        told.append(str(error))
    narrow = events.df.select(*_EVENT_COLUMNS, "raw")
    return _Frames(narrow, outcomes.df, objects.df, plans, tuple(dict.fromkeys(told)))


def _answers(frames: _Frames, top: int, progress: Callable[[str, float], None]) -> dict[str, Any]:
    events, outcomes, objects, plans, _ = frames
    progress("counting events", 0.1)
    total, volumes = queries.volumes(events, top)
    found: dict[str, Any] = {**total._asdict(), "volumes": volumes}
    if not total.events:
        return found
    progress("events over time", 0.25)
    length = queries.slice_length(total.first_us, total.last_us)
    found |= {"slice_us": length, "slices": queries.slices(events, length, volumes)}
    progress("fan-out", 0.4)
    found["fan_out"] = queries.fan_out(events)
    progress("suppliers", 0.5)
    found["suppliers"], found["suppliers_in_all"] = queries.suppliers(events, top)
    progress("consumers, outcomes, latencies", 0.6)
    copies = queries.copies_of(events.drop("raw"), outcomes, objects, plans).persist()
    try:
        found |= queries.consumers(events, copies, objects, top)._asdict()
        progress("dead letters", 0.9)
        found["dead_letters"] = queries.dead_letters(copies, outcomes, objects, top)
    finally:
        copies.unpersist()
    return found


def _archive_facts(manifest: Manifest) -> ArchiveFacts:
    files = manifest.files
    rows = {kind: sum(file.rows for file in files if file.kind == kind) for kind in KINDS}
    return ArchiveFacts(
        seals=manifest.last_seal,
        sealed_us=manifest.seals[-1].sealed_us if manifest.seals else None,
        segments=len(files),
        octets=sum(file.octets for file in files),
        rows=rows,
        dropped=len(manifest.dropped),
        first_us=min((file.first_us for file in files), default=None),
        last_us=max((file.last_us for file in files), default=None),
    )
