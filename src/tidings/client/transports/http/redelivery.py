"""What a consumer knows of its events, so that each is handed out once however often it comes.

After a cut the service delivers again what it has no answer to. Of these the program may have
answered some already, whose answer was lost: they are answered again. Others the program still
has: they are not handed out a second time, its answer is yet to come. The rest is handed out, and
marked only if the program might have seen it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

# Answers that are remembered beside four windows of them: a service that crashed may have
# forgotten more than the last window.
_REMEMBERED: Final = 8_192


class Arrival(NamedTuple):
    """What is to be done with events that came.

    Attributes:
        messages: To be handed out.
        marked: Numbers of those among them that the program might have seen.
        acked: To be acknowledged again.
        rejected: To be rejected again, with their reasons.
    """

    messages: Sequence[Any]
    marked: Collection[int]
    acked: Sequence[int] = ()
    rejected: Sequence[tuple[int, str]] = ()


class Redelivery:
    """The events of one line.

    Args:
        window: How many may be unanswered.
        sole: Whether nobody else had events of this proxy before.
    """

    def __init__(self, window: int, *, sole: bool) -> None:
        self._sole = sole
        self._most = max(4 * window, _REMEMBERED)
        # Came over this connection, and are not answered.
        self._flight: set[int] = set()
        # Acknowledged, in that order; eight octets each.
        self._done = array("q")
        self._rejected: dict[int, str] = {}
        # Were handed out and are to come again: the program has seen them.
        self._seen: dict[int, None] = {}
        # From the latest cut on.
        self._after_cut = False
        self._held: set[int] = set()
        self._acked: set[int] = set()
        self._fresh: set[int] = set()
        self._unsure: dict[int, str] = {}

    def arrived(self, messages: Sequence[Any], again: Collection[int]) -> Arrival:
        """Events came; some of them, says the service, may have come before."""
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
        """The program has acknowledged events."""
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
        """An event that the program has seen is to come again, and those behind it, too."""
        self._note_seen(seq)
        self._flight.discard(seq)
        self._held.discard(seq)
        self._flight.difference_update(behind)

    def rejected(self, seq: int, reason: str) -> None:
        """The program will never take an event."""
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
        """The line is cut.

        Args:
            unseen: Numbers of events that are dropped before the program has seen them.
            marked: Numbers of events that might have been seen by somebody before.
        """
        unseen, marked = set(unseen), set(marked)
        self._held = (self._held | self._flight) - unseen
        for seq in (*self._held, *(unseen & marked)):
            self._note_seen(seq)
        self._fresh = unseen - marked
        self._acked = set(self._done)
        self._unsure, self._rejected = {**self._unsure, **self._rejected}, {}
        self._flight.clear()
        self._after_cut = True
