"""Faults planted one by one in the properties of channels: their tables must catch each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tidings
from tests.faults.fault import Fault
from tests.faults.qos_faults import QOS_FAULTS
from tests.faults.qos_probe import CAUGHT

PROJECT = Path(__file__).parents[2]


def copied_package(folder: Path) -> Path:
    """A copy of the package to spoil."""
    return shutil.copytree(Path(tidings.__file__).parent, folder / "tidings")


def probe(folder: Path) -> tuple[int, str]:
    """The exit code and the output of the tables, run on the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.faults.qos_probe", str(folder)],
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


@pytest.mark.parametrize("fault", QOS_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probe(tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output
    # Caught by a table, and not by a program that no longer runs.
    assert "Error(" not in output.removeprefix(CAUGHT).split(":")[0], output


def test_no_name_stands_twice() -> None:
    assert len({fault.name for fault in QOS_FAULTS}) == len(QOS_FAULTS)
