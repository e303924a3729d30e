"""Constraints: conversion from and to clients, and errors that name the invalid one."""

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
    """Read a constraint from a client; raise InvalidConstraint if it or a type is invalid."""
    try:
        return mapping.constraint_in(expression)
    except errors.BadInput as error:
        raise InvalidConstraint(expression) from error


async def constraints_in(
    expressions: Sequence[ConstraintExp], settings: Settings
) -> list[Constraint]:
    """Compile constraints without blocking the loop; refuse too many before compiling any."""
    parts = [FilterPart(one.constraint_expr, len(one.event_types)) for one in expressions]
    octets = settings.limits.check_filter(parts)
    return await compiled(octets, lambda: [constraint_in(one) for one in expressions])


def unknown_id(
    delete: Iterable[int], replace: Iterable[int], known: Mapping[int, object]
) -> ConstraintNotFound | None:
    """Return an error for the first id that is unknown or in both lists."""
    deleted, replaced = list(delete), list(replace)
    in_both = set(deleted) & set(replaced)
    for id in (*deleted, *replaced):
        if id not in known or id in in_both:
            return ConstraintNotFound(id)
    return None


def selected(ids: Sequence[int], known: Mapping[int, _Made]) -> dict[int, _Made]:
    """Return the constraints with these ids.

    Raises:
        ConstraintNotFound: Names the unknown id.
        InvalidUsage: More ids than constraints; a small request must not cause a huge answer.
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
    """Return an error for the first value whose type is not the mapping filter's."""
    for one in mapped:
        if not infer(one.value).equivalent(wanted):
            return InvalidValue(mapping.constraint_out(one.constraint), one.value)
    return None
