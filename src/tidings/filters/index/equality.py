"""Values to buckets: which literals does a field's value equal?

The table keeps literals apart by class, because equality differs: two integers exactly, an integer
and a real as doubles, a one-character literal as text against text and as its code against numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Generic, TypeVar

from tidings.events.fields import Char, EnumLabel, Plain
from tidings.filters.shape import Constant
from tidings.filters.truth import EXACT, OneChar, literal

B = TypeVar("B")

# Around a double below 2**64 the integers that round to it are at most this far away.
_REACH = 1024


class EqualityTable(Generic[B]):
    """Literals with their buckets."""

    __slots__ = ("codes", "integers", "labels", "reals", "texts")

    def __init__(self) -> None:
        self.integers: dict[int, B] = {}
        self.reals: dict[float, B] = {}
        self.texts: dict[str, B] = {}
        self.labels: dict[str, B] = {}
        self.codes: dict[int, B] = {}

    def __len__(self) -> int:
        numbers = len(self.integers) + len(self.reals) + len(self.codes)
        return numbers + len(self.texts) + len(self.labels)

    def slots(self, constant: Constant) -> list[tuple[dict[object, B], object]]:
        """The tables, each with its key, where a literal's bucket belongs."""
        kind = type(constant)
        if kind is int or kind is bool:
            return [(self.integers, int(constant))]  # type: ignore[list-item]
        if kind is float:
            return [(self.reals, constant)]  # type: ignore[list-item]
        if kind is EnumLabel:
            return [(self.labels, str(constant))]  # type: ignore[list-item]
        found: list[tuple[dict[object, B], object]] = [(self.texts, str(constant))]  # type: ignore[list-item]
        if kind is OneChar:
            found.append((self.codes, ord(constant)))  # type: ignore[arg-type]
        return found

    def find(self, value: Plain) -> Sequence[B]:
        """The buckets of all literals that the value equals, each once."""
        kind = type(value)
        # The usual cases first: one class of literals, and a value of that class.
        if kind is str:
            bucket = self.texts.get(value)  # type: ignore[arg-type]
            return () if bucket is None else (bucket,)
        if kind is int and not self.reals and not self.codes:
            bucket = self.integers.get(value)  # type: ignore[arg-type]
            return () if bucket is None else (bucket,)
        return [bucket for _, bucket in self.find_with_literal(value)]

    def find_with_literal(self, value: Plain) -> Iterator[tuple[Constant, B]]:
        """The literals that the value equals, with their buckets."""
        kind = type(value)
        if kind is str or kind is Char:
            if (bucket := self.texts.get(value)) is not None:  # type: ignore[arg-type]
                yield literal(value), bucket  # type: ignore[arg-type]
            if kind is str:
                return
            value = ord(value)  # type: ignore[arg-type]
        elif kind is EnumLabel:
            if (bucket := self.labels.get(value)) is not None:  # type: ignore[arg-type]
                yield value, bucket  # type: ignore[misc]
            return
        elif kind is int or kind is float or kind is bool or kind is Decimal:
            # A number equals a character by its code; a character compared as text above.
            if self.codes and (bucket := self.codes.get(value)) is not None:  # type: ignore[arg-type]
                yield OneChar(chr(int(value))), bucket  # type: ignore[arg-type]
        else:
            return
        yield from self._numbers(value)  # type: ignore[arg-type]

    def _numbers(self, value: float | Decimal) -> Iterator[tuple[Constant, B]]:
        if self.integers:
            if type(value) is float and not -EXACT < value < EXACT:
                for integer in self._rounding_to(value):
                    yield integer, self.integers[integer]
            elif (bucket := self.integers.get(value)) is not None:  # type: ignore[call-overload]
                yield int(value), bucket
        if self.reals and (bucket := self.reals.get(float(value))) is not None:
            yield float(value), bucket

    def _rounding_to(self, value: float) -> list[int]:
        """The integer literals that become this large double when converted."""
        if not -(2.0**64) <= value <= 2.0**64:
            return []
        near = range(int(value) - _REACH, int(value) + _REACH + 1)
        candidates = self.integers if len(self.integers) < len(near) else near
        return [c for c in candidates if c in self.integers and float(c) == value]
