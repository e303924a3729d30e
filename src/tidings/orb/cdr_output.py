"""Writing the basis of CDR: octets, numbers and encapsulations.

`TextOutput` adds texts, and `Writer` what needs TypeCodes. Every method writes one value,
after zeros as padding for its alignment. A value that does not fit raises `BAD_PARAM`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from struct import Struct, error, pack
from typing import Final, TypeAlias

from tidings.events.texts import shortened
from tidings.orb.codesets import CODECS, NOT_NEGOTIATED, CodeSets
from tidings.orb.exceptions import BAD_PARAM
from tidings.orb.limits import DEFAULT_LIMITS, Limits

# The methods are named as the types of IDL, so `float` means another thing inside the class.
Real: TypeAlias = float
_Integer: TypeAlias = Callable[[int], bytes]
_Real: TypeAlias = Callable[[Real], bytes]


class _Order:
    """How numbers are written in one byte order."""

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.short: _Integer = Struct(sign + "h").pack
        self.ushort: _Integer = Struct(sign + "H").pack
        self.long: _Integer = Struct(sign + "i").pack
        self.ulong: _Integer = Struct(sign + "I").pack
        self.longlong: _Integer = Struct(sign + "q").pack
        self.ulonglong: _Integer = Struct(sign + "Q").pack
        self.float: _Real = Struct(sign + "f").pack
        self.double: _Real = Struct(sign + "d").pack


_LITTLE: Final = _Order("<")
_BIG: Final = _Order(">")
_PADDING: Final = tuple(bytes(size) for size in range(16))


class Output:
    """Writes octets and numbers.

    Args:
        little: Whether numbers are little endian.
        minor: The minor version of GIOP, which says how wide characters travel.
        codesets: The code sets in force.
        origin: The place alignment counts from; negative when octets stand before the first.
        limits: How deep values may nest.

    Attributes:
        buffer: What is written so far.
        depth: How many anys and recursive types are being written.
    """

    __slots__ = (
        "_codec",
        "_order",
        "buffer",
        "codesets",
        "depth",
        "limits",
        "little",
        "minor",
        "origin",
    )

    def __init__(
        self,
        *,
        little: bool = True,
        minor: int = 2,
        codesets: CodeSets = NOT_NEGOTIATED,
        origin: int = 0,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.buffer = bytearray()
        self.little = little
        self.minor = minor
        self.codesets = codesets
        self.origin = origin
        self.limits = limits
        self.depth = 0
        self._order = _LITTLE if little else _BIG
        self._codec = CODECS[codesets.char]

    def getvalue(self) -> bytes:
        """What is written so far."""
        return bytes(self.buffer)

    @property
    def at(self) -> int:
        """The place of the next octet."""
        return len(self.buffer)

    # ------------------------------------------------------------ octets

    def align(self, size: int) -> None:
        """Writes zeros up to a multiple of `size`, a power of 2."""
        self.buffer += _PADDING[(self.origin - len(self.buffer)) & (size - 1)]

    def raw(self, octets: bytes | bytearray | memoryview) -> None:
        """Writes octets as they are."""
        self.buffer += octets

    def octets(self, value: bytes | bytearray | memoryview | Collection[int]) -> None:
        """Writes a sequence of octets."""
        octets = _as_octets(value)
        self.ulong(len(octets))
        self.buffer += octets

    def octet_array(self, value: bytes | bytearray | Collection[int], count: int) -> None:
        """Writes an array of octets."""
        octets = _as_octets(value)
        if len(octets) != count:
            raise BAD_PARAM(why=f"{len(octets)} octets for an array of {count}")
        self.buffer += octets

    def length(self, count: int) -> None:
        """Writes the count of a sequence."""
        self.ulong(count)

    def begin_encapsulation(self) -> tuple[int, int]:
        """Starts an encapsulation; what it gives is handed to `end_encapsulation`."""
        self.ulong(0)
        outer = self.origin
        self.origin = len(self.buffer)
        self.buffer.append(self.little)
        return self.origin, outer

    def end_encapsulation(self, begun: tuple[int, int]) -> None:
        """Ends the encapsulation: its length is known now."""
        start, outer = begun
        self.buffer[start - 4 : start] = self._order.ulong(len(self.buffer) - start)
        self.origin = outer

    def encapsulated(self, inner: Output) -> None:
        """Writes what `inner` holds as an encapsulation; it has its own byte order octet."""
        self.octets(inner.buffer)

    # ------------------------------------------------------------ numbers

    def boolean(self, value: bool) -> None:
        """Writes a boolean."""
        if value is not True and value is not False:
            raise BAD_PARAM(why=f"{shortened(value)} is no boolean")
        self.buffer.append(value)

    def octet(self, value: int) -> None:
        """Writes an octet."""
        try:
            if value is True or value is False:
                raise _misfit(value, "octet")
            self.buffer.append(value)
        except (TypeError, ValueError) as fault:
            raise _misfit(value, "octet") from fault

    def short(self, value: int) -> None:
        """Writes a short."""
        try:
            octets = self._order.short(value)
        except error as fault:
            raise _misfit(value, "short") from fault
        self._number(value, octets, 1, "short")

    def ushort(self, value: int) -> None:
        """Writes an unsigned short."""
        try:
            octets = self._order.ushort(value)
        except error as fault:
            raise _misfit(value, "unsigned short") from fault
        self._number(value, octets, 1, "unsigned short")

    def long(self, value: int) -> None:
        """Writes a long."""
        try:
            octets = self._order.long(value)
        except error as fault:
            raise _misfit(value, "long") from fault
        self._number(value, octets, 3, "long")

    def ulong(self, value: int) -> None:
        """Writes an unsigned long."""
        try:
            octets = self._order.ulong(value)
        except error as fault:
            raise _misfit(value, "unsigned long") from fault
        self._number(value, octets, 3, "unsigned long")

    def longlong(self, value: int) -> None:
        """Writes a long long."""
        try:
            octets = self._order.longlong(value)
        except error as fault:
            raise _misfit(value, "long long") from fault
        self._number(value, octets, 7, "long long")

    def ulonglong(self, value: int) -> None:
        """Writes an unsigned long long."""
        try:
            octets = self._order.ulonglong(value)
        except error as fault:
            raise _misfit(value, "unsigned long long") from fault
        self._number(value, octets, 7, "unsigned long long")

    def float(self, value: Real) -> None:
        """Writes a float; what is too large for one does not become infinite."""
        try:
            octets = self._order.float(value)
        except (error, OverflowError) as fault:
            raise _misfit(value, "float") from fault
        self._number(value, octets, 3, "float")

    def double(self, value: Real) -> None:
        """Writes a double."""
        try:
            octets = self._order.double(value)
        except (error, OverflowError) as fault:
            raise _misfit(value, "double") from fault
        self._number(value, octets, 7, "double")

    def _number(self, value: object, octets: bytes, mask: int, type_: str) -> None:
        if value is True or value is False:
            raise _misfit(value, type_)
        buffer = self.buffer
        padding = (self.origin - len(buffer)) & mask
        if padding:
            buffer += _PADDING[padding]
        buffer += octets

    def numbers(self, code: str, size: int, values: Collection[Real], type_: str) -> None:
        """Writes numbers of one type in a row, in one step.

        Args:
            code: What `struct` calls the type.
            size: The octets of one, which is also their alignment.
            values: The numbers.
            type_: What a message calls the type.
        """
        if not values:
            return
        try:
            octets = pack(f"{self._order.sign}{len(values)}{code}", *values)
        except (error, OverflowError) as fault:
            raise BAD_PARAM(why=f"an element is no {type_}: {fault}") from fault
        if bool in set(map(type, values)):
            raise BAD_PARAM(why=f"an element is no {type_} but a boolean")
        self.align(size)
        self.buffer += octets


def _as_octets(value: object) -> bytes | bytearray:
    if isinstance(value, bytes | bytearray):
        return value
    try:
        if isinstance(value, memoryview | list | tuple):
            return bytes(value)
    except (TypeError, ValueError) as fault:
        raise BAD_PARAM(why=f"{shortened(value)} holds what is no octet") from fault
    raise BAD_PARAM(why=f"{shortened(value)} is no sequence of octets")


def _misfit(value: object, type_: str) -> BAD_PARAM:
    return BAD_PARAM(why=f"{shortened(value)} is no {type_}")
