"""How the service has done over the last hour: a sample every few seconds, in a bounded ring."""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Query, Response
from pydantic import Field

from tidings.api.forms import Answer, Id, examples
from tidings.channel.effects import Outcome
from tidings.clock import monotonic_microseconds, processor_seconds
from tidings.engine.access import OWNER
from tidings.engine.host import Host
from tidings.errors import StoreError
from tidings.grants.model import Verb
from tidings.web.bodies import StrictRoute
from tidings.web.looking import Movement, consumers
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["overview"], route_class=StrictRoute)

_SECONDS: Final = 5.0
_KEPT: Final = 720  # an hour
# The files are measured with each so many samples: there may be thousands.
_MEASURE: Final = 6
_MICRO: Final = 1e-6


class Disk(NamedTuple):
    """What the files of the service take, and what is free beside them, in octets."""

    octets: int = 0
    journal: int = 0
    free: int = 0


class Sample(NamedTuple):
    """One look at the service; what is a rate counts a second.

    Attributes:
        time: When, microseconds since 1970.
        accepted: Rate of events that came in.
        delivered: Rate of copies that went out.
        waiting: Copies of events that wait.
        in_flight: Copies handed over and not answered.
        slow: Consumers that a notice has called slow, and that have not caught up.
        dead_letters: How many there are.
        disk: Octets of the service's files.
        journal: Octets of the journal.
        archive: Octets of the journal that are not archived.
        processor: Processors that the service used.
    """

    time: int
    accepted: float
    delivered: float
    waiting: int
    in_flight: int
    slow: int
    dead_letters: int
    disk: int
    journal: int
    archive: int
    processor: float


class _Totals(NamedTuple):
    """What rates are differences of, with the time in microseconds and the processor's in s."""

    at: int
    accepted: int
    delivered: int
    processor: float


class Rates:
    """Looks at all consumers every few seconds, and keeps what it has seen for an hour."""

    def __init__(self, state: WebState) -> None:
        self._host = state.host
        self._door = state.door(OWNER)
        self._movement = state.part(Movement)
        self._samples: deque[Sample] = deque(maxlen=_KEPT)
        self._before = _totals(state.host)
        self.disk = Disk()
        self.waiting = self.in_flight = self.dead_letters = 0

    def after(self, time: int) -> list[Sample]:
        """Return the samples that are younger than a time."""
        return [one for one in self._samples if one.time > time]

    async def look(self) -> None:
        """Looks once."""
        waiting = in_flight = slow = 0
        known = set()
        async for consumer in consumers(self._host, self._door, oldest=False):
            self._movement.idle(consumer)
            known.add((consumer.channel, consumer.proxy))
            waiting += consumer.waiting
            in_flight += consumer.in_flight
            slow += consumer.is_slow
        self._movement.forget_others(known)
        with suppress(StoreError):  # it counts again next time
            self.dead_letters = await self._host.dead_letters.count()
        self.waiting, self.in_flight = waiting, in_flight
        before, self._before = self._before, _totals(self._host)
        self._samples.append(self._sample(before, self._before, slow))

    async def measure(self) -> None:
        """Measures the files."""
        if self._host.folder is not None:
            with suppress(OSError):
                self.disk = await asyncio.to_thread(_measured, self._host.folder)

    def _sample(self, before: _Totals, now: _Totals, slow: int) -> Sample:
        host = self._host
        seconds = max(1, now.at - before.at) * _MICRO
        archive = 0 if host.archiving is None else host.archiving.state().behind_octets
        return Sample(
            host.time(),
            max(0, now.accepted - before.accepted) / seconds,
            max(0, now.delivered - before.delivered) / seconds,
            self.waiting,
            self.in_flight,
            slow,
            self.dead_letters,
            self.disk.octets,
            self.disk.journal,
            archive,
            max(0.0, now.processor - before.processor) / seconds,
        )

    async def watch(self) -> None:
        """Looks for ever."""
        rounds = 0
        while True:
            if rounds % _MEASURE == 0:
                await self.measure()
            rounds += 1
            await asyncio.sleep(_SECONDS)
            await self.look()


def _totals(host: Host) -> _Totals:
    accepted = sum(channel.accepted for channel in host.channels.values())
    delivered = host.counts[Outcome.DELIVERED]
    return _Totals(monotonic_microseconds(), accepted, delivered, processor_seconds())


def _measured(folder: Path) -> Disk:
    """Beside the loop: the sizes of the files of a folder; those that end meanwhile count not."""
    sizes = list(_sizes(folder))
    journal = sum(size for name, size in sizes if name.endswith(".journal"))
    return Disk(sum(size for _, size in sizes), journal, shutil.disk_usage(folder).free)


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file():
                yield path.name, path.stat().st_size


class Series(Answer):
    """Samples, the oldest first; each list has one number for each sample."""

    model_config = examples(
        {
            "now": 1_793_613_600_000_000,
            "every": 5.0,
            "series": {"time": [1_793_613_598_000_000], "accepted": [20.4], "waiting": [3]},
        }
    )

    now: int = Field(description="The service's time, microseconds since 1970.")
    every: float = Field(description="How many seconds lie between two samples.")
    series: dict[str, list[float | int]] = Field(
        description="`time`, and at each time: rates a second of events `accepted` and copies "
        "`delivered`; copies `waiting` and `in_flight`; `slow` consumers; `dead_letters`; octets "
        "of the `disk`'s files, of the `journal`, and of it not in the `archive`; the "
        "`processor`s used."
    )


@router.get("/rates", summary="How it went over the last hour", response_model=Series)
async def see_rates(
    state: State,
    door: Door,
    after: Annotated[Id, Query(description="Only what is younger than this time.")] = 0,
) -> Response:
    """Rates, backlog, disk and processor of the whole service, for those who may inspect it."""
    door.require(door.operation, Verb.INSPECT, None)
    samples = state.part(Rates).after(after)
    series = {
        name: [round(one[at], 3) if isinstance(one[at], float) else one[at] for one in samples]
        for at, name in enumerate(Sample._fields)
    }
    found = Series(now=state.host.time(), every=_SECONDS, series=series)
    return Response(found.model_dump_json(), media_type="application/json")
