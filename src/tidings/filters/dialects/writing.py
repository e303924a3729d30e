"""From our tree to what other languages can say: tests of single fields, all or any of them.

A formula has no negation, and a test is true only of a field that is there and of the right kind;
so whatever a language leaves out or weakens, the result selects the same events or more. ::

    tree ─ formula_of ─> Formula ─ a dialect's writer ─> Translation
                           All, Either, Test; what was left out, in words

Ours makes a whole constraint FALSE if a field is missing, has a wrong kind, or a division by zero
occurs, also below `not` and beside `or`. A negation is therefore pushed down to the tests, where
`not ($rate > 30)` asks for a number at most 30, or NaN; and `$a == 1 or $b == 2`, which is FALSE
for events without $a, becomes the plain `or` of other languages, with a surplus.

What the service can see of an event is said by the adapter, by a function of the type `Names`: for
each path the identifier under which the service holds just that field, or None. It may name a field
only if the service holds the value that the adapter gives to the event: the same text, number or
boolean, and nothing where the event has no such field. What travels in another form (a character,
a label, a fixed, a sequence, a struct) has no name, or its kind is left out of `Seen.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Flag
from typing import Final, NamedTuple, TypeAlias

from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint, EventTypePattern, wildcard_match
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold
from tidings.filters.shape import constant_of
from tidings.filters.truth import COMPARE, EXACT, contains, number

DOMAIN: Final = Path("domain_name")
TYPE: Final = Path("type_name")
NAME: Final = Path("event_name")
FIXED: Final = (DOMAIN, TYPE, NAME)
"""The texts that every event has."""


class Kind(Flag):
    """What a field can be."""

    TEXT = 1
    NUMBER = 2
    BOOLEAN = 4
    SIMPLE = 7


class Seen(NamedTuple):
    """How a service sees a field.

    Attributes:
        name: Its identifier there.
        kinds: What it can be; of another kind it never is, at the service or in an event.
        absent: What the event's field is where the service holds nothing; None if it is missing.
            Of domain, type and name, which no event lacks, it must be a text: empty as a rule.
    """

    name: str
    kinds: Kind = Kind.SIMPLE
    absent: str | None = None


Names: TypeAlias = Callable[[Path], Seen | None]
"""Tells how the service sees a path of an event; None if it does not."""


def fixed_names(domain: str = "", type: str = "", name: str = "") -> Mapping[Path, Seen]:
    """Return how identifiers of domain, type and name are seen: texts, empty where they lack.

    An empty identifier is none; `fixed_names(...).get` is a `Names`.
    """
    given = zip(FIXED, (domain, type, name), strict=True)
    return {path: Seen(one, Kind.TEXT, "") for path, one in given if one}


class Test(NamedTuple):
    """A field asked for one thing; TRUE only if it is there, and of the kind of the value.

    Attributes:
        seen: The field.
        operator: A comparison's symbol; one with `!` before an order (`!>`): a number for which it
            does not hold, NaN among them; `is` a boolean; `~` contains, `!~` is a text and does
            not; `like` fits a text with `*`; `exist`, `absent`.
        value: A text, a number below 2**53 in size, or a boolean; None for the last two.
    """

    seen: Seen
    operator: str
    value: str | float | bool | None = None


class All(NamedTuple):
    """Every part holds; without parts always."""

    parts: tuple[Formula, ...]


class Either(NamedTuple):
    """A part holds; without parts never."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = "Test | All | Either"
ALWAYS: Final = All(())
NEVER: Final = Either(())


def all_of(parts: Iterable[Formula]) -> Formula:
    """Join with `and`, and drop what says nothing."""
    return _joined(All, parts)


def either_of(parts: Iterable[Formula]) -> Formula:
    """Join with `or`, and drop what says nothing."""
    return _joined(Either, parts)


