"""Service contexts of requests and replies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidings.orb.codesets import CodeSets
from tidings.orb.components import encapsulation_reader, encapsulation_writer
from tidings.orb.exceptions import BAD_PARAM

CODE_SETS: Final = 1
BI_DIR_IIOP: Final = 5
EXCEPTION_DETAIL: Final = 14

# More addresses than this are no offer that anybody could want.
MOST_POINTS: Final = 64


def write_code_sets(codesets: CodeSets) -> bytes:
    """The context that names the code sets in force."""
    writer = encapsulation_writer()
    writer.ulong(codesets.char)
    writer.ulong(codesets.wchar or 0)
    return writer.getvalue()


def read_code_sets(data: bytes) -> CodeSets:
    """The code sets a context names, supported or not."""
    reader = encapsulation_reader(data)
    char, wchar = reader.ulong(), reader.ulong()
    return CodeSets(char, wchar or None)


def write_listen_points(points: Iterable[tuple[str, int]]) -> bytes:
    """The context that offers objects at these addresses on this connection."""
    listed = list(points)
    writer = encapsulation_writer()
    writer.ulong(len(listed))
    for host, port in listed:
        writer.latin(host)
        writer.ushort(port)
    return writer.getvalue()


def read_listen_points(data: bytes) -> tuple[tuple[str, int], ...]:
    """The addresses whose objects may be called over the connection."""
    reader = encapsulation_reader(data)
    count = reader.length(6)
    if count > MOST_POINTS:
        raise BAD_PARAM(why=f"{count} listen points; at most {MOST_POINTS} are accepted")
    return tuple([(reader.latin(), reader.ushort()) for _ in range(count)])
