from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tidings.apps.auction_alert.accounts import account_of
from tidings.apps.auction_alert.evening import Evening, bidder_ledger, house_ledger, near_miss
from tidings.apps.auction_alert.ledger import Acknowledged, offers_in, taken_in
from tidings.apps.auction_alert.scene import BIDDERS, HOUSES, Scene
from tidings.clock import SystemClock
from tidings.events.build import event
from tidings.server.embedded import embedded

Told = list[tuple[str, dict[str, Any]]]


async def life(folder: Path, scene: Scene, told: Told, *, first: bool) -> None:
    async with (
        await embedded(folder / "data") as client,
        Evening(
            client,
            scene,
            folder / "ledgers",
            lambda word, about: told.append((word, about)),
            SystemClock(),
            0,
        ) as evening,
    ):
        if first:
            await evening.first_life()
        else:
            await evening.second_life()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Scene, Told]:
    """An evening whose first life ends in good order."""
    folder = tmp_path_factory.mktemp("evening")
    scene = Scene(3, SystemClock().now(), per_house=20)
    told: Told = []
    asyncio.run(asyncio.wait_for(life(folder, scene, told, first=True), 25))
    asyncio.run(asyncio.wait_for(life(folder, scene, told, first=False), 25))
    return folder / "ledgers", scene, told


def test_the_accounts_are_right(played: tuple[Path, Scene, Told]) -> None:
    folder, scene, told = played
    offers = offers_in(house_ledger(folder, house) for house in scene.houses)
    assert [one.id[1] for one in offers] == list(range(1, scene.total + 1))
    accounts = [
        account_of(bidder, offers, *taken_in(bidder_ledger(folder, bidder)))
        for bidder in scene.bidders
    ]
    assert [one for one in accounts if not one.holds] == []
    assert dict(told)["finished"] == {"accepted": scene.total}
    counted = Counter(about["bidder"] for word, about in told if word == "alerted")
    assert counted == {one.bidder.name: one.received + one.again for one in accounts}


def test_the_advertiser_names_everybody(played: tuple[Path, Scene, Told]) -> None:
    (about,) = [about for word, about in played[2] if word == "advertised"]
    assert about["offers"] == {house.name: list(house.types) for house in HOUSES}
    assert about["wants"] == {
        bidder.name: sorted(
            {f"{t.domain}::{t.type}" for asked in bidder.wanted for t in asked.event_types}
        )
        for bidder in BIDDERS
    }
    assert about["offered"] == about["wanted"]


def test_the_story_is_told_in_order(played: tuple[Path, Scene, Told]) -> None:
    words = [word for word, _ in played[2] if word not in ("offered", "alerted")]
    assert words == [
        *("advertised", "left", "restored", "paused", "resumed"),
        *("went on", "came back", "missed", "finished"),
    ]
    assert Counter(word for word, _ in played[2])["offered"] == played[1].total


def test_an_offer_that_was_missed_has_a_reason(played: tuple[Path, Scene, Told]) -> None:
    (about,) = [about for word, about in played[2] if word == "missed"]
    assert about["bidder"] not in about["recipients"]
    assert "constraints matches" in about["reason"]


def test_no_near_miss_is_no_offer_at_all() -> None:
    def offer(seq: int, category: str, price: float) -> Acknowledged:
        data = {"category": category, "start_price": price}
        return Acknowledged(seq, ("o", seq), event("Auction", category, "offer", data))

    ada = BIDDERS[0]
    assert near_miss(ada, [offer(1, "books", 5.0), offer(2, "coins", 50.0)]) is None
    offers = [offer(1, "books", 90.0), offer(2, "books", 21.0), offer(3, "books", 19.0)]
    assert near_miss(ada, offers) == offers[1]


def test_a_failure_is_not_waited_for(tmp_path: Path) -> None:
    scene = Scene(1, SystemClock().now(), per_house=4)

    def broken(word: str, about: dict[str, Any]) -> None:
        if word == "offered":
            raise BrokenPipeError("nobody listens")

    async def play() -> None:
        async with (
            await embedded() as client,
            Evening(client, scene, tmp_path, broken, SystemClock(), 0) as evening,
        ):
            with pytest.raises(ExceptionGroup):
                await evening.first_life()

    asyncio.run(asyncio.wait_for(play(), 20))
