"""What the service says of a constraint: whether it is valid, and what it does with events."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidings.errors import InvalidConstraint, line_and_column
from tidings.events.fields import RESERVED_NAMES, Fields
from tidings.events.paths import Path
from tidings.events.schema import Catalogue, CatalogueLimits, FieldSeen
from tidings.filters import tree as t
from tidings.filters.check import check, kinds_of, known_properties
from tidings.filters.constraint import Constraint
from tidings.filters.explain import Explained, explain
from tidings.filters.printing import print_tree
from tidings.filters.reasons import not_tried, short_text, shown_value, verdict

Result: TypeAlias = Literal["true", "false", "error"]

MOST_PARTS: Final = 500
"""The maximum number of parts of an explanation; nobody reads more."""
MOST_PROPERTIES: Final = 500
"""The maximum number of properties in an answer; the most frequent ones."""
NOTED: Final = CatalogueLimits(event_types=200, types=8, producers=1, entries=10_000)
"""How much is noted of events to list their properties: some 2 MB."""
# Of a name, or a part of a constraint.
_MOST_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Remark:
    """An error in a constraint, or a warning about it.

    Attributes:
        level: An error forbids the constraint, a warning does not.
        problem: What is wrong.
        hint: What would be right; empty if that is not known.
        position: Where: how many characters stand before.
        line: The line, from 1 on.
        column: The column, from 1 on.
    """

    level: Literal["error", "warning"]
    problem: str
    hint: str
    position: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class CheckedConstraint:
    """Whether a constraint is valid, and what seems odd about it.

    Attributes:
        valid: Whether it can be used.
        printed: How it was understood, with no more parentheses than it needs; empty if invalid.
        remarks: The error, or the warnings.
    """

    valid: bool
    printed: str
    remarks: tuple[Remark, ...]


def check_view(text: str, known: Mapping[str, Collection[str]]) -> CheckedConstraint:
    """Check a constraint; `known` has the properties that events have, empty if unknown."""

    def remark(level: Literal["error", "warning"], problem: str, hint: str, at: int) -> Remark:
        return Remark(level, problem, hint, at, *line_and_column(text, at))

    try:
        found = check(text, known or None)
    except InvalidConstraint as error:
        return CheckedConstraint(
            False, "", (remark("error", error.problem, error.hint, error.position),)
        )
    cautions = [remark("warning", one.problem, one.hint, one.position) for one in found.cautions]
    return CheckedConstraint(True, print_tree(found.tree), tuple(cautions))


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """A part of a constraint with its value.

    Attributes:
        depth: How deep it is nested, from 0 on.
        text: The part; of a logical one that was reached the word `and`, `or` or `not`.
        result: `value` for a part that is no truth value, `skipped` for one that was not reached.
        value: The value, unless it is a truth value.
        error: What went wrong at this very part; empty if nothing did.
    """

    depth: int
    text: str
    result: Literal["true", "false", "value", "error", "skipped"]
    value: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an event matches a constraint, or does not.

    Attributes:
        result: The answer; an error does not match.
        verdict: The answer and its reason in a sentence.
        parts: The constraint as a tree, parts before what is in them; literals are left out.
        more: How many parts are left out because they are too many.
    """

    result: Result
    verdict: str
    parts: tuple[ExplainedPart, ...]
    more: int = 0


def explanation(asked: Constraint, fields: Fields) -> Explanation:
    """Explain what a constraint does with an event."""
    if not asked.is_tried(*fields.event_type):
        return Explanation("false", not_tried(asked, fields), ())
    tree = explain(asked, fields)
    shown = [(depth, one) for depth, one in tree.walk() if not _is_evident(one.node)]
    parts = tuple(_part(depth, one) for depth, one in shown[:MOST_PARTS])
    return Explanation(_result(tree.value), verdict(tree), parts, len(shown) - len(parts))


def _is_evident(node: t.Node) -> bool:
    return isinstance(node, t.LITERALS) and not isinstance(node, t.Boolean)


def _result(value: object) -> Result:
    return "true" if value is True else "false" if value is False else "error"


def _part(depth: int, part: Explained) -> ExplainedPart:
    logical = part.reached and isinstance(part.node, t.And | t.Or | t.Not)
    text = type(part.node).__name__.lower() if logical else short_text(part.text, _MOST_CHARACTERS)
    if not part.reached:
        return ExplainedPart(depth, text, "skipped")
    if part.value is None or isinstance(part.value, bool):
        return ExplainedPart(depth, text, _result(part.value), error=part.error)
    return ExplainedPart(depth, text, "value", shown_value(part.value))


