"""Reading texts, characters, and the rare numbers of CDR."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Final

from tidings.orb.cdr_input import Input
from tidings.orb.codesets import ISO_8859_1, UTF_16, code_set_name
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG

# Enough for every fixed; the caller's context may round or trap.
_EXACT: Final = Context(prec=40)
_BIG_MARK: Final = b"\xfe\xff"
_LITTLE_MARK: Final = b"\xff\xfe"


class TextInput(Input):
    """Reads texts in the code sets in force."""

    __slots__ = ()

    # ------------------------------------------------------------ narrow

    def _text_octets(self) -> bytes:
        """The octets of a string without the NUL that ends it."""
        # Most of what events hold is text, so the count is read here and not by `ulong`.
        buffer = self.buffer
        at = self.at + ((self.origin - self.at) & 3)
        start = at + 4
        if start > self.end:
            raise self._short_of("a string", 4)
        count = self._order.ulong(buffer, at)[0]
        self.at = end = start + count
        if not count:
            return b""
        if end > self.end:
            self.at = start
            raise self._short_of("a string", count)
        if buffer[end - 1]:
            raise self.bad(f"a string of {count} octets does not end with NUL")
        octets = buffer[start : end - 1]
        if 0 in octets:
            raise self.bad("a string with a NUL inside")
        return octets

    def string(self) -> str:
        """A string."""
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
        why = f"octet {octet} is no character of {code_set_name(self.codesets.char)}"
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
        """The 16 octets of a long double, most significant first: what they mean differs."""
        self.align(8)
        octets = self.take(16)
        return octets[::-1] if self.little else octets

    def fixed(self, digits: int, scale: int) -> Decimal:
        """An exact decimal number."""
        octets = self.take((digits + 2) // 2)
        nibbles = octets.hex()
        sign, spelled = nibbles[-1], nibbles[:-1]
        if sign not in "cd" or not spelled.isdecimal():
            raise self.bad(f"{nibbles} is no fixed: digits and then C or D")
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
