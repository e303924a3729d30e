"""The federation: a map of what the gateways join, how each link does, and where events went."""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from random import Random
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.real.console.browsing import act, console, rest
from tests.real.console.federated import federated, harbour, speed, until
from tests.real.console.test_every_page import HIDDEN, HOSTILE, findings
from tidings.federation import requests as r
from tidings.gateways.adapters.memory import Bus

CAUSE = "".join(HOSTILE[:3]) + HIDDEN
LAYOUTS = """async (graphs) => {
  const { layoutOf, COLUMN } = await import("/console/lib/layout.js");
  const places = (nodes, links) => Object.fromEntries(layoutOf(nodes, links).places);
  const told = graphs.map(([nodes, links]) => [
    places(nodes, links), places(nodes.toReversed(), links.toReversed()),
  ]);
  return [COLUMN, told];
}"""


def _graph(random: Random) -> tuple[list[Any], list[Any]]:
    kinds = {kind: [f"{kind}{n}" for n in range(random.randint(1, 10))] for kind in "gs"}
    nodes = [{"id": one, "height": 80} for one in (*kinds["g"], *kinds["s"])]
    drawn = range(int(len(nodes) * 1.3))
    ends = {tuple(map(random.choice, kinds.values())) for _ in drawn}
    return nodes, [{"id": "-".join(pair), "ends": pair, "height": 46} for pair in sorted(ends)]


async def _publish(service: Bus) -> None:
    while True:
        for rate in range(20, 40):
            service.publish(speed(rate))
        await asyncio.sleep(0.05)


async def _boxes(page: Page) -> Any:
    script = "(all) => all.map((one) => [one.offsetLeft, one.offsetTop])"
    return await page.locator(".map-node").evaluate_all(script)


async def test_the_map_is_live_and_can_be_used_with_keys_alone(browser: Browser) -> None:
    async with harbour() as made:
        await made.want("subject = Speed and rate > 30", "roads", "*")
        await made.want("Speed", "cranes", "roads", "dock")
        async with console(browser, made.url, "#/federation", ".map") as page:
            # What other services run is there, and paler.
            yard = page.get_by_role("button", name="Gateway yard, elsewhere")
            await expect(yard).to_have_class(re.compile("foreign"))
            await expect(page.get_by_role("button", name="Service depot")).to_be_visible()
            plant = page.get_by_role("button", name="Link of tower with plant, up")
            before = await _boxes(page)
            # Gateways talk all the time; what is more are events.
            flow = asyncio.create_task(_publish(made.bus("plant")))
            await expect(plant).to_contain_text(re.compile("[0-9]{3}[←→]"))
            flow.cancel()
            # What the adapter says of its failure is text; what waits is counted.
            made.bus("cranes").go(CAUSE)
            cranes = page.get_by_role("button", name="Link of dock with cranes, down")
            for rate in range(7):
                await made.client.publish("roads", speed(rate))
            await expect(cranes.locator(".badge")).to_have_text("7 wait")
            await expect(page.locator(".map-all path.line.down:not(.foreign)")).to_have_count(1)
            # What was behind it is known to be there.
            depot = page.get_by_role("button", name="Service depot, not reached")
            await expect(depot).to_be_visible()
            await expect(page.get_by_role("button", name="Gateway dock, 1 of 2 up")).to_be_visible()
            # Whatever changes, nothing jumps.
            assert await _boxes(page) == before
            await page.get_by_role("button", name="Gateway tower").focus()
            for _ in range(3):
                await page.keyboard.press("Tab")
            await expect(page.get_by_role("button", name="Gateway dock")).to_be_focused()
            await page.keyboard.press("Enter")
            details = page.get_by_label("What is chosen")
            await expect(details.locator("h2")).to_be_focused()
            await expect(details.locator("tbody").first).to_contain_text(HOSTILE[0])
            await expect(details).to_contain_text("subject = Speed and rate > 30")
            await expect(details).to_contain_text("not reached: cranes")
            assert not await findings(page)
            told = await page.evaluate("document.body.innerText + document.body.innerHTML")
            assert not set(told) & set(HIDDEN)


async def test_a_small_screen_has_a_list(browser: Browser) -> None:
    async with federated() as made:
        await made.gateway("tower", made.side("roads"), made.side("plant"))
        made.bus("plant").go(CAUSE)
        small = {"width": 390, "height": 800}
        async with console(browser, made.url, "#/federation", "tbody", viewport=small) as page:
            row = page.get_by_role("row").filter(has_text="plant")
            await expect(row).to_contain_text(f"down {HOSTILE[0]}")
            await row.get_by_role("button", name="plant").click()
            await expect(page.get_by_label("What is chosen")).to_contain_text("Service plant")
            assert await page.evaluate("document.documentElement.scrollWidth") == 390
            assert not await findings(page)


