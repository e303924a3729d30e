"""A model of what an engine writes, with retention, and of what an archive must make of it.

The truth is kept as sets of pairs, whereas the books count: two ways to the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.unit.stores.archive.small_journal import (
    channel,
    checkpoint,
    happened,
    outcome,
    plan,
    proxy,
)
from tidings.channel.effects import Outcome
from tidings.stores.journal import Journal
from tidings.stores.records import Record
from tidings.stores.segments import Cursor

__all__ = ["JournalModel"]

PROXIES = (2, 3, 4)
FINAL = (Outcome.DELIVERED, Outcome.EXPIRED, Outcome.DISCARDED, Outcome.REJECTED)


class JournalModel:
    """One channel with a few proxies, and random happenings.

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
        self._seq = 0
        self._version = 0
        self._dead: set[tuple[int, int]] = set()
        self._held: set[tuple[int, int]] = set()  # copies for proxies that are not durable
        self._first: dict[int, int] = {}  # the segment an event's latest record is in
        self._journal = Journal.open(folder)
        self._write(channel(), channel())

    @property
    def end(self) -> Cursor:
        """Where the journal ends."""
        self._journal.sync()
        return self._journal.end

    def close(self) -> None:
        """Lets go of the journal."""
        self._journal.close()

    def _write(self, *records: Record) -> None:
        self._journal.append(records)

    def happen(self) -> None:
        """One thing happens."""
        acts = [self.publish] * 6 + [self.settle] * 4 + [self.toggle, self.redrive, self.change]
        self._dice.choice(acts)()

    def publish(self) -> None:
        """An event comes; numbers may be left out."""
        self._seq += self._dice.choice([1, 1, 1, 3])
        seq = self._seq
        wanted = [p for p in PROXIES if self._dice.random() < 0.6]
        durable = [p for p in wanted if p in self.present]
        self._write(happened(seq, durable))
        self.seqs.append(seq)
        self._first[seq] = self._journal.end.segment
        self.pending |= {(seq, p) for p in durable}
        self._held |= {(seq, p) for p in wanted if p not in self.present}

    def settle(self) -> None:
        """Copies are done with; also such as came while their proxy was not durable."""
        id = self._dice.choice(PROXIES)
        if id not in self.present:
            return
        mine = sorted(seq for seq, p in self.pending | self._held if p == id)
        some = [seq for seq in mine if self._dice.random() < 0.5]
        if not some:
            return
        what = self._dice.choice(FINAL)
        self._write(outcome(some, id, what))
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
            self._write(happened(seq, [id]))
            self._first[seq] = self._journal.end.segment
            self.pending.add((seq, id))

    def toggle(self) -> None:
        """A proxy becomes durable, or is so no longer."""
        id = self._dice.choice(PROXIES)
        self.present ^= {id}
        record = proxy(id, present=id in self.present)
        self._write(record, record)

    def change(self) -> None:
        """The rules change."""
        self._version += 1
        self._write(plan(self._version, [self._dice.choice(PROXIES)]))

    def retain(self, before: Callable[[Cursor], object] | None = None) -> None:
        """Old segments go; what is needed of them is written again.

        Args:
            before: Called with the end of the journal before they go.
        """
        upto = self._journal.roll()
        waiting: dict[int, list[int]] = {}
        for seq, id in sorted(self.pending):
            if id in self.present:
                waiting.setdefault(seq, []).append(id)
        for seq, ids in waiting.items():
            if self._first[seq] < upto:
                self._write(happened(seq, ids, carried=True))
                self._first[seq] = self._journal.end.segment
                if self._dice.random() < 0.2:
                    self.publish()
        self._write(plan(self._version, PROXIES, whole=True), checkpoint(begins=True))
        for record in [channel(), *(proxy(id) for id in sorted(self.present))]:
            self._write(record, record)
        self._write(checkpoint(begins=False))
        if before is not None:
            before(self.end)
        self._journal.sync()
        self._journal.drop_before(upto)
