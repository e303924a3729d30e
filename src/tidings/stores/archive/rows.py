"""Conversion of journal records to rows, and updates of the books.

An event's first record makes its row. Later records of the event are carried forward by retention,
which makes no row, or redriven, which makes an outcome. Another record makes the row only if the
first was gone before it could be archived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from tidings.audit import NAME as TRAIL
from tidings.audit import change_of
from tidings.channel.effects import Outcome
from tidings.errors import StoreError, TidingsError
from tidings.events.codecs.json_codec import decode_event
from tidings.stores.archive.books import (
    Books,
    ChannelBook,
    ProxyBook,
    apply_change,
    chain_digest,
    digest,
    position_of,
    proxy_key,
)
from tidings.stores.archive.columns import ROW_OCTETS, Segment, check_fits
from tidings.stores.archive.journal_reader import ChannelName
from tidings.stores.payloads import (
    StoredEvent,
    StoredOutcome,
    stored_checkpoint,
    stored_dead,
    stored_event,
    stored_outcome,
    stored_plan,
    stored_state,
    stored_topology,
)
from tidings.stores.records import Kind
from tidings.stores.segments import Entry

REDRIVEN: Final = "redriven"
OUTCOME_NAMES: Final[dict[Outcome, str]] = {
    Outcome.DELIVERED: "delivered",
    Outcome.EXPIRED: "expired",
    Outcome.DISCARDED: "discarded",
    Outcome.DEAD: "dead-lettered",
    Outcome.DISCONNECTED: "disconnected",
    Outcome.WITHDRAWN: "withdrawn",
    Outcome.REJECTED: "rejected",
    Outcome.LOST: "lost",
    Outcome.PURGED: "purged",
}
_WITH_CAUSE: Final = frozenset({Outcome.DEAD, Outcome.REJECTED})
# Most causes that wait for their outcome; it follows at once in an undamaged journal.
_MOST_CAUSES: Final = 50_000

_json = msgspec.json.Encoder().encode


class _Channel(NamedTuple):
    origin: str
    book: ChannelBook
    proxies: dict[int, ProxyBook]


class Rows:
    """The converter of records, in journal order, to rows and books.

    `now` is used before any record with a time, `name_of` for channels whose own record comes
    later.
    """

    def __init__(
        self, books: Books, now: Callable[[], int], name_of: Callable[[bytes], ChannelName | None]
    ) -> None:
        self.books = books
        self.segment = Segment()
        self._now = now
        self._name_of = name_of
        self._channels: dict[bytes, _Channel] = {}
        for origin, book in books.channels.items():
            self._channels[bytes.fromhex(origin)] = _Channel(origin, book, {})
        for key, proxy in books.proxies.items():
            origin, _, number = key.partition("/")
            self._channels[bytes.fromhex(origin)].proxies[int(number)] = proxy
        self._read: dict[int, Callable[[Entry], None]] = {
            Kind.EVENT: self._event,
            Kind.OUTCOME: self._outcome,
            Kind.PLAN: self._plan,
            Kind.TOPOLOGY: self._topology,
            Kind.DEAD: self._dead,
            Kind.CHECKPOINT: self._checkpoint,
            Kind.STATE: self._state,
        }

    def take(self, entry: Entry) -> None:
        """Process a record; count and skip an unreadable one."""
        read = self._read.get(entry.record.kind)
        try:
            if read is not None:
                read(entry)
        except TidingsError:
            self.damage()

    @property
    def _latest(self) -> int:
        latest = self.books.latest_us
        return self._now() if latest is None else latest

    def _channel(self, origin: bytes) -> _Channel:
        found = self._channels.get(origin)
        if found is None:
            called = self._name_of(origin) or ChannelName(0, origin.hex())
            found = self._new_channel(origin, called)
        return found

    def _new_channel(self, origin: bytes, called: ChannelName) -> _Channel:
        book = ChannelBook(called.id, called.name)
        found = self._channels[origin] = _Channel(origin.hex(), book, {})
        self.books.channels[found.origin] = book
        return found

    def _proxy(self, channel: _Channel, proxy: int) -> ProxyBook:
        found = channel.proxies.get(proxy)
        if found is None:
            # It was not durable before, or carried events name what it waits for.
            last = channel.book.last
            found = ProxyBook(holes=[(0, last)] if last else [])
            channel.proxies[proxy] = found
            self.books.proxies[proxy_key(channel.origin, proxy)] = found
        return found

    def _forget(self, channel: _Channel, proxy: int) -> None:
        del channel.proxies[proxy]
        del self.books.proxies[proxy_key(channel.origin, proxy)]

    def _event(self, entry: Entry) -> None:
        record = entry.record
        stored = stored_event(record.payload)
        seq, channel = record.seq, self._channel(record.channel)
        if stored.carried:
            self._carried(channel, entry, stored)
        elif seq <= channel.book.last or seq in channel.book.carried:
            self._redriven(channel, entry, stored)
        else:
            self._first(channel, entry, stored)

    def _first(self, channel: _Channel, entry: Entry, stored: StoredEvent) -> None:
        """Process an event's first record."""
        seq, book = entry.record.seq, channel.book
        self._add_event(channel, entry, stored, partial=False)
        for proxy in stored.durable:
            (channel.proxies.get(proxy) or self._proxy(channel, proxy)).add(seq)
        if book.open:
            if book.first and book.last + 1 < seq:
                book.gaps.append((book.last + 1, seq - 1))
            book.open = False
        if not book.first:
            book.first = seq
        book.last = seq
        self.books.latest_us = stored.arrival

    def _carried(self, channel: _Channel, entry: Entry, stored: StoredEvent) -> None:
        """Process a record carried forward by retention; it names only the waiting proxies."""
        seq, book = entry.record.seq, channel.book
        covered = book.covers(seq)
        if not covered and seq not in book.carried:
            self._add_event(channel, entry, stored, partial=True)
            book.carried.add(seq)
        for number in stored.durable:
            proxy = self._proxy(channel, number)
            if not (covered and proxy.counts(seq)):
                _add_extra(proxy, seq)

    def _redriven(self, channel: _Channel, entry: Entry, stored: StoredEvent) -> None:
        """Process a redriven dead letter."""
        seq, book = entry.record.seq, channel.book
        if book.covers(seq) or seq in book.carried:
            for proxy in stored.durable:
                row = (None, None, position_of(entry.at))
                self._add_outcomes(channel, proxy, [seq], REDRIVEN, self._latest, row)
        else:
            self._add_event(channel, entry, stored, partial=True)
            book.carried.add(seq)
        for proxy in stored.durable:
            _add_extra(self._proxy(channel, proxy), seq)

    def _add_event(
        self, channel: _Channel, entry: Entry, stored: StoredEvent, *, partial: bool
    ) -> None:
        book, seq = channel.book, entry.record.seq
        event = decode_event(stored.octets)
        self.segment.events.add_event(
            channel.origin, book.name, seq, stored, event, position_of(entry.at), partial=partial
        )
        self.segment.octets += len(entry.record.payload)
        book.events += 1
        book.seq_sum += seq
        if book.lowest is None or seq < book.lowest:
            book.lowest = seq
        if book.highest is None or seq > book.highest:
            book.highest = seq

    def _outcome(self, entry: Entry) -> None:
        found = stored_outcome(entry.record.payload)
        check_fits([found.proxy], found.seqs)
        channel = self._channel(entry.record.channel)
        if found.at is not None:
            self.books.latest_us = found.at
        known = self._settled(channel, found)
        self.segment.stray += len(found.seqs) - len(known)
        time, position = self._latest, position_of(entry.at)
        name = OUTCOME_NAMES[found.outcome]
        if found.outcome not in _WITH_CAUSE or not self.books.causes:
            self._add_outcomes(channel, found.proxy, known, name, time, (found.at, None, position))
            return
        for seq in known:
            cause = self.books.causes.pop(f"{channel.origin}/{found.proxy}/{seq}", None)
            self._add_outcomes(channel, found.proxy, [seq], name, time, (found.at, cause, position))

    def _settled(self, channel: _Channel, found: StoredOutcome) -> Sequence[int]:
        """Remove settled events from pending; return the seqs of archived ones."""
        number, outcome, seqs, _ = found
        book, proxy = channel.book, channel.proxies.get(number)
        known = [seq for seq in seqs if book.covers(seq) or seq in book.carried]
        if proxy is None or outcome is Outcome.WITHDRAWN:
            return known
        for seq in known:
            if seq in proxy.extra:
                proxy.extra.remove(seq)
                proxy.take(seq)
            elif proxy.counts(seq) and book.covers(seq):
                proxy.take(seq)
        if not proxy.present and not proxy.pending:
            self._forget(channel, number)
        return known

    def _add_outcomes(
        self,
        channel: _Channel,
        proxy: int,
        seqs: Sequence[int],
        outcome: str,
        time: int,
        rest: tuple[int | None, str | None, int],
    ) -> None:
        add = self.segment.outcomes.add
        origin, name = channel.origin, channel.book.name
        for seq in seqs:
            add(time, (origin, name, proxy, seq, outcome, *rest))
        self.segment.octets += ROW_OCTETS * len(seqs)

    def _dead(self, entry: Entry) -> None:
        letter = stored_dead(entry.record.payload)
        causes = self.books.causes
        if letter.causes and len(causes) < _MOST_CAUSES:
            key = f"{entry.record.channel.hex()}/{letter.proxy}/{entry.record.seq}"
            causes[key] = letter.causes[-1].reason

    def _plan(self, entry: Entry) -> None:
        change = stored_plan(entry.record.payload)
        check_fits((), [entry.record.seq])
        channel = self._channel(entry.record.channel)
        book, version = channel.book, entry.record.seq
        if version >= book.plan_version:
            rules = apply_change(book.rules, change)
            if version == book.plan_version and rules == book.rules:
                return
            book.plan_version, book.rules = version, rules
        text = _json(change).decode()
        time, whole = self._latest, bool(change.get("whole"))
        self.segment.plans.add(
            time, (channel.origin, book.name, version, whole, text, time, position_of(entry.at))
        )
        self.segment.octets += ROW_OCTETS + len(text)
        book.plans += 1
        book.plan_digest = chain_digest(book.plan_digest, version, text)

    def _topology(self, entry: Entry) -> None:
        id, kind, key, state = stored_topology(entry.record.payload)
        check_fits([int(key)] if key.isdecimal() else (), [id])
        if kind == "channel":
            self._channel_changed(entry, id, state)
        elif kind == "proxy":
            if not key.isdecimal():
                raise StoreError(f"{key!r} is no id of a proxy")
            self._proxy_changed(entry, int(key), state)

    def _channel_changed(self, entry: Entry, id: int, state: dict[Any, Any] | None) -> None:
        origin = entry.record.channel
        found = self._channels.get(origin)
        if state is not None:
            called = ChannelName(id, str(state.get("name") or id))
            found = found or self._new_channel(origin, called)
            found.book.id, found.book.name = called
        if found is None:
            return
        book = found.book
        book.unsure = False
        if self._is_news(book, state):
            book.present = state is not None
            self._add_object(found, "channel", id, state, position_of(entry.at))

    def _proxy_changed(self, entry: Entry, id: int, state: dict[Any, Any] | None) -> None:
        channel = self._channel(entry.record.channel)
        if state is None and id not in channel.proxies:
            return
        proxy = self._proxy(channel, id)
        proxy.unsure = False
        if self._is_news(proxy, state):
            self._add_object(channel, "proxy", id, state, position_of(entry.at))
            self._show(channel, id, proxy, present=state is not None)

    def _show(self, channel: _Channel, id: int, proxy: ProxyBook, *, present: bool) -> None:
        last = channel.book.last
        if proxy.present and not present:
            proxy.absent_from = last
        elif proxy.absent_from is not None and present:
            if proxy.absent_from < last:
                proxy.holes.append((proxy.absent_from + 1, last))
            proxy.absent_from = None
        proxy.present = present
        if not present and not proxy.pending:
            self._forget(channel, id)

    @staticmethod
    def _is_news(book: ChannelBook | ProxyBook, state: dict[Any, Any] | None) -> bool:
        """Return whether the state differs from the last row; some records are repeated."""
        if state is None:
            was_present, book.state = book.present, ""
            return was_present
        before, book.state = book.state, digest(_json(state))
        return before != book.state or not book.present

    def _add_object(
        self, channel: _Channel, kind: str, id: int, state: dict[Any, Any] | None, position: int
    ) -> None:
        text = None if state is None else _json(state).decode()
        time, book = self._latest, channel.book
        self.segment.objects.add(
            time, (channel.origin, book.name, kind, id, state is not None, text, time, position)
        )
        self.segment.octets += ROW_OCTETS + len(text or "")

    def _state(self, entry: Entry) -> None:
        """Process an object of another core: a change or refusal becomes a row."""
        core, _, state = stored_state(entry.record.payload)
        if core != TRAIL or state is None:
            return
        one = change_of(state)
        check_fits((), (one.number, one.count, abs(one.at)))
        number, at = self.books.last_change or (0, 0)
        if one.number <= number and one.at <= at:
            return  # the journal repeats the latest ones now and then
        self.books.last_change = (max(number, one.number), max(at, one.at))
        row = (
            "", one.channel, one.number, one.at, one.principal, one.credential, one.door, one.peer,
            one.operation, one.about, one.result, one.refused, one.count, position_of(entry.at),
        )  # fmt: skip
        self.segment.changes.add(one.at, row)
        self.segment.octets += ROW_OCTETS + len(one.about)

    def damage(self) -> None:
        """Note an unreadable record: if it was an event, the channel's next event shows it."""
        self.segment.damaged += 1
        for channel in self._channels.values():
            channel.book.open = True

    def gap(self) -> None:
        """Note a gap in the journal; carried events then name the waiting proxies again."""
        for channel in self._channels.values():
            book = channel.book
            book.open = book.unsure = True
            for id, proxy in list(channel.proxies.items()):
                if not proxy.present:
                    self._forget(channel, id)
                    continue
                proxy.pending = proxy.pending_sum = 0
                proxy.extra.clear()
                proxy.holes = [(0, book.last)] if book.last else []
                proxy.unsure = True
        self.books.causes.clear()

    def _checkpoint(self, entry: Entry) -> None:
        """Process the end of a full copy of all objects: unmentioned ones since a gap are gone."""
        _, begins = stored_checkpoint(entry.record.payload)
        if begins:
            return
        self.books.causes.clear()  # carried dead letters have no outcome after them
        position = position_of(entry.at)
        for channel in list(self._channels.values()):
            book = channel.book
            for id, proxy in list(channel.proxies.items()):
                if proxy.unsure and self._is_news(proxy, None):
                    self._add_object(channel, "proxy", id, None, position)
                    self._show(channel, id, proxy, present=False)
            if book.unsure and self._is_news(book, None):
                book.present = False
                self._add_object(channel, "channel", book.id, None, position)
            book.unsure = False


def _add_extra(proxy: ProxyBook, seq: int) -> None:
    if seq not in proxy.extra:
        proxy.extra.add(seq)
        proxy.add(seq)
