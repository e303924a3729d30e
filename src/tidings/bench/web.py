"""`tidings bench web`: events published and delivered through WebSockets, beside a floor.

The service runs in a process of its own, everything in memory. There is a channel for each number
of filtered subscriptions; one of them matches. A publisher's socket pushes, a consumer's socket
gets and acknowledges; `web_load` keeps the load cheap, so that the server is what is measured. The
floor (`web_floor`) is the same server loop answering the same frames with the same frames, without
the machine. Rounds are interleaved; in every round each event must have come once and in order.
Then each of some events goes to very many consumers.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Sequence
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any, Final

from tidings.bench.harness import (
    PATIENCE,
    Figures,
    Progress,
    Series,
    bench_folder,
    demand,
    percentile,
    raise_open_files,
    rounds,
    silent,
    undisturbed,
)
from tidings.bench.web_floor import Answers
from tidings.bench.web_load import (
    FloorService,
    Publishing,
    Service,
    Socket,
    TidingsService,
    client_frame,
)

SUBSCRIPTIONS: Final = (1, 100, 1_000, 10_000)
_OF_FLOOR: Final = 0.3
_OF_ONE: Final = 0.6
# Events that are pushed and have not come to the consumer.
_UNDER_WAY: Final = 64
# Events of a round of the fan-out.
_FANNED: Final = 20
# Connected before measuring begins: what is there once for all of them is not counted.
_WARM: Final = 20
_NAMES: Final = re.compile(rb'"name":"car-(\d+)"')
_SEQS: Final = re.compile(rb'"seq":(\d+)')


def run(
    *,
    events: int = 3_000,
    rounds: int = 5,
    consumers: int = 1_000,
    subscriptions: Sequence[int] = SUBSCRIPTIONS,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    The fan-out has so many WebSocket consumers; `subscriptions` are numbers of filtered ones.
    """
    raise_open_files()
    figures = Figures()
    with bench_folder() as folder:
        with TidingsService(folder) as service, FloorService(folder) as floor:
            bench = _Bench(figures, service, floor, progress)
            asyncio.run(bench.run(bench.measure(events, rounds, sorted(subscriptions))))
        with TidingsService(folder) as service, FloorService(folder) as floor:
            bench = _Bench(figures, service, floor, progress)
            asyncio.run(bench.run(bench.measure_fan_out(consumers, rounds)))
    return figures.report("web")


