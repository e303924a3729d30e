"""Frames over the archive: its sealed files read by Spark itself, pruned by the manifest.

Nothing here runs Python on executors. Files that are damaged are left out and told; rows are
filtered exactly, so that a frame holds what was asked for and nothing else.
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
from tidings.filters.to_spark import type_condition
from tidings.filters.to_spark.columns import ANYTHING, Occurring
from tidings.pipeline.archive import Archive, time_column
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.manifest import SegmentFile

_OTHERS: Final = ("header_other", "data_other")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted from an archive.

    Attributes:
        archive: Its folder.
        channels: Names or origins; none for all.
        types: Event types, as patterns or as texts such as ``Traffic::Speed*``; none for all.
        since_us: The earliest time, in microseconds since 1970.
        until_us: The first time that is too late.
        after_seal: Only what was sealed after this seal.
        upto_seal: Only what was sealed up to this seal.
    """

    archive: str
    channels: Sequence[str] = ()
    types: Sequence[EventTypePattern | str] = ()
    since_us: int | None = None
    until_us: int | None = None
    after_seal: int = 0
    upto_seal: int | None = None


class Frame(NamedTuple):
    """A selection as Spark sees it."""

    df: DataFrame  # the rows
    files: tuple[SegmentFile, ...]  # the sealed files they are in
    problems: tuple[str, ...]  # what could not be read, one line each; empty if all is well
    occurring: Occurring  # which properties are in which columns


def events_frame(spark: SparkSession, selection: Selection) -> Frame:
    """The events of a selection.

    Raises:
        ArchiveNotFound: There is no archive at this place.
    """
    return kind_frame(spark, selection, "events")


def plan_changes(spark: SparkSession, selection: Selection) -> list[PlanRow]:
    """The changes of plans, in the order of the journal; event types do not count.

    Raises:
        ArchiveNotFound: There is no archive at this place.
        ArchiveDamaged: A file with plans is damaged: what depends on it would be wrong.
    """
    frame = kind_frame(spark, selection, "plans")
    if frame.problems:
        raise ArchiveDamaged(f"plans are missing: {'; '.join(frame.problems)}")
    rows = frame.df.select(*PlanRow._fields).orderBy("position").collect()
    return [PlanRow(*row) for row in rows]


def type_patterns(types: Sequence[EventTypePattern | str]) -> tuple[EventTypePattern, ...]:
    """Event types as patterns."""
    return tuple(event_type(one) if isinstance(one, str) else one for one in types)


def kind_frame(spark: SparkSession, selection: Selection, kind: str) -> Frame:
    """The rows of a kind; event types count for events only.

    An outcome whose time is unknown counts as of any time that its file is of.
    """
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
    """Which properties are in which columns of some files, as their manifest lists them."""
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
    """What the manifest cannot promise for every row."""
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
