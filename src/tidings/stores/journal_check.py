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
from tidings.stores.loss_book import LossBook, part_key, read_book
from tidings.stores.payloads import stored_event, stored_outcome, stored_topology
from tidings.stores.records import Damage, Kind, Record
from tidings.stores.segments import DATA_START, Cursor, DamageReport, Segment

# Most lost subscriptions listed.
_MOST_LISTED: Final = 1_000


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


class _Contents:
    """The channels in the records; `known` maps earlier losses to their acceptance."""

    def __init__(self, known: Mapping[str, bool]) -> None:
        self._known = known
        self.names: dict[bytes, str] = {}
        self.proxies: set[tuple[bytes, int]] = set()
        self.named: set[tuple[bytes, int]] = set()
        self.last: dict[bytes, tuple[int, int]] = {}  # seq, and losses before it
        self.losses = 0
        self._damaged = 0
        self.lost: list[tuple[bytes, int, int]] = []
        self._gone: set[bytes] = set()
        self._read = {
            Kind.TOPOLOGY: self._topology,
            Kind.EVENT: self._event,
            Kind.OUTCOME: self._outcome,
        }

    def counts(self, report: DamageReport) -> bool:
        return not self._known.get(part_key(report))

    def damage(self, report: DamageReport) -> None:
        self._damaged += self.counts(report)
        self.losses += self.counts(report)

    def missing(self, reports: Sequence[DamageReport]) -> None:
        self.losses = self._damaged + sum(map(self.counts, reports))

    def visit(self, record: Record) -> None:
        read = self._read.get(record.kind)  # type: ignore[call-overload]
        if read is not None:
            read(record)

    def _topology(self, record: Record) -> None:
        id, kind, key, state = stored_topology(record.payload)
        if kind == "channel":
            if state is None:
                self._gone.add(record.channel)
            else:
                self.names[record.channel] = str(state.get("name") or id)
        elif kind == "proxy" and key.isdecimal():
            self.proxies.add((record.channel, int(key)))

    def _event(self, record: Record) -> None:
        stored = stored_event(record.payload)
        origin = record.channel
        self.named.update((origin, proxy) for proxy in stored.durable)
        before, losses = self.last.get(origin, (0, 0))
        if stored.carried or record.seq <= before:
            return
        if losses < self.losses and record.seq > before + 1:
            self.lost.append((origin, before + 1, record.seq - 1))
        self.last[origin] = (record.seq, self.losses)

    def _outcome(self, record: Record) -> None:
        self.named.add((record.channel, stored_outcome(record.payload).proxy))

    def summed_up(
        self, state: JournalState, known: Mapping[bytes, tuple[str, int]], book: LossBook
    ) -> None:
        """Add losses to the state; `known` has the archive's names and highest seqs."""
        names = {origin: name for origin, (name, _) in known.items()} | self.names

        def here(origin: bytes) -> str:
            return names.get(origin, origin.hex())

        def lost(origin: bytes, first: int, last: int) -> None:
            runs = book.accepted_events.get(origin.hex(), ())
            if not any(low <= first and last <= high for low, high in runs):
                state.events.append(LostEvents(here(origin), first, last))

        for run in self.lost:
            lost(*run)
        accepted = {one.key for one in book.losses if one.accepted}
        for origin in sorted({*self.last, *known} - self._gone):
            seq, losses = self.last.get(origin, (0, 0))
            beyond = known.get(origin, ("", 0))[1]
            if beyond > seq:
                if f"channel {origin.hex()}" not in accepted:
                    lost(origin, seq + 1, beyond)
            elif losses < self.losses and state.damage:
                state.events.append(LostEvents(here(origin), seq + 1, None))
        if not state.damage:
            return
        present = {origin for origin, _ in self.named} | set(self.last)
        state.channels = sorted(here(o) for o in present - set(self.names) - self._gone)
        orphans = sorted(self.named - self.proxies)[:_MOST_LISTED]
        state.subscriptions = [(here(o), proxy) for o, proxy in orphans if o not in self._gone]


def check_journal(
    folder: Path, archived: Mapping[bytes, tuple[str, int]] | None = None
) -> JournalState:
    """Check a journal; `archived` has its archive's names and highest seqs by origin."""
    state = JournalState(folder)
    if not folder.is_dir():
        raise StoreError(f"there is no journal in {folder}: name the data folder of a service")
    try:
        _check(state, archived or {})
    except OSError as error:
        raise StoreError(f"the journal in {folder} cannot be read: {error}") from error
    return state


def _check(state: JournalState, archived: Mapping[bytes, tuple[str, int]]) -> None:
    folder = state.folder
    head = read_head(folder)
    found = segments.find_segments(folder)
    ids = [segment.journal_id for segment in found if segment.journal_id is not None]
    if head is not None:
        ids.append(head.journal_id)
    if not ids:
        raise StoreError(f"there is no journal in {folder}: name the data folder of a service")
    state.journal_id = ids[0].hex()
    book = read_book(folder, 0)
    known = {one.key: one.accepted for one in book.losses}
    chain, contents = ChainCheck(head), _Contents(known)
    for segment in found:
        chain.segment(segment.number)
        contents.missing(chain.reports)
        _check_segment(state, ids[0], segment, chain, contents, last=segment is found[-1])
    chain.finish()
    if chain.end_lost and state.unfinished:  # the write was finished once: more followed it
        size = segments.segment_path(folder, found[-1].number).stat().st_size
        at, length = size - state.unfinished, state.unfinished
        state.damage.append(DamageReport(found[-1].number, at, length, segments.DAMAGED))
        state.unfinished = 0
    latest = read_head(folder)
    first = latest.first if latest is not None else 0
    missing = [r for r in chain.reports if not (r.what == MISSING and 0 < r.segment < first)]
    contents.missing(missing)
    state.damage = sorted([*state.damage, *missing])
    found_now = len(state.damage)
    state.damage = [one for one in state.damage if contents.counts(one)]
    state.accepted = found_now - len(state.damage)
    seen = {part_key(one) for one in state.damage}
    state.known = [one.text for one in book.losses if not (one.accepted or one.key in seen)]
    contents.summed_up(state, archived, book)


def _check_segment(
    state: JournalState,
    journal_id: bytes,
    segment: Segment,
    chain: ChainCheck,
    contents: _Contents,
    *,
    last: bool,
) -> None:
    number = segment.number
    if not segment.intact:
        state.damage.append(DamageReport(number, 0, DATA_START, segments.DAMAGED))
    end, latest = DATA_START, None
    start = Cursor(number, DATA_START)
    for found in segments.read_entries(state.folder, journal_id, start):
        if isinstance(found, Damage):
            if found.torn and last:
                state.unfinished = found.length
            else:
                report = DamageReport(number, found.offset, found.length, segments.DAMAGED)
                contents.damage(report)
                state.damage.append(report)
            continue
        state.records += 1
        end, latest = found.after.offset, found.at
        if chain.record(found.record):
            contents.missing(chain.reports)
        else:
            contents.visit(found.record)
    size = segments.segment_path(state.folder, number).stat().st_size
    state.segments += 1
    state.octets += size
    whole = latest is not None and end == size
    kept = end if last and state.unfinished else size
    chain.ends(kept, segments.check_at(state.folder, latest) if whole and latest else 0)
