"""`tidings idl compile`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.unit.cli.running import objects, tidings

BANK = """#include <CosNotification.idl>
module Bank {
  struct Sum { long euros; };
  interface Account { Sum balance(); void log(in CosNotification::StructuredEvent what); };
};
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Bank.idl"
    path.write_text(BANK)
    return path


def test_a_file_gives_a_module_that_can_be_imported(file: Path, tmp_path: Path) -> None:
    ran = tidings("idl", "compile", str(file), "-o", str(tmp_path))
    assert ran.exit_code == 0
    assert "2 definitions written to" in ran.stderr
    spec = importlib.util.spec_from_file_location("Bank_auto", tmp_path / "Bank_auto.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.Account_INTERFACE.id == "IDL:Bank/Account:1.0"
    assert module.Sum(5).euros == 5


def test_check_writes_nothing_and_tells_by_its_exit_code(file: Path, tmp_path: Path) -> None:
    command = ("idl", "compile", str(file), "-o", str(tmp_path))
    checked = tidings(*command, "--check")
    assert checked.exit_code == 1
    assert "is not what the file gives; nothing was written" in checked.stderr
    assert not (tmp_path / "Bank_auto.py").exists()
    assert tidings(*command).exit_code == 0
    again = tidings(*command, "--check")
    assert again.exit_code == 0
    assert "Bank_auto.py is up to date" in again.stderr
    file.write_text(BANK.replace("euros", "dollars"))
    assert tidings(*command, "--check").exit_code == 1


def test_json_says_the_same(file: Path, tmp_path: Path) -> None:
    ran = tidings("idl", "compile", str(file), "-o", str(tmp_path), "--json")
    module = str(tmp_path / "Bank_auto.py")
    assert objects(ran.stdout) == [
        {"file": str(file), "module": module, "definitions": 2, "changed": True}
    ]


def test_what_is_included_is_imported_from_the_package(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "Money.idl").write_text("module Money { struct Sum { long euros; }; };")
    (tmp_path / "Bank.idl").write_text(
        "#include <Money.idl>\nmodule Bank { typedef sequence<Money::Sum> Sums; };"
    )
    command = ["idl", "compile", str(tmp_path / "Bank.idl"), "-o", str(tmp_path)]
    assert tidings(*command).exit_code == 2
    assert tidings(*command, "-I", str(shared), "--package", "my.bank").exit_code == 0
    text = (tmp_path / "Bank_auto.py").read_text()
    assert "from my.bank import Money_auto as _Money" in text
    assert tidings(*command, "-I", str(shared)).exit_code == 0
    assert "import Money_auto as _Money" in (tmp_path / "Bank_auto.py").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module Bank {\n  strct S {};\n};", "Bank.idl:2:3: expected a definition, not 'strct'"),
        ("#include <None.idl>", "Bank.idl:1:1: the file None.idl is not found"),
    ],
)
def test_a_fault_is_told_with_its_place(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    ran = tidings("idl", "compile", str(file), "-o", str(file.parent))
    assert ran.exit_code == 2
    assert message in ran.stderr
    assert not (file.parent / "Bank_auto.py").exists()


def test_names_that_python_cannot_import_are_refused(tmp_path: Path, file: Path) -> None:
    odd = tmp_path / "my-bank.idl"
    odd.write_text("module Bank {};")
    ran = tidings("idl", "compile", str(odd), "-o", str(tmp_path))
    assert (ran.exit_code, "rename the file" in ran.stderr) == (2, True)
    ran = tidings("idl", "compile", str(file), "--package", "a-b", "-o", str(tmp_path))
    assert (ran.exit_code, "no name of a package" in ran.stderr) == (2, True)


def test_a_folder_that_is_not_there_is_told(file: Path, tmp_path: Path) -> None:
    ran = tidings("idl", "compile", str(file), "-o", str(tmp_path / "none"))
    assert ran.exit_code == 2
    assert "no such file" in ran.stderr
    assert "Bank_auto" not in sys.modules
