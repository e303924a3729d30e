"""Objects of clients are called back: over connections of their own, or over the client's."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.interop import omni
from tests.interop.objects import Impl, T
from tests.interop.test_omniorb import played
from tidings.orb.aio import Bidirectional, Options, Orb, Targets
from tidings.orb.exceptions import TRANSIENT, SystemException
from tidings.orb.ior import to_ior

OFFER = (
    *("-ORBofferBiDirectionalGIOP", "1", "-ORBacceptBiDirectionalGIOP", "1"),
    # A callback is answered while the call that caused it is still in progress.
    *("-ORBmaxServerThreadPerConnection", "100"),
    *("-ORBclientTransportRule", "* bidir,tcp", "-ORBserverTransportRule", "* bidir,tcp"),
)


def test_an_object_of_a_client_on_omniorb_is_called_back(programs: Path) -> None:
    async def run() -> list[str]:
        async with Orb() as orb:
            await orb.listen()
            reference = to_ior(orb.activate(Impl(orb), b"interop"))
            return await omni.client(programs, *omni.LOCAL, reference, "callback")

    assert played(run()) == ["call_back heard 20", "21"]


def test_it_is_called_back_over_its_own_connection_when_it_offers_that(programs: Path) -> None:
    async def run() -> list[str]:
        options = Options(
            accept_bidirectional=Bidirectional.SAME_HOST,
            targets=Targets(()),  # so there is no other way
        )
        async with Orb(options) as orb:
            await orb.listen()
            reference = to_ior(orb.activate(Impl(orb), b"interop"))
            return await omni.client(programs, *omni.LOCAL, *OFFER, reference, "callback")

    assert played(run()) == ["call_back heard 20", "21"]


def test_without_our_consent_the_offer_is_left(programs: Path) -> None:
    async def run() -> list[str]:
        async with Orb(Options(targets=Targets(()))) as orb:
            await orb.listen()
            reference = to_ior(orb.activate(Impl(orb), b"interop"))
            return await omni.client(programs, *omni.LOCAL, *OFFER, reference, "callback")

    assert played(run()) == ["call_back NO_PERMISSION minor 0 completed 1"]


def test_a_server_on_omniorb_calls_our_object_back(programs: Path) -> None:
    async def run() -> tuple[int, list[str]]:
        async with omni.server(programs) as server, Orb() as orb:
            await orb.listen()
            servant = Impl(orb)
            own = orb.activate(servant, b"listener")
            result = await orb.stub(T.I, server.reference).call_back(own, 30)
            return result, servant.said

    assert played(run()) == (31, ["ow 30", "att 31"])


def test_a_server_on_omniorb_calls_back_over_the_connection_we_offer(programs: Path) -> None:
    async def run() -> tuple[int, list[str]]:
        async with (
            omni.server(programs, *OFFER) as server,
            Orb(Options(offer_bidirectional=True)) as orb,
        ):
            servant = Impl(orb)
            own = orb.activate(servant, b"listener")  # listens nowhere
            result = await orb.stub(T.I, server.reference).call_back(own, 30)
            return result, servant.said

    assert played(run()) == (31, ["ow 30", "att 31"])


def test_a_server_that_vanishes_is_told_from_one_that_closes(programs: Path) -> None:
    async def run() -> SystemException:
        async with Orb() as orb:
            async with omni.server(programs) as server:
                stub = orb.stub(T.I, server.reference)
                await stub.get_att()
                await server.said()
            with pytest.raises(TRANSIENT) as gone:
                async with asyncio.timeout(5):
                    await stub.get_att()
            return gone.value

    assert "refused" in str(played(run()))
