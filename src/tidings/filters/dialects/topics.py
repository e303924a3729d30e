"""MQTT topic filters and NATS subjects: texts of levels, some of them of any content.

A template says what the levels of an event's topic are: `tidings/{domain}/{type}/{name}`. A part
of the event fills a whole level; characters that a level cannot carry travel as `%` and two digits
of each octet in UTF-8, and the empty text as `%` alone. A level that was not escaped so, of a
foreign client, is the text itself. Topics that begin with `$` belong to the service; they are no
events. Only equality with domain, type and name can be asked for by topic.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tidings.errors import InvalidUsage
from tidings.events.paths import Path
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.translation import Translation
from tidings.filters.dialects.writing import (
    DOMAIN,
    NAME,
    TYPE,
    Kind,
    Seen,
    Surplus,
    Test,
    conjunctions,
    formula_of,
)

MOST_PATTERNS: Final = 64
"""Patterns that one constraint becomes, at most."""

PARTS: Final = {"{domain}": DOMAIN, "{type}": TYPE, "{name}": NAME}
"""What a level of a template can stand for."""


class TopicSyntax(NamedTuple):
    """How a service writes topics.

    Attributes:
        separator: Between levels.
        one: A level with any content.
        rest: As the last level: levels of any content; of NATS at least one.
        unfit: A regular expression for what no level may contain.
        empty: Whether a level may be empty.
    """

    separator: str
    one: str
    rest: str
    unfit: str
    empty: bool


_CONTROLS: Final = r"\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff"
MQTT: Final = TopicSyntax("/", "+", "#", rf"[/+#{_CONTROLS}]", empty=True)
NATS: Final = TopicSyntax(".", "*", ">", rf"[.*>\s{_CONTROLS}]", empty=False)


class Template:
    """The levels of the topics at a service.

    Attributes:
        text: As it was given.
        syntax: The service's.
        levels: One after the other: a part of the event (`{name}`), or the level's text.
    """

    def __init__(self, text: str, syntax: TopicSyntax) -> None:
        """Read a template.

        Raises:
            InvalidUsage: A level is empty or unfit, or a part stands there twice.
        """
        self.text = text
        self.syntax = syntax
        self.levels = tuple(text.split(syntax.separator))
        for level in self.levels:
            if level not in PARTS and (not level or re.search(syntax.unfit, level)):
                raise InvalidUsage(
                    f"the template {text!r} of topics: {level!r} is no level; write text, or one "
                    f"of {', '.join(PARTS)}"
                )
        for part in PARTS:
            if self.levels.count(part) > 1:
                raise InvalidUsage(f"the template {text!r} of topics has {part} twice")

    def topic(self, domain: str, type: str, name: str) -> str:
        """Return the topic of an event."""
        given = dict(zip(PARTS, (domain, type, name), strict=True))
        return self._joined(
            escaped(given[level], self.syntax) if level in given else level for level in self.levels
        )

    def parts_of(self, topic: str) -> tuple[str, str, str] | None:
        """Return domain, type and name, each empty if the template lacks it; None if it differs."""
        levels = topic.split(self.syntax.separator)
        if len(levels) != len(self.levels) or topic.startswith("$"):
            return None
        found: dict[str, str] = {}
        for expected, level in zip(self.levels, levels, strict=True):
            if expected in PARTS:
                found[expected] = unescaped(level, self.syntax)
            elif expected != level:
                return None
        domain, type_, name = (found.get(part, "") for part in PARTS)
        return domain, type_, name

    def patterns(self, wanted: Mapping[Path, str]) -> list[str]:
        """Return the patterns of all events with these parts."""
        options = []
        for level in self.levels:
            path = PARTS.get(level)
            if path is None:
                options.append([level])
            elif path in wanted:
                options.append(levels_of(wanted[path], self.syntax))
            else:
                options.append([self.syntax.one])
        return [self._joined(levels) for levels in itertools.product(*options)]

    def write(self, wanted: Constraint) -> TopicTranslation:
        """Write a constraint as patterns."""
        surplus = Surplus()
        formula = formula_of(wanted, self._seen, surplus)
        rows: dict[frozenset[tuple[Path, str]], None] = {}
        for row in conjunctions(formula, MOST_PATTERNS, surplus):
            asked = [_equality(test, surplus) for test in row]
            levels = {one for one in asked if one is not None}
            if len({path for path, _ in levels}) == len(levels):  # no part can be two texts
                rows[frozenset(levels)] = None
        kept = [one for one in rows if not any(other < one for other in rows)]
        patterns = [pattern for one in kept for pattern in self.patterns(dict(one))]
        return TopicTranslation(tuple(patterns), surplus.exact, surplus.text)

    def _seen(self, path: Path) -> Seen | None:
        return Seen(str(path), Kind.TEXT) if _LEVELS.get(path) in self.levels else None

    def _joined(self, levels: Iterable[str]) -> str:
        return self.syntax.separator.join(levels)


_LEVELS: Final = {path: level for level, path in PARTS.items()}


class TopicTranslation(NamedTuple):
    """A constraint as patterns of topics: the same events or more.

    Attributes:
        patterns: What fits any of them is selected; none: nothing.
        exact: Whether they select the same events.
        surplus: What was left out, in words.
    """

    patterns: tuple[str, ...]
    exact: bool
    surplus: str = ""

    @property
    def translation(self) -> Translation:
        """The same as text."""
        return Translation(" ".join(self.patterns) or "(nothing)", self.exact, self.surplus)


def _equality(test: Test, surplus: Surplus) -> tuple[Path, str] | None:
    """A test as the text of a level; None for any."""
    path = next(path for path in _LEVELS if path == test.seen.name)
    if test.operator == "==" and isinstance(test.value, str):
        return path, test.value
    surplus.add(f"every {path}")
    return None


def escaped(text: str, syntax: TopicSyntax) -> str:
    """Return a text as a level."""
    return re.sub(rf"{syntax.unfit}|%|^\$", _octets, text) or "%"


def _octets(found: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in found[0].encode())


def unescaped(level: str, syntax: TopicSyntax) -> str:
    """Return the text of a level; one that was not escaped like ours is the text itself."""
    octets = re.sub(
        rb"%([0-9A-F]{2})", lambda found: bytes.fromhex(found[1].decode()), level.encode()
    )
    try:
        text = "" if level == "%" else octets.decode()
    except UnicodeDecodeError:
        return level
    return text if escaped(text, syntax) == level else level


def levels_of(text: str, syntax: TopicSyntax) -> list[str]:
    """Return the levels whose text this is: the escaped one, and what others may have written."""
    plain = bool(text or syntax.empty) and not re.search(syntax.unfit, text)
    own = escaped(text, syntax)
    return [own, text] if plain and text != own and unescaped(text, syntax) == text else [own]
