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
        self._supplier = stack.enter_context(Load(built))
        self._consumer = stack.enter_context(Load(built))
        self._many = [stack.enter_context(Load(built)) for _ in range(_PROCESSES)]

    def _flow(
        self,
        service: EventService,
        form: str = "any",
        batch: int = 1,
        loads: Sequence[Load] = (),
        consumers: int = 1,
    ) -> Flow:
        """Events to consumers in one process, or shared out to several; one gives its times."""
        flow = Flow(service.channel(self._supplier), self._supplier, form, batch)
        times = form == "any" and consumers == 1
        flow.add_consumers(loads or [self._consumer], consumers, times=times)
        return flow

    # ------------------------------------------------------------ plain events, beside omniEvents

    def measure_plain(self) -> None:
        """Plain events: single pushes, fan-out, latency."""
        sizes = self._sizes
        services: tuple[EventService, ...] = (self._ours, self._peer)
        single = [self._flow(service) for service in services]
        fanned = {
            "1 process": [self._flow(one, consumers=sizes.fan_out) for one in services],
            f"{_PROCESSES} processes": [
                self._flow(one, loads=self._many, consumers=sizes.fan_out) for one in services
            ],
        }
        measured = [flow.rounds for flows in (single, *fanned.values()) for flow in flows]
        for _ in rounds("iiop: plain events", self._rounds, self._progress, measured):
            for at, running in enumerate((self._peer.pause, self._peer.go_on)):
                running()
                single[at].round(sizes.events)
                for flows in fanned.values():
                    flows[at].round(sizes.fanned)
                single[at].pace(sizes.paced)
        self._peer.pause()
        self._compare("single pushes", "events/s", single, _OF_PEER)
        for service, flow in zip(services, single, strict=True):
            accepted = flow.rounds.median("accepted")
            self.figures.figure(f"single pushes, accepted, {service.name}", accepted, "events/s")
        for where, flows in fanned.items():
            what = f"fan-out to {sizes.fan_out} consumers in {where}"
            self._compare(what, "deliveries/s", flows, _FANNED_OF_PEER)
        for service, flow in zip(services, single, strict=True):
            self.figures.waits(f"one event at a low rate, {service.name}", flow.rounds["waits"])

    def _compare(self, what: str, unit: str, flows: Sequence[Flow], target: float) -> None:
        ours, peer = (flow.rate for flow in flows)
        self.figures.figure(f"{what}, {self._ours.name}", ours, unit)
        self.figures.figure(f"{what}, {self._peer.name}", peer, unit)
        self.figures.at_least(f"{what}, of {self._peer.name}", ours / peer, "ratio", target)

    # ------------------------------------------------------------ structured events, on ours

    def measure_structured(self) -> None:
        """Structured events: single pushes, batches, filters."""
        sizes, figures = self._sizes, self.figures
        singles = self._flow(self._ours, "structured")
        batches = self._flow(self._ours, "sequence", _BATCH)
        filtered: dict[int, Flow] = {}
        for count in sizes.filtered:
            self._progress(f"iiop: connecting {count:,} filtered consumers")
            channel = self._ours.channel(self._supplier)
            filtered[count] = Flow(channel, self._supplier, "structured")
            filtered[count].add_filtered(self._consumer, count)
        measured = [flow.rounds for flow in (singles, batches, *filtered.values())]
        for _ in rounds("iiop: structured events", self._rounds, self._progress, measured):
            batches.round(sizes.batched)
            for flow in (singles, *filtered.values()):
                flow.round(sizes.events)
        figures.figure("structured, single pushes", singles.rate, "events/s")
        what = f"structured, batches of {_BATCH}"
        figures.figure(what, batches.rate, "events/s")
        of_singles = batches.rate / singles.rate
        figures.at_least(f"{what}, of single pushes", of_singles, "ratio", _OF_SINGLES)
        one, most = min(filtered), max(filtered)
        for count, flow in filtered.items():
            what = f"{count} filtered consumer{'s' if count > 1 else ''}"
            figures.figure(what, flow.rate, "events/s")
            if count == most:
                of_one = flow.rate / filtered[one].rate
                figures.at_least(f"{what}, of {one}", of_one, "ratio", _OF_ONE)

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
        alone, beside = self._flow(self._ours), self._flow(crowded)
        channel = crowded.channel(load)
        load.ask("apart", channel, 0, _WARM, port)
        before = crowded.resident_octets()
        load.ask("apart", channel, _WARM, idle, port)
        each = (crowded.resident_octets() - before) / idle
        measured = [alone.rounds, beside.rounds]
        for _ in rounds("iiop: idle consumers", self._rounds, self._progress, measured):
            for flow in (alone, beside):
                flow.pace(self._sizes.paced)
        what = f"{idle} idle consumers"
        self.figures.figure(f"{what}, memory of each with its connection", each, "octets")
        without = self.figures.waits("one event without idle consumers", alone.rounds["waits"])
        with_them = self.figures.waits(f"one event beside {what}", beside.rounds["waits"])
        told = f"one event beside {what}, p50 of that without"
        self.figures.at_most(told, with_them / without, "ratio", _WITH_IDLE)
