"""Filters of subscribers as constraints on notices.

A filter is one constraint for each of its services and references. A notice passes if one of them
matches, of the subscriber's filters and of the proxy's: each of the one set is joined with each of
the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from tidings.changes.model import ChangeKind
from tidings.changes.notice_event import DOMAIN
from tidings.changes.requests import FilterContent
from tidings.errors import InvalidUsage, LimitExceeded
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.trader.model import checked_type_name

MOST_CONSTRAINTS: Final = 1_000
"""Of one proxy, once its filters are joined with its subscriber's."""
MOST_PARTS: Final = 100
"""Services and references of one filter."""

_ALL: Final = frozenset(ChangeKind)


class _Term(NamedTuple):
    """Of which kinds of changes, and what else a notice must be."""

    kinds: frozenset[ChangeKind]
    parts: tuple[t.Node, ...] = ()


def checked_content(content: FilterContent) -> FilterContent:
    """Return a filter whose constraints can be used, or raise what is wrong with it."""
    count = len(content.services) + len(content.references)
    if count > MOST_PARTS:
        raise LimitExceeded(f"a filter names up to {MOST_PARTS} services and objects, not {count}")
    for one in content.services:
        checked_type_name(one.type)
        constraint(one.constraint)
    for reference in content.references:
        if not reference:
            raise InvalidUsage("a reference is IOR:…, or another URI of an object")
    tuple(_made(_terms(content)))
    return content


def constraints_of(
    own: Mapping[str, FilterContent], above: Mapping[str, FilterContent]
) -> tuple[Constraint, ...]:
    """Return the constraints of a proxy's filters and its subscriber's; none lets all pass."""
    sides = [[term for one in held.values() for term in _terms(one)] for held in (above, own)]
    first, second = (side or [_Term(_ALL)] for side in sides)
    if not any(sides):
        return ()
    if len(first) * len(second) > MOST_CONSTRAINTS:
        raise LimitExceeded(
            f"the filters of the subscriber and of the proxy join to {len(first) * len(second)} "
            f"constraints, more than {MOST_CONSTRAINTS}"
        )
    joined = [_Term(a.kinds & b.kinds, (*a.parts, *b.parts)) for a in first for b in second]
    return tuple(_made(one for one in joined if one.kinds)) or (constraint("FALSE"),)


def _terms(content: FilterContent) -> list[_Term]:
    kinds = content.events.kinds
    found = [
        _Term(kinds, (_is("service_type", one.type), parse(one.constraint)))
        for one in content.services
    ]
    found += [_Term(kinds, (_is("object_ref", one),)) for one in content.references]
    return found or [_Term(kinds)]


def _is(name: str, text: str) -> t.Node:
    return t.Equal(t.Component(Path(f".filterable_data({name})")), t.Text(text))


def _made(terms: Iterable[_Term]) -> Iterator[Constraint]:
    for term in terms:
        parts = tuple(one for one in term.parts if one != t.Boolean(True))
        tree = t.And(parts) if len(parts) > 1 else next(iter(parts), t.Boolean(True))
        types = () if term.kinds == _ALL else tuple(map(_TYPES.__getitem__, _ordered(term.kinds)))
        yield constraint(print_tree(tree), types)


def _ordered(kinds: frozenset[ChangeKind]) -> list[ChangeKind]:
    return [kind for kind in ChangeKind if kind in kinds]


_TYPES: Final = {kind: EventTypePattern(DOMAIN, kind.name) for kind in ChangeKind}
