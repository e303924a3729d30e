"""`tidings bench access`: what access control costs.

A check is what the engine asks before it takes a push from a principal: its permission, what its
grants say of events, and its limits. It is run in this process, with ten grants and with ten
thousand, and set against the processor time that a service in a process of its own needs for one
push of one event over each door, with nobody to deliver it to: the least that a push can cost. Then
connections are opened, asked for the health of the service, and closed, with TLS and without.
Rounds are interleaved, and medians reported.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from pathlib import Path
from time import perf_counter, process_time_ns
from typing import Any, Final

from tidings.bench.harness import (
    PATIENCE,
    Figures,
    Progress,
    Series,
    bench_folder,
    demand,
    rounds,
    sample_event,
    silent,
    undisturbed,
)
from tidings.bench.web_load import Publishing, TidingsService
from tidings.channel.commands import Push
from tidings.channel.management import Connect, CreateChannel, ObtainProxy
from tidings.channel.vocabulary import Side
from tidings.client.connecting import connect
from tidings.client.publishing import Publisher
from tidings.clock import utc_now
from tidings.engine.access import Caller
from tidings.engine.authority import authorise
from tidings.engine.host import Host
from tidings.errors import NotFound
from tidings.grants.model import CredentialKind, Verb
from tidings.grants.requests import (
    AddCredential,
    CreateGrant,
    CreatePrincipal,
    RevokeGrant,
)
from tidings.server.cores import service_cores
from tidings.server.dev_certificates import AUTHORITY, SERVICE, make_certificates

_OF_A_PUSH: Final = 0.03
_OF_FEW: Final = 1.5
_FEW: Final = 10
_PRODUCER: Final = Caller("till")
_OPEN_AT_ONCE: Final = 4
_RESULT: Final = re.compile(rb'"results":\[(\d+)\]')
_HEALTH: Final = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def run(
    *,
    events: int = 5_000,
    grants: int = 10_000,
    connections: int = 300,
    rounds: int = 5,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; `events` and `connections` are those of a round."""
    with bench_folder() as folder:
        bench = _Bench(folder, rounds, progress)
        check = asyncio.run(bench.measure_checks(grants, 10 * events))
        asyncio.run(bench.measure_pushes(events, check))
        asyncio.run(bench.measure_connections(connections))
    return bench.figures.report("access")


class _Guarded:
    """A host with a principal who has many grants, of which one counts."""

    def __init__(self, host: Host, push: Push) -> None:
        self._host = host
        self._push = push

    @classmethod
    async def open(cls, grants: int) -> _Guarded:
        host = await Host.open(cores=service_cores())
        channel = await host.ask(CreateChannel("0" * 32, name="roads"))
        for command in (
            CreatePrincipal("root"),
            CreateGrant("root", (Verb.ADMINISTER,)),
            AddCredential("root", CredentialKind.TOKEN, "x"),
            CreatePrincipal(_PRODUCER.name),
        ):
            await host.ask(command)
        for number in range(grants - 1):
            await host.ask(
                CreateGrant(_PRODUCER.name, (Verb.PUBLISH, Verb.SUBSCRIBE), (f"road-{number}",))
            )
        await host.ask(CreateGrant(_PRODUCER.name, (Verb.PUBLISH,), ("roads",)))
        proxy = await host.ask(ObtainProxy(channel, Side.SUPPLIER, owner=_PRODUCER.name))
        await host.connect(Connect(channel, proxy, reachable=False), None)
        made = cls(host, Push(channel, proxy, [sample_event(1)]))
        demand(not made._may(Caller("nobody")), "a stranger may publish")
        demand(made._may(_PRODUCER), "who is granted it may not publish")
        return made

    def _may(self, caller: Caller) -> bool:
        try:
            authorise(self._host, self._push, caller)
        except NotFound:  # what somebody may not know of is missing
            return False
        return True

    def check(self, times: int) -> float:
        """The processor time that a check takes, in microseconds."""
        host, push, limiting = self._host, self._push, self._host.limiting
        with undisturbed():
            start = process_time_ns()
            for _ in range(times):
                authorise(host, push, _PRODUCER)
                limiting.check(push, _PRODUCER)
            return (process_time_ns() - start) / times / 1_000

    async def check_after_change(self) -> float:
        """How long the first check takes after something was granted, in microseconds."""
        grant = await self._host.ask(CreateGrant(_PRODUCER.name, (Verb.INSPECT,), ("rails",)))
        found = self.check(1)
        await self._host.ask(RevokeGrant(grant))
        return found

    async def close(self) -> None:
        await self._host.close(0.0)


