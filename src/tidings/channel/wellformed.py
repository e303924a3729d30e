"""Refuses malformed commands before they can change anything.

Programs in the same process can put anything into a command. A window of 1.5 would otherwise fail
in the middle of another client's delivery, and a number of 65 bits in the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from tidings.channel.management import Management
from tidings.channel.property_errors import Request
from tidings.channel.vocabulary import Place
from tidings.cores import Question
from tidings.cores import Request as CoreRequest
from tidings.errors import InvalidUsage
from tidings.events.texts import shortened

_TOO_HIGH: Final = 2**63


class _Kind(NamedTuple):
    """What a part of a command must be: a predicate, and the same in words."""

    fits: Callable[[object], bool]
    words: str


def check_command(command: object) -> None:
    """Raise InvalidUsage if a value does not have its attribute's type; the message names both."""
    kind: type = type(command)
    for name, (fits, words) in _parts(kind):
        value = getattr(command, name)
        if not fits(value):
            raise InvalidUsage(f"{name} of {kind.__name__} must be {words}, not {shortened(value)}")
        if isinstance(value, Place):
            check_command(value)


def is_checked(kind: type) -> bool:
    """Return whether commands of a class are checked; event flow commands check themselves."""
    return issubclass(kind, Management) or (
        issubclass(kind, CoreRequest) and not issubclass(kind, Question)
    )


@cache
def _parts(kind: type) -> tuple[tuple[str, _Kind], ...]:
    """Return the checks of a class's fields, from their types."""
    # Values are checked by the filters that hold them.
    hints = get_type_hints(kind, localns={"Value": object})
    return tuple((name, _kind(hint)) for name, hint in hints.items() if hint is not object)


def _kind(hint: Any) -> _Kind:  # noqa: ANN401 -- a type
    if hint in _KINDS:
        return _KINDS[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Sequence, Mapping, tuple):
        held = args[0] if origin is tuple else args[-1]
        words = f"a {'mapping to' if origin is Mapping else 'list of'} {held.__name__}"
        return _Kind(lambda value: _holds(value, origin, held), words)
    if NoneType in args:
        kind = _kind(next(one for one in args if one is not NoneType))
        return _Kind(lambda value: value is None or kind.fits(value), f"{kind.words} or None")
    words = f"a {hint.__name__}"
    if issubclass(hint, Enum):
        words = "one of " + ", ".join(f"{hint.__name__}.{one.name}" for one in hint)
    return _Kind(lambda value: isinstance(value, hint), words)


def _holds(value: Any, origin: type, held: type) -> bool:  # noqa: ANN401 -- anything
    """Return whether a value is a list or mapping of values of a class."""
    found = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, origin) and all(isinstance(one, held) for one in found)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and type(value) is not bool and -_TOO_HIGH <= value < _TOO_HIGH


_KINDS: Final[dict[Any, _Kind]] = {
    Request: _Kind(lambda value: isinstance(value, Mapping), "a mapping of names to values"),
    bool: _Kind(lambda value: isinstance(value, bool), "True or False"),
    int: _Kind(_is_int, "a whole number of at most 64 bits"),
    str: _Kind(lambda value: isinstance(value, str), "a text"),
}
