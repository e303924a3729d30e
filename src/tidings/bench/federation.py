"""`tidings bench federation`: a gateway between two services, beside a plain relay.

Each pair of services is joined twice, by a gateway and by the relay (`federation_relay.py`), each a
process of its own between destinations of its own; where a service lives within one process, both
run in the bench's. The bench publishes at one end and listens at the other, with a limited number
of events on their way. Rounds of both are interleaved, and every event is checked.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from tidings.bench import harness
from tidings.bench.federation_link import End, Link, What, create_gateway, gateways_of, running
from tidings.bench.federation_load import BATCH, HIGHEST, Lane, pace, sample
from tidings.bench.federation_relay import relay_text, sink, source
from tidings.bench.federation_services import KINDS, Missing, Service, start
from tidings.bench.harness import Figures, Progress, silent
from tidings.errors import InvalidUsage
from tidings.server.interpreter import Interpreter

log = logging.getLogger(__name__)

_OF_RELAY: Final = 0.5
_OF_RELAY_BETWEEN_TIDINGS: Final = 0.8
_WARM: Final = 5
_FAST: Final = HIGHEST * 9 // 10
_FASTEST: Final = f"subject = Speed and rate >= {_FAST}"
_LINKS: Final[Sequence[What]] = ("gateway", "relay")


def run(
    *,
    pairs: Sequence[str] | None = None,
    events: int = 3_000,
    paced: int = 200,
    links: int = 100,
    rounds: int = 3,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench for these kinds of services, each joined with Tidings; medians are reported."""
    chosen = list(pairs or KINDS)
    unknown = [kind for kind in chosen if kind not in KINDS]
    if unknown:
        raise InvalidUsage(f"no kind is named {unknown[0]!r}; there are {', '.join(KINDS)}")
    bench = _Bench(events, paced, rounds, progress)
    asyncio.run(bench.measure(chosen))
    progress(f"federation: memory of {links} gateways")
    grown = harness.in_fresh_process(grown_by, links)
    bench.figures.figure("memory of a gateway with its two sides", grown / links, "octets/link")
    return bench.figures.report("federation")


