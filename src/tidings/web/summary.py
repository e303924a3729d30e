"""How the whole service is at this moment, for those who may inspect it."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from pydantic import Field

from tidings.api.forms import Answer
from tidings.engine.archiving import ArchivingState
from tidings.grants.model import Verb
from tidings.web.bodies import StrictRoute
from tidings.web.rates import Rates
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["overview"], route_class=StrictRoute)

_PROBLEMS: Final = 10


class ArchiveStatus(Answer):
    """The archive of the journal."""

    folder: str = Field(description="Where it is.")
    running: bool = Field(description="Whether its process runs.")
    error: str = Field(description="Why it stands still; empty if it does not.")
    seals: int = Field(description="How often files were finished since the start.")
    rows: int = Field(description="How many rows were then in the archive.")
    restarts: int = Field(description="How often its process was started again.")
    behind_octets: int = Field(description="What of the journal is not archived.")
    behind_seconds: float = Field(description="The age of the oldest of it.")
    problems: list[str] = Field(description="Damage of its manifest; at most ten lines.")


class DiskStatus(Answer):
    """The files of the service; measured twice a minute."""

    folder: str = Field(description="Where they are.")
    octets: int = Field(description="What they take.")
    journal: int = Field(description="What of them is the journal.")
    quota: int | None = Field(description="What the journal may take; null for no limit.")
    free: int = Field(description="What is free beside them.")
    error: str = Field(description="Why the disk refuses; empty if it does not.")


class Overview(Answer):
    """How the service is."""

    now: int = Field(description="The service's time, microseconds since 1970.")
    version: str = Field(description="Of Tidings.")
    ready: bool = Field(description="Whether it takes work.")
    reason: str = Field(description="Why it takes no work; empty if it does.")
    losses: str = Field(description="What damage in the journal has cost; empty for nothing.")
    channels: int = Field(description="How many there are.")
    accepted: int = Field(description="Events accepted by the channels there are.")
    waiting: int = Field(description="Copies of events that wait; at most five seconds old.")
    in_flight: int = Field(description="Copies handed over and not answered.")
    dead_letters: int = Field(description="How many there are.")
    websockets: int = Field(description="Open WebSockets.")
    tails: int = Field(description="Open streams of server-sent events.")
    corba: int | None = Field(description="Open CORBA connections; null if it serves no CORBA.")
    outcomes: dict[str, int] = Field(description="What became of copies since the start.")
    archive: ArchiveStatus | None = Field(description="The archive; null if there is none.")
    disk: DiskStatus | None = Field(description="The files; null if all is in memory.")
    warnings: list[str] = Field(description="What the settings leave open.")


@router.get("/overview", summary="The whole service at a glance")
async def see_overview(state: State, door: Door) -> Overview:
    """Readiness, sums, outcomes, archive and disk, for those who may inspect the service."""
    door.require(door.operation, Verb.INSPECT, None)
    host, counts, rates = state.host, state.counts, state.part(Rates)
    told = door.views.status()
    archive = None if host.archiving is None else _archive(host.archiving.state())
    return Overview(
        now=host.time(),
        version=told.version,
        ready=not state.not_ready,
        reason=state.not_ready,
        losses=told.losses,
        channels=told.channels,
        accepted=sum(channel.accepted for channel in host.channels.values()),
        waiting=rates.waiting,
        in_flight=rates.in_flight,
        dead_letters=rates.dead_letters,
        websockets=counts.websockets,
        tails=counts.tails,
        corba=None if counts.corba is None else counts.corba(),
        outcomes={outcome.name.lower(): n for outcome, n in sorted(host.counts.items())},
        archive=archive,
        disk=_disk(state, rates),
        warnings=list(told.warnings),
    )


def _archive(found: ArchivingState) -> ArchiveStatus:
    return ArchiveStatus(
        folder=str(found.folder),
        running=found.running,
        error=found.error,
        seals=found.seals,
        rows=found.rows,
        restarts=found.restarts,
        behind_octets=found.behind_octets,
        behind_seconds=round(found.behind_seconds, 1),
        problems=list(found.problems[:_PROBLEMS]),
    )


def _disk(state: WebState, rates: Rates) -> DiskStatus | None:
    host = state.host
    if host.folder is None:
        return None
    return DiskStatus(
        folder=str(host.folder),
        octets=rates.disk.octets,
        journal=rates.disk.journal,
        quota=host.housekeeping.disk_quota,
        free=rates.disk.free,
        error="" if host.disk_error is None else str(host.disk_error),
    )
