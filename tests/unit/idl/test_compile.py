from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import BadInput
from tidings.idl.compile import compile_file, compile_text


def test_a_file_finds_what_it_includes(tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (far / "C.idl").write_text("struct C {};")
    (tmp_path / "B.idl").write_text("#include <C.idl>\nstruct B { C c; };")
    (tmp_path / "A.idl").write_text('#include "B.idl"\nstruct A { B b; };')
    model = compile_file(tmp_path / "A.idl", [far])
    assert [one.scoped for one in model.definitions] == ["C", "B", "A"]
    assert [Path(one.source.name).name for one in model.definitions] == ["C.idl", "B.idl", "A.idl"]
    assert model.main.name == str(tmp_path / "A.idl")


def test_a_file_that_includes_itself_is_noticed_by_any_path(tmp_path: Path) -> None:
    (tmp_path / "A.idl").write_text(f'#include "../{tmp_path.name}/A.idl"')
    with pytest.raises(BadInput, match="include each other in a circle"):
        compile_file(tmp_path / "A.idl")


def test_nothing_is_a_file_too() -> None:
    assert compile_text("").definitions == ()
