"""Faults planted one by one in a copy of the journal: the check must catch each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tidings
from tests.faults.fault import Fault
from tests.faults.journal_faults import CAUGHT, JOURNAL_FAULTS

PROJECT = Path(__file__).parents[2]
NEEDED = ["__init__.py", "clock.py", "errors", "names.py", "stores"]


def copied_package(folder: Path) -> Path:
    """A copy of what the journal needs of the package."""
    package = folder / "tidings"
    package.mkdir()
    for name in NEEDED:
        source = Path(tidings.__file__).parent / name
        if source.is_dir():
            shutil.copytree(source, package / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, package / name)
    return package


def check(folder: Path) -> tuple[int, str]:
    """The exit code and the output of the check, run on the package in a folder."""
    (folder / "scratch").mkdir()
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.faults.journal_faults", str(folder), "scratch"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PROJECT)])},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert check(tmp_path) == (0, "")


@pytest.mark.parametrize("fault", JOURNAL_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = check(tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in JOURNAL_FAULTS]
    assert len(names) >= 15
    assert len(set(names)) == len(names)
