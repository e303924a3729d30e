from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.archive_worlds import archive_journal
from tests.unit.cli.running import objects, tidings
from tests.unit.engine.test_lost_ends import published, segments_of
from tests.unit.server.serving import scene, serving, sources
from tests.unit.stores.sample_journal import flip
from tidings.errors import StoreError


def test_a_good_journal(tmp_path: Path) -> None:
    published(tmp_path)
    before = {path: path.read_bytes() for path in segments_of(tmp_path)}
    result = tidings("journal", "check", str(tmp_path))
    assert result.exit_code == 0
    assert result.stdout.startswith("the journal is good: ")
    assert {path: path.read_bytes() for path in segments_of(tmp_path)} == before


def test_a_folder_without_a_journal_is_an_error(tmp_path: Path) -> None:
    result = tidings("journal", "check", str(tmp_path))
    assert result.exit_code == 2
    assert "there is no journal in" in result.stderr


def test_what_is_damaged_or_missing_is_listed(tmp_path: Path) -> None:
    used = published(tmp_path, 100)
    files = segments_of(tmp_path)
    files[3].unlink()
    flip(files[5], 8 * 200)
    os.truncate(files[-2], files[-2].stat().st_size - 20)
    files[-1].unlink()
    before = {path: path.read_bytes() for path in segments_of(tmp_path)}
    result = tidings("journal", "check", str(tmp_path), "--json")
    assert result.exit_code == 1
    [found] = objects(result.stdout)
    assert {(one["segment"], one["what"]) for one in found["damage"]} == {
        (4, "missing"),
        (6, "damaged"),
        (int(files[-2].stem), "damaged"),
        (int(files[-1].stem), "missing"),
    }
    lost = {n for one in found["events"] for n in range(one["first"], (one["last"] or 100) + 1)}
    assert lost < set(used)
    assert {path: path.read_bytes() for path in segments_of(tmp_path)} == before
    text = tidings("journal", "check", str(tmp_path)).stdout
    assert "segment 4 is missing\n" in text
    assert "may be lost\n" in text
    assert "the journal is not whole" in text


def test_a_lost_first_segment_names_what_only_others_still_name(tmp_path: Path) -> None:
    published(tmp_path, 60)
    for path in segments_of(tmp_path)[:3]:
        path.unlink()
    [found] = objects(tidings("journal", "check", str(tmp_path), "--json").stdout)
    assert len(found["channels"]) == 1


def test_a_restored_copy_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    published(data, 5)
    shutil.copytree(data, tmp_path / "backup")
    published(data, 40)
    archive_journal(data / "journal", archive)
    shutil.rmtree(data)
    shutil.move(tmp_path / "backup", data)
    both = (str(data), "--archive", str(archive))
    place = sources(store__dir=str(data), archive__dir=str(archive))

    async def play() -> None:
        async with serving(place):
            pass

    with pytest.raises(StoreError, match="Nothing was changed") as refused:
        scene(play)
    assert f"tidings journal accept {data} --archive {archive}" in str(refused.value)
    result = tidings("journal", "check", *both)
    assert result.exit_code == 1
    assert "the journal ends before\n" in result.stdout
    assert "events from 6 to 45 may be lost" in result.stdout
    assert "accepted: the journal goes on in segment" in tidings("journal", "accept", *both).stdout
    assert "there is nothing to accept" in tidings("journal", "accept", *both).stdout
    scene(play)
