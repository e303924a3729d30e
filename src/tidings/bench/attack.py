"""`tidings bench attack`: what another client feels while somebody attacks the service.

The service runs in a process of its own, everything in memory, and so does each attack, one at a
time (`attack_load`). Meanwhile a client publishes an event every few milliseconds and gets it back
through a WebSocket, and asks for its channel over HTTP; the process's memory is looked at.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Self

import httpx2

from tidings.bench.attack_load import ATTACKS
from tidings.bench.harness import Figures, Progress, bench_folder, demand, percentile, silent
from tidings.bench.web_load import Publishing, Socket, TidingsService, client_frame
from tidings.errors import InvalidUsage

_MOST_WAIT: Final = 50.0
_MOST_MEMORY: Final = 200.0
# Between two events, and two requests, in seconds.
_PAUSE: Final = 0.005
# What is longer counts as this long, in seconds.
_PATIENCE: Final = 20.0
_STARTS_IN: Final = 30.0
_NOBODY: Final = "nobody attacks"


def run(
    *,
    seconds: float = 2.0,
    attacks: Sequence[str] = (),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the named attacks, or all, each for some seconds; the other client must lose nothing."""
    unknown = [name for name in attacks if name not in ATTACKS]
    if unknown:
        raise InvalidUsage(f"no attack is named {unknown[0]!r}; there are {', '.join(ATTACKS)}")
    if not seconds > 0:
        raise InvalidUsage(f"seconds must be more than 0, not {seconds:g}")
    figures = Figures()
    with bench_folder() as folder, _Service(folder) as service:
        asyncio.run(_measured(service, attacks or list(ATTACKS), seconds, figures, progress))
    return figures.report("attack")


class _Service(TidingsService):
    """The service, with its door for CORBA."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "--iiop", "127.0.0.1:0")
        self.corba: str = self.announced["corba"].removesuffix("/NameService")


async def _measured(
    service: _Service,
    attacks: Sequence[str],
    seconds: float,
    figures: Figures,
    progress: Progress,
) -> None:
    victim = await Victim.open(service)
    try:
        progress(f"attack: {_NOBODY}")
        await victim.watch(_NOBODY, asyncio.sleep(seconds), figures)
        for name in attacks:
            progress(f"attack: {name}")
            attacker = await _started(name, seconds, service)
            try:
                await victim.watch(name, _carried_out(attacker, seconds), figures)
            finally:
                with suppress(ProcessLookupError):
                    attacker.kill()
                await attacker.wait()
        held = await victim.metric("tidings_loop_longest_block_seconds")
        figures.figure("the longest hold of the loop", held * 1e3, "ms")
    finally:
        await victim.close()


async def _started(name: str, seconds: float, service: _Service) -> asyncio.subprocess.Process:
    module = [sys.executable, "-m", "tidings.bench.attack_load"]
    attacker = await asyncio.create_subprocess_exec(
        *module, name, str(seconds), service.url, service.corba,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert attacker.stdout is not None
    ready = await asyncio.wait_for(attacker.stdout.readline(), _STARTS_IN)
    demand(ready == b"ready\n", f"the attack {name} did not begin")
    return attacker


async def _carried_out(attacker: asyncio.subprocess.Process, seconds: float) -> None:
    assert attacker.stdin is not None
    attacker.stdin.write(b"go\n")
    with suppress(TimeoutError):
        await asyncio.wait_for(attacker.wait(), seconds + 1)


class Victim:
    """Another client of the service; made by `Victim.open`."""

    _consumer: Socket
    _publishing: Publishing

    def __init__(self, service: TidingsService) -> None:
        self._service = service
        self._http = httpx2.AsyncClient(base_url=service.url, timeout=_PATIENCE)
        self._came = asyncio.Event()
        self._sent = 0

    @classmethod
    async def open(cls, service: TidingsService) -> Self:
        """Connects a publisher and a consumer."""
        victim = cls(service)
        victim._consumer = await service.consumer("victim", 1, victim._delivered)
        victim._publishing = await service.publisher("victim", lambda frame: None)
        return victim

    def _delivered(self, frame: bytes) -> None:
        if b'"seq":%d,' % self._sent in frame:
            self._came.set()
            self._consumer.write(client_frame(b'{"op":"ack","line":0,"seqs":[%d]}' % self._sent))

    async def watch(self, name: str, attack: Awaitable[None], figures: Figures) -> None:
        """Measures what it feels while an attack lasts."""
        before = self._service.resident_octets()
        under_way = asyncio.ensure_future(attack)
        events, asked, memory = await asyncio.gather(
            self._until(under_way, self._event),
            self._until(under_way, self._request),
            self._until(under_way, self._memory),
        )
        for what, waits in (("an event", events), ("a request", asked)):
            figures.figure(f"{name}: p50 of {what}", percentile(waits, 0.5) * 1e3, "ms")
            wait = percentile(waits, 0.99) * 1e3
            figures.at_most(f"{name}: p99 of {what}", wait, "ms", _MOST_WAIT)
        grown = max(memory) - before
        figures.at_most(f"{name}: memory", max(0.0, grown / 2**20), "MiB", _MOST_MEMORY)

    async def _until(
        self, under_way: asyncio.Future[None], measure: Callable[[], Awaitable[float]]
    ) -> list[float]:
        found = [await measure()]
        while not under_way.done():
            await asyncio.sleep(_PAUSE)
            found.append(await measure())
        return found

    async def _event(self) -> float:
        """How long an event takes from its publisher to its consumer, in seconds."""
        self._sent += 1
        self._came.clear()
        (frame,) = self._publishing.frames(self._sent, 1)
        start = perf_counter()
        self._publishing.socket.write(frame)
        try:
            await asyncio.wait_for(self._came.wait(), _PATIENCE)
        except TimeoutError:
            demand(False, f"event {self._sent} has not come for {_PATIENCE:g} s")
        return perf_counter() - start

    async def _request(self) -> float:
        """How long a small request takes, in seconds."""
        start = perf_counter()
        answer = await self._http.get("/v1/channels/victim")
        demand(answer.status_code == 200, answer.text)
        return perf_counter() - start

    async def _memory(self) -> float:
        await asyncio.sleep(10 * _PAUSE)
        return self._service.resident_octets()

    async def metric(self, name: str) -> float:
        """What the service counts."""
        text = (await self._http.get("/metrics")).text
        found = [line for line in text.splitlines() if line.startswith(f"{name} ")]
        demand(len(found) == 1, f"there is no metric {name}")
        return float(found[0].split()[1])

    async def close(self) -> None:
        """Disconnects."""
        self._consumer.close()
        self._publishing.socket.close()
        await self._http.aclose()
