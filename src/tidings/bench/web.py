"""`tidings bench web`: events published and delivered through WebSockets, beside a floor.

The service runs in a process of its own, everything in memory. There is a channel for each number
of filtered subscriptions; one of them matches. A publisher's socket pushes, a consumer's socket
gets and acknowledges; `web_load` keeps the load cheap, so that the server is what is measured. The
floor (`web_floor`) is the same server loop answering the same frames with the same frames, without
the machine. Rounds are interleaved; in every round each event must have come once and in order.
"""

from __future__ import annotations

import asyncio
import re
import resource
import statistics
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tidings.bench.figures import Figures, Progress, demand, least_one, undisturbed
from tidings.bench.web_fanout import measure_fanout
from tidings.bench.web_floor import Answers
from tidings.bench.web_load import Socket, client_frame
from tidings.bench.web_service import FloorService, Publishing, Service, TidingsService

SUBSCRIPTIONS: Final = (1, 100, 1_000, 10_000)
_OF_FLOOR: Final = 0.3
_OF_ONE: Final = 0.6
# Events that are pushed and have not come to the consumer.
_UNDER_WAY: Final = 64
_PATIENCE: Final = 60.0
_NAMES: Final = re.compile(rb'"name":"car-(\d+)"')
_SEQS: Final = re.compile(rb'"seq":(\d+)')


