"""The files of interfaces, and the modules that are made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.cos.idl_files import FOLDER, MODULES, generated, load_idl


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_what_its_file_generates(name: str) -> None:
    path = FOLDER.parent / f"{name}_auto.py"
    same = path.read_text(encoding="utf-8") == generated(name)
    assert same, f"generate it again: tidings idl compile {name}.idl -o src/tidings/cos"


def test_files_of_the_program_are_found_before_ours(tmp_path: Path) -> None:
    (tmp_path / "CosNaming.idl").write_text("typedef long Mine;")
    text = "#include <CosNaming.idl>\ninterface Checker { void check(in Mine what); };"
    assert "check" in load_idl(text, [tmp_path]).Checker_INTERFACE.operations
