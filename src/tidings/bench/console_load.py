"""The service of `tidings bench console`: very many objects, and events at a steady rate."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

import httpx2
import msgspec

from tidings.bench.harness import demand, sample_events
from tidings.bench.web_load import Socket, TidingsService, client_frame
from tidings.events.codecs.json_codec import encode_event

_AT_ONCE: Final = 16
# Events of a push, of which as many may be under way.
_BATCH: Final = 100
_UNDER_WAY: Final = 20
_WINDOW: Final = 1_000
_LINE: Final = re.compile(rb'"line":(\d+)')
_SEQS: Final = re.compile(rb'"seq":(\d+)')
_ACCEPTED: Final = re.compile(rb'"results":\[([^\]]*)\]')


class BusyService(TidingsService):
    """The service, everything in memory, with channels of a supplier and many consumers each.

    One consumer of each channel is connected and gets every event.

    Attributes:
        accepted: How many events the service has accepted.
        delivered: How many have come to consumers, each once and in order.
        paused: Whether no events are sent for the time being.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.accepted = self.delivered = 0
        self.paused = False
        self._under_way = 0
        self._last: dict[int, int] = {}
        self._frames: list[bytes] = []
        self._socket: Socket | None = None
        self._pushing: asyncio.Task[None] | None = None

    async def fill(self, channels: int, proxies: int) -> None:
        """Make the objects, and connect those who send and receive."""
        each = max(2, proxies // channels)
        few = asyncio.Semaphore(_AT_ONCE)
        async with self._http() as http:

            async def make(number: int) -> tuple[int, int, int]:
                async with few:
                    return await _channel(http, number, each)

            lines = await asyncio.gather(*map(make, range(channels)))
        octets = b",".join(encode_event(one) for one in sample_events(0, _BATCH)[0])
        await self._connect(lines)
        self._frames = [
            client_frame(
                b'{"op":"push","id":%d,"channel":%d,"proxy":%d,"events":[%b]}'
                % (at, channel, supplier, octets)
            )
            for at, (channel, supplier, _) in enumerate(lines)
        ]

    async def _connect(self, lines: Sequence[tuple[int, int, int]]) -> None:
        left, done = 2 * len(lines), asyncio.Event()

        def answered(frame: bytes) -> None:
            nonlocal left
            if frame.startswith(b'{"op":"ok"'):
                left -= 1
            else:
                demand(frame.startswith(b'{"op":"types"'), frame.decode())
            if not left:
                done.set()

        self._socket = await Socket.open(self.port, "/v1/ws", answered)
        for at, (channel, *both) in enumerate(lines):
            for side, proxy in enumerate(both):
                line = 2 * at + side
                told = {"op": "connect", "id": line, "line": line, "channel": channel}
                more = {"proxy": proxy, "window": _WINDOW, "notices": False}
                self._socket.write(client_frame(msgspec.json.encode({**told, **more})))
        await asyncio.wait_for(done.wait(), 120)
        self._socket.on_text = self._received

    def push(self, rate: int) -> None:
        """Send so many events a second from now on, to one channel after the other."""
        self._pushing = asyncio.create_task(self._push(_BATCH / rate))

    async def _push(self, pause: float) -> None:
        due, at = perf_counter(), 0
        assert self._socket is not None
        while True:
            due = max(due + pause, perf_counter() - 0.1)  # what was missed is not made up for
            await asyncio.sleep(max(0.0, due - perf_counter()))
            if self._under_way < _UNDER_WAY and not self.paused:
                self._under_way += 1
                self._socket.write(self._frames[at])
                at = (at + 1) % len(self._frames)

    def _received(self, frame: bytes) -> None:
        if frame.startswith(b'{"op":"events"'):
            self._took(frame)
        elif frame.startswith(b'{"op":"pushed"'):
            found = _ACCEPTED.search(frame)
            demand(found is not None and found[1].count(b",") == _BATCH - 1, frame.decode())
            self._under_way -= 1
            self.accepted += _BATCH
        else:
            demand(frame.startswith(b'{"op":"types"'), frame.decode())

    def _took(self, frame: bytes) -> None:
        found = _LINE.search(frame)
        assert found is not None
        line, seqs = int(found[1]), _SEQS.findall(frame)
        first = self._last.get(line, 0) + 1
        self._last[line] = last = first + len(seqs) - 1
        right = list(map(int, seqs)) == list(range(first, last + 1))
        demand(right, f"line {line} got other events than the next ones")
        self.delivered += len(seqs)
        assert self._socket is not None
        acked = b'{"op":"ack","line":%d,"seqs":[%b]}' % (line, b",".join(seqs))
        self._socket.write(client_frame(acked))

    async def stop(self) -> None:
        """Send no more; demand that every accepted event was delivered."""
        if self._pushing is not None:
            self._pushing.cancel()
            with suppress(asyncio.CancelledError):
                await self._pushing
        for _ in range(1_000):
            if not self._under_way and self.delivered == self.accepted:
                break
            await asyncio.sleep(0.01)
        demand(
            self.delivered == self.accepted > 0,
            f"{self.delivered} of {self.accepted} events came to their consumers",
        )
        if self._socket is not None:
            self._socket.close()


async def _channel(http: httpx2.AsyncClient, number: int, each: int) -> tuple[int, int, int]:
    """Make a channel; return its id, its supplier, and the consumer that gets every event."""

    async def made(path: str, **asked: object) -> int:
        answer = await http.post(path, json=asked)
        demand(answer.status_code == 201, answer.text)
        id: int = answer.json()["id"]
        return id

    told = {"name": f"road-{number:04}", "persistent": False, "qos": {"OrderPolicy": "FifoOrder"}}
    channel = await made("/channels", **told)
    path = f"/channels/{channel}/proxies"
    supplier = await made(path, side="supplier", name="gate")
    consumers = [
        await made(path, name=f"lane-{at}", constraints=[f"$area == {at} and $rate > 30"])
        for at in range(each - 1)
    ]
    return channel, supplier, consumers[0]
