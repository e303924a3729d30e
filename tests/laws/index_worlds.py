"""Worlds for the index law: events that are siblings, and crowds of constraints about them.

An index spreads what becomes many, and each structure takes over at its own number; so the
constraints of one world share few fields and few shapes, and the crowds are of all sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.laws.filter_events import (
    DATA,
    EDGES,
    FINITE,
    INTEGERS,
    KIND_NAMES,
    PATHS,
    TEXTS,
    Scene,
    draw_event,
    kind_of,
)
from tests.laws.filter_trees import TreeMaker, constraint_of, draw_types
from tidings.events.build import event
from tidings.events.fields import Plain
from tidings.events.paths import Path
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint
from tidings.filters.tree import (
    And,
    Boolean,
    Component,
    Contains,
    Equal,
    Exist,
    Greater,
    GreaterEqual,
    In,
    Integer,
    Less,
    LessEqual,
    Node,
    Not,
    NotEqual,
    Or,
    Real,
    Text,
)

_LOWER, _UPPER = (Greater, GreaterEqual), (Less, LessEqual)

# The forms that have a structure of their own in the index, and the kinds that fit them.
_FITTING = {
    "interval": ("integer", "integer", "real", "fixed", "char"),
    "equal": ("integer", "real", "string", "enum", "char", "boolean"),
    "unequal": ("integer", "real", "string", "enum", "boolean"),
    "ordered": ("integer", "real", "string", "fixed", "char"),
    "needle": ("string",),
    "in": ("sequence",),
    "flag": ("boolean",),
    "exist": ("missing", "integer"),
    "row": ("integer", "real", "string", "fixed"),
}
# Where constraints of a form crowd: fields with values at the edges.
_CROWDED = {
    "interval": ("big", "rate", "price", "grade", "count"),
    "equal": ("big", "rate", "grade", "letter", "host", "sev", "price"),
    "unequal": ("big", "rate", "host", "sev", "grade"),
    "ordered": ("big", "rate", "host", "grade", "price"),
    "needle": ("host",),
    "in": ("mixed", "large", "tags", "octets", "grades", "sevs"),
    "flag": ("up", "open"),
    "exist": ("missing", "count"),
    "row": ("big", "rate", "host", "grade"),
}
# Events of a world are siblings, so most trees answer for all of them as they do for one.
_TARGETS = (*(True,) * 6, *(False,) * 4, *(None,) * 3)


class World:
    """Some events that differ in few fields, and constraints steered to them.

    Args:
        rng: Where everything is drawn from.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        # Part of the constraints, or all, crowd together: one form, one field.
        self.form = rng.choice(tuple(_FITTING))
        self.path = Path(rng.choice(_CROWDED[self.form]))
        self.templates, self.crowding = rng.choice(
            ((0.0, 0.0), (0.5, 0.0), (0.9, 0.0), (0.9, 0.6), (1.0, 1.0), (1.0, 1.0))
        )
        base = draw_event(rng)
        events = [base, *(self._sibling(base) for _ in range(rng.choice((2, 3, 5))))]
        chosen = rng.sample(PATHS, rng.choice((2, 4, 8, 30)))
        self.scenes = [_focused(event, chosen) for event in events]
        self.makers = [TreeMaker(rng, scene) for scene in self.scenes]
        self.depths = rng.choice(((0,), (0, 1), (1, 2), (0, 1, 2, 3)))

    def _sibling(self, base: StructuredEvent) -> StructuredEvent:
        """The event with some fields drawn anew, left out, or of a wrong kind."""
        rng = self.rng
        data: dict[str, object] = dict(base.data)
        names = rng.sample(tuple(DATA), rng.choice((1, 2, 3)))
        if self.crowding and self.path.root in DATA:
            names.append(self.path.root)
        for name in names:
            roll = rng.random()
            if roll < 0.8:
                data[name] = DATA[name](rng)
            elif roll < 0.9:
                data.pop(name, None)
            else:
                data[name] = rng.choice(tuple(DATA.values()))(rng)
        other = draw_event(rng) if rng.random() < 0.3 else base
        return event(other.domain, other.type, base.name, data, header=dict(base.header))

    def constraints(self) -> list[Constraint]:
        """What one subscription asks for: mostly one constraint, sometimes none or several."""
        count = self.rng.choice((0, *(1,) * 12, 2, 2, 3))
        return [self.constraint() for _ in range(count)]

    def constraint(self) -> Constraint:
        """One constraint, with event types or without."""
        tree = self.tree()
        return constraint_of(tree, draw_types(self.rng) if self.rng.random() < 0.3 else ())

    def tree(self) -> Node:
        """A tree in one of the forms the index has a place for, or any tree."""
        rng = self.rng
        maker = rng.choice(self.makers)
        if rng.random() >= self.templates:
            return maker.tree(rng.choice(_TARGETS), rng.choice(self.depths))
        if rng.random() < self.crowding:
            return self._template(maker.scene, self.form, self.path)
        parts = [self._any_template(maker.scene) for _ in range(rng.choice((1, 1, 2, 3)))]
        if rng.random() < 0.3:
            parts.append(maker.tree(rng.choice(_TARGETS), 0))
        rng.shuffle(parts)
        if len(parts) == 1:
            return parts[0]
        return (Or if rng.random() < 0.25 else And)(tuple(parts))

    def _any_template(self, scene: Scene) -> Node:
        rng = self.rng
        form = rng.choice(tuple(_FITTING))
        kinds = _FITTING[form] if rng.random() < 0.85 else KIND_NAMES
        return self._template(scene, form, scene.place(rng, rng.choice(kinds)))

    def _template(self, scene: Scene, form: str, path: Path) -> Node:
        rng, place, value = self.rng, Component(path), scene.fields[path]
        if form == "interval":
            return self._interval(path, value)
        if form == "equal":
            literals = [self._literal(value) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
            equals = tuple(Equal(place, literal) for literal in literals)
            return equals[0] if len(equals) == 1 else Or(equals)
        if form == "unequal":
            unequal = NotEqual(place, self._literal(value))
            return Or((self._any_template(scene), unequal)) if rng.random() < 0.2 else unequal
        if form == "needle":
            return Contains(Text(self._piece(value)), place)
        if form == "in":
            return In(self._literal(value), path)
        if form == "ordered":
            made = rng.choice((*_LOWER, *_UPPER))(place, self._literal(value))
            return Not(made) if rng.random() < 0.4 else made
        if form == "row":
            # Nothing in it leads anywhere, so it is tested as a row among those of its shape.
            tested = rng.choice((Equal, LessEqual))(place, self._literal(value))
            return Or((Not(Exist(self.path)), tested))
        if form == "exist":
            return rng.choice((Exist(path), Not(Exist(path)), Equal(Exist(path), Boolean(False))))
        return place if rng.random() < 0.5 else Not(place)

    def _interval(self, path: Path, value: Plain) -> Node:
        low, high = self._literal(value), self._literal(value)
        place = Component(path)
        return And((self.rng.choice(_LOWER)(place, low), self.rng.choice(_UPPER)(place, high)))

    def _literal(self, value: Plain) -> Node:
        """A constant near the value, or near one of its elements; else a usual one."""
        rng = self.rng
        if isinstance(value, tuple | bytes) and value:
            value = rng.choice(value)
        if type(value) is int and rng.random() < 0.15:
            return Real(float(value))
        if rng.random() < 0.9 and kind_of(value) not in ("missing", "composite", "sequence"):
            return self.makers[0].near(value)
        usual: tuple[Node, ...] = (
            Integer(rng.choice((*INTEGERS, *EDGES))),
            Real(rng.choice(FINITE)),
            Text(rng.choice(TEXTS)),
            Boolean(rng.random() < 0.5),
        )
        return rng.choice(usual)

    def _piece(self, value: Plain) -> str:
        rng = self.rng
        text = str(value) if kind_of(value) == "string" and value else rng.choice(TEXTS)
        start = rng.randrange(len(text) + 1)
        return text[start : start + rng.choice((1, 2, 3, 5, 9))] + rng.choice(("", "", "", "x"))


def _focused(event: StructuredEvent, chosen: list[Path]) -> Scene:
    scene = Scene(event)
    for kind, paths in scene.places.items():
        scene.places[kind] = [path for path in paths if path in chosen] or paths[:1]
    return scene


class Plan:
    """What happens to an index: keys added and removed, in crowds and one by one.

    Removed keys may come back with other constraints.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.known: list[int] = []
        self.gone: list[int] = []

    def changes(self, count: int) -> Iterator[tuple[str, int]]:
        """The next changes: `add` or `remove`, and the key."""
        rng = self.rng
        keeping = rng.choice((0.3, 0.6, 0.9))
        for _ in range(count):
            if self.known and rng.random() > keeping:
                key = self.known.pop(rng.randrange(len(self.known)))
                self.gone.append(key)
                yield "remove", key
                continue
            back = self.gone and rng.random() < 0.3
            key = self.gone.pop() if back else len(self.known) + len(self.gone)
            self.known.append(key)
            yield "add", key
