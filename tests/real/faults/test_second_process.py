"""A folder belongs to one process at a time, and to no version older than its journal."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.faults.crash.judge import judged
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.run import SOURCES, published, started
from tests.real.faults.fault import PROJECT
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.errors import JournalInUse, JournalTooNew
from tidings.stores.records import Kind, Record, encode
from tidings.stores.segments import FORMAT_VERSION, segment_path

# Opens a folder, and says in one line why it cannot.
OPENER = """
import asyncio, sys
from pathlib import Path
from tidings.engine.host import Host
from tidings.errors import TidingsError
try:
    asyncio.run(Host.open(Path(sys.argv[1])))
    print("opened")
except TidingsError as error:
    print(type(error).__name__, error)
"""


def told_by_another_process(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", OPENER, str(folder)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout


def hashes(folder: Path) -> dict[str, str]:
    """Of all files, with their folders."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(
            path.read_bytes() if path.is_file() else b""
        ).hexdigest()
        for path in folder.rglob("*")
    }


def test_a_second_process_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    folder, path = tmp_path / "data", tmp_path / "ledger"
    with started(folder, path, "--patience", "0.002") as publisher:
        try:
            assert publisher.stdout is not None
            assert publisher.stdout.readline() == "ready\n"
            told = told_by_another_process(folder)
            with pytest.raises(JournalInUse):
                asyncio.run(Host.open(folder))
            before = len(Ledger.read(path).pushed)
            while len(Ledger.read(path).pushed) < before + 20:
                assert publisher.poll() is None, "the first process has ended"
        finally:
            publisher.kill()
            publisher.communicate()
    assert told.startswith("JournalInUse")
    assert "stop that one, or give this one a folder of its own" in told
    assert publisher.returncode == -signal.SIGKILL
    assert asyncio.run(judged(folder, Ledger.read(path))) is None


def test_the_same_process_is_refused_as_well(tmp_path: Path) -> None:
    async def open_twice() -> None:
        host = await Host.open(tmp_path)
        before = hashes(tmp_path)
        with pytest.raises(JournalInUse, match="stop that one"):
            await Host.open(tmp_path)
        assert hashes(tmp_path) == before
        await host.close()
        await (await Host.open(tmp_path)).close()

    asyncio.run(open_twice())


def test_a_journal_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    ledger = published(folder, tmp_path / "ledger", "--events", "10", "--take", "20")
    journal = folder / JOURNAL
    number = max(int(path.stem) for path in journal.glob("*.journal")) + 1
    version = (FORMAT_VERSION + 1).to_bytes(2, "big")
    newer = segment_path(journal, number)
    newer.write_bytes(encode(Record(Kind.HEADER, bytes(16), number, version)) * 2 + b"newer")
    (journal / "000000000099.unfinished").write_bytes(b"theirs")
    before = hashes(folder)
    for _ in range(2):
        with pytest.raises(JournalTooNew, match="start the version that wrote it") as caught:
            asyncio.run(Host.open(folder))
        assert newer.name in str(caught.value)
    assert told_by_another_process(folder).startswith("JournalTooNew")
    assert hashes(folder) == before
    newer.unlink()
    assert asyncio.run(judged(folder, ledger)) is None
