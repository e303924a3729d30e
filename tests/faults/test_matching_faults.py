"""Faults planted in matching on Spark: the probe must catch each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.faults.fault import PROJECT
from tests.faults.matching_faults import MATCHING_FAULTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_every_fault_is_caught_and_nothing_else() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.matching_probe"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[:1] == ["nothing is wrong"], done.stdout + done.stderr
    assert lines[1:] == [f"caught: {fault.name}" for fault in MATCHING_FAULTS], done.stderr


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in MATCHING_FAULTS]
    assert len(names) >= 10
    assert len(set(names)) == len(names)
