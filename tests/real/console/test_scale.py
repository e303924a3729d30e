"""However many objects there are, the page has and asks for what can be seen, while it can be."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Page, Request, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console

CHANNELS = 60
SECOND = 1_000


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def _fill(door: ServedDoor) -> None:
    for number in range(CHANNELS):
        channel = await door.channel(f"road-{number:03}")
        await door.proxy(channel, name="gate", side="supplier")
        await door.proxy(channel, name="lane")


def _asked(page: Page, path: str = "") -> list[str]:
    """Requests for data, as they are sent; of those for one path the queries."""
    asked: list[str] = []

    def note(request: Request) -> None:
        url = urlsplit(request.url)
        if not path:
            asked.append(url.path)
        elif url.path == path:
            asked.append(url.query)

    page.on("request", note)
    return asked


async def _rows(page: Page) -> int:
    return await page.locator("#tree [data-at]").count()


async def test_the_tree_asks_for_what_can_be_seen(browser: Browser) -> None:
    async with served() as door:
        await _fill(door)
        async with console(browser, _url(door), ready="#console nav") as page:
            asked = _asked(page, "/v1/outline")
            await page.goto(f"{_url(door)}/#/objects")
            tree = page.locator("#tree")
            await expect(tree).to_have_attribute("aria-rowcount", str(CHANNELS + 2))
            assert set(asked) == {"inside=false"}
            await page.locator("#row-channel-3").dblclick()
            await expect(page.locator("#row-admin-3-consumer-0")).to_be_visible()
            assert {query for query in asked if "of=" in query} == {"of=3"}
            await page.locator("input[type=search]").fill("lane")
            await expect(tree).to_have_attribute("aria-rowcount", str(2 + 3 * CHANNELS))
            assert asked.count("") == 1  # everything, once: afterwards what is in view
            assert await _rows(page) < 80
            await tree.focus()
            await page.keyboard.press("End")
            await expect(page.locator("#tree [aria-selected=true]")).to_contain_text("lane")
            assert await _rows(page) < 80
            for query in asked:
                assert len(parse_qs(query).get("of", [])) < 80


async def test_nothing_is_asked_for_while_the_tab_is_hidden(browser: Browser) -> None:
    async with served() as door:
        await door.channel("roads")
        async with console(browser, _url(door), ready="#console nav") as page:
            await page.clock.install()
            for at in ("overview", "objects"):
                await page.goto(f"{_url(door)}/#/{at}")
                await page.reload()
                await page.wait_for_selector("main table, #tree")
                asked = _asked(page)
                await page.clock.run_for(11 * SECOND)
                await expect(page.locator("h1")).to_be_visible()
                assert asked, at
                await _hide(page, True)
                await page.wait_for_load_state("networkidle")  # what was under way
                asked.clear()
                await page.clock.run_for(60 * SECOND)
                assert asked == []
                async with page.expect_request("**/v1/**"):
                    await _hide(page, False)


async def _hide(page: Page, hidden: bool) -> None:
    await page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )
