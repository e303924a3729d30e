"""A picture of every page in build/pictures: light, dark, and on a small screen; to be looked at.

The tests say only what a machine can: that a page has loaded, and that nothing is cut off at the
side.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.edges.web.served import PERSISTENT, ServedDoor, served
from tests.real.console.browsing import PAGES, console, rest
from tests.real.console.federated import harbour
from tidings.grants.model import Verb
from tidings.grants.requests import CreateGrant, CreatePrincipal
from tidings.server.cores import service_cores
from tidings.web.options import WebOptions
from tidings.web.rates import Rates

FOLDER = Path(__file__).parents[3] / "build" / "pictures"
WINDOWS = {
    "light": ("light", {"width": 1360, "height": 850}),
    "dark": ("dark", {"width": 1360, "height": 850}),
    "small": ("light", {"width": 390, "height": 844}),
}
# What is looked at on a page where the first look shows little.
LOOKS = {
    "objects": "at=proxy-1-1",
    "events": "channel=1&number=3",
    "filters": "at=channel-1",
    "federation": "at=gateway/tidings/dock",
    "trader": "type=Office::Printer&constraint=cost < 20&prefer=min cost",
}


async def _scene(door: ServedDoor) -> None:
    """What a small service has after a while."""
    roads = await door.ask("POST", "/v1/channels", {"name": "roads", "qos": PERSISTENT}, 201)
    channel = roads["id"]
    await door.ask("POST", "/v1/channels", {"name": "weather", "qos": PERSISTENT}, 201)
    given = {"style": "pull", "constraints": ["$rate > 50"], "types": ["Traffic::*"]}
    billing = await door.proxy(channel, name="billing", **given)
    await door.proxy(channel, name="night shift", style="pull")
    for number in range(1, 13):
        data = {"rate": 30 + 5 * number, "zones": [3, 17]}
        event = {"domain": "Traffic", "type": "Speed", "name": f"car-{number}", "data": data}
        await door.ask("POST", f"/v1/channels/{channel}/events", event)
    path = f"/v1/channels/{channel}/proxies/{billing}"
    await door.ask("POST", f"{path}/pull", {})
    await door.ask("POST", f"{path}/reject", {"seqs": [5, 6], "reason": "no such customer"}, 204)
    await door.host.ask(CreatePrincipal("radar-7", ("sensors",)))
    await door.host.ask(CreateGrant("role:sensors", (Verb.PUBLISH,), ("roads*",)))
    await _trade(door)
    await door.state.part(Rates).look()


async def _trade(door: ServedDoor) -> None:
    """A small trader: types that inherit, offers, a link."""
    cost = {"name": "cost", "value_type": "double", "mode": "mandatory"}
    features = {"name": "features", "value_type": "sequence<string>"}
    site = {"name": "site", "value_type": "string", "mode": "readonly"}
    width = {"name": "width", "value_type": "short"}
    for name, above, properties in (
        ("Office::Device", [], [site]),
        ("Office::Printer", ["Office::Device"], [cost, features]),
        ("Office::Plotter", ["Office::Printer"], [width]),
        ("Office::Scanner", ["Office::Device"], [cost]),
    ):
        interface = f"IDL:{name.replace('::', '/')}:1.0"
        given = {"name": name, "interface": interface, "super_types": above}
        await door.ask("POST", "/v1/trader/types", {**given, "properties": properties}, 201)
    await door.ask("POST", "/v1/trader/types/Office::Scanner/mask", None, 204)
    wide = {"$type": "short", "value": 90}
    for name, number, more in (("Printer", 7, {"features": ["duplex", "colour"]}),
                               ("Plotter", 1, {"width": wide}), ("Printer", 8, {})):  # fmt: skip
        offered = {"type": f"Office::{name}", "reference": f"corbaloc::10.0.0.9:2809/{number}"}
        values = {"cost": 4.5 + number, "site": "Graz", **more}
        await door.ask("POST", "/v1/trader/offers", {**offered, "properties": values}, 201)
    link = {"name": "annex", "target": "corbaloc::10.0.1.9:2809/TradingService"}
    await door.ask("POST", "/v1/trader/links", link, 204)


async def _take(page: Page, name: str, window: str) -> None:
    theme, size = WINDOWS[window]
    await page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    await page.set_viewport_size(size)  # type: ignore[arg-type]
    await rest(page)
    assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    await page.screenshot(path=FOLDER / f"{name}-{window}.png")


@asynccontextmanager
async def _scene_of(name: str, folder: Path) -> AsyncIterator[ServedDoor]:
    if name == "federation":
        async with harbour(folder) as made:
            await made.want("subject = Speed and rate > 30", "roads", "*")
            made.bus("cranes").go("connection refused")
            yield made.door
        return
    async with served(WebOptions(), folder, cores=service_cores()) as door:
        await _scene(door)
        yield door


@pytest.mark.parametrize("name", PAGES)
async def test_pictures_of(browser: Browser, name: str, tmp_path: Path) -> None:
    async with _scene_of(name, tmp_path) as door:
        url, at = f"http://127.0.0.1:{door.port}", f"#/{name}?{LOOKS.get(name, '')}"
        async with console(browser, url, at) as page:
            for window in WINDOWS:
                await _take(page, name, window)
        assert len(list(FOLDER.glob(f"{name}-*.png"))) == len(WINDOWS)
