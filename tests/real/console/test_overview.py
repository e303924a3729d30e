"""The overview: what the service says of itself, as it is now and as it was."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console
from tidings.engine.archiving import ArchivePlan
from tidings.web.options import WebOptions
from tidings.web.rates import Rates


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def test_it_shows_channels_backlogs_rates_and_outcomes(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        await door.proxy(channel, style="pull", name="billing", qos={"MaxEventsPerConsumer": 3})
        rates = door.state.part(Rates)
        await rates.look()
        await door.publish(channel, *range(8))
        await rates.look()
        async with console(browser, _url(door)) as page:
            tiles = page.locator(".tiles")
            await expect(tiles).to_contain_text("Ready")
            await expect(tiles.locator("div", has_text="Waiting").locator("dd")).to_have_text("3")
            await expect(tiles.locator("div", has_text="Slow").locator("dd")).to_have_text("1")
            await expect(page.get_by_label("Channels").locator("tbody tr")).to_contain_text("roads")
            behind = page.get_by_label("Consumers furthest behind").locator("tbody tr")
            await expect(behind).to_contain_text("billing")
            await expect(behind).to_contain_text("away")
            await expect(page.get_by_label("Outcomes")).to_contain_text("discarded5")
            await expect(page.get_by_label("Latest notices")).to_contain_text("slow consumer")
            backlog = page.locator("figure[aria-label='Backlog: waiting 3, in flight 0']")
            await expect(backlog.locator("canvas")).to_be_visible()
            # It looks again by itself.
            await door.ask("POST", "/v1/channels", {"name": "sea"}, 201)
            await expect(page.get_by_label("Channels").locator("tbody tr")).to_have_count(2)


async def test_an_empty_service_says_what_comes(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        await expect(page.get_by_label("Channels")).to_contain_text("No channels yet")
        await expect(page.get_by_label("Consumers furthest behind")).to_contain_text("Nobody is")
        await expect(page.get_by_label("Latest notices")).to_contain_text("No notices")
        await expect(page.get_by_label("Last hour")).to_contain_text("No samples yet")


async def test_it_says_what_the_settings_leave_open(browser: Browser) -> None:
    async with served() as door:
        door.host.warnings.append("http.open_loopback is <set>")
        async with console(browser, _url(door)) as page:
            await expect(page.locator(".meanwhile")).to_have_text("http.open_loopback is <set>")


async def test_it_says_why_the_service_is_not_ready(browser: Browser) -> None:
    async with served() as door:
        door.state.readiness.phase, door.state.readiness.reason = "draining", "asked <to> stop"
        async with console(browser, _url(door)) as page:
            await expect(page.get_by_role("alert")).to_have_text("Not ready: asked <to> stop")


async def test_it_shows_the_archive_and_the_disk(browser: Browser, tmp_path: Path) -> None:
    async with served(WebOptions(), tmp_path / "data") as door:
        archiving = door.host.new_archiving(ArchivePlan(tmp_path / "archive"))
        archiving._heard(b'{"sealed": 1, "cursor": [1, 60], "rows": 7}')
        archiving.error = "<no space>"
        door.host.archiving = archiving
        await door.state.part(Rates).measure()
        async with console(browser, _url(door)) as page:
            archive = page.get_by_label("Archive")
            await expect(archive).to_contain_text("Rows7")
            await expect(archive).to_contain_text("Stands still: <no space>")
            await expect(page.get_by_label("Disk", exact=True)).to_contain_text("KiB")
