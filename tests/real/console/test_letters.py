"""Dead letters: why there are some, those of a kind, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.edges.web.served import PERSISTENT, ServedDoor, served
from tests.real.console.browsing import console
from tidings.web.options import WebOptions


async def _rejected(door: ServedDoor, name: str, reasons: dict[int, str]) -> tuple[int, int]:
    """A channel whose consumer has rejected events, by their prices; it and the consumer."""
    made = await door.ask("POST", "/v1/channels", {"name": name, "qos": PERSISTENT}, 201)
    channel = int(made["id"])
    proxy = await door.proxy(channel, name=f"till of {name}", style="pull")
    seqs = await door.publish(channel, *reasons)
    path = f"/v1/channels/{channel}/proxies/{proxy}"
    await door.ask("POST", f"{path}/pull", {"most": len(seqs)})
    for seq, reason in zip(seqs, reasons.values(), strict=True):
        await door.ask("POST", f"{path}/reject", {"seqs": [seq], "reason": reason}, 204)
    return channel, proxy


async def _count(door: ServedDoor) -> int:
    return int((await door.ask("GET", "/v1/dead-letters/count"))["count"])


async def test_those_selected_are_counted_redriven_and_dropped(
    browser: Browser, tmp_path: Path
) -> None:
    async with served(WebOptions(), tmp_path) as door:
        roads, till = await _rejected(door, "roads", dict.fromkeys(range(1, 5), "no <b>money</b>"))
        await _rejected(door, "sea", {9: "too deep"})
        url = f"http://127.0.0.1:{door.port}"
        async with console(browser, url, "#/letters") as page:
            rows = page.locator("tbody tr")
            await expect(rows).to_have_count(5)
            await expect(rows.first).to_contain_text("till of roads")
            await expect(rows.first).to_contain_text("no <b>money</b>")
            await page.get_by_role("button", name="Dead letter 1", exact=True).click()
            await expect(page.locator("tbody pre")).to_contain_text('"price": 1')
            await page.get_by_label("Channel").select_option("roads")
            field = page.get_by_label("Constraint that events match")
            await field.fill("$price >> 1")
            await field.press("Enter")
            await expect(page.get_by_role("alert")).to_contain_text("$price >> 1")
            assert "  $price >> 1\n" in str(await page.get_by_role("alert").text_content())
            await field.fill("$price > 1")
            await field.press("Enter")
            await page.get_by_role("button", name="Drop all 3 selected").click()
            dialog = page.get_by_role("alertdialog", name="Drop dead letters: all 3 selected")
            # What comes after the number was told is not dropped.
            await _rejected(door, "rail", {9: "late"})
            await dialog.get_by_label("Filter").fill("")
            await dialog.get_by_label("Channel").fill("")
            await dialog.get_by_role("button", name="Drop dead letters").click()
            await expect(page.locator(".toast")).to_contain_text("3 dropped")
            assert await _count(door) == 3
            await page.get_by_label("Consumer").select_option("till of roads")
            await field.fill("$price > 3")
            await field.press("Enter")
            await rows.get_by_role("button", name="Redrive").click()
            await page.get_by_role("button", name="Redrive a dead letter").click()
            await expect(page.locator("main")).to_contain_text("None like that")
        assert await _count(door) == 2
        assert door.seen(roads, till).waiting == 1
