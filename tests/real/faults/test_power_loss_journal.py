"""The power is cut while a journal is written: what was synced is there, nothing is invented."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import tidings
from tests.edges.stores.sample_journal import records_in
from tests.real.faults.fault import PROJECT, Fault, copied_package
from tests.real.faults.power.check import Problem, chosen_cuts, find_problems
from tests.real.faults.power.journal_child import (
    RECORDS,
    SEGMENT_OCTETS,
    Ledger,
    record_of,
)
from tests.real.faults.power.oplog import Kind
from tests.real.faults.power.recording import Recording
from tests.real.faults.power.run import record
from tests.real.faults.sizes import size
from tidings.stores.journal import Journal
from tidings.stores.segments import DATA_START

SOURCES = Path(tidings.__file__).parents[1]
CUTS = size(80, 200)
TURNS = size(160, 1_000)
SEED = 20_240
LOST = "lost"
BACK = "came back"
SPOILT = "a header is spoilt"
TAKEN_FOR_LOSS = "nothing is missing, and it says"
AFTERWARDS = RECORDS + 100  # what is appended after the last cut

SYNC_FAULTS = [
    (
        Fault(
            "new names are not synced",
            "stores/segments.py",
            "        sync_folder(folder, opened)\n    except",
            "    except",
        ),
        LOST,
    ),
    (
        Fault(
            "new folders are not synced",
            "stores/files.py",
            "sync_folder(path.parent)",
            "path.exists()",
        ),
        LOST,
    ),
    (
        Fault(
            "a segment that is left is not synced",
            "stores/journal.py",
            "        self.sync()\n        number = ",
            "        number = ",
        ),
        LOST,
    ),
    (
        Fault(
            "dropping is not synced",
            "stores/segments.py",
            "unlink(missing_ok=True)\n        sync_folder(folder, opened)",
            "unlink(missing_ok=True)\n        folder.exists()",
        ),
        BACK,
    ),
    (
        Fault(
            "a header is not synced",
            "stores/segments.py",
            "        os.fsync(descriptor)\n        unfinished.rename(path)",
            "        unfinished.rename(path)",
        ),
        SPOILT,
    ),
    (
        Fault(
            "what a killed process left is not synced",
            "stores/journal.py",
            "        os.fsync(file)  # records of a killed process",
            "        os.fstat(file)  # records of a killed process",
        ),
        LOST,
    ),
    (
        Fault(
            "the head names a segment that is not there yet",
            "stores/journal.py",
            "        number = self._numbers[-1] + 1\n        try:",
            "        number = self._numbers[-1] + 1\n"
            "        self._head.write(self._head.head._replace(newest=number, end=0))\n"
            "        try:",
        ),
        TAKEN_FOR_LOSS,
    ),
    (
        Fault(
            "the head is not synced before segments are dropped",
            "stores/journal.py",
            "        self._head.write(self._head.head._replace(first=first))",
            "        self._head.note(self._head.head._replace(first=first))",
        ),
        TAKEN_FOR_LOSS,
    ),
]


@pytest.fixture(autouse=True)
def _quick_and_quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rebuilt disks lose their power no second time; reports of damage are expected."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("os.fdatasync", lambda _: None)
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def recorded(shim: Path, folder: Path, *options: str, package: Path = SOURCES) -> Recording:
    """What the program that fills a journal does; the journal lies two folders deeper."""
    watched = folder / "watched"
    command = [sys.executable, "-B", "-m", "tests.real.faults.power.journal_child"]
    command += [str(watched / "data" / "journal"), *options]
    path = os.pathsep.join([str(package), str(PROJECT)])
    return record(shim, command, watched, folder / "scratch", environment={"PYTHONPATH": path})


def verify(disk: Path, answers: bytes) -> str | None:
    """Opens the journal on a disk that lost its power, and compares it with the ledger."""
    ledger = Ledger.read(answers)
    folder = disk / "data" / "journal"
    with Journal.open(folder, segment_octets=SEGMENT_OCTETS) as journal:
        if any(each.offset < DATA_START and each.what == "damaged" for each in journal.damage):
            return f"{SPOILT}: {journal.damage}"
        found = records_in(journal)
        numbers = [each.seq for each in found]
        if missing := ledger.required.difference(numbers):
            return f"{LOST}: {sorted(missing)} of {ledger}"
        if journal.lost:
            return f"{TAKEN_FOR_LOSS}: {journal.lost}"
        if numbers != sorted(set(numbers)):
            return f"not in order, or twice: {numbers}"
        if wrong := [each.seq for each in found if each != record_of(each.seq)]:
            return f"changed or invented: {wrong}"
        if numbers and not ledger.dropped <= numbers[0] <= numbers[-1] < AFTERWARDS:
            return f"{BACK} after it was dropped, or was never written: {numbers}"
        journal.append([record_of(AFTERWARDS), record_of(AFTERWARDS + 1)])
        journal.sync()
    with Journal.open(folder, segment_octets=SEGMENT_OCTETS) as journal:
        expected = [*found, record_of(AFTERWARDS), record_of(AFTERWARDS + 1)]
        if records_in(journal) != expected:
            return "what was appended after the cut is not there, or something else is gone"
    return None


def _told(problems: list[Problem]) -> str:
    return "\n".join([f"{len(problems)} problems, the first of them:", *map(str, problems[:5])])


def test_what_was_synced_survives_every_cut(power_shim: Path, tmp_path: Path) -> None:
    recording = recorded(power_shim, tmp_path)
    kinds = Counter(operation.kind for operation in recording.operations)
    assert kinds[Kind.UNLINK] > 5
    assert kinds[Kind.RENAME] > 15
    assert kinds[Kind.SYNC] > 60
    assert len(chosen_cuts(recording, CUTS, SEED)) > 280
    problems = find_problems(recording, CUTS, SEED, verify, tmp_path, most_turns=TURNS)
    assert not problems, _told(problems)


def test_a_journal_that_does_not_sync_is_found_out(power_shim: Path, tmp_path: Path) -> None:
    recording = recorded(power_shim, tmp_path, "no-sync")
    assert not {operation.kind for operation in recording.operations} & {
        Kind.SYNC,
        Kind.SYNC_FOLDER,
    }
    problems = find_problems(recording, 60, SEED, verify, tmp_path, most_turns=20)
    assert any(problem.what.startswith(LOST) for problem in problems)


@pytest.mark.parametrize(("fault", "what"), SYNC_FAULTS, ids=lambda part: getattr(part, "name", ""))
def test_a_sync_that_is_left_out_is_found_out(
    fault: Fault, what: str, power_shim: Path, tmp_path: Path
) -> None:
    fault.apply(copied_package(tmp_path))
    options = ("killed-writing", "go-on") if "killed process" in fault.name else ()
    recording = recorded(power_shim, tmp_path, *options, package=tmp_path)
    problems = find_problems(recording, 0, SEED, verify, tmp_path, most_turns=150)
    assert any(problem.what.startswith(what) for problem in problems)


def test_what_a_killed_process_left_unsynced_is_synced_by_the_next(
    power_shim: Path, tmp_path: Path
) -> None:
    for options in (("killed-first",), ("killed-writing", "go-on")):
        folder = tmp_path / options[0]
        folder.mkdir()
        recording = recorded(power_shim, folder, *options)
        problems = find_problems(recording, 50, SEED, verify, folder, most_turns=100)
        assert not problems, _told(problems)


def test_a_second_cut_after_the_first_loses_nothing(power_shim: Path, tmp_path: Path) -> None:
    recording = recorded(power_shim, tmp_path)
    random = Random(SEED)
    for number, cut in enumerate(random.sample(recording.cut_points(), 8)):
        again = tmp_path / str(number)
        again.mkdir()
        recording.disk_at(cut, random, again / "watched")
        answers = recording.answers_before(cut)
        going_on = recorded(power_shim, again, "go-on")

        def verify_both(disk: Path, more: bytes, answers: bytes = answers) -> str | None:
            return verify(disk, answers + more)

        problems = find_problems(going_on, 10, SEED, verify_both, again)
        assert not problems, _told(problems)
