"""Starts publishers as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tidings
from tests.patience import PATIENCE
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.fault import PROJECT
from tests.real.faults.power.run import ANSWERS

__all__ = ["published", "started"]

SOURCES = Path(tidings.__file__).parents[1]


def started(folder: Path, ledger: Path, *options: str) -> subprocess.Popen[str]:
    """A publisher that has just been started; it says ``ready`` when events begin to flow."""
    path = os.pathsep.join([str(SOURCES), str(PROJECT)])
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "tests.real.faults.crash.publisher", str(folder), *options],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": path, ANSWERS: str(ledger)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def published(folder: Path, ledger: Path, *options: str) -> Ledger:
    """Has a publisher do its work to the end."""
    with started(folder, ledger, *options) as publisher:
        _, errors = publisher.communicate(timeout=PATIENCE)
    if publisher.returncode:
        raise RuntimeError(f"the publisher ended with {publisher.returncode}:\n{errors}")
    return Ledger.read(ledger)
