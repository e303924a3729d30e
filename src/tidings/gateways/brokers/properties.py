"""What a message broker sees of an event: named properties, priority, lifetime, reliability.

A broker judges properties, not events. Each adapter says which values it can set as properties;
an event with others carries `PARTLY`, and every subscription asks for such events too, so that
what a broker cannot see never makes a filter narrower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from tidings.clock import from_timebase, to_timebase
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, conform
from tidings.events.fields import RESERVED_NAMES, StructuredFields
from tidings.events.paths import Path
from tidings.events.structured import UTC_T, StructuredEvent
from tidings.federation.marks import PROPERTY, Mark, mark_of_text
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.writing import FIXED, Kind, Names, Seen

PARTLY: Final = "FederationPartly"
"""The property of a message whose properties are not the whole event: the rest is in its body."""
NATIVE: Final = "native"
"""The header property with what a message of a foreign client had beside properties and body."""
FIXED_NAMES: Final = frozenset(str(path.root) for path in FIXED)
"""The properties with domain, type and name of an event: texts."""
CONTENT_TYPE: Final = "application/vnd.tidings.event+json"
"""Of a message whose body is a whole event in typed JSON."""
_UNSEEN: Final = RESERVED_NAMES | {
    *(PROPERTY, PARTLY, NATIVE),
    # A broker has a field of its own for each of these, and a foreign client sets that one.
    *("Priority", "StartTime", "StopTime", "Timeout", "EventReliability"),
}
_HIGHEST: Final = 32_767
_UNITS_PER_MILLISECOND: Final = 10_000
# Levels of urgency at brokers: 0 to 9, of which 4 is the usual one.
_USUAL, _ABOVE, _BELOW = 4, 5, 4


def names(can_be: Callable[[str], bool]) -> Names:
    """Return how a broker sees an event, if it takes the names for which `can_be` is true."""

    def seen(path: Path) -> Seen | None:
        name = path.root
        if path in FIXED:
            return Seen(str(name), Kind.TEXT, "")
        if name is None or path.steps or name in _UNSEEN or not can_be(name):
            return None
        return Seen(name)

    return seen


def visible(event: StructuredEvent) -> Iterable[tuple[str, Value]]:
    """The properties of an event that a filter can name by `$name`."""
    for name, value in {**event.data, **event.header}.items():
        if name not in _UNSEEN:
            yield name, value


def fixed(event: StructuredEvent) -> dict[str, str]:
    """Domain, type and name of an event as properties; those that are empty are left out."""
    parts = {"domain_name": event.domain, "type_name": event.type, "event_name": event.name}
    return {name: text for name, text in parts.items() if text}


def mark_in(text: object) -> Mark | None:
    """Return the mark in a property; None if it is none."""
    if not isinstance(text, str):
        return None
    try:
        return mark_of_text(text)
    except InvalidEvent:
        return None


def is_wanted(event: StructuredEvent, filters: Iterable[Constraint]) -> bool:
    """Whether an event that the broker could not judge matches one of these."""
    fields = StructuredFields(event)
    return any(one.matches(fields) for one in filters)


def foreign_event(
    properties: Mapping[str, Value], header: Mapping[str, Value], body: Value
) -> StructuredEvent:
    """Return the event that stands for a message of a foreign client."""
    texts = [properties.get(str(path.root)) for path in FIXED]
    domain, type_, name = (text if isinstance(text, str) else "" for text in texts)
    data = {name: value for name, value in properties.items() if name not in _UNSEEN}
    return StructuredEvent(domain, type_, name, header, data, body)


# How urgent an event is, how long it lives, and what it outlives.


def level_of(priority: Value) -> int:
    """Return a priority as one of ten levels, in the same order; 4 stands for 0 and for none."""
    if type(priority) is not int or priority == 0:
        return _USUAL
    size = min(abs(priority), _HIGHEST) - 1
    return 5 + size * _ABOVE // _HIGHEST if priority > 0 else 3 - size * _BELOW // _HIGHEST


def priority_of(level: int) -> int:
    """Return the priority nearest to 0 that has a level."""
    if level == _USUAL:
        return 0
    if level > _USUAL:
        return 1 - (5 - min(level, 9)) * _HIGHEST // _ABOVE
    return -1 + (max(level, 0) - 3) * _HIGHEST // _BELOW


def lifetime(event: StructuredEvent, now: int) -> int | None:
    """Return for how many milliseconds an event is worth delivering; None for ever."""
    ends = []
    timeout, stop = event.header.get("Timeout"), event.header.get("StopTime")
    if type(timeout) is int and timeout:
        ends.append(-(-timeout // _UNITS_PER_MILLISECOND))
    if isinstance(stop, Any) and stop.type.equivalent(UTC_T) and isinstance(stop.value, tuple):
        units = stop.value[0]
        assert isinstance(units, int)
        ends.append(max(0, -(-(from_timebase(units) - now) // 1_000)))
    return min(ends) if ends else None


def stop_time(milliseconds: int) -> Value:
    """Return milliseconds since 1970 as the value of a StopTime."""
    return Any.trusted(UTC_T, conform(UTC_T, (to_timebase(milliseconds * 1_000), 0, 0, 0), ""))


def timeout(milliseconds: int) -> Value:
    """Return milliseconds as the value of a Timeout."""
    return milliseconds * _UNITS_PER_MILLISECOND


def is_persistent(event: StructuredEvent) -> bool:
    """Whether an event is to survive a crash of the broker; it is unless it says otherwise."""
    return event.header.get("EventReliability", 1) != 0
