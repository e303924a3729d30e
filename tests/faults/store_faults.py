"""Faults in payloads, catalog and retention, and a compact check that must catch each.

``python -m tests.faults.store_faults <package folder>`` runs the check on the package in a
folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from unittest import mock

import tidings
from tests.faults.fault import Fault

CAUGHT = "caught:"
EVENT_PAYLOADS = "stores/event_payloads.py"
PAYLOADS = "stores/payloads.py"
CATALOG = "stores/catalog.py"
CATALOG_FILE = "stores/catalog_file.py"
DEAD_LETTERS = "stores/dead_letters.py"
RETENTION = "stores/retention.py"
RECOVERY = "engine/recovery.py"
AHEAD = "stores/archive/ahead.py"
OBSERVED = "stores/observed_time.py"
JOURNAL_FILE = "stores/journal.py"

STORE_FAULTS = [
    Fault(
        "a clock that was set between two runs makes everything old",
        OBSERVED,
        "min(max(pause, 0), LONGEST_PAUSE)",
        "max(pause, 0)",
    ),
    Fault(
        "ages are counted by the machine's clock",
        JOURNAL_FILE,
        "now = ended = self._time.now()",
        "now = ended = self._clock.now()",
    ),
    Fault(
        "numbers are used again after a loss",
        RECOVERY,
        "journal.settle(found.go_on_after(journal.highest + LOST_NUMBERS))",
        "journal.settle([])",
    ),
    Fault(
        "an older copy of the journal is taken", AHEAD, "if known.cursor <= end or", "if known or"
    ),
    Fault("carried is lost", EVENT_PAYLOADS, "_CARRIED if carried else 0", "0"),
    Fault("a cut event is read", EVENT_PAYLOADS, "len(payload) - at != length", "at < 0"),
    Fault("a run begins anywhere", PAYLOADS, "runs.append(seq - end)", "runs.append(seq)"),
    Fault(
        "a long run is taken apart without bound",
        PAYLOADS,
        "min(lengths) < 1 or sum(lengths) > MOST_SEQS",
        "min(lengths) < 1",
    ),
    Fault(
        "the time of an outcome is lost",
        PAYLOADS,
        "_seqs(_runs_of(payload[body:])), at)",
        "_seqs(_runs_of(payload[body:])), None)",
    ),
    Fault(
        "an outcome of a later format is read", PAYLOADS, "elif form != FORMAT:", "elif not form:"
    ),
    Fault("an unclosed catalog is used", CATALOG_FILE, "if not about[0][1]:", "if not about:"),
    Fault("any journal's catalog is used", CATALOG_FILE, "!= [journal_id]", "== [b'']"),
    Fault("damage is not looked for", CATALOG_FILE, 'found != [("ok",)]', "found == []"),
    Fault(
        "the mark stays in the log",
        CATALOG_FILE,
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA user_version",
    ),
    Fault(
        "after a failed batch the counts are wrong",
        CATALOG_FILE,
        "            self._reload()\n            raise",
        "            raise",
    ),
    Fault("the least urgent come first", CATALOG, "ORDER BY priority DESC,", "ORDER BY priority,"),
    Fault("what never expires never comes", CATALOG, 'seq LIMIT ?", _BY_SEQ]', 'seq LIMIT ?"]'),
    Fault(
        "what was taken stays there",
        CATALOG,
        "self._remove(channel, proxy, [row[1] for row in rows])",
        "self._remove(channel, proxy, [])",
    ),
    Fault("what was forgotten is seen", CATALOG, "spilled JOIN", "spilled LEFT JOIN"),
    Fault(
        "the first cause is lost",
        DEAD_LETTERS,
        "(causes[0], *causes[1 - MOST_CAUSES :])",
        "causes[-MOST_CAUSES:]",
    ),
    Fault("a known cause is added again", DEAD_LETTERS, "if cause not in known", "if cause"),
    Fault("dropped before the sync", RETENTION, "self._journal.sync()", "self._journal.segments"),
    Fault(
        "a failed read looks like the end",
        RETENTION,
        "self._unread = _entries_before(self._journal, self._next, self._upto)",
        "self._next = None",
    ),
    Fault(
        "a failed write loses what was read",
        RETENTION,
        "        places = self._journal.append(",
        "        self._in_hand = []\n        places = self._journal.append(",
    ),
    Fault("the written segment can go", RETENTION, "in segments[:-1]:", "in segments:"),
    Fault("carrying never pays", RETENTION, "if balance >= 0:", "if balance > segment.octets:"),
]


def fails(action: Callable[[], object], expected: type[Exception]) -> bool:
    """Whether an action raises what it should."""
    try:
        action()
    except expected:
        return True
    return False


def payloads(_: Iterator[Path]) -> Iterator[str]:
    """Events and outcomes there and back."""
    import msgspec

    from tests.unit.stores.sample_payloads import EVENT
    from tidings.channel.effects import Outcome
    from tidings.errors import StoreError
    from tidings.stores.payloads import (
        MOST_SEQS,
        event_payload,
        outcome_payload,
        stored_event,
        stored_outcome,
    )

    payload = event_payload(EVENT)
    if stored_event(payload) != EVENT:
        yield "an event does not come back"
    if not fails(lambda: stored_event(payload[:-1]), StoreError):
        yield "a cut event is read"
    seqs = [5, 6, 9, 10, 3]
    written = outcome_payload(1, Outcome.DELIVERED, seqs, 77)
    if list(stored_outcome(written).seqs) != seqs:
        yield "an outcome does not come back"
    if stored_outcome(written).at != 77:
        yield "an outcome loses its time"
    untimed = written[1:6] + msgspec.msgpack.encode([5, 1])
    if stored_outcome(b"\x01" + untimed).at is not None:
        yield "an outcome without a time has one"
    if not fails(lambda: stored_outcome(b"\x09" + untimed), StoreError):
        yield "an outcome of another format is read"
    endless = written[:14] + msgspec.msgpack.encode([1, MOST_SEQS + 1])
    if not fails(lambda: stored_outcome(endless), StoreError):
        yield "a run without bound"


def files(fresh: Iterator[Path]) -> Iterator[str]:
    """Catalogs that were not closed, are damaged, or of another journal."""
    from tests.unit.stores.sample_payloads import JOURNAL, waiting
    from tidings.stores.catalog import Catalog

    path, copy = next(fresh), next(fresh)
    with Catalog.open(path, JOURNAL) as catalog:
        catalog.spill(1, 2, [waiting(seq, seq, seq) for seq in range(2_000)])
    shutil.copy(path, copy)
    with Catalog.open(path, JOURNAL) as catalog:
        log = path.with_name(f"{path.name}-wal")
        if catalog.fresh or log.stat().st_size:
            yield "a closed catalog is not used, or not marked"
        shutil.copy(path, crashed := next(fresh))
    with Catalog.open(crashed, JOURNAL) as catalog:
        if not catalog.fresh:
            yield "an unclosed catalog is used"
    with Catalog.open(path, bytes(16)) as catalog:
        if not catalog.fresh:
            yield "another journal's catalog is used"
    octets = copy.read_bytes()
    middle = len(octets) // 2
    copy.write_bytes(octets[: middle - 5_000] + bytes(5_000) + octets[middle:])
    with Catalog.open(copy, JOURNAL) as catalog:
        if not catalog.fresh:
            yield "a damaged catalog is used"


def entries(_: Iterator[Path]) -> Iterator[str]:
    """Spilled entries: orders, counts, what is forgotten."""
    from tests.unit.stores.sample_payloads import JOURNAL, waiting
    from tidings.stores.catalog import Catalog

    mixed = [waiting(1, 50, 1), waiting(2), waiting(3, 40, 7), waiting(4, priority=-2)]
    orders = {"fifo": [1, 2, 3, 4], "priority": [3, 1, 2, 4], "deadline": [3, 1, 2, 4]}
    with Catalog.open(None, JOURNAL) as catalog:
        for order, expected in orders.items():
            catalog.spill(1, 2, mixed)
            found, left = catalog.refill(1, 2, order, 9)
            if [entry.seq for entry in found] != expected or left or catalog.spilled(1, 2):
                yield f"refilled by {order}"
            catalog.unspill(1, 2, None)
        with contextlib.suppress(KeyError), catalog.batch():
            catalog.spill(1, 2, mixed)
            raise KeyError
        if catalog.spilled(1, 2):
            yield "counted though it was taken back"
        catalog.spill(1, 3, [waiting(seq) for seq in range(3_000)])
        catalog.unspill(1, 3, None)
        if catalog.proxies_waiting_for(1, range(3_000)):
            yield "somebody waits for what was forgotten"


def dead_letters(_: Iterator[Path]) -> Iterator[str]:
    """Causes: the first stays, none twice, not too many."""
    from tests.unit.stores.sample_payloads import JOURNAL, LETTER
    from tidings.channel.effects import Cause
    from tidings.stores.catalog import MOST_CAUSES, Catalog

    with Catalog.open(None, JOURNAL) as catalog:
        for _again in range(2):
            catalog.add_dead(1, 9, LETTER)
        if [row.letter._replace(number=0) for row in catalog.dead_letters()] != [LETTER]:
            yield "the same death counts twice"
        for at in range(100, 150):
            catalog.add_dead(1, 9, LETTER._replace(causes=(Cause(at, "again"),)))
        [row] = catalog.dead_letters()
        if row.letter.causes[0] != LETTER.causes[0] or len(row.letter.causes) != MOST_CAUSES:
            yield "the causes"


def retention(fresh: Iterator[Path]) -> Iterator[str]:
    """Which segments go, and that nothing needed goes with them."""
    from tests.unit.stores.sample_journal import records_in, sample_records
    from tidings.clock import ManualClock
    from tidings.errors import DiskFull, StoreError
    from tidings.stores.journal import Journal
    from tidings.stores.observed_time import LONGEST_PAUSE
    from tidings.stores.retention import Carrier, Retention, SegmentInfo, droppable

    infos = [SegmentInfo(number, 10, 99, needed=5) for number in (1, 2, 3)]
    if droppable(infos, Retention(10, 50)) != [1, 2]:
        yield "which segments go"
    folder, clock = next(fresh), ManualClock(1_700_000_000_000_000)
    for _ in range(2):
        with Journal.open(folder, clock=clock) as journal:
            journal.append(sample_records(1))
            journal.roll()
            clock.advance(10**15)
            if max(journal.ages().values()) > LONGEST_PAUSE + 10**9:
                yield "a clock that is set makes segments old"
        clock.advance(10**15)
    sample = sample_records(40)
    with Journal.open(next(fresh), segment_octets=600) as journal:
        for record in sample:
            journal.append([record])
        last = journal.segments[-1]
        carrier = Carrier(journal, last, lambda record: record, lambda: sample[:1])
        whole = list(journal.read())

        def broken(_: object = None) -> Iterator[object]:
            yield from whole[:3]
            raise StoreError("cannot be read")

        with mock.patch.object(journal, "read", broken):
            fails(lambda: carrier.step(9), StoreError)
        with mock.patch.object(journal, "append", side_effect=DiskFull("full")):
            fails(lambda: carrier.step(9), DiskFull)
        drop = journal.drop_before
        unsynced: list[int] = []

        def dropping(upto: int) -> list[int]:
            unsynced.append(journal._end - journal._synced)
            return drop(upto)

        with mock.patch.object(journal, "drop_before", dropping):
            while not carrier.step(9).done:
                pass
        if unsynced != [0]:
            yield "dropped without a sync"
        if journal.segments[0] != last or set(records_in(journal)) != set(sample):
            yield "something was lost"


def lost_ends(fresh: Iterator[Path]) -> Iterator[str]:
    """Numbers after a loss, and a journal that is behind its archive."""
    from tests.archive_worlds import archive_journal
    from tests.unit.engine.test_lost_ends import published, segments_of
    from tidings.errors import StoreError
    from tidings.stores.archive.ahead import check_journal_reaches

    data, archive = next(fresh), next(fresh)
    used = published(data)
    archive_journal(data / "journal", archive)
    segments_of(data)[-1].unlink()
    if not fails(lambda: check_journal_reaches(data, data / "journal", archive), StoreError):
        yield "a journal behind its archive is taken"
    if min(published(data)) <= max(used):
        yield "a number is used twice"


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            fresh = (Path(scratch) / str(number) for number in count())
            for check in (payloads, files, entries, dead_letters, retention, lost_ends):
                for found in check(fresh):
                    sys.stdout.write(f"{CAUGHT} {found}\n")
                    return 1
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        sys.stdout.write(f"{CAUGHT} {error!r}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
