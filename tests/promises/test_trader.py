"""What is exported is found, by whoever asks, and also after a restart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.services import Service
from tidings import errors as e
from tidings.client.client import Client
from tidings.engine.access import Caller
from tidings.events import typecode as tc
from tidings.trader import requests as r
from tidings.trader.model import FollowOption, PropertyDef, PropertyMode

pytestmark = pytest.mark.not_over_corba("trading")

PRINTER = "Office::Printer"
SUB = "IDL:office/Plotter.2:1.0"
REFERENCE = "corbaloc::192.0.2.9:2809/printer"


async def office(client: Client) -> None:
    """Two types, and five offers of them."""
    cost = PropertyDef("cost", tc.DOUBLE, PropertyMode.MANDATORY)
    features = PropertyDef("features", tc.sequence(tc.string()), PropertyMode.READONLY)
    ask = client.transport.ask
    assert await ask(r.AddServiceType(PRINTER, "IDL:office/Printer:1.0", (cost, features))) == 1
    assert await ask(r.AddServiceType(SUB, "IDL:office/Plotter:1.0", (), (PRINTER,))) == 2
    for at in range(4):
        given: Any = {"cost": 10.0 - at, "features": ("duplex",) if at % 2 else ()}
        assert await ask(r.ExportOffer(PRINTER, REFERENCE, given)) == f"{PRINTER}/{at + 1}"
    assert await ask(r.ExportOffer(SUB, REFERENCE, {"cost": 1.5, "width": 90})) == f"{SUB}/5"


async def found(client: Client, **given: Any) -> list[int]:
    """The numbers of the offers that a query finds."""
    answer = await client.transport.request(r.QueryOffers(given.pop("type", PRINTER), **given))
    return [int(one.id.rpartition("/")[2]) for one in answer.offers]


async def test_offers_are_found_by_type_constraint_and_preference(service: Service) -> None:
    client = await service.client()
    await office(client)
    assert await found(client) == [1, 2, 3, 4, 5]
    assert await found(client, constraint="cost > 7 and cost < 10") == [2, 3]
    assert await found(client, constraint="'duplex' in features", preference="min cost") == [4, 2]
    assert await found(client, constraint="width == 90") == [5]
    assert await found(client, policies={"exact_type_match": True}, preference="max cost") == [
        1, 2, 3, 4,
    ]  # fmt: skip
    assert await found(client, type=SUB) == [5]
    answer = await client.transport.request(
        r.QueryOffers(PRINTER, preference="min cost", desired=["width"], how_many=2)
    )
    assert [dict(one.properties) for one in answer.offers] == [{"width": 90}, {}]
    assert answer.iterator is not None
    page = await client.transport.request(r.SeeFoundOffers(answer.iterator, 1, 9))
    assert ([one.id[-1] for one in page.offers], page.left) == (["2", "1"], 0)
    await client.transport.ask(r.EndIterator(answer.iterator))
    with pytest.raises(e.NotFound):
        await client.transport.request(r.SeeFoundOffers(answer.iterator))


@pytest.mark.parametrize("kill", [False, True])
async def test_a_trader_outlasts_a_restart(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    await office(client)
    ask = client.transport.ask
    await ask(r.ModifyOffer(f"{PRINTER}/2", (), {"cost": 0.5, "colour": True}))
    await ask(r.WithdrawOffer(f"{SUB}/5"))
    assert await ask(r.WithdrawMatchingOffers(PRINTER, "cost == 8.0")) == (f"{PRINTER}/3",)
    await ask(r.MaskServiceType(SUB))
    await ask(r.AddLink("campus", REFERENCE, FollowOption.LOCAL_ONLY, FollowOption.ALWAYS))
    await ask(r.SetTraderSettings(max_list=2))
    await lasting.restart(kill=kill)
    client = await lasting.client()
    ask, see = client.transport.ask, client.transport.request
    assert await found(client, preference="min cost") == [2, 4]
    assert await found(client, constraint="colour") == [2]
    assert [one.masked for one in await see(r.SeeServiceTypes())] == [False, True]
    assert (await see(r.SeeLink("campus"))).limiting_rule is FollowOption.ALWAYS
    assert (await see(r.SeeTraderSettings())).max_list == 2
    assert await ask(r.ExportOffer(PRINTER, REFERENCE, {"cost": 3.0})) == f"{PRINTER}/6"


async def test_errors_say_what_was_wrong(service: Service) -> None:
    client = await service.client()
    await office(client)
    with pytest.raises(e.PropertyTypeMismatch, match="is of the type double, not long"):
        await client.transport.ask(r.ExportOffer(PRINTER, REFERENCE, {"cost": 5}))
    with pytest.raises(e.UnknownOfferId):
        await client.transport.request(r.SeeOffer("a::b/7"))
    with pytest.raises(e.IllegalConstraint) as caught:
        await client.transport.request(r.QueryOffers(PRINTER, "cost = 5"))
    assert (caught.value.position, caught.value.hint) == (5, "equality is written ==")


async def test_a_provider_changes_its_own_offers_only(service: Service) -> None:
    await office(await service.client())
    ann, bob = await service.client(Caller("ann")), await service.client(Caller("bob"))
    id = await ann.transport.ask(r.ExportOffer(PRINTER, REFERENCE, {"cost": 3.0}))
    assert (await bob.transport.request(r.SeeOffer(id))).owner == "ann"
    for refused in (r.WithdrawOffer(id), r.ModifyOffer(id, (), {"cost": 0.0})):
        with pytest.raises(e.Forbidden, match=r"bob may not manage offer .* of ann"):
            await bob.transport.ask(refused)
    with pytest.raises(e.Forbidden):
        await ann.transport.ask(r.WithdrawOffer(f"{PRINTER}/1"))
    with pytest.raises(e.Forbidden):
        await ann.transport.ask(r.AddServiceType("Anns"))
    await ann.transport.ask(r.ModifyOffer(id, (), {"cost": 2.0}))
    await ann.transport.ask(r.WithdrawOffer(id))
    with pytest.raises(e.UnknownOfferId):
        await bob.transport.ask(r.WithdrawOffer(id))
