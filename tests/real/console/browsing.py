"""The console in a real browser: pages that fail a test if they break their own rules."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.mutants.handed_down.sitecustomize import FILE, SOURCE
from tests.patience import PATIENCE

CONSOLE = Path(__file__).parents[3] / "src" / "tidings" / "web" / "console"
PAGES = re.findall(r'id: "(\w+)"', (CONSOLE / "pages" / "index.js").read_text(encoding="utf-8"))


@asynccontextmanager
async def console(
    browser: Browser,
    url: str,
    at: str = "",
    ready: str = "h1",
    *,
    violates: bool = False,
    **context: Any,
) -> AsyncIterator[Page]:
    """The console in a browser window of its own.

    Args:
        browser: Where the window is opened.
        url: Of the service.
        at: The page, such as `#/log`.
        ready: What is there once the page is.
        violates: Whether the test itself violates the page's rules.
        **context: What the window is like: `color_scheme`, `viewport`, ….
    """
    patience = 800 * PATIENCE  # what is missing is said before the test as a whole is out of time
    expect.set_options(timeout=patience)
    wrong: list[str] = []
    made = await browser.new_context(**context)
    try:
        made.set_default_timeout(patience)
        await _plant(made)
        page = await made.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: _note(wrong, told.text))
        await page.goto(f"{url}/{at}")
        await page.wait_for_selector(ready)
        yield page
    finally:
        await made.close()
    assert violates or not wrong, wrong


def _note(wrong: list[str], told: str) -> None:
    if "Content Security Policy" in told:
        wrong.append(told)


async def _plant(context: BrowserContext) -> None:
    """Where a fault is planted in a file of our pages, the browser gets the wrong one."""
    file = os.environ.get(FILE)
    if file is None:
        return
    text = Path(os.environ[SOURCE]).read_text(encoding="utf-8")

    async def wrong(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=text)

    path = re.sub(r"^(web|apps/\w+)/", "", file)
    await context.route(f"**/{path}", wrong)


async def act(page: Page, operation: str, **given: Any) -> Locator:
    """Opens the dialog of an operation; it."""
    script = "([name, given]) => import('/console/lib/actions.js').then((m) => m.act(name, given))"
    await page.evaluate(script, [operation, given])
    dialog = page.locator("dialog[open]").last
    await dialog.locator("form").wait_for()
    return dialog


async def rest(page: Page) -> None:
    """Waits until nothing on the page is still loading."""
    await expect(page.get_by_text("Loading…")).to_have_count(0)
