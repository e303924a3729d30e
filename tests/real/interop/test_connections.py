"""How connections with omniORB live and end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.interop import omni, shown
from tests.real.interop.objects import Impl, T
from tidings.orb.aio import Options, Orb
from tidings.orb.aio.checking import check_reference
from tidings.orb.exceptions import COMM_FAILURE, DATA_CONVERSION, MARSHAL, OBJECT_NOT_EXIST, TIMEOUT
from tidings.orb.ior import from_ior, make_reference, profile_of, to_ior

# A connection without work is closed after two seconds at most.
SOON = ("-ORBscanGranularity", "1", "-ORBinConScanPeriod", "1", "-ORBoutConScanPeriod", "1")
MANY_THREADS = ("-ORBmaxServerThreadPerConnection", "100")


async def test_many_calls_are_under_way_on_one_connection(programs: Path) -> None:
    async with omni.server(programs, *MANY_THREADS) as server, Orb() as orb:
        stub = orb.stub(T.I, server.reference)
        napping = asyncio.create_task(stub.nap(500))
        texts = [f"text {n}" for n in range(100)]
        assert await asyncio.gather(*map(stub.text, texts)) == texts
        assert not napping.done()
        assert await napping is None


async def test_a_call_that_takes_too_long_leaves_the_connection_whole(programs: Path) -> None:
    async with omni.server(programs) as server, Orb() as orb:
        with pytest.raises(TIMEOUT):
            await orb.stub(T.I, server.reference, timeout=0.1).nap(300)
        assert await orb.stub(T.I, server.reference).text("fine") == "fine"


async def test_a_connection_that_omniorb_closes_is_opened_again(programs: Path) -> None:
    async with omni.server(programs, *SOON) as server, Orb() as orb:
        stub = orb.stub(T.I, server.reference)
        assert await stub.text("one") == "one"
        async with asyncio.timeout(PATIENCE):
            while orb.connections:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.1)
        assert await stub.text("two") == "two"


async def test_a_connection_that_we_close_is_opened_again_by_omniorb(programs: Path) -> None:
    async with Orb(Options(idle_seconds=0.02)) as orb:
        await orb.listen()
        servant = Impl(orb)
        reference = to_ior(orb.activate(servant, b"interop"))
        answers = await omni.client(programs, *omni.LOCAL, reference, "callback")
        assert answers == ["call_back heard 20", "21"]


async def test_characters_that_omniorb_cannot_have_are_told(programs: Path) -> None:
    async with omni.server(programs) as server, Orb() as orb:
        stub = orb.stub(T.I, server.reference)
        with pytest.raises(DATA_CONVERSION):
            await stub.text("中")
        assert await stub.text("é") == "é"
        assert await stub.ws("中😀", "x", "c") == "中😀"


async def test_a_message_larger_than_omniorb_takes_is_refused(programs: Path) -> None:
    async with omni.server(programs) as server, Orb() as orb:
        stub = orb.stub(T.I, server.reference)
        almost = bytes(2_000_000)
        assert shown.octets(await stub.big(almost)) == shown.octets(almost)
        # It answers and hangs up without reading on, which may swallow the answer.
        with pytest.raises((COMM_FAILURE, MARSHAL)):
            await stub.big(bytes(2_200_000))
        assert await stub.text("fine") == "fine"


async def test_an_object_that_omniorb_does_not_have(programs: Path) -> None:
    async with omni.server(programs) as server, Orb() as orb:
        profile = profile_of(from_ior(server.reference))
        assert profile is not None
        nobody = make_reference("", profile.host, profile.port, b"nobody")
        with pytest.raises(OBJECT_NOT_EXIST):
            await orb.stub(T.I, nobody).get_att()
        (unknown,) = await check_reference(nobody)
        assert (unknown.found, unknown.said) == (False, "answers, and has no such object")
        (known,) = await check_reference(from_ior(server.reference))
        assert (known.found, known.said) == (True, "has the object")
