"""Faults planted in what makes Spark expressions: the probe must catch each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutants.fault import PROJECT
from tests.mutants.ledger import driven_by
from tests.real.faults.spark_probe import DRIVER

pytestmark = pytest.mark.slow


def test_every_fault_is_caught_and_nothing_else() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.faults.spark_probe"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[:1] == ["nothing is wrong"], done.stdout + done.stderr
    assert lines[1:] == [f"caught: {fault.name}" for fault in driven_by(DRIVER)], done.stderr