class _Bench:
    def __init__(self, folder: Path, count: int, progress: Progress) -> None:
        self.figures = Figures()
        self._folder = folder
        self._rounds = count
        self._progress = progress

    async def measure_checks(self, grants: int, times: int) -> float:
        """Time checks with few grants and with many; return what one takes with many."""
        self._progress(f"access: granting {grants:,} times")
        few, many = await _Guarded.open(_FEW), await _Guarded.open(grants)
        series = Series()
        for _ in rounds("access: checks", self._rounds, self._progress, [series]):
            series["few"].append(few.check(times))
            series["many"].append(many.check(times))
            series["changed"].append(await many.check_after_change())
        await few.close()
        await many.close()
        figures, one = self.figures, series.median("many")
        figures.figure(f"a check with {_FEW} grants", series.median("few"), "µs")
        figures.figure(f"a check with {grants} grants", one, "µs")
        ratio = one / series.median("few")
        figures.at_most(f"{grants} grants, of {_FEW}", ratio, "ratio", _OF_FEW)
        what = f"the first check after a change, with {grants} grants"
        figures.figure(what, series.median("changed"), "µs")
        return one

    async def measure_pushes(self, events: int, check: float) -> None:
        """What the service needs for a push over each door, and the share of a check."""
        series = Series()
        with TidingsService(self._folder, "--iiop", "127.0.0.1:0") as service:
            web = _WebPusher(service)
            await web.open()
            factory = service.announced["corba"].replace("/NameService", "/NotificationService")
            async with await connect(factory) as client:
                iiop = await client.publisher(await client.create_channel())
                measured = rounds("access: pushes", self._rounds, self._progress, [series])
                for at, _ in enumerate(measured):
                    before = service.processor_seconds()
                    await web.push(at * events, events)
                    between = service.processor_seconds()
                    await _push_over_iiop(iiop, events)
                    after = service.processor_seconds()
                    series["WebSocket"].append((between - before) / events * 1e6)
                    series["IIOP"].append((after - between) / events * 1e6)
            web.close()
        for door in series:
            cost = series.median(door)
            self.figures.figure(f"a push over {door}", cost, "µs")
            what = f"a check, of a push over {door}"
            self.figures.at_most(what, check / cost, "ratio", _OF_A_PUSH)

    async def measure_connections(self, count: int) -> None:
        """How many connections a second there can be, with TLS and without."""
        folder = self._folder / "tls"
        folder.mkdir()
        make_certificates(folder, ["localhost", "127.0.0.1"], [], utc_now())
        settings = folder / "tls.toml"
        settings.write_text(
            f'[http]\ntls = true\n[tls]\ncertificate = "{folder / SERVICE}.pem"\n'
            f'key = "{folder / SERVICE}.key"\n',
            encoding="utf-8",
        )
        trusting = ssl.create_default_context(cafile=str(folder / f"{AUTHORITY}.pem"))
        series = Series()
        with (
            TidingsService(self._folder) as plain,
            TidingsService(folder, "--settings", str(settings)) as secure,
        ):
            for _ in rounds("access: connections", self._rounds, self._progress, [series]):
                series["plain"].append(await _connections(plain.port, count, None))
                series["TLS"].append(await _connections(secure.port, count, trusting))
        for kind in series:
            self.figures.figure(f"connections over {kind} HTTP", series.median(kind), "1/s")
        share = series.median("TLS") / series.median("plain")
        self.figures.figure("connections with TLS, of plain ones", share, "ratio")


class _WebPusher:
    """Pushes frames of one event each; every one must be answered with the next number."""

    def __init__(self, service: TidingsService) -> None:
        self._service = service
        self._publishing: Publishing | None = None
        self._left = 0
        self._last = 0
        self._all_here = asyncio.Event()

    async def open(self) -> None:
        self._publishing = await self._service.publisher("pushes", self._answered)

    def _answered(self, frame: bytes) -> None:
        found = _RESULT.search(frame)
        demand(found is not None and int(found[1]) == self._last + 1, frame.decode())
        self._last += 1
        self._left -= 1
        if not self._left:
            self._all_here.set()

    async def push(self, first: int, events: int) -> None:
        assert self._publishing is not None
        frames = self._publishing.frames(first, events)
        self._left = events
        self._all_here.clear()
        self._publishing.socket.write(b"".join(frames))
        await asyncio.wait_for(self._all_here.wait(), PATIENCE)

    def close(self) -> None:
        if self._publishing is not None:
            self._publishing.socket.close()


async def _push_over_iiop(publisher: Publisher, events: int) -> None:
    for at in range(events):
        demand(await publisher.publish(sample_event(at)) is not None, "an event was refused")


async def _connections(port: int, count: int, tls: ssl.SSLContext | None) -> float:
    """Open, ask and close; return how many a second."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            name = "localhost" if tls is not None else None
            reading, writing = await asyncio.open_connection(
                "127.0.0.1", port, ssl=tls, server_hostname=name
            )
            writing.write(_HEALTH)
            answer = await reading.read()
            demand(b" 200 " in answer.partition(b"\r\n")[0], answer.decode(errors="replace"))
            writing.close()
            await writing.wait_closed()

    start = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(_OPEN_AT_ONCE):
            group.create_task(work())
    return count / (perf_counter() - start)
