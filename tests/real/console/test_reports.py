"""Jobs over the archive on the page of reports, and the backtest that other pages show."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.edges.engine.fake_job import PAGE, FakeJob, job_host
from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import console, rest
from tests.real.console.test_every_page import findings
from tidings.server.cores import service_cores

HOSTILE = """<!doctype html><html><body id="light"><h1>Event report</h1>
<script>top.document.title = document.title = 'taken'; document.body.id = 'taken'</script>
<img src=x onerror="top.document.title = 'taken'"><a href="javascript:alert(1)" target=_top>x</a>
<form action=/v1/channels method=post target=_top><button>Go</button></form></body></html>"""
MOUNT = """([channel]) => Promise.all([
  import('/console/lib/backtest.js'), import('/console/lib/ui.js'),
]).then(([{ Backtest }, { html, render }]) => {
  const place = document.createElement('div');
  document.querySelector('main').append(place);
  window.show = (constraint) => render(
    html`<${Backtest} channel=${channel} constraint=${constraint} types=${['Traffic::*']} />`,
    place);
  window.show('$rate > 120');
})"""


@asynccontextmanager
async def scene(
    folder: Path,
    browser: Browser,
    *orders: str,
    page: str = PAGE,
    at: str = "#/reports",
    **more: Any,
) -> AsyncIterator[tuple[ServedDoor, Page]]:
    """The console of a service whose jobs do as ordered."""
    fake = FakeJob(list(orders), page=page)
    async with (
        job_host(folder, fake) as host,
        served(host=host) as door,
        console(browser, f"http://127.0.0.1:{door.port}", at, **more) as shown,
    ):
        yield door, shown


async def test_a_report_is_started_watched_and_read(browser: Browser, tmp_path: Path) -> None:
    async with scene(tmp_path, browser, "say 40", "hold gate", "done") as (door, page):
        await expect(page.get_by_text("No jobs yet")).to_be_visible()
        await page.get_by_label("Channel").fill("roads")
        await page.get_by_label("Time").select_option("7d")
        await page.get_by_role("button", name="Start", exact=True).click()
        row = page.get_by_label("Jobs, the latest first").get_by_role("link")
        await expect(row).to_contain_text("Report 1")
        await expect(row).to_contain_text("40%, counting <b>")
        job = await door.ask("GET", "/v1/jobs/1")
        assert (job["channels"], job["most"]) == (["roads"], 20)
        assert job["created"] - job["since"] == 7 * 86_400_000_000
        (tmp_path / "data" / "gate").touch()
        frame = page.frame_locator("iframe")
        await expect(frame.get_by_role("heading")).to_have_text("The page")
        await expect(row).to_contain_text("10 events")
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Delete a job").click()
        await expect(page.get_by_text("No jobs yet")).to_be_visible()


async def test_a_hostile_page_can_do_nothing(browser: Browser, tmp_path: Path) -> None:
    async with scene(tmp_path, browser, "done", page=HOSTILE, violates=True) as (door, page):
        await door.ask("POST", "/v1/jobs/report", {}, 201)
        frame = page.frame_locator("iframe")
        await expect(frame.get_by_role("heading")).to_have_text("Event report")
        assert await page.locator("iframe").get_attribute("sandbox") == ""
        await expect(frame.locator("#taken")).to_have_count(0)
        await frame.get_by_role("button").click()
        await frame.get_by_role("link").click()
        async with page.context.expect_page() as opened:
            await page.get_by_role("button", name="Open in a tab").click()
        tab = await opened.value
        await expect(tab.get_by_role("heading")).to_have_text("Event report")
        assert await tab.evaluate("[self.origin, document.title, document.body.id]") == [
            "null", "", "light",
        ]  # fmt: skip
        assert await page.title() == "Reports · Tidings"
        assert (await door.ask("GET", "/v1/channels")) == {"channels": []}


async def test_a_failure_is_told_and_the_job_started_again(
    browser: Browser, tmp_path: Path
) -> None:
    cause = "Spark could not do it: <b>too little memory</b>"
    async with scene(tmp_path, browser, f"fail {cause}") as (door, page):
        await page.get_by_label("What").select_option("audit")
        await page.get_by_label("Events named in a finding").fill("7")
        await page.get_by_role("button", name="Start", exact=True).click()
        await expect(page.get_by_role("region", name="Audit 1")).to_contain_text(f"Failed: {cause}")
        await page.get_by_role("button", name="Start again").click()
        await expect(page.get_by_role("region", name="Audit 2")).to_contain_text("Failed")
        first, second = [await door.ask("GET", f"/v1/jobs/{id}") for id in (1, 2)]
        names = ("kind", "channels", "since", "until", "most")
        assert [first[name] for name in names] == [second[name] for name in names]
        assert first["most"] == 7


async def test_everybody_can_use_it_whatever_the_texts_are(
    browser: Browser, tmp_path: Path
) -> None:
    hostile = "<img src=x>" + "x" * 230 + "\u202e"
    async with scene(tmp_path, browser, f"fail {hostile}") as (door, page):
        given = {"constraint": f"$a == '{hostile}'", "channels": [hostile]}
        for _ in range(2):
            await door.ask("POST", "/v1/jobs/backtest", given, 201)
        await expect(page.get_by_text("Failed")).to_have_count(3)
        assert not await findings(page)
        await page.set_viewport_size({"width": 390, "height": 800})
        assert await page.evaluate("document.documentElement.scrollWidth") == 390
        told = await page.evaluate("document.body.innerText + document.body.innerHTML")
        assert "\u202e" not in told
        assert await page.locator("#console img[src=x]").count() == 0


async def test_a_running_job_is_cancelled(browser: Browser, tmp_path: Path) -> None:
    async with scene(tmp_path, browser, "wait") as (_, page):
        await page.get_by_role("button", name="Start", exact=True).click()
        await page.get_by_role("button", name="Cancel", exact=True).click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel a job").click()
        await expect(page.get_by_role("region", name="Report 1")).to_contain_text("Cancelled")


async def test_a_backtest_shows_how_many_would_have_matched(
    browser: Browser, tmp_path: Path
) -> None:
    orders = ("say 10", "hold gate", "done")
    async with scene(tmp_path, browser, *orders, at="#/log") as (door, page):
        channel = await door.channel("roads")
        await page.evaluate(MOUNT, [channel])
        part = page.get_by_label("Backtest", exact=True)
        await part.get_by_role("button", name="Run backtest").click()
        await expect(part.get_by_role("progressbar")).to_have_attribute("value", "10")
        await page.evaluate("show('$rate > 200')")
        await expect(part).to_contain_text("Of $rate > 120, as it was at")
        (tmp_path / "data" / "gate").touch()
        await expect(part.get_by_label("Matches by type")).to_contain_text("<i>Traffic::Speed")
        await expect(part.get_by_role("status")).to_contain_text("Events asked10")
        job = await door.ask("GET", "/v1/jobs/1")
        assert (job["constraint"], job["types"]) == ("$rate > 120", ["Traffic::*"])
        assert job["channels"] == ["roads"]
        await expect(part.get_by_role("link")).to_have_attribute("href", "#/reports?job=1")


async def test_what_is_missing_is_said_instead_of_a_form(browser: Browser) -> None:
    async with (
        served(cores=service_cores()) as door,
        console(browser, f"http://127.0.0.1:{door.port}", "#/reports") as page,
    ):
        await rest(page)
        await expect(page.locator(".meanwhile")).to_contain_text("set archive.dir in tidings")
        await expect(page.get_by_role("button", name="Start")).to_have_count(0)
