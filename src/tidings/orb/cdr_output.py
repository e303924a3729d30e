"""Writing CDR without TypeCodes: octets, numbers, texts and encapsulations.

Every method writes one value, after zeros as padding for its alignment. A value that does not fit
raises `BAD_PARAM`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from decimal import Context, Decimal, InvalidOperation
from struct import Struct, error, pack
from typing import Any, ClassVar, Final, TypeAlias

from tidings.events.texts import shortened
from tidings.orb.codesets import CODECS, NOT_NEGOTIATED, UTF_16, CodeSets, code_set_name
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG
from tidings.orb.limits import DEFAULT_LIMITS, Limits
from tidings.orb.quad import quad_octets

# The methods are named as the types of IDL, so `float` means another thing inside the class.
Real: TypeAlias = float
_Integer: TypeAlias = "Callable[[Output, int], None]"
_Float: TypeAlias = "Callable[[Output, Real], None]"
# How an unsigned long is written, by whether it is little endian.
_ULONG: Final = (Struct(">I").pack, Struct("<I").pack)
_BIG_MARK: Final = b"\xfe\xff"
_PADDING: Final = tuple(bytes(size) for size in range(16))


def _number(code: str, size: int, type_: str) -> Callable[[Output, Any], None]:
    """The method that writes a number; `code` is that of `struct`."""
    little, big = Struct(f"<{code}").pack, Struct(f">{code}").pack
    mask = size - 1

    def write(self: Output, value: Any) -> None:  # noqa: ANN401 - whatever it is, it is checked
        try:
            octets = (little if self.little else big)(value)
        except (error, OverflowError) as fault:  # a float that is too large is not infinite
            raise _misfit(value, type_) from fault
        if value is True or value is False:
            raise _misfit(value, type_)
        buffer = self.buffer
        padding = (self.origin - len(buffer)) & mask
        if padding:
            buffer += _PADDING[padding]
        buffer += octets

    return write


class Output:
    """Writes octets, numbers, and texts in the code sets in force.

    Attributes:
        origin: The place alignment counts from; negative if octets precede the buffer.
        minor: The minor version of GIOP, which decides how wide characters are encoded.
        depth: How many anys and recursive types are being written.
    """

    __slots__ = (
        "_codec",
        "_ulong",
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
        self._ulong = _ULONG[little]
        self._codec = CODECS[codesets.char]

    def getvalue(self) -> bytes:
        """The octets written so far."""
        return bytes(self.buffer)

    @property
    def at(self) -> int:
        """The place of the next octet."""
        return len(self.buffer)

    # ------------------------------------------------------------ octets

    def align(self, size: int) -> None:
        """Write zeros up to a multiple of `size`, a power of 2."""
        self.buffer += _PADDING[(self.origin - len(self.buffer)) & (size - 1)]

    def raw(self, octets: bytes | bytearray | memoryview) -> None:
        """Write octets as they are."""
        self.buffer += octets

    def octets(self, value: bytes | bytearray | memoryview | Collection[int]) -> None:
        """Write a sequence of octets."""
        octets = _as_octets(value)
        self.ulong(len(octets))
        self.buffer += octets

    def octet_array(self, value: bytes | bytearray | Collection[int], count: int) -> None:
        """Write an array of octets."""
        octets = _as_octets(value)
        if len(octets) != count:
            raise BAD_PARAM(why=f"{len(octets)} octets for an array of {count}")
        self.buffer += octets

    def length(self, count: int) -> None:
        """Write the count of a sequence."""
        self.ulong(count)

    def begin_encapsulation(self) -> tuple[int, int]:
        """Start an encapsulation; pass the result to `end_encapsulation`."""
        self.ulong(0)
        outer = self.origin
        self.origin = len(self.buffer)
        self.buffer.append(self.little)
        return self.origin, outer

    def end_encapsulation(self, begun: tuple[int, int]) -> None:
        """End the encapsulation: fill in its length."""
        start, outer = begun
        self.buffer[start - 4 : start] = self._ulong(len(self.buffer) - start)
        self.origin = outer

    # ------------------------------------------------------------ numbers

    def boolean(self, value: bool) -> None:
        """Write a boolean."""
        if value is not True and value is not False:
            raise BAD_PARAM(why=f"{shortened(value)} is not a boolean")
        self.buffer.append(value)

    def octet(self, value: int) -> None:
        """Write an octet."""
        try:
            if value is True or value is False:
                raise _misfit(value, "octet")
            self.buffer.append(value)
        except (TypeError, ValueError) as fault:
            raise _misfit(value, "octet") from fault

    short: ClassVar[_Integer] = _number("h", 2, "short")
    ushort: ClassVar[_Integer] = _number("H", 2, "unsigned short")
    long: ClassVar[_Integer] = _number("i", 4, "long")
    ulong: ClassVar[_Integer] = _number("I", 4, "unsigned long")
    longlong: ClassVar[_Integer] = _number("q", 8, "long long")
    ulonglong: ClassVar[_Integer] = _number("Q", 8, "unsigned long long")
    float: ClassVar[_Float] = _number("f", 4, "float")
    double: ClassVar[_Float] = _number("d", 8, "double")

    def numbers(self, code: str, size: int, values: Collection[Real], type_: str) -> None:
        """Write numbers of one type in a row; `code` is that of `struct`."""
        if not values:
            return
        try:
            octets = pack(f"{'<' if self.little else '>'}{len(values)}{code}", *values)
        except (error, OverflowError) as fault:
            raise BAD_PARAM(why=f"an element is not a valid {type_}: {fault}") from fault
        if bool in set(map(type, values)):
            raise BAD_PARAM(why=f"an element is not a valid {type_}; it is a boolean")
        self.align(size)
        self.buffer += octets

    # ------------------------------------------------------------ narrow

    def string(self, value: str) -> None:
        """Write a string."""
        try:
            octets = value.encode(self._codec)
        except (UnicodeEncodeError, AttributeError) as fault:
            raise self._unwritable(value, code_set_name(self.codesets.char)) from fault
        self._text(octets)

    def latin(self, value: str) -> None:
        """Write a repository id or name of an operation: Latin-1 on every connection."""
        try:
            octets = value.encode("latin-1")
        except (UnicodeEncodeError, AttributeError) as fault:
            raise self._unwritable(value, "ISO 8859-1") from fault
        self._text(octets)

    def name(self, value: str) -> None:
        """Write a name inside a TypeCode: ASCII, or else UTF-8."""
        try:
            octets = value.encode()
        except (UnicodeEncodeError, AttributeError) as fault:
            raise self._unwritable(value, "UTF-8") from fault
        self._text(octets)

    def _text(self, octets: bytes) -> None:
        if 0 in octets:
            raise BAD_PARAM(why=f"{shortened(octets)} has a NUL inside, which no string can carry")
        buffer = self.buffer
        padding = (self.origin - len(buffer)) & 3
        # The count, the octets and a NUL; most of what events hold is text.
        buffer += b"\0" * padding + self._ulong(len(octets) + 1) + octets + b"\0"

    def _unwritable(self, value: object, set_name: str) -> BAD_PARAM | DATA_CONVERSION:
        if not isinstance(value, str):
            return BAD_PARAM(why=f"{shortened(value)} is not a text")
        return DATA_CONVERSION(OMG | 1, why=f"{shortened(value)} does not fit {set_name}")

    def char(self, value: str) -> None:
        """Write a character of one octet."""
        _check_character(value, "character")
        try:
            octets = value.encode(self._codec)
        except UnicodeEncodeError as fault:
            raise self._unwritable(value, code_set_name(self.codesets.char)) from fault
        if len(octets) != 1:
            name = code_set_name(self.codesets.char)
            why = f"{value!r} takes {len(octets)} octets in {name}; a char has one"
            raise DATA_CONVERSION(OMG | 1, why=why)
        self.buffer += octets

    # ------------------------------------------------------------ wide

    def wchar(self, value: str) -> None:
        """Write a wide character."""
        self._check_wide()
        _check_character(value, "wide character")
        octets = self._wide(value)
        if self.minor >= 2:
            self.buffer.append(len(octets))
        elif len(octets) > 2:
            why = f"{value!r} takes two UTF-16 units; in GIOP 1.1 a wide character is one"
            raise DATA_CONVERSION(OMG | 1, why=why)
        else:
            self.align(2)
        self.buffer += octets

    def wstring(self, value: str) -> None:
        """Write a wide string: in GIOP 1.2 big endian, with a mark only where needed."""
        self._check_wide()
        if not isinstance(value, str):
            raise BAD_PARAM(why=f"{shortened(value)} is not a text")
        if "\0" in value:
            raise BAD_PARAM(why=f"{shortened(value)} has a NUL inside, which no string can carry")
        octets = self._wide(value)
        if self.minor < 2:
            self.ulong(len(octets) // 2 + 1)
            self.buffer += octets
            self.buffer += b"\0\0"
            return
        if value[:1] in ("\ufeff", "\ufffe"):
            # What looks like a mark would be taken for one, so a true one goes before it.
            octets = _BIG_MARK + octets
        self.ulong(len(octets))
        self.buffer += octets

    def _check_wide(self) -> None:
        if not self.minor:
            raise MARSHAL(OMG | 5, why="GIOP 1.0 has no wide characters")
        if self.codesets.wchar != UTF_16:
            raise BAD_PARAM(OMG | 23, why="no code set was agreed for wide characters")

    def _wide(self, value: str) -> bytes:
        try:
            return value.encode("utf-16-le" if self.minor < 2 and self.little else "utf-16-be")
        except UnicodeEncodeError as fault:
            raise self._unwritable(value, "UTF-16") from fault

    # ------------------------------------------------------------ rare numbers

    def longdouble(self, value: bytes | Real) -> None:
        """Write a long double: 16 octets, most significant first, or a number."""
        octets = _long_double(value)
        self.align(8)
        self.buffer += octets[::-1] if self.little else octets

    def fixed(self, value: Decimal, digits: int, scale: int) -> None:
        """Write an exact decimal number."""
        _check_decimal(value)
        # A context of our own: the caller's may trap, round or limit in other ways.
        context = Context(prec=digits, traps=[InvalidOperation])
        try:
            exact = Decimal(value).quantize(Decimal((0, (1,), -scale)), context=context)
        except InvalidOperation as fault:
            why = f"{shortened(value)} has too many digits for fixed<{digits},{scale}>"
            raise BAD_PARAM(why=why) from fault
        if exact != value:
            why = f"{shortened(value)} has too many decimals for fixed<{digits},{scale}>"
            raise BAD_PARAM(why=why)
        spelled = "".join(map(str, exact.as_tuple().digits))
        # The sign makes the count of nibbles even; nothing else may stand before the digits.
        nibbles = spelled.rjust(digits + 1 - digits % 2, "0") + ("d" if exact < 0 else "c")
        self.buffer += bytes.fromhex(nibbles)


def _as_octets(value: object) -> bytes | bytearray:
    if isinstance(value, bytes | bytearray):
        return value
    try:
        if isinstance(value, memoryview | list | tuple):
            return bytes(value)
    except (TypeError, ValueError) as fault:
        raise BAD_PARAM(why=f"{shortened(value)} holds something other than octets") from fault
    raise BAD_PARAM(why=f"{shortened(value)} is not a sequence of octets")


def _misfit(value: object, type_: str) -> BAD_PARAM:
    return BAD_PARAM(why=f"{shortened(value)} is not a valid {type_}")


def _check_character(value: object, what: str) -> None:
    if not isinstance(value, str) or len(value) != 1:
        raise BAD_PARAM(why=f"{shortened(value)} is not a valid {what}")


def _check_decimal(value: object) -> None:
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        raise BAD_PARAM(why=f"{shortened(value)} is not a decimal number")


def _long_double(value: object) -> bytes:
    if isinstance(value, float):
        return quad_octets(value)
    if isinstance(value, bytes) and len(value) == 16:
        return value
    raise BAD_PARAM(why=f"{shortened(value)} is not a long double: a float, or 16 octets")
