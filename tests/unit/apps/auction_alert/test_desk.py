from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.auction_alert.evenings import Told, played
from tidings.apps.auction_alert.desk import Desk, Standing, Totals, near_miss
from tidings.apps.auction_alert.ledger import Acknowledged, house_ledger, offers_in
from tidings.apps.auction_alert.scene import BIDDERS, HOUSES, Scene, wants
from tidings.clock import SystemClock
from tidings.events.build import event
from tidings.server.embedded import embedded

ADA = BIDDERS[0]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a desk says in the beginning and at the end of an evening."""
    folder = tmp_path_factory.mktemp("evening")
    scene = Scene(3, SystemClock().now(), per_house=20)
    told: Told = []
    found: dict[str, Any] = {"scene": scene}

    async def ask(desk: Desk, when: str) -> None:
        if when == "begin":
            (proxies,) = [about["proxies"] for word, about in told if word == "connected"]
            found["advertised"] = await desk.advertised(proxies)
            return
        offers = offers_in(house_ledger(folder / "ledgers", house) for house in HOUSES)
        missed = near_miss(ADA, offers)
        assert missed is not None
        found["missed"] = missed
        found["verdict"] = await desk.verdict(ADA, missed)
        found["totals"], found["standings"] = await desk.totals(), await desk.standings()
        found["until now"] = await desk.accepted_until(SystemClock().now())
        found["until then"] = await desk.accepted_until(scene.begins)

    played(folder, scene, told, ask)
    found["alerts"] = [about["bidder"] for word, about in told if word == "alerted"]
    return found


def test_the_advertiser_names_everybody(asked: dict[str, Any]) -> None:
    for one in asked["advertised"]:
        assert one.offered_by == [house.name for house in HOUSES if one.type in house.types]
        assert one.wanted_by == [
            bidder.name
            for bidder in BIDDERS
            if any(
                one.type == f"{t.domain}::{t.type}"
                for each in bidder.wanted
                for t in each.event_types
            )
        ]
    types = [one.type for one in asked["advertised"]]
    assert types == sorted({type for house in HOUSES for type in house.types})


def test_totals_and_standings_are_what_happened(asked: dict[str, Any]) -> None:
    assert asked["totals"] == Totals(asked["scene"].total, 0, 0)
    assert asked["standings"].keys() == {bidder.name for bidder in BIDDERS}
    for name, stands in asked["standings"].items():
        expired = stands.expired if name == "Otto" else 0
        assert stands == Standing(0, 0, asked["alerts"].count(name), expired)


def test_offers_are_known_by_the_moment_they_were_accepted(asked: dict[str, Any]) -> None:
    numbers = range(1, asked["scene"].per_house + 1)
    assert asked["until now"] == {(house.name, number) for house in HOUSES for number in numbers}
    assert asked["until then"] == set()


def test_an_offer_that_was_missed_has_a_reason(asked: dict[str, Any]) -> None:
    verdict = asked["verdict"]
    offer = asked["missed"].offer
    assert verdict.recipients == [one.name for one in BIDDERS if wants(one, offer)]
    assert "constraints matches" in verdict.reason


def test_no_near_miss_is_no_offer_at_all() -> None:
    def offer(seq: int, category: str, price: float) -> Acknowledged:
        data = {"category": category, "start_price": price}
        return Acknowledged(seq, ("o", seq), event("Auction", category, "offer", data))

    assert near_miss(ADA, [offer(1, "books", 5.0), offer(2, "coins", 50.0)]) is None
    offers = [offer(1, "books", 90.0), offer(2, "books", 21.0), offer(3, "books", 19.0)]
    assert near_miss(ADA, offers) == offers[1]


def test_the_channel_survives_a_crash(tmp_path: Path) -> None:
    async def play() -> None:
        async with await embedded(tmp_path) as client:
            await Desk.opened(client)
            (info,) = await client.channels()
            assert info.qos["EventReliability"] == info.qos["ConnectionReliability"] == 1

    asyncio.run(asyncio.wait_for(play(), 20))
