"""The subscriber agent in a real browser: what was picked comes, is read, and acknowledged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.edges.web.served import served as served_door
from tests.real.console.browsing import console
from tests.real.console.test_every_page import HIDDEN, HOSTILE, findings
from tidings.apps.local_pages import listener
from tidings.apps.subscriber_agent.bank import Bank, set_up
from tidings.apps.subscriber_agent.web import served
from tidings.changes.model import ChangeKind
from tidings.changes.requests import SeeSubscriber
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.server.cores import service_cores
from tidings.trader.requests import ModifyOffer

PICTURES = Path(__file__).parents[3] / "build" / "pictures"
WINDOWS: dict[str, tuple[str, ViewportSize]] = {
    "light": ("light", {"width": 1360, "height": 850}),
    "dark": ("dark", {"width": 1360, "height": 850}),
    "small": ("light", {"width": 390, "height": 844}),
}


class Opened(NamedTuple):
    """An agent with its pages, and the bank as another client of the service."""

    url: str
    client: Client
    bank: Bank

    async def announce(self, kind: ChangeKind) -> str:
        return await self.bank.announce(kind, SystemClock().now())


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Opened]:
    async with served_door(folder=folder / "data", cores=service_cores()) as door:
        service = f"http://127.0.0.1:{door.port}"
        async with await connect(service) as client, await connect(service) as other:
            await set_up(other)
            async with served(client, service, listener(0)) as url:
                yield Opened(url, other, Bank(other))


async def pick(page: Page, url: str, name: str, *types: str) -> None:
    await page.goto(f"{url}/#/pick")
    await page.get_by_label("Your name").fill(name)
    for one in ("Bank", "Bank_2", "Printer"):
        await page.get_by_label(one, exact=True).set_checked(one in types)
    await page.get_by_role("button", name="Subscribe").click()
    await expect(page.get_by_role("status").first).to_contain_text("arrive here")


async def take(page: Page, name: str) -> None:
    """Takes pictures, and looks for what people cannot use."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for window, (theme, size) in WINDOWS.items():
        await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        await page.set_viewport_size(size)
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        await page.screenshot(path=PICTURES / f"agent-{name}-{window}.png", full_page=True)
    await page.set_viewport_size(WINDOWS["light"][1])
    assert not await findings(page)


async def test_notices_of_what_was_picked_come_as_documents_and_are_acknowledged(
    browser: Browser, tmp_path: Path
) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await pick(page, made.url, "ann", "Bank")
        await page.goto(f"{made.url}/#/pick")
        await page.locator("summary").click()
        only = page.get_by_label("Only services of Bank where")
        await only.fill("$Name ==")
        await page.get_by_role("button", name="Change it").click()
        await expect(page.locator(".pick-type .fault")).to_contain_text("^")
        await take(page, "pick")
        await page.goto(f"{made.url}/#/notices")
        notices = page.get_by_label("Notices", exact=True).get_by_role("button")
        await made.bank.make(ChangeKind.INSTANTIATION_SERVICE)
        await expect(notices).to_contain_text("New service")
        # What was not picked does not come: the printer.
        printer = {"Name": HOSTILE[1] + HIDDEN[:3]}
        await made.client.transport.ask(ModifyOffer("Printer/1", (), printer))
        await made.announce(ChangeKind.CHANGE_TYPE)
        await made.bank.make(ChangeKind.CHANGE_TYPE)
        await expect(notices).to_have_count(3)
        await expect(notices.first).to_contain_text("breaks clients")
        await expect(notices.nth(1)).to_contain_text("announced")
        document = page.locator(".document")
        await expect(document.locator("tr.changed")).not_to_have_count(0)
        await expect(document.locator("tr.added").last).to_contain_text("transfer")
        await take(page, "notices")
        await page.get_by_role("button", name="Acknowledge", exact=True).click()
        await expect(notices).to_have_count(2)
        # What was not acknowledged comes again, the rest does not.
        await page.reload()
        await expect(notices).to_have_count(2)
        await page.get_by_label("Show those that are acknowledged").check()
        await expect(notices).to_have_count(3)
        await notices.first.click()
        await page.get_by_role("button", name="XML").click()
        await expect(page.locator(".notice-xml")).to_contain_text("<ServiceChangeNotification>")


async def test_an_evolver_sees_who_will_be_told_and_announces(
    browser: Browser, tmp_path: Path
) -> None:
    async with opened(tmp_path) as made, console(browser, made.url) as page:
        await pick(page, made.url, "ann", "Printer")
        await pick(page, made.url, "bob", "Bank")
        await page.goto(f"{made.url}/#/announce")
        await page.get_by_label("You, the service evolver").fill("acme")
        await page.get_by_label("What will happen").select_option("CHANGE_PROPERTY_VAL")
        await page.get_by_label("Service", exact=True).select_option("Printer/1")
        form = page.get_by_role("form", name="The change")
        await form.get_by_label("Speed").fill("fast")
        await form.get_by_label("Reason").fill(HOSTILE[1])
        announce = form.get_by_role("button", name="Announce")
        await announce.click()
        await expect(form.get_by_label("Speed")).to_be_focused()
        await form.get_by_label("Speed").fill("30")
        audience = page.get_by_label("Who will be told", exact=True).last.locator("tr")
        await expect(audience).to_have_count(2)
        await expect(audience.first).to_contain_text("annwill be told")
        await expect(audience.last).to_contain_text("bobwill not")
        await take(page, "announce")
        await announce.click()
        await expect(form.get_by_role("alert")).to_contain_text("acme")  # who is not registered
        await page.get_by_role("button", name="Register").click()
        await expect(page.get_by_text("registered", exact=True)).to_be_visible()
        await announce.click()
        await expect(page.locator(".toast").last).to_contain_text("Announced as EV")
        await pick(page, made.url, "ann", "Printer")
        document = page.locator(".document")
        await expect(document).to_contain_text(HOSTILE[1])
        assert await page.locator(".document img").count() == 0
        await expect(document.locator("tr.changed")).to_contain_text("20 → 30")
        found = await made.client.transport.request(SeeSubscriber("ann"))
        assert [one.type for one in found.filters["F2"].services] == ["Printer"]
