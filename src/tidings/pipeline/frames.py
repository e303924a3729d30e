"""DataFrames over the archive: Spark reads the sealed files, pruned by the manifest.

No Python runs on executors. Damaged files are skipped and reported; rows are filtered exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.errors import ArchiveDamaged
from tidings.events.codecs.arrow_codec import BARE
from tidings.filters.constraint import EventTypePattern, event_type
from tidings.filters.to_spark.columns import ANYTHING, Occurring
from tidings.filters.to_spark.event_types import type_condition
from tidings.pipeline.archive import Archive, time_column
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.manifest import SegmentFile

_OTHERS: Final = ("header_other", "data_other")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of an archive to read; empty `channels` or `types` mean all.

    Channels are names or origins, types patterns or texts such as ``Traffic::Speed*``. `since_us`
    and `upto_seal` are inclusive, `until_us` and `after_seal` exclusive; times are microseconds
    since 1970.
    """

    archive: str
    channels: Sequence[str] = ()
    types: Sequence[EventTypePattern | str] = ()
    since_us: int | None = None
    until_us: int | None = None
    after_seal: int = 0
    upto_seal: int | None = None


class Frame(NamedTuple):
    """The rows of a selection."""

    df: DataFrame
    files: tuple[SegmentFile, ...]  # files that hold the rows
    problems: tuple[str, ...]  # what could not be read, one line each
    occurring: Occurring  # which properties are in which columns


def events_frame(spark: SparkSession, selection: Selection) -> Frame:
    """Return the events of a selection."""
    return kind_frame(spark, selection, "events")


def plan_changes(spark: SparkSession, selection: Selection) -> list[PlanRow]:
    """Return the plan changes in journal order; event types are ignored.

    Raises:
        ArchiveDamaged: A file with plans is damaged; results that depend on it would be wrong.
    """
    frame = kind_frame(spark, selection, "plans")
    if frame.problems:
        raise ArchiveDamaged(f"plans are missing: {'; '.join(frame.problems)}")
    rows = frame.df.select(*PlanRow._fields).orderBy("position").collect()
    return [PlanRow(*row) for row in rows]


def type_patterns(types: Sequence[EventTypePattern | str]) -> tuple[EventTypePattern, ...]:
    """Parse event types into patterns."""
    return tuple(event_type(one) if isinstance(one, str) else one for one in types)


def kind_frame(spark: SparkSession, selection: Selection, kind: str) -> Frame:
    """Return the rows of a kind; an outcome without a time matches if its file does."""
    archive = Archive(selection.archive)
    manifest = archive.manifest()
    patterns = type_patterns(selection.types) if kind == "events" else ()
    chosen = manifest.select(
        kind,
        channels=selection.channels or None,
        types=patterns or None,
        since_us=selection.since_us,
        until_us=selection.until_us,
        after_seal=selection.after_seal,
        upto_seal=selection.upto_seal,
    )
    found = archive.problems(chosen)
    files = tuple(file for file in chosen if file.path not in found)
    df = archive.rows(spark, kind, files, selection.channels)
    for condition in _conditions(selection, kind, patterns):
        df = df.where(condition)
    return Frame(df, files, (*manifest.problems, *found.values()), occurring_in(files))


def occurring_in(files: Iterable[SegmentFile]) -> Occurring:
    """Return which properties are in which columns of the files, according to the manifest."""
    maps: dict[str, set[str]] = {}
    for file in files:
        if file.kind == "events":
            if file.names is None:
                return ANYTHING
            for column, names in file.names.items():
                maps.setdefault(column, set()).update(names)
    others = {name for column in _OTHERS for name in maps.pop(column, ())}
    if maps.pop(BARE, None) is not None:
        others.add(BARE)
    return Occurring(maps, others)


def _conditions(
    selection: Selection, kind: str, patterns: Sequence[EventTypePattern]
) -> list[Column]:
    made: list[Column] = []
    of_type = type_condition(patterns)
    if of_type is not None:
        made.append(of_type)
    time = F.col(time_column(kind))
    if selection.since_us is not None:
        made.append(time.isNull() | (time >= selection.since_us))
    if selection.until_us is not None:
        made.append(time.isNull() | (time < selection.until_us))
    return made
