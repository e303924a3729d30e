"""The audit trail: who changed what, and who was refused; a core of its own.

It keeps the latest changes and the latest refusals, also over restarts. One that was answered a
moment before a crash may be missing: the trail never delays an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import islice
from typing import Any, Final

import msgspec

from tidings.cores import Handled, Keep, Most, OperationDone, Question, State, answer_each
from tidings.errors import StoreError

CHANGES: Final = 1_000
"""How many changes are kept, and how many refusals: some weeks of a service whose channels rarely
change, and 250 kB each. They do not push each other out, so that nobody can hide a change behind
refusals."""

NAME: Final = "audit"
"""The name of the core, in the journal too."""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Change:
    """An operation that was to change something, or one that was refused.

    Attributes:
        number: Its number; they rise.
        at: When it was answered, microseconds since 1970.
        principal: Who asked for it; `anonymous` if nobody knows.
        operation: The name of the operation.
        about: Its objects, by their ids.
        channel: The name of its channel; empty for none.
        result: `done`, or the code of the error.
        credential: The number of the credential that the principal has shown; none for none.
        door: The protocol it came through; empty if an older version wrote this.
        peer: The address it came from; empty inside the service's process.
        refused: Whether the caller may not do it, is unknown, or may not know of the object.
        count: How many refusals this stands for: like ones are counted for a minute.
    """

    number: int
    at: int
    principal: str
    operation: str
    about: str
    channel: str
    result: str
    credential: int | None = None
    door: str = ""
    peer: str = ""
    refused: bool = False
    count: int = 1


@dataclass(frozen=True, slots=True)
class SeeChanges(Question[Sequence[Change]]):
    """See the latest changes and refusals, the oldest first: who asked for what, and its result.

    The service keeps the last thousand of each. The owner may see them, and who administers access.

    Attributes:
        after: The number of the last one seen before.
        most: At most so many.
    """

    after: int = 0
    most: Most = 100


class AuditTrail:
    """The latest changes and refusals, by number."""

    name: Final = NAME
    requests: Final = (OperationDone, SeeChanges)
    wake_at: int | None = None

    def __init__(self) -> None:
        self._changes, self._refusals = _Ring(""), _Ring("refused ")
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

    def _done(self, done: OperationDone, now: int) -> int:
        """Keep it; return its number."""
        self._last += 1
        made = Change(self._last, *astuple(done))
        key = (self._refusals if made.refused else self._changes).add(made)
        self._effects.append(Keep(self.name, key, _state(made), waits=False))
        return made.number

    def _see(self, asked: SeeChanges, now: int) -> list[Change]:
        kept = self._changes.kept | self._refusals.kept
        found = (kept[number] for number in sorted(kept) if number > asked.after)
        return list(islice(found, max(asked.most, 0)))

    def snapshot(self) -> list[tuple[str, State]]:
        """All that is kept."""
        rings = (self._changes, self._refusals)
        return [
            (ring.keys[number], _state(one)) for ring in rings for number, one in ring.kept.items()
        ]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take back what was kept; StoreError if a newer version has written it."""
        for key, state in states.items():
            one = change_of(state)
            (self._refusals if one.refused else self._changes).restore(key, one)
            self._last = max(self._last, one.number)
        return ()


class _Ring:
    """The latest of one kind: a new one takes the key of the oldest in the journal."""

    def __init__(self, prefix: str) -> None:
        self.kept: dict[int, Change] = {}
        self.keys: dict[int, str] = {}
        self._free = dict.fromkeys(f"{prefix}{number}" for number in range(CHANGES))

    def add(self, one: Change) -> str:
        """Keep one; return its key."""
        if not self._free:
            oldest = min(self.kept)
            del self.kept[oldest]
            self._free[self.keys.pop(oldest)] = None
        key = next(iter(self._free))
        self.restore(key, one)
        return key

    def restore(self, key: str, one: Change) -> None:
        """Keep one under the key it has."""
        self._free.pop(key, None)
        self.kept[one.number], self.keys[one.number] = one, key


def _state(change: Change) -> State:
    return {"version": _VERSION, **asdict(change)}


def change_of(state: State) -> Change:
    """Read a change as it was kept; StoreError if a newer version has written it."""
    if state.get("version") != _VERSION:
        raise StoreError(
            f"a change was written in form {state.get('version')!r}; "
            f"this version of Tidings reads {_VERSION}"
        )
    try:
        return msgspec.convert(dict(state), Change)
    except msgspec.ValidationError as error:
        raise StoreError(f"a change cannot be understood: {error}") from error
