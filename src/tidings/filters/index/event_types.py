"""Event types as fields: exact ones by their name, patterns by whether the event matches.

Constraints on the event's type become conjuncts on fields that no constraint can name; this puts
their values into the fields of an event.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidings.events.fields import Fields
from tidings.events.paths import Path
from tidings.filters.constraint import EventTypePattern
from tidings.filters.tree import Component, Equal, Node, Or, Text

_EVENT_TYPE = Path("%event_type")
# Event types for which the answers of all patterns are remembered.
_REMEMBERED = 4096

Patterns = tuple[EventTypePattern, ...]


class EventTypes:
    """The event types that the constraints of an index name."""

    def __init__(self) -> None:
        self._used = 0
        self._patterns: dict[Path, Patterns] = {}
        self._uses: dict[Path, int] = {}
        self._answers: dict[tuple[str, str], dict[Path, bool]] = {}

    def conjunct(self, patterns: Patterns) -> Node | None:
        """What must be TRUE of an event of these types; None for all types."""
        if not patterns or any(p.any_domain and p.any_type for p in patterns):
            return None
        if not all(p.exact for p in patterns):
            return Component(_path(patterns))
        names = dict.fromkeys(_name(p.domain, p.type) for p in patterns)
        equal = tuple(Equal(Component(_EVENT_TYPE), Text(name)) for name in names)
        return Or(equal) if len(equal) > 1 else equal[0]

    def use(self, patterns: Patterns) -> None:
        """Count one more constraint with these types."""
        self._used += 1
        if not all(p.exact for p in patterns):
            path = _path(patterns)
            if path not in self._patterns:
                self._patterns[path] = patterns
                self._answers.clear()
            self._uses[path] = self._uses.get(path, 0) + 1

    def forget(self, patterns: Patterns) -> None:
        """Count one constraint less."""
        self._used -= 1
        path = _path(patterns)
        if path in self._uses:
            self._uses[path] -= 1
            if not self._uses[path]:
                del self._uses[path], self._patterns[path]
                self._answers.clear()

    def show(self, fields: Fields) -> None:
        """Put into an event's fields what constraints on its type read."""
        if not self._used:
            return
        event_type = fields.event_type
        fields[_EVENT_TYPE] = _name(*event_type)
        if self._patterns:
            fields.update(self._fitting(event_type))

    def _fitting(self, event_type: tuple[str, str]) -> dict[Path, bool]:
        answers = self._answers.get(event_type)
        if answers is None:
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            answers = self._answers[event_type] = {
                path: any(p.matches(*event_type) for p in patterns)
                for path, patterns in self._patterns.items()
            }
        return answers


def _name(domain: str, type: str) -> str:
    """Domain and type as one text; no two pairs share one."""
    return f"{len(domain)}:{domain}{type}"


def _path(patterns: Iterable[EventTypePattern]) -> Path:
    return Path("%" + "|".join(repr((p.domain, p.type)) for p in patterns))
