"""Event types: what is offered and wanted, by whom, and what only one side has."""

from __future__ import annotations

from random import Random

from playwright.async_api import Browser, expect

from tests.edges.web.served import served
from tests.real.console.browsing import console
from tidings.channel.offers import overlap
from tidings.errors import InvalidEventType
from tidings.filters.constraint import EventTypePattern

PAIRS = 3_000


async def test_what_only_one_side_has_is_marked_with_who_has_it(browser: Browser) -> None:
    async with served() as door:
        await door.channel("empty")
        channel = await door.channel("roads")
        await door.proxy(channel, name="billing", types=["Traffic::Car", "Weather::*"])
        camera = await door.proxy(channel, name="camera", side="supplier")
        path = f"/v1/channels/{channel}/proxies/{camera}/types"
        await door.ask("PATCH", path, {"added": ["Traffic::*", "Fire::Big"], "removed": []}, 204)
        async with console(browser, f"http://127.0.0.1:{door.port}", "#/types") as page:
            await expect(page.locator("main")).to_contain_text("Nothing offered or wanted")
            await page.get_by_label("Channel").select_option("roads")
            rows = page.locator("tbody tr")
            for at, told in enumerate((
                ["Weather::*", "wanted, not offered", "nobody", "billing"],
                ["Fire::Big", "offered, not wanted", "camera", "nobody"],
                ["Traffic::*", "offered and wanted", "camera", "billing"],
                ["Traffic::Car", "offered and wanted", "camera", "billing"],
            )):  # fmt: skip
                await expect(rows.nth(at).locator("td")).to_have_text(told)
            await expect(rows.first.get_by_role("link")).to_have_attribute(
                "href", f"#/objects?at=proxy-{channel}-1"
            )
            await page.get_by_label("One-sided only").check()
            await expect(rows).to_have_count(2)


def _pattern(random: Random) -> EventTypePattern:
    while True:
        words = ["".join(random.choices("ab*", k=random.randrange(5))) for _ in range(2)]
        try:
            return EventTypePattern(*words)
        except InvalidEventType:
            continue


async def test_the_page_pairs_types_as_the_service_does(browser: Browser) -> None:
    random = Random(7)
    pairs = [(_pattern(random), _pattern(random)) for _ in range(PAIRS)]
    told = [[{"domain": one.domain, "type": one.type} for one in pair] for pair in pairs]
    async with served() as door, console(browser, f"http://127.0.0.1:{door.port}") as page:
        script = (
            "(pairs) => import('/console/pages/types/rows.js')"
            ".then((m) => pairs.map(([one, two]) => m.overlap(one, two)))"
        )
        found = await page.evaluate(script, told)
    expected = [overlap(*pair) for pair in pairs]
    assert found == expected
    assert PAIRS / 10 < sum(expected) < PAIRS * 9 / 10
