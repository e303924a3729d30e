"""Notices of the service, and who has changed what."""

from __future__ import annotations

from playwright.async_api import Browser, expect

from tests.edges.web.served import served
from tests.edges.web.test_logins import PASSWORD, scene
from tests.real.console.browsing import console
from tidings.channel.effects import Notice, NoticeKind
from tidings.server.cores import service_cores


async def test_notices_are_those_of_a_kind_and_changes_name_who_and_what_came_of_it(
    browser: Browser,
) -> None:
    async with served(cores=service_cores()) as door:
        channel = await door.channel("roads")
        proxy = await door.proxy(channel, name="billing")
        door.host.notice(Notice(NoticeKind.SLOW_CONSUMER, channel, proxy, "1000 events wait"))
        door.host.notice(Notice(NoticeKind.LOST, 0, 0, "segment 7 is damaged"))
        await door.ask("POST", "/v1/channels", {"name": "roads"}, 409)
        async with console(browser, f"http://127.0.0.1:{door.port}", "#/notices") as page:
            notices = page.get_by_label("Notices of the service").locator("tbody tr")
            await expect(notices).to_have_count(2)
            await expect(notices.first).to_contain_text("segment 7 is damaged")
            await page.get_by_label("Kind of notice").select_option("slow consumer")
            await expect(notices).to_have_count(1)
            await expect(notices.get_by_role("link", name="billing")).to_have_attribute(
                "href", f"#/objects?at=proxy-{channel}-{proxy}"
            )
            changes = page.get_by_label("Changes", exact=True).locator("tbody tr")
            await expect(changes).to_have_count(3)
            for text in ("owner", "create_channel", "name roads", "HTTP", "127.0.0.1", "taken"):
                await expect(changes.first).to_contain_text(text)
            await page.get_by_placeholder("Search").fill("obtain owner")
            await expect(changes).to_have_count(1)
            # What comes later is added to what is there.
            await door.proxy(channel, name="night")
            await expect(changes).to_have_count(2)


async def test_changes_are_for_those_who_administer_access(browser: Browser) -> None:
    async with scene() as here:
        url = f"http://127.0.0.1:{here.door.port}"
        async with console(browser, url, "#/notices") as page:
            form = page.get_by_role("dialog", name="Log in")
            await form.get_by_label("Name").fill("ann")
            await form.get_by_label("Password").fill(PASSWORD)
            await form.get_by_role("button", name="Log in").click()
            await expect(page.get_by_label("Notices of the service")).to_contain_text("No notices")
            await expect(page.get_by_label("Changes", exact=True)).to_have_count(0)
            await page.goto(f"{url}/#/access")
            you = page.get_by_label("You")
            await expect(you).to_contain_text("You are ann, by password")
            await expect(you.locator("tbody tr")).to_contain_text("subscribe")
            await expect(page.locator("main")).to_contain_text("for those who administer access")
            await page.goto(f"{url}/#/settings")
            await expect(page.get_by_role("alert")).to_contain_text("You may not see this")
