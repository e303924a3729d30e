"""One bit of a journal is flipped, anywhere: it costs the one record it is in, and is reported."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.real.faults.crash.cuts import quick_and_quiet
from tests.real.faults.crash.ledger import Ledger
from tests.real.faults.crash.run import published
from tests.real.faults.crash.scene import (
    CONSUMERS,
    SEGMENT_OCTETS,
    URGENT,
    channel_of,
    drained,
    objects,
    push,
)
from tests.real.faults.sizes import size
from tidings.channel.effects import Message
from tidings.engine.host import Host
from tidings.engine.recovery import JOURNAL
from tidings.errors import StoreError
from tidings.events.structured import StructuredEvent
from tidings.stores.journal import Journal
from tidings.stores.payloads import stored_outcome
from tidings.stores.records import Kind
from tidings.stores.segments import DATA_START, Cursor, Entry, segment_path

FLIPS = size(100, 300)  # of each of two journals
SEED = 20_243

Waiting = dict[str, dict[int, StructuredEvent]]
"""For each consumer the events that wait, by sequence number."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(size(600, 1_800))]


class Stopped(NamedTuple):
    """A folder that was closed in good order, and what is in it."""

    folder: Path
    entries: list[Entry]
    ledger: Ledger
    is_whole: bool


@pytest.fixture(scope="module", params=["whole", "old segments are gone"])
def stopped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    folder = tmp_path_factory.mktemp("stopped")
    is_whole = request.param == "whole"
    options = ["--events", "50", "--take", "70", "--patience", "0.002", "--manage"]
    if not is_whole:
        options += ["--take", "150", "--keep", "30000"]
    ledger = published(folder / "data", folder / "ledger", *options)
    with Journal.open(folder / "data" / JOURNAL) as journal:
        entries = list(journal.read())
    assert is_whole == (entries[0].at.segment == 1)
    return Stopped(folder / "data" / JOURNAL, entries, ledger, is_whole)


def chosen_bits(stopped: Stopped, random: Random) -> Iterator[tuple[Cursor, int]]:
    """Octets anywhere; some in headers, in the last record of each kind, and in any of a kind."""
    sizes = {n: path.stat().st_size for n, path in _segments(stopped.folder).items()}
    places = [
        Cursor(random.choice(list(sizes)), random.randrange(DATA_START)) for _ in range(FLIPS // 10)
    ]
    kinds: dict[int, list[Entry]] = {}
    for entry in stopped.entries:
        kinds.setdefault(entry.record.kind, []).append(entry)
    chosen = [entries[-1] for entries in kinds.values() for _ in range(FLIPS // 80)]
    chosen += [random.choice(entries) for entries in kinds.values() for _ in range(FLIPS // 20)]
    for at, after, _ in chosen:
        places.append(Cursor(at.segment, random.randrange(at.offset, after.offset)))
    while len(places) < FLIPS:
        number = random.choices(list(sizes), list(sizes.values()))[0]
        places.append(Cursor(number, random.randrange(sizes[number])))
    for place in places:
        yield place, random.randrange(8)


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


def check_waiting(
    hit: Entry | None, found: Waiting, whole: Waiting, host: Host, *, is_whole: bool
) -> None:
    """Only what the hit record says may differ: a lost event, or acknowledged ones once more."""
    channel = channel_of(host)
    assert channel is not None
    again: dict[str, set[int]] = {consumer: set() for consumer in CONSUMERS}
    gone: set[int] = set()
    if hit is not None and hit.record.kind == Kind.EVENT:
        gone.add(hit.record.seq)
    elif hit is not None and hit.record.kind == Kind.OUTCOME:
        proxy, _, seqs, _ = stored_outcome(hit.record.payload)
        again[channel.proxies[proxy].name].update(seqs)
    for consumer in CONSUMERS:
        events = found[consumer]
        sure = whole[consumer].keys() - gone
        if not is_whole:  # events that were acknowledged may be gone, or carried without them
            again[consumer] &= events.keys()
            # Of an event that was carried forward there may be another record.
            sure |= gone & whole[consumer].keys() & events.keys()
        assert events.keys() == sure | again[consumer]
        for seq, event in whole[consumer].items():
            assert events[seq] == event if seq in events else seq in gone


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
    last = max(stopped.ledger.pushed.values())
    shutil.copytree(stopped.folder, scratch / "whole" / JOURNAL)
    host = await Host.open(scratch / "whole", segment_octets=SEGMENT_OCTETS)
    made, whole = objects(host), await waiting_in(host)
    await host.close(0)
    assert max(map(len, whole.values())) > 20
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
            found = await waiting_in(host)
            check_waiting(hit, found, whole, host, is_whole=stopped.is_whole)
            answers = await push(host, [*numbers, (9, 1)], 9)
            assert answers[:-1] == [stopped.ledger.pushed[which] for which in numbers]
            assert answers[-1] == last + 1
        except AssertionError as error:
            error.add_note(f"bit {bit} at {at}, in {None if hit is None else hit.record}")
            raise
        finally:
            await host.close(0)
            shutil.rmtree(folder)
    return kinds


def test_a_flipped_bit_costs_one_record(stopped: Stopped, tmp_path: Path) -> None:
    with quick_and_quiet():
        kinds = asyncio.run(judge(stopped, tmp_path))
    sys.stdout.write(f"{kinds.total()} flips, in {dict(kinds)}\n")
    assert kinds.total() == FLIPS
    assert kinds["EVENT"] > FLIPS // 6
    names = ("HEADER", "OUTCOME", "TOPOLOGY", "PLAN", "MARK")
    assert min(kinds[name] for name in names) >= FLIPS // 20


@pytest.mark.parametrize("segments", ["one", "several"])
def test_headers_that_are_beyond_repair(segments: str, stopped: Stopped, tmp_path: Path) -> None:
    shutil.copytree(stopped.folder, tmp_path / JOURNAL)
    first, *others = _segments(tmp_path / JOURNAL).values()
    if segments == "one":
        for path in others:
            path.unlink()
    octets = bytes(DATA_START) + first.read_bytes()[DATA_START:]
    first.write_bytes(octets)
    if segments == "one":  # the journal's id is gone, and with it what records are checked with
        with pytest.raises(StoreError, match=r"no segment in .* has a header that can be read"):
            asyncio.run(Host.open(tmp_path))
        assert [path.read_bytes() for path in _segments(tmp_path / JOURNAL).values()] == [octets]
    else:
        assert asyncio.run(_objects_in(tmp_path)) == stopped.ledger.made[-1]


async def _objects_in(folder: Path) -> object:
    host = await Host.open(folder, segment_octets=SEGMENT_OCTETS)
    found = objects(host)
    await host.close(0)
    return found
