"""What holds for every page in the list: it can be read by all, and shows any text as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.edges.web.served import PERSISTENT, ServedDoor, served
from tests.real.console.browsing import PAGES, act, console, rest
from tidings.channel.views import SettingInfo, SettingSource
from tidings.server.cores import service_cores
from tidings.web.options import WebOptions
from tidings.web.rates import Rates

AXE = (Path(__file__).parent / "vendor" / "axe.js").read_text(encoding="utf-8")
HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "</main></body>${document.title = 'taken'}",
    "grüße & \"quotes\" 'here'",
    "\u202egnp.exe\u2066\u200b",
    "javascript:document.title='taken'",
    "x" * 256,
]
PLACES = [*PAGES, "events?tab=history&number=1", "events?tab=publish"]
SMALL: ViewportSize = {"width": 390, "height": 800}
WIDE: ViewportSize = {"width": 1280, "height": 720}
HIDDEN = "\u202e\u2066\u200b\x00\x07\x1b"


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


def _address(place: str, at: str) -> str:
    return f"#/{place}{'&' if '?' in place else '?'}at={at}"


async def _hostile_scene(door: ServedDoor) -> str:
    """Objects, dead letters, notices, grants … with names that want to be more; an address."""
    for name in HOSTILE:
        channel = await door.ask("POST", "/v1/channels", {"name": name, "qos": PERSISTENT}, 201)
        given = {"name": name, "style": "pull", "qos": {"MaxEventsPerConsumer": 1}}
        proxy = await door.proxy(channel["id"], **given, types=["<b>::\u202e*"])
        event = {"domain": name, "type": name, "name": name, "data": {name: name}}
        for _ in range(2):
            await door.ask("POST", f"/v1/channels/{channel['id']}/events", event)
        path = f"/v1/channels/{channel['id']}/proxies/{proxy}"
        await door.ask("POST", f"{path}/pull", {})
        await door.ask("POST", f"{path}/reject", {"seqs": [2], "reason": name + HIDDEN}, 204)
    await door.ask("POST", "/v1/trader/types", {"name": "Printer"}, 201)
    values = {f"p{at}": text + HIDDEN for at, text in enumerate(HOSTILE)}
    offer = {"type": "Printer", "reference": "corbaloc::<b>/&", "properties": values}
    await door.ask("POST", "/v1/trader/offers", offer, 201)
    await door.ask("POST", "/v1/principals", {"name": "ann", "roles": ["desk"]}, 204)
    given = {"to": "ann", "verbs": ["subscribe"], "channels": HOSTILE, "constraint": "$a == '<b>'"}
    await door.ask("POST", "/v1/grants", given, 201)
    await door.ask("POST", "/v1/principals/ann/tokens", {"label": HOSTILE[4] + HOSTILE[1][:40]})
    door.host.told_settings = tuple(
        SettingInfo(f"http.{at}", text, SettingSource.FILE, text, text, text, live=True)
        for at, text in enumerate(HOSTILE)
    )
    await door.state.part(Rates).look()
    return f"proxy-{channel['id']}-{proxy}"


async def findings(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical, in both themes."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE)
    told: list[str] = []
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        told += _serious(theme, await page.evaluate("axe.run({resultTypes: ['violations']})"))
    return told


def _serious(theme: str, found: dict[str, Any]) -> list[str]:
    return [
        f"{theme}: {one['id']}: {one['help']}: {node['html'][:200]} {node['any'][:1]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("name", PLACES)
async def test_everybody_can_use_it_and_any_text_is_shown_as_text(
    browser: Browser, name: str, tmp_path: Path
) -> None:
    async with served(WebOptions(), tmp_path, cores=service_cores()) as door:
        at = await _hostile_scene(door)
        async with console(browser, _url(door), _address(name, at), viewport=SMALL) as page:
            await rest(page)
            assert "Tidings" in await page.title()
            told = await page.evaluate("document.body.innerText + document.body.innerHTML")
            assert not set(told) & set(HIDDEN)
            assert await page.locator("#console script, #console img[src=x]").count() == 0
            assert await page.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
            await page.set_viewport_size(WIDE)
            assert not await findings(page)


async def test_everybody_can_use_dialogs_menus_and_the_login(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        at = f"#/objects?at=channel-{channel}"
        async with console(browser, _url(door), at, "#tree") as page:
            await page.get_by_role("button", name="Actions").click()
            await expect(page.get_by_role("menu")).to_be_visible()
            assert not await findings(page)
            await page.keyboard.press("Escape")
            for operation in ("obtain_proxy", "set_qos", "destroy_channel", "dry_run"):
                dialog = await act(page, operation, at={"channel": channel}, what="channel roads")
                assert not await findings(page), operation
                await dialog.get_by_role("button", name="Cancel").click()
            await page.keyboard.press("?")
            assert not await findings(page)
            await page.evaluate(
                "import('/console/lib/service.js').then((m) => m.login.set({ why: 'expired' }))"
            )
            await page.wait_for_selector("input[name=password]")
            assert not await findings(page)


async def test_a_megabyte_in_an_answer_is_cut(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        await page.evaluate(
            "import('/console/lib/log.js').then((m) =>"
            "m.note({what: '\u202e' + 'x'.repeat(2 ** 20),"
            " result: 'y'.repeat(2 ** 20), ok: false}))"
        )
        await page.goto(f"{_url(door)}/#/log")
        await expect(page.locator("tbody tr")).to_contain_text("(1,048,577 characters)")
        assert len(await page.inner_text("main")) < 2_000


async def test_no_foreign_code_runs_even_if_it_gets_into_the_page(browser: Browser) -> None:
    async with served() as door:
        answer = await door.client.get("/")
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        async with console(browser, _url(door), violates=True) as page:
            ran = await page.evaluate(
                """() => new Promise((resolve) => {
                  document.addEventListener("securitypolicyviolation", () => resolve(window.ran));
                  const script = document.createElement("script");
                  script.textContent = "window.ran = true";
                  document.body.append(script);
                })"""
            )
            assert ran is None
