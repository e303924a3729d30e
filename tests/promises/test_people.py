"""Who calls, and passwords: through every door that has principals."""

from __future__ import annotations

import pytest

from tests.promises.services import Service
from tidings.errors import InvalidUsage, NotFound
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind

pytestmark = pytest.mark.not_over_corba("grants")

PASSWORD = "correct horse battery"


async def test_a_caller_is_told_who_it_is(service: Service) -> None:
    client = await service.client()
    found = await client.transport.request(g.SeeMyself())
    assert (found.principal, found.everything, found.grants) == ("owner", True, ())


@pytest.mark.parametrize("kill", [False, True])
async def test_a_password_outlasts_a_restart_and_is_one(lasting: Service, kill: bool) -> None:
    transport = (await lasting.client()).transport
    await transport.ask(g.CreatePrincipal("ann"))
    await transport.request(g.SetPassword("ann", PASSWORD))
    await lasting.restart(kill=kill)
    transport = (await lasting.client()).transport
    [kept] = await transport.request(g.SeeCredentials("ann"))
    assert (kept.id, kept.kind) == (1, CredentialKind.PASSWORD)
    await transport.request(g.SetPassword("ann", PASSWORD))
    assert [one.id for one in await transport.request(g.SeeCredentials("ann"))] == [2]


async def test_what_is_no_password_is_refused_and_not_repeated(service: Service) -> None:
    transport = (await service.client()).transport
    await transport.ask(g.CreatePrincipal("ann"))
    for wrong in ("short pass", "x" * 257, f"{PASSWORD}\x00"):
        with pytest.raises(InvalidUsage) as caught:
            await transport.request(g.SetPassword("ann", wrong))
        assert wrong[:10] not in str(caught.value)
    with pytest.raises(NotFound, match="no principal 'eve'"):
        await transport.request(g.SetPassword("eve", PASSWORD))
    assert PASSWORD not in repr(g.SetPassword("ann", PASSWORD, PASSWORD))
