"""Reading CDR without TypeCodes: octets, numbers, texts and encapsulations.

Every method reads one value at the current place, after the padding of its alignment, and moves
on. Octets that do not hold it raise `MARSHAL`; nothing is read beyond the end, and nothing large
is made before its octets are known to be there.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from struct import Struct, unpack_from
from typing import Any, ClassVar, Final, Self, TypeAlias

from tidings.orb.codesets import CODECS, ISO_8859_1, NOT_NEGOTIATED, UTF_16, CodeSets, code_set_name
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, IMP_LIMIT, MARSHAL, OMG
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

# The methods are named as the types of IDL, so `float` means another thing inside the class.
Real: TypeAlias = float
_Integer: TypeAlias = "Callable[[Input], int]"
_Float: TypeAlias = "Callable[[Input], Real]"
# How an unsigned long is read, by whether it is little endian.
_ULONG: Final = (Struct(">I").unpack_from, Struct("<I").unpack_from)

# Enough for every fixed; the caller's context may round or trap.
_EXACT: Final = Context(prec=40)
_BIG_MARK: Final = b"\xfe\xff"
_LITTLE_MARK: Final = b"\xff\xfe"
# Elements of so many octets or more are structs and anys; shorter ones are numbers and texts.
_CHARGED: Final = 8


def _number(code: str, size: int, what: str) -> Callable[[Input], Any]:
    """The method that reads a number; `code` is that of `struct`."""
    little, big = Struct(f"<{code}").unpack_from, Struct(f">{code}").unpack_from
    mask = size - 1

    def read(self: Input) -> Any:  # noqa: ANN401 - an integer or a float
        at = self.at + ((self.origin - self.at) & mask)
        if at + size > self.end:
            raise self._short_of(what, size)
        self.at = at + size
        return (little if self.little else big)(self.buffer, at)[0]

    return read


class Input:
    """Reads octets, numbers, and texts in the code sets in force.

    Attributes:
        at: The place of the next octet to read.
        end: The place after the last octet that may be read.
        origin: The place alignment counts from.
        minor: The minor version of GIOP, which decides how wide characters are encoded.
        depth: How many anys, containers and recursive types are being read.
        foreign: How many texts read so far have other octets in other code sets; shared by the
            readers of one message.
        spent: TypeCodes, empty values and elements read so far; shared like `foreign`.
    """

    __slots__ = (
        "_codec",
        "_ulong",
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
        limits: MessageLimits = DEFAULT_LIMITS,
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
        self._ulong = _ULONG[little]
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
        """Skip padding up to a multiple of `size`, a power of 2."""
        at = self.at + ((self.origin - self.at) & (size - 1))
        if at > self.end:
            raise self._short_of("padding", at - self.at)
        self.at = at

    def take(self, count: int, what: str = "a run of octets") -> bytes:
        """The next octets; `what` they are, for messages."""
        at = self.at
        if not 0 <= count <= self.end - at:
            raise self._short_of(what, count)
        self.at = at + count
        return self.buffer[at : at + count]

    def octets(self) -> bytes:
        """A sequence of octets."""
        return self.take(self.ulong(), "a sequence of octets")

    def length(self, smallest: int) -> int:
        """The count of a sequence, checked against the octets that are left, and charged.

        `smallest` is the least octets of an element; 0 if it may have none.
        """
        count = self.count(smallest)
        if count and smallest >= _CHARGED:
            self.charge(count)
        return count

    def charge(self, count: int) -> None:
        """Count elements that are read one by one, before the first is."""
        spent = self.spent[2] = self.spent[2] + count
        if spent > self.limits.elements:
            most = self.limits.elements
            raise IMP_LIMIT(why=f"more than the {most} elements that one message may hold")

    def count(self, smallest: int) -> int:
        """As `length`, for elements that are read in one step."""
        count = self.ulong()
        if not smallest:
            self.charge_empty(count)
        elif count * smallest > self.end - self.at:
            raise self._short_of(f"a sequence of {count} elements", count * smallest)
        return count

    def charge_empty(self, count: int) -> None:
        """Count values that take no octets: nothing else bounds them."""
        spent = self.spent[1] = self.spent[1] + count
        if spent > self.limits.empty_values:
            raise self.bad(f"{spent} values without octets are more than one message may hold")

    def encapsulation(self) -> Self:
        """A reader of the encapsulation at this place; this one continues behind it."""
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
        inner._ulong = _ULONG[little]
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

    short: ClassVar[_Integer] = _number("h", 2, "a short")
    ushort: ClassVar[_Integer] = _number("H", 2, "an unsigned short")
    long: ClassVar[_Integer] = _number("i", 4, "a long")
    longlong: ClassVar[_Integer] = _number("q", 8, "a long long")
    ulonglong: ClassVar[_Integer] = _number("Q", 8, "an unsigned long long")
    float: ClassVar[_Float] = _number("f", 4, "a float")
    double: ClassVar[_Float] = _number("d", 8, "a double")

    def ulong(self) -> int:
        """An unsigned long, the most frequent of all."""
        at = self.at + ((self.origin - self.at) & 3)
        if at + 4 > self.end:
            raise self._short_of("an unsigned long", 4)
        self.at = at + 4
        return self._ulong(self.buffer, at)[0]  # type: ignore[no-any-return] # "I" is an integer

    def numbers(self, code: str, size: int, count: int) -> tuple[int, ...]:
        """Read numbers of one type in a row; `code` is that of `struct`."""
        if not count:
            return ()
        at = self.at + ((self.origin - self.at) & (size - 1))
        if count * size > self.end - at:
            raise self._short_of(f"a run of {count} numbers", count * size)
        self.at = at + count * size
        return unpack_from(f"{'<' if self.little else '>'}{count}{code}", self.buffer, at)

    # ------------------------------------------------------------ narrow

    def _text_octets(self) -> bytes:
        """The octets of a string without its final NUL."""
        count = self.ulong()
        if not count:
            return b""
        octets = self.take(count, "a string")
        if octets[-1]:
            raise self.bad(f"a string of {count} octets does not end with NUL")
        if 0 in octets[:-1]:
            raise self.bad("a string with a NUL inside")
        return octets[:-1]

    def string(self) -> str:
        """A string."""
        # Most of what events hold is text in ASCII, which is the same in all our code sets.
        buffer = self.buffer
        start = self.at + ((self.origin - self.at) & 3) + 4
        if start <= self.end:
            end = start + self._ulong(buffer, start - 4)[0]
            octets = buffer[start : end - 1]
            ends = start < end <= self.end and not buffer[end - 1]
            if ends and octets.isascii() and 0 not in octets:
                self.at = end
                return octets.decode()
        octets = self._text_octets()
        try:
            text = octets.decode(self._codec)
        except UnicodeDecodeError as error:
            raise self._undecodable(octets, error) from error
        if not text.isascii():
            self.foreign[0] += 1
        return text

    def latin(self) -> str:
        """A repository id or name of an operation: Latin-1 on every connection."""
        return self._text_octets().decode("latin-1")

    def name(self) -> str:
        """A name inside a TypeCode: ASCII, or else UTF-8 as we write it, or else Latin-1."""
        octets = self._text_octets()
        try:
            return octets.decode()
        except UnicodeDecodeError:
            return octets.decode("latin-1")

    def char(self) -> str:
        """A character of one octet."""
        octet = self.octet()
        if octet < 128:
            return chr(octet)
        self.foreign[0] += 1
        if self.codesets.char == ISO_8859_1:
            return chr(octet)
        why = f"octet {octet} is not a character of {code_set_name(self.codesets.char)}"
        raise DATA_CONVERSION(OMG | 1, why=why)

    def chars(self, count: int) -> tuple[str, ...]:
        """Characters of one octet each, in a row."""
        octets = self.take(count)
        if not octets.isascii():
            self.foreign[0] += 1
        try:
            return tuple(octets.decode("latin-1" if self._codec == "latin-1" else "ascii"))
        except UnicodeDecodeError as error:
            raise self._undecodable(octets, error) from error

    def _undecodable(self, octets: bytes, error: UnicodeDecodeError) -> DATA_CONVERSION:
        name = code_set_name(self.codesets.char)
        why = f"octet {octets[error.start]} at place {error.start + 1} of a text is not {name}"
        return DATA_CONVERSION(OMG | 1, why=why)

    # ------------------------------------------------------------ wide

    def wchar(self) -> str:
        """A wide character."""
        self._check_wide()
        if self.minor < 2:
            self.align(2)
            octets, order = self.take(2), self.little
        else:
            octets, order = self.take(self.octet()), False
            # Two octets are the character itself, be it the mark or not.
            if len(octets) > 2:
                octets, order = _unmarked(octets)
        text = self._wide(octets, order)
        if len(text) != 1:
            raise self.bad(f"a wide character of {len(octets)} octets holds {len(text)} characters")
        return text

    def wstring(self) -> str:
        """A wide string."""
        self._check_wide()
        count = self.ulong()
        if self.minor < 2:
            if not count:
                return ""
            octets, order = self.take(2 * count), self.little
            if octets[-2:] != b"\0\0":
                raise self.bad(f"a wide string of {count} characters does not end with NUL")
            octets = octets[:-2]
        else:
            octets, order = _unmarked(self.take(count))
        text = self._wide(octets, order)
        if "\0" in text:
            raise self.bad("a wide string with a NUL inside")
        return text

    def _check_wide(self) -> None:
        self.foreign[0] += 1
        if not self.minor:
            raise MARSHAL(OMG | 5, why="GIOP 1.0 has no wide characters")
        if self.codesets.wchar != UTF_16:
            raise BAD_PARAM(OMG | 23, why="no code set was agreed for wide characters")

    def _wide(self, octets: bytes, little: bool) -> str:
        try:
            return octets.decode("utf-16-le" if little else "utf-16-be")
        except UnicodeDecodeError as error:
            why = f"a wide text of {len(octets)} octets is not UTF-16 at octet {error.start}"
            raise DATA_CONVERSION(OMG | 1, why=why) from error

    # ------------------------------------------------------------ rare numbers

    def longdouble(self) -> bytes:
        """The 16 octets of a long double, most significant first: their meaning differs."""
        self.align(8)
        octets = self.take(16)
        return octets[::-1] if self.little else octets

    def fixed(self, digits: int, scale: int) -> Decimal:
        """An exact decimal number."""
        octets = self.take((digits + 2) // 2)
        nibbles = octets.hex()
        sign, spelled = nibbles[-1], nibbles[:-1]
        if sign not in "cd" or not spelled.isdecimal():
            raise self.bad(f"{nibbles} is not a fixed: digits and then C or D")
        if len(spelled) > digits and spelled[0] != "0":
            raise self.bad(f"{nibbles} has more than the {digits} digits of its type")
        number = int(spelled)
        return Decimal(-number if sign == "d" else number).scaleb(-scale, _EXACT)


def _unmarked(octets: bytes) -> tuple[bytes, bool]:
    """The octets without a byte order mark, and whether they are little endian."""
    mark = octets[:2]
    if mark == _BIG_MARK:
        return octets[2:], False
    if mark == _LITTLE_MARK:
        return octets[2:], True
    return octets, False
