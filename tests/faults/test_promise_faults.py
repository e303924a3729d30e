"""Faults planted one by one in a copy of the service: the row they break must catch each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.doors import test_promises_in, test_promises_out
from tests.faults.fault import PROJECT, copied_package
from tests.faults.promise_faults import CAUGHT, PROMISE_FAULTS, ROWS, PromiseFault

# Real services are started and killed here, which takes its time where others are busy, too.
pytestmark = pytest.mark.timeout(160)


def played(folder: Path, *tests: str) -> tuple[int, str]:
    """The exit code and the output of tests of rows on the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.faults.promise_faults", str(folder), *tests],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PROJECT)])},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("module", [test_promises_out, test_promises_in])
def test_without_a_fault_nothing_is_caught(module: ModuleType, tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert played(tmp_path, *(name for name in ROWS if hasattr(module, name))) == (0, "")


@pytest.mark.parametrize("planted", PROMISE_FAULTS, ids=lambda planted: planted.fault.name)
def test_a_fault_is_caught(planted: PromiseFault, tmp_path: Path) -> None:
    planted.fault.apply(copied_package(tmp_path))
    code, output = played(tmp_path, planted.test)
    assert code == 1, output
    assert output.startswith(f"{CAUGHT} {planted.test}: "), output


def test_each_row_has_a_fault_and_no_name_stands_twice() -> None:
    assert list(dict.fromkeys(planted.test for planted in PROMISE_FAULTS)) == list(ROWS)
    names = [planted.fault.name for planted in PROMISE_FAULTS]
    assert len(set(names)) == len(names)
