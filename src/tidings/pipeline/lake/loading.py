"""Load one batch of segments into the lake, atomically."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from tidings.errors import TidingsError
from tidings.pipeline.archive import Archive
from tidings.pipeline.expectations import Expectation, split
from tidings.pipeline.frames import occurring_in
from tidings.pipeline.lake.log import LakeBatch, LakeLog, LakeState, StagedFile
from tidings.pipeline.lake.schemas import (
    FoundProperty,
    KindConflict,
    TypeSchema,
    grow_schema,
    read_schema,
    schema_octets,
    schema_path,
    table_of_type,
    widened,
)
from tidings.pipeline.lake.segments import NextSegments
from tidings.pipeline.lake.staging import Table, failing, staged_tables
from tidings.pipeline.lake.tree import LakeTree
from tidings.pipeline.lake.types import (
    PARTITION,
    TypeFound,
    day_of,
    found_types,
    typed,
    wide_integers,
)
from tidings.stores.archive.manifest import SegmentFile

# Each typed table scans the batch; from this many types on, the batch is cached.
_KEPT_FROM = 3


@dataclass(slots=True)
class LoadedBatch:
    """A committed batch, with counts for the result."""

    batch: LakeBatch
    rows: dict[str, int] = field(default_factory=dict)  # by table
    conflicts: list[KindConflict] = field(default_factory=list)
    properties_left_out: list[str] = field(default_factory=list)
    types_left_out: dict[str, int] = field(default_factory=dict)
    failed_checks: dict[str, int] = field(default_factory=dict)
    first_us: int | None = None
    last_us: int | None = None

    def text(self, now: int, seconds: float) -> str:
        """Describe the batch in one line; it took `seconds` and is visible at `now`."""
        rows = self.rows
        text = (
            f"batch {self.batch.batch}: {rows.get('events', 0):,} events, "
            f"{rows.get('outcomes', 0):,} outcomes in {seconds:.1f} s"
        )
        if rows.get("quarantine"):
            text += f", {rows['quarantine']:,} set aside"
        if self.batch.damaged:
            text += f", {len(self.batch.damaged)} damaged segments left out"
        if self.last_us is not None and self.first_us is not None:
            newest, oldest = (now - self.last_us) / 1e6, (now - self.first_us) / 1e6
            text += f"; visible {newest:.1f} to {oldest:.1f} s after arrival"
        return text


@dataclass(frozen=True, slots=True)
class BatchLoader:
    """Loads batches into the lake."""

    spark: SparkSession
    archive: Archive
    tree: LakeTree
    # Events that fail go to `quarantine`
    expectations: Sequence[Expectation] = ()
    max_types: int = 200  # most types with a table of their own
    max_columns: int = 500  # most columns of a typed table, beyond the fixed ones

    def load(self, coming: NextSegments, state: LakeState, mark: str, now: int) -> LoadedBatch:
        """Load all intact segments and commit the batch."""
        log = LakeLog(self.tree)
        number = state.batch + 1
        staging = log.new_staging(number)
        try:
            with failing(f"batch {number} could not be prepared"):
                problems = self.archive.problems(coming.files, self.spark)
                files = [file for file in coming.files if file.path not in problems]
                loaded, adds = self._staged(files, state, staging, number)
            loaded.batch = LakeBatch(
                batch=number,
                kind="take",
                staging=staging,
                at_us=now,
                upto_seal=coming.upto_seal,
                adds=tuple(adds),
                damaged=coming.damaged | problems,
                retaken=coming.retaken,
                gaps=coming.gaps,
                archive=mark,
            )
        except BaseException:
            _discard(log, staging)
            raise
        # From here on an intent may exist, so the staged files must stay.
        log.commit(loaded.batch)
        return loaded

    def _staged(
        self, files: Sequence[SegmentFile], state: LakeState, staging: str, number: int
    ) -> tuple[LoadedBatch, list[StagedFile]]:
        loaded = LoadedBatch(
            LakeBatch(batch=number, kind="take", staging=staging, at_us=0, upto_seal=0)
        )
        events = [file for file in files if file.kind == "events"]
        tables = self._outcomes([file for file in files if file.kind == "outcomes"])
        adds: list[StagedFile] = []
        if events:
            loaded.first_us = min(file.first_us for file in events)
            loaded.last_us = max(file.last_us for file in events)
            with self._good(events, loaded) as (good, quarantine):
                types = found_types(good, 4 * self.max_columns)
                rows = sum(one.rows for one in types.values())
                tables.append(Table("events", good.withColumn(PARTITION, _day()), rows))
                if quarantine is not None:
                    bad = sum(file.rows for file in events) - rows
                    tables.append(Table("quarantine", quarantine, bad))
                chosen = self._chosen(types, state, loaded)
                adds += self._schemas_and_tables(good, chosen, staging, loaded, tables)
                adds += staged_tables(self.tree, staging, number, tables)
        else:
            adds += staged_tables(self.tree, staging, number, tables)
        for add in adds:
            if add.table is not None:
                loaded.rows[add.table] = loaded.rows.get(add.table, 0) + add.rows
        return loaded, adds

    def _outcomes(self, files: Sequence[SegmentFile]) -> list[Table]:
        if not files:
            return []
        # Old outcomes have no time: use the date of the archive's folder.
        folder = F.regexp_extract("_metadata.file_path", r"date=(\d{4}-\d\d-\d\d)", 1)
        day = F.coalesce(day_of(F.col("at_us")), folder.cast("date"))
        df = self.archive.rows(self.spark, "outcomes", files).withColumn(PARTITION, day)
        return [Table("outcomes", df, sum(file.rows for file in files))]

    @contextmanager
    def _good(
        self, files: Sequence[SegmentFile], loaded: LoadedBatch
    ) -> Iterator[tuple[DataFrame, DataFrame | None]]:
        """Yield the events that pass the checks, and the others with the reason."""
        events, quarantine = self.archive.rows(self.spark, "events", files), None
        if self.expectations:
            parted = split(events, self.expectations, occurring_in(files))
            events = parted.good
            quarantine = parted.bad.withColumn(PARTITION, _day())
            loaded.failed_checks = {n: count for n, count in parted.counts().items() if count}
        types = {one for file in files for one in file.types or ()}
        keep = len(types) >= _KEPT_FROM or any(file.types is None for file in files)
        if keep:
            events = events.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield events, quarantine
        finally:
            if keep:
                events.unpersist()

    def _chosen(
        self, types: dict[tuple[str, str], TypeFound], state: LakeState, loaded: LoadedBatch
    ) -> dict[tuple[str, str], TypeFound]:
        """Choose the types that have a table or get one, the most frequent first."""
        known = {table for table in state.tables() if table.startswith("types/")}
        room = self.max_types - len(known)
        chosen = {}
        for key, found in sorted(types.items(), key=lambda one: (-one[1].rows, one[0])):
            if table_of_type(*key) not in known:
                if room <= 0:
                    loaded.types_left_out["::".join(key)] = found.rows
                    continue
                room -= 1
            chosen[key] = found
        return chosen

    def _schemas_and_tables(
        self,
        events: DataFrame,
        types: dict[tuple[str, str], TypeFound],
        staging: str,
        loaded: LoadedBatch,
        tables: list[Table],
    ) -> list[StagedFile]:
        """Append the typed tables to `tables` and return the changed schemas."""
        schemas = []
        for (domain, type_), found in types.items():
            path = schema_path(domain, type_)
            octets = self.tree.read(path)
            schema = TypeSchema(domain=domain, type=type_)
            if octets is not None:
                schema = read_schema(octets, self.tree.path(path))
            wide = wide_integers(_of_type(events, schema), widened(schema, found.found))
            after = grow_schema(schema, found.found, wide=wide, most=self.max_columns)
            loaded.conflicts += after.conflicts
            loaded.properties_left_out += _told(schema, after.left_out, found.unnoted)
            if after.changed or octets is None:
                self.tree.write(f"{staging}/{path}", schema_octets(after.schema))
                schemas.append(StagedFile(f"{staging}/{path}", path))
            name = table_of_type(domain, type_)
            tables.append(Table(name, typed(events, after.schema), found.rows))
        return schemas


def _day() -> Column:
    return day_of(F.col("arrival_us"))


def _of_type(events: DataFrame, schema: TypeSchema) -> DataFrame:
    return events.where((F.col("domain") == schema.domain) & (F.col("type") == schema.type))


def _told(schema: TypeSchema, left_out: Sequence[FoundProperty], unnoted: int) -> list[str]:
    told = [
        f"{schema.domain}::{schema.type} {one.part}.{one.name} ({one.kind})" for one in left_out
    ]
    return [*told, f"{schema.domain}::{schema.type}: {unnoted} more"] if unnoted else told


def _discard(log: LakeLog, staging: str) -> None:
    try:
        log.discard(staging)
    except TidingsError:
        return  # the next run removes it
