"""Boxes: a value that stands together with what says its type."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import ClassVar, TypeAlias

from tidings.events.reference import Reference
from tidings.events.typecode import Label, TypeCode
from tidings.events.typetext import describe


class UnionValue:
    """A union's value: the discriminator, and the value of the branch it selects."""

    __slots__ = ("discriminator", "value")

    def __init__(self, discriminator: Label, value: Value) -> None:
        self.discriminator = discriminator
        self.value = value

    def __repr__(self) -> str:
        return f"UnionValue({self.discriminator!r}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnionValue) and same(self, other)

    __hash__ = None  # type: ignore[assignment]


class Any:
    """A value together with its type.

    Args:
        type: The TypeCode.
        value: What it holds; checked, and brought to the stored form.

    Raises:
        InvalidEvent: The value does not fit the type.
    """

    __slots__ = ("type", "value")

    type: TypeCode
    value: Value

    def __init__(self, type: TypeCode, value: object) -> None:
        self.type = type
        self.value = Any._check(type, value)

    _check: ClassVar[Callable[[TypeCode, object], Value]]

    @classmethod
    def check_with(cls, check: Callable[[TypeCode, object], Value]) -> None:
        """Says how values are checked: `checking` knows what a box is, so no box can know it."""
        cls._check = staticmethod(check)

    @classmethod
    def trusted(cls, type: TypeCode, value: Value) -> Any:
        """An Any whose value is known to fit: from a decoder driven by the same TypeCode."""
        made = cls.__new__(cls)
        made.type = type
        made.value = value
        return made

    def __repr__(self) -> str:
        return f"Any({describe(self.type)}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Any) and same(self, other)

    __hash__ = None  # type: ignore[assignment]


Value: TypeAlias = (
    "bool | int | float | Decimal | str | bytes | tuple[Value, ...] | dict[str, Value]"
    " | Any | UnionValue | Reference | TypeCode | None"
)


def same(one: Value, two: Value) -> bool:
    """Whether two values are the same in type and value.

    Stricter than `==`, for which 1, 1.0 and True are equal; and NaN is the same as NaN.
    """
    kind = type(one)
    if kind is not type(two):
        return False
    if kind is float:
        return repr(one) == repr(two)
    if kind is tuple:
        return len(one) == len(two) and all(map(same, one, two))  # type: ignore[arg-type]
    if kind is dict:
        return list(one) == list(two) and all(  # type: ignore[arg-type]
            map(same, one.values(), two.values())  # type: ignore[union-attr]
        )
    if isinstance(one, Any) and isinstance(two, Any):
        return one.type == two.type and same(one.value, two.value)
    if isinstance(one, UnionValue) and isinstance(two, UnionValue):
        return same(one.discriminator, two.discriminator) and same(one.value, two.value)
    if isinstance(one, Decimal) and isinstance(two, Decimal):
        return one.as_tuple() == two.as_tuple()
    return one == two
