"""Auction alert in a real browser: who gets which alerts, whatever is typed, whatever dies."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.edges.web.served import ServedDoor
from tests.edges.web.served import served as served_door
from tests.patience import PATIENCE
from tests.real.console.browsing import console
from tests.real.console.test_every_page import HIDDEN, HOSTILE, findings
from tests.real.console.test_shell import _free_port
from tests.real.e2e import served as processes
from tidings.apps.auction_alert import evening
from tidings.apps.auction_alert.scene import BIDDERS, CHANNEL, Lot
from tidings.apps.auction_alert.web import Auction, served
from tidings.apps.local_pages import listener
from tidings.channel.views import FilterInfo
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.clock import utc_now
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

LISTENING = """() => {
  const Real = AudioContext;
  window.AudioContext = class extends Real { constructor() { super(); window.heard = true; } };
}"""
VIEWS = ("alerts", "sell", "market", "evening")
LONG = 600


class Opened(NamedTuple):
    """An auction with its pages, and somebody else's client of the service."""

    url: str
    auction: Auction
    client: Client

    async def announce(self, item: str, category: str, price: float, seconds: float = LONG) -> None:
        """Publishes an offer, as another program would."""
        lot = Lot(item, category, price, "Hartung")
        await self.client.publish(CHANNEL, lot.offer(utc_now() + timedelta(seconds=seconds)))

    async def filtered(self, text: str) -> None:
        """Waits until the service has this constraint, and no other."""
        async with asyncio.timeout(PATIENCE):
            while await self._texts() != {text}:  # noqa: ASYNC110 -- it tells nobody
                await asyncio.sleep(0.01)

    async def _texts(self) -> set[str]:
        found = await self.client.filters()
        return {
            each.text
            for one in found
            if isinstance(one, FilterInfo)
            for each in one.constraints.values()
        }

    async def offers(self) -> list[tuple[int, StructuredEvent]]:
        """Everything that was ever announced."""
        return [(one.seq, one.event) async for one in self.client.history(CHANNEL)]


@asynccontextmanager
async def auction(service: str) -> AsyncIterator[Opened]:
    async with (
        await connect(service) as client,
        await connect(service) as other,
        served(client, service, listener(0)) as (url, made),
    ):
        yield Opened(url, made, other)


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with served_door(folder=tmp_path / "data") as door, auction(_url(door)) as made:
        yield made


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def look(page: Page, name: str, *categories: str, **form: str) -> None:
    """Fills in a buyer's form and sends it."""
    await page.get_by_label("Your name").fill(name)
    for one in categories:
        await page.get_by_label(one, exact=True).check()
    for label, text in form.items():
        await page.get_by_label(label.replace("_", " ")).fill(text)
    await page.get_by_role("button", name="Look for it").click()
    await expect(page.locator("#alerts")).to_contain_text("Alerts arrive as sellers announce")


async def window(page: Page, url: str, at: str = "") -> Page:
    """Another page of the same browser."""
    made = await page.context.new_page()
    await made.goto(f"{url}/{at}")
    await made.wait_for_selector("h1")
    return made


@asynccontextmanager
async def stranger(page: Page, url: str, at: str = "") -> AsyncIterator[Page]:
    """A page of another person, whose browser keeps other things."""
    browser = page.context.browser
    assert browser is not None
    context: BrowserContext = await browser.new_context()
    try:
        made = await context.new_page()
        await made.goto(f"{url}/{at}")
        await made.wait_for_selector("h1")
        yield made
    finally:
        await context.close()


async def sell(page: Page, item: str, category: str, price: str) -> None:
    """Announces a lot through the form."""
    await page.get_by_label("Item").fill(item)
    await page.get_by_label("Category").select_option(category)
    await page.get_by_label("Start price").fill(price)
    await page.get_by_role("button", name="Announce").click()
    await expect(page.get_by_label("Announced here").locator("tbody tr").first).to_contain_text(
        item
    )


def items(page: Page) -> Locator:
    return page.locator("#alerts tbody td:first-child > bdi")