async def test_a_probe_is_drawn_with_its_times_and_the_way_says_what_survives(
    browser: Browser,
) -> None:
    async with harbour() as made, console(browser, made.url, "#/federation", ".map") as page:
        await page.get_by_role("combobox", name="From").select_option("roads")
        await page.get_by_role("combobox", name="To").select_option("depot")
        survives = page.locator("table").filter(has_text="Survives").get_by_role("row")
        await expect(survives.filter(has_text="reliability")).to_contain_text("lost")
        await expect(survives.filter(has_text="order")).to_contain_text("kept")
        await page.get_by_role("button", name="Send a probe").click()
        hops = page.locator("table").filter(has_text="Step").locator("tbody tr")
        way = ("roads", "plant", "cranes", "depot")
        await expect(hops).to_have_count(3)
        for at, gateway in enumerate(("tower", "dock", "yard")):
            start, end = way[at : at + 2]
            await expect(hops.nth(at)).to_have_text(re.compile(f"{gateway}{start}{end}[0-9.]+ ms"))
            node = page.get_by_role("button", name=f"Gateway {gateway}")
            await expect(node.locator(".map-time")).to_have_text(re.compile("^[0-9.]+ ms$"))
        for at, name in enumerate(way, 1):
            node = page.get_by_role("button", name=f"Service {name}")
            await expect(node.locator(".map-step")).to_have_text(str(at))
        await expect(page.locator("path.line.marked[marker-end]")).to_have_count(6)
        lines = await page.evaluate("import('/console/lib/log.js').then((m) => m.lines.value)")
        assert lines[0]["call"] == "tidings call probe_federation gateway=tower at=roads to=depot"
        # Another way has another probe.
        await page.get_by_role("combobox", name="To").select_option("cranes")
        await expect(page.locator(".map-step")).to_have_count(0)


async def test_an_event_says_where_it_has_been_and_the_map_shows_it(
    browser: Browser, tmp_path: Path
) -> None:
    async with harbour(tmp_path) as made:
        await made.want("Speed", "roads", "cranes")
        made.bus("cranes").publish(speed(33))
        channel = int((await made.door.ask("GET", "/v1/channels/roads"))["id"])

        async def has_come() -> bool:
            return bool((await made.door.ask("GET", "/v1/channels/roads"))["seq"])

        await until(has_come)
        at = f"#/events?channel={channel}&tab=history&number=1"
        async with console(browser, made.url, at, "#event") as page:
            await expect(page.locator("#event .path-names")).to_have_text("cranes → plant → roads")
            await page.get_by_role("link", name="Show on the map").click()
            await expect(page.locator("main .way")).to_contain_text("cranes → plant → roads")
            marked = page.locator(".map-node.marked b")
            assert set(await marked.all_inner_texts()) == {
                "cranes",
                "dock",
                "plant",
                "tower",
                "roads",
            }
            yard = page.get_by_role("button", name="Gateway yard")
            await expect(yard).to_have_class(re.compile("faded"))
            texts = ["f/a%2Fb/s/7/a%2Fb,c/x,y", "f/a/s/7", "f/a/s/-7/a", "f/a/s/7/%E0%A4%A", {}]
            script = "(all) => import('/console/lib/marks.js').then((m) => all.map(m.markOf))"
            mark, *wrong = await page.evaluate(script, texts)
            assert (mark["path"], mark["before"]) == (["a/b", "c"], ["x", "y"])
            assert wrong == [None] * 4