def _joined(kind: type[All | Either], parts: Iterable[Formula]) -> Formula:
    idle, deciding = (ALWAYS, NEVER) if kind is All else (NEVER, ALWAYS)
    kept: dict[Formula, None] = {}
    for part in parts:
        if part == deciding and type(part) is type(deciding):
            return deciding
        if type(part) is kind:
            kept.update(dict.fromkeys(part.parts))
        elif not (part == idle and type(part) is type(idle)):
            kept[part] = None
    return next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


class Surplus:
    """Notes what was left out, in words; nothing noted: the translation is exact."""

    def __init__(self) -> None:
        self._words: dict[str, None] = {}

    def add(self, words: str) -> None:
        """Note something, once."""
        self._words[words] = None

    @property
    def exact(self) -> bool:
        """Whether nothing was noted."""
        return not self._words

    @property
    def text(self) -> str:
        """Everything noted."""
        return "also: " + "; ".join(self._words) if self._words else ""


def formula_of(wanted: Constraint, names: Names, surplus: Surplus) -> Formula:
    """Return a formula that holds of all events that a constraint matches, and of few others."""
    writer = _Writer(names, surplus)
    return all_of((writer.event_types(wanted.event_types), writer.node(fold(wanted.tree), True)))


def conjunctions(formula: Formula, most: int, surplus: Surplus) -> list[tuple[Test, ...]]:
    """Return a formula as alternatives, each tests of which all must hold; no more than `most`.

    What would make too many is left out. Without alternatives nothing is wanted.
    """
    if isinstance(formula, Test):
        return [(formula,)]
    if isinstance(formula, Either):
        found = [one for part in formula.parts for one in conjunctions(part, most, surplus)]
        found = list(dict.fromkeys(found))
        if len(found) <= most:
            return found
        surplus.add(f"whatever {len(found)} alternatives leave out, more than {most}")
        return [()]
    rows: list[tuple[Test, ...]] = [()]
    for part in formula.parts:
        options = conjunctions(part, most, surplus)
        if len(rows) * len(options) > most:
            surplus.add(f"what fails a part of {len(options)} alternatives")
            continue
        rows = [tuple(dict.fromkeys((*row, *one))) for row in rows for one in options]
    return rows


_SHOWN: Final = 60
_COUNTS: Final = Kind.NUMBER | Kind.BOOLEAN
_OPPOSITE: Final = {
    "==": "!=", "!=": "==", "~": "!~", "<": "!<", "<=": "!<=", ">": "!>", ">=": "!>=",
}  # fmt: skip
_OF_TEXTS: Final = {"!<": ">=", "!<=": ">", "!>": "<=", "!>=": "<"}
_MIRRORED: Final[Mapping[type[t.Infix], type[t.Infix]]] = {
    t.Equal: t.Equal, t.NotEqual: t.NotEqual, t.Less: t.Greater, t.Greater: t.Less,
    t.LessEqual: t.GreaterEqual, t.GreaterEqual: t.LessEqual,
}  # fmt: skip


class FieldTest(NamedTuple):
    """A field against a literal: `$rate > 30`, also written `30 < $rate`; `'x' ~ $host`; `$up`."""

    path: Path
    operator: type[t.Infix]
    literal: t.Node


def field_test(node: t.Node) -> FieldTest | None:
    """Return a node as the test of one field; None if it is another."""
    if isinstance(node, t.Component):
        return FieldTest(node.path, t.Equal, t.Boolean(True))
    if isinstance(node, t.Contains):
        plain = isinstance(node.left, t.Text) and isinstance(node.right, t.Component)
        return FieldTest(node.right.path, t.Contains, node.left) if plain else None  # type: ignore[attr-defined]
    if isinstance(node, t.Comparison):
        if isinstance(node.left, t.Component) and isinstance(node.right, t.LITERALS):
            return FieldTest(node.left.path, type(node), node.right)
        if isinstance(node.right, t.Component) and isinstance(node.left, t.LITERALS):
            return FieldTest(node.right.path, _MIRRORED[type(node)], node.left)
    return None