async def seqs(page: Page) -> list[int]:
    rows = page.locator("#alerts tbody tr")
    found = await rows.evaluate_all("all => all.map((one) => Number(one.dataset.seq))")
    return sorted(found)


async def test_an_alert_comes_to_exactly_those_who_asked(browser: Browser, tmp_path: Path) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as ada:
        await look(ada, "Greta", "books", "maps", Words="O'Neill", Price_up_to="20")
        text = "'O\\'Neill' ~ $item and $start_price <= 20"
        await expect(ada.get_by_label("Constraint")).to_have_value(text)
        await ada.evaluate(LISTENING)
        async with (
            stranger(ada, made.url) as bruno,
            stranger(ada, made.url, "#/sell") as seller,
        ):
            await look(bruno, "Hugo", "maps")
            await seller.get_by_label("Your name").fill("Moreau")
            for item, category, price in (
                ("Diary of O'Neill", "books", "12.5"),
                ("Diary of O'Neill, signed", "books", "20.01"),
                ("Diary of O'Hara", "books", "3"),
                ("Clock of O'Neill", "clocks", "9"),
                ("Map of O'Neill", "maps", "20"),
            ):
                await sell(seller, item, category, price)
            await expect(items(ada)).to_have_text(["Map of O'Neill", "Diary of O'Neill"])
            await expect(items(bruno)).to_have_text(["Map of O'Neill"])
            await seller.get_by_role("link", name="Market").click()
            wanted = seller.get_by_label("Offered and wanted").locator("tr", has_text="maps")
            await expect(wanted).to_contain_text("Moreau")
            await expect(wanted).to_contain_text("Greta, Hugo")
        assert not await ada.evaluate("window.heard")  # sound is off until somebody wants it
        await ada.get_by_label("Sound").check()
        assert await ada.evaluate("window.heard")


async def test_an_edited_constraint_is_checked_and_its_error_has_a_place(
    browser: Browser, tmp_path: Path
) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await made.announce("Atlas, Peru", "maps", 30)
        await look(page, "Greta", "maps", Price_up_to="20")
        field, told = page.get_by_label("Constraint"), page.locator("#constraint-told")
        await field.fill("$start_price <= 20 or $item = 'Atlas'")
        await expect(told).to_contain_text("line 1, column 29: '=' has no meaning here")
        await expect(told).to_contain_text("\n" + " " * 30 + "^", use_inner_text=True)
        await page.get_by_role("button", name="Change it").click()
        await expect(page.locator(".problem")).to_contain_text("column 29")
        await made.announce("Plan, Vienna", "maps", 9)
        await expect(items(page)).to_have_text(["Plan, Vienna"])  # what was asked before goes on
        await field.fill("$start_prce < 20")
        await expect(told).to_contain_text("did you mean $start_price?")
        await field.fill("'Atlas' ~ $item")
        await expect(told).to_contain_text("Matches 1 of 2 open offers.")
        await page.get_by_role("button", name="Change it").click()
        await made.filtered("'Atlas' ~ $item")
        await expect(page.locator(".problem")).to_have_count(0)
        await made.announce("Atlas, Vienna", "maps", 300)
        await made.announce("Chart, Vienna", "maps", 3)
        await expect(items(page)).to_have_text(["Atlas, Vienna", "Plan, Vienna"])
        await page.get_by_role("button", name="Make it from the form again").click()
        await expect(field).to_have_value("$start_price <= 20")


# What the constraints say, in Python.
ASKED: dict[str, Callable[[Any], bool]] = {
    "Ada": lambda d: d["category"] == "books" and d["start_price"] < 20,
    "Bruno": lambda d: d["category"] == "coins" and ("gold" in d["item"] or d["start_price"] > 120),
    "Chiara": lambda d: (
        (d["category"] in ("maps", "prints") and "Vienna" in d["item"])
        or (d["category"] == "books" and d["seller"] == "Hartung")
    ),
    "Dora": lambda d: d["category"] == "clocks" and d["start_price"] < 450,
    "Emil": lambda d: d["category"] != "stamps" and d["start_price"] >= 40,
    "Greta": lambda d: (
        d["category"] in ("clocks", "prints") and "Vienna" in d["item"] and d["start_price"] >= 50
    ),
    "Otto": lambda d: d["category"] == "stamps",
}


