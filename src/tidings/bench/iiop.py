"""`tidings bench iiop`: events through CORBA, beside omniEvents in the same run.

Both services run in processes of their own, and so does the load (`cpp/load.cc`), which is the
same for both: suppliers that push one call after the other, and consumers that count what they get
and check it. Plain events go through both services. What the Event Service does not have,
structured events, batches and filters, goes through ours alone. Rounds are interleaved.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tidings.bench.harness import (
    Figures,
    Progress,
    bench_folder,
    raise_open_files,
    rounds,
    silent,
)
from tidings.bench.iiop_load import (
    EventService,
    Flow,
    Load,
    OmniEvents,
    TidingsIiop,
    build,
    check_programs,
    free_port,
)

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
    """How much is measured, a round."""

    events: int = 3_000  # single pushes
    batched: int = 10_000
    fanned: int = 100  # events to many consumers
    fan_out: int = 100  # how many consumers that are
    paced: int = 100  # events with pauses, whose time is taken
    filtered: Sequence[int] = (1, 1_000, 10_000)  # consumers, the fewest first
    idle: int = 1_000  # consumers with a connection of their own that nothing is sent to


FULL: Final = Sizes()
QUICK: Final = Sizes(
    events=200, batched=500, fanned=5, fan_out=20, paced=10, filtered=(1, 20), idle=30
)


def run(
    *,
    rounds: int = 5,
    quick: bool = False,
    sizes: Sizes | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported. `sizes` override `quick`."""
    check_programs()
    raise_open_files()
    with bench_folder() as folder, ExitStack() as stack:
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
    return bench.figures.report("iiop")


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
        for at in rounds("iiop: plain events", self._rounds, self._progress):
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
                        flow.rounds.clear()
        self._peer.pause()
        ours, peer = flows[self._ours.name], flows[self._peer.name]
        self._compare("single pushes", "events/s", ours.single, peer.single, _OF_PEER)
        for name, plain in flows.items():
            accepted = plain.single.rounds.median("accepted")
            self.figures.figure(f"single pushes, accepted, {name}", accepted, "events/s")
        what = f"fan-out to {self._sizes.fan_out} consumers in"
        for where, one, other in (
            ("1 process", ours.one_process, peer.one_process),
            (f"{_PROCESSES} processes", ours.processes, peer.processes),
        ):
            self._compare(f"{what} {where}", "deliveries/s", one, other, _FANNED_OF_PEER)
        for name, plain in flows.items():
            self.figures.waits(f"one event at a low rate, {name}", plain.single.rounds["waits"])

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
        for at in rounds("iiop: structured events", self._rounds, self._progress):
            batches.round(self._sizes.batched)
            for flow in (singles, *filtered.values()):
                flow.round(self._sizes.events)
            if at < 0:
                for flow in (singles, batches, *filtered.values()):
                    flow.rounds.clear()
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
        for at in rounds("iiop: idle consumers", self._rounds, self._progress):
            for flow in (alone, beside):
                flow.pace(self._sizes.paced)
                if at < 0:
                    flow.rounds.clear()
        what = f"{idle} idle consumers"
        self.figures.figure(f"{what}, memory of each with its connection", each, "octets")
        without = self.figures.waits("one event without idle consumers", alone.rounds["waits"])
        with_them = self.figures.waits(f"one event beside {what}", beside.rounds["waits"])
        told = f"one event beside {what}, p50 of that without"
        self.figures.at_most(told, with_them / without, "ratio", _WITH_IDLE)
