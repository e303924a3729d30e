"""What filters say about notifications, and about each other (SIENA: the covering relations).

`covers` and `intersects` judge test by test, as SIENA does. Where several tests of one attribute
together say more, they err on the safe side: `covers` may miss a pair that covers, `intersects` may
report one that has no notification in common; the network then sends more than it must.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from tidings.filters.dialects.siena import (
    AttributeTest,
    Operator,
    SienaFilter,
    SienaValue,
    kind_of,
)

Attribute: TypeAlias = str | int | float | bool
"""The value of an attribute, as our service carries it: no bytes."""
Notification: TypeAlias = Mapping[str, Attribute]
"""What a client publishes: values by the names of attributes."""

_TESTS: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.LESS_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_EQUAL: operator.ge,
    Operator.PREFIX: str.startswith,
    Operator.SUFFIX: str.endswith,
    Operator.SUBSTRING: operator.contains,
}
_ABOVE: Final = (Operator.GREATER, Operator.GREATER_EQUAL)
_BELOW: Final = (Operator.LESS, Operator.LESS_EQUAL)
_PARTS: Final = (Operator.PREFIX, Operator.SUFFIX, Operator.SUBSTRING)


def holds(test: AttributeTest, value: SienaValue) -> bool:
    """Whether the value of an attribute passes a test of that attribute."""
    if test.value is None:
        return True
    return kind_of(value) == kind_of(test.value) and _TESTS[test.operator](value, test.value)


def matches(wanted: SienaFilter, notification: Notification) -> bool:
    """Whether a notification passes every test of a filter."""
    return all(
        test.name in notification and holds(test, notification[test.name]) for test in wanted
    )


def covers(wide: SienaFilter, narrow: SienaFilter) -> bool:
    """Whether every notification that matches `narrow` matches `wide`."""
    return all(any(_implies(one, test) for one in narrow if one.name == test.name) for test in wide)


def intersects(one: SienaFilter, other: SienaFilter) -> bool:
    """Whether a notification may match both, such as an advertisement and a subscription."""
    return not any(_excludes(a, b) for a in one for b in other if a.name == b.name)


def widest(filters: Iterable[SienaFilter]) -> list[SienaFilter]:
    """Return filters without those that another one covers."""
    kept: list[SienaFilter] = []
    for one in dict.fromkeys(filters):
        if not any(covers(other, one) for other in kept):
            kept = [other for other in kept if not covers(one, other)]
            kept.append(one)
    return kept


def _implies(given: AttributeTest, test: AttributeTest) -> bool:
    """Whether every value that passes `given` passes `test`."""
    if given == test or test.value is None:
        return True
    if given.value is None or kind_of(given.value) != kind_of(test.value):
        return False
    if given.operator is Operator.EQUAL:
        return holds(test, given.value)
    if test.operator is Operator.NOT_EQUAL:
        return not holds(given, test.value)
    if given.operator in _PARTS:
        return test.operator in (given.operator, Operator.SUBSTRING) and holds(test, given.value)
    for side in (_ABOVE, _BELOW):
        if given.operator in side and test.operator in side:
            # `x > 5` implies `x > 5.0`, which 5 itself does not pass.
            same = given.operator is side[0] and given.value == test.value
            return same or holds(test, given.value)
    return False


def _excludes(one: AttributeTest, other: AttributeTest) -> bool:
    """Whether no value passes both tests."""
    if one.value is None or other.value is None:
        return False
    if kind_of(one.value) != kind_of(other.value):
        return True
    for a, b in ((one, other), (other, one)):
        assert a.value is not None
        assert b.value is not None
        if a.operator is Operator.EQUAL and not holds(b, a.value):
            return True
        if a.operator in _BELOW and b.operator in _ABOVE:
            return not (holds(a, b.value) and holds(b, a.value))
        if a.operator is b.operator and a.operator in (Operator.PREFIX, Operator.SUFFIX):
            return not (holds(a, b.value) or holds(b, a.value))
    return False
