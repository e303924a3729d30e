"""Who changed what: the service remembers, also when it was killed meanwhile."""

from __future__ import annotations

import pytest

from tests.promises.services import HttpService, Service
from tidings.audit import SeeChanges
from tidings.client.client import Client
from tidings.engine.access import Caller
from tidings.errors import Forbidden, NameTaken

pytestmark = pytest.mark.not_over_corba("changes")


async def _changes(client: Client, after: int = 0, most: int = 100) -> list[tuple[object, ...]]:
    """Number, operation, channel and result of each."""
    found = await client.transport.request(SeeChanges(after, most))
    return [(one.number, one.operation, one.channel, one.result) for one in found]


async def test_the_service_tells_who_destroyed_a_channel(service: Service) -> None:
    client = await service.client()
    roads = await client.create_channel("roads")
    with pytest.raises(NameTaken):
        await client.create_channel("roads")
    await roads.destroy()
    assert await _changes(client) == [
        (1, "create_channel", "", "done"),
        (2, "create_channel", "", NameTaken.code),
        (3, "destroy_channel", "roads", "done"),
    ]
    (last,) = await client.transport.request(SeeChanges(2))
    assert (last.principal, last.about) == ("owner", f"channel {roads.id}")
    (first,) = await client.transport.request(SeeChanges(0, 1))
    assert first.about == "name roads"
    assert await _changes(client, 1, 1) == [(2, "create_channel", "", NameTaken.code)]


async def test_a_change_says_through_which_door_and_from_where(service: Service) -> None:
    client = await service.client()
    await client.create_channel("roads")
    [change] = await client.transport.request(SeeChanges())
    over_http = ("HTTP", "127.0.0.1")
    assert (change.door, change.peer) == (
        over_http if isinstance(service, HttpService) else ("in-process", "")
    )
    assert (change.credential, change.refused, change.count) == (None, False, 1)


async def test_a_refusal_is_told_at_once_and_the_owner_alone_may_look(service: Service) -> None:
    roads = await (await service.client()).create_channel("roads")
    eve = await service.client(Caller("eve"))
    with pytest.raises(Forbidden):
        await (await eve.channel(roads.id)).destroy()
    with pytest.raises(Forbidden):
        await eve.transport.request(SeeChanges())
    found = await (await service.client()).transport.request(SeeChanges(1))
    assert [(one.principal, one.operation, one.channel, one.refused) for one in found] == [
        ("eve", "destroy_channel", "roads", True),
        ("eve", "see_changes", "", True),
    ]


async def test_refusals_do_not_push_out_changes(service: Service) -> None:
    client = await service.client()
    await client.create_channel("roads")
    for number in range(30):
        eve = await service.client(Caller(f"eve{number}", credential=number))
        with pytest.raises(Forbidden):
            await eve.transport.request(SeeChanges())
    found = await client.transport.request(SeeChanges(most=1_000))
    assert [one.refused for one in found] == [False] + [True] * 30


@pytest.mark.parametrize("kill", [False, True])
async def test_changes_outlast_a_restart(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    await client.create_channel("roads")
    await client.create_channel("rails")
    before = await _changes(client)
    await lasting.restart(kill=kill)
    client = await lasting.client()
    # The last one may be on its way to the disk when the service is killed.
    found = await _changes(client)
    assert found in ([before, before[:1]] if kill else [before])
    await client.create_channel("rivers")
    assert (await _changes(client))[-1] == (len(found) + 1, "create_channel", "", "done")
