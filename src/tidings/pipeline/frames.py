"""Frames over the archive: its sealed files read by Spark itself, pruned by the manifest.

Nothing here runs Python on executors. Files that are damaged are left out and told; rows are
filtered exactly, so that a frame holds what was asked for and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.events.codecs.arrow_codec import BARE
from tidings.filters.constraint import EventTypePattern, event_type
from tidings.filters.to_spark.columns import ANYTHING, Occurring
from tidings.pipeline.archive import place_of
from tidings.stores.archive.schema import schema_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from tidings.stores.archive.manifest import Manifest, SegmentFile

_OTHERS: Final = ("header_other", "data_other")
_TIME_COLUMN: Final = {
    "events": "arrival_us",
    "outcomes": "at_us",
    "plans": "at_us",
    "objects": "at_us",
}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted from an archive.

    Attributes:
        archive: Its folder: a local path, or any path that Spark reads.
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
    """A selection as Spark sees it.

    Attributes:
        df: The rows.
        files: The sealed files they are in.
        problems: What could not be read, one line each; empty if all is well.
        occurring: Which properties are in which columns.
    """

    df: DataFrame
    files: tuple[SegmentFile, ...]
    problems: tuple[str, ...]
    occurring: Occurring


class PlanRow(NamedTuple):
    """A change of a channel's plan."""

    origin: str
    channel: str
    version: int
    whole: bool
    change: str
    at_us: int
    position: int


def events_frame(spark: SparkSession, selection: Selection) -> Frame:
    """The events of a selection.

    Raises:
        ArchiveNotFound: There is no archive at this place.
    """
    return _frame(spark, selection, "events")


def outcomes_frame(spark: SparkSession, selection: Selection) -> Frame:
    """The outcomes of a selection; event types do not count.

    An outcome whose time is unknown counts as of any time that its file is of.

    Raises:
        ArchiveNotFound: There is no archive at this place.
    """
    return _frame(spark, selection, "outcomes")


def objects_frame(spark: SparkSession, selection: Selection) -> Frame:
    """The channels and proxies of a selection, as they changed; event types do not count.

    Raises:
        ArchiveNotFound: There is no archive at this place.
    """
    return _frame(spark, selection, "objects")


def plan_changes(spark: SparkSession, selection: Selection) -> list[PlanRow]:
    """The changes of plans, in the order of the journal; event types do not count.

    Raises:
        ArchiveNotFound: There is no archive at this place.
        ArchiveDamaged: A file with plans is damaged: what depends on it would be wrong.
    """
    from tidings.errors import ArchiveDamaged

    frame = _frame(spark, selection, "plans")
    if frame.problems:
        raise ArchiveDamaged(f"plans are missing: {'; '.join(frame.problems)}")
    rows = frame.df.select(*PlanRow._fields).orderBy("position").collect()
    return [PlanRow(*row) for row in rows]


def archive_manifest(spark: SparkSession, archive: str) -> Manifest:
    """What an archive says it has, wherever Spark can read it.

    Raises:
        ArchiveNotFound: There is no archive at this place.
    """
    return place_of(spark, archive).manifest()


def spark_schema(kind: str) -> StructType:
    """The columns of a kind of segments, as Spark's types."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema_of(kind))


def type_patterns(types: Sequence[EventTypePattern | str]) -> tuple[EventTypePattern, ...]:
    """Event types as patterns.

    Raises:
        InvalidEventType: A text is none.
    """
    return tuple(event_type(one) if isinstance(one, str) else one for one in types)


def _frame(spark: SparkSession, selection: Selection, kind: str) -> Frame:
    place = place_of(spark, selection.archive)
    manifest = place.manifest()
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
    found = place.problems(chosen)
    files = tuple(file for file in chosen if file.path not in found)
    schema = spark_schema(kind)
    if files:
        df = spark.read.schema(schema).parquet(*(place.spark_path(file) for file in files))
    else:
        df = spark.createDataFrame([], schema)
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
    from pyspark.sql import functions as F

    from tidings.filters.to_spark import type_condition

    made: list[Column] = []
    if selection.channels:
        wanted = list(selection.channels)
        made.append(F.col("channel").isin(wanted) | F.col("origin").isin(wanted))
    of_type = type_condition(patterns)
    if of_type is not None:
        made.append(of_type)
    time = F.col(_TIME_COLUMN[kind])
    if selection.since_us is not None:
        made.append(time.isNull() | (time >= selection.since_us))
    if selection.until_us is not None:
        made.append(time.isNull() | (time < selection.until_us))
    return made
