"""Access: principals, grants and credentials are made, changed and taken back."""

from __future__ import annotations

from playwright.async_api import Browser, Page, expect

from tests.edges.web.served import served
from tests.real.console.browsing import console
from tidings.grants.core import Grants


async def _choose(page: Page, principal: str, item: str) -> None:
    await page.get_by_role("button", name=f"Actions on {principal}").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_a_principal_is_made_given_a_grant_and_a_token_and_shut_out(browser: Browser) -> None:
    async with served(cores=[Grants()]) as door:
        limits = {"events_per_second": 5}
        radar = {"name": "radar-7", "roles": ["sensors"], "limits": limits}
        await door.ask("POST", "/v1/principals", radar, 204)
        async with console(browser, f"http://127.0.0.1:{door.port}", "#/access") as page:
            rows = page.get_by_label("Principals").locator("tbody tr")
            await expect(rows).to_contain_text("5 events/s")
            dialog = page.locator("dialog[open]")
            await _choose(page, "radar-7", "Grant something")
            await dialog.get_by_label("publish").check()
            await dialog.get_by_label("Expires at").fill("2999-01-01T10:00")
            await dialog.get_by_role("button", name="Grant something").click()
            grants = page.get_by_label("Grants").locator("tbody tr")
            await expect(grants).to_contain_text("publish")
            await expect(grants).to_contain_text("2999")
            # The token is there once, and no key takes it away.
            await _choose(page, "radar-7", "Create a token")
            await dialog.get_by_role("button", name="Create a token").click()
            await expect(dialog).to_contain_text("shown only now")
            token = await dialog.locator("#secret").inner_text()
            await page.keyboard.press("Escape")
            await expect(dialog.get_by_role("button", name="Copy the token")).to_be_focused()
            bearer = {"Authorization": f"Bearer {token}"}
            answer = await door.client.get("/v1/whoami", headers=bearer)
            assert answer.json()["principal"] == "radar-7"
            await dialog.get_by_role("button", name="Close").click()
            await expect(page.get_by_label("Credentials").locator("tbody tr")).to_have_count(1)
            log = "import('/console/lib/log.js').then((m) => JSON.stringify(m.lines.value))"
            assert token not in await page.content() + await page.evaluate(log)
            # What was emptied is empty, what nobody touched stays.
            await _choose(page, "radar-7", "Change")
            await dialog.get_by_role("button", name="Remove Role 1").click()
            await dialog.get_by_role("button", name="Change a principal").click()
            await expect(dialog).to_have_count(0)
            await _choose(page, "radar-7", "Disable")
            await dialog.get_by_role("button", name="Change a principal").click()
            await expect(rows).to_contain_text("disabled")
            await grants.get_by_role("button", name="Revoke").click()
            await dialog.get_by_role("button", name="Revoke a grant").click()
            await expect(page.get_by_label("Grants")).to_contain_text("Nothing granted")
        [found] = (await door.ask("GET", "/v1/principals"))["principals"]
        assert (found["roles"], found["disabled"]) == ([], True)
        assert found["limits"]["events_per_second"] == 5
        assert found["used_at"] is not None


async def test_very_many_come_page_by_page(browser: Browser) -> None:
    async with served(cores=[Grants()]) as door:
        for number in range(101):
            await door.ask("POST", "/v1/principals", {"name": f"p{number:03}"}, 204)
        async with console(browser, f"http://127.0.0.1:{door.port}", "#/access") as page:
            rows = page.get_by_label("Principals").locator("tbody tr")
            await expect(rows).to_have_count(100)
            await page.get_by_role("button", name="Next").click()
            await expect(rows).to_have_count(1)
            await expect(rows).to_contain_text("p100")
            await page.get_by_label("Find a principal").fill("p007")
            await page.keyboard.press("Enter")
            await expect(rows).to_contain_text("p007")
            await page.get_by_role("button", name="Show all").click()
            await expect(rows).to_have_count(100)
