"""Objects that only callers on this machine find."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.orb.echo import Echo, EchoServant
from tidings.admission import is_loopback
from tidings.orb.aio import Address, Orb
from tidings.orb.aio.links import Links
from tidings.orb.aio.options import Options
from tidings.orb.exceptions import OBJECT_NOT_EXIST
from tidings.orb.poa import Found, ObjectAdapter


def test_a_caller_on_this_machine_finds_what_is_near() -> None:
    servant = EchoServant()

    def find_near(key: bytes) -> Found:
        return servant if key == b"near" else None

    async def run() -> None:
        async with asyncio.timeout(20), Orb(find_near=find_near) as server, Orb() as client:
            host, port = await server.listen()
            stub = client.stub(Echo, f"corbaloc::{host}:{port}/near")
            assert await stub.echo("hello") == "hello"
            with pytest.raises(OBJECT_NOT_EXIST):
                await client.stub(Echo, f"corbaloc::{host}:{port}/far").echo("hello")

    asyncio.run(run())


def test_others_do_not() -> None:
    async def run() -> None:
        far, near = ObjectAdapter(lambda key: None), ObjectAdapter(lambda key: EchoServant())
        links = Links(Options(), far, near)
        assert links.adapter_for(Address("127.0.0.1", 1)) is near
        assert links.adapter_for(Address("10.0.0.1", 1)) is far
        assert Links(Options(), far).adapter_for(Address("127.0.0.1", 1)) is far

    asyncio.run(run())


@pytest.mark.parametrize(
    ("host", "near"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::1%lo", True), ("10.0.0.1", False),
     ("fe80::1%eth0", False), ("", False), ("localhost", False)],
)  # fmt: skip
def test_which_addresses_are_near(host: str, near: bool) -> None:
    assert is_loopback(host) is near
