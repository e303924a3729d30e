"""Objects of clients are called back: over connections of their own, or over the client's."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.interop import omni
from tests.real.interop.objects import Impl, T
from tidings.orb.aio import Bidirectional, Options, Orb, Targets
from tidings.orb.exceptions import TRANSIENT
from tidings.orb.ior import to_ior

OFFER = (
    *("-ORBofferBiDirectionalGIOP", "1", "-ORBacceptBiDirectionalGIOP", "1"),
    # A callback is answered while the call that caused it is still in progress.
    *("-ORBmaxServerThreadPerConnection", "100"),
    *("-ORBclientTransportRule", "* bidir,tcp", "-ORBserverTransportRule", "* bidir,tcp"),
)


async def test_an_object_of_a_client_on_omniorb_is_called_back(programs: Path) -> None:
    async with Orb() as orb:
        await orb.listen()
        reference = to_ior(orb.activate(Impl(orb), b"interop"))
        assert await omni.client(programs, *omni.LOCAL, reference, "callback") == [
            "call_back heard 20",
            "21",
        ]


async def test_it_is_called_back_over_its_own_connection_when_it_offers_that(
    programs: Path,
) -> None:
    options = Options(
        accept_bidirectional=Bidirectional.SAME_HOST,
        targets=Targets(()),  # so there is no other way
    )
    async with Orb(options) as orb:
        await orb.listen()
        reference = to_ior(orb.activate(Impl(orb), b"interop"))
        assert await omni.client(programs, *omni.LOCAL, *OFFER, reference, "callback") == [
            "call_back heard 20",
            "21",
        ]


async def test_without_our_consent_the_offer_is_left(programs: Path) -> None:
    async with Orb(Options(targets=Targets(()))) as orb:
        await orb.listen()
        reference = to_ior(orb.activate(Impl(orb), b"interop"))
        assert await omni.client(programs, *omni.LOCAL, *OFFER, reference, "callback") == [
            "call_back NO_PERMISSION minor 0 completed 1"
        ]


async def test_a_server_on_omniorb_calls_our_object_back(programs: Path) -> None:
    async with omni.server(programs) as server, Orb() as orb:
        await orb.listen()
        servant = Impl(orb)
        own = orb.activate(servant, b"listener")
        result = await orb.stub(T.I, server.reference).call_back(own, 30)
        assert (result, servant.said) == (31, ["ow 30", "att 31"])


async def test_a_server_on_omniorb_calls_back_over_the_connection_we_offer(programs: Path) -> None:
    async with (
        omni.server(programs, *OFFER) as server,
        Orb(Options(offer_bidirectional=True)) as orb,
    ):
        servant = Impl(orb)
        own = orb.activate(servant, b"listener")  # listens nowhere
        result = await orb.stub(T.I, server.reference).call_back(own, 30)
        assert (result, servant.said) == (31, ["ow 30", "att 31"])


async def test_a_server_that_vanishes_is_told_from_one_that_closes(programs: Path) -> None:
    async with Orb() as orb:
        async with omni.server(programs) as server:
            stub = orb.stub(T.I, server.reference)
            await stub.get_att()
            await server.said()
        with pytest.raises(TRANSIENT) as gone:
            async with asyncio.timeout(PATIENCE):
                await stub.get_att()
        assert "refused" in str(gone.value)
