from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.auction_alert.evenings import Told, played
from tidings.apps.auction_alert.accounts import account_of
from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.ledger import bidder_ledger, house_ledger, offers_in, taken_in
from tidings.apps.auction_alert.parts import Bidders, Houses
from tidings.apps.auction_alert.scene import HOUSES, Scene
from tidings.clock import SystemClock
from tidings.errors import InvalidUsage
from tidings.server.embedded import embedded


def ignore(word: str, about: dict[str, Any]) -> None:
    """Nobody listens."""


async def ask_nothing(desk: Desk, when: str) -> None:
    """Nobody asks."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Scene, Told]:
    folder = tmp_path_factory.mktemp("evening")
    scene = Scene(3, SystemClock().now(), per_house=20)
    told: Told = []
    played(folder, scene, told, ask_nothing)
    return folder / "ledgers", scene, told


def test_the_accounts_are_right(evening: tuple[Path, Scene, Told]) -> None:
    folder, scene, told = evening
    offers = offers_in(house_ledger(folder, house) for house in scene.houses)
    assert [one.id[1] for one in offers] == list(range(1, scene.total + 1))
    accounts = [
        account_of(bidder, offers, *taken_in(bidder_ledger(folder, bidder)))
        for bidder in scene.bidders
    ]
    assert [one for one in accounts if not one.holds] == []
    counted = Counter(about["bidder"] for word, about in told if word == "alerted")
    assert counted == {one.bidder.name: one.received + one.again for one in accounts}


def test_the_story_is_told_in_order(evening: tuple[Path, Scene, Told]) -> None:
    _, scene, told = evening
    words = [word for word, _ in told if word not in ("offered", "alerted")]
    assert words == ["connected", "left", "paused", "went on", "came back"]
    assert Counter(word for word, _ in told)["offered"] == scene.total
    (proxies,) = [about["proxies"] for word, about in told if word == "connected"]
    assert proxies.keys() == {house.name for house in HOUSES}
    stocks = [about for word, about in told if word in ("went on", "came back")]
    assert [one["bidder"] for one in stocks] == ["Emil", "Otto"]
    assert all(one["waiting"] > 0 for one in stocks)


def test_an_order_nobody_knows_is_refused(tmp_path: Path) -> None:
    houses = Houses(Scene(1, 0), tmp_path, ignore, 0)
    with pytest.raises(InvalidUsage, match="Houses know no order 'drain'"):
        asyncio.run(houses.do("drain"))


def test_a_cut_and_a_return_are_told_once_each(tmp_path: Path) -> None:
    told: Told = []
    bidders = Bidders(
        Scene(1, 0), tmp_path, lambda word, about: told.append((word, about)), SystemClock()
    )
    for reached in (True, False, False, True, True):
        bidders.on_connection(reached, "")
    assert told == [("cut", {}), ("back", {})]


def test_a_cut_tells_which_offers_had_no_answer(tmp_path: Path) -> None:
    told: Told = []
    scene = Scene(1, SystemClock().now(), per_house=10)

    async def play() -> None:
        def tell(word: str, about: dict[str, Any]) -> None:
            told.append((word, about))
            if word == "offered" and about["seq"] == 12:
                houses.on_connection(False, "gone")

        houses = Houses(scene, tmp_path, tell, 0)
        async with await embedded() as client:
            await Desk.opened(client)
            await houses.connect(client)
            await houses.do("begin")
            await houses.close()

    asyncio.run(asyncio.wait_for(play(), 20))
    (cut,) = [about for word, about in told if word == "cut"]
    offered = Counter(word for word, _ in told[: [word for word, _ in told].index("cut")])
    assert offered["offered"] <= cut["acknowledged"] <= offered["offered"] + len(HOUSES)
    assert {name for name, _ in cut["unanswered"]} <= {house.name for house in HOUSES}
    for name, number in cut["unanswered"]:
        before = [a for w, a in told if w == "offered" and a["seller"] == name]
        assert 1 <= number <= len(before)


def test_a_failure_is_not_waited_for(tmp_path: Path) -> None:
    scene = Scene(1, SystemClock().now(), per_house=4)

    def broken(word: str, about: dict[str, Any]) -> None:
        if word == "offered":
            raise BrokenPipeError("nobody listens")

    async def play() -> None:
        houses = Houses(scene, tmp_path, broken, 0)
        async with await embedded() as client:
            await Desk.opened(client)
            await houses.connect(client)
            with pytest.raises(ExceptionGroup):
                await houses.do("begin")
            await houses.close()

    asyncio.run(asyncio.wait_for(play(), 20))
