"""Deduplication of redelivered events.

After a cut the service redelivers everything unacknowledged. Events that the program has
acknowledged or rejected are answered again. Events that the program still holds are not handed out
twice. The rest is handed out, marked as redelivered only if the program might have seen it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

# Minimum number of acknowledgements to remember, besides four windows: a service that crashed
# may have forgotten more than the last window.
_REMEMBERED: Final = 8_192


class Arrival(NamedTuple):
    """Received events to hand out, and those to acknowledge or reject again.

    `marked` has the numbers of events that the program might have seen.
    """

    messages: Sequence[Any]
    marked: Collection[int]
    acked: Sequence[int] = ()
    rejected: Sequence[tuple[int, str]] = ()


class Redelivery:
    """Delivery state of one line's events; `sole` if no other client had events of this proxy."""

    def __init__(self, window: int, *, sole: bool) -> None:
        self._sole = sole
        self._most = max(4 * window, _REMEMBERED)
        # Received on this socket, unacknowledged.
        self._flight: set[int] = set()
        # Acknowledged, in that order; eight bytes each.
        self._done = array("q")
        self._rejected: dict[int, str] = {}
        # Handed out and to be redelivered: the program has seen them.
        self._seen: dict[int, None] = {}
        # Since the latest cut.
        self._after_cut = False
        self._held: set[int] = set()
        self._acked: set[int] = set()
        self._fresh: set[int] = set()
        self._unsure: dict[int, str] = {}

    def arrived(self, messages: Sequence[Any], again: Collection[int]) -> Arrival:
        """Sort received events; `again` has the numbers the service marks as redelivered."""
        if not self._after_cut:
            self._flight.update([message.seq for message in messages])
            return Arrival(messages, again)
        again = set(again)
        handed: list[Any] = []
        marked: list[int] = []
        acked: list[int] = []
        rejected: list[tuple[int, str]] = []
        for message in messages:
            seq = message.seq
            if seq in self._acked:
                acked.append(seq)
            elif seq in self._unsure:
                rejected.append((seq, self._unsure.pop(seq)))
            else:
                self._flight.add(seq)
                if seq not in self._held:
                    handed.append(message)
                    if seq in again and self._may_be_known(seq):
                        marked.append(seq)
        return Arrival(handed, marked, acked, rejected)

    def _may_be_known(self, seq: int) -> bool:
        if self._sole:
            return seq in self._seen
        return seq not in self._fresh

    def acked(self, seqs: Iterable[int]) -> None:
        """Record acknowledgements."""
        seqs = list(seqs)
        answered = self._flight.intersection(seqs)
        self._flight -= answered
        if self._held:
            late = self._held.intersection(seqs)
            self._held -= late
            self._acked |= late
            answered |= late
        if self._seen:
            for seq in answered:
                self._seen.pop(seq, None)
        self._done.extend(answered)
        if len(self._done) > 2 * self._most:
            del self._done[: -self._most]

    def failed(self, seq: int, behind: Iterable[int] = ()) -> None:
        """Record that an event the program has seen is to be redelivered, with those behind it."""
        self._note_seen(seq)
        self._flight.discard(seq)
        self._held.discard(seq)
        self._flight.difference_update(behind)

    def rejected(self, seq: int, reason: str) -> None:
        """Record a rejection."""
        self._note_seen(seq)
        if seq not in self._flight and seq not in self._held:
            return
        if seq in self._held:
            self._unsure[seq] = reason
        self._flight.discard(seq)
        self._held.discard(seq)
        self._rejected[seq] = reason
        if len(self._rejected) > self._most:
            del self._rejected[next(iter(self._rejected))]

    def _note_seen(self, seq: int) -> None:
        self._seen[seq] = None
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]

    def cut(self, unseen: Iterable[int], marked: Iterable[int]) -> None:
        """Record a cut: the program never got `unseen`; `marked` may have been delivered before."""
        unseen, marked = set(unseen), set(marked)
        self._held = (self._held | self._flight) - unseen
        for seq in (*self._held, *(unseen & marked)):
            self._note_seen(seq)
        self._fresh = unseen - marked
        self._acked = set(self._done)
        self._unsure, self._rejected = {**self._unsure, **self._rejected}, {}
        self._flight.clear()
        self._after_cut = True
