"""Programs that are connected over CORBA while their service is started again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.corba import IiopService
from tests.doors.services import bid, eventually, seqs
from tidings.client.transport import Message
from tidings.errors import ProxyNotFound

LASTING = {"ConnectionReliability": 1}


@pytest.fixture
def corba(tmp_path: Path) -> IiopService:
    """A service with a disk, over IIOP."""
    return IiopService(tmp_path / "data")


@pytest.mark.parametrize("kill", [False, True])
async def test_what_lasts_goes_on_and_what_does_not_is_gone(corba: IiopService, kill: bool) -> None:
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    lasting = await client.subscribe(channel, "$price > 1", qos=LASTING)
    fleeting = await client.subscribe(channel)
    puller = await client.puller(channel, qos=LASTING)
    calls: list[int] = []
    handled = await client.handle(channel, lambda message: calls.append(message.seq), qos=LASTING)
    await client.publish(channel, bid(5))
    assert await seqs(lasting, 1) == [1]
    await eventually(lambda: calls == [1])
    await client.publish(channel, bid(1))  # with it, what was taken before is on the disk
    await corba.begin_anew(kill=kill)
    await client.publish(channel, bid(1))
    await client.publish(channel, bid(6))
    assert await seqs(lasting, 1) == [4]
    await eventually(lambda: calls[-2:] == [3, 4])
    assert [one.seq for one in await puller.pull(9, seconds=5)] == [1, 2, 3, 4]
    with pytest.raises(ProxyNotFound):
        await fleeting.info()
    await lasting.close()
    await handled.close()
    await puller.close()
    assert (await channel.info()).consumers == 0


async def test_what_was_not_taken_comes_again_after_a_restart(corba: IiopService) -> None:
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    calls: list[int] = []
    away = True

    def handler(message: Message) -> None:
        calls.append(message.seq)
        if away:
            raise ConnectionError("away")

    await client.handle(channel, handler, qos=LASTING)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2)])
    await eventually(lambda: calls)
    await corba.begin_anew(kill=True)
    calls.clear()
    away = False
    await eventually(lambda: calls[-2:] == [1, 2])
