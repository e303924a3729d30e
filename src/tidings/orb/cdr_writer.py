"""Writing CDR, the octets of GIOP messages."""

from __future__ import annotations

from tidings.orb.cdr_text_output import TextOutput
from tidings.orb.cdr_typecode_writer import write_typecode
from tidings.orb.cdr_value_writer import write_any, write_reference


class Writer(TextOutput):
    """Writes the values of a message one after another.

    The arguments are those of `Output`. A value that does not fit its type raises `BAD_PARAM`,
    and a text that does not fit the code set `DATA_CONVERSION`.
    """

    __slots__ = ()

    any = write_any
    typecode = write_typecode
    reference = write_reference
