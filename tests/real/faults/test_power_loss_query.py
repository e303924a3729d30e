"""The power is cut while a continuous query writes down how far it is: it is not asked again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import tidings
from tests.real.faults.fault import PROJECT, Fault, copied_package
from tests.real.faults.power.check import Problem, find_problems
from tests.real.faults.power.run import ANSWERS, record
from tidings.pipeline.derive import QueryBatch, QueryLog

SEED = 11
LOG = "logs/deep/query.jsonl"
PROGRAM = f"""
import os, sys
from pathlib import Path
from tidings.pipeline.derive import QueryLog
answers = os.open(os.environ[{ANSWERS!r}], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
log = QueryLog(Path(sys.argv[1]))
for upto in (1, 2, 3):
    log.begin(upto - 1, upto)
    os.write(answers, b"begun %d\\n" % upto)
    os.fsync(answers)
    log.done(5)
"""
FAULT = Fault(
    "the name of a query's log is not synced",
    "pipeline/derive.py",
    "            sync_folder(path.parent)  # syncing a file",
    "            path.exists()  # a file's",
)


def verify(disk: Path, answers: bytes) -> str | None:
    """What was begun last is begun, or done."""
    begun = len(answers.splitlines())
    log = QueryLog(disk / LOG)
    log.close()
    if begun and log.begun != QueryBatch(begun - 1, begun, 5 * begun - 4) and log.seal < begun:
        return f"batch {begun} was begun, and is forgotten"
    return None


def problems(shim: Path, folder: Path, package: Path) -> list[Problem]:
    """What a power cut costs a program that keeps such a log."""
    watched = folder / "watched"
    command = [sys.executable, "-B", "-c", PROGRAM, str(watched / LOG)]
    path = os.pathsep.join([str(package), str(PROJECT)])
    recording = record(shim, command, watched, folder / "scratch", environment={"PYTHONPATH": path})
    return find_problems(recording, 40, SEED, verify, folder)


@pytest.mark.parametrize("fault", [None, FAULT], ids=["right", "wrong"])
def test_what_was_begun_survives_every_cut(
    fault: Fault | None, power_shim: Path, tmp_path: Path
) -> None:
    package = Path(tidings.__file__).parents[1]
    if fault is not None:
        fault.apply(copied_package(tmp_path))
        package = tmp_path
    assert bool(problems(power_shim, tmp_path, package)) == (fault is not None)
