"""The events of a channel: as they come, in the past, what became of one, and a new one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.edges.web.served import PERSISTENT, ServedDoor, served
from tests.real.console.browsing import console
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Side
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.standard_header import utc
from tidings.web import tail
from tidings.web.options import WebOptions

EXACT = 9007199254740993  # the first whole number that JavaScript rounds


def _at(door: ServedDoor, channel: int, **query: object) -> tuple[str, str]:
    told = "&".join(f"{name}={value}" for name, value in {"channel": channel, **query}.items())
    return f"http://127.0.0.1:{door.port}", f"#/events?{told}"


def _rows(page: Page) -> Locator:
    return page.locator("[role=grid] [data-at]")


def _end_tails(door: ServedDoor, channel: int) -> None:
    """Ends all streams, as a stop of the service would."""
    for proxy in list(door.host.channels[channel].proxies.values()):
        if proxy.side is Side.CONSUMER:
            door.host.tell(Disconnect(channel, proxy.id))


async def _numbers(page: Page, *numbers: int) -> None:
    """Waits until the list has these events, and no others."""
    texts = [str(one) for one in numbers]
    await expect(page.locator("[role=grid] [data-at] > :first-child")).to_have_text(texts)


async def test_events_come_as_they_are_published_and_match(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, *_at(door, channel), ready=".events .dot.up") as page:
            await door.publish(channel, 5, 15)
            await _numbers(page, 2, 1)
            await expect(_rows(page).first).to_contain_text("price=15")
            search = page.get_by_label("Constraint")
            await search.fill("$price > > 3")
            await search.press("Enter")
            fault = page.locator(".fault")
            assert (await fault.inner_text()).splitlines()[-2:] == [
                "  $price > > 3",
                " " * 11 + "^",
            ]
            await search.fill("$price > 10")
            await search.press("Enter")
            await expect(page.locator(".dot.up")).to_have_count(2)  # beside the shell's
            await door.publish(channel, 20, 3, 30)
            await _numbers(page, 5, 3)


async def test_a_held_list_stays_and_then_shows_what_came(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, *_at(door, channel), ready=".events .dot.up") as page:
            await door.publish(channel, 1)
            await _numbers(page, 1)
            await page.keyboard.press("p")
            await door.publish(channel, 2, 3)
            await expect(page.get_by_role("button", name="Continue (2 new)")).to_be_visible()
            await _numbers(page, 1)
            for _ in range(2):
                await door.publish(channel, *range(600))
            await expect(page.get_by_role("button", name="Continue (1,202 new)")).to_be_visible()
            await page.keyboard.press("p")
            await expect(page.get_by_text("Left out while the list was held: 202")).to_be_visible()
            await expect(page.locator("[role=grid]")).to_have_attribute("aria-rowcount", "1001")


async def test_the_list_goes_on_without_a_gap(browser: Browser, tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        await door.publish(channel, 1)
        async with console(browser, *_at(door, channel), ready=".events .dot.up") as page:
            await _numbers(page, 1)  # from before
            _end_tails(door, channel)
            await door.publish(channel, 2, 3)
            await _numbers(page, 3, 2, 1)
            await expect(page.locator(".event-row.note")).to_contain_text("Connected again.")


async def test_a_page_that_is_too_slow_says_so_and_goes_on(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail.TailBuffer.__init__, "__defaults__", (2, 10_000))
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        async with console(browser, *_at(door, channel), ready=".events .dot.up") as page:
            await door.publish(channel, *range(8))
            await _numbers(page, *range(8, 0, -1))
            await expect(page.locator(".event-row.note")).to_contain_text(
                "gone on from the journal"
            )


async def test_the_stream_brings_the_token(browser: Browser) -> None:
    async with served(WebOptions(token="correct-horse")) as door:
        door.client.headers["Authorization"] = "Bearer correct-horse"
        channel = await door.channel("roads")
        async with console(browser, *_at(door, channel)) as page:
            form = page.locator("dialog[open]")
            await form.get_by_label("Token").fill("correct-horse")
            await form.get_by_role("button", name="Log in").click()
            await expect(page.locator(".events .dot.up")).to_be_visible()
            await door.publish(channel, 1)
            await _numbers(page, 1)


async def test_the_past_is_searched_from_a_number_or_a_time(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        await door.publish(channel, *range(250))
        async with console(
            browser, *_at(door, channel, tab="history"), ready="[role=grid]"
        ) as page:
            status = page.locator(".bar [role=status]")
            await expect(status).to_have_text("200 events, searched up to number 200 of 250.")
            await page.get_by_role("button", name="Later").click()
            await expect(status).to_have_text("50 events, searched up to number 250, the latest.")
            search, start = page.get_by_label("Constraint"), page.get_by_label("From a number")
            await start.fill("240")
            await search.fill("$price < 242")
            await search.press("Enter")
            await _numbers(page, 240, 241, 242)
            await start.fill("yesterday")
            await search.press("Enter")
            await expect(page.locator(".fault")).to_contain_text("'yesterday' is no time")
            await expect(start).to_have_attribute("aria-invalid", "true")
            await start.fill("2999-01-01T00:00:00Z")
            await search.press("Enter")
            await expect(page.locator(".events")).to_contain_text("No events found")


async def _pulled(door: ServedDoor, channel: int, proxy: int) -> None:
    await door.ask("POST", f"/v1/channels/{channel}/proxies/{proxy}/pull", {"most": 9})


async def test_an_event_opens_with_its_path(browser: Browser, tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        names = ("billing", "shipping", "night")
        billing, shipping, _ = [
            await door.proxy(channel, name=one, style="pull", form="sequence") for one in names
        ]
        await door.proxy(channel, name="cheap", constraints=["$price < 10"])
        event: dict[str, Any] = {"domain": "Shop", "type": "Order", "name": "order 7"}
        event["data"] = {"price": EXACT}
        stop = write_json(value_to_plain(utc(datetime(2130, 1, 31, 12, tzinfo=UTC))))
        event["header"] = {"StopTime": json.loads(stop)}
        path = f"/v1/channels/{channel}"
        marked = {"event": {**event, "body": "two\nlines"}, "producer": "till-3", "number": 7}
        await door.ask("POST", f"{path}/events", marked)
        await _pulled(door, channel, billing)
        await _pulled(door, channel, shipping)
        await door.ask("POST", f"{path}/proxies/{billing}/ack", {"seqs": [1]}, 204)
        refusal = {"seqs": [1], "reason": "closed"}
        await door.ask("POST", f"{path}/proxies/{shipping}/reject", refusal, 204)
        async with console(browser, *_at(door, channel), ready=".events .dot.up") as page:
            await page.locator("[role=grid]").focus()
            await page.keyboard.press("ArrowDown")
            shown = page.locator("#event")
            await expect(shown).to_contain_text("till-3, its number 7")
            await expect(shown).to_contain_text(str(EXACT))
            await expect(shown).to_contain_text("Jan 31, 2130, 12:00:00")
            await expect(shown).to_contain_text("judged by the rules of today")
            lanes = shown.locator(".path li")
            await expect(lanes).to_have_count(4)
            for lane, stations in enumerate(
                (
                    ("filters pass", "passed", "delivered"),
                    ("filters pass", "passed", "rejected"),
                    ("filters pass", "waiting"),
                    ("filters stop it",),
                )
            ):
                for at, text in enumerate(stations):
                    await expect(lanes.nth(lane).locator(".station").nth(at)).to_contain_text(text)
            await expect(lanes.nth(1)).to_contain_text("Dead letter 1.")
            await page.get_by_role("button", name="Use as a draft").click()
            await expect(page.get_by_label("Value of body")).to_have_value("two\nlines")
            await expect(page.get_by_label("Value of value 1")).to_have_value(str(EXACT))


async def _typed(page: Page, *rows: tuple[str, str, str]) -> None:
    """Fills a row for each value: name, type, value."""
    for at, (name, kind, value) in enumerate(rows, 1):
        if at > 1:
            await page.get_by_role("button", name="Add a value").click()
        await page.get_by_label(f"Name of value {at}").fill(name)
        await page.get_by_label(f"Type of value {at}").select_option(kind)
        await page.get_by_label(f"Value of value {at}").fill(value)


async def _past(door: ServedDoor, channel: int) -> list[Any]:
    found = await door.ask("GET", f"/v1/channels/{channel}/events")
    return [one["event"] for one in found["events"]]


async def test_an_event_is_typed_tried_and_sent(browser: Browser, tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        await door.proxy(channel, name="dear", constraints=["$price > 5"])
        at = _at(door, channel, tab="publish")
        async with console(browser, *at, ready=".publish") as page:
            await page.get_by_label("Domain").fill("Shop")
            await page.get_by_label("Type", exact=False).first.fill("Order")
            await page.get_by_label("Priority").fill("70000")
            await page.get_by_label("Timeout").fill("5s")
            await _typed(
                page,
                ("price", "auto", "7"),
                ("id", "auto", str(EXACT)),
                ("rate", "auto", "2.0"),
                ("grade", "short", "70000"),
                ("word", "text", "7"),
                ("list", "json", "[1, 2]"),
            )
            send = page.get_by_role("button", name="Send")
            await send.click()
            await expect(page.locator(".fault")).to_contain_text("-32768 to 32767")
            await page.get_by_label("Priority").fill("3")
            await send.click()
            await expect(page.locator(".value-row", has=page.locator(".fault"))).to_have_count(1)
            await expect(page.get_by_label("Value of value 4")).to_be_focused()
            await page.get_by_label("Value of value 4").fill("4")
            await page.get_by_role("button", name="Dry run").click()
            result = page.locator(".result")
            await expect(result).to_contain_text("accepted, for 1 of 1 consumer; nothing was sent")
            assert not await _past(door, channel)
            await send.click()
            await expect(result).to_contain_text("Accepted as number 1, for 1 consumer.")
            await page.get_by_role("button", name="Send again").click()
            await expect(result).to_contain_text("Accepted as number 2")
            await page.goto(f"{at[0]}/#/log")
            await expect(page.locator("tbody tr")).to_have_count(4)
        one, other = await _past(door, channel)
        assert one == other
        assert one["header"]["Timeout"] == 50_000_000
        assert isinstance(one["data"]["rate"], float)
        assert one["data"] == {
            "price": 7,
            "id": EXACT,
            "rate": 2.0,
            "grade": {"$type": "short", "value": 4},
            "word": "7",
            "list": [1, 2],
        }


async def test_what_is_sent_again_for_want_of_an_answer_is_accepted_once(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        at = _at(door, channel, tab="publish")
        async with console(browser, *at, ready=".publish") as page:
            await page.get_by_label("Domain").fill("Shop")
            await page.get_by_label("Type", exact=False).first.fill("Order")
            answers = iter((True, False))

            async def lose_first(route: Any) -> None:
                if route.request.method == "POST" and next(answers):
                    await route.fetch()  # it arrives, and its answer is lost
                    await route.abort()
                else:
                    await route.continue_()

            await page.route("**/events", lose_first)
            await page.get_by_role("button", name="Send").click()
            await expect(page.locator(".problem")).to_contain_text("it is accepted once")
            await expect(page.get_by_label("Domain")).to_have_value("Shop")
            await page.get_by_role("button", name="Send").click()
            await expect(page.locator(".result")).to_contain_text("Accepted as number 1")
        assert len(await _past(door, channel)) == 1
