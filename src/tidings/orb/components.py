"""Components of profiles: what a reference says about its server beside the address."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import CodeSetComponent

ORB_TYPE: Final = 0
CODE_SETS: Final = 1
ALTERNATE_ADDRESS: Final = 3

OUR_ORB_TYPE: Final = 0x54494400
"""The number by which this ORB is told: `TID` in ASCII."""


class Component(NamedTuple):
    """A component: its tag and its octets."""

    tag: int
    data: bytes


def encapsulation_reader(octets: bytes) -> Reader:
    """A reader of octets that are an encapsulation."""
    reader = Reader(octets, little=bool(octets and octets[0] & 1))
    reader.octet()
    return reader


def encapsulation_writer() -> Writer:
    """A writer of an encapsulation; its byte order is written."""
    writer = Writer(little=False)
    writer.octet(0)
    return writer


def orb_type_component() -> Component:
    """The component that names this ORB."""
    writer = encapsulation_writer()
    writer.ulong(OUR_ORB_TYPE)
    return Component(ORB_TYPE, writer.getvalue())


def read_orb_type(data: bytes) -> int:
    """The number of an ORB."""
    return encapsulation_reader(data).ulong()


def code_sets_component(sets: CodeSetComponent) -> Component:
    """The component with the code sets of a server."""
    writer = encapsulation_writer()
    for native, conversions in (
        (sets.char, sets.char_conversions),
        (sets.wchar, sets.wchar_conversions),
    ):
        writer.ulong(native)
        writer.ulong(len(conversions))
        writer.numbers("I", 4, conversions, "unsigned long")
    return Component(CODE_SETS, writer.getvalue())


def read_code_sets_component(data: bytes) -> CodeSetComponent:
    """The code sets of a server."""
    reader = encapsulation_reader(data)
    char = reader.ulong()
    chars = reader.numbers("I", 4, reader.length(4))
    wchar = reader.ulong()
    return CodeSetComponent(char, chars, wchar, reader.numbers("I", 4, reader.length(4)))


def alternate_component(host: str, port: int) -> Component:
    """The component with a further address of a server."""
    writer = encapsulation_writer()
    writer.latin(host)
    writer.ushort(port)
    return Component(ALTERNATE_ADDRESS, writer.getvalue())


def read_alternate(data: bytes) -> tuple[str, int]:
    """A further address of a server."""
    reader = encapsulation_reader(data)
    return reader.latin(), reader.ushort()
