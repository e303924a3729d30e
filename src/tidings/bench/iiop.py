"""`tidings bench iiop`: events through CORBA, beside omniEvents in the same run.

Both services run in processes of their own, and so does the load (`cpp/load.cc`), which is the
same for both: suppliers that push one call after the other, and consumers that count what they get
and check it. Plain events go through both services. What the Event Service does not have,
structured events, batches and filters, goes through ours alone. Rounds are interleaved.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tidings.bench.figures import Figures, Progress, least_one
from tidings.bench.iiop_flow import Flow
from tidings.bench.iiop_load import Load, build, check_programs
from tidings.bench.iiop_service import EventService, OmniEvents, TidingsIiop, free_port
from tidings.bench.web import percentile

_OF_PEER: Final = 0.5
_FANNED_OF_PEER: Final = 1.0
_OF_SINGLES: Final = 3.0
_OF_ONE: Final = 0.6
_WITH_IDLE: Final = 1.2
_BATCH: Final = 100
_PROCESSES: Final = 10
# Connected before measuring begins: what is there once for all of them is not counted.
_WARM: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured.

    Attributes:
        events: Single pushes a round.
        batched: Events a round in batches.
        fanned: Events a round to many consumers.
        fan_out: How many consumers that are.
        paced: Events a round with pauses, whose time is taken.
        filtered: Numbers of filtered consumers, the smallest first.
        idle: Consumers with a connection of their own that nothing is sent to.
    """

    events: int = 3_000
    batched: int = 10_000
    fanned: int = 100
    fan_out: int = 100
    paced: int = 100
    filtered: Sequence[int] = (1, 1_000, 10_000)
    idle: int = 1_000


FULL: Final = Sizes()
QUICK: Final = Sizes(
    events=200, batched=500, fanned=5, fan_out=20, paced=10, filtered=(1, 20), idle=30
)


