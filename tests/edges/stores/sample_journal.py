"""Records and journals the tests of the stores share."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tidings.stores.journal import Journal
from tidings.stores.records import Record

CHANNEL = bytes(range(16))


def sample_records(count: int, seed: int = 1, largest: int = 60) -> list[Record]:
    """Records whose payloads are random octets, some of them empty."""
    rng = Random(seed)
    return [
        Record(rng.randrange(1, 6), CHANNEL, seq, rng.randbytes(rng.randrange(largest)))
        for seq in range(1, count + 1)
    ]


def records_in(journal: Journal) -> list[Record]:
    return [entry.record for entry in journal.read()]


def filled(folder: Path, records: list[Record], segment_octets: int = 1_000_000) -> list[Path]:
    """Writes a journal, one batch for each five records; returns its segment files."""
    with Journal.open(folder, segment_octets=segment_octets) as journal:
        for start in range(0, len(records), 5):
            journal.append(records[start : start + 5])
            journal.sync()
    return sorted(folder.glob("*.journal"))


def flip(path: Path, bit: int) -> None:
    octets = bytearray(path.read_bytes())
    octets[bit // 8] ^= 1 << bit % 8
    path.write_bytes(octets)
