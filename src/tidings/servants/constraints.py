"""Constraints: as clients write them, and as we tell them; and which of them was the bad one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from tidings import errors
from tidings.channel.settings import FilterPart, Settings
from tidings.cos import mapping
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    ConstraintNotFound,
    InvalidConstraint,
    InvalidValue,
)
from tidings.engine.beside import compiled
from tidings.events.anyvalue import infer
from tidings.events.typecode import TypeCode
from tidings.filters.constraint import Constraint
from tidings.filters.mapping import MappedConstraint

_Made = TypeVar("_Made")


def constraint_in(expression: ConstraintExp) -> Constraint:
    """A constraint from a client.

    Raises:
        InvalidConstraint: It, or one of its event types, is invalid.
    """
    try:
        return mapping.constraint_in(expression)
    except errors.BadInput as error:
        raise InvalidConstraint(expression) from error


async def constraints_in(
    expressions: Sequence[ConstraintExp], settings: Settings
) -> list[Constraint]:
    """Constraints from a client. Compiling them takes time, in which others go on.

    Raises:
        InvalidConstraint: One is none; it is told which.
        LimitExceeded: They are too many or too long. None has been compiled then.
    """
    parts = [FilterPart(one.constraint_expr, len(one.event_types)) for one in expressions]
    octets = settings.limits.check_filter(parts)
    return await compiled(octets, lambda: [constraint_in(one) for one in expressions])


def unknown_id(
    delete: Iterable[int], replace: Iterable[int], known: Mapping[int, object]
) -> ConstraintNotFound | None:
    """What to tell of the first id that no constraint has, or that is in both lists."""
    deleted, replaced = list(delete), list(replace)
    in_both = set(deleted) & set(replaced)
    for id in (*deleted, *replaced):
        if id not in known or id in in_both:
            return ConstraintNotFound(id)
    return None


def selected(ids: Sequence[int], known: Mapping[int, _Made]) -> dict[int, _Made]:
    """The constraints with these ids.

    Raises:
        ConstraintNotFound: An id is unknown; it is told which.
        InvalidUsage: There are more ids than constraints. A small question must not make an
            answer of any size.
    """
    unknown = unknown_id(ids, (), known)
    if unknown is not None:
        raise unknown
    if len(ids) > len(known):
        raise errors.InvalidUsage(
            f"{len(ids)} ids are asked for, and there are {len(known)} constraints: "
            "ask for each one once"
        )
    return {id: known[id] for id in ids}


def bad_value(mapped: Iterable[MappedConstraint], wanted: TypeCode) -> InvalidValue | None:
    """What to tell of the first value of another type than the mapping filter's."""
    for one in mapped:
        if not infer(one.value).equivalent(wanted):
            return InvalidValue(mapping.constraint_out(one.constraint), one.value)
    return None
