"""Writing texts, characters, and the rare numbers of CDR."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Final

from tidings.events.texts import shortened
from tidings.orb.cdr_output import Output
from tidings.orb.codesets import UTF_16, code_set_name
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG
from tidings.orb.quad import quad_octets

_BIG_MARK: Final = b"\xfe\xff"


class TextOutput(Output):
    """Writes texts in the code sets in force."""

    __slots__ = ()

    # ------------------------------------------------------------ narrow

    def string(self, value: str) -> None:
        """Writes a string."""
        try:
            octets = value.encode(self._codec)
        except (UnicodeEncodeError, AttributeError) as fault:
            raise self._unwritable(value, code_set_name(self.codesets.char)) from fault
        self._text(octets)

    def latin(self, value: str) -> None:
        """Writes a repository id or name of an operation: Latin-1 on every connection."""
        try:
            octets = value.encode("latin-1")
        except (UnicodeEncodeError, AttributeError) as fault:
            raise self._unwritable(value, "ISO 8859-1") from fault
        self._text(octets)

    def name(self, value: str) -> None:
        """Writes a name inside a TypeCode: ASCII, or else UTF-8."""
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
        buffer += b"\0" * padding + self._order.ulong(len(octets) + 1) + octets + b"\0"

    def _unwritable(self, value: object, set_name: str) -> BAD_PARAM | DATA_CONVERSION:
        if not isinstance(value, str):
            return BAD_PARAM(why=f"{shortened(value)} is no text")
        return DATA_CONVERSION(OMG | 1, why=f"{shortened(value)} does not fit {set_name}")

    def char(self, value: str) -> None:
        """Writes a character of one octet."""
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
        """Writes a wide character."""
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
        """Writes a wide string: in GIOP 1.2 big endian and without a mark where none is needed."""
        self._check_wide()
        if not isinstance(value, str):
            raise BAD_PARAM(why=f"{shortened(value)} is no text")
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

    def longdouble(self, value: bytes | float) -> None:
        """Writes a long double: 16 octets, most significant first, or a number."""
        octets = _long_double(value)
        self.align(8)
        self.buffer += octets[::-1] if self.little else octets

    def fixed(self, value: Decimal, digits: int, scale: int) -> None:
        """Writes an exact decimal number.

        Raises:
            BAD_PARAM: It is no number, or has more digits or decimals than the type.
        """
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


def _check_character(value: object, what: str) -> None:
    if not isinstance(value, str) or len(value) != 1:
        raise BAD_PARAM(why=f"{shortened(value)} is no {what}")


def _check_decimal(value: object) -> None:
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        raise BAD_PARAM(why=f"{shortened(value)} is no decimal number")


def _long_double(value: object) -> bytes:
    if isinstance(value, float):
        return quad_octets(value)
    if isinstance(value, bytes) and len(value) == 16:
        return value
    raise BAD_PARAM(why=f"{shortened(value)} is no long double: a float, or 16 octets")
