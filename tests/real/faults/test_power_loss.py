"""The power is cut while a host is at work: what it has answered is there, nothing is invented."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.real.faults.crash.cuts import SEED, problems_of, quick_and_quiet, recorded
from tests.real.faults.crash.judge import LOST, judged
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.run import published
from tests.real.faults.fault import PROJECT, Fault, copied_package
from tests.real.faults.power.check import Problem, chosen_cuts
from tests.real.faults.power.oplog import Kind
from tests.real.faults.sizes import size
from tidings.engine.recovery import CATALOG

CUTS = size(80, 300)
TURNS = size(120, 200)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(size(600, 1_800))]


def _told(problems: list[Problem]) -> str:
    lines = [str(problem)[:600] for problem in problems[:5]]
    return "\n".join([f"{len(problems)} problems, the first of them:", *lines])


def test_what_was_answered_survives_every_cut(power_shim: Path, tmp_path: Path) -> None:
    recording = recorded(power_shim, tmp_path)
    kinds = Counter(operation.kind for operation in recording.operations)
    whole = Ledger(recording.answers_before(len(recording.operations)))
    assert kinds[Kind.SYNC] > 60
    assert kinds[Kind.RENAME] > 4, "segments roll"
    assert whole.sessions == 2
    assert len(whole.made) > 18
    assert len(whole.took) >= whole.acknowledged > 20
    cuts = chosen_cuts(recording, CUTS, SEED, most_turns=TURNS)
    assert len(cuts) >= CUTS + TURNS
    sys.stdout.write(f"{len(cuts)} cuts among {len(recording.operations)} operations\n")
    problems = problems_of(recording, CUTS, TURNS, tmp_path)
    assert not problems, _told(problems)


def test_what_was_answered_survives_while_old_segments_go(power_shim: Path, tmp_path: Path) -> None:
    options = ("--keep", "30000", "--take", "100", "--events", "30", "--patience", "0.002")
    recording = recorded(power_shim, tmp_path, *options)
    gone = [o for o in recording.operations if o.kind is Kind.UNLINK and ".journal" in o.path]
    sys.stdout.write(f"{len(gone)} segments went\n")
    assert len(gone) > 3
    problems = problems_of(recording, CUTS // 2, TURNS // 2, tmp_path)
    assert not problems, _told(problems)


def test_a_host_that_does_not_sync_is_found_out(power_shim: Path, tmp_path: Path) -> None:
    recording = recorded(power_shim, tmp_path, "--no-sync")
    problems = problems_of(recording, 60, 20, tmp_path)
    sys.stdout.write(f"{len(problems)} problems without syncs\n")
    assert any(LOST in problem.what for problem in problems)


def _deleted(catalog: Path, other: Path) -> None:
    catalog.unlink()


def _garbage(catalog: Path, other: Path) -> None:
    size = catalog.stat().st_size
    catalog.write_bytes(Random(SEED).randbytes(size))
    for suffix in ("-wal", "-shm"):
        catalog.with_name(catalog.name + suffix).write_bytes(Random(SEED).randbytes(5_000))


def _spoilt_inside(catalog: Path, other: Path) -> None:
    octets = bytearray(catalog.read_bytes())
    octets[2_000:] = Random(SEED).randbytes(len(octets) - 2_000)
    catalog.write_bytes(octets)


def _empty(catalog: Path, other: Path) -> None:
    catalog.write_bytes(b"")


def _of_another_journal(catalog: Path, other: Path) -> None:
    shutil.copy(other, catalog)


def test_the_catalog_does_not_matter(tmp_path: Path) -> None:
    other = tmp_path / "other"
    published(other, tmp_path / "other ledger", "--events", "2")
    ledger = published(tmp_path / "data", tmp_path / "ledger", "--events", "20", "--take", "40")
    assert len(ledger.pushed) == 80
    for spoil in (_deleted, _garbage, _spoilt_inside, _empty, _of_another_journal):
        folder = tmp_path / spoil.__name__
        shutil.copytree(tmp_path / "data", folder)
        spoil(folder / CATALOG, other / CATALOG)
        with quick_and_quiet():
            assert asyncio.run(judged(folder, ledger)) is None, spoil.__name__


# What a host could do wrong, and what is then found.
FAULTS = [
    (
        Fault(
            "changes are answered before they are synced",
            "engine/perform.py",
            "            write.records += (record, record)\n            write.sync = True\n",
            "            write.records += (record, record)\n",
        ),
        LOST,
    ),
    (
        Fault(
            "events are answered before they are synced",
            "engine/perform.py",
            "            write.records.append(record)\n            write.sync = True\n",
            "            write.records.append(record)\n",
        ),
        LOST,
    ),
    (
        Fault(
            "acknowledgements are not written",
            "engine/perform.py",
            "write.records.append(self.dead_letters.outcome(",
            "id(self.dead_letters.outcome(",
        ),
        "and back",
    ),
    (
        Fault(
            "marks are forgotten by a restart",
            "engine/resuming.py",
            "            channel.marks = state.marks\n",
            "            state.marks = None\n",
        ),
        "answered otherwise",
    ),
]


@pytest.mark.parametrize(("fault", "what"), FAULTS, ids=lambda part: getattr(part, "name", ""))
def test_a_fault_of_the_host_is_found_out(
    fault: Fault, what: str, power_shim: Path, tmp_path: Path
) -> None:
    """The publisher and the host that opens the disks have the fault."""
    fault.apply(copied_package(tmp_path))
    path = os.pathsep.join([str(tmp_path), str(PROJECT)])
    done = subprocess.run(
        [
            sys.executable,
            "-B",
            "-m",
            "tests.real.faults.crash.cuts",
            str(power_shim),
            str(tmp_path),
        ],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert what in done.stdout
