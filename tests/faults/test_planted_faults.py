"""Faults planted one by one in a copy of the package: the checks must catch each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tidings
from tests.faults.fault import Fault
from tests.faults.filter_faults import FILTER_FAULTS
from tests.faults.index_faults import INDEX_FAULTS
from tests.faults.probe import CAUGHT

PROJECT = Path(__file__).parents[2]
FAULTS = [*FILTER_FAULTS, *INDEX_FAULTS]


def copied_package(folder: Path) -> Path:
    """A copy of the package to spoil."""
    return shutil.copytree(Path(tidings.__file__).parent, folder / "tidings")


def probe(folder: Path) -> tuple[int, str]:
    """The exit code and the output of the checks, run on the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.faults.probe", str(folder)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PROJECT)])},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probe(tmp_path) == (0, "")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probe(tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(FILTER_FAULTS) >= 25
    assert len(INDEX_FAULTS) >= 15
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("old", ["no such text in the file", "return"])
def test_a_fault_must_fit_exactly_once(old: str, tmp_path: Path) -> None:
    package = copied_package(tmp_path)
    with pytest.raises(ValueError, match="has"):
        Fault("misfit", "filters/truth.py", old, "x").apply(package)
