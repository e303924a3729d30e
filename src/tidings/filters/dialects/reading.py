"""Tests of other languages in ours, exactly: a field asked for a value of one kind.

Elsewhere a comparison is false, or unknown, where the field is missing or of another kind; ours
makes the whole constraint FALSE. That is the same in a conjunction; below `or` and `not` a test
must not fail, so that it asks first whether the field is there, and for its type. Our numbers also
equal booleans and characters, which other languages keep apart. Fields are supposed to be texts,
numbers or booleans, as the services have them; domain, type and name are texts, always there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tidings.events.paths import Path, TypeId
from tidings.filters import tree as t
from tidings.filters.dialects.writing import FIXED
from tidings.filters.shape import constant_of
from tidings.filters.truth import COMPARE

Paths: TypeAlias = Callable[[str], Path]
"""The path of an event's field, by the name that a service has for it."""

_TEXT_TYPES: Final = ("string", "wstring")


def literal(value: str | float | bool) -> t.Node:
    """Return a literal of ours."""
    if isinstance(value, bool):
        return t.Boolean(value)
    if isinstance(value, str):
        return t.Text(value)
    return t.Integer(value) if isinstance(value, int) else t.Real(value)


def all_of(parts: Iterable[t.Node]) -> t.Node:
    """Join with `and`; no parts: TRUE."""
    kept = tuple(parts)
    return t.And(kept) if len(kept) > 1 else kept[0] if kept else t.Boolean(True)


def any_of(parts: Iterable[t.Node]) -> t.Node:
    """Join with `or`; no parts: FALSE."""
    kept = tuple(parts)
    return t.Or(kept) if len(kept) > 1 else kept[0] if kept else t.Boolean(False)


class FieldOf:
    """A field, and a test that holds only for values of one kind.

    Attributes:
        holds: The test; it is no error for values of its kind. Of the kind `object` it is an
            `exist`, which never is one.
    """

    def __init__(self, path: Path, kind: type, holds: t.Node) -> None:
        self.holds = holds
        self._path = path
        self._kind = kind

    def true(self, safe: bool) -> t.Node:
        """Where the test holds; `safe`: never an error."""
        if self._kind is object:
            return self.holds
        if self._path in FIXED:
            return self.holds if self._kind is str else t.Boolean(False)
        if not safe:
            return all_of((*self._strict(), self.holds))
        return all_of((t.Exist(self._path), self._is_of_kind(), self.holds))

    def false(self, safe: bool) -> t.Node:
        """Where the field is there and the test does not hold, of whatever kind the field is."""
        if self._path in FIXED:
            return t.Not(self.holds) if self._kind is str else t.Boolean(True)
        otherwise = any_of((t.Not(self._is_of_kind()), t.Not(self.holds)))
        return all_of((t.Exist(self._path), otherwise)) if safe else otherwise

    def _is_of_kind(self) -> t.Node:
        if self._kind is bool:
            return self._type_is("boolean")
        texts = any_of(map(self._type_is, _TEXT_TYPES))
        if self._kind is str:
            return texts
        return t.Not(t.Or((*map(self._type_is, _TEXT_TYPES), self._type_is("boolean"))))

    def _type_is(self, name: str) -> t.Node:
        at = Path(self._path.root, (*self._path.steps, TypeId()))
        return t.Equal(t.Component(at), t.Text(name))

    def _strict(self) -> list[t.Node]:
        """What must be asked besides, since ours would hold for another kind."""
        if self._kind is str:
            short = any(
                isinstance(one, t.Text) and len(one.value) == 1 for one in t.walk_tree(self.holds)
            )
            return [self._is_of_kind()] if short and not _is_for_texts(self.holds) else []
        if self._kind is bool or not _holds_for_booleans(self.holds):
            return []
        return [t.Not(self._type_is("boolean"))]


def _is_for_texts(node: t.Node) -> bool:
    return isinstance(node, t.Contains)


def _holds_for_booleans(node: t.Node) -> bool:
    if not isinstance(node, t.Comparison):
        return True
    value = constant_of(node.right)
    return value is None or any(COMPARE[type(node)](one, value) for one in (True, False))


def compared(path: Path, symbol: str, value: str | float | bool) -> FieldOf:
    """A field compared with a literal of its kind; booleans know `==` and `!=`."""
    field = t.Component(path)
    if isinstance(value, bool):
        equal = value is (symbol == "==")
        return FieldOf(path, bool, field if equal else t.Not(field))
    kind = str if isinstance(value, str) else float
    return FieldOf(path, kind, t.COMPARISONS[symbol](field, literal(value)))


def prefixed(path: Path, prefix: str) -> FieldOf:
    """A text that begins so: in the order of texts, it lies from the prefix up to its end."""
    field = t.Component(path)
    parts: list[t.Node] = [t.GreaterEqual(field, t.Text(prefix))]
    end = _after(prefix)
    if end:
        parts.append(t.Less(field, t.Text(end)))
    return FieldOf(path, str, all_of(parts) if prefix else t.Contains(t.Text(""), field))


def _after(prefix: str) -> str:
    """The first text after all that begin so; empty if there is none."""
    while prefix:
        code = ord(prefix[-1]) + 1
        if code <= 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)
        prefix = prefix[:-1]
    return ""


def contained(path: Path, text: str) -> FieldOf:
    """A text that contains another one."""
    return FieldOf(path, str, t.Contains(t.Text(text), t.Component(path)))


UNFIT: Final = "ours asks how a text begins and what it contains, no more"
FIT: Final = "LIKE 'x%', LIKE '%x%'"


def fitting(path: Path, pattern: tuple[str | None, ...]) -> FieldOf | None:
    """A text that fits a pattern of SQL; None if ours cannot say so."""
    if not pattern:
        return compared(path, "==", "")
    texts = [piece for piece in pattern if piece is not None]
    if "" in texts or len(texts) > 1:
        return None
    if len(texts) == len(pattern):
        return compared(path, "==", texts[0])
    if not texts:
        return contained(path, "")
    if pattern[0] is not None:
        return prefixed(path, texts[0])
    return contained(path, texts[0]) if pattern[-1] is None else None
