"""Filters: sets of constraints, of which one must match.

A filter's content is an immutable `FilterVersion`; a change makes the next version. A change with
one bad constraint changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias, TypeVar

from tidings.errors import ConstraintNotFound, InvalidGrammar, InvalidUsage
from tidings.events.fields import Fields
from tidings.filters.constraint import Constraint, EventTypePattern

T = TypeVar("T")

GRAMMAR = "EXTENDED_TCL"
_GRAMMARS = (GRAMMAR, "ETCL", "TCL", "")


def accepted_grammar(name: str) -> str:
    """The name under which we report a constraint language that we accept."""
    if name not in _GRAMMARS:
        raise InvalidGrammar(f"the constraint grammar is {GRAMMAR!r}, not {name[:40]!r}")
    return GRAMMAR


EventTypes: TypeAlias = frozenset[EventTypePattern]
_ALL_TYPES = EventTypePattern("", "%ALL")


@dataclass(frozen=True, slots=True)
class FilterVersion:
    """A filter at one time."""

    number: int
    constraints: Mapping[int, Constraint]

    def matches(self, fields: Fields) -> bool:
        """Whether a constraint matches; a filter without constraints passes everything."""
        if not self.constraints:
            return True
        return any(constraint.matches(fields) for constraint in self.constraints.values())

    @property
    def event_types(self) -> EventTypes:
        """The union of the event types of its constraints."""
        named: set[EventTypePattern] = set()
        for constraint in self.constraints.values():
            named.update(constraint.event_types or (_ALL_TYPES,))
        return frozenset(named)


class Filter:
    """A filter: its current version, and the highest constraint id given."""

    __slots__ = ("last_constraint", "version")

    def __init__(self) -> None:
        self.version = FilterVersion(1, {})
        self.last_constraint = 0

    @classmethod
    def restored(cls, number: int, constraints: Mapping[int, Constraint], last: int) -> Self:
        """A filter as it was: its version, its constraints, the highest id given."""
        made = cls()
        made.version = FilterVersion(number, dict(constraints))
        made.last_constraint = last
        return made

    def matches(self, fields: Fields) -> bool:
        """Whether the current version passes the event."""
        return self.version.matches(fields)

    def add(self, constraints: Iterable[Constraint]) -> list[int]:
        """Add constraints, all or none; returns their ids, in order."""
        added = dict(enumerate(constraints, self.last_constraint + 1))
        _refuse_others(added)
        self.last_constraint += len(added)
        self._become({**self.version.constraints, **added})
        return list(added)

    def modify(self, delete: Iterable[int], replace: Mapping[int, Constraint]) -> None:
        """Delete some constraints and replace others, all or none."""
        changed = modified(self.version.constraints, delete, replace)
        _refuse_others(replace)
        self._become(changed)

    def constraints(self, ids: Iterable[int]) -> dict[int, Constraint]:
        """The constraints with these ids."""
        return {id: known(self.version.constraints, id) for id in ids}

    def clear(self) -> None:
        """Remove all constraints: the filter then passes everything."""
        self._become({})

    def _become(self, constraints: Mapping[int, Constraint]) -> None:
        self.version = FilterVersion(self.version.number + 1, constraints)


def known(current: Mapping[int, T], id: int) -> T:
    """The constraint with this id."""
    if id not in current:
        raise ConstraintNotFound(f"the filter has no constraint {id}")
    return current[id]


def modified(current: Mapping[int, T], delete: Iterable[int], new: Mapping[int, T]) -> dict[int, T]:
    """Constraints without the deleted ones, and with new ones in the place of others."""
    deleted = set(delete)
    for id in (*deleted, *new):
        known(current, id)
    for id in deleted & set(new):
        raise ConstraintNotFound(f"constraint {id} is to be deleted and replaced at once")
    return {id: new.get(id, one) for id, one in current.items() if id not in deleted}


def _refuse_others(constraints: Mapping[int, object]) -> None:
    for given in constraints.values():
        if not isinstance(given, Constraint):
            raise InvalidUsage(f"a filter holds constraints, not {given!r}; use constraint(text)")
