"""A program that fills a journal and keeps a ledger of what it was promised.

``python -m tests.real.faults.power.journal_child <folder> [option ...]``, where

- ``no-sync`` has every sync answer and do nothing;
- ``killed-first`` has processes that die while they make the journal, each at one of its syncs,
  before another fills it;
- ``killed-writing`` has a process that dies after writes that it did not sync;
- ``go-on`` opens a journal that is there, and appends a little.

The ledger has lines:

- ``synced N``: records 1 to N were appended, and a sync came back.
- ``dropping N``: a call that drops all before N begins; ``dropped N``: it came back.
- ``has N M ...``: these were read from the journal, or appended and synced, after it was opened.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest import mock

from tests.real.faults.power.run import ANSWERS
from tidings.stores.journal import Journal
from tidings.stores.records import Record

SEGMENT_OCTETS = 9_000
RECORDS = 260
CHANNEL = bytes(range(16))


class Ledger(NamedTuple):
    """What the answers say.

    Attributes:
        synced: The last record that must be there.
        dropping: Records before this one may be gone.
        dropped: Records before this one must be gone.
        has: Records that must be there besides.
    """

    synced: int = 0
    dropping: int = 1
    dropped: int = 1
    has: frozenset[int] = frozenset()

    @classmethod
    def read(cls, answers: bytes) -> Ledger:
        """The last word of each kind."""
        last = {"synced": [0], "dropping": [1], "dropped": [1], "has": []}
        for line in answers.decode().splitlines():
            word, *numbers = line.split()
            last[word] = [int(number) for number in numbers]
        [synced], [dropping], [dropped] = last["synced"], last["dropping"], last["dropped"]
        return cls(synced, dropping, dropped, frozenset(last["has"]))

    @property
    def required(self) -> set[int]:
        """The numbers of all records that must be there."""
        return {*range(self.dropping, self.synced + 1), *self.has}


@cache
def record_of(seq: int) -> Record:
    """The record of a number: always the same; some are longer than several sectors."""
    random = Random(f"record {seq}")
    size = random.choice((0, 20, 200, 800, 3_000))
    return Record(random.randrange(1, 6), CHANNEL, seq, random.randbytes(size))


def fill(folder: Path, ledger: int) -> None:
    """Appends in batches, syncs most of the time, drops and opens again now and then."""
    random = Random(5)
    first_in: dict[int, int] = {}  # segment: its first record
    journal = Journal.open(folder, segment_octets=SEGMENT_OCTETS)
    seq = 0
    while seq < RECORDS:
        end = min(seq + random.randrange(1, 6), RECORDS)
        batch = [record_of(number) for number in range(seq + 1, end + 1)]
        for cursor, record in zip(journal.append(batch), batch, strict=True):
            first_in.setdefault(cursor.segment, record.seq)
        seq = end
        if random.random() < 0.25:
            continue
        journal.sync()
        _answer(ledger, f"synced {seq}")
        numbers = journal.segments
        if len(numbers) > 3 and random.random() < 0.3:
            kept = random.choice(numbers[1:-1])
            _answer(ledger, f"dropping {first_in[kept]}")
            journal.drop_before(kept)
            _answer(ledger, f"dropped {first_in[kept]}")
        if random.random() < 0.08:
            journal.close()
            journal = Journal.open(folder, segment_octets=SEGMENT_OCTETS)
    journal.close()
    _answer(ledger, f"synced {seq}")


def go_on(folder: Path, ledger: int) -> None:
    """Opens the journal after a cut, and appends: what it serves now must never be lost."""
    with Journal.open(folder, segment_octets=SEGMENT_OCTETS) as journal:
        has = [entry.record.seq for entry in journal.read()]
        for seq in range(RECORDS + 1, RECORDS + 4):
            _answer(ledger, f"has {' '.join(map(str, has))}")
            journal.append([record_of(seq)])
            journal.sync()
            has.append(seq)
        _answer(ledger, f"has {' '.join(map(str, has))}")


def _open_and_die(folder: Path, syncs: int) -> None:
    """Opens the journal in another process, which dies after some syncs, right before the next."""
    process = os.fork()
    if process == 0:
        left = iter(range(syncs))

        def sync_or_die(descriptor: int) -> None:
            if next(left, None) is None:
                os._exit(0)
            _really_fsync(descriptor)

        with mock.patch("os.fsync", sync_or_die):
            Journal.open(folder)
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0, "the journal could not be opened"


def _write_and_die(folder: Path) -> None:
    """Appends records in another process, which dies before it has synced them."""
    process = os.fork()
    if process == 0:
        journal = Journal.open(folder, segment_octets=SEGMENT_OCTETS)
        for seq in range(1, 6):
            journal.append([record_of(seq)])
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0, "the journal could not be written"


def _answer(ledger: int, line: str) -> None:
    os.write(ledger, f"{line}\n".encode())
    _really_fsync(ledger)


_really_fsync = os.fsync


def main(folder: str, *options: str) -> None:
    """Fills the journal in a folder below the watched one, or goes on with it."""
    if "no-sync" in options:
        mock.patch("os.fsync").start()
        mock.patch("os.fdatasync").start()
    ledger = os.open(os.environ[ANSWERS], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if "killed-first" in options:
        for syncs in (1, 1, 1, 2):
            _open_and_die(Path(folder), syncs)
    if "killed-writing" in options:
        _write_and_die(Path(folder))
    work = go_on if "go-on" in options else fill
    work(Path(folder), ledger)


if __name__ == "__main__":
    main(*sys.argv[1:])
