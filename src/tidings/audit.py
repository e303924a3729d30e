"""The audit trail: who changed what, when, and with what result; a core of its own.

It keeps the latest changes, also over restarts. One that was answered a moment before a crash may
be missing: the trail never delays an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import islice
from typing import Any, Final

from tidings.cores import Handled, Keep, Most, OperationDone, Question, State, answer_each
from tidings.errors import StoreError

CHANGES: Final = 1_000
"""How many changes are kept: some weeks of a service whose channels rarely change, and 200 kB."""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Change:
    """An operation that was to change something.

    Attributes:
        number: Its number; they rise.
        at: When it was answered, microseconds since 1970.
        principal: Who asked for it.
        operation: The name of the operation.
        about: Its objects, by their ids.
        channel: The name of its channel; empty for none.
        result: `done`, or the code of the error.
    """

    number: int
    at: int
    principal: str
    operation: str
    about: str
    channel: str
    result: str


@dataclass(frozen=True, slots=True)
class SeeChanges(Question[Sequence[Change]]):
    """See the latest changes, the oldest first: who asked for what, and what came of it.

    The service keeps the last thousand.

    Attributes:
        after: The number of the last one seen before.
        most: At most so many.
    """

    after: int = 0
    most: Most = 100


class AuditTrail:
    """The latest changes, by number."""

    name: Final = "audit"
    requests: Final = (OperationDone, SeeChanges)
    wake_at: int | None = None

    def __init__(self) -> None:
        self._changes: dict[int, Change] = {}
        self._last = 0
        self._effects: list[Keep] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            OperationDone: self._done,
            SeeChanges: self._see,
        }

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Take in what was done, and answer questions."""
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, list(effects)

    def _done(self, done: OperationDone, now: int) -> None:
        self._last += 1
        made = Change(self._last, *astuple(done))
        self._changes[made.number] = made
        self._changes.pop(made.number - CHANGES, None)
        self._effects.append(Keep(self.name, _key(made), _state(made), waits=False))

    def _see(self, asked: SeeChanges, now: int) -> list[Change]:
        first = max(asked.after + 1, self._last - CHANGES + 1)
        found = map(self._changes.get, range(first, self._last + 1))
        return list(islice(filter(None, found), max(asked.most, 0)))

    def snapshot(self) -> list[tuple[str, State]]:
        """All changes that are kept."""
        return [(_key(one), _state(one)) for one in self._changes.values()]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take back the changes that were kept; StoreError if a newer version has written them."""
        for state in states.values():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"a change was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
            values = {name: value for name, value in state.items() if name != "version"}
            self._changes[values["number"]] = Change(**values)
        self._changes = dict(sorted(self._changes.items()))
        self._last = max(self._changes, default=0)
        return ()


def _key(change: Change) -> str:
    """A place in the ring: a new change takes that of the one that is forgotten."""
    return str(change.number % CHANGES)


def _state(change: Change) -> State:
    return {"version": _VERSION, **asdict(change)}
