"""All live objects, in the order of their last change, and the views of them.

Every change of an object has a number, and a view remembers only how far it has come. What it is
told next are the objects that have changed since, each with the attributes that have: however slow
a view is, it never costs memory and always gets the newest values. ::

    changes   1 a.x   2 b.x   3 a.y   4 a.x      a view at 2 is told of a: y and x as they are
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import merge
from typing import Final, NamedTuple

from tidings.filters.constraint import Constraint
from tidings.live.area import Area, AreaIndex
from tidings.live.model import Attribute, LiveObject

MOST_TOLD: Final = 500
"""Objects of one frame: what is read and written at once stays under some milliseconds."""
_MOST_GONE: Final = 100_000


class Board:
    """The objects of a service.

    Attributes:
        change: The number of the latest change.
        first_known: Views that have not come this far must begin anew: deletions before are
            forgotten.
    """

    def __init__(self) -> None:
        self.change = 0
        self.first_known = 0
        self.last_number = 0
        self._objects: dict[int, LiveObject] = {}
        self._by_tag: dict[str, int] = {}
        self._latest: dict[int, int] = {}  # object to its last change, the oldest first
        self._gone: dict[int, int] = {}  # the same for those deleted
        self._areas = AreaIndex()

    def __len__(self) -> int:
        return len(self._objects)

    def find(self, tag: str) -> LiveObject | None:
        """Return the object with a tag."""
        number = self._by_tag.get(tag)
        return None if number is None else self._objects[number]

    def get(self, number: int) -> LiveObject | None:
        """Return the object with a number."""
        return self._objects.get(number)

    def matching(self, pattern: str, area: Area | None = None) -> list[LiveObject]:
        """Return the objects whose tags begin with a pattern, in an area, by their numbers."""
        near = None if area is None else self._areas.candidates(area)
        some = self._objects.values() if near is None else map(self._objects.__getitem__, near)
        return sorted(
            (
                one
                for one in some
                if one.tag.startswith(pattern) and (area is None or area.has(one.position))
            ),
            key=lambda one: one.number,
        )

    def make(self, tag: str, owner: str, number: int = 0) -> LiveObject:
        """Make an object, with a number of before if there is one."""
        number = number or self.last_number + 1
        self.last_number = max(self.last_number, number)
        made = self._objects[number] = LiveObject(number, tag, owner)
        self._by_tag[tag] = number
        self._touch(made)
        return made

    def set(self, one: LiveObject, attributes: Mapping[str, Attribute], now: int) -> None:
        """Give attributes their values."""
        before = one.position
        self._touch(one)
        for name, attribute in attributes.items():
            one.set(name, attribute, self.change)
        one.changed = now
        self._areas.move(one.number, before, one.position)

    def delete(self, one: LiveObject) -> None:
        """Delete an object."""
        del self._objects[one.number], self._by_tag[one.tag], self._latest[one.number]
        self._areas.move(one.number, one.position, None)
        self.change += 1
        self._gone[one.number] = self.change
        if len(self._gone) > _MOST_GONE:
            oldest = next(iter(self._gone))
            self.first_known = self._gone.pop(oldest)

    def _touch(self, one: LiveObject) -> None:
        self.change += 1
        self._latest.pop(one.number, None)
        self._latest[one.number] = self.change

    def changed_since(self, change: int) -> list[tuple[int, int]]:
        """Return change and number of all objects changed or deleted since, the oldest first."""
        return list(merge(_since(self._latest, change), _since(self._gone, change)))


def _since(latest: Mapping[int, int], change: int) -> Iterable[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in reversed(latest):
        if latest[number] <= change:
            break
        found.append((latest[number], number))
    return reversed(found)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a view shows.

    Attributes:
        pattern: The beginning of the objects' tags.
        area: Where they are; None for everywhere, and for objects without a position.
        constraint: What is true of them; None for all.
        attributes: Which attributes it shows; None for all.
    """

    pattern: str = ""
    area: Area | None = None
    constraint: Constraint | None = None
    attributes: frozenset[str] | None = None

    def shows(self, one: LiveObject) -> bool:
        """Whether an object is in it."""
        return (
            one.tag.startswith(self.pattern)
            and (self.area is None or self.area.has(one.position))
            and (self.constraint is None or self.constraint.matches(one.fields))
        )


class Told(NamedTuple):
    """What a view is told at once.

    Attributes:
        anew: Whether what the view had before is void.
        entered: Objects that are new in it, with the names that it shows; None for all.
        changed: Objects with the names of those of its attributes that have changed.
        left: Numbers of objects that are in it no more.
        more: Whether more is to be told at once.
    """

    anew: bool
    entered: list[tuple[LiveObject, frozenset[str] | None]]
    changed: list[tuple[LiveObject, list[str]]]
    left: list[int]
    more: bool = False

    def __bool__(self) -> bool:
        return bool(self.entered or self.changed or self.left or self.anew)


class View:
    """One who looks: how far they have come, and what they have on their screen.

    A round goes from the objects changed longest ago to the latest; it may take several slices,
    while objects go on changing. An attribute is told if it has changed since the round began, so
    that none is missed which changed early in an object that changed late.
    """

    def __init__(self, board: Board, looked: Looked) -> None:
        self._board = board
        self._begin(looked)

    def _begin(self, looked: Looked) -> None:
        self._looked = looked
        self._shown: set[int] = set()
        self._since = self._through = self._board.change
        self._ahead: deque[int] = self._in_sight()
        self._anew = True

    def _in_sight(self) -> deque[int]:
        found = self._board.matching(self._looked.pattern, self._looked.area)
        return deque(one.number for one in found)

    def look(self, looked: Looked) -> None:
        """Look elsewhere; what is in both is not told again, unless other attributes are."""
        if looked.attributes != self._looked.attributes:
            self._begin(looked)
            return
        self._looked = looked
        self._ahead = self._in_sight()
        self._ahead.extend(self._shown.difference(self._ahead))

    def take(self) -> Told:
        """Return what is to be told next."""
        if self._since < self._board.first_known:
            self._begin(self._looked)
        told = Told(self._anew, [], [], [])
        self._anew = False
        left = MOST_TOLD
        while self._ahead and left:
            self._judge(self._ahead.popleft(), None, told)
            left -= 1
        if self._ahead:
            return told._replace(more=True)
        changed = self._board.changed_since(self._through)
        for change, number in changed[:left]:
            self._judge(number, self._since, told)
            self._through = change
        if len(changed) > left:
            return told._replace(more=True)
        self._since = self._through
        return told

    def _judge(self, number: int, since: int | None, told: Told) -> None:
        """Tell of one object; without `since` only whether it is in the view."""
        one = self._board.get(number)
        if one is None or not self._looked.shows(one):
            if number in self._shown:
                self._shown.remove(number)
                told.left.append(number)
        elif number not in self._shown:
            self._shown.add(number)
            told.entered.append((one, self._looked.attributes))
        elif since is not None:
            wanted = self._looked.attributes
            names = [
                name
                for name, change in one.changes.items()
                if change > since and (wanted is None or name in wanted)
            ]
            if names:
                told.changed.append((one, names))
