"""The logs of all entities as one, to step through: what each entity was after each line. No I/O.

As in the source, lines are sorted by time, and stepping goes from one line to the next or back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

MOST_LINES: Final = 20_000
"""Lines that can be stepped through; the oldest goes first."""

State: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What is known of each entity, by its name."""


class Line(msgspec.Struct, frozen=True):
    """A line of an entity's log.

    Attributes:
        time: When it was written, microseconds since 1970.
        second: The second of the scene.
        entity: Whose log it is in.
        word: What happened: `drove`, `heard`, `shows`, `asked`, `reported`, `fined`.
        about: More about it.
    """

    time: int
    second: int
    entity: str
    word: str
    about: Mapping[str, Any]


class Step(NamedTuple):
    """One step of the replay.

    Attributes:
        number: Of the line, from 0.
        line: The line.
        state: What is known after it.
    """

    number: int
    line: Line
    state: State


# The words that change what an entity is; others only happen.
_LASTING: Final = ("drove", "shows")


def after(state: State, line: Line) -> State:
    """Return what is known after a line."""
    if line.word in _LASTING:
        return {**state, line.entity: {**state.get(line.entity, {}), **line.about}}
    if line.word == "fined":
        counted = state.get(line.entity, {}).get("fines", 0) + 1
        return {**state, line.entity: {"fines": counted}}
    return state


class MergedLog:
    """All logs, merged.

    Attributes:
        first: The number of the oldest line that is kept.
    """

    def __init__(self, most: int = MOST_LINES) -> None:
        self.first = 0
        self._most = most
        self._steps: list[Step] = []

    @property
    def last(self) -> int:
        """Return the number of the latest line; one less than `first` if there is none."""
        return self.first + len(self._steps) - 1

    def add(self, lines: Iterable[Line]) -> None:
        """Add lines that are later than all that are there, in any order."""
        state: State = self._steps[-1].state if self._steps else {}
        for line in sorted(lines, key=attrgetter("time")):
            state = after(state, line)
            self._steps.append(Step(self.last + 1, line, state))
        gone = max(0, len(self._steps) - self._most)
        del self._steps[:gone]
        self.first += gone

    def step(self, number: int) -> Step | None:
        """Return a step, or the nearest one that is kept; None if there is none."""
        if not self._steps:
            return None
        return self._steps[min(max(number, self.first), self.last) - self.first]

    def around(self, number: int, many: int) -> list[Step]:
        """Return a step with so many before and after it; more before it near the end."""
        end = min(max(number, self.first) - self.first + many + 1, len(self._steps))
        return self._steps[max(0, end - 2 * many - 1) : end]

    def latest(self, word: str, upto: int, most: int) -> list[Step]:
        """Return the latest lines with a word up to a number, the last first."""
        found = []
        for step in reversed(self._steps[: max(0, upto - self.first + 1)]):
            if step.line.word == word:
                found.append(step)
                if len(found) == most:
                    break
        return found

    def lines(self) -> list[Line]:
        """Return all lines that are kept."""
        return [step.line for step in self._steps]
