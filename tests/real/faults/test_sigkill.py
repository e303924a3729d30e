"""A publisher is killed again and again, at any moment: no acknowledged event is missing.

`make soak` does it a thousand times.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.patience import PATIENCE
from tests.real.faults.crash.judge import judged_host
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.run import started
from tests.real.faults.crash.scene import FIFO, SEGMENT_OCTETS
from tests.real.faults.sizes import ROUNDS as SOAKING
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.stores.journal import Journal
from tidings.stores.records import Kind
from tidings.stores.segments import segment_path

ROUNDS = SOAKING or 10
# After so many a new folder is taken: opening reads all of it, and a soak shall not get slower.
# Every other folder keeps no more than this of its journal.
ROUNDS_PER_FOLDER = 5
KEEP = 60_000
# A publisher is killed when its ledger has grown by this at most: about 200 events.
LEDGER_OCTETS = 20_000
SEED = 20_242

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 + 20 * ROUNDS)]


def kill_once(folder: Path, ledger: Path, octets: int, *options: str) -> None:
    """Starts a publisher, and kills it when it has written so much more into its ledger."""
    with started(folder, ledger, "--patience", "0.002", *options) as publisher:
        try:
            assert publisher.stdout is not None
            if publisher.stdout.readline() == "ready\n":
                wanted, until = ledger.stat().st_size + octets, time.monotonic() + PATIENCE
                while ledger.stat().st_size < wanted and publisher.poll() is None:
                    assert time.monotonic() < until, "it publishes nothing"
                    time.sleep(0.0005)
        finally:
            publisher.kill()
            _, errors = publisher.communicate()
    assert publisher.returncode == -signal.SIGKILL, errors
    assert "Traceback" not in errors


def judge_consumers(ledger: Ledger) -> None:
    """What consumers took: in order, and nothing twice but what was not acknowledged for sure."""
    seen: dict[tuple[str, int], tuple[int, int]] = {}
    sessions: set[tuple[str, int, int]] = set()
    last = 0
    for session, consumer, seq, which in ledger.took:
        assert (consumer, seq, session) not in sessions, f"{which} came twice in one session"
        sessions.add((consumer, seq, session))
        if (consumer, seq) in seen:
            assert seen[consumer, seq] == which, f"{seq} was {seen[consumer, seq]}, then {which}"
            continue
        seen[consumer, seq] = which
        if consumer == FIFO:
            assert seq > last, f"{seq} came after {last}"
            last = seq
    numbers = {(consumer, which) for (consumer, _), which in seen.items()}
    assert len(numbers) == len(seen), "one event has two sequence numbers"


def judge_journal(folder: Path, ledger: Ledger) -> None:
    """Every event is there once, the sequence numbers have no gaps, and nothing is damaged."""
    with Journal.open(folder / JOURNAL) as journal:
        seqs = [e.record.seq for e in journal.read() if e.record.kind == Kind.EVENT]
        damage = [report for report in journal.damage if report.what != "torn"]
    assert sorted(seqs) == list(range(1, len(seqs) + 1))
    assert not damage
    answered = list(ledger.pushed.values())
    assert len(set(answered)) == len(answered)
    assert set(answered) <= set(seqs)


async def judge_host(folder: Path, ledger: Ledger) -> None:
    host = await Host.open(folder, segment_octets=SEGMENT_OCTETS)
    try:
        assert await judged_host(host, ledger) is None
    finally:
        await host.close(0)


def test_no_acknowledged_event_is_missing(tmp_path: Path) -> None:
    random = Random(SEED)
    pushed = 0
    for first in range(0, ROUNDS, ROUNDS_PER_FOLDER):
        folder, path = tmp_path / f"data{first}", tmp_path / f"ledger{first}"
        rounds = min(ROUNDS - first, ROUNDS_PER_FOLDER)
        short = first // ROUNDS_PER_FOLDER % 2 == 1
        options = ("--keep", str(KEEP)) if short else ()
        for _ in range(rounds):
            kill_once(folder, path, random.randrange(1, LEDGER_OCTETS), *options)
        ledger = Ledger.read(path)
        assert ledger.sessions == rounds
        assert not ledger.twice
        judge_consumers(ledger)
        if short:
            assert not segment_path(folder / JOURNAL, 1).exists(), "old segments go"
        else:
            judge_journal(folder, ledger)
        asyncio.run(judge_host(folder, ledger))
        pushed += len(ledger.pushed)
    sys.stdout.write(f"{ROUNDS} kills, {pushed} events were answered\n")
    assert pushed > ROUNDS
