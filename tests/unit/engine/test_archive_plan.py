from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from tidings.engine.archive_plan import ArchivePlan, archive_command


def test_the_child_has_our_python_and_whole_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/some/where"])
    plan = ArchivePlan(Path("archive"), seal_seconds=2.0, keep_octets=7)
    python, *options, journal, folder, told = archive_command(plan, Path("data/journal"))
    assert python == sys.executable
    assert options == ["-P", "-m", "tidings.stores.archive"]
    assert (Path(journal), Path(folder)) == (Path.cwd() / "data/journal", Path.cwd() / "archive")
    assert json.loads(told) == {
        "seal_seconds": 2.0,
        "seal_octets": 64 * 2**20,
        "seal_rows": 200_000,
        "keep_octets": 7,
        "keep_microseconds": None,
    }


@pytest.mark.parametrize("place", ["", str(Path.cwd())])
def test_who_runs_from_the_current_folder_has_a_child_that_does(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(sys, "path", ["/some/where", place])
    assert "-P" not in archive_command(ArchivePlan(Path("archive")), Path("journal"))


def test_the_defaults_are_those_of_the_archive() -> None:
    archiver = pytest.importorskip("tidings.stores.archive.archiver")
    plan, options = ArchivePlan(Path()), archiver.ArchiveOptions()
    for field in fields(options):
        assert getattr(plan, field.name) == getattr(options, field.name), field.name
    assert archiver.ArchiveOptions(**json.loads(plan.options())) == options
