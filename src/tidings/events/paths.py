"""Component paths: the places in an event that a constraint can name.

A `Path` is its own text (`$addr.street`, `$.header.variable_header(Priority)`, `$u.(1)`), so that
it keys a dictionary at the speed of a string, and it carries its parsed steps. `walk` resolves all
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

import msgspec

from tidings.events.anyvalue import Any, UnionValue, Value, conform, infer
from tidings.events.typecode import Kind, Label, TypeCode


class Missing:
    """The type of MISSING, the value of a path that leads nowhere."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "missing"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = Missing()


class PathStep(msgspec.Struct, frozen=True):
    """One step of a path."""

    text: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.text

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        """Where the step leads from a value; the type is None for an unboxed value."""
        raise NotImplementedError


class Name(PathStep, frozen=True):
    """`.name`: a member of a struct, or the active branch of a union."""

    name: str

    def __str__(self) -> str:
        return f".{_spelled(self.name)}"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if type_ is None:
            return value.get(self.name, MISSING) if isinstance(value, dict) else MISSING
        if type_.kind is Kind.UNION:
            return _branch_if(type_, value, lambda active: type_.members[active].name == self.name)
        return _struct_member(type_, value, type_.member_index(self.name))


class Position(PathStep, frozen=True):
    """`.n`: the n-th member of a struct."""

    index: int

    def __str__(self) -> str:
        return f".{self.index}"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if type_ is not None:
            return _struct_member(type_, value, self.index)
        if isinstance(value, dict) and self.index < len(value):
            return list(value.values())[self.index]
        return MISSING


class Branch(PathStep, frozen=True):
    """`.(label)`: the active branch of a union, if the label selects it.

    `kind` is that of the literal: `int`, `bool`, `str` (a character) or `enum`; `.()` has the kind
    `default`. A number also names the label of an enum at that place, from 0, and 0 and 1 name
    FALSE and TRUE.
    """

    kind: str
    label: Label | None = None

    def __str__(self) -> str:
        if self.kind == "default":
            return ".()"
        if self.kind == "str":
            escaped = str(self.label).replace("\\", "\\\\").replace("'", "\\'")
            return f".('{escaped}')"
        if self.kind == "bool":
            return f".({str(self.label).upper()})"
        return f".({_spelled(self.label) if isinstance(self.label, str) else self.label})"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if type_ is None or type_.kind is not Kind.UNION or type_.discriminator is None:
            return MISSING
        if self.kind == "default":
            return _branch_if(type_, value, lambda active: active == type_.default_index)
        label = self._label_of(type_.discriminator.unaliased)
        if label is None:
            return MISSING
        wanted = type_.branch_index(label)
        return _branch_if(type_, value, lambda active: type_.same_branch(wanted, active))

    def _label_of(self, switch: TypeCode) -> Label | None:
        """The discriminator value that the step names; None if it has no such value."""
        number = self.label
        if self.kind == "int" and isinstance(number, int):
            labels: tuple[Label, ...] = switch.labels
            if switch.kind is Kind.BOOLEAN:
                labels = (False, True)
            if labels:
                return labels[number] if 0 <= number < len(labels) else None
        return self.label if self.kind == _LABEL_KINDS.get(switch.kind, "int") else None


_LABEL_KINDS = {Kind.BOOLEAN: "bool", Kind.ENUM: "enum", Kind.CHAR: "str", Kind.WCHAR: "str"}


class Element(PathStep, frozen=True):
    """`[n]`: an element of a sequence or array."""

    index: int

    def __str__(self) -> str:
        return f"[{self.index}]"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if not isinstance(value, tuple | bytes) or self.index >= len(value):
            return MISSING
        if type_ is None:
            return value[self.index]
        if type_.kind not in _SEQUENCES:
            return MISSING
        return _placed(type_.element_type, value[self.index])


class Pair(PathStep, frozen=True):
    """`(name)`: the value of the first pair with that name in a sequence of pairs."""

    name: str

    def __str__(self) -> str:
        return f"({_spelled(self.name)})"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if not isinstance(value, tuple) or not (type_ is None or type_.kind in _SEQUENCES):
            return MISSING
        pair = None if type_ is None else type_.element_type.unaliased
        if pair is None or pair.kind is Kind.ANY:
            return _untyped_pair(self.name, value)
        if pair.kind is not Kind.STRUCT or len(pair.members) != 2:
            return MISSING
        if pair.member_type(0).unaliased.kind not in (Kind.STRING, Kind.WSTRING):
            return MISSING
        for item in value:
            if isinstance(item, tuple) and item[0] == self.name:
                return _placed(pair.member_type(1), item[1])
        return MISSING


class Length(PathStep, frozen=True):
    """`._length`: the number of elements."""

    text = "._length"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if not isinstance(value, tuple | bytes):
            return MISSING
        return len(value) if type_ is None or type_.kind in _SEQUENCES else MISSING


