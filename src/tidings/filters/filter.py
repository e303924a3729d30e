"""Filters: sets of constraints, of which one must match.

A filter's content is an immutable `FilterVersion`; a change makes the next version, and tells
watchers (the channels that hold the filter) of every version and callbacks of changes in the
event types it asks for. All or nothing: a change with one bad constraint changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Self, TypeAlias

from tidings.errors import (
    CallbackNotFound,
    ConstraintNotFound,
    InvalidGrammar,
    InvalidUsage,
)
from tidings.events.fields import Fields
from tidings.filters.constraint import Constraint, EventTypePattern

GRAMMAR = "EXTENDED_TCL"
_GRAMMARS = (GRAMMAR, "ETCL", "TCL", "")


def accepted_grammar(name: str) -> str:
    """The name under which we report a constraint language that we accept.

    Raises:
        InvalidGrammar: We do not speak it.
    """
    if name not in _GRAMMARS:
        raise InvalidGrammar(f"the constraint grammar is {GRAMMAR!r}, not {name[:40]!r}")
    return GRAMMAR


EventTypes: TypeAlias = frozenset[EventTypePattern]
EventTypeChange: TypeAlias = Callable[[EventTypes, EventTypes], None]
"""Called with the event types a filter newly asks for, and those it asks for no more."""

_ALL_TYPES = EventTypePattern("", "%ALL")


@dataclass(frozen=True, slots=True)
class FilterVersion:
    """What a filter was at one time."""

    number: int
    constraints: Mapping[int, Constraint]

    def matches(self, fields: Fields) -> bool:
        """Whether a constraint matches; a filter without constraints lets everything pass."""
        if not self.constraints:
            return True
        return any(constraint.matches(fields) for constraint in self.constraints.values())

    @property
    def event_types(self) -> EventTypes:
        """The union of the event types its constraints name."""
        named: set[EventTypePattern] = set()
        for constraint in self.constraints.values():
            named.update(constraint.event_types or (_ALL_TYPES,))
        return frozenset(named)


class Filter:
    """A filter with a history: the current version, and who wants to hear of the next.

    Attributes:
        version: What it is now.
        last_constraint: The highest constraint id given.
    """

    def __init__(self) -> None:
        self.version = FilterVersion(1, {})
        self.last_constraint = 0
        self._last_callback = 0
        self._callbacks: dict[int, EventTypeChange] = {}
        self._watchers: dict[int, Callable[[FilterVersion], None]] = {}
        self._calls: deque[partial[None]] = deque()
        self._is_telling = False

    @classmethod
    def restored(cls, number: int, constraints: Mapping[int, Constraint], last: int) -> Self:
        """A filter as it was: its version, its constraints, the highest id given."""
        made = cls()
        made.version = FilterVersion(number, dict(constraints))
        made.last_constraint = last
        return made

    def matches(self, fields: Fields) -> bool:
        """Whether the current version lets the event pass."""
        return self.version.matches(fields)

    def add(self, constraints: Iterable[Constraint]) -> list[int]:
        """Adds constraints; their ids, in order.

        Raises:
            InvalidUsage: One is no constraint; nothing is changed.
        """
        added = dict(enumerate(constraints, self.last_constraint + 1))
        _refuse_others(added)
        self.last_constraint += len(added)
        self._become({**self.version.constraints, **added})
        return list(added)

    def modify(self, delete: Iterable[int], replace: Mapping[int, Constraint]) -> None:
        """Deletes some constraints and replaces others.

        Raises:
            ConstraintNotFound: An id is unknown, or stands in both; nothing is changed.
        """
        deleted = set(delete)
        current = self.version.constraints
        for constraint_id in (*deleted, *replace):
            if constraint_id not in current:
                raise ConstraintNotFound(f"the filter has no constraint {constraint_id}")
        for constraint_id in deleted & set(replace):
            raise ConstraintNotFound(
                f"constraint {constraint_id} is to be deleted and replaced at once"
            )
        _refuse_others(replace)
        self._become({i: replace.get(i, c) for i, c in current.items() if i not in deleted})

    def constraints(self, ids: Iterable[int]) -> dict[int, Constraint]:
        """The constraints with these ids.

        Raises:
            ConstraintNotFound: An id is unknown.
        """
        found = {}
        for constraint_id in ids:
            if constraint_id not in self.version.constraints:
                raise ConstraintNotFound(f"the filter has no constraint {constraint_id}")
            found[constraint_id] = self.version.constraints[constraint_id]
        return found

    def clear(self) -> None:
        """Removes all constraints: the filter then lets everything pass."""
        self._become({})

    def attach_callback(self, callback: EventTypeChange) -> int:
        """Has a callback told whenever the event types asked for change; its id."""
        self._last_callback += 1
        self._callbacks[self._last_callback] = callback
        return self._last_callback

    def detach_callback(self, callback_id: int) -> None:
        """Stops telling a callback.

        Raises:
            CallbackNotFound: The id is unknown.
        """
        if self._callbacks.pop(callback_id, None) is None:
            raise CallbackNotFound(f"the filter has no callback {callback_id}")

    def callbacks(self) -> list[int]:
        """The ids of all callbacks."""
        return list(self._callbacks)

    def watch(self, watcher: Callable[[FilterVersion], None]) -> Callable[[], None]:
        """Has a watcher told of every new version; returns what ends that."""
        self._last_callback += 1
        number = self._last_callback
        self._watchers[number] = watcher

        def unwatch() -> None:
            self._watchers.pop(number, None)

        return unwatch

    def _become(self, constraints: Mapping[int, Constraint]) -> None:
        before = self.version
        self.version = after = FilterVersion(before.number + 1, constraints)
        self._calls += [partial(watcher, after) for watcher in self._watchers.values()]
        added = after.event_types - before.event_types
        removed = before.event_types - after.event_types
        if added or removed:
            tell = self._callbacks.values()
            self._calls += [partial(callback, added, removed) for callback in tell]
        # Who is told and changes the filter waits for its turn, so that all hear in order.
        if self._is_telling:
            return
        self._is_telling = True
        try:
            _call_all(self._calls)
        finally:
            self._is_telling = False


def _refuse_others(constraints: Mapping[int, object]) -> None:
    for given in constraints.values():
        if not isinstance(given, Constraint):
            raise InvalidUsage(f"a filter holds constraints, not {given!r}; use constraint(text)")


def _call_all(calls: deque[partial[None]]) -> None:
    """Every one is called; what some raise is raised together when all have been."""
    failures: list[Exception] = []
    while calls:
        try:
            calls.popleft()()
        except Exception as failure:  # noqa: BLE001 -- raised below
            failures.append(failure)
    if failures:
        raise ExceptionGroup("the filter is changed, but some who watch it failed", failures)
