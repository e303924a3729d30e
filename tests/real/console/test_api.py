"""The page of the API: whoever reads it can send what it describes, and sees what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.edges.web.served import ServedDoor, served
from tests.edges.web.test_logins import scene
from tests.real.console.browsing import console
from tests.real.console.test_every_page import HIDDEN, HOSTILE, findings
from tidings.web.options import WebOptions

AT = "docs/api"
READY = "text=Try it"
BIG = 2**53 + 1
# Operations look alike: one of each method stays, and those that somebody tries.
ONE_OF_EACH = """() => {
  const met = new Set();
  for (const one of document.querySelectorAll("section[id*='_v1']")) {
    const method = one.querySelector(".method").className;
    if (met.has(method) && !one.querySelector("form")) one.remove();
    met.add(method);
  }
  return met.size;
}"""


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def _trial(page: Page, operation: str) -> Locator:
    """The section of an operation, with its form open."""
    section = page.locator(f"section[id^={operation}_v1]").first
    await section.get_by_role("button", name="Try it").click()
    await section.locator("form").wait_for()
    return section


async def _shows(element: Locator, text: str) -> None:
    """Waits until a text is there; `expect` would describe all of this long page if it is not."""
    await element.filter(has_text=text).wait_for()


async def test_what_is_sent_and_answered_is_shown_and_can_be_repeated(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(folder=tmp_path) as door, console(browser, _url(door), AT, READY) as page:
        create = await _trial(page, "create_channel")
        await create.get_by_role("button", name="Send", exact=True).click()
        await expect(create.locator(".answer b")).to_have_text("201 Created")
        await create.get_by_text("Headers").click()
        await expect(create.locator(".answer")).to_contain_text("location/v1/channels/1")
        assert [one.name for one in door.host.channels.values()] == ["auctions"]
        send = await _trial(page, "send_events")
        event = f'{{"domain":"A","type":"B","data":{{"n":{BIG}}}}}'
        await send.get_by_label("Body").fill(event)
        await send.get_by_label("trail").select_option("Yes")
        await send.get_by_role("button", name="Send", exact=True).click()
        await expect(send.locator(".answer pre")).to_contain_text('"seq": 1')
        past = await _trial(page, "past_events")
        await past.get_by_role("button", name="Send", exact=True).click()
        await _shows(past.locator(".answer pre"), f'"n": {BIG}')
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await send.get_by_role("button", name="Copy as curl").click()
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert f"{_url(door)}/v1/channels/auctions/events?trail=true" in copied
        assert "-H 'Content-Type: application/json' -d '{\"domain\"" in copied


async def test_what_destroys_is_asked_for_again(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door), AT, READY) as page:
        await door.channel("auctions")
        destroy = await _trial(page, "destroy_channel")
        for answer, left in (("Cancel", 1), ("Send it", 0)):
            await destroy.get_by_role("button", name="Send…").click()
            # By its attribute: to find a role, each element of this long page would be looked at.
            sure = page.locator("[role=alertdialog]")
            await _shows(sure, "DELETE /v1/channels/auctions")
            assert len(door.host.channels) == 1
            await sure.get_by_role("button", name=answer).click()
            await expect(destroy.locator(".answer")).to_have_count(1 - left)
            if not left:
                await expect(destroy.locator(".answer b")).to_have_text("204 No Content")
            assert len(door.host.channels) == left


async def test_a_token_is_asked_for_before_the_page_and_stays_in_memory(browser: Browser) -> None:
    options = WebOptions(token="correct-horse")
    async with served(options) as door, console(browser, _url(door), AT, "dialog[open]") as page:
        login = page.locator("dialog[open]")
        await login.get_by_label("Token").fill("correct-horse")
        await login.get_by_role("button", name="Log in").click()
        create = await _trial(page, "create_channel")
        assert page.url == f"{_url(door)}/{AT}"
        await create.get_by_role("button", name="Send", exact=True).click()
        await expect(create.locator(".answer b")).to_have_text("201 Created")
        kept = "JSON.stringify([localStorage, sessionStorage, document.cookie])"
        assert "correct-horse" not in await page.evaluate(kept)
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        secret = await _trial(page, "set_password")
        await secret.get_by_label("Body").fill('{"password": "hunter2"}')
        await secret.get_by_role("button", name="Copy as curl").click()
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert "$TIDINGS_TOKEN" in copied
        assert "correct-horse" not in copied
        assert "hunter2" not in copied


async def test_an_answer_without_end_is_shown_as_it_comes_and_can_be_stopped(
    browser: Browser,
) -> None:
    async with served() as door, console(browser, _url(door), AT, READY) as page:
        channel = await door.channel("auctions")
        tail = await _trial(page, "tail")
        await tail.get_by_role("button", name="Send", exact=True).click()
        await expect(tail.locator(".answer b")).to_have_text("200 OK")
        await door.publish(channel, 41)
        await _shows(tail.locator(".answer pre"), '"price":41')
        await tail.get_by_role("button", name="Stop").click()
        await expect(tail.locator(".answer")).to_contain_text("Stopped.")


async def test_everybody_can_use_it_and_any_text_is_shown_as_text(browser: Browser) -> None:
    small: dict[str, Any] = {"viewport": {"width": 390, "height": 800}}
    async with served() as door, console(browser, _url(door), AT, READY, **small) as page:
        create = await _trial(page, "create_channel")
        for name in HOSTILE:
            await door.channel(name)
        await create.get_by_label("Body").fill('{"name": "<b>\u202e", "x": 1}')
        await create.get_by_role("button", name="Send", exact=True).click()
        await expect(create.locator(".answer b")).to_have_text("422 Unprocessable Entity")
        every = await _trial(page, "see_channels")
        await every.get_by_role("button", name="Send", exact=True).click()
        await expect(every.locator(".answer b")).to_have_text("200 OK")
        answers = await page.locator(".answer").all_inner_texts()
        assert not set("".join(answers)) & set(HIDDEN)
        assert "API" in await page.title()
        assert await page.evaluate("document.documentElement.scrollWidth") == 390
        assert await page.evaluate(ONE_OF_EACH) >= 4
        assert not await findings(page)


async def test_it_can_be_read_without_javascript_and_says_so_to_whoever_must_log_in(
    browser: Browser,
) -> None:
    plain: dict[str, Any] = {"java_script_enabled": False}
    async with served() as door, console(browser, _url(door), AT, **plain) as page:
        await expect(page.locator("section[id^=send_events]")).to_be_visible()
        await expect(page.get_by_role("link", name="Send events")).to_be_visible()
        await expect(page.get_by_text("Try it")).to_have_count(0)
    async with scene() as here, console(browser, here.origin["Origin"], AT, "noscript", **plain):
        pass
