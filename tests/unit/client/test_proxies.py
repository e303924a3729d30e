from __future__ import annotations

import asyncio

import pytest

from tests.unit.client.fake_transport import FakeTransport
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.managing import Admin
from tidings.client.proxies import Proxies
from tidings.errors import InvalidUsage, LimitExceeded


async def _consumer(transport: FakeTransport) -> tuple[int, bool]:
    return await Proxies(transport.as_transport()).consumer(
        1, Style.PUSH, "$price > 1", [], name="", form=None, admin=None, qos=None
    )


@pytest.mark.parametrize("failing", ["CreateFilter", "AddFilter"])
@pytest.mark.parametrize("error", [LimitExceeded("full"), asyncio.CancelledError()])
def test_a_proxy_whose_filter_cannot_be_had_ends(failing: str, error: BaseException) -> None:
    answers: dict[str, list[object]] = {"ObtainProxy": [7], "CreateFilter": [(3, ())]}
    answers[failing] = [error]
    transport = FakeTransport(**answers)
    with pytest.raises(type(error)):
        asyncio.run(_consumer(transport))
    assert transport.kinds[-2:] == [failing, "Disconnect"]


@pytest.mark.parametrize("again", [False, True])
def test_a_proxy_that_cannot_be_connected_ends_unless_it_was_there_before(again: bool) -> None:
    async def refuse() -> None:
        raise InvalidUsage("no")

    async def scene() -> None:
        await Proxies(transport.as_transport()).linked(Connect(1, 7, again=again), refuse())

    transport = FakeTransport()
    with pytest.raises(InvalidUsage):
        asyncio.run(scene())
    assert transport.kinds == ([] if again else ["Disconnect"])


@pytest.mark.parametrize(("name", "qos"), [("", {"ConnectionReliability": 0}), ("bidder", {})])
def test_what_has_no_name_need_not_survive(name: str, qos: dict[str, object]) -> None:
    async def scene() -> None:
        await Proxies(transport.as_transport()).obtain(
            1, Side.CONSUMER, Style.PUSH, Form.ANY, None, {"Priority": 1}, name
        )

    transport = FakeTransport()
    asyncio.run(scene())
    assert transport.asked == [
        ObtainProxy(1, Side.CONSUMER, Style.PUSH, Form.ANY, 0, {**qos, "Priority": 1}, name)
    ]


@pytest.mark.parametrize("place", [(1, Side.SUPPLIER), (2, Side.CONSUMER)])
def test_an_admin_of_another_kind_is_refused(place: tuple[int, Side]) -> None:
    async def scene() -> None:
        admin = Admin(transport.as_transport(), *place, 0)
        await Proxies(transport.as_transport()).obtain(
            1, Side.CONSUMER, Style.PUSH, Form.ANY, admin, None
        )

    transport = FakeTransport()
    with pytest.raises(InvalidUsage, match="is no consumer admin of channel 1"):
        asyncio.run(scene())
    assert transport.asked == []
