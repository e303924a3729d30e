"""Trader: types that inherit, offers that are found, exported, changed and withdrawn, links."""

from __future__ import annotations

from playwright.async_api import Browser, Page, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console
from tidings.server.cores import service_cores

COST = {"name": "cost", "value_type": "double", "mode": "mandatory"}
SITE = {"name": "site", "value_type": "string", "mode": "readonly"}


async def _types(door: ServedDoor) -> None:
    for name, above, properties in (
        ("Printer", [], [COST, {"name": "features", "value_type": "sequence<string>"}]),
        ("Plotter", ["Printer"], [SITE, {"name": "width", "value_type": "short"}]),
    ):
        given = {"name": name, "super_types": above, "properties": properties}
        await door.ask("POST", "/v1/trader/types", given, 201)


async def _choose(page: Page, item: str) -> None:
    await page.get_by_label("Plotter", exact=True).get_by_role("button", name="Actions").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_an_offer_is_exported_found_changed_and_withdrawn(browser: Browser) -> None:
    async with served(cores=service_cores()) as door:
        await _types(door)
        async with console(browser, f"http://127.0.0.1:{door.port}", "#/trader") as page:
            dialog, offers = page.locator("dialog[open]"), page.get_by_label("Offers", exact=True)
            await page.get_by_role("button", name="Plotter").click()
            inherited = page.get_by_label("Plotter", exact=True).locator("tbody tr").nth(2)
            await expect(inherited.locator("td")).to_have_text(
                ["cost", "double", "mandatory", "Printer"]
            )
            # A field for each property; what is refused stands at the field it is about.
            await page.get_by_role("button", name="Export an offer").click()
            export = dialog.get_by_role("button", name="Export an offer")
            await dialog.get_by_label("Reference").fill("nowhere")
            await export.click()
            await expect(dialog.get_by_label("Reference")).to_be_focused()
            await dialog.get_by_label("Reference").fill("corbaloc::10.0.0.9:2809/1")
            await export.click()
            await expect(dialog.locator("#field-properties-cost-fault")).to_have_count(1)
            await dialog.get_by_label("cost").fill("5")
            await dialog.get_by_label("features").fill('["colour"]')
            await dialog.get_by_label("site").fill("Graz")
            await dialog.get_by_label("width").fill("90")
            await dialog.get_by_role("button", name="Add", exact=True).click()
            await dialog.get_by_label("Name 1").fill("floor")
            await dialog.get_by_role("group", name="Other").locator("input").last.fill("3")
            await export.click()
            row = offers.locator("tbody tr")
            await expect(row).to_contain_text("width 90")
            [made] = (await door.ask("GET", "/v1/trader/offers"))["offers"]
            values = {"cost": 5.0, "features": ["colour"], "site": "Graz", "floor": 3}
            assert made["properties"] == {**values, "width": {"$type": "short", "value": 90}}
            # Only what differs is sent: readonly properties have no field, empty ones are deleted.
            await row.get_by_role("button", name="Change").click()
            await expect(dialog.get_by_label("site")).to_have_count(0)
            await dialog.get_by_label("width").fill("")
            await dialog.get_by_label("cost").fill("4.5")
            await dialog.get_by_role("button", name="Change an offer").click()
            await expect(row).to_contain_text("cost 4.5")
            [made] = (await door.ask("GET", "/v1/trader/offers"))["offers"]
            assert made["properties"] == {**values, "cost": 4.5}
            # A constraint chooses; where it is wrong, it says so.
            await page.get_by_label("Constraint").fill("cost > ")
            await expect(offers.locator(".fault")).to_contain_text("^")
            await page.get_by_label("Constraint").fill("cost > 5")
            await expect(offers).to_contain_text("No offer matches")
            await page.get_by_label("Constraint").fill("cost < 5")
            await row.get_by_role("button", name="Withdraw").click()
            await dialog.get_by_role("button", name="Withdraw an offer").click()
            await expect(offers).to_contain_text("No offer matches")
            assert not (await door.ask("GET", "/v1/trader/offers"))["offers"]


async def test_types_are_added_and_masked_and_links_are_added(browser: Browser) -> None:
    async with served(cores=service_cores()) as door:
        await _types(door)
        at = "#/trader?type=Plotter"
        async with console(browser, f"http://127.0.0.1:{door.port}", at) as page:
            dialog = page.locator("dialog[open]")
            types = page.get_by_label("Service types", exact=True).locator("tbody tr")
            await _choose(page, "Derive a type")
            add = dialog.get_by_role("button", name="Add a service type")
            name = dialog.locator("#field-name")
            await name.fill("Printer")
            await add.click()
            await expect(dialog.locator("#field-name-fault")).to_contain_text("already")
            await name.fill("Cutter")
            await add.click()
            await expect(types).to_have_count(3)
            await _choose(page, "Mask")
            await dialog.get_by_role("button", name="Mask a service type").click()
            await expect(types.nth(1)).to_contain_text("masked")
            await expect(page.get_by_role("button", name="Export an offer")).to_be_disabled()
            await page.get_by_role("button", name="Add a link").click()
            await name.fill("annex")
            await dialog.get_by_label("Target").fill("corbaloc::10.0.1.9:2809/TradingService")
            await dialog.get_by_role("button", name="Add a link").click()
            await expect(page.get_by_label("Links").locator("tbody tr")).to_contain_text("annex")
        [link] = (await door.ask("GET", "/v1/trader/links"))["links"]
        assert link["name"] == "annex"
