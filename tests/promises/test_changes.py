"""Who changed what: the service remembers, also when it was killed meanwhile."""

from __future__ import annotations

import pytest

from tests.promises.services import Service
from tidings.audit import SeeChanges
from tidings.client.client import Client
from tidings.errors import NameTaken

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
