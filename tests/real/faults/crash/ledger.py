"""The publisher's own ledger: what it was told, written down and synced before it goes on.

Its lines:

- ``making N`` before and ``made N OBJECTS`` after the Nth change by management.
- ``pushing PUSHER NUMBER PHASE`` before a push, and ``pushed PUSHER NUMBER SEQ`` after its answer.
- ``took CONSUMER SEQ PUSHER NUMBER`` before a consumer acknowledges an event. An acknowledgement
  has no answer: that a later push was answered does not make it durable.
- ``began`` when a process goes on with a folder, and ``closed TOOK`` when it has closed it in good
  order: that makes the acknowledgements of the first TOOK lines ``took`` durable.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from tests.real.faults.crash.scene import Numbered

__all__ = ["Book", "Ledger", "Took"]

_really_fsync = os.fsync  # kept: a publisher that does not sync still keeps its ledger


class Took(NamedTuple):
    """An event that a consumer has taken; `session` counts the processes."""

    session: int
    consumer: str
    seq: int
    which: Numbered


class Ledger:
    """A ledger that was read.

    Attributes:
        pushing: Of each push that was begun, after how many changes.
        pushed: The sequence numbers that were answered.
        took: What consumers have taken, in order.
        acknowledged: How many of them must be durably so.
        made: The objects after each change, and before the first.
        making: How many changes were begun.
        sessions: How many processes have written it.
        twice: Answers that differ from an earlier one to the same number.
    """

    def __init__(self, octets: bytes) -> None:
        self.pushing: dict[Numbered, int] = {}
        self.pushed: dict[Numbered, int] = {}
        self.took: list[Took] = []
        self.acknowledged = 0
        self.made: list[dict[str, Any]] = [{}]
        self.making = 0
        self.sessions = 0
        self.twice: list[str] = []
        self._last: dict[int, int] = {}
        self._begun: dict[Numbered, tuple[int, int]] = {}
        self._done: dict[Numbered, int] = {}
        for line in octets.decode().splitlines():
            word, _, rest = line.partition(" ")
            getattr(self, f"_{word}")(*rest.split(" ", 4 if word != "made" else 1))

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """The ledger in a file; an empty one if there is none."""
        return cls(path.read_bytes() if path.exists() else b"")

    def phases(self, which: Numbered) -> range:
        """After how many changes a push may have been accepted.

        Nobody promises an order between those who ask at the same time: it may have overtaken the
        change that was under way, and changes may have overtaken it until it was answered.
        """
        made, before = self._begun[which]
        under_way = before - made
        later = self._done.get(which, self.making) - before
        phase = self.pushing[which]
        return range(phase - under_way, phase + later + 1)

    def last(self, pusher: int) -> int:
        """The last number a pusher has tried; 0 for none."""
        return self._last.get(pusher, 0)

    def _began(self, *_: str) -> None:
        self.sessions += 1

    def _closed(self, took: str) -> None:
        self.acknowledged = int(took)

    def _making(self, number: str) -> None:
        self.making = int(number)

    def _made(self, number: str, state: str) -> None:
        self.made.append(json.loads(state))

    def _pushing(self, pusher: str, number: str, phase: str) -> None:
        which = int(pusher), int(number)
        self.pushing.setdefault(which, int(phase))
        self._begun.setdefault(which, (len(self.made) - 1, self.making))
        self._last[int(pusher)] = max(self.last(int(pusher)), int(number))

    def _pushed(self, pusher: str, number: str, seq: str) -> None:
        which = int(pusher), int(number)
        self._done.setdefault(which, self.making)
        first = self.pushed.setdefault(which, int(seq))
        if first != int(seq):
            self.twice.append(f"{pusher}/{number}: first {first}, then {seq}")

    def _took(self, consumer: str, seq: str, pusher: str, number: str) -> None:
        self.took.append(Took(self.sessions, consumer, int(seq), (int(pusher), int(number))))


class Book:
    """A ledger that is written."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, *words: object) -> None:
        """Writes a line: from then on it outlives this process."""
        os.write(self._file, f"{' '.join(map(str, words))}\n".encode())

    def sync(self) -> None:
        """Has all lines outlive the machine."""
        _really_fsync(self._file)
