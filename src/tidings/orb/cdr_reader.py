"""Reading CDR, the octets of GIOP messages."""

from __future__ import annotations

from tidings.orb.cdr_text_input import TextInput
from tidings.orb.cdr_typecode import read_typecode
from tidings.orb.cdr_value_reader import read_any, read_reference


class Reader(TextInput):
    """Reads the values of a message one after another.

    The arguments are those of `Input`. Wherever the octets do not hold the value that is asked
    for, a `SystemException` says so: `MARSHAL`, or `DATA_CONVERSION` for characters.
    """

    __slots__ = ()

    any = read_any
    typecode = read_typecode
    reference = read_reference
