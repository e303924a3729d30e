"""Which segments a lake takes in next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.lake_archives import SmallArchive, speed
from tidings.errors import PipelineFailed
from tidings.pipeline.lake_log import LakeState
from tidings.pipeline.lake_segments import Next, next_segments, repaired_segments, seal_mark
from tidings.stores.archive.manifest import MANIFEST, Manifest, read_manifest

MANY = 1_000_000


def state(upto: int, **rest: object) -> LakeState:
    return LakeState(upto_seal=upto, **rest)  # type: ignore[arg-type]


def archive(folder: Path, seals: int) -> Manifest:
    made = SmallArchive(folder)
    for _ in range(seals):
        made.seal([speed(1), speed(2)])
    return read_manifest(folder)


def some(found: Next | None) -> Next:
    assert found is not None
    return found


def test_all_that_is_new_comes(tmp_path: Path) -> None:
    manifest = archive(tmp_path, 3)
    coming = some(next_segments(manifest, state(1), MANY))
    assert {file.seal for file in coming.files} == {2, 3}
    assert {file.kind for file in coming.files} == {"events", "outcomes"}
    assert coming.upto_seal == 3
    assert next_segments(manifest, state(3), MANY) is None


def test_seals_come_together_up_to_a_number_of_rows(tmp_path: Path) -> None:
    manifest = archive(tmp_path, 5)
    assert some(next_segments(manifest, state(0), 8)).upto_seal == 2
    assert some(next_segments(manifest, state(2), 8)).upto_seal == 4
    assert some(next_segments(manifest, state(0), 1)).upto_seal == 1  # one at least


def test_seals_without_rows_are_passed(tmp_path: Path) -> None:
    made = SmallArchive(tmp_path)
    made.seal([])
    made.seal([])
    coming = some(next_segments(read_manifest(tmp_path), state(0), 1))
    assert (coming.files, coming.upto_seal) == ((), 2)


def test_what_retention_has_removed_is_a_gap(tmp_path: Path) -> None:
    made = SmallArchive(tmp_path)
    made.drop(made.seal([speed(1)]))
    made.seal([speed(2)])
    coming = some(next_segments(read_manifest(tmp_path), state(0), MANY))
    assert {file.seal for file in coming.files} == {2}
    assert coming.gaps == (
        "seal 1: retention of the archive removed 2 files before the lake took them",
    )
    assert some(next_segments(read_manifest(tmp_path), state(1), MANY)).gaps == ()


def test_a_damaged_line_is_told_and_can_be_made_good(tmp_path: Path) -> None:
    archive(tmp_path, 3)
    path = tmp_path / MANIFEST
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1].replace(b"events", b"evants"), lines[2]]))
    coming = some(next_segments(read_manifest(tmp_path), state(0), MANY))
    assert {file.seal for file in coming.files} == {1, 3}
    assert coming.damaged == {"seal 2": "the manifest's line of seal 2 is damaged"}
    after = state(3, damaged=coming.damaged)
    assert repaired_segments(read_manifest(tmp_path), after).retaken == ()
    path.write_bytes(b"".join(lines))
    repaired = repaired_segments(read_manifest(tmp_path), after)
    assert {file.seal for file in repaired.files} == {2}
    assert repaired.retaken == ("seal 2",)


def test_repaired_segments_are_those_that_were_damaged(tmp_path: Path) -> None:
    made = SmallArchive(tmp_path)
    first, second = made.seal([speed(1)]), made.seal([speed(2)])
    made.drop(second)
    before = state(2, damaged={first[0]: "cut", second[0]: "missing"})
    repaired = repaired_segments(read_manifest(tmp_path), before)
    assert [file.path for file in repaired.files] == first[:1]
    assert set(repaired.retaken) == {first[0], second[0]}
    assert repaired.gaps == (f"{second[0]} was damaged, and retention has removed it",)
    assert repaired.upto_seal == 2


def test_another_archive_is_refused(tmp_path: Path) -> None:
    manifest = archive(tmp_path, 3)
    with pytest.raises(PipelineFailed, match="filled up to seal 4 from another archive"):
        next_segments(manifest, state(4), MANY)
    assert next_segments(manifest, state(3, archive=seal_mark(manifest, 3)), MANY) is None
    with pytest.raises(PipelineFailed, match="from another archive"):
        next_segments(manifest, state(3, archive="3/1/1"), MANY)
    assert seal_mark(manifest, 9) == ""
