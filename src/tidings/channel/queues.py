"""The queue of one consumer: backlog, delivery order, expiry and discards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from tidings.channel.core import Budget
from tidings.channel.entries import ABSOLUTE, NEVER, OCTETS, SEQ, Entry, EntryRun
from tidings.channel.lines import DeadlineLine, FifoLine, Line, PriorityLine
from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.sorted_runs import SortedRun

_PRIORITY_AND_ARRIVAL: Final[Callable[[Entry], tuple[int, int]]] = itemgetter(2, 1)
_Rank: TypeAlias = Callable[[Entry], Any]
_UNRANKED: Final[Mapping[_Rank, SortedRun[Entry]]] = {}


class Queue:
    """The waiting entries of one consumer; numbers are unique.

    An entry takes one reference in the delivery order and one in each index: by expiry, for entries
    that expire; by arrival and by priority, where a discard policy needs it and the delivery order
    does not provide it. An index is built when first needed and dropped when the queue is empty.

    Operations cost what they take out, unless they say that they scan the whole queue. The caller
    resolves `ANY`, else ValueError. `length` is the same as `len`, without a call. Queues of one
    owner may share a `budget`.
    """

    __slots__ = (
        "_by_expiry",
        "_indexed",
        "_line",
        "_ranked",
        "budget",
        "length",
        "octets",
        "order",
    )

    def __init__(self, order: OrderPolicy) -> None:
        self.octets = 0
        self.budget: Budget | None = None
        self._start(order)

    def share(self, budget: Budget | None) -> None:
        """Count the content that waits here in another budget, or in none."""
        octets = self.octets
        self._count(-octets)
        self.budget = budget
        self._count(octets)

    def _count(self, octets: int) -> None:
        self.octets += octets
        if self.budget is not None:
            self.budget.octets += octets

    def _start(self, order: OrderPolicy) -> None:
        self._line = _new_line(order)
        self.order = order
        self._count(-self.octets)
        self.length = 0
        self._drop_indexes()

    def _drop_indexes(self) -> None:
        # In the order of deadlines the line itself is the index, of all entries; otherwise the
        # index has those that expire.
        line = self._line
        self._by_expiry = line.run if isinstance(line, DeadlineLine) else None
        self._ranked = _UNRANKED
        # Whether there is an index besides the line.
        self._indexed = False

    def __len__(self) -> int:
        return self.length

    def push(self, entry: Entry) -> None:
        """Add an entry behind all equal ones in delivery order."""
        self.octets += entry[3]
        if self.budget is not None:
            self.budget.octets += entry[3]
        self.length += 1
        self._line.push(entry)
        if self._indexed or entry[0] != NEVER:
            self._index(entry)

    def extend(self, run: EntryRun) -> None:
        """Add entries, each behind all equal ones in delivery order."""
        self._count(run.octets)
        self.length += len(run.entries)
        self._line.extend(run)
        if self._indexed or run.expires:
            for entry in run.entries:
                self._index(entry)

    def put_back(self, entries: Sequence[Entry]) -> None:
        """Add entries that were taken and not delivered, before all equal ones.

        Under `FIFO` they come first of all, in the order given.
        """
        self._line.put_back(entries)
        self.length += len(entries)
        self._count(sum(map(OCTETS, entries)))
        for entry in entries:
            self._index(entry)

    def take(self, most: int, now: int, expired: list[Entry]) -> list[Entry]:
        """Remove and return the next entries, at most `most`, in delivery order.

        Moves all expired entries of the queue to `expired`, in order of expiry.
        """
        if self._by_expiry is not None:
            expired += self.expire(now)
        taken = self._line.take(most)
        self._left(taken)
        return taken

    def take_last(self, most: int) -> list[Entry]:
        """Remove and return the entries delivered last, at most `most`, in delivery order."""
        taken = self._line.take_last(most)
        self._left(taken)
        return taken

    def discard(self, policy: DiscardPolicy) -> Entry:
        """Remove and return the entry that is discarded first, or raise IndexError.

        `FIFO` is the one received first and `LIFO` the one received last: of a queue in `FIFO`
        order its front and its end, of others the lowest and the highest number. `PRIORITY` is the
        least urgent, `DEADLINE` the one that expires first; of several the one received first. The
        caller resolves `ANY`.
        """
        if policy is DiscardPolicy.ANY:
            raise ValueError("the discard policy ANY names no entry; any_discard says which")
        if not self.length:
            raise IndexError("there is nothing to discard: no entry waits")
        victim = self._victim(policy)
        self._line.remove(victim)
        self._left((victim,))
        return victim

    def expire(self, now: int) -> list[Entry]:
        """Remove and return all expired entries, in order of expiry.

        The cost follows their number, not the length of the queue.
        """
        run = self._by_expiry
        if not run or run.first().expiry > now:
            return []
        # Below this are all entries with an expiry of `now` or less, whatever their number.
        expired = run.take_below((now + 1,))
        if not isinstance(self._line, DeadlineLine):
            for entry in expired:
                self._line.remove(entry)
        self._left(expired, out_of=run)
        return expired

    def next_expiry(self) -> int:
        """Return when the next entry expires; NEVER if none does."""
        return self._by_expiry.first().expiry if self._by_expiry else NEVER

    def remove(self, seqs: Collection[int]) -> list[Entry]:
        """Remove entries by number, in delivery order; ignore others. Scans the whole queue."""
        wanted = frozenset(seqs)
        found = [entry for entry in self._line.entries() if entry.seq in wanted]
        for entry in found:
            self._line.remove(entry)
        self._left(found)
        return found

    def is_before(self, one: Entry, other: Entry) -> bool:
        """Return whether `one` would be delivered before `other`."""
        if self.order is OrderPolicy.FIFO:
            return one.seq < other.seq
        if self.order is OrderPolicy.PRIORITY:
            return (-one.priority, one.seq) < (-other.priority, other.seq)
        return one < other

    def reorder(self, order: OrderPolicy) -> None:
        """Change the delivery order; ties go by number. Scans the whole queue."""
        if order is not self.order:
            waiting = sorted(self._line.entries(), key=SEQ)
            self._start(order)
            self._fill(waiting)

    def shift_absolute(self, delta: int) -> None:
        """Move the expiry of `ABSOLUTE` entries: the clock was set.

        The moved entries are new, no longer shared. Scans the whole queue.
        """
        waiting = [shifted(entry, delta) for entry in self._line.entries()]
        self._start(self.order)
        self._fill(waiting)

    def entries(self) -> list[Entry]:
        """Return all waiting entries in delivery order; scans the whole queue."""
        return self._line.entries()

    def _fill(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.push(entry)

    def _index(self, entry: Entry) -> None:
        """Add a new entry to the indexes."""
        if entry.expiry != NEVER and not isinstance(self._line, DeadlineLine):
            if self._by_expiry is None:
                self._by_expiry = SortedRun()
                self._indexed = True
            self._by_expiry.add(entry)
        for index in self._ranked.values():
            index.add(entry)

    def _left(self, entries: Collection[Entry], out_of: SortedRun[Entry] | None = None) -> None:
        """Drop entries that have left the line, and perhaps one index, from the other indexes."""
        self.length -= len(entries)
        self._count(-sum(map(OCTETS, entries)))
        if not self._indexed:
            return
        if not self.length:
            self._drop_indexes()
            return
        for index in self._ranked.values():
            for entry in entries:
                index.remove(entry)
        expiring = self._by_expiry
        if expiring is None or expiring is out_of or isinstance(self._line, DeadlineLine):
            return
        for entry in entries:
            if entry.expiry != NEVER:
                expiring.remove(entry)

    def _victim(self, policy: DiscardPolicy) -> Entry:
        line = self._line
        if policy is DiscardPolicy.FIFO:
            return line.first() if isinstance(line, FifoLine) else self._by(SEQ).first()
        if policy is DiscardPolicy.LIFO:
            return line.last() if isinstance(line, FifoLine) else self._by(SEQ).last()
        if policy is DiscardPolicy.PRIORITY:
            if isinstance(line, PriorityLine):
                return line.first_of_lowest()
            return self._by(_PRIORITY_AND_ARRIVAL).first()
        soonest = self._by_expiry
        return soonest.first() if soonest else self._victim(DiscardPolicy.FIFO)

    def _by(self, rank: _Rank) -> SortedRun[Entry]:
        """Return the index by a rank, building it if needed."""
        found = self._ranked.get(rank)
        if found is None:
            found = SortedRun(self._line.entries(), rank)
            self._ranked = {**self._ranked, rank: found}
            self._indexed = True
        return found


def _new_line(order: OrderPolicy) -> Line:
    if order is OrderPolicy.FIFO:
        return FifoLine()
    if order is OrderPolicy.PRIORITY:
        return PriorityLine()
    if order is OrderPolicy.DEADLINE:
        return DeadlineLine()
    raise ValueError("a queue cannot be in the order ANY; any_order says which")


def shifted(entry: Entry, delta: int) -> Entry:
    """Return the entry with its expiry moved, if it is `ABSOLUTE`."""
    if not entry.flags & ABSOLUTE or entry.expiry == NEVER:
        return entry
    # An entry that expires must not become one that lasts for ever.
    return entry._replace(expiry=min(entry.expiry + delta, NEVER - 1))
