"""`tidings bench console`: the console in a browser, with very many objects and events.

The service runs in a process of its own, everything in memory: channels with a supplier and
consumers each, events at a steady rate to all of them, one consumer of each connected. The system's
Chromium shows the console, and is asked over its DevTools protocol.

In each round nobody looks, then the overview is open, then the tree of objects, each with events
and without. The service's processor time counts, which says more than a rate on a machine that does
other things as well: what an event takes while nobody looks, and what a page takes while no events
come. Both together say what part of the throughput is left beside a page. In the same rounds the
tree is painted, and all of it, found by a search, is scrolled. Then the memory of that page is
watched.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, Final, NamedTuple

from tidings.bench.chromium import Page, Task, chromium, find_chromium
from tidings.bench.console_load import BusyService
from tidings.bench.harness import (
    PATIENCE,
    Figures,
    Progress,
    Series,
    bench_folder,
    demand,
    rounds,
    silent,
)

_PAINTED: Final = 1_000
_LONGEST: Final = 100
_GROWTH: Final = 1.1
_OF_UNWATCHED: Final = 0.95
# Seconds that a page scrolls, over two loads of its data.
_SCROLLED: Final = 11.0
# Seconds until a page has done what it does once.
_SETTLED: Final = 2.0
# How often memory is looked at; the first look comes when the page has loaded its data a few times.
_LOOKS: Final = 20
_ROWS: Final = "document.querySelectorAll('#tree [data-at]').length"
_VIEWS: Final = {"nobody looks": "", "overview": "#/overview", "objects": "#/objects"}
# Finds all consumers, with the channels and admins that they are in.
_ALL: Final = "#/objects?search=consumer"
_READY: Final = {"#/overview": "document.querySelector('.tiles') !== null"}

# Notes when rows of the tree were painted, and what went wrong.
_NOTE: Final = f"""
  window.bench = {{ painted: 0, wrong: [] }};
  addEventListener("error", (event) => bench.wrong.push(event.message));
  addEventListener("unhandledrejection", (event) => bench.wrong.push(String(event.reason)));
  const look = () => requestAnimationFrame(() => {{
    if ({_ROWS} < 2) look();
    else requestAnimationFrame(() => {{ bench.painted = performance.now(); }});
  }});
  look();
"""

_SCROLL: Final = """
  (async () => {
    const tree = document.querySelector("#tree"), end = performance.now() + %d;
    let rows = 0, frames = 0, step = 400;
    while (performance.now() < end) {
      if (tree.scrollTop + tree.clientHeight >= tree.scrollHeight) step = -400;
      if (tree.scrollTop === 0) step = 400;
      tree.scrollTop += step;
      await new Promise(requestAnimationFrame);
      rows = Math.max(rows, %s);
      frames++;
    }
    return { rows, frames: 1000 * frames / %d };
  })()
"""

# What was asked for since the last time: how much in all, and the largest answer.
_ASKED: Final = """
  (() => {
    const sizes = performance.getEntriesByType("resource")
      .filter((one) => one.name.includes("/v1/")).map((one) => one.encodedBodySize);
    performance.clearResourceTimings();
    return { all: sizes.reduce((sum, one) => sum + one, 0), largest: Math.max(0, ...sizes) };
  })()
"""


def run(
    *,
    channels: int = 1_000,
    proxies: int = 10_000,
    rate: int = 20_000,
    rounds: int = 5,
    round_seconds: float = 10.0,
    seconds: float = 600.0,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    A round measures each page for `round_seconds`; memory is watched for `seconds`.
    """
    find_chromium()
    bench = _Bench(progress)
    asyncio.run(bench.measure(channels, proxies, rate, rounds, round_seconds, seconds))
    return bench.figures.report("console")


