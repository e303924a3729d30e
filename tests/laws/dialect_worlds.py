"""Constraints, events, and what a service sees of them, for the laws of translations."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tests.laws.filter_events import Scene
from tests.laws.filter_trees import TARGETS, TreeMaker
from tidings.events.paths import MISSING, Path
from tidings.filters import tree as t
from tidings.filters.dialects.writing import FIXED, Kind, Seen

_KINDS = {str: Kind.TEXT, int: Kind.NUMBER, float: Kind.NUMBER, bool: Kind.BOOLEAN}


class ServiceView:
    """How a service sees one event: some fields by identifiers, others not at all.

    Attributes:
        values: What the service holds.
        names: A `Names`.
    """

    def __init__(self, rng: Random, scene: Scene, nan: bool = True) -> None:
        self.values: dict[str, Any] = {}
        self._seen: dict[Path, Seen] = {}
        self._rng = rng
        self._scene = scene
        self._nan = nan
        self._knows_kinds = rng.random() < 0.4
        self._asked: set[Path] = set()

    def names(self, path: Path) -> Seen | None:
        if path not in self._asked:
            self._asked.add(path)
            seen = self._new(path)
            if seen is not None:
                self._seen[path] = seen
        return self._seen.get(path)

    def _new(self, path: Path) -> Seen | None:
        value, rng = self._scene.fields[path], self._rng
        name = f"f{len(self._asked)}"
        if path in FIXED:
            absent = rng.choice(("", "a", None))
            if value != absent:
                self.values[name] = value
            return Seen(name, Kind.TEXT, absent)
        if rng.random() < 0.15:
            return None
        if value is MISSING:
            absent = None
        elif type(value) in _KINDS:
            if isinstance(value, float) and not self._nan and math.isnan(value):
                return None
            absent = value if type(value) is str and rng.random() < 0.2 else None
            if absent is None:
                self.values[name] = value
        else:
            return None
        if not self._knows_kinds:
            return Seen(name, Kind.SIMPLE, absent)
        return Seen(name, _KINDS.get(type(value), rng.choice(tuple(Kind))), absent)


class FieldTrees(TreeMaker):
    """Draws trees whose leaves mostly test one field against a constant near its value."""

    def _candidate(self, wild: bool) -> t.Node:
        roll = self.rng.random()
        if roll < 0.12:
            return super()._candidate(wild)
        kinds = ("integer", "real", "boolean", "string", "string")
        kind = self.rng.choice((*kinds, "missing", "sequence") if wild else kinds)
        path = self.scene.place(self.rng, kind)
        value = self.scene.fields[path]
        if roll < 0.2:
            return t.Exist(path)
        if roll < 0.3 and isinstance(value, str):
            return t.Contains(
                t.Text(self.rng.choice((value[1:3], value, "x", ""))), t.Component(path)
            )
        if roll < 0.36 and isinstance(value, bool):
            return t.Component(path)
        left, right = t.Component(path), self._literal() if wild else self.near(value)
        made = self.rng.choice(tuple(t.COMPARISONS.values()))
        return made(right, left) if self.rng.random() < 0.2 else made(left, right)


def field_tree(rng: Random, scene: Scene) -> t.Node:
    """A tree of tests of fields, with an answer of its own choice for the event."""
    return FieldTrees(rng, scene).tree(rng.choice(TARGETS), rng.choice((0, 1, 1, 2, 3)))