_Kinds: TypeAlias = dict[Path, Kind]


def _needs(node: t.Node) -> _Kinds | None:
    """The kinds that fields must have so that a node is no error; None if that is not known."""
    if isinstance(node, t.Exist | t.Boolean):
        return {}
    if isinstance(node, t.Not | t.And | t.Or):
        return _merged(map(_needs, t.children(node)))
    found = field_test(node)
    if found is None or isinstance(found.literal, t.Label):
        return None
    if isinstance(node, t.Component):
        return {found.path: Kind.BOOLEAN}
    if found.operator is t.Contains:
        return {found.path: Kind.TEXT}
    if isinstance(found.literal, t.Text):
        # A text of one character is a number, too.
        return {found.path: Kind.SIMPLE if len(found.literal.value) == 1 else Kind.TEXT}
    return {found.path: _COUNTS}


def _sure(node: t.Node, wanted: bool) -> _Kinds:
    """The kinds that fields have where a node is TRUE, or FALSE."""
    if isinstance(node, t.Exist):
        return {node.path: Kind.SIMPLE} if wanted else {}
    if isinstance(node, t.Not):
        return _sure(node.operand, not wanted)
    if isinstance(node, t.And | t.Or):
        if isinstance(node, t.And) is wanted:
            return _merged(_sure(operand, wanted) for operand in node.operands) or {}
        node = node.operands[0]
        if isinstance(node, t.And | t.Or | t.Not):
            return {}
    return _needs(node) or {}


def _merged(all_kinds: Iterable[_Kinds | None]) -> _Kinds | None:
    merged: _Kinds = {}
    for one in all_kinds:
        if one is None:
            return None
        for path, kinds in one.items():
            merged[path] = merged.get(path, Kind.SIMPLE) & kinds
    return merged


def _read_by(node: t.Node) -> set[Path]:
    """The fields without which a node is an error."""
    if isinstance(node, t.Component):
        return {node.path}
    if isinstance(node, t.And | t.Or):
        return _read_by(node.operands[0])
    found = {path for child in t.children(node) for path in _read_by(child)}
    return {*found, node.path} if isinstance(node, t.In) else found


