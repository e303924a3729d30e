"""A backtest and a report by real programs: the service, its archive, Spark, and the page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pyspark
from playwright.async_api import Browser, expect

from tests.real.console.browsing import console
from tests.real.e2e.served import served
from tests.real.pipeline.settings import INTERPRETED
from tidings.java import find_java

HOSTILE = "</td><script>document.title = 'taken'</script>"
PERSISTENT = {"EventReliability": "Persistent"}


def _environment(folder: Path) -> dict[str, str]:
    """Spark as the other tests have it, and an archive that is soon written."""
    lines = [f"{name} {value}" for name, value in INTERPRETED.items()]
    (folder / "spark-defaults.conf").write_text("\n".join(lines), encoding="utf-8")
    return {
        "SPARK_CONF_DIR": str(folder),
        "TIDINGS_ARCHIVE__SEAL_AFTER": "100 ms",
        "TIDINGS_JOBS__MEMORY": "700m",
    }


def _publish(client: httpx2.Client) -> None:
    for name, rates in (("roads", range(100)), (HOSTILE, range(5))):
        made = client.post("/v1/channels", json={"name": name, "qos": PERSISTENT})
        events = [{"domain": "Traffic", "type": "Speed", "data": {"rate": one}} for one in rates]
        path = f"/v1/channels/{made.raise_for_status().json()['id']}/events"
        client.post(path, json=events).raise_for_status()
    while client.get("/v1/overview").json()["archive"]["rows"] < 105:
        time.sleep(0.01)


def _done(client: httpx2.Client, job: int) -> Any:
    """The result of a job, however long that takes: it has a low priority."""
    while (found := client.get(f"/v1/jobs/{job}").json())["ended"] is None:
        time.sleep(0.05)
    assert found["cause"] == ""
    return client.get(f"/v1/jobs/{job}/result").json()


async def _start_report(browser: Browser, url: str) -> None:
    async with console(browser, url, "#/reports") as page:
        await page.get_by_label("Time").select_option("")
        await page.get_by_role("button", name="Start", exact=True).click()
        await expect(page.get_by_role("region", name="Report 2")).to_be_visible()


async def _read_report(browser: Browser, url: str) -> None:
    async with console(browser, url, "#/reports?job=2") as page:
        frame = page.frame_locator("iframe")
        await expect(frame.get_by_role("heading", name="Event report")).to_be_visible()
        await expect(frame.get_by_text(HOSTILE).first).to_be_attached()
        assert await page.title() == "Reports · Tidings"


def test_a_backtest_and_a_report_of_a_small_archive(
    browser: Browser,
    loop: asyncio.Runner,
    tmp_path: Path,
    record_real_part: Callable[[str, str], None],
) -> None:
    record_real_part("Spark", pyspark.__version__)
    record_real_part("Java", find_java().version)
    options = ("--archive", str(tmp_path / "archive"))
    with served(tmp_path, *options, env=_environment(tmp_path)) as service:
        with service.client() as client:
            _publish(client)
            while client.get("/v1/jobs").json()["problem"]:
                time.sleep(0.01)
            given = {"constraint": "$rate >= 90", "channels": ["roads"], "samples": 2}
            client.post("/v1/jobs/backtest", json=given).raise_for_status()
            loop.run(_start_report(browser, service.url))
            found = _done(client, 1)
            assert found["counts"] == {"events": 100, "matched": 10}
            samples = next(one for one in found["tables"] if one["title"].startswith("Samples"))
            assert [row[1] for row in samples["rows"]] == ["100", "99"]
            assert _done(client, 2)["counts"] == {"events": 105}
        loop.run(_read_report(browser, service.url))
