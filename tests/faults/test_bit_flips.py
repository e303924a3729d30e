"""One bit of a journal is flipped, anywhere: it costs the one record it is in, and is reported."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.faults.crash.ledger import Ledger
from tests.faults.crash.run import published
from tests.faults.crash.scene import (
    CONSUMERS,
    SEGMENT_OCTETS,
    URGENT,
    channel_of,
    drained,
    objects,
    push,
)
from tidings.engine.bodies import Message
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.events.structured import StructuredEvent
from tidings.stores.journal import Journal
from tidings.stores.payloads import stored_outcome
from tidings.stores.records import Kind
from tidings.stores.segments import DATA_START, Cursor, Entry, segment_path

FLIPS = 300
FLIPS_IN_HEADERS = 30
SEED = 20_243

Waiting = dict[str, dict[int, StructuredEvent]]
"""For each consumer the events that wait, by sequence number."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


class Stopped(NamedTuple):
    """A folder that was closed in good order, and what is in it."""

    folder: Path
    entries: list[Entry]
    ledger: Ledger


@pytest.fixture(autouse=True)
def _quick_and_quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("os.fdatasync", lambda _: None)
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    folder = tmp_path_factory.mktemp("stopped")
    options = ("--events", "50", "--patience", "0.05", "--manage")
    ledger = published(folder / "data", folder / "ledger", *options)
    with Journal.open(folder / "data" / JOURNAL) as journal:
        entries = list(journal.read())
    return Stopped(folder / "data" / JOURNAL, entries, ledger)


def chosen_bits(stopped: Stopped, random: Random) -> Iterator[tuple[Cursor, int]]:
    """Octets anywhere in the journal, headers of segments more often, and a bit of each."""
    sizes = {n: path.stat().st_size for n, path in _segments(stopped.folder).items()}
    for _ in range(FLIPS_IN_HEADERS):
        number = random.choice(list(sizes))
        yield Cursor(number, random.randrange(DATA_START)), random.randrange(8)
    for _ in range(FLIPS - FLIPS_IN_HEADERS):
        at = random.randrange(sum(sizes.values()))
        for number, size in sizes.items():
            if at < size:
                yield Cursor(number, at), random.randrange(8)
                break
            at -= size


def _segments(folder: Path) -> dict[int, Path]:
    return {int(path.stem): path for path in sorted(folder.glob("*.journal"))}


def flipped(stopped: Stopped, folder: Path, at: Cursor, bit: int) -> None:
    """A copy of the journal with one bit the other way."""
    shutil.copytree(stopped.folder, folder / JOURNAL)
    path = segment_path(folder / JOURNAL, at.segment)
    octets = bytearray(path.read_bytes())
    octets[at.offset] ^= 1 << bit
    path.write_bytes(octets)


async def waiting_in(host: Host) -> Waiting:
    """What waits; each consumer gets it in its order."""
    channel = channel_of(host)
    assert channel is not None
    found: Waiting = {}
    for consumer in CONSUMERS:
        messages = await drained(host, channel, consumer)
        keys = [_order(consumer, message) for message in messages]
        assert keys == sorted(keys)
        found[consumer] = {message.seq: message.event for message in messages}
        assert len(found[consumer]) == len(messages)
    return found


def _order(consumer: str, message: Message) -> tuple[int, int]:
    return (-message.priority if consumer == URGENT else 0), message.seq


def check_waiting(hit: Entry | None, found: Waiting, whole: Waiting, host: Host) -> None:
    """Only what the hit record says may differ: a lost event, or acknowledged ones once more."""
    channel = channel_of(host)
    assert channel is not None
    again: dict[str, set[int]] = {consumer: set() for consumer in CONSUMERS}
    gone: set[int] = set()
    if hit is not None and hit.record.kind == Kind.EVENT:
        gone.add(hit.record.seq)
    elif hit is not None and hit.record.kind == Kind.OUTCOME:
        proxy, _, seqs = stored_outcome(hit.record.payload)
        again[channel.proxies[proxy].name].update(seqs)
    for consumer in CONSUMERS:
        events = found[consumer]
        assert events.keys() == (whole[consumer].keys() - gone) | again[consumer]
        for seq, event in whole[consumer].items():
            assert seq in gone or events[seq] == event


def check_damage(host: Host, at: Cursor) -> None:
    """The damage was found, reported and copied aside."""
    assert host.store is not None
    [report] = host.store.journal.damage
    assert report.segment == at.segment
    assert report.offset <= at.offset < report.offset + report.length
    assert report.what == "damaged"
    assert report.aside is not None
    assert report.aside.stat().st_size == report.length


async def judge(stopped: Stopped, scratch: Path) -> Counter[str]:
    """Flips bits one by one; what they were in."""
    numbers = list(stopped.ledger.pushed)
    last = max(push.seq for push in stopped.ledger.pushed.values())
    shutil.copytree(stopped.folder, scratch / "whole" / JOURNAL)
    host = await Host.open(scratch / "whole", segment_octets=SEGMENT_OCTETS)
    made, whole = objects(host), await waiting_in(host)
    await host.close(0)
    assert min(map(len, whole.values())) > 20
    kinds: Counter[str] = Counter()
    for number, (at, bit) in enumerate(chosen_bits(stopped, Random(SEED))):
        hit = next((e for e in stopped.entries if e.at <= at < e.after), None)
        kinds["HEADER" if hit is None else Kind(hit.record.kind).name] += 1
        folder = scratch / str(number)
        flipped(stopped, folder, at, bit)
        host = await Host.open(folder, segment_octets=SEGMENT_OCTETS)
        try:
            check_damage(host, at)
            assert objects(host) == made
            check_waiting(hit, await waiting_in(host), whole, host)
            answers = await push(host, [*numbers, (9, 1)], 9)
            assert answers[:-1] == [stopped.ledger.pushed[which].seq for which in numbers]
            assert answers[-1] == last + 1
        except AssertionError as error:
            error.add_note(f"bit {bit} at {at}, in {None if hit is None else hit.record}")
            raise
        finally:
            await host.close(0)
            shutil.rmtree(folder)
    return kinds


def test_a_flipped_bit_costs_one_record(stopped: Stopped, tmp_path: Path) -> None:
    kinds = asyncio.run(judge(stopped, tmp_path))
    sys.stdout.write(f"{kinds.total()} flips, in {dict(kinds)}\n")
    assert kinds.total() == FLIPS
    assert kinds["EVENT"] > 100
    assert min(kinds[name] for name in ("HEADER", "OUTCOME", "TOPOLOGY")) > 0
