"""A journal and several processes: the lock, and a kill in the middle of writing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.unit.stores.sample_journal import records_in
from tidings.errors import JournalInUse
from tidings.stores.journal import Journal
from tidings.stores.records import Record

HOLDER = """
import sys
from pathlib import Path
from tidings.stores.journal import Journal
with Journal.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""

# Appends batches for ever; what was synced goes into a ledger of its own, synced as well.
WRITER = """
import os, sys
from pathlib import Path
from random import Random
from tidings.stores.journal import Journal
from tidings.stores.records import Record
folder, ledger, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = Random(first)
book = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
with Journal.open(folder, segment_octets=200_000) as journal:
    seq = first
    while True:
        batch = [Record(1, bytes(16), seq + n, bytes([n]) * rng.randrange(5000)) for n in range(9)]
        seq += 9
        journal.append(batch)
        journal.sync()
        os.write(book, b"%d\\n" % (seq - 1))
        os.fdatasync(book)
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_second_process_is_told_whose_folder_it_is(tmp_path: Path) -> None:
    with start(HOLDER, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        with pytest.raises(JournalInUse, match=f"{tmp_path} is open in another process"):
            Journal.open(tmp_path)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
        holder.communicate("", timeout=10)
        assert holder.returncode == 0
    Journal.open(tmp_path).close()


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    with start(HOLDER, str(tmp_path)) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
    Journal.open(tmp_path).close()


def test_the_same_process_cannot_open_it_twice_either(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        with pytest.raises(JournalInUse):
            Journal.open(tmp_path)
        journal.append([Record(1, bytes(16), 1, b"")])


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    rng = Random(11)
    first = 1
    for _ in range(5):
        with start(WRITER, str(tmp_path / "journal"), str(ledger), str(first)) as writer:
            known = ledger.stat().st_size if ledger.exists() else 0
            wait_until_longer(ledger, known)
            time.sleep(rng.random() * 0.1)
            writer.kill()
        assert writer.returncode == -signal.SIGKILL
        acknowledged = int(ledger.read_text().split()[-1])
        with Journal.open(tmp_path / "journal") as journal:
            found = records_in(journal)
            assert {report.what for report in journal.damage} <= {"torn"}
        assert [record.seq for record in found] == list(range(1, len(found) + 1))
        assert len(found) >= acknowledged >= first
        assert all(len(set(record.payload)) <= 1 for record in found)
        first = len(found) + 1


def wait_until_longer(ledger: Path, known: int) -> None:
    for _ in range(1_000):
        if ledger.exists() and ledger.stat().st_size > known:
            return
        time.sleep(0.01)
    raise AssertionError("the writer does not write")
