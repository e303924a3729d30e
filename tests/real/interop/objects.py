"""The interface of the interoperation tests, compiled from its IDL, and a servant of it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any as Anything

from tests.real.interop import shown
from tidings.events.reference import Reference
from tidings.idl.compile import load_idl
from tidings.orb.aio import Orb
from tidings.orb.exceptions import NO_RESOURCES, Completion

T: Anything = load_idl(Path(__file__).parent / "cpp" / "interop.idl")


class Impl(T.IServant):  # type: ignore[misc] # a class made at run time
    """Does what the server in C++ does, and says the same about it."""

    def __init__(self, orb: Orb) -> None:
        self.said: list[str] = []
        self._orb = orb
        self._att = 7
        self._last = 0

    def get_name(self) -> str:
        return "cpp"

    def get_att(self) -> int:
        return self._att

    async def set_att(self, value: int) -> None:
        self._att = value
        self.said.append(f"att {value}")

    def echo(self, a: Anything) -> Anything:
        self.said.append(f"echo {shown.any_value(a)}")
        return a

    async def turn(self, given: Anything, swapped: Anything) -> Anything:
        self.said.append(f"turn {shown.record(given)} {shown.choice(swapped)}")
        a, b, u = given
        return T.S(-a, b, swapped), u, T.Node(1, (T.Node(2, ()),))

    def ws(self, w: str, c: str, ch: str) -> str:
        self.said.append(f"ws {shown.wide(w)} {shown.wide(c)} {ch}")
        return w

    def text(self, s: str) -> str:
        self.said.append(f"text {shown.wide(s)}")
        return s

    async def ow(self, x: int) -> None:
        self._last = x
        self.said.append(f"ow {x}")

    def last(self) -> int:
        return self._last

    def big(self, s: bytes) -> bytes:
        self.said.append(f"big {shown.octets(s)}")
        return s

    def fail(self) -> None:
        raise T.Oops("bad", 42)

    def broken(self) -> None:
        raise NO_RESOURCES(5, Completion.YES)

    def obj(self, o: Reference) -> Reference:
        self.said.append(f"obj {'live' if o.profiles else 'nil'}")
        return o

    def prim(self, *given: Anything) -> tuple[float, Decimal]:
        o, b, s, l, ll, ull, f, d, m = given  # noqa: E741 - as the IDL names them
        numbers = f"{o} {'true' if b else 'false'} {s} {l} {ll} {ull} {f:g} {d:g}"
        self.said.append(f"prim {numbers} {shown.money(m)}")
        return d + f, m + m

    async def nap(self, milliseconds: int) -> None:
        await asyncio.sleep(milliseconds / 1000)

    async def call_back(self, other: Reference, x: int) -> int:
        stub = self._orb.stub(T.I, other)
        await stub.ow(x)
        await stub.set_att(x + 1)
        result: int = await stub.get_att()
        return result