async def test_an_evening_alerts_everybody_as_the_constraints_say(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evening, "OPEN_SECONDS", (LONG, LONG))  # however slow the machine is
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await look(page, "Greta", "clocks", "prints", Words="Vienna", Price_from="50")
        await page.get_by_role("link", name="Evening").click()
        await page.get_by_role("button", name="Begin").click()
        await page.get_by_role("button", name="Pause").click()
        await expect(page.get_by_text("Paused")).to_be_visible()
        paused = made.auction.evening.state().called
        await page.get_by_role("button", name="×100").click()
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_text("Over: 240 of 240 lots")).to_be_visible()
        offers = await made.offers()
        assert paused < len(offers) == 240
        for name in {one.name for one in BIDDERS}:
            row = page.locator(f"[data-bidder={name}]")
            due = sum(ASKED[name](offer.data) for _, offer in offers)
            assert due > 0
            await expect(row.locator(".alerts")).to_have_text(str(due))
            await expect(row.locator(".twice")).to_have_text("0")
        rejected = await made.client.dead_letters(CHANNEL)
        assert {one.event.data["item"] for one in rejected} == {evening.DAMAGED}
        await page.get_by_role("link", name="Alerts", exact=True).click()
        mine = [seq for seq, offer in offers if ASKED["Greta"](offer.data)]
        await expect(items(page)).to_have_count(len(mine))
        assert await seqs(page) == mine


async def test_a_killed_service_loses_neither_what_is_typed_nor_an_alert(
    browser: Browser, tmp_path: Path
) -> None:
    port = str(_free_port())
    folder = tmp_path / "service"
    with ExitStack() as stack:
        first = stack.enter_context(processes.served(folder, "--port", port))
        async with auction(first.url) as made, console(browser, made.url) as buyer:
            await look(buyer, "Greta", "books")
            seller = await window(buyer, made.url, "#/sell")
            await seller.get_by_label("Your name").fill("Moreau")
            await sell(seller, "Diary, bees", "books", "12.5")
            await expect(items(buyer)).to_have_text(["Diary, bees"])
            await seller.get_by_label("Item").fill("Atlas, half typed")
            await seller.get_by_label("Category").select_option("books")
            first.end(signal.SIGKILL)
            away = seller.locator(".away[role=alert]")
            await expect(away).to_contain_text("Nothing typed here is lost")
            await seller.get_by_label("Start price").fill("30")
            await seller.get_by_role("button", name="Announce").click()
            stack.enter_context(processes.served(folder, "--port", port))
            await expect(items(buyer)).to_have_text(["Atlas, half typed", "Diary, bees"])
            await expect(away).to_have_count(0)
            await sell(seller, "Novel, the sea", "books", "9")
            await expect(items(buyer).first).to_have_text("Novel, the sea")
            assert await seqs(buyer) == [1, 2, 3] == [seq for seq, _ in await made.offers()]


