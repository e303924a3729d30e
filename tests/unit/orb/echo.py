"""A small interface, written out by hand: what the tests of the runtime call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import NO_PERMISSION, UserException
from tidings.orb.stubs import Interface, Operation, Servant, Stub

Write = Callable[[Writer, Any], None]


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


def _nothing(writer: Writer, value: Any) -> None:
    """Writes nothing."""


def operation(
    name: str,
    *parts: str,
    returns: str = "",
    raises: tuple[type[UserException], ...] = (),
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

    return Operation(
        name,
        name.removeprefix("_"),
        write_arguments,
        read_arguments,
        write_result,
        read_result,
        raises,
        oneway,
    )


BASE = Interface("IDL:tests/Base:1.0", "tests::Base", (), {})
ECHO = operation("echo", "string", returns="string")
WIDE = operation("wide", "wstring", returns="wstring")
ADD = operation("add", "long", "long", returns="long")
NOTE = operation("note", "long", oneway=True)
NOTED = operation("noted", returns="string")
FAIL = operation("fail", "long", raises=(Bad,))
ODD = operation("odd", "string")
NAP = operation("nap", "ulong", returns="ulong")
BIG = operation("big", "octets", returns="octets")
GIVE = operation("give", "reference", returns="reference")
GET_NAME = operation("_get_name", returns="string")
MISSING = operation("missing")
UNKNOWN = operation("unknown")

OPERATIONS = {
    each.name: each
    for each in (ECHO, WIDE, ADD, NOTE, NOTED, FAIL, ODD, NAP, BIG, GIVE, GET_NAME, MISSING)
}
INTERFACE = Interface("IDL:tests/Echo:1.0", "tests::Echo", (BASE,), OPERATIONS)


class Echo(Stub):
    INTERFACE = INTERFACE

    async def echo(self, text: str) -> str:
        result: str = await self._call(ECHO, (text,))
        return result

    async def add(self, one: int, two: int) -> int:
        result: int = await self._call(ADD, (one, two))
        return result

    async def note(self, number: int) -> None:
        await self._call(NOTE, (number,))

    async def noted(self) -> str:
        result: str = await self._call(NOTED, ())
        return result

    async def fail(self, code: int) -> None:
        await self._call(FAIL, (code,))

    async def nap(self, milliseconds: int) -> int:
        result: int = await self._call(NAP, (milliseconds,))
        return result

    async def big(self, octets: bytes) -> bytes:
        result: bytes = await self._call(BIG, (octets,))
        return result

    async def odd(self, what: str) -> None:
        await self._call(ODD, (what,))


class EchoServant(Servant):
    INTERFACE = INTERFACE

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.naps = 0
        self.cancelled = 0

    def echo(self, text: str) -> str:
        return text

    def wide(self, text: str) -> str:
        return text

    async def add(self, one: int, two: int) -> int:
        return one + two

    async def note(self, number: int) -> None:
        self.seen.append(number)

    def noted(self) -> str:
        return " ".join(map(str, self.seen))

    async def fail(self, code: int) -> None:
        raise Bad(code)

    def odd(self, what: str) -> object:
        if what == "system":
            raise NO_PERMISSION(7, why="not you")
        if what == "unlisted":
            raise Bad(1)
        if what == "bug":
            raise ZeroDivisionError("a bug")
        return None

    async def nap(self, milliseconds: int) -> int:
        self.naps += 1
        try:
            await asyncio.sleep(milliseconds / 1000)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return milliseconds

    def big(self, octets: bytes) -> bytes:
        return octets

    def give(self, reference: object) -> object:
        return reference

    def get_name(self) -> str:
        return "echo"
