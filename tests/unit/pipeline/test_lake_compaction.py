"""Which files are made one."""

from __future__ import annotations

from tidings.pipeline.lake_compaction import groups
from tidings.pipeline.lake_log import LakeFile, LakeState


def state(*files: tuple[str, str, int, int]) -> LakeState:
    made = [
        LakeFile(table, f"{table}/date={day}/part-{k:05d}.parquet", rows, octets)
        for k, (table, day, rows, octets) in enumerate(files)
    ]
    return LakeState(batch=1, files={file.path: file for file in made})


def sizes(lake: LakeState, **options: int) -> list[list[int]]:
    return [[file.rows for file in group] for group in groups(lake, **options)]


def test_small_files_of_one_partition_are_put_together() -> None:
    lake = state(
        ("events", "1", 1, 10),
        ("events", "1", 2, 10),
        ("events", "2", 3, 10),
        ("outcomes", "1", 4, 10),
        ("events", "1", 5, 150),
        ("outcomes", "1", 6, 10),
    )
    assert sizes(lake, small=100) == [[1, 2], [4, 6]]


def test_no_group_is_too_large() -> None:
    lake = state(*(("events", "1", rows, 10) for rows in (4, 4, 4, 4, 9)))
    assert sizes(lake, small=100, most_rows=8) == [[4, 4], [4, 4]]
    assert sizes(lake, small=11) == [[4, 4], [4, 4]]


def test_few_files_are_left_alone() -> None:
    lake = state(("events", "1", 1, 10), ("events", "1", 2, 10), ("events", "2", 3, 10))
    assert sizes(lake, small=100, least=3) == []
    assert sizes(LakeState()) == []
