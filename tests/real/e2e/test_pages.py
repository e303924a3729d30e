"""The pages in a real browser: what it makes of them, and what they do by themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.e2e.served import served

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "</main></body>",
    "grüße & \"quotes\" 'here'",
    "x" * 256,
]


@pytest.fixture
def browser(record_real_part: Callable[[str, str], None]) -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "there is no browser: tools/system_packages.sh tests installs one"
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    record_real_part("Chromium", told.stdout.split()[1])
    return found


@pytest.fixture
def shown(browser: str, tmp_path: Path) -> Shown:
    return Shown(browser, tmp_path)


class Shown:
    """Has the browser show pages, each time as if it had never seen one."""

    def __init__(self, browser: str, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self._count = 0

    def _run(self, url: str, *options: str) -> str:
        self._count += 1
        done = subprocess.run(
            [
                *(self._browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
                *("--no-first-run", "--disable-background-networking", "--disable-sync"),
                *("--disable-component-update", "--disable-dev-shm-usage"),
                f"--user-data-dir={self._folder / f'browser-{self._count}'}",
                *options,
                url,
            ],
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def document(self, url: str, seconds: int = 1) -> str:
        """The document as it stands when the page had so many seconds to itself."""
        return self._run(url, "--dump-dom", f"--virtual-time-budget={1000 * seconds}")

    def picture(self, url: str, width: int) -> bytes:
        """What can be seen, as PNG."""
        file = self._folder / f"picture-{width}.png"
        self._run(url, f"--screenshot={file}", f"--window-size={width},900")
        return file.read_bytes()


def test_the_page_of_the_api_leads_to_every_operation(tmp_path: Path, shown: Shown) -> None:
    with served(tmp_path / "service") as service:
        with service.client() as client:
            paths = client.get("/v1/openapi.json").json()["paths"]
        document = shown.document(f"{service.url}/docs/api")
        targets = re.findall(r'href="#([^"]+)"', document)
        assert len(targets) == sum(len(operations) for operations in paths.values())
        assert all(f'<section id="{target}">' in document for target in targets)
        assert shown.picture(f"{service.url}/docs/api", 400).startswith(b"\x89PNG")
