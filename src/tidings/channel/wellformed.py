"""Refuses malformed commands before they can change anything.

Programs in the same process can put anything into a command. A window of 1.5 would otherwise fail
in the middle of another client's delivery, and a number of 65 bits in the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Final, NamedTuple, get_args

from tidings.channel.management import Management
from tidings.channel.vocabulary import Form, InfoMode, Operator, Place, Side, Style
from tidings.errors import InvalidUsage
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint

_TOO_HIGH: Final = 2**63


class _Kind(NamedTuple):
    """What a part of a command must be: a predicate, and the same in words."""

    fits: Callable[[object], bool]
    words: str


def check_command(command: object) -> None:
    """Raise InvalidUsage if a value does not have its attribute's type; the message names both."""
    for name, (fits, words) in _PARTS[type(command)]:
        value = getattr(command, name)
        if not fits(value):
            kind = type(command).__name__
            raise InvalidUsage(f"{name} of {kind} must be {words}, not {shortened(value)}")
        if isinstance(value, Place):
            check_command(value)


def is_checked(kind: type) -> bool:
    """Return whether commands of a class are checked; event flow commands check themselves."""
    return kind in _PARTS


def _is_int(value: object) -> bool:
    return isinstance(value, int) and type(value) is not bool and -_TOO_HIGH <= value < _TOO_HIGH


def _of(kind: type, words: str) -> _Kind:
    return _Kind(lambda value: isinstance(value, kind), words)


def _one_of(kind: type[Enum]) -> _Kind:
    return _of(kind, "one of " + ", ".join(f"{kind.__name__}.{one.name}" for one in kind))


def _list_of(kind: type) -> _Kind:
    def fits(value: object) -> bool:
        return isinstance(value, Sequence) and all(isinstance(one, kind) for one in value)

    return _Kind(fits, f"a list of {kind.__name__}")


def _mapping_to(kind: type) -> _Kind:
    def fits(value: object) -> bool:
        return isinstance(value, Mapping) and all(isinstance(one, kind) for one in value.values())

    return _Kind(fits, f"a mapping to {kind.__name__}")


def _or_none(kind: _Kind) -> _Kind:
    return _Kind(lambda value: value is None or kind.fits(value), f"{kind.words} or None")


_INT: Final = _Kind(_is_int, "a whole number of at most 64 bits")
_PROPERTIES: Final = _of(Mapping, "a mapping of names to values")
_TEXT: Final = _of(str, "a text")

# By the attribute's annotation. Values are checked by the filters that hold them.
_KINDS: Final = {
    "Form": _one_of(Form),
    "InfoMode": _one_of(InfoMode),
    "Mapping[int, Constraint]": _mapping_to(Constraint),
    "Mapping[int, MappedConstraint]": _mapping_to(MappedConstraint),
    "Operator": _one_of(Operator),
    "Place": _of(Place, "a Place"),
    "Purpose": _TEXT,
    **dict.fromkeys(("AdminRequest", "EventRequest", "QoSRequest"), _PROPERTIES),
    "Sequence[Constraint]": _list_of(Constraint),
    "Sequence[EventTypePattern]": _list_of(EventTypePattern),
    "Sequence[MappedConstraint]": _list_of(MappedConstraint),
    "Sequence[int]": _list_of(int),
    "Side": _one_of(Side),
    "Side | None": _or_none(_one_of(Side)),
    "Style": _one_of(Style),
    "bool": _of(bool, "True or False"),
    "int": _INT,
    "int | None": _or_none(_INT),
    "str": _TEXT,
}

_PARTS: Final = {
    kind: tuple(
        (part.name, _KINDS[str(part.type)]) for part in fields(kind) if part.type != "Value"
    )
    for kind in (*get_args(Management), Place)
}
