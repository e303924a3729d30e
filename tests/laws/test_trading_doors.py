"""The same query has the same answer through HTTP and through IIOP."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import httpx2
import pytest

from tests.edges.server.serving import serving, sources
from tests.laws.test_trader_laws import World
from tidings.cos import CosTrading_auto as wire
from tidings.cos.names import look_up
from tidings.cos.trading import policies_out
from tidings.events.anyvalue import UnionValue
from tidings.events.codecs.json_values import value_from_plain
from tidings.orb.aio import Orb
from tidings.trader import requests as r

ALL = UnionValue(wire.Lookup_HowManyProps.all, None)
PAGE = 7


class Doors(World):
    """A trader of a service; offers and queries are drawn as for the core alone."""

    def __init__(self, rng: Random) -> None:
        self.asked: list[Any] = []
        super().__init__(rng)

    def ask(self, command: Any) -> Any:
        """Run a command; it is noted unless it was refused."""
        found = super().ask(command)
        self.asked.append(command)
        return found


async def over_http(client: httpx2.AsyncClient, asked: r.QueryOffers) -> Any:
    body = {
        "type": asked.type, "constraint": asked.constraint, "preference": asked.preference,
        "policies": dict(asked.policies), "how_many": PAGE,
    }  # fmt: skip
    answer = (await client.post("/v1/trader/query", json=body)).json()
    found = answer["offers"]
    if answer["iterator"] is not None:
        page = await client.get(f"/v1/trader/iterators/{answer['iterator']}")
        found += page.json()["offers"]
    shown = [
        {name: repr(value_from_plain(one)) for name, one in offer["properties"].items()}
        for offer in found
    ]
    return shown, answer["limits"]


async def over_iiop(orb: Orb, lookup: wire.Lookup, asked: r.QueryOffers) -> Any:
    found, rest, limits = await lookup.query(
        asked.type, asked.constraint, asked.preference, policies_out(asked.policies), ALL, PAGE
    )
    offers = list(found)
    if rest.profiles:
        _, more = await orb.stub(wire.OfferIterator, rest).next_n(100)
        offers += more
    return [{one.name: repr(one.value) for one in each.properties} for each in offers], list(limits)


@pytest.mark.parametrize("seed", range(2))
async def test_a_query_has_one_answer(seed: int) -> None:
    drawn = Doors(Random(seed))
    for _ in range(40):
        drawn.step()
    place = sources(None, store__memory=True, iiop__enabled=True, iiop__port=0)
    async with serving(place) as (service, client), Orb(names=look_up) as orb:
        for command in drawn.asked:
            await service.host.ask(command)
        # A reference, not a URL: only references tell the code sets that take all characters.
        url = service.corba_url.replace("corbaloc:", "corbaname:")
        lookup = orb.stub(wire.Lookup, await orb.resolve(f"{url}#TradingService"))
        found = 0
        for at in range(40):
            asked = drawn.query()
            if at % 2:  # constraints that are drawn match little
                asked = replace(asked, constraint="")
            one, other = await over_http(client, asked), await over_iiop(orb, lookup, asked)
            assert one == other, asked
            found += len(one[0])
        assert found > 50