async def test_a_gateway_is_made_changed_paused_and_deleted_here(browser: Browser) -> None:
    async with federated() as made, console(browser, made.url, "#/federation") as page:
        await expect(page.locator("main")).to_contain_text("No gateways yet")
        await expect(page.locator("main code")).to_contain_text("tidings gateway create tower")
        await page.get_by_role("button", name="Create a gateway").click()
        dialog = page.get_by_role("dialog", name="Create a gateway")
        await dialog.get_by_label("Name").fill("tower")
        await dialog.get_by_role("button", name="Add side").click()
        for label, text in (("Adapter", "t-r"), ("Service", "roads"), ("Kind", "tidings")):
            await dialog.get_by_label(label, exact=False).last.fill(text)
        parameters = dialog.get_by_label("Parameters")
        await parameters.fill('{"channel": "roads" "create": true}')
        await dialog.get_by_role("button", name="Create a gateway").click()
        await expect(dialog.locator(".fault")).to_contain_text("This is not JSON")
        await expect(parameters).to_be_focused()
        assert not await findings(page)
        await parameters.fill('{"channel": "roads", "create": true}')
        await dialog.get_by_role("button", name="Create a gateway").click()
        await page.get_by_role("button", name="Gateway tower, up").click()
        # A second side; the first one stays as it was.
        await _choose(page, "Change its sides…")
        dialog = page.get_by_role("dialog", name="Change a gateway's sides")
        await expect(dialog.locator("summary").first).to_have_text("Side 1 t-r, roads, tidings")
        await dialog.get_by_role("button", name="Add side").click()
        side = dialog.locator(".item").nth(1)
        for label, text in (("Adapter", "m"), ("Service", "plant"), ("Kind", "memory")):
            await side.get_by_label(label, exact=False).fill(text)
        await dialog.get_by_role("button", name="Change a gateway's sides").click()
        await expect(
            page.get_by_role("button", name="Link of tower with plant, up")
        ).to_be_visible()
        config = await made.door.ask("GET", "/v1/gateways/tower/config")
        assert config["sides"][0]["parameters"] == {"channel": "roads", "create": True}
        await _choose(page, "Pause…")
        await page.get_by_role("button", name="Pause a gateway").click()
        await expect(page.get_by_role("button", name="Gateway tower, paused")).to_be_visible()
        await _choose(page, "Delete…")
        dialog = page.get_by_role("alertdialog")
        await expect(dialog).to_contain_text("It has 2 sides")
        await dialog.get_by_role("button", name="Delete a gateway").click()
        await expect(page.locator("main")).to_contain_text("No gateways yet")


async def _choose(page: Page, item: str) -> None:
    await page.get_by_label("What is chosen").get_by_role("button", name="Actions").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_a_standing_request_is_made_shown_and_taken_back(browser: Browser) -> None:
    async with federated() as made:
        await made.gateway("tower", made.side("roads"), made.side("plant"))
        at = "#/federation?at=gateway/tidings/tower"
        async with console(browser, made.url, at, "#details") as page:
            dialog = await act(page, "ask_federation", at={"gateway": "tower"})
            await dialog.get_by_label("Kind").select_option("subscribe")
            await dialog.get_by_label("What").fill("$rate > 30")
            await dialog.get_by_label("Source").fill("roads")
            await dialog.get_by_role("button", name="Make a standing request").click()
            row = page.get_by_role("row").filter(has_text="subscribe")
            await expect(row).to_contain_text("$rate > 30")
            await expect(row).to_contain_text("plant as $rate > 30")
            await row.get_by_role("button", name="Take back…").click()
            await page.get_by_role("button", name="Make a standing request").click()
            await expect(row).to_have_count(0)
            found = await made.client.transport.request(r.SeeFederationRequests("tower"))
            assert not found


async def test_the_overview_says_how_the_gateways_do(browser: Browser) -> None:
    async with harbour() as made:
        made.bus("cranes").go("away")
        async with console(browser, made.url) as page:
            tiles = page.locator(".tiles > div")
            await expect(tiles.filter(has_text="Gateways up")).to_contain_text("1 of 2")
            await expect(tiles.filter(has_text="Carried /s")).to_be_visible()
            await expect(tiles.filter(has_text="Set aside").locator("dd")).to_have_text("0")
            await page.get_by_role("link", name="1 of 2").click()
            await expect(page.locator("h1")).to_have_text("Federation")
            await rest(page)


async def test_a_layout_is_the_same_for_the_same_graph_and_nothing_is_over_another(
    browser: Browser,
) -> None:
    graphs = [_graph(Random(seed)) for seed in range(40)]
    async with federated() as made, console(browser, made.url) as page:
        column, layouts = await page.evaluate(LAYOUTS, graphs)
    for (nodes, links), (places, again) in zip(graphs, layouts, strict=True):
        assert places == again
        for one, other in itertools.combinations([*nodes, *links], 2):
            a, b = places[one["id"]], places[other["id"]]
            apart = (one["height"] + other["height"]) / 2 - 0.01
            assert a["x"] != b["x"] or abs(a["y"] - b["y"]) >= apart
        for link in links:
            xs = [places[end]["x"] for end in link["ends"]]
            assert abs(xs[0] - xs[1]) == column
