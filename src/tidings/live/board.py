"""All live objects, in the order of their last change, and the views of them.

Every change of an object has a number, and a view remembers only how far it has come. What it is
told next are the objects that have changed since, each with the attributes that have. However slow
a view is, nothing waits for it, and it gets the newest values. ::

    changes   1 a.x   2 b.x   3 a.y   4 a.x      a view at 2 is told of a: y and x as they are
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final, NamedTuple

from tidings.filters.constraint import Constraint
from tidings.live.area import Area, AreaIndex
from tidings.live.model import Attribute, LiveObject

MOST_TOLD: Final = 500
"""Objects of one frame: what is read and written at once stays under some milliseconds."""
_MOST_ATTRIBUTES: Final = 5_000
"""Attributes of one frame, unless one object has more."""
_MOST_GONE: Final = 100_000
# Characters of constraints that are evaluated in a slice.
_MOST_TEXT: Final = 200_000
# So many changes are looked through one by one; of more, the first is searched for.
_FEW: Final = 1_000


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
        self._gone: deque[tuple[int, int]] = deque()  # when which was deleted
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

    def candidates(self, area: Area | None = None, after: int = 0) -> list[int]:
        """Return the numbers of all objects in an area, and of others, in their order.

        `after` leaves out those up to a number.
        """
        near = None if area is None else self._areas.candidates(area)
        # Numbers rise, so that the objects stand in their order.
        found = list(self._objects) if near is None else sorted(near)
        return found[bisect_right(found, after) :] if after else found

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
        self._gone.append((self.change, one.number))
        if len(self._gone) > _MOST_GONE:
            self.first_known, _ = self._gone.popleft()

    def _touch(self, one: LiveObject) -> None:
        self.change += 1
        self._latest.pop(one.number, None)
        self._latest[one.number] = self.change

    def changed_since(self, change: int) -> list[int]:
        """Return the objects deleted since a change, then those changed, the oldest first each.

        A tag that is used again is free before it is.
        """
        gone = takewhile(lambda one: one[0] > change, reversed(self._gone))
        found = [number for _, number in gone]
        found.reverse()
        return found + self._set_since(change)

    def _set_since(self, change: int) -> list[int]:
        found: list[int] = []
        for number in reversed(self._latest):
            if self._latest[number] <= change:
                break
            found.append(number)
            if len(found) > _FEW:
                return list(self._latest)[bisect_right(list(self._latest.values()), change) :]
        found.reverse()
        return found


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

    @property
    def at_once(self) -> int:
        """How many objects are judged at once: a long constraint takes long."""
        text = "" if self.constraint is None else self.constraint.text
        return min(MOST_TOLD, _MOST_TEXT // (1 + len(text)))

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

    A round tells of what has changed since the one before; it may take several slices, while
    objects go on changing. An attribute is told if it has changed since the round before began, so
    that none is missed which changed early in an object that changed late.
    """

    def __init__(self, board: Board, looked: Looked) -> None:
        self.board = board
        self._begin(looked)

    def _begin(self, looked: Looked) -> None:
        self._looked = looked
        self._shown: set[int] = set()
        self._since = self._until = self.board.change
        self._ahead = deque(self.board.candidates(looked.area))
        self._anew = True

    def look(self, looked: Looked) -> None:
        """Look elsewhere; what is in both is not told again, unless other attributes are."""
        if looked.attributes != self._looked.attributes:
            self._begin(looked)
            return
        self._looked = looked
        self._until = self.board.change
        near = self.board.candidates(looked.area)
        self._ahead = deque(chain(self._shown.difference(near), near))

    def take(self) -> Told:
        """Return what is to be told next."""
        if not self._ahead:
            self._next_round()
        told = Told(self._anew, [], [], [])
        self._anew = False
        attributes = 0
        for _ in range(min(self._looked.at_once, len(self._ahead))):
            attributes += self._judge(self._ahead.popleft(), told)
            if attributes >= _MOST_ATTRIBUTES:
                break
        if self._ahead:
            return told._replace(more=True)
        self._since = self._until
        return told

    def _next_round(self) -> None:
        if self._since < self.board.first_known:
            self._begin(self._looked)
            return
        self._until = self.board.change
        self._ahead.extend(self.board.changed_since(self._since))

    def _judge(self, number: int, told: Told) -> int:
        """Tell of one object; return how many attributes that takes."""
        one = self.board.get(number)
        wanted = self._looked.attributes
        if one is None or not self._looked.shows(one):
            if number in self._shown:
                self._shown.remove(number)
                told.left.append(number)
            return 0
        if number not in self._shown:
            self._shown.add(number)
            told.entered.append((one, wanted))
            return len(one.attributes if wanted is None else wanted)
        names = [
            name
            for name, change in one.changes.items()
            if change > self._since and (wanted is None or name in wanted)
        ]
        if names:
            told.changed.append((one, names))
        return len(names)
