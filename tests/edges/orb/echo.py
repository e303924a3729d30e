"""A small interface, written out by hand: what the tests of the runtime call."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import NO_PERMISSION, UserException
from tidings.orb.stubs import Interface, Operation, Servant, Stub


class Bad(UserException):
    ID: ClassVar[str] = "IDL:tests/Bad:1.0"

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.number = code

    @staticmethod
    def write(writer: Writer, error: Any) -> None:
        writer.long(error.number)

    @staticmethod
    def read(reader: Reader) -> Bad:
        return Bad(reader.long())


def operation(
    name: str,
    *parts: str,
    returns: str = "",
    raises: tuple[type[Bad], ...] = (),
    oneway: bool = False,
) -> Operation:
    """An operation whose arguments and result are of types that `Reader` and `Writer` know."""

    def write_arguments(writer: Writer, values: tuple[Any, ...]) -> None:
        for part, value in zip(parts, values, strict=True):
            getattr(writer, part)(value)

    def read_arguments(reader: Reader) -> tuple[Any, ...]:
        return tuple([getattr(reader, part)() for part in parts])

    def write_result(writer: Writer, value: Any) -> None:
        if returns:
            getattr(writer, returns)(value)

    def read_result(reader: Reader) -> Any:
        return getattr(reader, returns)() if returns else None

    codecs = (write_arguments, read_arguments, write_result, read_result)
    return Operation(name, name, *codecs, raises, oneway)


BASE = Interface("IDL:tests/Base:1.0", "tests::Base", (), {})
ECHO = operation("echo", "string", returns="string")
ADD = operation("add", "long", "long", returns="long")
NOTE = operation("note", "long", oneway=True)
FAIL = operation("fail", "long", raises=(Bad,))
ODD = operation("odd", "string")
NAP = operation("nap", "ulong", returns="ulong")
BIG = operation("big", "octets", returns="octets")
MISSING = operation("missing")
UNKNOWN = operation("unknown")

OPERATIONS = {each.name: each for each in (ECHO, ADD, NOTE, FAIL, ODD, NAP, BIG, MISSING)}
INTERFACE = Interface("IDL:tests/Echo:1.0", "tests::Echo", (BASE,), OPERATIONS)


class Echo(Stub):
    INTERFACE = INTERFACE

    async def echo(self, text: str) -> Any:
        return await self._call("echo", text)

    async def add(self, one: int, two: int) -> Any:
        return await self._call("add", one, two)

    async def nap(self, milliseconds: int) -> Any:
        return await self._call("nap", milliseconds)

    async def big(self, octets: bytes) -> Any:
        return await self._call("big", octets)

    async def odd(self, what: str) -> None:
        await self._call("odd", what)


class EchoServant(Servant):
    INTERFACE = INTERFACE

    def __init__(self) -> None:
        self.seen: list[int] = []

    def echo(self, text: str) -> str:
        return text

    async def add(self, one: int, two: int) -> int:
        return one + two

    async def note(self, number: int) -> None:
        self.seen.append(number)

    async def fail(self, code: int) -> None:
        raise Bad(code)

    def odd(self, what: str) -> None:
        raise {"system": NO_PERMISSION(7, why="not you"), "unlisted": Bad(1)}.get(
            what, ZeroDivisionError("a bug")
        )

    async def nap(self, milliseconds: int) -> int:
        await asyncio.sleep(milliseconds / 1000)
        return milliseconds

    def big(self, octets: bytes) -> bytes:
        return octets
