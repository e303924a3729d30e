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


def is_int32(value: object) -> bool:
    """Whether CloudEvents can carry a number."""
    return isinstance(value, int) and -(2**31) <= value < 2**31


class ServiceView:
    """How a service sees one event: some fields by identifiers, others not at all.

    Attributes:
        values: What the service holds.
        names: A `Names`.
    """

    def __init__(self, rng: Random, scene: Scene, nan: bool = True, integers: bool = False) -> None:
        self.values: dict[str, Any] = {}
        self._seen: dict[Path, Seen] = {}
        self._rng = rng
        self._scene = scene
        self._nan = nan
        self._integers = integers
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
            if self._integers and _KINDS[type(value)] is Kind.NUMBER and not is_int32(value):
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


class Texts:
    """Draws texts of other languages, over fields that hold texts, numbers, booleans or nothing.

    Attributes:
        values: What the fields hold: those whose names begin with s, n and b.
    """

    def __init__(self, rng: Random, integers: bool = False, mixed: bool = True) -> None:
        self.rng = rng
        self._integers = integers
        self.values: dict[str, Any] = {}
        for kind in "snb":
            for name in (f"{kind}1", f"{kind}2"):
                if rng.random() < 0.8:
                    held = rng.choice("snb") if mixed and rng.random() < 0.25 else kind
                    self.values[name] = self.constant(held)

    def constant(self, kind: str) -> Any:
        """A value of a kind, one of few."""
        if kind == "s":
            return self.rng.choice(("", "a", "ab", "abc", "b", "it's", "7", "a%b", "true"))
        if kind == "b":
            return self.rng.random() < 0.5
        whole = self.rng.choice((0, 1, 2, 7, -3, 97, 98, 2**31 - 1, -(2**31)))
        if self._integers or self.rng.random() < 0.6:
            return whole
        return self.rng.choice((0.0, -0.0, 0.5, 1.0, 7.0, math.nan, math.inf, -2.5))

    def literal(self, kind: str, escape: str = "''") -> str:
        """A constant as text."""
        value = self.constant(kind)
        while kind == "n" and not math.isfinite(value):
            value = self.constant(kind)
        if kind == "s":
            return "'" + value.replace("'", escape) + "'"
        return str(value).upper() if kind == "b" else repr(value)

    def name(self, kind: str) -> str:
        """A field that holds such values, as a rule."""
        return f"{kind}{self.rng.choice('12')}"

    def selector(self, depth: int = 3) -> str:
        """A JMS selector."""
        rng = self.rng
        if depth and rng.random() < 0.6:
            word = rng.choice((" AND ", " OR "))
            if rng.random() < 0.3:
                return f"NOT ({self.selector(depth - 1)})"
            return word.join(f"({self.selector(depth - 1)})" for _ in range(rng.choice((2, 2, 3))))
        kind = rng.choice("ssnnb")
        name, negated = self.name(kind), rng.choice(("", "NOT "))
        roll = rng.random()
        if roll < 0.15:
            return f"{name} IS {negated}NULL"
        if kind == "s" and roll < 0.4:
            pattern = rng.choice(
                ("'a%'", "'%b%'", "'ab'", "'%'", "''", "'it''s%'", r"'a\%%' ESCAPE '\'")
            )
            return f"{name} {negated}LIKE {pattern}"
        if kind == "s" and roll < 0.55:
            return f"{name} {negated}IN ({self.literal('s')}, {self.literal('s')})"
        if kind == "n" and roll < 0.35:
            return f"{name} {negated}BETWEEN {self.literal('n')} AND {self.literal('n')}"
        if kind == "b" and roll < 0.5:
            return name
        symbols = ("=", "<>", "<", "<=", ">", ">=") if kind == "n" else ("=", "<>")
        if rng.random() < 0.2:
            return f"{self.literal(kind)} {rng.choice(symbols)} {name}"
        return f"{name} {rng.choice(symbols)} {self.literal(kind)}"

    def expression(self, depth: int = 3) -> str:
        """A CloudEvents SQL expression."""
        rng = self.rng
        if depth and rng.random() < 0.6:
            if rng.random() < 0.3:
                return f"NOT ({self.expression(depth - 1)})"
            word = rng.choice((" AND ", " OR ", " XOR "))
            count = 2 if word == " XOR " else rng.choice((2, 3))
            return word.join(f"({self.expression(depth - 1)})" for _ in range(count))
        kind = rng.choice("ssnnnb")
        name, negated = self.name(kind), rng.choice(("", "NOT "))
        roll = rng.random()
        if roll < 0.15:
            return f"EXISTS {name}"
        if kind == "s" and roll < 0.4:
            pattern = rng.choice(("'a%'", "'%b%'", "'ab'", "'%'", "''", r"'a\%%'"))
            return f"{name} {negated}LIKE {pattern}"
        if kind != "b" and roll < 0.5:
            one, other = (self.literal(kind, "\\'") for _ in range(2))
            return f"{name} {negated}IN ({one}, {other})"
        if kind == "b" and roll < 0.5:
            return name
        symbols = ("=", "!=", "<>", "<", "<=", ">", ">=") if kind == "n" else ("=", "!=", "<>")
        left = name
        if kind == "n" and roll < 0.8:
            left = f"{name} {rng.choice('+-*/%')} {rng.choice((self.name('n'), self.literal('n')))}"
        right = self.name(kind) if rng.random() < 0.2 else self.literal(kind, "\\'")
        return f"{left} {rng.choice(symbols)} {right}"
