"""The map of the traffic in a real browser: stepped through, and limits set."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from playwright.async_api import Browser, expect

from tests.real.console.browsing import console
from tests.real.console.test_every_page import findings
from tidings.apps.local_pages import listener, served_app
from tidings.apps.traffic_monitoring.city import CARS, ROADS, drive
from tidings.apps.traffic_monitoring.replay import Line, MergedLog
from tidings.apps.traffic_monitoring.web import build_app
from tidings.errors import InvalidUsage

FINE = {"licence": "05D1001", "road": "road-1", "rate": 57, "limit": 50, "euros": 30}


def lines(first: int, last: int) -> list[Line]:
    """Some seconds of the scene, as its entities log it."""
    found: list[Line] = []

    def add(second: int, entity: str, word: str, **about: object) -> None:
        found.append(Line(second * 1_000 + len(found), second, entity, word, about))

    for second in range(first, last):
        for road in ROADS if second == 0 else ():
            add(second, road.name, "shows", limit=50)
        for car in CARS:
            now = drive(car, second)
            (x, y), rate, brakes = now.place, now.rate, now.brakes
            add(second, car.name, "drove", x=x, y=y, heading=now.heading, rate=rate, brakes=brakes)
        add(second, "road-1", "heard", subject="Speed", license_no="05D1001", rate=57.0)
        if second == 2:
            add(second, "control-room", "fined", **FINE)
    return found


class Opened(NamedTuple):
    """The page, its logs, and the limits that were set on it."""

    url: str
    log: MergedLog
    limits: list[tuple[str, int]]


@asynccontextmanager
async def opened() -> AsyncIterator[Opened]:
    log = MergedLog()
    limits: list[tuple[str, int]] = []

    async def set_limit(targets: str, limit: int) -> list[str]:
        if targets == "nowhere":
            raise InvalidUsage("'nowhere' names no monitor")
        limits.append((targets, limit))
        log.add([Line(9_999_999, 99, "road-2", "shows", {"limit": limit})])
        return ["road-2"]

    async with served_app(build_app(log, set_limit, lambda: ""), listener(0)) as url:
        yield Opened(url, log, limits)


async def test_the_logs_are_stepped_through_forward_and_back(browser: Browser) -> None:
    async with opened() as made, console(browser, made.url) as page:
        await expect(page.get_by_text("Nobody drives yet")).to_be_visible()
        made.log.add(lines(0, 4))
        current = page.locator("[aria-current=step]")
        await expect(current).to_contain_text("road-1hears 05D1001 drive 57 km/h")
        await expect(page.get_by_text("1 fine", exact=True).first).to_be_visible()
        await expect(page.locator("svg.map")).to_have_attribute(
            "aria-label", re.compile("car-1 drives 57 km/h, car-2 drives 112 km/h")
        )
        back = page.get_by_role("button", name="Step back")
        await page.get_by_role("button", name="Pause").click()
        fined = next(step.number for step in made.log.latest("fined", made.log.last, 1))
        for _ in range(made.log.last - fined):
            await back.click()
            await expect(current).to_have_count(1)
        await expect(current).to_contain_text("fines 05D1001 30 euros: 57 km/h at road-1")
        await expect(page.locator(".link.bad")).to_have_count(1)
        await expect(page.locator(".fines tbody tr")).to_have_count(1)
        await back.click()
        await expect(page.locator(".fines")).to_have_count(0)
        await expect(page.get_by_text("0 fines", exact=True)).to_be_visible()
        made.log.add(lines(4, 6))  # what comes meanwhile does not move what is looked at
        await expect(page.get_by_text(f"of {made.log.last + 1}")).to_be_visible()
        await expect(current).to_contain_text("road-1hears")
        slider = page.get_by_label("Line of the logs")
        await slider.focus()
        await slider.press("End")
        await back.click()
        await expect(current).to_contain_text("drives")
        await page.get_by_role("button", name="Play").click()
        await expect(page.get_by_text("live", exact=True)).to_be_visible()
        await expect(page.get_by_role("button", name="Live")).to_be_disabled()
        await expect(slider).to_have_value(str(made.log.last))
        await slider.press("Home")
        await expect(current).to_contain_text("road-1sign shows 50")
        await expect(page.locator(".map .field")).to_have_count(0)  # nobody has driven yet


async def test_a_limit_is_set_and_a_wrong_one_says_why(browser: Browser) -> None:
    async with opened() as made:
        made.log.add(lines(0, 2))
        small = {"width": 390, "height": 800}
        async with console(browser, made.url, viewport=small) as page:
            targets, limit = page.get_by_label("Monitors"), page.get_by_label("km/h", exact=True)
            await targets.fill("nowhere")
            await limit.fill("30")
            await limit.press("Enter")
            await expect(page.get_by_role("alert")).to_contain_text("names no monitor")
            await targets.fill("road-2")
            await page.get_by_role("button", name="Set").click()
            await expect(page.get_by_text("Limit 30 is in force at road-2")).to_be_visible()
            assert made.limits == [("road-2", 30)]
            await expect(page.locator(".now-limits")).to_contain_text("road-2 30")
            await expect(page.locator(".map .limit").nth(1)).to_have_text("30")
            await expect(page.get_by_role("alert")).to_have_count(0)
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390
            assert not await findings(page)