@dataclass(frozen=True, slots=True)
class JudgedEvent:
    """An event, and what a constraint says of it.

    Attributes:
        seq: Its number.
        arrival: When it came, microseconds since 1970.
        domain: The first 200 characters.
        type: The first 200 characters.
        name: The first 200 characters.
        result: An error does not match.
    """

    seq: int
    arrival: int
    domain: str
    type: str
    name: str
    result: Result


@dataclass(frozen=True, slots=True)
class MatchCount:
    """How many of a channel's latest events match a constraint.

    Attributes:
        events: How many were judged.
        matched: How many match.
        errors: How many do not because of an error, such as a missing property.
        since: When the first of them came, microseconds since 1970; 0 if there is none.
        matching: The latest that match, the last one first.
        others: The latest that do not, the last one first.
    """

    events: int
    matched: int
    errors: int
    since: int
    matching: tuple[JudgedEvent, ...]
    others: tuple[JudgedEvent, ...]


class Tally:
    """Counts what a constraint says of events; remembers the last `most` of each kind."""

    def __init__(self, asked: Constraint, most: int) -> None:
        self._asked = asked
        self._counts: dict[Result, int] = {"true": 0, "false": 0, "error": 0}
        self._since = 0
        self._matching: deque[JudgedEvent] = deque(maxlen=most)
        self._others: deque[JudgedEvent] = deque(maxlen=most)

    def judge(self, seq: int, arrival: int, fields: Fields, name: str) -> None:
        """Count an event."""
        tried = self._asked.is_tried(*fields.event_type)
        result = _result(self._asked.predicate(fields) if tried else False)
        self._counts[result] += 1
        self._since = self._since or arrival
        domain, type_, name = (one[:_MOST_CHARACTERS] for one in (*fields.event_type, name))
        kept = self._matching if result == "true" else self._others
        kept.append(JudgedEvent(seq, arrival, domain, type_, name, result))

    def count(self) -> MatchCount:
        """What was counted."""
        counts = self._counts
        return MatchCount(
            sum(counts.values()),
            counts["true"],
            counts["error"],
            self._since,
            tuple(reversed(self._matching)),
            tuple(reversed(self._others)),
        )


@dataclass(frozen=True, slots=True)
class PropertySeen:
    """A property that events have.

    Attributes:
        name: As constraints write it behind `$`.
        part: Where it stands.
        kinds: What it is to a constraint, such as `number`; empty if it was too many things.
        events: How many events have it.
    """

    name: str
    part: Literal["header", "data"]
    kinds: tuple[str, ...]
    events: int


@dataclass(frozen=True, slots=True)
class PropertiesSeen:
    """The properties of a channel's latest events.

    Attributes:
        events: How many events were looked at.
        complete: Whether there are no others: so a name that is not among them is misspelt.
        properties: Those that a constraint can name, the most frequent first.
    """

    events: int
    complete: bool
    properties: tuple[PropertySeen, ...]


def properties_view(seen: Catalogue, events: int) -> PropertiesSeen:
    """List the properties that events were seen with."""
    found: dict[str, PropertySeen] = {}
    for noted in seen:
        for name, field in noted.header.items():
            found[name] = _joined(found.get(name), name, "header", field)
        for name, field in noted.data.items():
            found[name] = _joined(found.get(name), name, "data", field)
    nameable = (one for name, one in found.items() if _can_be_named(name))
    often = sorted(nameable, key=lambda one: (-one.events, one.name))
    complete = known_properties(seen) is not None and len(often) <= MOST_PROPERTIES
    return PropertiesSeen(events, complete, tuple(often[:MOST_PROPERTIES]))


def _can_be_named(name: str) -> bool:
    return name.isascii() and name.isidentifier() and name not in RESERVED_NAMES


def _joined(
    before: PropertySeen | None, name: str, part: Literal["header", "data"], field: FieldSeen
) -> PropertySeen:
    """A property of several event types; one that is ever in the header is there for `$name`."""
    kinds = tuple(sorted(kinds_of(field)))
    if before is None:
        return PropertySeen(str(Path(name))[1:], part, kinds, field.count)
    both = {*before.kinds, *kinds} if before.kinds and kinds else ()
    where = "header" if before.part == "header" else part
    return PropertySeen(before.name, where, tuple(sorted(both)), before.events + field.count)
