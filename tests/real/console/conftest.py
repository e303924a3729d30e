"""One Chromium for all tests of a worker; each test has a context of its own in it."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Left on, each of these starts processes for every window, for what no test looks at.
WASTE = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--remote-debugging-port=0", f"--disable-features={','.join(WASTE)}"),
)


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.Runner]:
    """The loop of all these tests: what drives the browser lives on it, from test to test."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def chromium(loop: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A running Chromium."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "there is no browser: tools/system_packages.sh tests installs one"
    folder: Path = tmp_path_factory.mktemp("browser")
    process = subprocess.Popen(
        [found, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if told := re.search(r"DevTools listening on (ws://\S+)", line):
                break
        else:
            pytest.fail("Chromium has ended before it took connections")
        driver = loop.run(async_playwright().start())
        yield loop.run(driver.chromium.connect_over_cdp(told[1]))
        loop.run(driver.stop())
    finally:
        process.stderr.close()
        process.kill()
        process.wait()


@pytest.fixture
def browser(chromium: Browser, record_real_part: Callable[[str, str], None]) -> Browser:
    """The same, noted as a part that a test has met."""
    assert chromium.is_connected(), "Chromium has ended"
    record_real_part("Chromium", chromium.version)
    return chromium
