"""The power is cut while a host is at work: what it has answered is there, nothing is invented."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults.crash.judge import LOST, judged
from tests.faults.crash.ledger import Ledger
from tests.faults.crash.run import published
from tests.faults.power.check import Problem, chosen_cuts, find_problems
from tests.faults.power.oplog import Kind
from tests.faults.power.recording import Recording
from tests.faults.power.run import record
from tidings.engine.recovery import CATALOG

CUTS = 400
TURNS = 250
SEED = 20_241

pytestmark = [pytest.mark.slow, pytest.mark.timeout(170)]


@pytest.fixture(autouse=True)
def _quick_and_quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rebuilt disks lose their power no second time; reports of damage are expected."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("os.fdatasync", lambda _: None)
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


def recorded(shim: Path, folder: Path, *options: str) -> Recording:
    """What a publisher does; its folder lies below the watched one."""
    watched = folder / "watched"
    command = [sys.executable, "-B", "-m", "tests.faults.crash.publisher", str(watched / "data")]
    command += ["--events", "22", "--sessions", "2", "--manage", *options]
    command += ["--take", "30", "--patience", "0.01"]
    return record(shim, command, watched, folder / "scratch")


def verifier(runner: asyncio.Runner, recording: Recording) -> Callable[[Path, bytes], str | None]:
    """Opens a host on a disk that lost its power."""
    later = Ledger(recording.answers_before(len(recording.operations)))

    def verify(disk: Path, answers: bytes) -> str | None:
        return runner.run(judged(disk / "data", Ledger(answers), later))

    return verify


def _told(problems: list[Problem]) -> str:
    lines = [str(problem)[:600] for problem in problems[:5]]
    return "\n".join([f"{len(problems)} problems, the first of them:", *lines])


def test_what_was_answered_survives_every_cut(
    power_shim: Path, tmp_path: Path, runner: asyncio.Runner
) -> None:
    recording = recorded(power_shim, tmp_path)
    kinds = Counter(operation.kind for operation in recording.operations)
    whole = Ledger(recording.answers_before(len(recording.operations)))
    assert kinds[Kind.SYNC] > 60
    assert kinds[Kind.RENAME] > 4, "segments roll"
    assert whole.sessions == 2
    assert len(whole.made) > 18
    assert len(whole.took) > whole.told > 20
    cuts = chosen_cuts(recording, CUTS, SEED, most_turns=TURNS)
    assert len(cuts) >= 600
    sys.stdout.write(f"{len(cuts)} cuts among {len(recording.operations)} operations\n")
    verify = verifier(runner, recording)
    problems = find_problems(recording, CUTS, SEED, verify, tmp_path, most_turns=TURNS)
    assert not problems, _told(problems)


def test_a_host_that_does_not_sync_is_found_out(
    power_shim: Path, tmp_path: Path, runner: asyncio.Runner
) -> None:
    recording = recorded(power_shim, tmp_path, "--no-sync")
    verify = verifier(runner, recording)
    problems = find_problems(recording, 60, SEED, verify, tmp_path, most_turns=20)
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


@pytest.mark.parametrize(
    "spoil", [_deleted, _garbage, _spoilt_inside, _empty, _of_another_journal]
)
def test_the_catalog_does_not_matter(
    spoil: Callable[[Path, Path], None], tmp_path: Path, runner: asyncio.Runner
) -> None:
    other = tmp_path / "other"
    published(other, tmp_path / "other ledger", "--events", "2")
    ledger = published(tmp_path / "data", tmp_path / "ledger", "--events", "20", "--take", "40")
    assert len(ledger.pushed) == 80
    spoil(tmp_path / "data" / CATALOG, other / CATALOG)
    assert runner.run(judged(tmp_path / "data", ledger)) is None
