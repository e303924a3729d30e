"""What the programs of a scene were told, and what they took; each keeps it in a file of its own.

Lines of a publisher:

- ``began`` when its process begins.
- ``pushing FIRST COUNT`` before it sends events with these numbers, for the first time or again.
- ``pushed FIRST SEQ SEQ …`` when they were answered.
- ``refused NUMBER`` when an event was refused for a reason that passes, and is sent again.

Lines of a consumer:

- ``began`` when it is connected.
- ``took SEQ PRODUCER NUMBER`` when it deals with an event, before it acknowledges it.
- ``again SEQ PRODUCER NUMBER`` when an event is marked as redelivered and it has taken it before.

A consumer looks into its own ledger only for events that are marked: so one that comes twice
without a mark is taken twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Book", "Consumed", "Published", "Took"]


class Book:
    """A ledger that is written.

    Args:
        path: The file; what is there stays.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, *lines: str) -> None:
        """Writes lines, and has them outlive the machine."""
        os.write(self._file, "".join([f"{line}\n" for line in lines]).encode())
        os.fsync(self._file)


class Published:
    """The ledger of a publisher.

    Attributes:
        sent: How many events were sent at once, by the number of the first.
        answers: Number to sequence number.
        otherwise: Answers that differ from an earlier one to the same number.
        refused: Numbers that were refused once, and may have been accepted after later ones.
        sessions: How many processes have written it.
    """

    def __init__(self, path: Path) -> None:
        self.sent: dict[int, int] = {}
        self.answers: dict[int, int] = {}
        self.otherwise: list[str] = []
        self.refused: set[int] = set()
        self.sessions = 0
        for word, rest in _lines(path):
            numbers = [int(number) for number in rest]
            if word == "began":
                self.sessions += 1
            elif word == "pushing":
                self.sent[numbers[0]] = numbers[1]
            elif word == "refused":
                self.refused.add(numbers[0])
            else:
                self._answered(*numbers)

    def _answered(self, first: int, *seqs: int) -> None:
        for number, seq in enumerate(seqs, first):
            before = self.answers.setdefault(number, seq)
            if before != seq:
                self.otherwise.append(f"number {number}: first {before}, then {seq}")

    @property
    def next(self) -> int:
        """The first number that was never sent."""
        return max((first + count for first, count in self.sent.items()), default=1)

    def again(self, most: int) -> Iterator[tuple[int, int]]:
        """What a new process sends again: what has no answer, and the last that has some."""
        firsts = sorted(self.sent)
        for first in firsts:
            if first not in self.answers or first in firsts[-most:]:
                yield first, self.sent[first]


class Took(NamedTuple):
    """An event in the ledger of a consumer; `session` counts its processes."""

    session: int
    seq: int
    producer: str
    number: int


class Consumed:
    """The ledger of a consumer.

    Attributes:
        took: What it has dealt with, in order.
        again: What came again and was marked.
        sessions: How many processes have written it.
    """

    def __init__(self, path: Path) -> None:
        self.took: list[Took] = []
        self.again: list[Took] = []
        self.sessions = 0
        for word, rest in _lines(path):
            if word == "began":
                self.sessions += 1
            else:
                seq, producer, number = rest
                one = Took(self.sessions, int(seq), producer, int(number))
                (self.took if word == "took" else self.again).append(one)

    @property
    def seqs(self) -> set[int]:
        """Sequence numbers of what was dealt with."""
        return {one.seq for one in self.took}


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Words and the rest; a line that is being written is no line yet."""
    if path.exists():
        text = path.read_text(encoding="ascii")
        for line in text[: text.rfind("\n") + 1].splitlines():
            word, *rest = line.split(" ")
            yield word, rest
