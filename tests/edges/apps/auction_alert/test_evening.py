"""Houses and bidders at a service in this program, alone and for a whole evening."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tidings.apps.auction_alert.accounts import (
    acknowledged_in,
    house_ledger,
    offers_in,
    taken_in,
)
from tidings.apps.auction_alert.desk import Desk, near_miss
from tidings.apps.auction_alert.parts import Bidders, Houses, Recorder, Supplier
from tidings.apps.auction_alert.scene import BIDDERS, CHANNEL, HOUSES, Bidder, Scene, wants
from tidings.client.client import Client
from tidings.client.subscription import Delivery
from tidings.clock import SystemClock
from tidings.errors import InvalidUsage
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import embedded

ADA = BIDDERS[0]
SCENE = Scene(1, 4_000_000_000_000_000, per_house=16)
OFFERS = [one for house in HOUSES for one in SCENE.offers(house)]

Told = list[tuple[str, dict[str, Any]]]


@asynccontextmanager
async def opened() -> AsyncIterator[Client]:
    async with await embedded() as made:
        await made.create_channel(CHANNEL)
        yield made


async def publish(client: Client) -> None:
    await (await client.publisher(CHANNEL)).publish_many(OFFERS)


def ignore(bidder: Bidder, delivery: Delivery) -> None:
    """Nobody looks."""


def numbers(path: Path) -> list[int]:
    return [one.id[1] for one in taken_in(path)[0]]


def wanted(bidder: Bidder) -> list[int]:
    return [seq for seq, offer in enumerate(OFFERS, 1) if wants(bidder, offer)]


@pytest.mark.parametrize("bidder", BIDDERS, ids=lambda bidder: bidder.habit.name)
async def test_a_bidder_writes_down_what_was_asked_for(bidder: Bidder, tmp_path: Path) -> None:
    heard: list[tuple[str, int]] = []
    path = tmp_path / "ledger"
    async with opened() as client:
        listener = Recorder(client, bidder, path, lambda who, d: heard.append((who.name, d.seq)))
        await listener.connect()
        await publish(client)
        await listener.drained()
        await listener.close()
    assert sorted(numbers(path)) == wanted(bidder)
    assert heard == [(bidder.name, seq) for seq in numbers(path)]


async def test_what_comes_while_a_bidder_is_away_waits(tmp_path: Path) -> None:
    async with opened() as client:
        before = Recorder(client, ADA, tmp_path / "ledger", ignore)
        await before.connect()
        await before.leave()
        await publish(client)
        assert await before.waiting() == len(wanted(ADA))
        assert numbers(tmp_path / "ledger") == []
        after = Recorder(client, ADA, tmp_path / "ledger", ignore)
        await after.connect()
        assert after.proxy == before.proxy
        await after.drained()
        await before.close()
        await after.close()
    assert numbers(tmp_path / "ledger") == wanted(ADA)


async def test_a_failure_is_not_waited_for(tmp_path: Path) -> None:
    def broken(bidder: Bidder, delivery: Delivery) -> None:
        raise ValueError("broken")

    def unheard(word: str, about: dict[str, Any]) -> None:
        if word == "offered":
            raise BrokenPipeError("nobody listens")

    async with opened() as client:
        listener = Recorder(client, ADA, tmp_path / "ledger", broken)
        await listener.connect()
        await publish(client)
        with pytest.raises(ValueError, match="broken"):
            await listener.drained()
        await listener.close()
        houses = Houses(Scene(1, SystemClock().now(), per_house=4), tmp_path, unheard, 0)
        await houses.connect(client)
        with pytest.raises(ExceptionGroup):
            await houses.do("begin")
        await houses.close()


async def test_what_has_no_answer_is_not_written_down(tmp_path: Path) -> None:
    class Silent:
        async def publish(self, offer: StructuredEvent, *, number: int) -> None:
            await asyncio.Event().wait()

    publisher: Any = Silent()
    supplier = Supplier(HOUSES[0], SCENE, publisher, tmp_path / "ledger")
    offering = asyncio.create_task(supplier.offer_until(5, lambda one: None, 0))
    await asyncio.sleep(0.01)
    assert (supplier.sent, supplier.answered) == (1, 0)
    offering.cancel()
    await asyncio.wait((offering,))
    supplier.close()
    assert acknowledged_in(tmp_path / "ledger") == []


async def test_an_order_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidUsage, match="Houses know no order 'drain'"):
        await Houses(SCENE, tmp_path, lambda *told: None, 0).do("drain")


def test_a_cut_and_a_return_are_told_once_each(tmp_path: Path) -> None:
    told: Told = []
    bidders = Bidders(SCENE, tmp_path, lambda *one: told.append(one), SystemClock())
    for reached in (True, False, False, True, True):
        bidders.on_connection(reached, "")
    assert told == [("cut", {}), ("back", {})]


async def test_a_cut_tells_which_offers_had_no_answer(tmp_path: Path) -> None:
    told: Told = []

    def tell(word: str, about: dict[str, Any]) -> None:
        told.append((word, about))
        if word == "offered" and about["seq"] == 12:
            houses.on_connection(False, "gone")

    houses = Houses(Scene(1, SystemClock().now(), per_house=10), tmp_path, tell, 0)
    async with opened() as client:
        await houses.connect(client)
        await houses.do("begin")
        await houses.close()
    (cut,) = [about for word, about in told if word == "cut"]
    before = told[: told.index(("cut", cut))]
    offered = Counter(word for word, _ in before)["offered"]
    assert offered <= cut["acknowledged"] <= offered + len(HOUSES)
    assert {name for name, _ in cut["unanswered"]} <= {house.name for house in HOUSES}
    for name, number in cut["unanswered"]:
        assert 1 <= number <= sum(w == "offered" and a["seller"] == name for w, a in told)


async def test_the_desk_knows_a_whole_evening(tmp_path: Path) -> None:
    told: Told = []
    scene, ledgers = Scene(3, SystemClock().now(), per_house=20), tmp_path / "ledgers"
    houses = Houses(scene, ledgers, lambda *one: told.append(one), 0)
    bidders = Bidders(scene, ledgers, lambda *one: told.append(one), SystemClock())
    async with asyncio.timeout(PATIENCE), await embedded(tmp_path / "data") as client:
        desk = await Desk.opened(client)
        await bidders.connect(client)
        await houses.connect(client)
        [(_, about)] = told
        advertised = await desk.advertised(about["proxies"])
        assert {name for one in advertised for name in one[1]} == set(about["proxies"])
        await bidders.do("leave")
        await houses.do("begin")
        await bidders.do("pause")
        await houses.do("finish")
        await bidders.do("go on")
        await asyncio.sleep(max(0, scene.last_call_closed - SystemClock().now()) / 1e6 + 0.05)
        await bidders.do("return")
        await bidders.do("drain")
        missed = near_miss(ADA, offers_in(house_ledger(ledgers, house) for house in HOUSES))
        assert missed is not None
        assert ADA.name not in (await desk.verdict(ADA, missed))[0]
        totals, standings = await desk.totals(), await desk.standings()
        assert (totals.accepted, totals.waiting) == (len(HOUSES) * 20, 0)
        assert set(standings) == {bidder.name for bidder in BIDDERS}
        everything = {(house.name, number) for house in HOUSES for number in range(1, 21)}
        assert await desk.accepted_until(SystemClock().now()) == everything
        assert await desk.accepted_until(scene.begins) == set()
        await bidders.close()
        await houses.close()
    words = [word for word, _ in told if word not in ("offered", "alerted")]
    assert words == ["connected", "left", "paused", "went on", "came back"]
