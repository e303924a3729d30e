"""Which neighbours want a notification, by the index of the filters' package.

A filter goes into the index as a constraint that matches the same notifications or more; what the
index finds is tested once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from tidings.events.fields import Fields, Plain
from tidings.events.paths import MISSING, Path
from tidings.filters import tree as t
from tidings.filters.dialects.siena import AttributeTest, Operator, SienaFilter
from tidings.filters.index import MatchIndex
from tidings.filters.truth import EXACT
from tidings.services.siena.relations import Notification, matches

_COMPARED: Final[dict[Operator, Callable[[t.Node, t.Node], t.Node]]] = {
    Operator.EQUAL: t.Equal,
    Operator.NOT_EQUAL: t.NotEqual,
    Operator.LESS: t.Less,
    Operator.LESS_EQUAL: t.LessEqual,
    Operator.GREATER: t.Greater,
    Operator.GREATER_EQUAL: t.GreaterEqual,
    **dict.fromkeys(
        (Operator.PREFIX, Operator.SUFFIX, Operator.SUBSTRING),
        lambda component, value: t.Contains(value, component),
    ),
}


class FilterTable:
    """The filters of all neighbours."""

    def __init__(self) -> None:
        self._index: MatchIndex[tuple[int, SienaFilter]] = MatchIndex()

    def add(self, neighbour: int, wanted: SienaFilter) -> None:
        """Add a filter that the neighbour does not have yet."""
        self._index.add_tree((neighbour, wanted), _tree(wanted))

    def remove(self, neighbour: int, wanted: SienaFilter) -> None:
        """Remove a filter."""
        self._index.remove((neighbour, wanted))

    def match(self, notification: Notification) -> set[int]:
        """Return the neighbours with a filter that the notification matches."""
        found: set[int] = set()
        for neighbour, wanted in self._index.match(_Attributes(notification)):
            if neighbour not in found and matches(wanted, notification):
                found.add(neighbour)
        return found


class _Attributes(Fields):
    """A notification, as constraints see it: an attribute is a field of its name."""

    __slots__ = ("_notification",)

    def __init__(self, notification: Notification) -> None:
        self._notification = notification

    @property
    def event_type(self) -> tuple[str, str]:
        return "", ""

    def names(self) -> Iterable[str]:
        return self._notification

    def resolve(self, path: Path) -> Plain:
        root = path.root
        return MISSING if root is None else self._notification.get(root, MISSING)


def _tree(wanted: SienaFilter) -> t.Node:
    tests = tuple(map(_test, wanted))
    if len(tests) > 1:
        return t.And(tests)
    return tests[0] if tests else t.Boolean(True)


def _test(test: AttributeTest) -> t.Node:
    path, value = Path(test.name), test.value
    component = partial(_COMPARED.get(test.operator, t.Equal), t.Component(path))
    if isinstance(value, str):
        return component(t.Text(value))
    if isinstance(value, bool):
        return component(t.Boolean(value))
    # Constraints compare a larger integer with a double inexactly, SIENA exactly.
    if isinstance(value, int) and abs(value) < EXACT:
        return component(t.Integer(value))
    if isinstance(value, float) and abs(value) < EXACT:
        return component(t.Real(value))
    return t.Exist(path)
