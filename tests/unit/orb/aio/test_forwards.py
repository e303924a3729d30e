"""Servers that send callers elsewhere."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.orb.echo import INTERFACE, Echo, EchoServant
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Orb
from tidings.orb.ior import make_reference
from tidings.orb.poa import Found


def test_a_forward_is_followed_and_remembered() -> None:
    async def run() -> None:
        asked: list[bytes] = []

        def find(key: bytes) -> Found:
            asked.append(key)
            return moved

        async with Orb() as target, Orb(find=find) as forwarder, Orb() as client:
            await target.listen()
            await forwarder.listen()
            moved = target.activate(EchoServant(), b"echo")
            stub = client.stub(Echo, forwarder.reference(b"old", INTERFACE))
            assert await stub.echo("one") == "one"
            assert await stub.echo("two") == "two"
            assert asked == [b"old"]

    asyncio.run(run())


def test_a_long_forward_is_followed_and_not_remembered() -> None:
    async def run() -> None:
        asked: list[bytes] = []

        def find(key: bytes) -> Found:
            asked.append(key)
            return Reference(moved.type_id, (*moved.profiles, (77, bytes(3_000))))

        async with Orb() as target, Orb(find=find) as forwarder, Orb() as client:
            await target.listen()
            await forwarder.listen()
            moved = target.activate(EchoServant(), b"echo")
            stub = client.stub(Echo, forwarder.reference(b"old", INTERFACE))
            for _ in range(2):
                assert await stub.echo("one") == "one"
            assert asked == [b"old", b"old"]

    asyncio.run(run())


def test_a_forward_to_nowhere_falls_back_to_where_it_came_from() -> None:
    async def run() -> None:
        servant = EchoServant()
        places: list[Found] = []

        async with Orb(find=lambda key: places.pop(0)) as server, Orb() as client:
            await server.listen()
            places += [make_reference(INTERFACE.id, "127.0.0.1", 1, b"x"), servant]
            stub = client.stub(Echo, server.reference(b"old", INTERFACE))
            assert await stub.echo("one") == "one"

    asyncio.run(run())


def test_an_object_that_left_where_it_was_forwarded_to_is_asked_for_again() -> None:
    async def run() -> None:
        async with Orb() as target, Orb(find=lambda key: places[0]) as server, Orb() as client:
            await target.listen()
            await server.listen()
            places: list[Found] = [target.activate(EchoServant(), b"echo")]
            stub = client.stub(Echo, server.reference(b"old", INTERFACE))
            assert await stub.echo("there") == "there"
            target.deactivate(b"echo")
            places[0] = EchoServant()
            assert await stub.echo("back") == "back"
            places[0] = None
            with pytest.raises(corba.OBJECT_NOT_EXIST):
                await stub.echo("nowhere")

    asyncio.run(run())


def test_forwards_in_a_circle_end() -> None:
    async def run() -> None:
        async with Orb(find=lambda key: here) as server, Orb() as client:
            await server.listen()
            here = server.reference(b"round", INTERFACE)
            with pytest.raises(corba.TRANSIENT, match="forwarded more than 10 times"):
                await client.stub(Echo, here).echo("x")

    asyncio.run(run())
