"""Test clients in the page: they receive, answer, pull and publish, and outlast the service."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.edges.web.served import PERSISTENT, ServedDoor, served
from tests.edges.web.test_logins import PASSWORD, scene
from tests.real.console.browsing import console
from tests.real.console.test_every_page import HIDDEN, HOSTILE, findings
from tests.real.console.test_shell import _free_port
from tests.real.e2e import served as processes
from tidings.channel.management import CreateChannel
from tidings.names import new_origin
from tidings.web.options import WebOptions

AT = "#/clients"
TOKEN = "correct.horse~battery+staple"

_REACHED = """(least) => import("/console/pages/clients/client.js")
  .then((m) => m.clients.value[0].accepted.total >= least)"""


def _url(door: ServedDoor) -> str:
    return f"http://127.0.0.1:{door.port}"


async def _start(page: Page, kind: str, **given: str) -> Locator:
    """Starts a client by its dialog; its card."""
    before = await page.locator(".client").count()
    await page.get_by_role("button", name=f"{kind}…").click()
    dialog = page.get_by_role("dialog")
    for label, value in given.items():
        field = dialog.get_by_label(label.capitalize(), exact=True)
        await (field.select_option if label == "acknowledge" else field.fill)(value)
    await dialog.get_by_role("button", name="Start").click()
    await expect(page.locator(".client")).to_have_count(before + 1)
    return page.locator(f"#{await page.locator('.client').first.get_attribute('id')}")


async def _publish(supplier: Locator, events: str, rate: str) -> None:
    await supplier.get_by_label("Events").fill(events)
    await supplier.get_by_label("per second").fill(rate)
    await supplier.get_by_role("button", name="Start").click()


def _figure(card: Locator, name: str) -> Locator:
    return card.locator(".tiles > div", has_text=name).locator("dd")


async def _value(page: Page, script: str) -> Any:
    """What a script says of `all`, the clients, the one that was started first in front."""
    return await page.evaluate(
        "import('/console/pages/clients/client.js')"
        f".then((m) => {{ const all = [...m.clients.value].reverse(); return {script}; }})"
    )


async def test_each_event_is_answered_by_hand(browser: Browser, tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door, console(browser, _url(door), AT) as page:
        channel = await door.channel("roads", **PERSISTENT)
        await page.reload()
        card = await _start(page, "Push consumer", name="jams", acknowledge="by hand")
        await door.publish(channel, 1, 2, 3, 4)
        await expect(card.locator(".event")).to_have_count(4)
        await card.get_by_label("Reason").fill("no price")
        await card.get_by_role("button", name="Ack event 1").click()
        await card.get_by_role("button", name="Reject event 2").click()
        await card.get_by_role("button", name="Fail event 3").click()
        await expect(
            card.locator(".event", has=page.get_by_text("again", exact=True))
        ).to_contain_text('{"price":3}')
        assert await card.locator(".event-state").all_inner_texts() == [
            *("acknowledged", "rejected"),
            *("Ack\nFail\nReject", "again\nAck\nFail\nReject"),
        ]
        await card.get_by_role("button", name="Acknowledge", exact=True).click()
        await expect(_figure(card, "In flight")).to_have_text("0")
        (letter,) = (await door.ask("GET", "/v1/dead-letters"))["dead_letters"]
        assert (letter["seq"], letter["causes"][0]["reason"]) == (2, "no price")
        assert door.seen(channel, 1).waiting == 0
        await page.keyboard.press("g")
        await page.keyboard.press("l")
        await expect(page.locator("tbody tr")).to_have_count(5)
        lines = await page.evaluate("import('/console/lib/log.js').then((m) => m.lines.value)")
        assert [line["call"] for line in lines[::-1]] == [
            "tidings subscribe roads --name jams",
            "tidings call ack channel:=1 proxy:=1 'seqs:=[1]'",
            "tidings call reject channel:=1 proxy:=1 'seqs:=[2]' 'reason=no price'",
            "tidings call failed channel:=1 proxy:=1 'seqs:=[3]' 'reason=no price'",
            "tidings call ack channel:=1 proxy:=1 'seqs:=[4,3]'",
        ]


async def test_what_waits_for_a_suspended_consumer_comes_in_order(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door), AT) as page:
            card = await _start(page, "Push consumer")
            await card.get_by_role("button", name="Suspend").click()
            await expect(card.locator(".status")).to_have_text("suspended")
            await door.publish(channel, *range(30))
            await expect(_figure(card, "Waiting")).to_have_text("30")
            await expect(_figure(card, "Received")).to_have_text("0")
            await card.get_by_role("button", name="Resume").click()
            await page.get_by_role("link", name="Overview").click()  # it goes on meanwhile
            await expect(page.get_by_label("Last hour")).to_be_visible()
            await page.get_by_role("link", name="Clients").click()
            await expect(_figure(card, "Received")).to_have_text("30")
            seen = await _value(
                page, "[...all[0].rows.values()].map((x) => JSON.parse(x.text).price)"
            )
            assert seen == list(range(30))
            await expect(_figure(card, "Waiting")).to_have_text("0")
            await card.get_by_role("button", name="Close this client").click()
            await expect(card).to_have_count(0)
        assert (await door.ask("GET", f"/v1/channels/{channel}"))["consumers"] == 0


async def test_a_named_one_is_resumed_and_taken_over(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door), AT) as page:
            first = await _start(page, "Push consumer", name="jams")
            await first.get_by_role("button", name="Disconnect").click()
            await expect(first.locator(".status")).to_have_text("disconnected")
            await door.publish(channel, 7)
            await first.get_by_role("button", name="Connect").click()
            await expect(_figure(first, "Received")).to_have_text("1")
            await first.get_by_role("button", name="Close this client").click()
            await expect(first).to_have_count(0)
            assert door.seen(channel, 1).name == "jams"
            first = await _start(page, "Push consumer", name="jams")
            await page.get_by_role("button", name="Supplier…").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("Name").fill("jams")
            await dialog.get_by_role("button", name="Start").click()
            await expect(dialog.locator(".fault")).to_contain_text("There is a push consumer")
            await dialog.get_by_role("button", name="Cancel").click()
            second = await _start(page, "Push consumer", name="jams")
            await expect(second.locator(".told")).to_contain_text("Ended: ")
            await second.get_by_role("button", name="Take over").click()
            await expect(second.locator(".status")).to_have_text("connected")
            await expect(first.locator(".status")).to_have_text("ended")


async def test_a_pull_consumer_pulls_waits_and_answers(browser: Browser, tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel("roads", **PERSISTENT)
        async with console(browser, _url(door), AT) as page:
            card = await _start(page, "Pull consumer", acknowledge="by hand")
            await card.get_by_label("At most").fill("2")
            pull = card.get_by_role("button", name="Pull", exact=True)
            await door.publish(channel, 1, 2, 3)
            await pull.click()
            await expect(card.locator(".event")).to_have_count(2)
            await card.get_by_role("button", name="Reject", exact=True).click()
            await expect(card.locator(".event", has_text="rejected")).to_have_count(2)
            await pull.click()
            await expect(card.locator(".event")).to_have_count(3)
            await card.get_by_role("button", name="Fail event 3").click()
            await expect(card.locator(".event", has_text="comes again")).to_have_count(1)
            await pull.click()
            await card.get_by_role("button", name="Ack event 3").click()
            await expect(card.locator(".event", has_text="acknowledged")).to_have_count(1)
            await card.get_by_label("wait").fill("25")
            await pull.click()
            await expect(card.get_by_role("button", name="Pulling…")).to_be_disabled()
            await door.publish(channel, 4)
            await expect(card.locator(".event").last).to_contain_text('{"price":4}')
        assert len((await door.ask("GET", "/v1/dead-letters"))["dead_letters"]) == 2


async def test_as_many_are_published_as_was_said_and_all_arrive(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door), AT) as page:
            consumer = await _start(page, "Push consumer")
            supplier = await _start(page, "Supplier")
            await supplier.get_by_role("button", name="Change…").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Add added").click()
            await dialog.get_by_role("textbox", name="Added 1").fill("Test::Reading")
            await dialog.get_by_role("button", name="Change its event types").click()
            await expect(supplier.locator(".chips")).to_have_text("Test::Reading")
            await _publish(supplier, "257", "1000")
            await expect(supplier.locator(".told")).to_contain_text("Published: 257 accepted in ")
            await expect(_figure(supplier, "Accepted")).to_have_text("257")
            await expect(_figure(consumer, "Received")).to_have_text("257")
            seen = await _value(page, "[...all[0].rows.values()]")
            assert [one["name"] for one in seen] == [f"sensor-{n}" for n in range(208, 258)]
            assert all(0 <= json.loads(one["text"])["value"] <= 100 for one in seen)
            event = supplier.get_by_label("Event", exact=True)
            await event.fill('{"domain": "Test", {random 0 100}}')
            await expect(supplier.get_by_role("alert")).to_contain_text("this is not JSON")
            await event.fill('{"domain": "Test", "data": {"n": {n}}}')
            await supplier.get_by_role("button", name="Publish one").click()
            await expect(supplier.locator(".problem")).to_contain_text("an event needs a type")
            await expect(_figure(supplier, "Refused")).to_have_text("1")
            await event.fill('{"domain": "Test", "type": "{n}"}')
            await _publish(supplier, "", "200")
            await expect(supplier).to_contain_text("until stopped")
            await page.wait_for_function(_REACHED, arg=300)
            await supplier.get_by_role("button", name="Stop").click()
            await expect(supplier.get_by_role("button", name="Stop")).to_have_count(0)
            made = await _value(page, "all[1].made")
        assert (await door.ask("GET", f"/v1/channels/{channel}"))["accepted"] == made - 1


def _names(url: str) -> list[str]:
    """The names of all events of channel roads."""
    found: list[str] = []
    page = {"next": 0, "end": False}
    while not page["end"]:
        page = httpx2.get(f"{url}/v1/channels/roads/events?after={page['next']}&most=1000").json()
        found += [one["event"]["name"] for one in page["events"]]
    return found


async def test_a_kill_loses_nothing_and_repeats_nothing(browser: Browser, tmp_path: Path) -> None:
    port = str(_free_port())
    with processes.served(tmp_path / "service", "--port", port) as first:
        assert httpx2.post(f"{first.url}/v1/channels", json={"name": "roads"}).status_code == 201
        async with console(browser, first.url, AT) as page:
            named = await _start(page, "Push consumer", name="jams")
            unnamed = await _start(page, "Push consumer")
            supplier = await _start(page, "Supplier")
            await _publish(supplier, "", "200")
            await page.wait_for_function(_REACHED, arg=60)
            first.end(signal.SIGKILL)
            await expect(page.locator(".away[role=alert]")).to_be_visible()
            await expect(named.locator(".status")).to_have_text("connecting again…")
            again = processes.Served(tmp_path / "service", "--port", port)
            try:
                await asyncio.to_thread(again.ready)
                await expect(unnamed.locator(".told")).to_contain_text("there is a new one")
                before = await _value(page, "all[2].accepted.total")
                await page.wait_for_function(_REACHED, arg=before + 60)
                await supplier.get_by_role("button", name="Stop").click()
                await expect(supplier.locator(".told")).to_contain_text("Published: ")
                made = await _value(page, "all[2].made")
                await expect(_figure(supplier, "Accepted")).to_have_text(f"{made:,}")
                await expect(_figure(named, "Received")).to_have_text(f"{made:,}")
                assert _names(again.url) == [f"sensor-{n}" for n in range(1, made + 1)]
            finally:
                again.process.kill()
                again.process.wait()


async def test_what_is_cut_before_it_was_answered_is_neither_lost_nor_done_twice(
    browser: Browser,
) -> None:
    lost: list[str] = []

    def cut_at_first(route: WebSocketRoute) -> None:
        """Passes frames on, but cuts instead of the first answer of each kind, which it eats."""
        server = route.connect_to_server()

        def passed(text: str | bytes, on: WebSocketRoute) -> None:
            op = json.loads(text)["op"]
            if op not in ("ack", "pushed") or op in lost:
                on.send(text)
            else:
                lost.append(op)
                asyncio.ensure_future(route.close(code=1012)).add_done_callback(_done)
                asyncio.ensure_future(server.close(code=1012)).add_done_callback(_done)

        route.on_message(lambda text: passed(text, server))
        server.on_message(lambda text: passed(text, route))

    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door), AT) as page:
            await page.route_web_socket("**/v1/ws", cut_at_first)
            consumer = await _start(page, "Push consumer", name="jams")
            supplier = await _start(page, "Supplier")
            await supplier.get_by_role("button", name="Publish one").click()
            await expect(supplier.locator(".told")).to_contain_text("sent again")
            await expect(_figure(supplier, "Accepted")).to_have_text("1")
            await expect(_figure(consumer, "Came again")).to_have_text("1")
            await expect(_figure(consumer, "In flight")).to_have_text("0")
            await expect(_figure(consumer, "Received")).to_have_text("1")
            await expect(consumer.locator(".event")).to_have_count(1)
        assert (await door.ask("GET", f"/v1/channels/{channel}"))["accepted"] == 1
    assert sorted(lost) == ["ack", "pushed"]


def _done(future: asyncio.Future[None]) -> None:
    future.result()


async def test_whatever_an_event_is_called_its_card_shows_it_as_text(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        small = {"width": 390, "height": 800}
        async with console(browser, _url(door), AT, viewport=small) as page:
            for kind, given in (
                ("Supplier", {}),
                ("Pull consumer", {}),
                ("Push consumer", {"acknowledge": "by hand"}),
            ):
                card = await _start(page, kind, **given)
            for name in HOSTILE:
                event = {"domain": name, "type": name, "name": name, "data": {name: name * 9_999}}
                await door.ask("POST", f"/v1/channels/{channel}/events", event)
            await expect(card.locator(".event")).to_have_count(len(HOSTILE))
            told = await page.evaluate("document.body.innerText + document.body.innerHTML")
            assert not set(told) & set(HIDDEN)
            assert len(told) < 100_000
            assert await page.locator("#console script, #console img[src=x]").count() == 0
            assert await page.evaluate("document.documentElement.scrollWidth") == 390
            assert not await findings(page)


async def test_a_token_opens_a_websocket_and_is_in_no_address(browser: Browser) -> None:
    async with served(WebOptions(token=TOKEN)) as door:
        await door.host.ask(CreateChannel(new_origin(), name="roads"))
        async with console(browser, _url(door), AT) as page:
            addresses: list[str] = []
            page.on("websocket", lambda socket: addresses.append(socket.url))
            page.on("request", lambda request: addresses.append(request.url))
            login = page.get_by_role("dialog", name="Log in")
            await login.get_by_label("Token").fill(TOKEN)
            await login.get_by_role("button", name="Log in").click()
            await expect(login).to_have_count(0)
            card = await _start(page, "Push consumer")
            await expect(card.locator(".status")).to_have_text("connected")
            assert f"ws://127.0.0.1:{door.port}/v1/ws" in addresses
            assert not any(TOKEN in one for one in addresses)


async def test_a_session_opens_one_and_what_it_ends_waits_for_the_next(browser: Browser) -> None:
    async with scene() as here, console(browser, _url(here.door), AT) as page:
        login = page.get_by_role("dialog", name="Log in")

        async def log_in() -> None:
            await login.get_by_label("Name").fill("ann")
            await login.get_by_label("Password").fill(PASSWORD)
            await login.get_by_role("button", name="Log in").click()
            await expect(login).to_have_count(0)

        await log_in()
        consumer = await _start(page, "Push consumer")
        supplier = await _start(page, "Supplier")
        await _publish(supplier, "3", "100")
        await expect(_figure(consumer, "Received")).to_have_text("3")
        await page.evaluate("fetch('/v1/logout', {method: 'POST'})")
        await expect(login).to_be_visible()
        await log_in()
        await expect(supplier.locator(".status")).to_have_text("connected")
        await _publish(supplier, "4", "100")
        await expect(_figure(consumer, "Received")).to_have_text("7")
