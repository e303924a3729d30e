"""What the journal has lost, as far as known: before, on opening, and since."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Final, TypeAlias

from tidings.channel.effects import Notice, NoticeKind
from tidings.engine.storage import Storage
from tidings.stores.loss_book import MOST, MOST_RUNS, Loss, LossBook, part_key, write_book
from tidings.stores.records import Kind
from tidings.stores.segments import DamageReport

log = logging.getLogger(__name__)

# How many damaged parts are reported one by one: other notices must stay readable.
_TOLD: Final = 100
# Longer lists of numbers are truncated in texts.
_MOST_NAMED = 10

_Run: TypeAlias = tuple[int, int]
_first: Final = itemgetter(0)
_last: Final = itemgetter(1)


class Losses:
    """Counts losses that are not accepted, and knows the numbers of lost events.

    `runs` are the lost events of each channel that are not accepted. `changed` says whether more is
    lost than the book on disk says; it is kept up to date except for events, see `written_down`.
    """

    def __init__(
        self,
        book: LossBook | None = None,
        origins: Mapping[int, str] | None = None,
        dropped: Mapping[bytes, int] | None = None,
    ) -> None:
        self.changed = False
        self.book = book or LossBook([], {}, {}, [])
        self._origins = origins or {}
        self._seen = 0  # reports of damage
        self._known = {one.key: one for one in self.book.losses}
        self._more = 0  # that the book has no room for
        # By channel, in order.
        self.runs: dict[int, list[_Run]] = {}
        self._accepted: dict[int, list[_Run]] = {}
        for id, origin in self._origins.items():
            gone = (dropped or {}).get(bytes.fromhex(origin), 0)
            if found := self.book.events.get(origin):
                self.runs[id] = found
            if left := [run for run in self.book.accepted_events.get(origin, ()) if run[1] > gone]:
                self._accepted[id] = left

    @property
    def events(self) -> int:
        """Count the lost events."""
        return sum(last + 1 - first for found in self.runs.values() for first, last in found)

    @property
    def found(self) -> list[Loss]:
        """Return lost parts of the journal, channels and subscriptions that are not accepted."""
        return [one for one in self.book.losses if not one.accepted]

    @property
    def objects(self) -> list[str]:
        """Return the lost channels and subscriptions, in words."""
        return [one.text for one in self.found if not one.is_part]

    @property
    def stretches(self) -> int:
        """Count damaged parts of the journal, except those that held only known events."""
        return sum(one.is_part and one.counts for one in self.found) + self._more

    @property
    def count(self) -> int:
        """Count all losses."""
        return self.events + len(self.objects) + self.stretches

    @property
    def sentence(self) -> str:
        """Return a summary for people; empty if nothing is lost."""
        parts = (
            (self.events, "event", "events"),
            (len(self.objects), "channel or subscription", "channels or subscriptions"),
            (self.stretches, "other part of the journal", "other parts of the journal"),
        )
        found = ", ".join(f"{n} {one if n == 1 else more}" for n, one, more in parts if n)
        return found and f"damage in the journal has cost {found}: see the notices"

    def damaged(self, reports: Sequence[DamageReport], at: int) -> list[DamageReport]:
        """Count new damage reports; return those that may have cost something."""
        unseen, self._seen = reports[self._seen :], len(reports)
        new = [one for one in unseen if one.what != "torn" and (one.lost or not one.all_known)]
        for one in new:
            events = one.all_known and all(kind == Kind.EVENT for kind, *_ in one.lost)
            self._add(Loss(part_key(one), str(one), at, one.segment, counts=not events))
        return new

    def add_object(self, key: str, text: str, at: int) -> bool:
        """Add a lost channel or subscription; return whether it is new."""
        return self._add(Loss(key, text, at))

    def _add(self, loss: Loss) -> bool:
        if loss.key in self._known:
            return False
        if len(self.book.losses) >= MOST:
            self._more += loss.counts
            return True
        self._known[loss.key] = loss
        self.book.losses.append(loss)
        self.changed = True
        return True

    def add_events(self, channel: int, seqs: Iterable[int]) -> tuple[_Run, ...]:
        """Add lost events of a channel; return those that were not known, as runs."""
        return self.add_runs(channel, runs(seqs))

    def add_runs(self, channel: int, found: Iterable[_Run]) -> tuple[_Run, ...]:
        """Add lost runs of a channel; return those that were not known."""
        known = self._all(channel)
        new = tuple(part for run in found for part in _without(run, known))
        if new:
            self.runs[channel] = _joined([*self.runs.get(channel, ()), *new])
            self.changed = True
        return new

    def between(self, channel: int, after: int, upto: int) -> tuple[_Run, ...]:
        """Return the lost events of a channel after one number and up to another, as runs."""
        known = self._all(channel)
        first = bisect_right(known, after, key=_last)
        found = known[first : bisect_right(known, upto, key=_first)]
        return tuple((max(one, after + 1), min(other, upto)) for one, other in found)

    def _all(self, channel: int) -> list[_Run]:
        new, accepted = self.runs.get(channel, []), self._accepted.get(channel, [])
        return _joined([*new, *accepted]) if new and accepted else new or accepted

    def forget(self, channel: int) -> None:
        """Drop the lost events of a channel that is gone."""
        for events in (self.runs, self._accepted):
            self.changed |= events.pop(channel, None) is not None

    def accept(self) -> None:
        """Accept all current losses: they no longer count."""
        for one in self.found:
            one.accepted = self.changed = True
        for channel, found in self.runs.items():
            self._accepted[channel] = _joined([*self._accepted.get(channel, ()), *found])
            self.changed = True
        self.runs = {}

    def written_down(self, oldest: int) -> LossBook:
        """Return the book to save; the caller resets `changed` once it is saved.

        Accepted parts before `oldest`, the journal's oldest segment, are dropped.
        """
        book = self.book
        book.losses = [
            one for one in book.losses if not (one.accepted and 0 < one.segment < oldest)
        ]
        book.events = self._by_origin(self.runs)
        book.accepted_events = self._by_origin(self._accepted)
        return book

    def _by_origin(self, events: Mapping[int, list[_Run]]) -> dict[str, list[_Run]]:
        left, found = MOST_RUNS, {}
        for channel, some in events.items():
            origin = self._origins.get(channel)
            if origin is not None and left > 0:
                found[origin] = some[:left]
                left -= len(some)
        return found


def runs(seqs: Iterable[int]) -> list[_Run]:
    """Return the first and last numbers of the runs in some numbers."""
    return _joined((seq, seq) for seq in seqs)


def _without(run: _Run, known: Sequence[_Run]) -> Iterator[_Run]:
    """Return the parts of a run that are in none of the ordered `known` runs."""
    first, last = run
    for low, high in known[bisect_left(known, first, key=_last) :]:
        if low > last:
            break
        if first < low:
            yield first, low - 1
        first = high + 1
    if first <= last:
        yield first, last


def _joined(found: Iterable[_Run]) -> list[_Run]:
    """Return runs in order, with touching and overlapping ones merged."""
    joined: list[_Run] = []
    for first, last in sorted(found):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def numbers_text(found: Sequence[_Run]) -> str:
    """Return runs as people write them: 3, 7 to 9."""
    parts = [str(a) if a == b else f"{a} to {b}" for a, b in found[:_MOST_NAMED]]
    return ", ".join(parts) + (", …" if len(found) > _MOST_NAMED else "")


class LossReports:
    """Finds losses, reports them to operators and records them."""

    def __init__(
        self, storage: Storage, notice: Callable[[Notice], None], now: Callable[[], int]
    ) -> None:
        self.losses = Losses()
        self._storage = storage
        self._notice = notice
        self._now = now

    def report(self, events: Mapping[int, Collection[int]]) -> None:
        """Record and report what damage has cost."""
        for channel, seqs in events.items():
            if new := self.losses.add_events(channel, seqs):
                self._tell_lost(channel, 0, new)

    def lost(self, channel: int, proxy: int, seqs: Collection[int]) -> None:
        """Record and report events that can no longer be read."""
        self.losses.add_events(channel, seqs)
        self._tell_lost(channel, proxy, runs(seqs))

    async def tell_all(self) -> None:
        """Report all losses that are not accepted, and record them."""
        for at, text in self.losses.book.accepted:
            day = datetime.fromtimestamp(at // 1_000_000, UTC)
            self._tell(f"accepted as lost on {day:%Y-%m-%d}: {text}")
        parts = [one for one in self.losses.found if one.is_part]
        for one in parts[-_TOLD:]:
            self._tell(f"damage in the journal: {one.text}")
        for what in self.losses.objects:
            self._tell(f"lost by damage in the journal: {what}")
        for channel, seqs in self.losses.runs.items():
            self._tell_lost(channel, 0, seqs)
        if kept := self.keep():
            await asyncio.wait([kept])

    def find(self) -> None:
        """Check for damage in the journal found since the start."""
        origins = {origin: id for id, origin in self._storage.recorder.origins.items()}
        damage = self.losses.damaged(self._storage.journal.journal.damage, self._now())
        events: dict[int, set[int]] = {}
        for kind, origin, seq in chain.from_iterable(report.lost for report in damage):
            if kind == Kind.EVENT and origin in origins:
                events.setdefault(origins[origin], set()).add(seq)
        for report in damage[:_TOLD]:
            self._tell(f"damage in the journal: {report}")
        self.report(events)

    def keep(self) -> asyncio.Future[None] | None:
        """Save the losses if they changed; retry a failed write after a second."""
        if self._storage.store is None or not self.losses.changed:
            return None
        self.losses.changed = False
        journal = self._storage.store.journal
        book = self.losses.written_down(journal.segments[0])
        kept = self._storage.submit(partial(write_book, journal.folder, book.octets()))
        kept.add_done_callback(self._kept)
        return kept

    def _kept(self, kept: asyncio.Future[None]) -> None:
        if not kept.cancelled() and (error := kept.exception()) is not None:
            log.warning("what is lost cannot be written down: %s", error)
            self.losses.changed = True

    def _tell(self, text: str) -> None:
        self._notice(Notice(NoticeKind.LOST, 0, 0, text))

    def _tell_lost(self, channel: int, proxy: int, found: Sequence[_Run]) -> None:
        events = "event" if len(found) == 1 and found[0][0] == found[0][1] else "events"
        text = f"lost by damage in the journal: {events} {numbers_text(found)}"
        self._notice(Notice(NoticeKind.LOST, channel, proxy, text))
