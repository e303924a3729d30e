"""One event, a thousand WebSockets: deliveries a second, and what a consumer costs."""

from __future__ import annotations

import asyncio
import re
import statistics
from time import perf_counter
from typing import Final

from tidings.bench.figures import Figures, demand
from tidings.bench.web_floor import Answers
from tidings.bench.web_load import Handler, Socket, client_frame
from tidings.bench.web_service import FloorService, Publishing, Service, TidingsService

_GROUP: Final = "fan-out"
_EVENTS: Final = 20
_PATIENCE: Final = 60.0
# Connected before measuring begins: what is there once for all of them is not counted.
_WARM: Final = 20
_SEQS: Final = re.compile(rb'"seq":(\d+)')


class _Crowd:
    """Many consumers' sockets, and one publisher."""

    def __init__(self) -> None:
        self.sockets: list[Socket] = []
        self.rates: list[float] = []
        self.event = b""
        self.receipt = b""
        self._publishing: Publishing | None = None
        self._missing = 0
        self._all_here = asyncio.Event()

    async def open(self, service: Service, consumers: int) -> None:
        """Connects everybody."""
        for _ in range(consumers):
            socket = await service.consumer(_GROUP, 1, self._answered)
            socket.on_text = self._handler(socket)
            self.sockets.append(socket)

    async def publish_through(self, service: Service) -> None:
        """Connects the publisher."""
        self._publishing = await service.publisher(_GROUP, self._answered)

    def _handler(self, socket: Socket) -> Handler:
        def delivered(frame: bytes) -> None:
            seqs = _SEQS.findall(frame)
            socket.write(client_frame(b'{"op":"ack","line":0,"seqs":[%b]}' % b",".join(seqs)))
            self._delivered(frame, len(seqs))

        return delivered

    def _answered(self, frame: bytes) -> None:
        self.receipt = frame

    def _delivered(self, frame: bytes, events: int) -> None:
        self.event = frame
        self._missing -= events
        if self._missing <= 0:
            self._all_here.set()

    async def round(self, first: int, events: int = _EVENTS) -> None:
        """Publish some events and wait until every consumer has all of them, once."""
        assert self._publishing is not None
        deliveries = events * len(self.sockets)
        self._missing = deliveries
        self._all_here.clear()
        frames = self._publishing.frames(first, events)
        start = perf_counter()
        for frame in frames:
            self._publishing.socket.write(frame)
        try:
            await asyncio.wait_for(self._all_here.wait(), _PATIENCE)
        except TimeoutError:
            demand(False, f"{self._missing} of {deliveries} deliveries did not come")
        self.rates.append(deliveries / (perf_counter() - start))
        await asyncio.sleep(0.1)  # what is too much may come now
        demand(self._missing == 0, f"{-self._missing} deliveries too many came")

    def close(self) -> None:
        """Closes all sockets."""
        for socket in self.sockets:
            socket.close()
        if self._publishing is not None:
            self._publishing.socket.close()


async def measure_fanout(
    figures: Figures, service: TidingsService, floor: FloorService, consumers: int, rounds: int
) -> None:
    """Measure how fast each of some events comes to very many consumers."""
    crowd, raw = _Crowd(), _Crowd()
    try:
        each = await _opened(crowd, service, consumers)
        floor.answers = Answers(crowd.receipt.decode(), crowd.event.decode())
        await raw.open(floor, consumers)
        await raw.publish_through(floor)
        for at in range(rounds):
            await crowd.round(1_000 + at * _EVENTS)
            await raw.round(1_000 + at * _EVENTS)
    finally:
        crowd.close()
        raw.close()
        await service.let_go()
    rate, at_floor = statistics.median(crowd.rates[1:]), statistics.median(raw.rates)
    what = f"fan-out to {consumers} WebSocket consumers"
    figures.figure(what, rate, "deliveries/s")
    figures.figure(f"{what}, floor", at_floor, "deliveries/s")
    figures.figure(f"{what}, of the floor", rate / at_floor, "ratio")
    figures.figure(f"{what}, memory of each", each, "octets")


async def _opened(crowd: _Crowd, service: TidingsService, consumers: int) -> float:
    """Connects everybody, and has one event come to each; what a consumer takes, in octets."""
    warm = min(_WARM, consumers)
    await crowd.open(service, warm)
    before = service.resident_octets()
    await crowd.open(service, consumers - warm)
    each = (service.resident_octets() - before) / max(1, consumers - warm)
    await crowd.publish_through(service)
    await crowd.round(0, 1)  # the floor answers with frames of one event, as they really are
    return each
