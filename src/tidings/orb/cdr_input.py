"""Reading the basis of CDR: octets, numbers and encapsulations.

`TextInput` adds texts, and `Reader` what needs TypeCodes. Every method reads one value at the
current place, after the padding that its alignment asks for, and moves on. What the octets
do not hold raises `MARSHAL`; nothing is read beyond the end, and nothing large is made before
its octets are known to be there.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct, unpack_from
from typing import Final, Self, TypeAlias

from tidings.orb.codesets import CODECS, NOT_NEGOTIATED, CodeSets
from tidings.orb.exceptions import IMP_LIMIT, MARSHAL
from tidings.orb.limits import DEFAULT_LIMITS, Limits

# The methods are named as the types of IDL, so `float` means another thing inside the class.
Real: TypeAlias = float
_Integer: TypeAlias = Callable[[bytes, int], tuple[int, ...]]
_Real: TypeAlias = Callable[[bytes, int], tuple[Real, ...]]


class _Order:
    """How numbers are read in one byte order."""

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.short: _Integer = Struct(sign + "h").unpack_from
        self.ushort: _Integer = Struct(sign + "H").unpack_from
        self.long: _Integer = Struct(sign + "i").unpack_from
        self.ulong: _Integer = Struct(sign + "I").unpack_from
        self.longlong: _Integer = Struct(sign + "q").unpack_from
        self.ulonglong: _Integer = Struct(sign + "Q").unpack_from
        self.float: _Real = Struct(sign + "f").unpack_from
        self.double: _Real = Struct(sign + "d").unpack_from


_LITTLE: Final = _Order("<")
_BIG: Final = _Order(">")

# Elements of so many octets or more are structs and anys; shorter ones are numbers and texts.
_CHARGED: Final = 8


class Input:
    """Reads octets and numbers.

    Args:
        octets: The whole message or encapsulation.
        little: Whether numbers are little endian.
        at: Where reading starts.
        origin: The place alignment counts from.
        minor: The minor version of GIOP, which says how wide characters travel.
        codesets: The code sets in force.
        limits: What is taken.

    Attributes:
        at: The place of the next octet to read.
        end: The place after the last octet that may be read.
        depth: How many anys, containers and recursive types are being read.
        foreign: How many texts and characters were read that have other octets in other code
            sets; shared by the readers of one message.
        spent: TypeCodes, empty values and elements read so far; shared by the readers of one
            message.
    """

    __slots__ = (
        "_codec",
        "_order",
        "at",
        "buffer",
        "codesets",
        "depth",
        "end",
        "foreign",
        "limits",
        "little",
        "minor",
        "origin",
        "spent",
    )

    def __init__(
        self,
        octets: bytes | bytearray | memoryview,
        *,
        little: bool,
        at: int = 0,
        origin: int = 0,
        minor: int = 2,
        codesets: CodeSets = NOT_NEGOTIATED,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.buffer = octets if type(octets) is bytes else bytes(octets)
        self.at = at
        self.end = len(self.buffer)
        self.origin = origin
        self.little = little
        self.minor = minor
        self.codesets = codesets
        self.limits = limits
        self.depth = 0
        self.foreign = [0]
        self.spent = [0, 0, 0]
        self._order = _LITTLE if little else _BIG
        self._codec = CODECS[codesets.char]

    @property
    def left(self) -> int:
        """How many octets are left."""
        return self.end - self.at

    def bad(self, why: str) -> MARSHAL:
        """The exception for octets that do not hold what they should."""
        return MARSHAL(why=f"at octet {self.at - self.origin}: {why}")

    def _short_of(self, what: str, size: int) -> MARSHAL:
        return self.bad(f"{what} needs {size} octets, and {max(0, self.end - self.at)} are left")

    # ------------------------------------------------------------ octets

    def align(self, size: int) -> None:
        """Skips padding up to a multiple of `size`, a power of 2."""
        at = self.at + ((self.origin - self.at) & (size - 1))
        if at > self.end:
            raise self._short_of("padding", at - self.at)
        self.at = at

    def take(self, count: int) -> bytes:
        """The next octets."""
        at = self.at
        if not 0 <= count <= self.end - at:
            raise self._short_of("a run of octets", count)
        self.at = at + count
        return self.buffer[at : at + count]

    def octets(self) -> bytes:
        """A sequence of octets."""
        count = self.ulong()
        at = self.at
        if count > self.end - at:
            raise self._short_of("a sequence of octets", count)
        self.at = at + count
        return self.buffer[at : at + count]

    def length(self, smallest: int) -> int:
        """The count of a sequence, believed only if the elements can be there, and charged.

        Args:
            smallest: The least octets an element takes; 0 for elements without any.
        """
        count = self.count(smallest)
        if smallest >= _CHARGED:
            self.charge(count)
        return count

    def charge(self, count: int) -> None:
        """Counts elements that are read one by one, before the first is."""
        spent = self.spent[2] = self.spent[2] + count
        if spent > self.limits.elements:
            most = self.limits.elements
            raise IMP_LIMIT(why=f"more than the {most} elements that one message may hold")

    def count(self, smallest: int) -> int:
        """The count of a sequence whose elements are read in one step; as `length`."""
        count = self.ulong()
        if not smallest:
            self.charge_empty(count)
        elif count * smallest > self.end - self.at:
            raise self._short_of(f"a sequence of {count} elements", count * smallest)
        return count

    def charge_empty(self, count: int) -> None:
        """Counts values that take no octets: nothing else bounds them."""
        spent = self.spent[1] = self.spent[1] + count
        if spent > self.limits.empty_values:
            raise self.bad(f"{spent} values without octets are more than one message may hold")

    def encapsulation(self) -> Self:
        """A reader of the encapsulation that stands here; this one goes on behind it."""
        count = self.ulong()
        start = self.at
        if not 1 <= count <= self.end - start:
            raise self._short_of("an encapsulation", max(1, count))
        self.at = start + count
        inner = object.__new__(type(self))
        inner.buffer = self.buffer
        inner.at = start + 1
        inner.end = start + count
        inner.origin = start
        inner.little = little = self.buffer[start] & 1 == 1
        inner.minor = self.minor
        inner.codesets = self.codesets
        inner.limits = self.limits
        inner.depth = self.depth
        inner.foreign = self.foreign
        inner.spent = self.spent
        inner._order = _LITTLE if little else _BIG
        inner._codec = self._codec
        return inner

    # ------------------------------------------------------------ numbers

    def boolean(self) -> bool:
        """A boolean; every octet but 0 is true."""
        at = self.at
        if at >= self.end:
            raise self._short_of("a boolean", 1)
        self.at = at + 1
        return self.buffer[at] != 0

    def octet(self) -> int:
        """An octet."""
        at = self.at
        if at >= self.end:
            raise self._short_of("an octet", 1)
        self.at = at + 1
        return self.buffer[at]

    def short(self) -> int:
        """A short."""
        at = self.at + ((self.origin - self.at) & 1)
        if at + 2 > self.end:
            raise self._short_of("a short", 2)
        self.at = at + 2
        return self._order.short(self.buffer, at)[0]

    def ushort(self) -> int:
        """An unsigned short."""
        at = self.at + ((self.origin - self.at) & 1)
        if at + 2 > self.end:
            raise self._short_of("an unsigned short", 2)
        self.at = at + 2
        return self._order.ushort(self.buffer, at)[0]

    def long(self) -> int:
        """A long."""
        at = self.at + ((self.origin - self.at) & 3)
        if at + 4 > self.end:
            raise self._short_of("a long", 4)
        self.at = at + 4
        return self._order.long(self.buffer, at)[0]

    def ulong(self) -> int:
        """An unsigned long."""
        at = self.at + ((self.origin - self.at) & 3)
        if at + 4 > self.end:
            raise self._short_of("an unsigned long", 4)
        self.at = at + 4
        return self._order.ulong(self.buffer, at)[0]

    def longlong(self) -> int:
        """A long long."""
        at = self.at + ((self.origin - self.at) & 7)
        if at + 8 > self.end:
            raise self._short_of("a long long", 8)
        self.at = at + 8
        return self._order.longlong(self.buffer, at)[0]

    def ulonglong(self) -> int:
        """An unsigned long long."""
        at = self.at + ((self.origin - self.at) & 7)
        if at + 8 > self.end:
            raise self._short_of("an unsigned long long", 8)
        self.at = at + 8
        return self._order.ulonglong(self.buffer, at)[0]

    def float(self) -> Real:
        """A float."""
        at = self.at + ((self.origin - self.at) & 3)
        if at + 4 > self.end:
            raise self._short_of("a float", 4)
        self.at = at + 4
        return self._order.float(self.buffer, at)[0]

    def double(self) -> Real:
        """A double."""
        at = self.at + ((self.origin - self.at) & 7)
        if at + 8 > self.end:
            raise self._short_of("a double", 8)
        self.at = at + 8
        return self._order.double(self.buffer, at)[0]

    def numbers(self, code: str, size: int, count: int) -> tuple[int, ...]:
        """Numbers of one type in a row; all are read in one step.

        Args:
            code: What `struct` calls the type.
            size: The octets of one, which is also their alignment.
            count: How many.
        """
        if not count:
            return ()
        at = self.at + ((self.origin - self.at) & (size - 1))
        if count * size > self.end - at:
            raise self._short_of(f"a run of {count} numbers", count * size)
        self.at = at + count * size
        return unpack_from(f"{self._order.sign}{count}{code}", self.buffer, at)
