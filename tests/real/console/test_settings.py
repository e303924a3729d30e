"""Settings: each as it applies, with where it comes from; secrets are never shown."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.edges.server.serving import TOKEN, serving
from tests.real.console.browsing import console
from tidings.server.layers import Given, Sources


async def test_each_has_its_source_and_a_secret_is_not_shown(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "tidings.toml"
    file.write_text(f'[http]\ntoken = "{TOKEN}"\n[stop]\npatience = "3 s"\n')
    flags = {"http.port": Given(0, "--port"), "store.memory": Given(True, "--memory")}
    place = Sources(file, None, flags, {"TIDINGS_LIMITS__CHANNELS": "500"})
    async with serving(place) as (service, _), console(browser, service.url) as page:
        form = page.get_by_role("dialog", name="Log in")
        await form.get_by_label("Token").fill(TOKEN)
        await form.get_by_role("button", name="Log in").click()
        await expect(form).to_have_count(0)
        for key in "gs":
            await page.keyboard.press(key)
        rows = page.locator("tbody tr")
        await page.get_by_label("Without defaults").check()
        await expect(rows).to_have_count(5)
        for name, told in {
            "http.port": ["0", "command line --port"],
            "limits.channels": ["500", "environment TIDINGS_LIMITS__CHANNELS"],
            "stop.patience": ["3 s", f"file {file}, line 4"],
            "http.token": ["***", f"file {file}, line 2"],
        }.items():
            for text in told:
                await expect(rows.filter(has_text=name).first).to_contain_text(text)
        assert TOKEN not in await page.content()
        await page.get_by_label("Without defaults").uncheck()
        await page.get_by_placeholder("Search").fill("journal oldest default")
        await expect(rows.first).to_contain_text("store.retention_size")
