"""The tree of objects: what is in it, how one finds it, and what one can do there."""

from __future__ import annotations

from playwright.async_api import Browser, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def test_it_shows_who_is_connected_from_where_and_how_far_behind(browser: Browser) -> None:
    async with served() as door, door.wire() as wire:
        channel = await door.channel("roads")
        pushed = await door.proxy(channel, name="speeding", constraints=["$price > 5"])
        await door.proxy(channel, name="night", style="pull")
        await wire.connect(1, channel, pushed, again=True, window=2)
        await door.publish(channel, 6, 7, 8)
        at = f"#/objects?at=proxy-{channel}-{pushed}"
        async with console(browser, _url(door), at, ready="#tree") as page:
            row = page.locator(f"#row-proxy-{channel}-{pushed}")
            await expect(row).to_contain_text("connected")
            await expect(row).to_contain_text("push WebSocket 127.0.0.1")
            await expect(row.locator("[role=gridcell]").nth(4)).to_have_text("1")
            await expect(row.locator("[role=gridcell]").nth(5)).to_have_text("3")
            night = page.locator("#tree [role=row]", has_text="night")
            await expect(night).to_contain_text("away")
            details = page.locator("#details")
            await expect(details.locator("h2")).to_have_text("speeding")
            await expect(details).to_contain_text("In flight2")
            await expect(details.locator(".filter code")).to_have_text("$price > 5")


async def test_the_keyboard_walks_the_tree_and_opens_its_menu(browser: Browser) -> None:
    async with served() as door:
        for name in ("roads", "sea"):
            await door.channel(name)
        async with console(browser, _url(door), "#/objects", ready="#tree") as page:
            await page.keyboard.press("t")
            for key in ("Home", "ArrowDown", "ArrowRight"):
                await page.keyboard.press(key)
            chosen = page.locator("#tree [aria-selected=true]")
            await expect(chosen).to_contain_text("roads")
            await expect(chosen).to_have_attribute("aria-expanded", "true")
            await expect(page.locator("#tree [role=row]", has_text="Suppliers")).to_be_visible()
            await page.keyboard.press("ArrowDown")
            await expect(chosen).to_contain_text("Suppliers")
            await page.keyboard.press("ArrowLeft")
            await page.keyboard.press("ArrowLeft")
            await expect(chosen).to_have_attribute("aria-expanded", "false")
            await page.keyboard.press("Shift+F10")
            await expect(page.get_by_role("menu")).to_be_visible()
            await page.keyboard.press("d")
            await expect(page.get_by_role("menuitem", name="Destroy a channel…")).to_be_focused()
            await page.keyboard.press("Enter")
            dialog = page.get_by_role("alertdialog")
            await dialog.get_by_role("button", name="Destroy a channel").click()
            await expect(page.locator("#tree [role=row]", has_text="roads")).to_have_count(0)
        assert [one.name for one in door.host.channels.values()] == ["sea"]


async def test_the_right_button_opens_the_menu_of_the_row(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        proxy = await door.proxy(channel, name="billing")
        at = f"#/objects?at=proxy-{channel}-{proxy}"
        async with console(browser, _url(door), at, ready="#tree") as page:
            await page.locator(f"#row-proxy-{channel}-{proxy}").click(button="right")
            await page.get_by_role("menuitem", name="Change its event types…").click()
            dialog = page.locator("dialog[open]")
            await dialog.get_by_role("button", name="Add added").click()
            await dialog.get_by_role("textbox", name="Added 1").fill("Auction::*")
            await dialog.get_by_role("button", name="Change its event types").click()
            await expect(page.locator("#details .chips")).to_have_text("Auction::*")


async def test_a_filter_is_made_and_attached_in_one_go(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        proxy = await door.proxy(channel, name="billing")
        at = f"#/objects?at=proxy-{channel}-{proxy}"
        async with console(browser, _url(door), at, ready="#tree") as page:
            await page.get_by_role("button", name="Add…").click()
            dialog = page.locator("dialog[open]")
            await dialog.get_by_role("button", name="Add constraint").click()
            await dialog.get_by_label("Text").fill("$rate > 50")
            await dialog.get_by_role("button", name="Create a filter").click()
            await dialog.get_by_role("button", name="Attach a filter").click()
            await expect(page.locator(".filter code")).to_have_text("$rate > 50")


async def test_a_search_shows_what_has_all_the_words_with_what_it_is_in(browser: Browser) -> None:
    async with served() as door:
        for channel in ("roads", "sea"):
            id = await door.channel(channel)
            for name in ("billing", "night batch"):
                await door.proxy(id, name=name, style="pull")
        async with console(browser, _url(door), "#/objects", ready="#tree") as page:
            rows = page.locator("#tree [data-at]")
            await page.locator("input[type=search]").fill("batch pull")
            await expect(rows).to_have_count(7)  # the service, and both with channel and admin
            await expect(page.locator("#tree")).not_to_contain_text("billing")
            await page.locator("input[type=search]").fill("nothing like this")
            await expect(page.locator(".tree")).to_contain_text("Nothing found")


async def test_of_very_many_rows_few_are_in_the_page(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        for number in range(1_500):
            await door.ask(
                "POST", f"/v1/channels/{channel}/proxies", {"name": f"p{number:04}"}, 201
            )
        at = f"#/objects?at=proxy-{channel}-1"
        async with console(browser, _url(door), at, ready="#tree") as page:
            tree = page.locator("#tree")
            await expect(tree).to_have_attribute("aria-rowcount", "1505")
            assert await page.locator("#tree [data-at]").count() < 80
            await tree.focus()
            await page.keyboard.press("End")
            await expect(page.locator("#tree [aria-selected=true]")).to_contain_text("p1499")
            assert await page.locator("#tree [data-at]").count() < 80
