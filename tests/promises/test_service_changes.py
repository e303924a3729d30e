"""Who subscribes to changes of services is told of each once, and by those only who may tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.promises.services import Service
from tidings import errors as e
from tidings.changes import requests as r
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
)
from tidings.changes.notice_event import notice_of
from tidings.changes.pending import CHANNEL
from tidings.client.client import Client
from tidings.trader import requests as t

pytestmark = pytest.mark.not_over_corba("notices")

REFERENCE = "corbaloc::192.0.2.9:2809/bank"
PULL = r.ProxyType.PULL_STRUCTURED_SEQUENCE
BANK = ServiceDescription(ServiceTypeDescription("Bank"), {"Name": "CU-Bank"}, REFERENCE)
GONE = r.Announcement(ChangeKind.REMOVAL_SERVICE, BANK, reason="it closes", priority=9)


async def subscribed(client: Client, *filters: r.FilterContent) -> None:
    """A subscriber with a connected proxy."""
    ask, request = client.transport.ask, client.transport.request
    await request(r.RegisterSubscriber("ann", "tell me"))
    assert await ask(r.CreateProxySubscriber("ann", PULL)) == "PS01"
    for one in filters:
        await ask(r.AddSubscriberFilter("ann", one, "PS01"))
    await ask(r.ConnectProxySubscriber("ann", "PS01"))


async def pulled(client: Client, count: int) -> list[Notice]:
    """So many notices."""
    found: list[Notice] = []
    while len(found) < count:
        found += await client.transport.request(r.PullNotices("ann", "PS01", 100, 1_000))
    assert len(found) == count
    return found


async def test_changes_are_told_in_advance_and_at_once(service: Service) -> None:
    client = await service.client()
    ask, request = client.transport.ask, client.transport.request
    await subscribed(client, r.FilterContent(services=(r.TraderFilter("Bank"),)))
    await ask(t.AddServiceType("Bank"))
    await ask(t.AddServiceType("Shop"))
    offer = await ask(t.ExportOffer("Bank", REFERENCE, {"Name": "CU-Bank"}))
    await ask(t.ExportOffer("Shop", REFERENCE))
    await request(r.RegisterEvolver("isel", "my word", "https://isel.example"))
    told = await request(r.AnnounceChanges("isel", (GONE,), "my word"))
    await ask(t.WithdrawOffer(offer))
    first, second, third = await pulled(client, 3)
    assert [first.kind, second.kind, third.kind] == [
        ChangeKind.INSTANTIATION_SERVICE, ChangeKind.REMOVAL_SERVICE, ChangeKind.REMOVAL_SERVICE,
    ]  # fmt: skip
    assert (second.id, second.reason, second.priority) == (told[0], "it closes", 9)
    assert second.before == third.before == first.after == BANK
    with pytest.raises(e.NotFoundPublisherID, match="only registered ones"):
        await request(r.AnnounceChanges("stranger", (GONE,)))
    await request(r.UnregisterEvolver("isel", "my word"))
    with pytest.raises(e.NotFoundPublisherID):
        await request(r.AnnounceChanges("isel", (GONE,), "my word"))


async def test_a_subscription_is_a_named_one_of_the_channel(service: Service) -> None:
    client = await service.client()
    ask = client.transport.ask
    await subscribed(client)
    assert await ask(r.CreateProxySubscriber("ann", r.ProxyType.PUSH_STRUCTURED)) == "PS02"
    async with await client.subscribe(CHANNEL, name="ann/PS02") as notices:
        await ask(t.AddServiceType("Bank"))
        await ask(t.ExportOffer("Bank", REFERENCE, {"Name": "CU-Bank"}))
        async for message in notices:
            assert notice_of(message.event) == (await pulled(client, 1))[0]
            break
    with pytest.raises(e.WrongState, match="pushed"):
        await client.transport.request(r.PullNotices("ann", "PS02"))
    await ask(r.DisconnectProxySubscriber("ann", "PS01"))
    with pytest.raises(e.Disconnected):
        await client.transport.request(r.PullNotices("ann", "PS01"))


async def _guess(client: Client) -> type[Exception]:
    try:
        await client.transport.request(r.GetAdminSubscriber("ann", "guessed"))
    except e.TidingsError as error:
        return type(error)
    raise AssertionError("it was no guess")


async def test_passwords_are_kept_as_digests(service: Service) -> None:
    client = await service.client()
    request = client.transport.request
    await request(r.RegisterSubscriber("ann", "tell me"))
    await request(r.RegisterSubscriber("bob"))
    assert (await request(r.GetAdminSubscriber("ann", "tell me"))).has_password
    for wrong in (
        r.GetAdminSubscriber("ann", "tell him"),
        r.UnregisterSubscriber("ann", ""),
        r.GetAdminSubscriber("bob", ""),
    ):
        with pytest.raises(e.InvalidPassword):
            await request(wrong)
    guesses = [await _guess(client) for _ in range(5)]
    assert guesses[-1] is e.TooManyAttempts
    await request(r.UnregisterSubscriber("bob"))
    with pytest.raises(e.NotFoundSubscriberID):
        await request(r.GetAdminSubscriber("bob"))
    with pytest.raises(e.DuplicatedSubscriberID):
        await request(r.RegisterSubscriber("ann"))


@pytest.mark.parametrize("kill", [False, True])
async def test_each_change_is_told_once_whatever_happens(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    ask = client.transport.ask
    await subscribed(client, r.FilterContent(r.FilterEvents.INSTANTIATION_SERVICE_EVENT))
    await client.transport.request(r.RegisterEvolver("isel", "my word"))
    await ask(r.SetChangeSettings(default_priority=3))
    await ask(t.AddServiceType("Bank"))
    exports = [t.ExportOffer("Bank", f"{REFERENCE}{number}") for number in range(40)]
    await asyncio.gather(*map(ask, exports))
    before = await client.transport.request(r.SeeSubscriber("ann"))
    await lasting.restart(kill=kill)
    client = await lasting.client()
    await client.transport.ask(t.ExportOffer("Bank", f"{REFERENCE}40"))
    found = await pulled(client, 41)
    assert [one.id for one in found] == [f"EV{number}" for number in range(1, 42)]
    assert {one.priority for one in found} == {3}
    see: Any = client.transport.request
    assert await see(r.SeeSubscriber("ann")) == before
    assert (await see(r.SeeEvolvers()))[0].has_password
    assert await see(r.GetAdminSubscriber("ann", "tell me")) == before