async def test_an_announcement_without_an_answer_is_made_once(
    browser: Browser, tmp_path: Path
) -> None:
    async with opened(tmp_path) as made, console(browser, made.url, "#/sell") as page:
        await page.get_by_label("Your name").fill("Moreau")

        async def lose(route: Route) -> None:
            await route.fetch()
            await route.abort()

        await page.get_by_label("Item").fill("Stamp, blue")
        await page.get_by_role("button", name="Announce").click()
        await expect(page.get_by_label("Category")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Category").select_option("stamps")
        await page.get_by_label("Start price").fill("8")
        await page.route("**/api/offers", lose, times=1)
        await page.get_by_role("button", name="Announce").click()
        await expect(page.get_by_text("There was no answer")).to_be_visible()
        await sell(page, "Stamp, blue", "stamps", "8")
        await sell(page, "Stamp, blue", "stamps", "8")  # on purpose: another one of the same
        assert len(await made.offers()) == 2


async def test_what_a_buyer_missed_waits_until_it_closes(browser: Browser, tmp_path: Path) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await look(page, "Greta", "stamps")
        await made.announce("Stamp, blue", "stamps", 5)
        await expect(items(page)).to_have_text(["Stamp, blue"])
        await page.evaluate("() => { WebSocket.prototype.send = () => {} }")  # it comes again
        await made.announce("Stamp, kept", "stamps", 5)
        await expect(items(page)).to_have_text(["Stamp, kept", "Stamp, blue"])
        await page.goto("about:blank")
        await made.announce("Stamp, too late", "stamps", 5, seconds=0.2)
        await made.announce("Stamp, red", "stamps", 5)
        await made.announce("Stamp, gone soon", "stamps", 5, seconds=4)
        await page.goto(made.url)
        await expect(items(page)).to_contain_text(["Stamp, red", "Stamp, kept"])
        left = ["Stamp, red", "Stamp, kept", "Stamp, blue"]
        await expect(items(page)).to_have_text(left)  # the last one vanishes
        await page.get_by_role("link", name="Market").click()
        await expect(page.locator(".offers tbody tr")).to_have_count(len(left))
        # Of two pages of one buyer, the later one gets the alerts.
        other = await window(page, made.url)
        await page.get_by_role("link", name="Alerts", exact=True).click()
        await page.get_by_role("button", name="Take them here").click()
        await expect(other.locator("#alerts")).to_contain_text("Another page takes the alerts")
        await made.announce("Stamp, last", "stamps", 5)
        await expect(items(page).first).to_have_text("Stamp, last")
        await expect(items(other)).to_have_count(len(left))
        await page.get_by_role("button", name="Stop looking").click()
        await expect(page.get_by_text("Nobody looks for anything here yet")).to_be_visible()
        await made.announce("Stamp, for nobody", "stamps", 5)
        assert "Greta" not in {one.name for one in await _proxies(made.client)}


async def _proxies(client: Client) -> Any:
    return await (await client.channel(CHANNEL)).proxies()


async def test_any_text_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    small = {"width": 390, "height": 800}
    async with opened(tmp_path) as made, console(browser, made.url, viewport=small) as page:
        await look(page, "<b>Greta</b> \u202e" + "x" * 60)
        stop = utc_now() + timedelta(seconds=LONG)
        strange: list[dict[str, object]] = [
            *({"item": text, "start_price": 1.0, "seller": text + HIDDEN} for text in HOSTILE),
            {"item": ["no", "text"], "start_price": "dear", "seller": 7},
            {"item": "y" * 2**20, "start_price": float("inf")},
            {},
        ]
        for data in strange:
            full = {"closes": "whenever", **data}
            await made.client.publish(CHANNEL, event("Auction", "<i>", "offer", full, stop=stop))
        await expect(items(page)).to_have_count(len(strange))
        for view in VIEWS:
            await page.goto(f"{made.url}/#/{view}")
            await page.wait_for_selector(f"h1:text-is('{view.title()}')")
            assert "Auction alert" in await page.title()
            told = await page.evaluate("document.body.innerText + document.body.innerHTML")
            assert not set(told) & set(HIDDEN)
            assert len(told) < 60_000
            assert await page.locator("#console script, #console img[src=x]").count() == 0
            assert await page.evaluate("document.documentElement.scrollWidth") == 390


async def test_everybody_can_use_it(browser: Browser, tmp_path: Path) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await look(page, "Greta")
        await page.get_by_label("Constraint").fill("$item = 'x'")
        made.auction.evening.steer(50)
        made.auction.evening.begin()
        await expect(items(page).first).to_be_visible()
        for view in VIEWS:
            await page.goto(f"{made.url}/#/{view}")
            await page.wait_for_selector(f"h1:text-is('{view.title()}')")
            assert not await findings(page), view
