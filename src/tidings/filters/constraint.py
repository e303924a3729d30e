"""One constraint: event-type patterns and an expression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tidings.errors import InvalidEvent, InvalidEventType, InvalidUsage
from tidings.events.fields import Fields
from tidings.events.texts import checked_text, shortened
from tidings.filters.check import check
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.parse import parse
from tidings.filters.to_python import Predicate, to_python
from tidings.filters.tree import Node

# As long as any name in use, and short enough that patterns stay cheap.
MAX_NAME = 1_024

_ALL_TYPES = "%ALL"
_SPECIAL_TYPES = (_ALL_TYPES, "%ANY", "%TYPED")
_EVERYTHING = ("", "*")


@dataclass(frozen=True, slots=True, order=True)
class EventTypePattern:
    """Domains and types; `*` stands for any run of characters."""

    domain: str = "*"
    type: str = "*"

    def __post_init__(self) -> None:
        for name in (self.domain, self.type):
            _check_name(name)
            if len(name) > MAX_NAME:
                raise InvalidEventType(
                    f"an event type's name has at most {MAX_NAME} characters, not {len(name)}"
                )
        if self.type.startswith("%") and self.type not in _SPECIAL_TYPES:
            raise InvalidEventType(
                f"{self.type!r} is not an event type; of the names with % there are "
                f"{', '.join(_SPECIAL_TYPES)}"
            )
        if self.type == _ALL_TYPES and self.domain not in _EVERYTHING:
            raise InvalidEventType(
                f"{_ALL_TYPES} goes with the domain '*' only; write the type '*' for all types "
                f"of the domain {self.domain!r}"
            )

    @property
    def any_domain(self) -> bool:
        """Whether every domain matches."""
        return self.domain in _EVERYTHING

    @property
    def any_type(self) -> bool:
        """Whether every type matches."""
        return self.type in _EVERYTHING or self.type == _ALL_TYPES

    @property
    def exact(self) -> bool:
        """Whether exactly one domain and type match."""
        return not (self.any_domain or self.any_type or "*" in self.domain or "*" in self.type)

    def matches(self, domain: str, type: str) -> bool:
        """Whether an event of this domain and type matches."""
        return (self.any_domain or wildcard_match(self.domain, domain)) and (
            self.any_type or wildcard_match(self.type, type)
        )


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise InvalidEventType(f"an event type's name is a text, not {shortened(name)}")
    try:
        checked_text(name, "")
    except InvalidEvent as error:
        raise InvalidEventType(f"an event type's name: {error}") from error


def wildcard_match(pattern: str, text: str) -> bool:
    """Whether text matches a pattern with `*`. Linear: no pattern can make it slow."""
    if "*" not in pattern:
        return pattern == text
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last):
        return False
    if not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def event_type(text: str) -> EventTypePattern:
    """A pattern from `Domain::Type` (as on the command line), or `Type` alone."""
    domain, separator, type_ = text.partition("::")
    return EventTypePattern(domain, type_) if separator else EventTypePattern("*", domain)


@dataclass(frozen=True, slots=True)
class Constraint:
    """An expression for events of some types. Build one with `constraint`."""

    text: str
    tree: Node
    event_types: tuple[EventTypePattern, ...] = ()
    predicate: Predicate = field(repr=False, compare=False, kw_only=True)

    def __hash__(self) -> int:
        """Of the text alone, which keeps its hash; a tree would be walked every time."""
        return hash(self.text)

    def is_tried(self, domain: str, type: str) -> bool:
        """Whether the constraint applies to events of this domain and type."""
        types = self.event_types
        return not types or any(pattern.matches(domain, type) for pattern in types)

    def matches(self, fields: Fields) -> bool:
        """Whether the event passes; an error in the expression means it does not."""
        return self.is_tried(*fields.event_type) and self.predicate(fields) is True


def constraint(
    text: str = "",
    event_types: Iterable[EventTypePattern | str] = (),
    limits: ConstraintLimits = DEFAULT_LIMITS,
) -> Constraint:
    """A constraint from its text.

    Args:
        text: The expression; blank text is TRUE.
        event_types: The events it applies to: patterns, or their texts (`Telecom::Comm*`).
        limits: How large it may be.

    Raises:
        InvalidConstraint: The text is not a constraint.
        InvalidEventType: An event type is invalid.
    """
    if not isinstance(text, str):
        raise InvalidUsage(f"a constraint is a text, not {text!r}")
    given = [event_types] if isinstance(event_types, str) else event_types
    patterns = tuple(event_type(one) if isinstance(one, str) else one for one in given)
    for pattern in patterns:
        if not isinstance(pattern, EventTypePattern):
            raise InvalidUsage(f"an event type is a pattern or its text, not {pattern!r}")
    tree = check(text, limits=limits).tree
    return Constraint(text, tree, patterns, predicate=to_python(tree))


def accepted_constraint(text: str, event_types: tuple[EventTypePattern, ...]) -> Constraint:
    """A constraint whose text was accepted before: parsed, and not checked for cautions."""
    tree = parse(text)
    return Constraint(text, tree, event_types, predicate=to_python(tree))
