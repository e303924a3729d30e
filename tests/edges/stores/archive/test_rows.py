"""The rows of an archive, and the books that count them: each event and outcome once."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.archive_worlds import FIRST_US, archive_journal
from tests.edges.stores.archive import small_journal as small
from tidings import event
from tidings.channel.effects import Outcome
from tidings.channel.entries import NEVER
from tidings.clock import ManualClock
from tidings.errors import StoreError
from tidings.events.codecs.json_codec import encode_event
from tidings.stores import payloads
from tidings.stores.archive import columns
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.books import ProxyBook, apply_change
from tidings.stores.archive.columns import EventColumns
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.journal import Journal
from tidings.stores.payloads import StoredEvent
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor, segment_path


def archived(folder: Path, *records: Record) -> Path:
    """The archive of some records; of a bit of everything without them."""
    small.written(folder / "journal", records) if records else small.small_journal(
        folder / "journal"
    )
    archive_journal(folder / "journal", folder / "archive")
    return folder / "archive"


def test_the_rows_of_a_bit_of_everything(tmp_path: Path) -> None:
    folder = archived(tmp_path)
    small.check_ledger(folder)
    assert [row["seq"] for row in small.rows_of(folder, "events")] == [1, 2, 3, 4]
    found = [
        (row["seq"], row["outcome"], row["detail"]) for row in small.rows_of(folder, "outcomes")
    ]
    assert found == [
        (1, "delivered", None), (3, "rejected", "no"), (3, "redriven", None),
        (2, "expired", None), (3, "expired", None),
    ]  # fmt: skip
    assert (len(small.rows_of(folder, "plans")), len(small.rows_of(folder, "objects"))) == (2, 4)
    four = small.last_books_of(folder).proxies[f"{small.ORIGIN.hex()}/4"]
    assert (four.pending, four.pending_sum) == (1, 2)
    for file in read_manifest(folder).files:
        assert file.first_us // small.HOUR == file.last_us // small.HOUR
        if file.kind == "outcomes":
            seqs: list[Any] = pq.read_table(folder / file.path, partitioning=None)[
                "seq"
            ].to_pylist()
            assert seqs == sorted(seqs)


def trail(number: int, at: int = small.START, **more: Any) -> Record:
    """A line of the audit trail as the journal has it."""
    state = {
        "version": 1, "number": number, "at": at, "principal": "ann", "operation": "purge",
        "about": "proxy 3", "channel": "roads", "result": "done", **more,
    }  # fmt: skip
    payload = payloads.state_payload("audit", str(number % 1_000), state)
    return Record(Kind.STATE, bytes(16), 0, payload)


def test_a_change_is_a_row_once_however_often_the_journal_repeats_it(tmp_path: Path) -> None:
    other = Record(Kind.STATE, bytes(16), 0, payloads.state_payload("grants", "grant:1", {"a": 1}))
    refused = trail(2, credential=7, door="HTTP", peer="192.0.2.7", refused=True, count=40)
    checkpoint = (small.checkpoint(begins=True), refused, trail(1), small.checkpoint(begins=False))
    folder = archived(tmp_path, trail(1), other, refused, *checkpoint, trail(3))
    rows = small.rows_of(folder, "changes")
    assert [row["number"] for row in rows] == [1, 2, 3]
    assert read_manifest(folder).seals[-1].damaged == 0  # other cores are not its business
    assert rows[1] | {"position": 0} == {
        "origin": "", "channel": "roads", "number": 2, "at_us": small.START, "principal": "ann",
        "credential": 7, "door": "HTTP", "peer": "192.0.2.7", "operation": "purge",
        "about": "proxy 3", "result": "done", "refused": True, "count": 40, "position": 0,
    }  # fmt: skip
    assert (rows[0]["credential"], rows[0]["door"], rows[0]["count"]) == (None, "", 1)
    later = trail(2, small.START + 5)  # an older copy of the journal was put back: other changes
    with Journal.open(tmp_path / "journal", segment_octets=2**20) as journal:
        journal.append([refused, later])
        journal.sync()
    archive_journal(tmp_path / "journal", folder)
    assert [row["at_us"] - small.START for row in small.rows_of(folder, "changes")] == [0, 0, 0, 5]
    newer = trail(4, version=2)
    with Journal.open(tmp_path / "journal", segment_octets=2**20) as journal:
        journal.append([newer, trail(5)])
        journal.sync()
    archive_journal(tmp_path / "journal", folder)
    assert [row["number"] for row in small.rows_of(folder, "changes")][-1] == 5
    assert read_manifest(folder).seals[-1].damaged == 1


def test_withdrawn_and_stray_outcomes_do_not_count(tmp_path: Path) -> None:
    folder = archived(
        tmp_path,
        *(
            small.channel(),
            small.channel(),
            small.happened(5, [3]),
            small.outcome([6], 3),
            small.happened(6, [3]),
        ),
        *(small.outcome([5], 3, Outcome.WITHDRAWN), small.happened(5, [3], carried=True)),
    )
    book = small.last_books_of(folder).proxies[f"{small.ORIGIN.hex()}/3"]
    assert (book.pending, book.pending_sum) == (2, 11)
    rows = [len(small.rows_of(folder, kind)) for kind in ("events", "outcomes", "objects")]
    assert rows == [2, 1, 1]


def test_a_letter_from_before_the_archive_is_a_row_once(tmp_path: Path) -> None:
    letter = [small.outcome([2], 3, Outcome.REJECTED), small.happened(2, [3])]
    records = [small.channel(), small.happened(5), *letter, *letter]
    folder = archived(tmp_path, *records)
    assert [(row["seq"], row["carried"]) for row in small.rows_of(folder, "events")] == [
        (5, False), (2, True),
    ]  # fmt: skip
    assert [row["outcome"] for row in small.rows_of(folder, "outcomes")] == ["rejected", "redriven"]
    assert small.last_books_of(folder).proxies[f"{small.ORIGIN.hex()}/3"].pending == 1


def test_damaged_records_are_passed_over_and_counted(tmp_path: Path) -> None:
    """Numbers that are missing behind one are a gap; those before the first event are none."""
    bad = [
        *(
            small.happened(2, octets=b"no event"),
            small.happened(3, priority=40_000),
            small.happened(3, [2**31]),
        ),
        *(
            small.happened(3, views={2: (0, -32_768)}),
            small.happened(2**63, at=small.START),
            small.outcome([1], 2**31),
        ),
        *(
            small.plan(2**63, []),
            small.proxy(2**31),
            Record(Kind.OUTCOME, small.ORIGIN, 1, b"\x01"),
        ),
        Record(
            Kind.PLAN, small.ORIGIN, 1, small.plan(1, []).payload[:1] + b"\x81\xa6admins\x91\x01"
        ),
        Record(77, small.ORIGIN, 1, b"of a later version"),
    ]
    later = [small.happened(4), bad[0], small.happened(5), bad[0], small.happened(8)]
    end = small.written(tmp_path / "journal", [small.channel(), small.happened(1), *bad, *later])
    path = segment_path(tmp_path / "journal", 1)
    octets = bytearray(path.read_bytes())
    octets[octets.index(b'"name":"e1"')] ^= 1
    path.write_bytes(octets)
    folder = tmp_path / "archive"
    archive_journal(tmp_path / "journal", folder, upto=end)
    assert [row["seq"] for row in small.rows_of(folder, "events")] == [4, 5, 8]
    assert [seal.damaged for seal in read_manifest(folder).seals] == [13]
    assert small.last_books_of(folder).channels[small.ORIGIN.hex()].gaps == [(6, 7)]


def test_long_lists_are_left_out(tmp_path: Path) -> None:
    def typed(number: int) -> bytes:
        return encode_event(event("Many", f"T{number}", data={f"p{number}": 2**63}))

    many = (small.happened(n, octets=typed(n)) for n in range(1, 502))
    file = read_manifest(archived(tmp_path, small.channel(), *many)).select("events")[0]
    assert (file.types, file.names) == (None, None)
    assert file.channels is not None


def test_rows_are_turned_over_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_CHUNK_ROWS", 2)
    stored = StoredEvent(
        arrival=7, plan=1, priority=2, expiry=NEVER, start=None, flags=1, producer=None, number=0,
        hops=("a" * 32,), durable=(3,), views={3: (NEVER, 5), 4: (9, 6)}, carried=False,
        octets=b"{}",
    )  # fmt: skip
    made = EventColumns()
    for seq, name in ((3, "b"), (2, "b"), (9, "a"), (1, "b"), (8, "a")):
        given = event("D", "T", str(seq), {"n": seq})
        made.add_event("f" * 32, name, seq, stored, given, seq * 10, partial=False)
    for _ in range(2):  # a seal that fails is tried again
        table, times = made.sorted()
        assert table["seq"].to_pylist() == [8, 9, 1, 2, 3]
        cells: list[Any] = table["data_int"].to_pylist()
        assert cells == [[("n", seq)] for seq in (8, 9, 1, 2, 3)]
        assert len(times) == made.rows == 5


def change(*proxies: int, whole: bool = False, **more: Any) -> dict[str, Any]:
    forms = [{"side": "consumer", "proxy": id, "admin": 0} for id in proxies]
    return {"whole": whole, "proxies": forms, **more}


def test_changes_add_up_to_the_whole() -> None:
    admin = {"side": "consumer", "admin": 0, "operator": "AND_OP"}
    rules = apply_change({}, change(1, 2, admins=[admin], options={"a": True}))
    rules = apply_change(rules, change(3, removed_proxies=[1]))
    whole = change(2, 3, whole=True, admins=[admin], options={"a": True})
    assert rules == apply_change({"proxy/9": "x"}, whole)
    assert rules != apply_change({}, change(2, 3, whole=True, admins=[admin]))
    assert apply_change(rules, change(removed_admins=[["consumer", 0]])).keys() == {
        *("options", "proxy/2", "proxy/3")
    }


@pytest.mark.parametrize("bad", [{"admins": [1]}, {"proxies": [{}]}, {"removed_admins": [[1]]}])
def test_what_is_no_change(bad: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="a plan cannot be understood"):
        apply_change({}, bad)


def test_pending_is_never_less_than_none() -> None:
    book = ProxyBook()
    book.add(4)
    book.take(4)
    book.take(5)
    assert (book.pending, book.pending_sum) == (0, 0)


PROXIES = (2, 3, 4)
FINAL = (Outcome.DELIVERED, Outcome.EXPIRED, Outcome.DISCARDED, Outcome.REJECTED)


class JournalModel:
    """What an engine writes, with retention, and what an archive must make of it, at random.

    The truth is kept as sets of pairs, whereas the books count: two ways to the same numbers.

    Attributes:
        seqs: Numbers of all events.
        pending: Number and proxy of copies that have no final outcome.
        present: The proxies that are durable.
    """

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self.seqs: list[int] = []
        self.pending: set[tuple[int, int]] = set()
        self.present: set[int] = set()
        self._dice = dice
        self._version = 0
        self._dead: set[tuple[int, int]] = set()
        self._held: set[tuple[int, int]] = set()  # copies for proxies that are not durable
        self._first: dict[int, int] = {}  # the segment an event's latest record is in
        self.journal = Journal.open(folder)
        self._write(small.channel(), small.channel())

    @property
    def end(self) -> Cursor:
        """Where the journal ends."""
        self.journal.sync()
        return self.journal.end

    def _write(self, *records: Record) -> None:
        self.journal.append(records)

    def _write_event(self, seq: int, durable: list[int], *, carried: bool = False) -> None:
        self._write(small.happened(seq, durable, carried=carried))
        self._first[seq] = self.journal.end.segment

    def happen(self) -> None:
        """One thing happens."""
        acts = [self.publish] * 6 + [self.settle] * 4 + [self.toggle, self.redrive, self.change]
        self._dice.choice(acts)()

    def publish(self) -> None:
        """An event comes; numbers may be left out."""
        seq = max(self.seqs, default=0) + self._dice.choice([1, 1, 1, 3])
        wanted = [p for p in PROXIES if self._dice.random() < 0.6]
        durable = [p for p in wanted if p in self.present]
        self._write_event(seq, durable)
        self.seqs.append(seq)
        self.pending |= {(seq, p) for p in durable}
        self._held |= {(seq, p) for p in wanted if p not in self.present}

    def settle(self) -> None:
        """Copies are done with; also such as came while their proxy was not durable."""
        id = self._dice.choice(PROXIES)
        mine = sorted(seq for seq, p in self.pending | self._held if p == id)
        some = [seq for seq in mine if self._dice.random() < 0.5]
        if not some or id not in self.present:
            return
        what = self._dice.choice(FINAL)
        self._write(small.outcome(some, id, what))
        done = {(seq, id) for seq in some}
        if what is Outcome.REJECTED:
            self._dead |= done
        self.pending -= done
        self._held -= done

    def redrive(self) -> None:
        """A dead letter is delivered again."""
        found = sorted(pair for pair in self._dead - self.pending if pair[1] in self.present)
        if found:
            seq, id = self._dice.choice(found)
            self._dead.discard((seq, id))
            self._write_event(seq, [id])
            self.pending.add((seq, id))

    def toggle(self) -> None:
        """A proxy becomes durable, or is so no longer."""
        id = self._dice.choice(PROXIES)
        self.present ^= {id}
        record = small.proxy(id, present=id in self.present)
        self._write(record, record)

    def change(self) -> None:
        """The rules change."""
        self._version += 1
        self._write(small.plan(self._version, [self._dice.choice(PROXIES)]))

    def retain(self, before: Callable[[Cursor], object] | None) -> None:
        """Old segments go; what is needed of them is written again.

        Args:
            before: Called with the end of the journal before they go.
        """
        upto = self.journal.roll()
        waiting: dict[int, list[int]] = {}
        for seq, id in sorted(self.pending):
            if id in self.present:
                waiting.setdefault(seq, []).append(id)
        for seq, ids in waiting.items():
            if self._first[seq] < upto:
                self._write_event(seq, ids, carried=True)
                if self._dice.random() < 0.2:
                    self.publish()
        self._write(small.plan(self._version, PROXIES, whole=True), small.checkpoint(begins=True))
        for record in [small.channel(), *(small.proxy(id) for id in sorted(self.present))]:
            self._write(record, record)
        self._write(small.checkpoint(begins=False))
        if before is not None:
            before(self.end)
        self.journal.sync()
        self.journal.drop_before(upto)


@pytest.mark.parametrize("seed", range(12))
def test_books_count_what_is_pending_whatever_happens(tmp_path: Path, seed: int) -> None:
    """With restarts of the archiver and journals that are shortened before or meanwhile."""
    dice, folder = random.Random(seed), tmp_path / "a"
    model = JournalModel(tmp_path / "journal", dice)
    options = ArchiveOptions(seal_rows=dice.choice([5, 40]))
    late, keeps_up = seed % 3 == 0, seed % 3 != 2
    archiver: Archiver | None = None

    def advance(end: Cursor, *, seal: bool = True) -> Archiver:
        nonlocal archiver
        clock = ManualClock(FIRST_US)
        archiver = archiver or Archiver(tmp_path / "journal", folder, options, clock)
        archiver.advance(end, seal=seal)
        return archiver

    for step in range(120):
        model.happen()
        begun = not late or step > 40
        if step % 30 == 29:
            model.retain(advance if keeps_up and begun else None)
        if begun and dice.random() < 0.2:
            advance(model.end, seal=dice.random() < 0.5)
            if dice.random() < 0.3 and archiver is not None:
                archiver.close()
                archiver = None
    advance(model.end).close()
    model.journal.close()
    small.check_ledger(folder)
    books = small.last_books_of(folder)
    found = {
        id: (book.pending, book.pending_sum)
        for id in PROXIES
        if (book := books.proxies.get(f"{small.ORIGIN.hex()}/{id}")) is not None and book.present
    }
    assert found.keys() == model.present
    for id, counted in found.items():
        seqs = [seq for seq, p in model.pending if p == id]
        assert counted == (len(seqs), sum(seqs))
    gaps = [seal.gap for seal in read_manifest(folder).seals if seal.gap]
    assert bool(gaps) <= (not keeps_up)
    rows = [row["seq"] for row in small.rows_of(folder, "events")]
    assert len(rows) == len(set(rows))
    if not late and not gaps:
        assert sorted(rows) == model.seqs
        pending = small.pending_of(folder)
        assert {id: (pending[small.ORIGIN.hex(), id], found[id][1]) for id in found} == found
