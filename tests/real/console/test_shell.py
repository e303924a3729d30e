"""What is around every page: keyboard, themes, login, and the end of a connection."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Route, expect

from tests.edges.web.served import ServedDoor, served
from tests.edges.web.test_logins import PASSWORD, RIGHT, scene
from tests.real.console.browsing import PAGES, act, console
from tests.real.e2e import served as processes
from tidings.clock import SystemClock
from tidings.engine.door import LocalDoor
from tidings.grants.core import Grants
from tidings.grants.model import Verb
from tidings.grants.requests import CreateGrant, CreatePrincipal, CreateToken, RevokeCredential
from tidings.web.options import WebOptions

DARK = "rgb(18, 22, 27)"
LIGHT = "rgb(255, 255, 255)"


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def _background(page: Page) -> Any:
    return await page.evaluate("getComputedStyle(document.body).backgroundColor")


async def test_the_keyboard_leads_everywhere(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        await expect(page.get_by_label("Pages").get_by_role("link")).to_have_count(len(PAGES))
        await page.keyboard.press("g")
        await page.keyboard.press("b")
        await expect(page.locator("h1")).to_have_text("Objects")
        await expect(page).to_have_title("Objects · Tidings")
        await page.wait_for_selector("#tree")
        await page.keyboard.press("/")
        await expect(page.locator("input[type=search]")).to_be_focused()
        await page.keyboard.type("gl?")  # what is typed is no shortcut
        await expect(page.locator("input[type=search]")).to_have_value("gl?")
        await page.locator("main").focus()
        await page.keyboard.press("?")
        await expect(page.locator("dialog[open] h2")).to_have_text("Shortcuts")
        await expect(page.locator("dialog[open]")).to_contain_text("Go to Overview")
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog[open]")).to_have_count(0)


async def test_the_theme_is_the_systems_until_one_is_chosen(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door), color_scheme="dark") as page:
        assert await _background(page) == DARK
        await page.get_by_role("button", name="Light").click()
        assert await _background(page) == LIGHT
        await page.reload()
        assert await _background(page) == LIGHT
        await page.get_by_role("button", name="Auto").click()
        assert await _background(page) == DARK


async def test_a_small_screen_has_a_menu_and_nothing_wider_than_itself(browser: Browser) -> None:
    small = {"width": 390, "height": 760}
    async with served() as door, console(browser, _url(door), viewport=small) as page:
        await expect(page.get_by_role("link", name="Log")).to_be_hidden()
        await page.get_by_role("button", name="Menu").click()
        await page.get_by_role("link", name="Log").click()
        await expect(page.locator("h1")).to_have_text("Log")
        await expect(page.get_by_role("link", name="Log")).to_be_hidden()
        assert await page.evaluate("document.documentElement.scrollWidth") == 390


async def test_a_token_is_asked_for_and_kept_in_memory_only(browser: Browser) -> None:
    options = WebOptions(token="correct-horse")
    async with served(options) as door, console(browser, _url(door)) as page:
        form = page.locator("dialog[open]")
        await form.get_by_label("Token").fill("wrong")
        await form.get_by_role("button", name="Log in").click()
        await expect(form.get_by_role("alert")).to_contain_text("the token is wrong")
        await form.get_by_label("Token").fill("correct-horse")
        await form.get_by_role("button", name="Log in").click()
        await expect(form).to_have_count(0)
        await expect(page.locator(".tiles")).to_contain_text("Ready")
        kept = await page.evaluate(
            "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])"
        )
        assert "correct-horse" not in kept


async def test_an_expired_login_loses_nothing_that_was_typed(browser: Browser) -> None:
    async with served(cores=[Grants()]) as door:
        for name, verbs in (("root", (Verb.ADMINISTER,)), ("ann", (Verb.MANAGE, Verb.INSPECT))):
            await door.host.ask(CreatePrincipal(name))
            await door.host.ask(CreateGrant(name, verbs))
        owner = LocalDoor(door.host)
        await owner.request(CreateToken("root"))  # from now on, grants decide
        first, second = [await owner.request(CreateToken("ann")) for _ in range(2)]
        async with console(browser, _url(door)) as page:
            login = page.get_by_role("dialog", name="Log in")
            await login.get_by_label("Token").fill(first.token)
            await login.get_by_role("button", name="Log in").click()
            dialog = await act(page, "create_channel")
            await dialog.get_by_label("Name").fill("roads")
            await door.host.ask(RevokeCredential(first.credential))
            await page.evaluate("import('/console/lib/live.js').then((m) => m.tellChanged())")
            await login.get_by_label("Token").fill(second.token)
            await login.get_by_role("button", name="Log in").click()
            await expect(dialog.get_by_label("Name")).to_have_value("roads")
            await dialog.get_by_role("button", name="Create a channel").click()
            await expect(page.locator(".toast")).to_contain_text("Create a channel: done")
        assert [one.name for one in door.host.channels.values()] == ["roads"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_killed_service_is_noticed_and_found_again(
    browser: Browser, tmp_path: Path
) -> None:
    port = str(_free_port())
    with processes.served(tmp_path / "service", "--port", port) as first:
        async with console(browser, first.url) as page:
            await page.evaluate("window.sameWindow = true")
            dialog = await act(page, "create_channel")
            await dialog.get_by_label("Name").fill("typed before")
            first.end(signal.SIGKILL)
            away = page.locator(".away[role=alert]")
            await expect(away).to_contain_text("does not answer since")
            await dialog.get_by_role("button", name="Create a channel").click()
            await expect(dialog.locator(".problem")).to_contain_text("nothing typed here is lost")
            again = processes.Served(tmp_path / "service", "--port", port)
            try:
                await asyncio.to_thread(again.ready)
                await expect(away).to_have_count(0)
                await expect(dialog.get_by_label("Name")).to_have_value("typed before")
                await dialog.get_by_role("button", name="Create a channel").click()
                await expect(page.locator("main")).to_contain_text("typed before")
                assert await page.evaluate("window.sameWindow")
            finally:
                again.process.kill()
                again.process.wait()


async def test_times_are_the_services_whatever_the_viewers_clock_says(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        await page.clock.install(time=SystemClock().now() / 1e6 + 5400)
        await page.reload()
        await expect(page.locator(".side-foot")).to_contain_text("90 min ahead of the service's")
        skew = await page.evaluate("import('/console/lib/clock.js').then((m) => m.skew.value)")
        assert -5_403_000 < skew < -5_397_000


async def test_a_person_logs_in_sees_its_name_and_logs_out(browser: Browser) -> None:
    async with scene() as here, console(browser, _url(here.door)) as page:
        form = page.get_by_role("dialog", name="Log in")
        for password in ("incorrect horse", PASSWORD):
            await form.get_by_label("Name").fill("ann")
            await form.get_by_label("Password").fill(password)
            await form.get_by_role("button", name="Log in").click()
            if password != PASSWORD:
                await expect(form.get_by_role("alert")).to_contain_text("password is wrong")
        await expect(form).to_have_count(0)
        who = page.locator(".who")
        await expect(who).to_contain_text("ann")
        await expect(page.get_by_label("The whole service")).to_contain_text("may not inspect")
        await expect(page.get_by_label("Channels")).to_contain_text("roads")
        # Once for the one request before the login, once for the wrong password.
        assert sum(here.door.host.operations.failed_logins.values()) == 2
        await page.reload()  # a session outlives that
        await expect(who).to_contain_text("ann")
        await who.get_by_role("button", name="Log out").click()
        await expect(form).to_be_visible()
        assert await page.context.cookies() == []


async def test_a_visit_without_a_login_counts_as_one_attempt(browser: Browser) -> None:
    async with scene() as here, console(browser, _url(here.door)) as page:
        form = page.get_by_role("dialog", name="Log in")
        await expect(form).to_be_visible()

        async def after_the_page(route: Route) -> None:
            await page.wait_for_selector("h1")
            await route.continue_()

        await page.route("**/v1/whoami", after_the_page)
        failed = here.door.host.operations.failed_logins
        before = sum(failed.values())
        await page.reload()
        await expect(form).to_be_visible()
        assert sum(failed.values()) == before + 1


async def test_whoever_logs_out_gives_back_a_token_that_came_from_a_login(browser: Browser) -> None:
    async with scene() as here, console(browser, _url(here.door)) as page:
        made = (await here.http.post("/v1/login", json={**RIGHT, "token": True})).json()
        form = page.get_by_role("dialog", name="Log in")
        await form.get_by_label("Token").fill(made["token"])
        await form.get_by_role("button", name="Log in").click()
        await page.locator(".who").get_by_role("button", name="Log out").click()
        await expect(form).to_be_visible()
        bearer = {"Authorization": f"Bearer {made['token']}"}
        assert (await here.http.get("/v1/whoami", headers=bearer)).status_code == 401


async def test_whoever_owns_the_service_without_a_login_is_not_offered_to_log_out(
    browser: Browser,
) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        await expect(page.locator(".who")).to_contain_text("owner")
        await expect(page.get_by_role("button", name="Log out")).to_have_count(0)
