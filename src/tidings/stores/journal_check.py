"""Read-only check of a journal: damaged or missing parts, and what was lost with them.

A service may be running on it. The head is read before the segments, so later writes are no loss,
and again at the end, so segments dropped meanwhile are none either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tidings.errors import StoreError
from tidings.stores import segments
from tidings.stores.chain import MISSING, ChainCheck, read_head
from tidings.stores.loss_book import part_key, read_book
from tidings.stores.payloads import stored_event, stored_outcome, stored_topology
from tidings.stores.records import Damage, Kind, Record
from tidings.stores.segments import DATA_START, Cursor, DamageReport, Segment

# Most lost subscriptions listed.
_MOST_LISTED: Final = 1_000
_NO_JOURNAL: Final = "there is no journal in {}: name the data folder of a service"


class LostEvents(NamedTuple):
    """Events of a channel (or origin) that may be lost; `last` is None if unknown."""

    channel: str
    first: int
    last: int | None


@dataclass
class JournalState:
    """The result of a check.

    Attributes:
        journal_id: Its id in hexadecimal; empty if there is no journal.
        records: Number of readable records.
        unfinished: Octets of an unfinished write at the end; no loss.
        events: Events that may be lost, by channel.
        channels: Origins of channels whose own record is lost.
        subscriptions: Channel and id of subscriptions whose own record is lost.
        known: Other losses the service has found before.
        accepted: Number of accepted losses; they are not in `damage`.
    """

    folder: Path
    journal_id: str = ""
    segments: int = 0
    octets: int = 0
    records: int = 0
    damage: list[DamageReport] = field(default_factory=list)
    unfinished: int = 0
    events: list[LostEvents] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    subscriptions: list[tuple[str, int]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    accepted: int = 0

    @property
    def good(self) -> bool:
        """Return whether nothing is damaged or missing."""
        return not (self.damage or self.events or self.known)


class _Check:
    """A check of one journal, which reads its channels from the records."""

    def __init__(self, state: JournalState) -> None:
        self._state = state
        self._folder = state.folder
        self._head = read_head(state.folder)
        self._chain = ChainCheck(self._head)
        self._book = read_book(state.folder, 0)
        self._accepted = {one.key for one in self._book.losses if one.accepted}
        self._names: dict[bytes, str] = {}
        self._proxies: set[tuple[bytes, int]] = set()
        self._named: set[tuple[bytes, int]] = set()
        self._last: dict[bytes, tuple[int, int]] = {}  # seq, and losses before it
        self._damaged = 0
        self._losses = 0
        self._lost: list[tuple[bytes, int, int]] = []
        self._gone: set[bytes] = set()

    def run(self, archived: Mapping[bytes, tuple[str, int]]) -> None:
        state, chain, head = self._state, self._chain, self._head
        found = segments.find_segments(self._folder)
        ids = [segment.journal_id for segment in found if segment.journal_id is not None]
        if head is not None:
            ids.append(head.journal_id)
        if not ids:
            raise StoreError(_NO_JOURNAL.format(self._folder))
        state.journal_id = ids[0].hex()
        for segment in found:
            chain.segment(segment.number)
            self._note_missing(chain.reports)
            self._read_segment(ids[0], segment, last=segment is found[-1])
        chain.finish()
        if chain.end_lost and state.unfinished:  # the write was finished once: more followed it
            size = segments.segment_path(self._folder, found[-1].number).stat().st_size
            at, length = size - state.unfinished, state.unfinished
            state.damage.append(DamageReport(found[-1].number, at, length, segments.DAMAGED))
            state.unfinished = 0
        latest = read_head(self._folder)
        first = latest.first if latest is not None else 0
        missing = [r for r in chain.reports if not (r.what == MISSING and 0 < r.segment < first)]
        self._note_missing(missing)
        everything = sorted([*state.damage, *missing])
        state.damage = [one for one in everything if self._counts(one)]
        state.accepted = len(everything) - len(state.damage)
        seen = {part_key(one) for one in state.damage}
        losses = self._book.losses
        state.known = [one.text for one in losses if not (one.accepted or one.key in seen)]
        self._sum_up(archived)

    def _counts(self, report: DamageReport) -> bool:
        return part_key(report) not in self._accepted

    def _note_missing(self, reports: Sequence[DamageReport]) -> None:
        self._losses = self._damaged + sum(map(self._counts, reports))

    def _read_segment(self, journal_id: bytes, segment: Segment, *, last: bool) -> None:
        state, number = self._state, segment.number
        if not segment.intact:
            state.damage.append(DamageReport(number, 0, DATA_START, segments.DAMAGED))
        end, latest = DATA_START, None
        start = Cursor(number, DATA_START)
        for found in segments.read_entries(self._folder, journal_id, start):
            if isinstance(found, Damage):
                if found.torn and last:
                    state.unfinished = found.length
                else:
                    report = DamageReport(number, found.offset, found.length, segments.DAMAGED)
                    self._damaged += self._counts(report)
                    self._losses += self._counts(report)
                    state.damage.append(report)
                continue
            state.records += 1
            end, latest = found.after.offset, found.at
            if self._chain.record(found.record):
                self._note_missing(self._chain.reports)
            else:
                self._read_record(found.record)
        size = segments.segment_path(self._folder, number).stat().st_size
        state.segments += 1
        state.octets += size
        whole = latest is not None and end == size
        kept = end if last and state.unfinished else size
        crc = segments.check_at(self._folder, latest) if whole and latest else 0
        self._chain.ends(kept, crc)

    def _read_record(self, record: Record) -> None:
        origin = record.channel
        if record.kind == Kind.TOPOLOGY:
            id, kind, key, state = stored_topology(record.payload)
            if kind == "channel":
                if state is None:
                    self._gone.add(origin)
                else:
                    self._names[origin] = str(state.get("name") or id)
            elif kind == "proxy" and key.isdecimal():
                self._proxies.add((origin, int(key)))
        elif record.kind == Kind.OUTCOME:
            self._named.add((origin, stored_outcome(record.payload).proxy))
        elif record.kind == Kind.EVENT:
            stored = stored_event(record.payload)
            self._named.update((origin, proxy) for proxy in stored.durable)
            before, losses = self._last.get(origin, (0, 0))
            if stored.carried or record.seq <= before:
                return
            if losses < self._losses and record.seq > before + 1:
                self._lost.append((origin, before + 1, record.seq - 1))
            self._last[origin] = (record.seq, self._losses)

    def _sum_up(self, archived: Mapping[bytes, tuple[str, int]]) -> None:
        """Add losses to the state; `archived` has the archive's names and highest seqs."""
        state = self._state
        names = {origin: name for origin, (name, _) in archived.items()} | self._names

        def here(origin: bytes) -> str:
            return names.get(origin, origin.hex())

        def lost(origin: bytes, first: int, last: int) -> None:
            runs = self._book.accepted_events.get(origin.hex(), ())
            if not any(low <= first and last <= high for low, high in runs):
                state.events.append(LostEvents(here(origin), first, last))

        for run in self._lost:
            lost(*run)
        for origin in sorted({*self._last, *archived} - self._gone):
            seq, losses = self._last.get(origin, (0, 0))
            beyond = archived.get(origin, ("", 0))[1]
            if beyond > seq:
                if f"channel {origin.hex()}" not in self._accepted:
                    lost(origin, seq + 1, beyond)
            elif losses < self._losses and state.damage:
                state.events.append(LostEvents(here(origin), seq + 1, None))
        if not state.damage:
            return
        present = {origin for origin, _ in self._named} | set(self._last)
        state.channels = sorted(here(o) for o in present - set(self._names) - self._gone)
        orphans = sorted(self._named - self._proxies)[:_MOST_LISTED]
        state.subscriptions = [(here(o), proxy) for o, proxy in orphans if o not in self._gone]


def check_journal(
    folder: Path, archived: Mapping[bytes, tuple[str, int]] | None = None
) -> JournalState:
    """Check a journal; `archived` has its archive's names and highest seqs by origin."""
    state = JournalState(folder)
    if not folder.is_dir():
        raise StoreError(_NO_JOURNAL.format(folder))
    try:
        _Check(state).run(archived or {})
    except OSError as error:
        raise StoreError(f"the journal in {folder} cannot be read: {error}") from error
    return state
