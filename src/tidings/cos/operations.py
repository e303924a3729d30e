"""The catalogue's operations as the standard's calls: arguments and results.

Some of a request's fields follow from the called object, some from the operation's name; the rest
are arguments, or have no counterpart in CORBA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from tidings.channel.catalogue import CATALOGUE, Named, Operation
from tidings.cos.mapping import form_of
from tidings.orb.stubs import Interface


class Bound(NamedTuple):
    """A catalogue operation in an interface; its name determines the `fixed` fields."""

    row: Operation
    fixed: Mapping[str, Any]


@cache
def bound_to(interface: Interface) -> Mapping[str, Bound]:
    """Return the catalogue operations of an interface by their names on the wire."""
    names = {one.name.rpartition("::")[2] for one in _with_bases(interface)}
    found: dict[str, Bound] = {}
    for row in CATALOGUE:
        for holder, pattern in row.corba_operations:
            if any(re.fullmatch(_expression(holder), name) for name in names):
                found.update(_matching(row, pattern, interface))
    return found


def _with_bases(interface: Interface) -> Iterator[Interface]:
    yield interface
    for base in interface.bases:
        yield from _with_bases(base)


def _expression(pattern: str) -> str:
    return re.sub(r"{(\w+)}", r"(?P<\1>[a-z]+)", pattern).replace("*", r"\w*")


def _matching(row: Operation, pattern: str, interface: Interface) -> Iterator[tuple[str, Bound]]:
    expression, hints = re.compile(_expression(pattern)), hints_of(row.request)
    for name in interface.operations:
        found = expression.fullmatch(name)
        if found is not None:
            told = found.groupdict()
            yield name, Bound(row, {key: _told(hints[key], told[key]) for key in told})


def _told(hint: Any, word: str) -> Any:  # noqa: ANN401 -- of that type
    return hint(word) if isinstance(hint, type) and issubclass(hint, Enum) else word


def name_of(request: object, interface: Interface) -> str | None:
    """Return the name of the interface's operation for a request, or None."""
    for name, (row, fixed) in bound_to(interface).items():
        if row.request is type(request) and all(
            getattr(request, key) == value for key, value in fixed.items()
        ):
            return name
    return None


@cache
def hints_of(kind: type) -> Mapping[str, Any]:
    """Return the types of a request's fields."""
    return get_type_hints(kind, localns={"Value": object}, include_extras=True)


def arguments_of(row: Operation, request: object) -> tuple[Any, ...]:
    """Return a request's arguments for the wire; a filter is passed as its id."""
    hints = hints_of(row.request)
    return tuple(
        form_of(hints[name]).outward(getattr(request, name)) for name in row.corba_arguments
    )


def request_of(bound: Bound, target: Mapping[str, Any], arguments: Sequence[Any]) -> Any:  # noqa: ANN401
    """Build the request of a call; `target` holds the fields that follow from the object."""
    row, hints = bound.row, hints_of(bound.row.request)
    given = zip(row.corba_arguments, arguments, strict=True)
    fields = {name: form_of(hints[name]).inward(value) for name, value in given}
    return row.request(**target, **bound.fixed, **fields)


def _answer(row: Operation) -> Any:  # noqa: ANN401 -- a type
    return row.answer.kind if isinstance(row.answer, Named) else None


def answer_in(row: Operation, found: Any) -> Any:  # noqa: ANN401 -- see the request
    """Convert a call's result to the request's answer."""
    if _answer(row) == list[int]:  # CORBA returns the constraints with their ids
        return [one.constraint_id for one in found]
    return form_of(_answer(row)).inward(found)


def answer_out(row: Operation, answer: Any) -> Any:  # noqa: ANN401 -- see the operation
    """Convert a request's answer to the call's result."""
    return form_of(_answer(row)).outward(answer)