class _Bench:
    def __init__(self, progress: Progress) -> None:
        self.figures = Figures()
        self._progress = progress
        self._series = Series()

    async def measure(
        self, channels: int, proxies: int, rate: int, count: int, each: float, seconds: float
    ) -> None:
        with bench_folder() as folder, BusyService(folder) as service:
            self._progress(f"making {channels} channels with {proxies} proxies")
            await service.fill(channels, proxies)
            async with chromium(folder) as page:
                look = _Look(page, service.url, channels, proxies)
                await look.begin()
                service.push(rate)
                for _ in rounds("console", count, self._progress):
                    await self._round(look, service, each)
                self._tell_rounds(proxies, rate)
                await self._watch(look, seconds)
            await service.stop()

    async def _round(self, look: _Look, service: BusyService, each: float) -> None:
        series, alone = self._series, 0.0
        for name, at in _VIEWS.items():
            opened = await look.open(at)
            await asyncio.sleep(min(_SETTLED, each))
            busy = await _spent(service, each)
            demand(busy.events > 0, "no event was accepted")
            series[f"{name}: rate"].append(busy.events / busy.seconds)
            series[f"{name}: an event"].append(busy.processor / busy.events)
            service.paused = True
            await asyncio.sleep(min(_SETTLED, each))  # what is under way comes
            await look.asked()
            quiet = await _spent(service, each)
            service.paused = False
            spent = quiet.processor / quiet.seconds
            if not at:
                alone = spent
                continue
            series[name].append(spent - alone)
            series[f"{name}: asked"].append((await look.asked())["all"] / quiet.seconds / 1024)
        series["painted"].append(await look.painted())
        series["painting"].append(opened)
        await look.open(_ALL)
        scrolled = await look.scroll(min(_SCROLLED, 2 * each))
        for name, value in scrolled.items():
            series[name].append(value)
        series["largest"].append((await look.asked())["largest"] / 1024)

    def _tell_rounds(self, proxies: int, rate: int) -> None:
        figures, series = self.figures, self._series
        figures.figure("events accepted", series.median("nobody looks: rate"), "1/s")
        an_event = series.median("nobody looks: an event")
        figures.figure("an event, of the service's processor", an_event * 1e6, "us")
        events = min(1.0, rate * an_event)  # what they take of a processor at the rate asked for
        for name in list(_VIEWS)[1:]:
            beside = max(0.0, series.median(name))
            figures.figure(f"{name} open, of the service's processor", beside * 1e3, "ms/s")
            share = events / (events + beside)
            figures.at_least(f"{name} open: throughput left", share, "", _OF_UNWATCHED)
            an_event = series.median(f"{name}: an event")
            figures.figure(f"{name} open: an event, with the page's share", an_event * 1e6, "us")
            figures.figure(f"{name}: answers", series.median(f"{name}: asked"), "KiB/s")
        figures.at_most("tree painted", series.median("painted"), "ms", _PAINTED)
        figures.figure("the same, of the page's processor", series.median("painting"), "ms")
        scrolling = f"scrolling {proxies} proxies"
        figures.at_most(f"{scrolling}: longest task", max(series["processor"]), "ms", _LONGEST)
        figures.figure("the same by the clock, in which others run", max(series["clock"]), "ms")
        figures.figure(f"{scrolling}: frames", series.median("frames"), "1/s")
        figures.figure(f"{scrolling}: most rows in the page", max(series["rows"]), "")
        figures.figure("largest answer", max(series["largest"]), "KiB")

    async def _watch(self, look: _Look, seconds: float) -> None:
        """Memory of the page with all objects, which loads data all the time."""
        await look.open(_ALL)
        pause, sizes = seconds / _LOOKS, []
        for at in range(_LOOKS + 1):
            sizes.append(await look.page.heap() / 2**20)
            self._progress(f"memory: {sizes[-1]:.1f} MiB, {at * pause:.0f} of {seconds:.0f} s")
            if at < _LOOKS:
                await asyncio.sleep(pause)
        await look.check()
        # A page that loads all its data just now has it twice: the least of several looks counts.
        quarter = max(1, len(sizes) // 4)
        begin, end = min(sizes[1 : quarter + 1]), min(sizes[-quarter:])
        self.figures.figure("memory of the page at the beginning", begin, "MiB")
        self.figures.figure(f"the same after {seconds:.0f} s", end, "MiB")
        self.figures.at_most("the same, of the beginning", end / begin, "", _GROWTH)


class _Spent(NamedTuple):
    events: int
    processor: float
    seconds: float


async def _spent(service: BusyService, seconds: float) -> _Spent:
    """What the service does for some seconds, and the processor time it takes."""
    start, events, processor = perf_counter(), service.accepted, service.processor_seconds()
    await asyncio.sleep(seconds)
    took, events = perf_counter() - start, service.accepted - events
    processor = service.processor_seconds() - processor
    return _Spent(events, processor, took)


class _Look:
    """A page of the console, as the bench looks at it."""

    def __init__(self, page: Page, url: str, channels: int, proxies: int) -> None:
        self.page = page
        self._url = url
        self._channels = channels
        self._least = proxies - channels  # consumers; the others are suppliers

    async def begin(self) -> None:
        """Have every page that is opened noted."""
        await self.page.send("Page.addScriptToEvaluateOnNewDocument", source=_NOTE)

    async def open(self, at: str) -> float:
        """Open a page of the console anew; how many milliseconds of a processor it takes."""
        await self.page.send("Page.navigate", url="about:blank")
        if not at:
            return 0.0
        _, tasks = await self.page.traced(self._opened(at))
        return sum(one.processor for one in tasks)

    async def _opened(self, at: str) -> None:
        await self.page.send("Page.navigate", url=f"{self._url}/{at}")
        await self._until(_READY.get(at, "window.bench?.painted > 0"))
        if at in _READY:
            return
        least = self._least if at == _ALL else self._channels
        await self._until(f"document.querySelector('#tree').ariaRowCount - 2 >= {least}")

    async def _until(self, condition: str) -> None:
        end = perf_counter() + PATIENCE
        while not await self.page.evaluate(condition):
            demand(perf_counter() < end, f"the page never came so far: {condition}")
            await asyncio.sleep(0.05)

    async def painted(self) -> float:
        """After how many milliseconds the first rows of the tree were painted."""
        found: float = await self.page.evaluate("bench.painted")
        return found

    async def scroll(self, seconds: float) -> dict[str, float]:
        """Scroll through the tree: the most rows in the page, frames, the longest task in ms."""
        work = self.page.evaluate(_SCROLL % (1_000 * seconds, _ROWS, 1_000 * seconds))
        found, tasks = await self.page.traced(work)
        await self.check()
        longest = {name: max(getattr(one, name) for one in tasks) for name in Task._fields}
        return {**found, **longest}

    async def asked(self) -> dict[str, int]:
        """What the page has asked for since the last time, in octets: all, and the largest."""
        found: dict[str, int] = await self.page.evaluate(_ASKED)
        return found

    async def check(self) -> None:
        """Demand that nothing went wrong in the page."""
        wrong = await self.page.evaluate("bench.wrong")
        demand(not wrong, f"the page has failed: {wrong}")