def run(
    *,
    rounds: int = 5,
    quick: bool = False,
    sizes: Sizes | None = None,
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Runs the bench.

    Args:
        rounds: How many interleaved rounds; medians of these are reported.
        quick: Whether small sizes will do.
        sizes: The sizes, if they are neither the small nor the full ones.
        progress: Told what is being done.

    Raises:
        InvalidUsage: A number is not positive, or a program is missing.
        AssertionError: An event did not come once, in order and whole.
    """
    least_one(rounds=rounds)
    check_programs()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a connection is an open file
    with tempfile.TemporaryDirectory(prefix="tidings-bench-") as made, ExitStack() as stack:
        folder = Path(made)
        progress("iiop: compiling the load client")
        built = build()
        ours = stack.enter_context(TidingsIiop(folder))
        peer = stack.enter_context(OmniEvents(folder))
        bench = _Bench(ours, peer, sizes or (QUICK if quick else FULL), rounds, progress)
        bench.start(stack, built)
        bench.measure_plain()
        bench.measure_structured()
        crowded = stack.enter_context(TidingsIiop(folder))
        bench.measure_idle(crowded, stack, built)
    return {"bench": "iiop", "results": bench.figures.rows}


@dataclass(slots=True)
class _Plain:
    """The flows of plain events through one service."""

    single: Flow
    one_process: Flow
    processes: Flow


@dataclass(slots=True)
class _Bench:
    _ours: TidingsIiop
    _peer: OmniEvents
    _sizes: Sizes
    _rounds: int
    _progress: Progress
    figures: Figures = field(default_factory=Figures)
    _supplier: Load = field(init=False)
    _consumer: Load = field(init=False)
    _many: list[Load] = field(init=False)

    def start(self, stack: ExitStack, built: Path) -> None:
        """Starts the processes of the load."""
        self._supplier = stack.enter_context(Load(built))
        self._consumer = stack.enter_context(Load(built))
        self._many = [stack.enter_context(Load(built)) for _ in range(_PROCESSES)]

    def _flow(self, service: EventService, form: str = "any", batch: int = 1) -> Flow:
        return Flow(service.channel(self._supplier), self._supplier, form, batch)

    def _single(self, service: EventService) -> Flow:
        flow = self._flow(service)
        flow.add_consumers([self._consumer], 1, times=True)
        return flow

    # ------------------------------------------------------------ plain events, beside omniEvents

    def measure_plain(self) -> None:
        """Plain events: single pushes, fan-out, latency."""
        flows = {service.name: self._plain(service) for service in (self._ours, self._peer)}
        for at in range(-1, self._rounds):
            self._say("plain events", at)
            for name, plain in flows.items():
                if name == self._peer.name:
                    self._peer.go_on()
                else:
                    self._peer.pause()
                plain.single.round(self._sizes.events)
                plain.one_process.round(self._sizes.fanned)
                plain.processes.round(self._sizes.fanned)
                plain.single.pace(self._sizes.paced)
                if at < 0:
                    for flow in (plain.single, plain.one_process, plain.processes):
                        flow.forget()
        self._peer.pause()
        ours, peer = flows[self._ours.name], flows[self._peer.name]
        self._compare("single pushes", "events/s", ours.single, peer.single, _OF_PEER)
        for name, plain in flows.items():
            accepted = statistics.median(plain.single.accepted)
            self.figures.figure(f"single pushes, accepted, {name}", accepted, "events/s")
        what = f"fan-out to {self._sizes.fan_out} consumers in"
        for where, one, other in (
            ("1 process", ours.one_process, peer.one_process),
            (f"{_PROCESSES} processes", ours.processes, peer.processes),
        ):
            self._compare(f"{what} {where}", "deliveries/s", one, other, _FANNED_OF_PEER)
        for name, plain in flows.items():
            self._latency(f"one event at a low rate, {name}", plain.single)

    def _plain(self, service: EventService) -> _Plain:
        one_process, processes = self._flow(service), self._flow(service)
        one_process.add_consumers([self._consumer], self._sizes.fan_out)
        processes.add_consumers(self._many, self._sizes.fan_out)
        return _Plain(self._single(service), one_process, processes)

    def _compare(self, what: str, unit: str, ours: Flow, peer: Flow, target: float) -> None:
        self.figures.figure(f"{what}, {self._ours.name}", ours.rate, unit)
        self.figures.figure(f"{what}, {self._peer.name}", peer.rate, unit)
        of_peer = f"{what}, of {self._peer.name}"
        self.figures.at_least(of_peer, ours.rate / peer.rate, "ratio", target)

    def _latency(self, what: str, flow: Flow) -> float:
        """Reports what events took; the median, in milliseconds."""
        waits = sorted(flow.waits)
        for share in (0.5, 0.99):
            taken = percentile(waits, share) * 1e3
            self.figures.figure(f"{what}, p{share * 100:.0f}", taken, "ms")
        return percentile(waits, 0.5) * 1e3

    # ------------------------------------------------------------ structured events, on ours

    def measure_structured(self) -> None:
        """Structured events: single pushes, batches, filters."""
        singles, batches = self._flow(self._ours, "structured"), self._batches()
        singles.add_consumers([self._consumer], 1)
        filtered: dict[int, Flow] = {}
        for count in self._sizes.filtered:
            self._progress(f"iiop: connecting {count:,} filtered consumers")
            filtered[count] = self._flow(self._ours, "structured")
            filtered[count].add_filtered(self._consumer, count)
        for at in range(-1, self._rounds):
            self._say("structured events", at)
            batches.round(self._sizes.batched)
            for flow in (singles, *filtered.values()):
                flow.round(self._sizes.events)
            if at < 0:
                for flow in (singles, batches, *filtered.values()):
                    flow.forget()
        figures = self.figures
        figures.figure("structured, single pushes", singles.rate, "events/s")
        what = f"structured, batches of {_BATCH}"
        figures.figure(what, batches.rate, "events/s")
        of_singles = batches.rate / singles.rate
        figures.at_least(f"{what}, of single pushes", of_singles, "ratio", _OF_SINGLES)
        self._report_filtered(filtered)

    def _batches(self) -> Flow:
        flow = self._flow(self._ours, "sequence", _BATCH)
        flow.add_consumers([self._consumer], 1)
        return flow

    def _report_filtered(self, filtered: dict[int, Flow]) -> None:
        one, most = min(filtered), max(filtered)
        for count, flow in filtered.items():
            what = f"{count} filtered consumer{'s' if count > 1 else ''}"
            self.figures.figure(what, flow.rate, "events/s")
            if count == most:
                of_one = flow.rate / filtered[one].rate
                self.figures.at_least(f"{what}, of {one}", of_one, "ratio", _OF_ONE)

    # ------------------------------------------------------------ idle consumers, on ours

    def measure_idle(self, crowded: TidingsIiop, stack: ExitStack, built: Path) -> None:
        """What idle consumers take, and whether others feel them."""
        idle, port = self._sizes.idle, free_port()
        self._progress(f"iiop: connecting {idle:,} idle consumers")
        # All addresses of this machine to itself, and nobody else.
        rule = ("-ORBserverTransportRule", "127.0.0.0/255.0.0.0 tcp")
        few_threads = ("-ORBthreadPerConnectionPolicy", "0")
        listen = ("-ORBendPoint", f"giop:tcp:0.0.0.0:{port}")
        load = stack.enter_context(Load(built, *listen, *rule, *few_threads))
        alone, beside = self._single(self._ours), self._single(crowded)
        channel = crowded.channel(load)
        load.ask("apart", channel, 0, _WARM, port)
        before = crowded.resident_octets()
        load.ask("apart", channel, _WARM, idle, port)
        each = (crowded.resident_octets() - before) / idle
        for at in range(-1, self._rounds):
            self._say("idle consumers", at)
            for flow in (alone, beside):
                flow.pace(self._sizes.paced)
                if at < 0:
                    flow.forget()
        what = f"{idle} idle consumers"
        self.figures.figure(f"{what}, memory of each with its connection", each, "octets")
        without = self._latency("one event without idle consumers", alone)
        with_them = self._latency(f"one event beside {what}", beside)
        told = f"one event beside {what}, p50 of that without"
        self.figures.at_most(told, with_them / without, "ratio", _WITH_IDLE)

    def _say(self, what: str, at: int) -> None:
        step = f"round {at + 1} of {self._rounds}" if at >= 0 else "warming up"
        self._progress(f"iiop: {what}: {step}")
