"""Dialogs made from the catalogue: fields, messages at their field, what changed meanwhile."""

from __future__ import annotations

import shlex

import pytest
from playwright.async_api import Browser, expect

from tests.edges.web.served import ServedDoor, served
from tests.real.console.browsing import act, console
from tidings.channel.catalogue import CATALOGUE
from tidings.grants.core import Grants


def _url(door: ServedDoor, at: str = "") -> str:
    return f"http://127.0.0.1:{door.port}{at}"


async def test_a_message_stands_at_the_field_it_names(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        dialog = await act(page, "create_channel")
        await dialog.get_by_label("Name").fill("roads")
        await dialog.get_by_text("Quality of service").click()
        priority = dialog.get_by_label("Priority", exact=True)
        await priority.fill("99999")
        await dialog.get_by_label("OrderPolicy").select_option("PriorityOrder")
        await dialog.get_by_role("button", name="Create a channel").click()
        await expect(priority).to_have_attribute("aria-invalid", "true")
        await expect(priority).to_be_focused()
        await expect(dialog.locator(".fault")).to_have_text("It must be from -32767 to 32767.")
        await priority.fill("7")
        await dialog.get_by_role("button", name="Create a channel").click()
        await expect(page.locator(".toast")).to_contain_text("Create a channel: done")
        found = await door.ask("GET", "/v1/channels/roads")
        assert found["qos"]["Priority"] == 7
        assert found["qos"]["OrderPolicy"] == "PriorityOrder"


async def test_a_syntax_error_is_shown_with_its_place_below_the_constraint(
    browser: Browser,
) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door)) as page:
            dialog = await act(page, "obtain_proxy", at={"channel": channel})
            for text in ("$rate > 50", "$rate >> 50"):
                await dialog.get_by_role("button", name="Add constraint").click()
                await dialog.get_by_label("Text").last.fill(text)
            await dialog.get_by_role("button", name="Create a proxy").click()
            faults = dialog.locator(".fault")
            await expect(faults).to_have_count(1)
            await expect(faults).to_contain_text("column 8")
            await expect(dialog.get_by_label("Text").last).to_be_focused()


async def test_only_what_was_changed_is_sent_and_the_log_can_repeat_it(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door)) as page:
            dialog = await act(page, "set_qos", at={"channel": channel}, what="channel roads")
            await expect(dialog.locator("h2")).to_have_text(
                "Change its quality of service: channel roads"
            )
            await dialog.get_by_label("Timeout").fill("5s")
            await dialog.get_by_role("button", name="Change its quality").click()
            await expect(dialog).to_have_count(0)
            await page.goto(_url(door, "/#/log"))
            line = page.locator("tbody tr")
            await expect(line).to_contain_text("Change its quality of service: channel roads")
            lines = await page.evaluate("import('/console/lib/log.js').then((m) => m.lines.value)")
        assert (await door.ask("GET", "/v1/channels/roads"))["qos"]["Timeout"] == 50_000_000
        assert lines[0]["call"] == f"tidings call set_qos channel:={channel} Timeout=5s"
        words = shlex.split(lines[0]["curl"])
        assert words[:3] == ["curl", "-X", "PATCH"]
        assert words[-3:] == ["-d", '{"Timeout":"5s"}', _url(door, f"/v1/channels/{channel}/qos")]


async def test_the_second_of_two_operators_is_told_what_the_first_has_changed(
    browser: Browser,
) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        async with console(browser, _url(door)) as page:
            dialog = await act(page, "set_qos", at={"channel": channel})
            await dialog.get_by_label("Timeout").fill("5s")
            await door.ask("PATCH", f"/v1/channels/{channel}/qos", {"Priority": 3})
            await dialog.get_by_role("button", name="Change its quality").click()
            await expect(dialog.locator(".meanwhile")).to_contain_text("qos.Priority: 0 → 3")
            assert (await door.ask("GET", "/v1/channels/roads"))["qos"]["Timeout"] == 0
            await dialog.get_by_role("button", name="Do it anyway").click()
            await expect(dialog).to_have_count(0)
        qos = (await door.ask("GET", "/v1/channels/roads"))["qos"]
        assert (qos["Timeout"], qos["Priority"]) == (50_000_000, 3)


async def test_what_destroys_names_the_object_and_what_goes_with_it(browser: Browser) -> None:
    async with served() as door:
        channel = await door.channel("roads")
        await door.proxy(channel, style="pull", name="billing")
        await door.publish(channel, 1, 2)
        async with console(browser, _url(door)) as page:
            dialog = await act(
                page, "destroy_channel", at={"channel": channel}, what="channel roads"
            )
            await expect(dialog).to_have_attribute("role", "alertdialog")
            await expect(dialog.locator("h2")).to_have_text("Destroy a channel: channel roads")
            await expect(dialog).to_contain_text("1 consumer, 2 waiting events")
            await dialog.get_by_role("button", name="Cancel", exact=True).click()
            assert len(door.host.channels) == 1
            dialog = await act(
                page, "destroy_channel", at={"channel": channel}, what="channel roads"
            )
            await dialog.get_by_role("button", name="Destroy a channel").click()
            await expect(dialog).to_have_count(0)
        assert not door.host.channels


async def test_a_refused_action_says_why_and_stays(browser: Browser) -> None:
    async with served() as door:
        await door.channel("roads")
        async with console(browser, _url(door)) as page:
            dialog = await act(page, "create_channel")
            await dialog.get_by_label("Name").fill("roads")
            await dialog.get_by_role("button", name="Create a channel").click()
            await expect(dialog.get_by_role("alert")).to_contain_text("roads")
            await expect(dialog.get_by_label("Name")).to_have_value("roads")


@pytest.mark.parametrize("kind", ["channel", "admin", "proxy", "filter", "service"])
async def test_every_operation_has_a_dialog(browser: Browser, kind: str) -> None:
    async with served(cores=[Grants()]) as door:
        channel = await door.channel("roads")
        await door.proxy(channel, name="billing", constraints=["$rate > 50"])
        places = {
            "channel": {"channel": channel},
            "admin": {"channel": channel, "side": "consumer", "admin": 0},
            "proxy": {"channel": channel, "proxy": 1, "side": "consumer"},
            "filter": {"filter": 1},
            "service": {},
        }
        async with console(browser, _url(door)) as page:
            script = (
                "(kind) => import('/console/lib/catalogue.js').then((m) => m.catalogue())"
                ".then((all) => all.of(kind).filter((one) => one.side !== 'supplier'))"
                ".then((all) => all.map((one) => one.name))"
            )
            names = await page.evaluate(script, kind)
            assert names
            for name in dict.fromkeys(names):
                dialog = await act(page, name, at=places[kind])
                await expect(dialog.locator("footer button")).to_have_count(4)
                await dialog.get_by_role("button", name="Cancel", exact=True).click()
                await expect(dialog).to_have_count(0)


async def test_the_menus_offer_every_command_of_the_catalogue(browser: Browser) -> None:
    async with served() as door, console(browser, _url(door)) as page:
        script = (
            "import('/console/lib/catalogue.js').then((m) => m.catalogue()).then((all) =>"
            "['service', 'channel', 'admin', 'proxy', 'filter']"
            ".flatMap((kind) => all.of(kind).map((one) => one.name)))"
        )
        offered = set(await page.evaluate(script))
        assert offered == {row.name for row in CATALOGUE if row.http and row.method != "GET"}
