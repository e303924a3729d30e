"""Tidings and omniORB call each other; two programs on omniORB say what is right."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from decimal import Decimal
from pathlib import Path
from typing import Any as Anything

import pytest

from tests.real.interop import omni, shown
from tests.real.interop.objects import Impl, T
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue
from tidings.events.reference import Reference
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import SystemException
from tidings.orb.ior import to_ior

VERSIONS = ("1.0", "1.1", "1.2")


@pytest.fixture(scope="session")
def right(programs: Path) -> dict[str, tuple[list[str], list[str]]]:
    """What client and server say when both are on omniORB, by the version of GIOP."""

    async def run(version: str) -> tuple[list[str], list[str]]:
        options = ("-ORBmaxGIOPVersion", version)
        async with omni.server(programs, *options) as server:
            answers = await omni.client(programs, *options, server.reference)
            return answers, await server.said()

    return {version: asyncio.run(run(version)) for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_client_on_omniorb_gets_the_same_from_us(
    version: str, programs: Path, right: dict[str, tuple[list[str], list[str]]]
) -> None:
    async with Orb() as orb:
        await orb.listen()
        servant = Impl(orb)
        reference = orb.activate(servant, b"interop")
        answers = await omni.client(programs, "-ORBmaxGIOPVersion", version, to_ior(reference))
        assert _compared(version, answers, servant.said) == _compared(version, *right[version])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("little", [True, False])
async def test_a_server_on_omniorb_gets_the_same_from_us(
    version: str, little: bool, programs: Path, right: dict[str, tuple[list[str], list[str]]]
) -> None:
    options = Options(little=little)
    async with (
        omni.server(programs, "-ORBmaxGIOPVersion", version) as server,
        Orb(options) as orb,
    ):
        caller = Caller(orb, orb.stub(T.I, server.reference))
        await caller.call_all()
        assert _compared(version, caller.answers, await server.said()) == _compared(
            version, *right[version]
        )


def _compared(version: str, answers: list[str], said: list[str]) -> tuple[list[str], list[str]]:
    """Both sides' lines. Before GIOP 1.2 wide characters fail, with an exception of choice."""
    if version == "1.2":
        return answers, said
    (wide,) = [line for line in answers if line.startswith("ws ")]
    assert "minor" in wide
    return [line for line in answers if line != wide], said


class Caller:
    """Makes the calls that `cpp/client.cc` makes, and says the same about them."""

    def __init__(self, orb: Orb, stub: Anything) -> None:
        self.answers: list[str] = []
        self._orb = orb
        self._stub = stub

    async def _attempt(self, what: str, call: Coroutine[Anything, Anything, str]) -> None:
        try:
            answer = await call
        except T.Oops as oops:
            answer = f"Oops {oops.why} {oops.code_}"
        except SystemException as error:
            answer = f"{error.NAME} minor {error.minor:x} completed {error.completed}"
        self.answers.append(f"{what} {answer}".rstrip() if answer else f"{what} ")

    async def call_all(self) -> None:
        await self._attempt("name", self._stub.get_name())
        for what in ("att", "set_att", "prim"):
            await self._attempt(what.removeprefix("set_"), getattr(self, f"_{what}")())
        for value in self._anys():
            await self._attempt("echo", self._echo(value))
        for what in ("turn", "ws", "text", "ow"):
            await self._attempt(what, getattr(self, f"_{what}")())
        for size in (0, 1, 20_000, 300_001):
            await self._attempt("big", self._big(bytes(k * 7 % 256 for k in range(size))))
        await self._attempt("fail", self._stub.fail())
        await self._attempt("broken", self._stub.broken())
        for what in ("obj", "obj_nil", "is_a", "non_existent"):
            await self._attempt(what.removesuffix("_nil"), getattr(self, f"_{what}")())

    async def _att(self) -> str:
        return str(await self._stub.get_att())

    async def _set_att(self) -> str:
        await self._stub.set_att(5)
        return await self._att()

    async def _prim(self) -> str:
        total, twice = await self._stub.prim(
            1, True, -2, 3, -4, 18_000_000_000_000_000_000, 1.5, 2.5, Decimal("123.45")
        )
        return f"{total:g} {shown.money(twice)}"

    def _anys(self) -> list[Anything]:
        record = Any(T.S_TYPE, (1, 2.5, UnionValue("green", "hi")))
        node = (1, ((2, ()), (3, ((4, ()),))))
        return [
            record,
            Any(T.Color_TYPE, "green"),
            "abc",
            Any(tc.SHORT, 5),
            Any(T.Node_TYPE, node),
            self._stub._reference,
            None,
            Any(T.U_TYPE, UnionValue("blue", 0.25)),
            Any(tc.ANY, record),
            -5_000_000_000,
        ]

    async def _echo(self, value: Anything) -> str:
        back = await self._stub.echo(value)
        assert back == value
        return shown.any_value(back)

    async def _turn(self) -> str:
        given = T.S(3, -0.5, UnionValue("red", 77))
        back, swapped, tree = await self._stub.turn(given, UnionValue("green", "other"))
        return f"{shown.record(back)} {shown.choice(swapped)} {shown.node(tree)}"

    async def _ws(self) -> str:
        return shown.wide(await self._stub.ws("hé中", "x", "c"))

    async def _text(self) -> str:
        return shown.wide(await self._stub.text("hé!"))

    async def _ow(self) -> str:
        await self._stub.ow(9)
        await self._stub.ow(10)
        return str(await self._stub.last())

    async def _big(self, octets: bytes) -> str:
        back = await self._stub.big(octets)
        assert back == octets
        return shown.octets(back)

    async def _obj(self) -> str:
        back = await self._stub.obj(self._stub._reference)
        return "same" if back.profiles == self._stub._reference.profiles else "different"

    async def _obj_nil(self) -> str:
        back = await self._stub.obj(Reference())
        return "live" if back.profiles else "nil"

    async def _is_a(self) -> str:
        nameless = Reference("", self._stub._reference.profiles)
        ids = ("IDL:T/Base:1.0", "IDL:omg.org/CORBA/Object:1.0", "IDL:T/Other:1.0")
        return "".join([str(int(await self._orb.is_a(nameless, id))) for id in ids])

    async def _non_existent(self) -> str:
        return str(int(await self._orb.non_existent(self._stub._reference)))
