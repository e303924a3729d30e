from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.doors.services import SETTINGS, bid
from tidings.engine.access import ANONYMOUS
from tidings.engine.host import Host
from tidings.errors import Forbidden, InvalidUsage, JournalInUse, Stopping
from tidings.server.embedded import embedded, embedded_sync, local_client


def test_closing_the_client_stops_the_service_and_frees_the_folder(tmp_path: Path) -> None:
    async def scene() -> None:
        for name in ("one", "two"):
            async with await embedded(str(tmp_path / "data"), settings=SETTINGS) as client:
                await client.create_channel(name)
                with pytest.raises(JournalInUse):
                    await embedded(tmp_path / "data")
            with pytest.raises(Stopping):
                await client.channels()
        async with await embedded(tmp_path / "data") as client:
            assert [info.name for info in await client.channels()] == ["one", "two"]

    asyncio.run(scene())


def test_without_a_folder_nothing_is_kept() -> None:
    async def scene() -> None:
        for _ in range(2):
            async with await embedded() as client:
                assert await client.channels() == []
                await client.create_channel("auction")

    asyncio.run(scene())


def test_the_client_asks_as_who_it_is_for() -> None:
    async def scene() -> None:
        async with await embedded(principal=ANONYMOUS) as client:
            with pytest.raises(Forbidden, match="anonymous may not manage"):
                await client.create_channel()

    asyncio.run(scene())


def test_a_local_client_lets_the_host_run_on() -> None:
    async def scene() -> None:
        host = await Host.open()
        async with local_client(host) as client:
            channel = await client.create_channel("auction")
        async with local_client(host) as client:
            assert (await client.publish("auction", bid(1))).origin == channel.origin
        await host.close()

    asyncio.run(scene())


def test_the_same_for_plain_threads(tmp_path: Path) -> None:
    with embedded_sync(tmp_path / "data", principal=ANONYMOUS) as client, pytest.raises(Forbidden):
        client.create_channel()


def test_an_empty_name_is_no_folder() -> None:
    with pytest.raises(InvalidUsage, match="leave it out"):
        asyncio.run(embedded(""))


def test_a_segment_has_octets(tmp_path: Path) -> None:
    with pytest.raises(InvalidUsage, match="at least 1 octet, not -1"):
        asyncio.run(embedded(tmp_path, segment_octets=-1))
    assert list(tmp_path.glob("journal/*")) == []
