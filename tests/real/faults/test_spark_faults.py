"""Faults planted in what makes Spark expressions: the probe must catch each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutants.fault import PROJECT
from tests.real.faults.spark_probe import PARTS, faults_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(PARTS))
def test_every_fault_is_caught_and_nothing_else(part: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.faults.spark_probe", str(part)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[:1] == ["nothing is wrong"], done.stdout + done.stderr
    assert lines[1:] == [f"caught: {fault.name}" for fault in faults_of(part)], done.stderr
