"""Planning: whatever the limits and however often it begins again, every row is read once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InvalidUsage
from tidings.pipeline.source_options import SourceOptions
from tidings.pipeline.source_planning import (
    SLICE_ROWS,
    Position,
    Slice,
    advanced,
    dropped_between,
    last_position,
    packed,
    slices_between,
)
from tidings.stores.archive.manifest import Manifest, Seal, SegmentFile
from tidings.stores.segments import Cursor


def manifest_of(seals: list[list[int]]) -> Manifest:
    """An archive whose seals have files with so many rows."""
    files = [
        SegmentFile(
            "events", f"events/date=2026-11-15/hour={hour:02d}/{seal:012d}.parquet", rows,
            100, 0, 0, 0, (("o", "c"),), (("D", "T"),), {}, {}, seal,
        )
        for seal, hours in enumerate(seals, 1)
        for hour, rows in enumerate(hours)
    ]  # fmt: skip
    told = [Seal(at, 0, Cursor(1, 0), "", 0, None, 0, 0) for at in range(1, len(seals) + 1)]
    return Manifest(told, files, (), (), 0)


def rows_of(slices: list[Slice]) -> list[tuple[str, int]]:
    return [(one.path, row) for one in slices for row in range(one.first, one.end)]


ALL = SourceOptions("/a")


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=3), max_size=6),
    st.none() | st.integers(1, 12),
    st.none() | st.integers(1, 3),
)
def test_batches_cover_everything_once(
    seals: list[list[int]], rows: int | None, files: int | None
) -> None:
    manifest = manifest_of(seals)
    options = SourceOptions("/a", most_rows=rows, most_files=files)
    end = last_position(manifest)
    at, read = Position(0), list[tuple[str, int]]()
    while at < end:
        next_ = advanced(manifest, options, at, end)
        assert at < next_ <= end
        slices = slices_between(manifest, options, at, next_)
        assert rows is None or len(rows_of(slices)) <= rows
        assert files is None or len(slices) <= files
        read += rows_of(slices)
        at = Position.from_plain(next_.to_plain())
        assert at == next_
    assert read == rows_of(slices_between(manifest, ALL, Position(0), end))
    assert len(read) == sum(map(sum, seals))


@given(st.lists(st.integers(1, 3 * SLICE_ROWS), max_size=6))
def test_tasks_are_neither_large_nor_many(counts: list[int]) -> None:
    slices = [Slice(f"f{at}", 100, 0, 0, count) for at, count in enumerate(counts)]
    tasks = packed(slices)
    flat = [one for task in tasks for one in task]
    assert sum(one.end - one.first for one in flat) == sum(counts)
    sizes = [sum(one.end - one.first for one in task) for task in tasks]
    assert all(size <= SLICE_ROWS for size in sizes)
    assert all(a + b > SLICE_ROWS for a, b in pairwise(sizes))


def test_large_files_are_split_where_row_groups_end() -> None:
    tasks = packed([Slice("f", 100, 0, 5, 2 * SLICE_ROWS + 7)])
    assert [(one.first, one.end) for task in tasks for one in task] == [
        (5, SLICE_ROWS),
        (SLICE_ROWS, 2 * SLICE_ROWS),
        (2 * SLICE_ROWS, 2 * SLICE_ROWS + 7),
    ]


def test_drops_between_positions_are_found() -> None:
    paths = [f"events/date=d/hour=01/{seal:012d}.parquet" for seal in (1, 2, 3)]
    between = dropped_between(
        [*paths, "plans/d/h/000000000002.parquet"], "events", Position(1), Position(2)
    )
    assert between == [paths[1]]


def test_a_position_of_something_else_is_refused() -> None:
    with pytest.raises(InvalidUsage, match="no position in an archive"):
        Position.from_plain({"logOffset": 3})
