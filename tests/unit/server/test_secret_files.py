"""Files that only their owner can read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tidings.server.secret_files import write_secret


def test_it_is_written_whole_and_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "new" / "secret"
    write_secret(path, "text")
    assert path.read_text() == "text\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["secret"]


def test_what_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_secret(tmp_path / "file" / "secret", "text")
