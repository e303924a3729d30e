"""Mapping filters: the priority or lifetime of an event for one consumer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Self

from tidings.errors import InvalidMappingValue, InvalidUsage
from tidings.events.anyvalue import Value, infer
from tidings.events.fields import Fields, plain
from tidings.events.texts import shortened
from tidings.events.typetext import describe
from tidings.filters.constraint import Constraint
from tidings.filters.filter import known, modified
from tidings.filters.truth import number


@dataclass(frozen=True, slots=True)
class MappedConstraint:
    """A constraint, and the value of events that match it."""

    constraint: Constraint
    value: Value

    def __post_init__(self) -> None:
        given: object = self.constraint
        if not isinstance(given, Constraint):
            raise InvalidUsage(
                f"a mapped constraint begins with constraint(text), not with {shortened(given)}"
            )


@dataclass(frozen=True, slots=True)
class MappingVersion:
    """A mapping filter at one time."""

    number: int
    mapped: Mapping[int, MappedConstraint]
    best_first: tuple[MappedConstraint, ...]

    def match(self, fields: Fields) -> MappedConstraint | None:
        """The first that matches, from the best value to the worst; None if none does."""
        for mapped in self.best_first:
            if mapped.constraint.matches(fields):
                return mapped
        return None


class MappingFilter:
    """Constraints with values of one type, and a default, which fixes that type."""

    def __init__(self, default: Value) -> None:
        self.default = default
        self.value_type = infer(default)
        self.version = MappingVersion(1, {}, ())
        self.last_id = 0

    @classmethod
    def restored(
        cls, default: Value, number: int, mapped: Mapping[int, MappedConstraint], last: int
    ) -> Self:
        """A mapping filter as it was: its version, its constraints, the highest id given."""
        made = cls(default)
        made._become(mapped)
        made.version = replace(made.version, number=number)
        made.last_id = last
        return made

    def match(self, fields: Fields) -> tuple[bool, Value]:
        """Whether a constraint matches, and the value of the event."""
        found = self.version.match(fields)
        return (False, self.default) if found is None else (True, found.value)

    def add(self, mapped: Iterable[MappedConstraint]) -> list[int]:
        """Add constraints with their values, all or none; returns their ids, in order."""
        added = dict(enumerate(mapped, self.last_id + 1))
        self._check_values(added)
        self.last_id += len(added)
        self._become({**self.version.mapped, **added})
        return list(added)

    def modify(self, delete: Iterable[int], replace: Mapping[int, MappedConstraint]) -> None:
        """Delete some and replace others, all or none."""
        changed = modified(self.version.mapped, delete, replace)
        self._check_values(replace)
        self._become(changed)

    def mapped(self, ids: Iterable[int]) -> dict[int, MappedConstraint]:
        """The constraints with these ids, and their values."""
        return {id: known(self.version.mapped, id) for id in ids}

    def clear(self) -> None:
        """Remove all constraints: every event then has the default."""
        self._become({})

    def _check_values(self, mapped: Mapping[int, MappedConstraint]) -> None:
        for one in mapped.values():
            if not infer(one.value).equivalent(self.value_type):
                raise InvalidMappingValue(
                    f"the value for {one.constraint.text!r} is a {describe(infer(one.value))}, "
                    f"the filter's values are of the type {describe(self.value_type)}"
                )

    def _become(self, mapped: Mapping[int, MappedConstraint]) -> None:
        # A stable sort: the same and unordered values stay in the order added.
        best_first = sorted(mapped.values(), key=lambda one: _rank(one.value), reverse=True)
        self.version = MappingVersion(self.version.number + 1, mapped, tuple(best_first))


def _rank(value: Value) -> int | float | Decimal:
    """Higher is better; values without an order, NaN among them, are all alike."""
    found = number(plain(value))
    return 0 if found is None or math.isnan(found) else found
