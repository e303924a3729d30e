"""Batches of a lake: choose and load segments of an archive, and merge small files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Final, NamedTuple

import msgspec
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from tidings.clock import Clock, SystemClock
from tidings.errors import PipelineFailed
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, glob_free, local_folder
from tidings.pipeline.expectations import Expectation, split
from tidings.pipeline.frames import occurring_in
from tidings.pipeline.lake.log import LakeBatch, LakeFile, LakeLog, LakeState, LakeTree, StagedFile
from tidings.pipeline.lake.tables import (
    PARTITION,
    KindConflict,
    TypeFound,
    TypeSchema,
    day_of,
    found_types,
    grow_schema,
    of_type,
    read_schema,
    schema_octets,
    schema_path,
    table_of_type,
    typed,
    wide_integers,
    widened,
)
from tidings.pipeline.session.job import spark_failures
from tidings.stores.archive.manifest import Manifest, SegmentFile

# Each typed table scans the batch; from this many types on, the batch is cached.
_KEPT_FROM = 3
TAKEN_KINDS: Final = ("events", "outcomes")
ROWS_PER_FILE: Final = 1_000_000
# Small jobs spend their time on planning and commits; running a few in parallel hides it.
_AT_ONCE: Final = 4
SMALL_OCTETS: Final = 64 * 1024 * 1024
"""Files below this size are small."""
_GROUPS_PER_BATCH: Final = 16  # limits the work lost by a kill


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
        what = f"batch {number} could not be prepared"
        with log.staging(number) as staging, failing(what):
            problems = self.archive.problems(coming.files, deep=True)
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
        loaded.first_us = min((file.first_us for file in events), default=None)
        loaded.last_us = max((file.last_us for file in events), default=None)
        tables = self._outcomes([file for file in files if file.kind == "outcomes"])
        with self._good(events, loaded) as (good, quarantine):
            types = found_types(good, 4 * self.max_columns) if events else {}
            rows = sum(one.rows for one in types.values())
            tables.append(Table("events", good.withColumn(PARTITION, _day()), rows))
            if quarantine is not None:
                bad = sum(file.rows for file in events) - rows
                tables.append(Table("quarantine", quarantine, bad))
            chosen = self._chosen(types, state, loaded)
            adds = self._schemas_and_tables(good, chosen, staging, loaded, tables)
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
        if self.expectations and files:
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
        known = {table for table in state.rows_by_table() if table.startswith("types/")}
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
            wide = wide_integers(of_type(events, schema), widened(schema, found.found))
            after = grow_schema(schema, found.found, wide=wide, most=self.max_columns)
            loaded.conflicts += after.conflicts
            name = f"{domain}::{type_}"
            loaded.properties_left_out += [
                f"{name} {one.part}.{one.name} ({one.kind})" for one in after.left_out
            ]
            if found.unnoted:
                loaded.properties_left_out.append(f"{name}: {found.unnoted} more")
            if after.changed or octets is None:
                self.tree.write(f"{staging}/{path}", schema_octets(after.schema))
                schemas.append(StagedFile(f"{staging}/{path}", path))
            rows = typed(events, after.schema)
            tables.append(Table(table_of_type(domain, type_), rows, found.rows))
        return schemas


def _day() -> Column:
    return day_of(F.col("arrival_us"))


@dataclass(frozen=True, slots=True)
class NextSegments:
    """Input of a batch."""

    files: tuple[SegmentFile, ...]
    upto_seal: int  # last seal of the lake after this batch
    damaged: dict[str, str]  # what cannot be loaded because the manifest itself is damaged
    retaken: tuple[str, ...]  # segments that no longer count as damaged
    gaps: tuple[str, ...]  # what retention has removed, in words


def seal_mark(manifest: Manifest, number: int) -> str:
    """Identify a seal across archives; empty if unknown."""
    for seal in reversed(manifest.seals):
        if seal.number == number:
            return f"{number}/{seal.sealed_us}/{seal.books_crc32}"
    return ""


def next_segments(manifest: Manifest, state: LakeState, most_rows: int) -> NextSegments | None:
    """Return the seals after those in the lake, up to `most_rows` but at least one seal."""
    _check_same_archive(manifest, state)
    after = state.upto_seal
    if manifest.last_seal <= after:
        return None
    by_seal: dict[int, list[SegmentFile]] = {seal.number: [] for seal in manifest.seals}
    for kind in TAKEN_KINDS:
        for file in manifest.select(kind, after_seal=after):
            by_seal[file.seal].append(file)
    files: list[SegmentFile] = []
    damaged: dict[str, str] = {}
    rows, upto = 0, after
    for number in range(after + 1, manifest.last_seal + 1):
        coming = by_seal.get(number, [])
        rows += sum(file.rows for file in coming)
        if rows > most_rows and files:
            break
        if number not in by_seal and number > manifest.folded:
            damaged[_missing_seal(number)] = f"the manifest's line of seal {number} is damaged"
        files += coming
        upto = number
    return NextSegments(tuple(files), upto, damaged, (), _gaps(manifest, after, upto))


def repaired_segments(manifest: Manifest, state: LakeState) -> NextSegments:
    """Return the segments that were damaged when first read, to try again."""
    files = [
        file
        for file in manifest.files
        if file.kind in TAKEN_KINDS
        and (file.path in state.damaged or _missing_seal(file.seal) in state.damaged)
    ]
    found = {seal.number for seal in manifest.seals}
    seals = [_missing_seal(one) for one in found if _missing_seal(one) in state.damaged]
    gone = sorted(path for path in state.damaged if manifest.is_gone(path))
    retaken = (*(file.path for file in files if file.path in state.damaged), *seals, *gone)
    gaps = tuple(f"{path} was damaged, and retention has removed it" for path in gone)
    return NextSegments(tuple(files), state.upto_seal, {}, retaken, gaps)


def _missing_seal(number: int) -> str:
    return f"seal {number}"


def _check_same_archive(manifest: Manifest, state: LakeState) -> None:
    if not state.upto_seal:
        return
    mark = seal_mark(manifest, state.upto_seal)
    if manifest.last_seal < state.upto_seal or (mark and state.archive and mark != state.archive):
        raise PipelineFailed(
            f"the lake has been filled up to seal {state.upto_seal} from another archive: the one "
            f"given has {manifest.last_seal} seals and is not its continuation; give the archive "
            "it was made from, or another folder for the lake"
        )


def _gaps(manifest: Manifest, after: int, upto: int) -> tuple[str, ...]:
    gone: dict[int, int] = {}
    for path in manifest.dropped:
        kind, _, rest = path.partition("/")
        stem = rest.rpartition("/")[2].partition(".")[0]
        if kind in TAKEN_KINDS and stem.isdecimal() and after < int(stem) <= upto:
            gone[int(stem)] = gone.get(int(stem), 0) + 1
    return tuple(
        f"seal {number}: retention of the archive removed {count} files before the lake took them"
        for number, count in sorted(gone.items())
    )


class Table(NamedTuple):
    """Rows for a table."""

    name: str  # such as `events` or `types/Traffic/Speed`
    df: DataFrame  # with the column `date` last
    rows: int  # expected number of rows


def staged_tables(
    tree: LakeTree, staging: str, batch: int, tables: Sequence[Table]
) -> list[StagedFile]:
    """Write tables and return the staged files with their destinations."""
    with ThreadPoolExecutor(_AT_ONCE, "tidings-lake") as pool:
        made = pool.map(lambda table: _staged(tree, staging, batch, table), tables)
        return [file for files in made for file in files]


def _staged(tree: LakeTree, staging: str, batch: int, table: Table) -> list[StagedFile]:
    if table.rows == 0:
        return []
    folder = f"{staging}/{table.name}"
    df = table.df.coalesce(ceil(table.rows / ROWS_PER_FILE))
    with failing(f"the table {table.name} could not be written"):
        df.write.partitionBy(PARTITION).option("compression", "zstd").parquet(tree.path(folder))
    written = {
        name: octets
        for name, octets in tree.files(folder).items()
        if name.endswith(".parquet") and not name.rpartition("/")[2].startswith((".", "_"))
    }
    files = []
    for k, (name, octets) in enumerate(written.items()):
        partition = name.removeprefix(f"{folder}/").rpartition("/")[0]
        path = f"{table.name}/{partition}/part-{batch:012d}-{k:05d}.parquet"
        files.append(StagedFile(name, path, table.name, tree.rows(name), octets))
    rows = sum(file.rows for file in files)
    if rows != table.rows:
        raise PipelineFailed(
            f"the table {table.name} was written with {rows} rows, and there should be "
            f"{table.rows}: the batch is not taken in"
        )
    return files


def failing(what: str) -> AbstractContextManager[None]:
    """Convert errors of Spark to ours."""
    return spark_failures(what, "; the lake is unharmed")


class CompactResult(msgspec.Struct, frozen=True):
    """Result of a compaction."""

    batches: int
    files_before: int
    files_after: int
    rows: int  # rows rewritten
    notes: tuple[str, ...] = ()


def groups(
    state: LakeState, *, small: int = SMALL_OCTETS, most_rows: int = ROWS_PER_FILE
) -> Iterator[list[LakeFile]]:
    """Yield groups of files of one partition, each to be merged into one file.

    A group has two or more files below `small` bytes, with at most `most_rows` rows in total.
    """
    partitions: dict[tuple[str, str], list[LakeFile]] = {}
    for file in sorted(state.files.values(), key=lambda one: one.path):
        if file.octets < small:
            key = (file.table, file.path.rpartition("/")[0])
            partitions.setdefault(key, []).append(file)
    for files in partitions.values():
        group: list[LakeFile] = []
        rows = octets = 0
        for file in files:
            if group and (rows + file.rows > most_rows or octets + file.octets > 2 * small):
                if len(group) > 1:
                    yield group
                group, rows, octets = [], 0, 0
            group.append(file)
            rows, octets = rows + file.rows, octets + file.octets
        if len(group) > 1:
            yield group


def compact(
    spark: SparkSession,
    lake: str,
    progress: Progress = lambda *_: None,
    *,
    small: int = SMALL_OCTETS,
    clock: Clock | None = None,
) -> CompactResult:
    """Merge small files into few large ones; the rows stay the same.

    A reader of the bare folders may briefly miss rows, but never sees one twice; a query that has
    already listed the old files may fail and must be run again.
    """
    tree = LakeTree(local_folder(lake))
    with tree.locked():
        notes = LakeLog(tree).recover()
        result = compact_tree(spark, tree, progress, small=small, clock=clock)
    return msgspec.structs.replace(result, notes=tuple(notes))


def compact_tree(
    spark: SparkSession,
    tree: LakeTree,
    progress: Progress = lambda *_: None,
    *,
    small: int = SMALL_OCTETS,
    clock: Clock | None = None,
) -> CompactResult:
    """Compact a lake whose lock the caller holds."""
    log, now = LakeLog(tree), (clock or SystemClock()).now
    state = log.state()
    before = len(state.files)
    todo = list(groups(state, small=small))
    batches = rows = 0
    for start in range(0, len(todo), _GROUPS_PER_BATCH):
        some = todo[start : start + _GROUPS_PER_BATCH]
        progress(f"compacting {some[0][0].table}", start / len(todo))
        batch = _compacted(spark, tree, state, some, now())
        log.commit(batch)
        state = state.after(batch)
        batches += 1
        rows += sum(file.rows for group in some for file in group)
    return CompactResult(batches, before, len(state.files), rows)


def _compacted(
    spark: SparkSession, tree: LakeTree, state: LakeState, some: list[list[LakeFile]], now: int
) -> LakeBatch:
    number = state.batch + 1
    adds = []
    with LakeLog(tree).staging(number) as staging:
        for k, group in enumerate(some):
            table = _table(spark, tree, group)
            # One table at a time, so that each is written with its own columns.
            for add in staged_tables(tree, f"{staging}/{k}", number, [table]):
                path = f"{add.path.removesuffix('.parquet')}-{k:05d}.parquet"
                adds.append(msgspec.structs.replace(add, path=path))
    return LakeBatch(
        batch=number,
        kind="compact",
        staging=staging,
        at_us=now,
        upto_seal=state.upto_seal,
        adds=tuple(adds),
        removes=tuple(file.path for group in some for file in group),
    )


def _table(spark: SparkSession, tree: LakeTree, group: list[LakeFile]) -> Table:
    name = group[0].table
    paths = [glob_free(tree.path(file.path)) for file in group]
    with failing(f"the table {name} could not be read"):
        reader = spark.read.option("mergeSchema", "true")
        df = reader.option("basePath", tree.path(name)).parquet(*paths)
    df = df.coalesce(1).sortWithinPartitions("origin", "seq")
    return Table(name, df, sum(file.rows for file in group))
