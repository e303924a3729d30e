"""Parts of a lake: names, schemas and how they grow, segments, compaction, reports and files."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import PySparkException

from tests.real.pipeline.lake_archives import SmallArchive, speed
from tidings.errors import DiskFull, PipelineFailed, StoreError
from tidings.pipeline.lake import LakeResult, tables
from tidings.pipeline.lake.loading import (
    LoadedBatch,
    NextSegments,
    failing,
    groups,
    next_segments,
    repaired_segments,
    seal_mark,
)
from tidings.pipeline.lake.log import LOCK, LakeBatch, LakeFile, LakeState, LakeTree, locked_message
from tidings.pipeline.lake.tables import (
    EMPTY_SEQUENCE,
    JSON,
    FoundProperty,
    SchemaGrowth,
    folder_name,
    grow_schema,
    same_column,
    unused_column,
    widened,
)
from tidings.stores.archive.manifest import MANIFEST, Manifest, read_manifest

FOLDERS = {
    "Speed": "Speed", "": "_", "_": "%5F", "_x": "%5Fx", ".": "%2E", "..": "%2E.",
    "a.b-c_d": "a.b-c_d", "a/b": "a%2Fb", "date=1": "date%3D1", "%ANY": "%25ANY",
    "Größe": "Gr%C3%B6%C3%9Fe", "*?[{\\": "%2A%3F%5B%7B%5C",
}  # fmt: skip


def test_folders() -> None:
    assert {name: folder_name(name) for name in FOLDERS} == FOLDERS


@given(st.text(max_size=400), st.text(max_size=300))
def test_folders_are_seen_by_every_file_system_and_no_two_names_have_one(
    name: str, other: str
) -> None:
    made = folder_name(name)
    assert (made == folder_name(other)) == (name == other)
    assert made.isascii()
    assert len(made) <= 120
    assert not set(made) & set("/=*?[]{}\\: ")
    assert made == "_" or made[0] not in "._"


def test_a_taken_column_gets_a_number() -> None:
    assert unused_column("rate", set()) == "rate"
    assert unused_column("Rate", {"rate"}) == "Rate__2"
    assert unused_column("RATE", {"rate", "rate__2"}) == "RATE__3"
    assert same_column("RaTe") == "rate"


# ---------------------------------------------------------------- schemas of typed tables

NEW = tables.TypeSchema(domain="Traffic", type="Speed")


def data(name: str, *kinds: str) -> dict[FoundProperty, int]:
    return {FoundProperty("data", name, kind): 5 for kind in kinds}


def columns(after: SchemaGrowth) -> list[tuple[str, str]]:
    return [(one.column, one.kind) for one in after.schema.columns]


def test_another_kind_gets_a_column_of_its_own_and_is_a_conflict() -> None:
    before = grow_schema(NEW, data("zone", "int")).schema
    after = grow_schema(before, data("zone", "string"))
    assert columns(after) == [("zone", "int"), ("zone__string", "string")]
    (one,) = after.conflicts
    assert (one.name, one.kind, one.column, one.rows) == ("zone", "string", "zone__string", 5)
    # It stays one, however often it comes, and the column is there already.
    again = grow_schema(after.schema, data("zone", "string", "int"))
    assert not again.changed
    assert [one.kind for one in again.conflicts] == ["string"]


def test_integers_fit_into_doubles() -> None:
    found = data("rate", "int", "double")
    assert widened(NEW, found) == [("data", "rate")]
    after = grow_schema(NEW, found)
    assert columns(after) == [("rate", "double")]
    assert not after.conflicts
    assert widened(after.schema, data("rate", "int")) == [("data", "rate")]
    large = grow_schema(after.schema, data("rate", "int"), wide={("data", "rate"): 2})
    assert columns(large) == [("rate", "double"), ("rate__int", "int")]
    assert [one.rows for one in large.conflicts] == [2]


def test_odd_names_lose_nothing() -> None:
    names = ("Date", "Speed", "speed", "header_Priority")
    found = {
        FoundProperty("data", "name", "string"): 1,
        **{FoundProperty("data", name, "int"): 1 for name in names},
        FoundProperty("header", "Priority", "int"): 1,
        FoundProperty(tables.BODY, "", JSON): 1,
    }
    assert {one.name: one.column for one in grow_schema(NEW, found).schema.columns} == {
        "name": "data_name", "Date": "data_Date", "Speed": "Speed", "speed": "speed__2",
        "header_Priority": "header_Priority", "Priority": "header_Priority__2", "": "body__json",
    }  # fmt: skip


_found = st.dictionaries(
    st.builds(
        FoundProperty,
        st.sampled_from(["header", "data"]),
        st.text(alphabet="aAb\u0131ß. _", max_size=4) | st.sampled_from(["seq", "name", "a__json"]),
        st.sampled_from([*tables.KINDS, EMPTY_SEQUENCE]),
    ),
    st.integers(1, 9),
    max_size=8,
)


@given(st.lists(_found, max_size=4))
def test_every_value_has_exactly_one_column_and_columns_never_change(
    batches: list[dict[FoundProperty, int]],
) -> None:
    schema = NEW
    for found in batches:
        after = grow_schema(schema, found)
        assert after.schema.columns[: len(schema.columns)] == schema.columns
        schema = after.schema
        assert not grow_schema(schema, found).changed
    names = [same_column(one.column) for one in schema.columns] + [*tables.FIXED, "date"]
    assert len(names) == len(set(names))
    for one in (one for found in batches for one in found):
        kinds = [column.kind for column in schema.of_property(one.part, one.name)]
        assert len(kinds) == len(set(kinds))
        if one.kind == EMPTY_SEQUENCE:
            assert set(kinds) & set(tables.SEQUENCES)
        elif one.kind == "int" and "int" not in kinds:
            assert next(kind for kind in kinds if kind != JSON) == "double"
        else:
            assert one.kind in kinds


def test_schemas_are_kept_in_files() -> None:
    schema = grow_schema(NEW, data("zone", "int", "string")).schema
    octets = tables.schema_octets(schema)
    assert tables.read_schema(octets, "here") == schema
    assert tables.schema_path("", "a/b") == "_schemas/_/a%2Fb.json"
    newer = octets.replace(b'"format": 1', b'"format": 2')
    for wrong, told in ((b"{}", "here is no schema"), (newer, "format 2")):
        with pytest.raises(PipelineFailed, match=told):
            tables.read_schema(wrong, "here")


# ---------------------------------------------------------------- segments that come next

MANY = 1_000_000


def lake_at(upto: int, **rest: object) -> LakeState:
    return LakeState(upto_seal=upto, **rest)  # type: ignore[arg-type]


def archive(folder: Path, seals: int) -> Manifest:
    made = SmallArchive(folder)
    for _ in range(seals):
        made.seal([speed(1), speed(2)])
    return read_manifest(folder)


def coming(manifest: Manifest, upto: int, rows: int = MANY) -> NextSegments:
    found = next_segments(manifest, lake_at(upto), rows)
    assert found is not None
    return found


def test_seals_come_together_up_to_a_number_of_rows(tmp_path: Path) -> None:
    manifest = archive(tmp_path, 5)
    # One at least.
    assert [coming(manifest, *at).upto_seal for at in ((0, 8), (2, 8), (0, 1))] == [2, 4, 1]


def test_what_retention_has_removed_is_a_gap(tmp_path: Path) -> None:
    made = SmallArchive(tmp_path)
    made.drop(made.seal([speed(1)]))
    made.seal([speed(2)])
    found = coming(read_manifest(tmp_path), 0)
    assert {file.seal for file in found.files} == {2}
    told = "seal 1: retention of the archive removed 2 files before the lake took them"
    assert found.gaps == (told,)
    assert coming(read_manifest(tmp_path), 1).gaps == ()


def test_a_damaged_line_is_told_and_can_be_made_good(tmp_path: Path) -> None:
    archive(tmp_path, 3)
    path = tmp_path / MANIFEST
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1].replace(b"events", b"evants"), lines[2]]))
    found = coming(read_manifest(tmp_path), 0)
    assert {file.seal for file in found.files} == {1, 3}
    assert found.damaged == {"seal 2": "the manifest's line of seal 2 is damaged"}
    after = lake_at(3, damaged=found.damaged)
    assert repaired_segments(read_manifest(tmp_path), after).retaken == ()
    path.write_bytes(b"".join(lines))
    repaired = repaired_segments(read_manifest(tmp_path), after)
    assert {file.seal for file in repaired.files} == {2}
    assert repaired.retaken == ("seal 2",)


def test_repaired_segments_are_those_that_were_damaged(tmp_path: Path) -> None:
    made = SmallArchive(tmp_path)
    first, second = made.seal([speed(1)]), made.seal([speed(2)])
    made.drop(second)
    before = lake_at(2, damaged={first[0]: "cut", second[0]: "missing"})
    repaired = repaired_segments(read_manifest(tmp_path), before)
    assert [file.path for file in repaired.files] == first[:1]
    assert set(repaired.retaken) == {first[0], second[0]}
    assert repaired.gaps == (f"{second[0]} was damaged, and retention has removed it",)
    assert repaired.upto_seal == 2


def test_another_archive_is_refused(tmp_path: Path) -> None:
    manifest = archive(tmp_path, 3)
    with pytest.raises(PipelineFailed, match="filled up to seal 4 from another archive"):
        next_segments(manifest, lake_at(4), MANY)
    assert next_segments(manifest, lake_at(3, archive=seal_mark(manifest, 3)), MANY) is None
    with pytest.raises(PipelineFailed, match="from another archive"):
        next_segments(manifest, lake_at(3, archive="3/1/1"), MANY)
    assert seal_mark(manifest, 9) == ""


# ---------------------------------------------------------------- compaction, reports


def sizes(files: list[tuple[str, str, int, int]], **options: int) -> list[list[int]]:
    made = [
        LakeFile(table, f"{table}/date={day}/part-{k:05d}.parquet", rows, octets)
        for k, (table, day, rows, octets) in enumerate(files)
    ]
    lake = LakeState(batch=1, files={file.path: file for file in made})
    return [[file.rows for file in group] for group in groups(lake, **options)]


def test_small_files_of_one_partition_are_put_together() -> None:
    files = [
        *(("events", "1", 1, 10), ("events", "1", 2, 10), ("events", "2", 3, 10)),
        *(("outcomes", "1", 4, 10), ("events", "1", 5, 150), ("outcomes", "1", 6, 10)),
    ]
    assert sizes(files, small=100) == [[1, 2], [4, 6]]
    files = [("events", "1", rows, 10) for rows in (4, 4, 4, 4, 9)]  # no group is too large
    assert sizes(files, small=100, most_rows=8) == [[4, 4], [4, 4]]
    assert sizes(files, small=11) == [[4, 4], [4, 4]]


SECOND = 1_000_000


def taken(number: int, events: int) -> LoadedBatch:
    batch = LakeBatch(
        batch=number, kind="take", staging="s", at_us=1, upto_seal=number, gaps=(f"gap {number}",)
    )
    rows = {"events": events, "types/A/B": events, "quarantine": 1}
    conflict = tables.KindConflict("A", "B", "data", "x", "string", "x__string", events)
    left_out = (["A::B data.y (int)"], {"A::C": 2}, {"rate": 1})
    return LoadedBatch(batch, rows, [conflict], *left_out, 10 * SECOND, 12 * SECOND)


def test_batches_are_summed_up() -> None:
    result = LakeResult(lake="lake")
    result.add(taken(1, 10), 13 * SECOND)
    result.add(taken(2, 5), 14 * SECOND)
    files = {"p": LakeFile("events", "p", 15, 100), "q": LakeFile("events", "q", 5, 100)}
    state = LakeState(batch=2, upto_seal=2, files=files, damaged={"d": "cut"})
    result.end(state, 2.5)
    assert (result.batches, result.events, result.outcomes, result.quarantined) == (2, 15, 0, 2)
    assert [(one.column, one.rows) for one in result.conflicts] == [("x__string", 15)]
    assert (result.types_left_out, result.failed_checks) == ({"A::C": 4}, {"rate": 2})
    assert result.properties_left_out == ("A::B data.y (int)",)
    assert result.gaps == ("gap 1", "gap 2")
    assert (result.rows_by_table, result.damaged) == ({"events": 20}, {"d": "cut"})
    assert result.latency_us == 2 * SECOND
    assert msgspec.json.decode(msgspec.json.encode(result), type=LakeResult) == result


# ---------------------------------------------------------------- files on this machine


def test_half_a_file_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = LakeTree(tmp_path)
    tree.write("a/1", b"old")

    def dead(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", dead)
    with pytest.raises(KeyboardInterrupt):
        tree.write("a/1", b"new")
    assert tree.read("a/1") == b"old"
    assert tree.names("a") == ["1"]
    assert tree.files("a") == {"a/1": 3}


def test_renaming_makes_folders_and_replaces(tmp_path: Path) -> None:
    tree = LakeTree(tmp_path)
    tree.write("a", b"new")
    tree.write("x/y/b", b"old")
    tree.rename("a", "x/y/b")
    assert tree.read("x/y/b") == b"new"
    assert not tree.exists("a")
    with pytest.raises(StoreError, match="cannot become"):
        tree.rename("a", "b")


def test_rows_are_those_of_the_footer(tmp_path: Path) -> None:
    tree = LakeTree(tmp_path)
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "good.parquet")
    (tmp_path / "bad.parquet").write_bytes((tmp_path / "good.parquet").read_bytes()[:-3])
    assert tree.rows("good.parquet") == 3
    with pytest.raises(StoreError, match=r"bad\.parquet is no whole Parquet file"):
        tree.rows("bad.parquet")


HOLDER = """
import sys
from pathlib import Path
from tidings.pipeline.lake.log import LakeTree
with LakeTree(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_is_kept_out_until_the_first_is_dead(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        said = f"process {holder.pid} on .* is writing to the lake {tmp_path}"
        with pytest.raises(PipelineFailed, match=said), LakeTree(tmp_path).locked():
            pass
        holder.kill()
        holder.wait()
    assert (tmp_path / LOCK).exists()
    for _ in range(2):
        with LakeTree(tmp_path).locked():
            assert str(os.getpid()).encode() in (tmp_path / LOCK).read_bytes()
    message = locked_message(Path("here"), b"")
    assert message.startswith("another process is writing to the lake here")


JAVA = """An error occurred while calling o57.parquet.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.sql.X
Caused by: java.io.IOException: {}
"""


def test_no_room_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="No space left on device; the lake is unharmed"):
        LakeTree(tmp_path).write("a", b"a")
    for reason in ("No space left on device", "Disk quota exceeded"):  # as Spark says it
        with pytest.raises(DiskFull, match=r"the table events: no space is left .*is unharmed"):
            _fail(reason)
    with pytest.raises(PipelineFailed) as failed:
        _fail("Broken pipe")
    assert str(failed.value) == (
        "the table events: org.apache.spark.SparkException: Job aborted.; the lake is unharmed"
    )


def _fail(reason: str) -> None:
    with failing("the table events"):
        raise PySparkException(JAVA.format(reason))
