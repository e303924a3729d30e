"""Faults planted one by one in a copy of the engine: the named unit test must catch each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.engine_faults import CAUGHT, ENGINE_FAULTS, EngineFault
from tests.faults.fault import PROJECT, copied_package


def tried(folder: Path, tests: list[str]) -> tuple[int, str]:
    """The exit code and the output of some tests on the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.faults.engine_faults", str(folder), *tests],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PROJECT)])},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    tests = list(dict.fromkeys(planted.test for planted in ENGINE_FAULTS))
    assert tried(tmp_path, tests) == (0, "")


@pytest.mark.parametrize("planted", ENGINE_FAULTS, ids=lambda planted: planted.fault.name)
def test_a_fault_is_caught(planted: EngineFault, tmp_path: Path) -> None:
    planted.fault.apply(copied_package(tmp_path))
    code, output = tried(tmp_path, [planted.test])
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [planted.fault.name for planted in ENGINE_FAULTS]
    assert len(names) >= 20
    assert len(set(names)) == len(names)