class _Bench:
    def __init__(self, events: int, paced: int, rounds: int, progress: Progress) -> None:
        self.figures = Figures()
        self._events = events
        self._paced = paced
        self._rounds = rounds
        self._progress = progress
        self._places = 0

    async def measure(self, kinds: Sequence[str]) -> None:
        """Measure each kind beside Tidings, in both directions."""
        with (
            Interpreter(),  # as in a service: some links run in this process
            harness.bench_folder() as self._folder,
            await start("tidings", self._folder / "own") as own,
        ):
            for kind in kinds:
                try:
                    with await start(kind, self._folder / kind) as other:
                        await self._measure(own, other)
                except Missing as missing:
                    log.warning("%s is left out: %s", kind, missing)

    async def _measure(self, own: Service, other: Service) -> None:
        await self._pair(own, other)
        if other.kind != "tidings":
            await self._pair(other, own)
        await self._share(other)

    async def _pair(self, here: Service, there: Service) -> None:
        name = f"{here.kind} to {there.kind}"
        text = relay_text(here.kind, there.kind)
        self._progress(f"federation: {name}; the relay:\n\n{text}")
        async with AsyncExitStack() as stack:
            lanes = [
                await stack.enter_async_context(self._lane(what, here, there)) for what in _LINKS
            ]
            series = [lane.series for lane in lanes]
            for _ in harness.rounds(f"federation: {name}", self._rounds, self._progress, series):
                for lane in lanes:
                    await lane.burst(self._events)
            await pace(lanes, self._paced)
        self._report(name, lanes, relay_lines=sum(map(bool, text.splitlines())))

    @asynccontextmanager
    async def _lane(self, what: What, here: Service, there: Service) -> AsyncIterator[Lane]:
        self._places += 1
        name = f"bench{self._places}"
        before, behind = (
            End(here.kind, await here.place(name)),
            End(there.kind, await there.place(name)),
        )
        link = Link(what, before, behind, str(self._folder / name))
        process = None
        async with AsyncExitStack() as stack:
            if here.here or there.here:
                await stack.enter_async_context(running(link))
            else:
                command = ["tidings.bench.federation_link", msgspec.json.encode(link).decode()]
                began = asyncio.to_thread(
                    harness.ServerProcess, command, self._folder / f"{name}.link"
                )
                process = stack.enter_context(await began)
            batches = await stack.enter_async_context(
                source(behind.kind, behind.place, f"{name}-load")
            )
            publish = await stack.enter_async_context(sink(before.kind, before.place))
            lane = Lane(publish, min(here.window, there.window), here.loses or there.loses)
            lane.process = process
            listening = asyncio.create_task(lane.listen(batches))
            try:
                await lane.begin()
                yield lane
                lane.check()
            finally:
                listening.cancel()
                await asyncio.wait((listening,))

    def _report(self, name: str, lanes: Sequence[Lane], relay_lines: int) -> None:
        figures, (gateway, relay) = self.figures, lanes
        for what, lane in zip(_LINKS, lanes, strict=True):
            figures.figure(f"{name}, {what}", lane.series.median("rate"), "events/s")
        ratio = gateway.series.median("rate") / relay.series.median("rate")
        between = name == "tidings to tidings"
        target = _OF_RELAY_BETWEEN_TIDINGS if between else _OF_RELAY
        figures.at_least(f"{name}, gateway of relay", ratio, "ratio", target)
        if gateway.process is not None:
            used = [lane.series.median("processor") for lane in lanes]
            figures.figure(f"{name}, processor time of the gateway", used[0] * 1e6, "us/event")
            figures.figure(f"{name}, processor time of the relay", used[1] * 1e6, "us/event")
        for share in (0.5, 0.99):
            ours, its = (harness.percentile(lane.waits, share) * 1e3 for lane in lanes)
            figures.figure(f"{name}, added latency, p{share * 100:.0f}", ours - its, "ms")
        figures.figure(f"{name}, lines of the relay", relay_lines, "lines")
        if gateway.loses:
            figures.figure(f"{name}, lost", sum(lane.lost for lane in lanes), "events")

    async def _share(self, service: Service) -> None:
        """How many events stay in their service because nobody elsewhere wants them."""
        self._progress(f"federation: what has to cross from {service.kind}")
        self._places += 1
        name = f"bench{self._places}"
        here = End(service.kind, await service.place(name))
        there = End("memory", {"name": f"{name} wanted"})
        link = Link("gateway", here, there, str(self._folder / name), _FASTEST)
        count = 2 * HIGHEST
        sent = [sample(at, "Speed" if at % 2 else "Count") for at in range(count)]
        wanted = [sent[at] for at in range(count) if at % 2 and at % HIGHEST >= _FAST]
        async with running(link) as look, sink(here.kind, here.place) as publish:
            assert look is not None
            async with source("memory", there.place, "load") as batches:
                lane = Lane(publish, service.window, service.loses)
                listening = asyncio.create_task(lane.listen(batches))
                await lane.begin(sample(HIGHEST - 1))
                before = await look()
                lane.expect(wanted)
                batch = min(BATCH, service.window)
                for at in range(0, count, batch):
                    await publish(sent[at : at + batch])
                await lane.all_here()
                after = await look()
                lane.check()
                listening.cancel()
        received = after.sides[0].received - before.sides[0].received
        kept, share = 1 - received / count, 1 - len(wanted) / count
        figures = self.figures
        figures.figure(f"from {service.kind}, events that did not have to cross", share, "share")
        figures.figure(f"from {service.kind}, of them kept by the service", kept / share, "share")


def grown_by(links: int) -> int:
    """By how many octets this process grows with so many gateways of two sides each."""
    return asyncio.run(_grown(links))


async def _grown(links: int) -> int:
    with harness.bench_folder() as folder:
        async with gateways_of(Path(folder)) as client:
            before = 0
            for number in range(-_WARM, links):
                if number == 0:
                    gc.collect()
                    before = harness.resident_octets()
                channel = f"channel {number}"
                await client.create_channel(channel)
                here = End("tidings", {"channel": channel})
                link = Link("gateway", here, End("memory", {"name": channel}), "")
                await create_gateway(client, link, f"G{number + _WARM}")
            gc.collect()
            return harness.resident_octets() - before
