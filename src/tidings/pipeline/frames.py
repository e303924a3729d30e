"""DataFrames over the archive: Spark reads the sealed files, pruned by the manifest.

No Python runs on executors. Damaged files are skipped and reported; rows are filtered exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.errors import ArchiveDamaged
from tidings.events.codecs.arrow_codec import BARE
from tidings.filters.to_spark.columns import ANYTHING, Occurring
from tidings.filters.to_spark.event_types import type_condition
from tidings.pipeline.archive import Archive, Selection, time_column
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.columns import EVENTS
from tidings.stores.archive.manifest import SegmentFile

_OTHERS: Final = ("header_other", "data_other")


class Frame(NamedTuple):
    """The rows of a selection."""

    df: DataFrame
    files: tuple[SegmentFile, ...]  # files that hold the rows
    problems: tuple[str, ...]  # what could not be read, one line each
    occurring: Occurring  # which properties are in which columns


def events_frame(spark: SparkSession, selection: Selection) -> Frame:
    """Return the events of a selection."""
    return kind_frame(spark, selection, EVENTS)


def kind_frame(spark: SparkSession, selection: Selection, kind: str) -> Frame:
    """Return the rows of a kind; an outcome without a time matches if its file does."""
    archive = Archive(selection.archive)
    manifest = archive.manifest()
    chosen = selection.files(manifest, kind)
    found = archive.problems(chosen)
    files = tuple(file for file in chosen if file.path not in found)
    df = archive.rows(spark, kind, files, selection.channels)
    for condition in _conditions(selection, kind):
        df = df.where(condition)
    return Frame(df, files, (*manifest.problems, *found.values()), occurring_in(files))


def _conditions(selection: Selection, kind: str) -> Iterator[Column]:
    of_type = type_condition(selection.patterns(kind))
    if of_type is not None:
        yield of_type
    time = F.col(time_column(kind))
    if selection.since_us is not None:
        yield time.isNull() | (time >= selection.since_us)
    if selection.until_us is not None:
        yield time.isNull() | (time < selection.until_us)


def plan_changes(spark: SparkSession, selection: Selection) -> list[PlanRow]:
    """Return the plan changes in journal order; without a file of plans, results would be wrong."""
    frame = kind_frame(spark, selection, "plans")
    if frame.problems:
        raise ArchiveDamaged(f"plans are missing: {'; '.join(frame.problems)}")
    rows = frame.df.select(*PlanRow._fields).collect()
    return sorted((PlanRow(*row) for row in rows), key=attrgetter("position"))


def occurring_in(files: Iterable[SegmentFile]) -> Occurring:
    """Return which properties are in which columns of the files, according to the manifest."""
    maps: dict[str, set[str]] = {}
    for file in files:
        if file.kind == EVENTS:
            if file.names is None:
                return ANYTHING
            for column, names in file.names.items():
                maps.setdefault(column, set()).update(names)
    others = {name for column in _OTHERS for name in maps.pop(column, ())}
    if maps.pop(BARE, None) is not None:
        others.add(BARE)
    return Occurring(maps, others)