class Discriminator(PathStep, frozen=True):
    """`._d`: the discriminator of a union."""

    text = "._d"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        if _active(type_, value) == -2 or type_ is None or type_.discriminator is None:
            return MISSING
        return Any.trusted(type_.discriminator, value.discriminator)  # type: ignore[union-attr]


class DefaultActive(PathStep, frozen=True):
    """Whether the default branch of a union is active: `default $u._d` asks for it."""

    text = "._d?default"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        active = _active(type_, value)
        if active == -2 or type_ is None:
            return MISSING
        # Without a default branch, a discriminator outside all labels selects the implied one.
        return active == type_.default_index


class TypeId(PathStep, frozen=True):
    """`._type_id`: the unqualified name of the type."""

    text = "._type_id"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        return MISSING if type_ is None else type_.type_name


class ReposId(PathStep, frozen=True):
    """`._repos_id`: the repository id of the type."""

    text = "._repos_id"

    def _follow(self, type_: TypeCode | None, value: Value) -> Value | Missing:
        return MISSING if type_ is None else type_.id


# Words of the constraint language: as names they need a leading backslash.
KEYWORDS = frozenset({"and", "or", "not", "in", "exist", "default", "true", "false"})


def _spelled(name: str) -> str:
    return f"\\{name}" if name.lower() in KEYWORDS else name


class Path(str):
    """A component path. Equal paths have equal texts."""

    __slots__ = ("root", "steps")

    root: str | None
    steps: tuple[PathStep, ...]

    def __new__(cls, root: str | None, steps: Iterable[PathStep] = ()) -> Path:
        """A path from the name after `$` (None for `$` alone) and the steps behind it."""
        steps = tuple(steps)
        head = "$" if root is None else f"${_spelled(root)}"
        made = super().__new__(cls, head + "".join(map(str, steps)))
        made.root = root
        made.steps = steps
        return made

    def __reduce__(self) -> tuple[type[Path], tuple[str | None, tuple[PathStep, ...]]]:
        return Path, (self.root, self.steps)


def walk(value: Value, steps: tuple[PathStep, ...]) -> Value | Missing:
    """The value that steps lead to, from a value on; MISSING if they lead nowhere.

    A value in a typed place is returned as an `Any`, so that its type is not lost.
    """
    asks_type = bool(steps) and isinstance(steps[-1], TypeId | ReposId)
    for step in steps:
        type_, inner = _opened(value)
        if type_ is None and asks_type:
            # What stands in an unboxed value has the type of its place: the 1 in (1, 2**40) is
            # a long long, the first of some octets is an octet.
            type_ = infer(inner)
            inner = conform(type_, inner)
        place = step._follow(type_, inner)
        if isinstance(place, Missing):
            return MISSING
        value = place
    return value


def _opened(value: Value) -> tuple[TypeCode | None, Value]:
    """A value without its boxes and aliases; the type is None for an unboxed value."""
    type_: TypeCode | None = None
    while isinstance(value, Any):
        type_ = value.type.unaliased
        value = value.value
        if type_.kind is Kind.ANY:
            type_ = None
    return type_, value


def _placed(type_: TypeCode, value: Value) -> Value:
    """A value from a place of a given type; a value in an any says its own type."""
    return value if type_.unaliased.kind is Kind.ANY else Any.trusted(type_, value)


_SEQUENCES = (Kind.SEQUENCE, Kind.ARRAY)


def _struct_member(type_: TypeCode, value: Value, index: int) -> Value | Missing:
    if type_.kind not in (Kind.STRUCT, Kind.EXCEPT):
        return MISSING
    if not isinstance(value, tuple) or not 0 <= index < len(value):
        return MISSING
    return _placed(type_.member_type(index), value[index])


def _active(type_: TypeCode | None, value: Value) -> int:
    """The index of the active branch of a union; -1 if there is none, -2 for no union."""
    if type_ is None or type_.kind is not Kind.UNION or not isinstance(value, UnionValue):
        return -2
    return type_.branch_index(value.discriminator)


def _branch_if(type_: TypeCode, value: Value, test: Callable[[int], bool]) -> Value | Missing:
    active = _active(type_, value)
    if active < 0 or not test(active) or not isinstance(value, UnionValue):
        return MISSING
    return _placed(type_.member_type(active), value.value)


def _untyped_pair(name: str, items: tuple[Value, ...]) -> Value | Missing:
    for item in items:
        if isinstance(item, dict):  # the usual case, and there may be very many
            if len(item) == 2:
                text, second = item.values()
                if type(text) is str and text == name:
                    return second
                if not isinstance(text, Any):
                    continue
            else:
                continue
        first = walk(item, (Position(0),))
        type_, text = _opened(None if isinstance(first, Missing) else first)
        is_pair = (
            walk(item, (Position(2),)) is MISSING and walk(item, (Position(1),)) is not MISSING
        )
        if (
            is_pair
            and isinstance(text, str)
            and text == name
            and (type_ is None or type_.kind in (Kind.STRING, Kind.WSTRING))
        ):
            return walk(item, (Position(1),))
    return MISSING
