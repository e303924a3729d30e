"""The workbench for constraints: what it says while somebody types, and what is made of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console, rest
from tests.real.console.test_every_page import HIDDEN, findings
from tidings import constraint, event, fields_of
from tidings.channel.constraint_views import explanation
from tidings.web.options import WebOptions

SERIAL = 2**63 - 25
READY = "#constraint"


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


def _speed(name: str, **data: Any) -> dict[str, Any]:
    return {"domain": "Traffic", "type": "Speed", "name": name, "data": data}


async def _roads(door: ServedDoor) -> int:
    """A channel with six events, of which one lacks the rate."""
    channel = await door.channel("roads")
    rates = [_speed(f"car-{rate}", rate=rate, zone="school") for rate in (40, 50, 60, 70, 80)]
    events = [*rates, _speed("broken", serial=SERIAL)]
    await door.ask("POST", f"/v1/channels/{channel}/events", events)
    return channel


async def _write(page: Page, text: str) -> None:
    """Writes a constraint, and waits until the service has answered."""
    await page.locator("#constraint").fill(text)
    await expect(page.locator("#constraint-said")).not_to_contain_text("Checking")


async def test_an_error_stands_at_its_place_while_somebody_types(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(WebOptions(), tmp_path) as door:
        await _roads(door)
        async with console(browser, _url(door), "#/filters", READY) as page:
            said, shown = page.locator("#constraint-said"), page.locator(".editor-shown")
            await page.locator("#constraint").press_sequentially("'\U0001f514' ~ $zone & $rate")
            await expect(said).to_contain_text("line 1, column 13: '&' has no meaning here")
            await expect(said).to_contain_text("write 'and'")
            await expect(shown.locator(".etcl-error")).to_have_text("&")
            await expect(page.locator("#constraint")).to_have_attribute("aria-invalid", "true")
            await expect(page.get_by_role("button", name="Create a filter…")).to_be_disabled()
            await _write(page, "(($rte > 50))")
            await expect(said).to_contain_text("Valid, read as $rte > 50")
            await expect(said).to_contain_text("no event has a field 'rte'")
            await expect(said).to_contain_text("did you mean $rate?")
            await expect(shown.locator(".etcl-warning")).to_have_text("$rte")


async def test_a_late_answer_is_about_no_newer_text(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door), "#/filters", READY) as page:
        held, answered = asyncio.Event(), asyncio.Event()

        async def hold(route: Route) -> None:
            if json.loads(route.request.post_data or "{}")["text"] == "$rate >":
                held.set()
                await answered.wait()
            await route.continue_()

        await page.route("**/v1/constraints/check", hold)
        await page.locator("#constraint").fill("$rate >")
        await held.wait()
        await page.locator("#constraint").fill("$rate > 50")
        said = page.locator("#constraint-said")
        await expect(said).to_contain_text("Valid, read as it is written")
        async with page.expect_response("**/v1/constraints/check") as late:
            answered.set()
        await (await late.value).finished()
        await page.evaluate("new Promise(requestAnimationFrame)")
        await expect(said).to_contain_text("Valid, read as it is written")
        await expect(page.locator(".etcl-error")).to_have_count(0)


async def test_names_and_types_are_completed_with_the_keyboard(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(WebOptions(), tmp_path) as door:
        channel = await _roads(door)
        await door.proxy(channel, types=["Traffic::Speed", "Traffic::Jam"])
        async with console(browser, _url(door), f"#/filters?at=channel-{channel}", READY) as page:
            await rest(page)
            area = page.get_by_role("combobox", name="Constraint")
            options = page.get_by_role("listbox", name="Completions").get_by_role("option")
            await expect(page.locator("#constraint-offered option")).to_have_count(2)
            await area.press_sequentially("$r")
            await expect(options.first).to_contain_text("rate number, in 5 events")
            await expect(area).to_have_attribute("aria-expanded", "true")
            chosen = page.locator("[role=option][aria-selected=true]")
            await area.press("ArrowDown")
            await expect(chosen).to_contain_text("serial")
            await expect(area).to_have_attribute("aria-activedescendant", "constraint-choices-1")
            assert not await findings(page)
            await area.press("ArrowUp")
            await area.press("Enter")
            await expect(area).to_have_value("$rate")
            await expect(options).to_have_count(0)
            await area.press_sequentially(" > 50 and $type_name == 'J")
            await area.press("Tab")
            await expect(area).to_have_value("$rate > 50 and $type_name == 'Jam'")
            await area.press("Control+z")
            await expect(area).to_have_value("$rate > 50 and $type_name == 'J")
            await area.press("Control+ ")
            await expect(options).to_have_count(1)
            await area.press("Escape")
            await expect(options).to_have_count(0)
            await area.press("Tab")  # goes on, as everywhere
            await expect(page.get_by_label("Event types")).to_be_focused()


async def test_every_part_is_shown_with_the_value_that_the_service_found(browser: Browser) -> None:
    data = {"rate": 40, "zone": "old <b>school</b>"}
    sample, built = {"domain": "A", "type": "b", "data": data}, event("A", "b", "", data)
    async with served() as door, console(browser, _url(door), "#/filters", READY) as page:
        await expect(page.locator(".workbench")).to_contain_text("No channel")
        await page.get_by_label("Sample event").fill(json.dumps(sample))
        for text in (
            "$rate * 2 > 50 and ('school' ~ $zone or $zone == 'x') and exist $rate",
            "not ($rate > 50) and $lane == 3 and $rate > 1",
            "FALSE or $rate",
        ):
            found = explanation(constraint(text), fields_of(built))
            await _write(page, text)
            await expect(page.locator(".verdict")).to_contain_text(found.verdict)
            lines = page.locator(".part-line")
            await expect(lines).to_have_count(len(found.parts))
            words = {"true": "✓ TRUE", "false": "✗ FALSE", "skipped": "– not reached"}
            for at, part in enumerate(found.parts):
                word = words.get(part.result, f"! {part.error or 'error'}")
                shown = f"{part.text} = {part.value}" if part.value else f"{part.text} {word}"
                await expect(lines.nth(at)).to_have_text(shown)
                inside = lines.nth(at).locator("xpath=ancestor::li")
                assert await inside.count() == part.depth + 1


async def test_the_latest_events_are_counted_and_opened(browser: Browser, tmp_path: Path) -> None:
    async with served(WebOptions(), tmp_path) as door:
        channel = await _roads(door)
        async with console(browser, _url(door), f"#/filters?at=channel-{channel}", READY) as page:
            events = page.get_by_label("Latest events", exact=True)
            await _write(page, "$rate > 50")
            await expect(events).to_contain_text("3 of 6 events match")
            await expect(events).to_contain_text("1 event had an error")
            await expect(events.locator("tbody td:last-child")).to_have_text(
                ["car-80", "car-70", "car-60"]
            )
            await page.get_by_label("Event types").fill("Other::*, Traffic::J*")
            await expect(events).to_contain_text("0 of 6 events match")
            await page.get_by_label("Event types").fill("")
            await events.get_by_role("button", name="Not matching (3)").click()
            await events.get_by_role("button", name="6", exact=True).click()
            sample = page.get_by_label("Sample event")
            await expect(sample).to_have_value(
                json.dumps(_speed("broken", serial=SERIAL), indent=2)
            )
            await expect(page.locator(".verdict")).to_contain_text("$rate is missing")
            # An integer that JavaScript cannot hold is what it was.
            await _write(page, f"$serial == {SERIAL}")
            await expect(page.locator(".verdict")).to_contain_text("✓ matches")
            await page.keyboard.press("Escape")
            await page.locator("h1").click()
            await page.keyboard.type("gl")
            await expect(page.locator("h1")).to_have_text("Log")
            await page.keyboard.type("gf")
            await expect(page.locator("#constraint")).to_have_value(f"$serial == {SERIAL}")


async def test_a_filter_is_made_changed_and_added_from_here(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        proxy = await door.proxy(channel, name="billing", style="pull")
        async with console(browser, _url(door), f"#/filters?at=channel-{channel}", READY) as page:
            await _write(page, "$rate > 50")
            await page.get_by_label("Event types").fill("Traffic::*")
            await page.get_by_role("button", name="Add to an object…").click()
            await page.get_by_label("Search objects").fill("billing")
            await page.locator(".picker button").click()
            dialog = page.locator("dialog[open]")
            await dialog.get_by_role("button", name="Create a filter").click()
            await dialog.get_by_role("button", name="Attach a filter").click()
            await expect(dialog).to_have_count(0)
            held = (await door.ask("GET", f"/v1/channels/{channel}/proxies/{proxy}"))["filters"]
            assert list(held.values()) == [1]

            await page.goto(f"{_url(door)}/#/objects?at=proxy-{channel}-{proxy}")
            await page.locator(".filter").get_by_role("link", name="Open").click()
            opened = page.get_by_label("The open filter")
            await expect(opened).to_contain_text("held by 1 object")
            await expect(page.locator("#constraint")).to_have_value("$rate > 50")
            await _write(page, "$rate > 60")
            await expect(opened).to_contain_text("The service has: $rate > 50")
            await opened.get_by_role("button", name="Change it…").click()
            await dialog.get_by_role("button", name="Change constraints").click()
            await expect(opened.get_by_role("button", name="Change it…")).to_be_disabled()
        found = (await door.ask("GET", "/v1/filters/1"))["constraints"]
        assert found == {"1": {"text": "$rate > 60", "types": ["Traffic::*"]}}


async def test_a_constraint_of_a_mapping_filter_keeps_its_value(browser: Browser) -> None:
    async with served() as door:
        value = {"$type": "short", "value": 7}
        given = {
            "default": {"$type": "short", "value": 0},
            "mapped": [{"text": "$a", "value": value}],
        }
        made = await door.ask("POST", "/v1/mapping-filters", given, 201)
        at = f"#/filters?filter={made['id']}"
        async with console(browser, _url(door), at, READY) as page:
            await expect(page.locator("#constraint")).to_have_value("$a")
            await _write(page, "$b")
            await page.get_by_role("button", name="Change it…").click()
            dialog = page.locator("dialog[open]")
            await dialog.get_by_role("button", name="Change constraints").click()
            await expect(dialog).to_have_count(0)
        [mapped] = (await door.ask("GET", f"/v1/filters/{made['id']}"))["mapped"].values()
        assert mapped == {"text": "$b", "types": [], "value": value}


async def test_what_cannot_be_seen_in_a_constraint_is_told(browser: Browser) -> None:
    async with served() as door:
        text = "'\u202egnp.exe' ~ $name and '\u200b' ~ $x"
        made = await door.ask("POST", "/v1/filters", {"constraints": [text]}, 201)
        at = f"#/filters?filter={made['id']}"
        async with console(browser, _url(door), at, READY) as page:
            await expect(page.locator("#constraint-said")).to_contain_text("\\u202e")
            assert not set(await page.evaluate("document.body.innerHTML")) & set(HIDDEN)
            assert await page.locator("#constraint").input_value() == text
            assert not await findings(page)