class Crowd:
    """A publisher's socket and those of consumers, at one server.

    Attributes:
        came: Numbers of the events that came to consumers, in order.
        at: When each frame came.
        receipt: The last frame that answered the publisher.
        event: The last frame that a consumer got.
        rounds: What each round gave: deliveries a second, and waits of single events in seconds.
    """

    def __init__(self) -> None:
        self.came: list[int] = []
        self.at: list[float] = []
        self.receipt = b""
        self.event = b""
        self.rounds = Series()
        self._consumers: list[Socket] = []
        self._publishing: Publishing | None = None
        self._frames: Sequence[bytes] = ()
        self._next = 0
        self._all_here = asyncio.Event()

    async def add_consumers(
        self, service: Service, group: str, count: int = 1, subscriptions: int = 1
    ) -> None:
        """Connects consumers, and before them subscriptions of which one matches."""
        for _ in range(count):
            socket = await service.consumer(group, subscriptions, _ignore)
            socket.on_text = partial(self._delivered, socket)
            self._consumers.append(socket)

    async def add_publisher(self, service: Service, group: str) -> None:
        """Connects the publisher."""
        self._publishing = await service.publisher(group, self._answered)

    async def send(self, first: int, events: int, under_way: int) -> float:
        """Push so many events at a time; how many seconds until the last had come to all."""
        assert self._publishing is not None
        frames = self._publishing.frames(first, events)
        self.came, self.at, self._frames, self._next = [], [], frames, under_way
        self._all_here.clear()
        start = perf_counter()
        self._publishing.socket.write(b"".join(frames[:under_way]))
        try:
            await asyncio.wait_for(self._all_here.wait(), PATIENCE)
        except TimeoutError:
            demand(False, f"only {len(self.came)} of {self._due} deliveries came")
        return perf_counter() - start

    @property
    def _due(self) -> int:
        return len(self._frames) * len(self._consumers)

    async def round(self, first: int, events: int) -> None:
        """Measures how many events a second pass, then how long single ones take."""
        with undisturbed():
            self.rounds["rate"].append(events / await self.send(first, events, _UNDER_WAY))
        await self.send(first + events, max(2, events // 10), 1)
        self.rounds["waits"] += (later - earlier for earlier, later in pairwise(self.at))

    async def fan_out(self, first: int, events: int = _FANNED) -> None:
        """Measures how fast events come to all, each once."""
        seconds = await self.send(first, events, events)
        self.rounds["rate"].append(self._due / seconds)
        await asyncio.sleep(0.1)  # what is too much may come now
        demand(len(self.came) == self._due, f"{len(self.came)} of {self._due} deliveries came")

    def answers(self) -> Answers:
        """What the floor is to answer with: frames as they really are."""
        return Answers(self.receipt.decode(), self.event.decode())

    def _answered(self, frame: bytes) -> None:
        self.receipt = frame

    def _delivered(self, socket: Socket, frame: bytes) -> None:
        numbers = _NAMES.findall(frame)
        self.event = frame
        self.came += map(int, numbers)
        self.at.append(perf_counter())
        acked = b",".join(_SEQS.findall(frame))
        socket.write(client_frame(b'{"op":"ack","line":0,"seqs":[%b]}' % acked))
        if len(self.came) >= self._due:
            self._all_here.set()
        elif self._publishing is not None and self._next < len(self._frames):
            first, self._next = self._next, self._next + len(numbers)
            self._publishing.socket.write(b"".join(self._frames[first : self._next]))

    def close(self) -> None:
        """Closes all sockets."""
        for socket in self._consumers:
            socket.close()
        if self._publishing is not None:
            self._publishing.socket.close()


class _Bench:
    def __init__(
        self, figures: Figures, service: TidingsService, floor: FloorService, progress: Progress
    ) -> None:
        self._figures = figures
        self._service = service
        self._floor = floor
        self._progress = progress
        self._crowds: list[Crowd] = []

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Measures something, and closes all sockets."""
        try:
            await work
        finally:
            for crowd in self._crowds:
                crowd.close()
            await self._service.let_go()

    def _crowd(self) -> Crowd:
        self._crowds.append(Crowd())
        return self._crowds[-1]

    async def measure(self, events: int, count: int, subscriptions: Sequence[int]) -> None:
        crowds = {number: self._crowd() for number in subscriptions}
        for number, crowd in crowds.items():
            self._progress(f"web: making {number:,} filtered subscriptions")
            group = f"bench {number}"
            await crowd.add_consumers(self._service, group, subscriptions=number)
            await crowd.add_publisher(self._service, group)
        first = crowds[subscriptions[0]]
        await first.round(0, 100)
        floor = await self._floor_of(first, "floor", 1)
        measured = [crowd.rounds for crowd in (*crowds.values(), floor)]
        for at in rounds("web", count, self._progress, measured):
            begin = 1_000 + (at + 1) * 2 * events
            for number, crowd in crowds.items():
                await crowd.round(begin, events)
                expected = list(range(begin + events, begin + events + max(2, events // 10)))
                demand(crowd.came == expected, f"{number}: events missing, twice or out of order")
            await floor.round(begin, events)
        self._report(crowds, floor)

    async def _floor_of(self, crowd: Crowd, group: str, consumers: int) -> Crowd:
        self._floor.answers = crowd.answers()
        floor = self._crowd()
        await floor.add_consumers(self._floor, group, consumers)
        await floor.add_publisher(self._floor, group)
        return floor

    def _report(self, crowds: dict[int, Crowd], floor: Crowd) -> None:
        figures = self._figures
        rates = {number: crowd.rounds.median("rate") for number, crowd in crowds.items()}
        raw = floor.rounds.median("rate")
        figures.figure("floor: the same frames without the machine", raw, "events/s")
        one = min(rates)
        for number, rate in rates.items():
            what = f"{number} filtered subscriptions" if number > 1 else "1 filtered subscription"
            figures.figure(what, rate, "events/s")
            if number == one:
                figures.at_least(f"{what}, of the floor", rate / raw, "ratio", _OF_FLOOR)
            elif number == max(rates):
                figures.at_least(f"{what}, of {one}", rate / rates[one], "ratio", _OF_ONE)
            for share in (0.5, 0.99):
                wait = percentile(crowds[number].rounds["waits"], share) * 1e3
                figures.figure(f"{what}, p{share * 100:.0f} of one event", wait, "ms")
        floor_wait = percentile(floor.rounds["waits"], 0.5) * 1e3
        figures.figure("floor, p50 of one event", floor_wait, "ms")

    async def measure_fan_out(self, consumers: int, count: int) -> None:
        what = f"fan-out to {consumers} WebSocket consumers"
        self._progress(f"web: {what}")
        service, crowd, group = self._service, self._crowd(), "fan-out"
        warm = min(_WARM, consumers)
        await crowd.add_consumers(service, group, warm)
        before = service.resident_octets()
        await crowd.add_consumers(service, group, consumers - warm)
        each = (service.resident_octets() - before) / max(1, consumers - warm)
        await crowd.add_publisher(service, group)
        await crowd.fan_out(0, 1)
        crowd.rounds.clear()
        raw = await self._floor_of(crowd, group, consumers)
        for at in range(count):
            await crowd.fan_out(1_000 + at * _FANNED)
            await raw.fan_out(1_000 + at * _FANNED)
        rate, at_floor = crowd.rounds.median("rate"), raw.rounds.median("rate")
        self._figures.figure(what, rate, "deliveries/s")
        self._figures.figure(f"{what}, floor", at_floor, "deliveries/s")
        self._figures.figure(f"{what}, of the floor", rate / at_floor, "ratio")
        self._figures.figure(f"{what}, memory of each", each, "octets")


def _ignore(frame: bytes) -> None:
    """Frames before the measuring begins."""