def run(
    *,
    events: int = 3_000,
    rounds: int = 5,
    consumers: int = 1_000,
    subscriptions: Sequence[int] = SUBSCRIPTIONS,
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    The fan-out has so many WebSocket consumers; `subscriptions` are numbers of filtered ones, the
    smallest first.
    """
    least_one(events=events, rounds=rounds, consumers=consumers)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a socket is an open file
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="tidings-bench-") as made:
        folder = Path(made)
        with TidingsService(folder) as service, FloorService(folder) as floor:
            bench = _Bench(figures, service, floor, progress)
            asyncio.run(bench.measure(events, rounds, subscriptions))
        with TidingsService(folder) as service, FloorService(folder) as floor:
            progress(f"web: fan-out to {consumers:,} WebSocket consumers")
            asyncio.run(measure_fanout(figures, service, floor, consumers, rounds))
    return {"bench": "web", "results": figures.rows}


class Pair:
    """A publisher's and a consumer's socket at one server.

    Attributes:
        came: Numbers of the events that came to the consumer, in order.
        at: When each frame came.
        receipt: The last frame that answered the publisher.
        event: The last frame the consumer got.
        rates: Events a second, of each round.
        waits: How long single events took, in seconds, of all rounds.
    """

    def __init__(self, publishing: Publishing, consumer: Socket) -> None:
        self.came: list[int] = []
        self.at: list[float] = []
        self.receipt = b""
        self.event = b""
        self.rates: list[float] = []
        self.waits: list[float] = []
        self._publishing = publishing
        self._publisher = publishing.socket
        self._publisher.on_text = self._answered
        self._consumer = consumer
        self._consumer.on_text = self._delivered
        self._frames: Sequence[bytes] = ()
        self._next = 0
        self._all_here = asyncio.Event()

    @classmethod
    async def open(cls, service: Service, group: str, subscriptions: int) -> Pair:
        """Connects both."""
        consumer = await service.consumer(group, subscriptions, _nothing)
        return cls(await service.publisher(group, _nothing), consumer)

    async def round(self, first: int, events: int) -> None:
        """Measures how many events a second pass, then how long single ones take."""
        frames = self._publishing.frames(first, events)
        with undisturbed():
            self.rates.append(events / await self._send(frames, _UNDER_WAY))
        few = self._publishing.frames(first + events, max(2, events // 10))
        await self._send(few, 1)
        self.waits += (later - earlier for earlier, later in pairwise(self.at))

    async def _send(self, frames: Sequence[bytes], under_way: int) -> float:
        """Push; how many seconds it took until the last event had come."""
        self.came, self.at, self._frames, self._next = [], [], frames, under_way
        self._all_here.clear()
        start = perf_counter()
        self._publisher.write(b"".join(frames[:under_way]))
        try:
            await asyncio.wait_for(self._all_here.wait(), _PATIENCE)
        except TimeoutError:
            demand(False, f"only {len(self.came)} of {len(frames)} events came")
        return perf_counter() - start

    def _answered(self, frame: bytes) -> None:
        self.receipt = frame

    def _delivered(self, frame: bytes) -> None:
        numbers = _NAMES.findall(frame)
        self.event = frame
        self.came += map(int, numbers)
        self.at.append(perf_counter())
        acked = b",".join(_SEQS.findall(frame))
        self._consumer.write(client_frame(b'{"op":"ack","line":0,"seqs":[%b]}' % acked))
        if len(self.came) >= len(self._frames):
            self._all_here.set()
            return
        first, self._next = self._next, self._next + len(numbers)
        if first < len(self._frames):
            self._publisher.write(b"".join(self._frames[first : self._next]))

    def close(self) -> None:
        """Closes both."""
        self._publisher.close()
        self._consumer.close()


class _Bench:
    def __init__(
        self, figures: Figures, service: TidingsService, floor: FloorService, progress: Progress
    ) -> None:
        self._figures = figures
        self._service = service
        self._floor = floor
        self._progress = progress

    async def measure(self, events: int, rounds: int, subscriptions: Sequence[int]) -> None:
        pairs: dict[int, Pair] = {}
        floor: Pair | None = None
        try:
            for count in subscriptions:
                self._progress(f"web: making {count:,} filtered subscriptions")
                pairs[count] = await Pair.open(self._service, f"bench {count}", count)
            first = pairs[subscriptions[0]]
            await first.round(0, 100)  # the floor answers with frames as they really are
            self._floor.answers = Answers(first.receipt.decode(), first.event.decode())
            floor = await Pair.open(self._floor, "floor", 0)
            await self._rounds(pairs, floor, events, rounds)
            self._report(pairs, floor)
        finally:
            for pair in (*pairs.values(), *(() if floor is None else (floor,))):
                pair.close()
            await self._service.let_go()

    async def _rounds(self, pairs: dict[int, Pair], floor: Pair, events: int, rounds: int) -> None:
        for at in range(-1, rounds):
            self._progress(f"web: round {at + 1} of {rounds}" if at >= 0 else "web: warming up")
            begin = 1_000 + (at + 1) * 2 * events
            for count, pair in pairs.items():
                await pair.round(begin, events)
                expected = list(range(begin + events, begin + events + max(2, events // 10)))
                demand(pair.came == expected, f"{count}: events missing, twice or out of order")
            await floor.round(begin, events)
            if at < 0:
                for pair in (*pairs.values(), floor):
                    pair.rates.clear()
                    pair.waits.clear()

    def _report(self, pairs: dict[int, Pair], floor: Pair) -> None:
        figures = self._figures
        rates = {count: statistics.median(pair.rates) for count, pair in pairs.items()}
        raw = statistics.median(floor.rates)
        figures.figure("floor: the same frames without the machine", raw, "events/s")
        one = min(rates)
        for count, rate in rates.items():
            what = f"{count} filtered subscriptions" if count > 1 else "1 filtered subscription"
            figures.figure(what, rate, "events/s")
            if count == one:
                figures.at_least(f"{what}, of the floor", rate / raw, "ratio", _OF_FLOOR)
            elif count == max(rates):
                figures.at_least(f"{what}, of {one}", rate / rates[one], "ratio", _OF_ONE)
            waits = sorted(pairs[count].waits)
            for share in (0.5, 0.99):
                wait = percentile(waits, share) * 1e3
                figures.figure(f"{what}, p{share * 100:.0f} of one event", wait, "ms")
        floor_wait = percentile(sorted(floor.waits), 0.5) * 1e3
        figures.figure("floor, p50 of one event", floor_wait, "ms")


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    at = min(len(sorted_values) - 1, int(share * len(sorted_values)))
    return sorted_values[at]


def _nothing(frame: bytes) -> None:
    """Frames before the measuring begins."""
