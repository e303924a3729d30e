from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import BadInput
from tidings.idl.faults import Source
from tidings.idl.sources import Folders, read_source


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    near, far = tmp_path / "near", tmp_path / "far"
    for folder in (near, far):
        folder.mkdir()
        (folder / "Both.idl").write_text(f"// {folder.name}")
    (far / "Far.idl").write_text("// ä", encoding="latin-1")
    return near, far


def test_quotes_look_beside_the_includer_first_and_angles_do_not(
    folders: tuple[Path, Path],
) -> None:
    near, far = folders
    files = Folders([far])
    includer = Source(str(near / "main.idl"), "")
    for angled, text in ((False, "// near"), (True, "// far")):
        found = files.find("Both.idl", angled, includer)
        assert found is not None
        assert found.text == text


def test_one_file_is_one_source(folders: tuple[Path, Path]) -> None:
    near, far = folders
    files = Folders([far, near / ".." / "far"])
    one = files.find("Far.idl", True, Source("x", ""))
    other = files.opened(near / ".." / "far" / "Far.idl")
    assert one is other
    assert other.text == "// ä"


def test_what_is_not_there_is_not_found(folders: tuple[Path, Path]) -> None:
    assert Folders(folders).find("None.idl", False, Source("x", "")) is None


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"None\.idl: No such file"):
        read_source(tmp_path / "None.idl")
    (tmp_path / "Large.idl").write_text("x" * 20)
    with pytest.raises(BadInput, match="at most 10 octets"):
        read_source(tmp_path / "Large.idl", 10)
