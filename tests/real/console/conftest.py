"""One Chromium for all tests of a worker; each test has a context of its own in it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--remote-debugging-port=0"),
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a running Chromium takes connections."""
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
                yield told[1]
                break
        else:
            pytest.fail("Chromium has ended before it took connections")
    finally:
        process.stderr.close()
        process.kill()
        process.wait()


@pytest.fixture
def browser(chromium: str, record_real_part: Callable[[str, str], None]) -> str:
    """The same, noted as a part that a test has met."""
    record_real_part("Chromium", "console")
    return chromium
