"""Records a publisher, and cuts its power at many places.

``python -m tests.real.faults.crash.cuts <shim> <folder>`` says what is then wrong, a line for each
cut; nothing if nothing is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tests.real.faults.crash.judge import judged
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.run import SOURCES
from tests.real.faults.fault import PROJECT
from tests.real.faults.power.check import Problem, find_problems
from tests.real.faults.power.recording import Recording
from tests.real.faults.power.run import record

__all__ = ["SEED", "problems_of", "quick_and_quiet", "recorded"]

SEED = 20_241


@contextmanager
def quick_and_quiet() -> Iterator[None]:
    """The rebuilt disks lose their power no second time; reports of damage are expected."""
    with mock.patch("os.fsync"), mock.patch("os.fdatasync"):
        logging.disable()
        yield
        logging.disable(logging.NOTSET)


def recorded(shim: Path, folder: Path, *options: str) -> Recording:
    """What a publisher does; its folder lies below the watched one."""
    watched = folder / "watched"
    command = [
        sys.executable,
        "-B",
        "-m",
        "tests.real.faults.crash.publisher",
        str(watched / "data"),
    ]
    command += ["--events", "22", "--sessions", "2", "--manage"]
    command += ["--take", "30", "--patience", "0.01", *options]
    path = os.pathsep.join([str(SOURCES), str(PROJECT)])
    return record(shim, command, watched, folder / "scratch", environment={"PYTHONPATH": path})


def problems_of(recording: Recording, cuts: int, turns: int, scratch: Path) -> list[Problem]:
    """Opens a host on the disks that cuts leave; all of them in one event loop."""
    with asyncio.Runner() as runner, quick_and_quiet():
        verify = _verifier(runner, recording)
        return find_problems(recording, cuts, SEED, verify, scratch, most_turns=turns)


def _verifier(runner: asyncio.Runner, recording: Recording) -> Callable[[Path, bytes], str | None]:
    later = Ledger(recording.answers_before(len(recording.operations)))

    def verify(disk: Path, answers: bytes) -> str | None:
        return runner.run(judged(disk / "data", Ledger(answers), later))

    return verify


def main(shim: str, folder: str) -> None:
    """Does what the command line says."""
    recording = recorded(Path(shim), Path(folder))
    for problem in problems_of(recording, 40, 80, Path(folder)):
        sys.stdout.write(f"{problem}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