class _Writer:
    """Writes one constraint.

    `wanted` says whether the events are those for which a node is TRUE, or those for which it is
    FALSE; those for which it is an error are wanted in no case.
    """

    def __init__(self, names: Names, surplus: Surplus) -> None:
        self._names = names
        self._surplus = surplus

    def event_types(self, patterns: tuple[EventTypePattern, ...]) -> Formula:
        if not patterns:
            return ALWAYS
        return either_of(
            all_of(
                ALWAYS if whatever else self._fits(path, pattern)
                for path, pattern, whatever in (
                    (DOMAIN, one.domain, one.any_domain),
                    (TYPE, one.type, one.any_type),
                )
            )
            for one in patterns
        )

    def _fits(self, path: Path, pattern: str) -> Formula:
        seen = self._names(path)
        if seen is None:
            self._surplus.add(f"every {path}")
            return ALWAYS
        test = Test(seen, "like" if "*" in pattern else "==", pattern)
        if seen.absent is None or not wildcard_match(pattern, seen.absent):
            return test
        return either_of((test, Test(seen, "absent")))

    def node(self, node: t.Node, wanted: bool) -> Formula:
        if isinstance(node, t.Not):
            return self.node(node.operand, not wanted)
        if isinstance(node, t.And | t.Or):
            return self._logical(node, wanted)
        if isinstance(node, t.LITERALS):
            return ALWAYS if isinstance(node, t.Boolean) and node.value is wanted else NEVER
        if isinstance(node, t.Exist):
            return self._exist(node.path, wanted)
        found = field_test(node)
        seen = found and self._names(found.path)
        if found is None or seen is None or isinstance(found.literal, t.Label):
            return self._left_out(node, wanted)
        if isinstance(node, t.Component):
            boolean = Kind.BOOLEAN in seen.kinds
            return Test(seen, "is", wanted) if boolean else NEVER
        if found.operator is t.Contains:
            return self._contained(found, seen, wanted)
        return self._compared(node, found, seen, wanted)

    def _logical(self, node: t.And | t.Or, wanted: bool) -> Formula:
        parts = [self.node(operand, wanted) for operand in node.operands]
        if isinstance(node, t.And) is wanted:
            return all_of(parts)
        needs: _Kinds | None = {}
        for earlier, later in zip(node.operands, node.operands[1:], strict=False):
            needs = _merged((needs, _needs(earlier)))
            if needs is None or not self._is_safe(needs, _sure(later, wanted)):
                self._surplus.add("what makes one part of an 'or' an error, and meets another")
                break
        return either_of(parts)

    def _is_safe(self, needs: _Kinds, sure: _Kinds) -> bool:
        """Whether all fields have the kinds that are needed, if they have those that are sure."""
        for path, kinds in needs.items():
            seen = self._names(path)
            absent = None if seen is None else seen.absent
            if path in FIXED:
                seen, absent = Seen(path, Kind.TEXT), ""
            possible = Kind.SIMPLE if seen is None else seen.kinds
            if absent is not None:
                possible |= Kind.TEXT
            elif path not in sure:
                return False
            if possible & sure.get(path, Kind.SIMPLE) not in kinds:
                return False
        return True

    def _exist(self, path: Path, wanted: bool) -> Formula:
        seen = self._names(path)
        if path in FIXED or (seen is not None and seen.absent is not None):
            return ALWAYS if wanted else NEVER
        if seen is None:
            return self._left_out(t.Exist(path), wanted)
        return Test(seen, "exist" if wanted else "absent")

    def _contained(self, found: FieldTest, seen: Seen, wanted: bool) -> Formula:
        assert isinstance(found.literal, t.Text)
        text = found.literal.value
        parts = [Test(seen, "~" if wanted else "!~", text)] if Kind.TEXT in seen.kinds else []
        if seen.absent is not None and contains(text, seen.absent) is wanted:
            parts.append(Test(seen, "absent"))
        return either_of(parts)

    def _compared(self, node: t.Node, found: FieldTest, seen: Seen, wanted: bool) -> Formula:
        value = constant_of(found.literal)
        assert value is not None
        compare = COMPARE[found.operator]
        symbol = found.operator.symbol if wanted else _OPPOSITE[found.operator.symbol]
        counted = number(value)
        parts: list[Formula] = []
        if isinstance(value, str) and Kind.TEXT in seen.kinds:
            parts.append(Test(seen, _OF_TEXTS.get(symbol, symbol), str(value)))
        if counted is not None and Kind.NUMBER in seen.kinds:
            if isinstance(counted, Decimal) or abs(counted) >= EXACT:
                return self._left_out(node, wanted)  # services differ on integers so large
            parts.append(Test(seen, symbol, counted))
        if Kind.BOOLEAN in seen.kinds:
            booleans = (False, True)
            parts += [Test(seen, "is", one) for one in booleans if compare(one, value) is wanted]
        if seen.absent is not None and compare(seen.absent, value) is wanted:
            parts.append(Test(seen, "absent"))
        return either_of(parts)

    def _left_out(self, node: t.Node, wanted: bool) -> Formula:
        """Whatever the node says; the fields that it reads must be there."""
        shown = print_tree(node)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        self._surplus.add(f"events that {'do not meet' if wanted else 'meet'} {shown}")
        parts: list[Formula] = []
        for path in sorted(_read_by(node)):
            seen = self._names(path)
            if seen is not None and seen.absent is None:
                parts.append(Test(seen, "exist"))
        return all_of(parts)
