"""Metrics for Prometheus: by channel and by admin, never by proxy, of which there may be many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from tidings.admission import Admission
from tidings.channel.views import ChannelInfo
from tidings.engine.archiving import ArchivingState
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.turns import Turns
from tidings.errors import Forbidden
from tidings.web.looking import channels, consumers
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["overview"])

_MICRO: Final = 1e-6


@dataclass(slots=True)
class _Seen:
    """What one scrape has seen, in sums."""

    channels: list[ChannelInfo] = field(default_factory=list)
    waiting: Counter[tuple[int, int]] = field(default_factory=Counter)
    in_flight: Counter[tuple[int, int]] = field(default_factory=Counter)
    copies: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    disk_octets: int | None = None
    archive: ArchivingState | None = None
    service: bool = False


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=Response,
    responses={
        200: {
            "description": "The metrics in Prometheus' text format.",
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": 'tidings_events_accepted_total{channel="auctions"} 1042.0\n',
                }
            },
        }
    },
)
async def metrics(state: State, door: Door) -> Response:
    """What the service does, by channel and by consumer admin.

    Channels go by their names, those without one by `#` and their id. `GET /v1/top` has single
    proxies. Whoever may inspect the service sees everything, others the channels and consumers that
    they may see; without any, the answer is 403.
    """
    seen = await _look(state, door)
    text, turns = [], Turns()
    for family in _families(state, seen):
        text.append(_written(family))
        await turns.give()
    return Response(b"".join(text), media_type=CONTENT_TYPE_LATEST)


async def _look(state: WebState, door: LocalDoor) -> _Seen:
    host, seen = state.host, _Seen()
    seen.channels = [one async for one in channels(door)]
    seen.service = door.views.oversees
    if not (seen.channels or seen.service):
        raise Forbidden("the metrics need `inspect` on the service, or a right on a channel")
    async for consumer in consumers(host, door, oldest=False):
        place = (consumer.channel, consumer.admin)
        seen.waiting[place] += consumer.waiting
        seen.in_flight[place] += consumer.in_flight
        for outcome, count in consumer.counts.items():
            seen.copies[*place, outcome] += count
    if host.folder is not None and seen.service:
        seen.disk_octets = await host.submit(partial(_octets, host.folder))
    if host.archiving is not None:
        seen.archive = host.archiving.state()
    return seen


def _octets(folder: Path) -> int:
    """On the disk thread: what the files of a folder take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class _One(Collector):
    """Hands one family to the library that writes it."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def _written(family: Metric) -> bytes:
    registry = CollectorRegistry()
    registry.register(_One(family))
    return generate_latest(registry)


Samples: TypeAlias = float | Mapping[Any, float]
"""One value, or values by the labels they have, a tuple of texts."""


def _gauge(name: str, told: str, samples: Samples, *labels: str) -> Metric:
    return _filled(GaugeMetricFamily(f"tidings_{name}", told, labels=labels), samples)


def _counter(name: str, told: str, samples: Samples, *labels: str) -> Metric:
    return _filled(CounterMetricFamily(f"tidings_{name}", told, labels=labels), samples)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, samples: Samples) -> Metric:
    found = samples if isinstance(samples, Mapping) else {(): samples}
    for labels, value in found.items():
        family.add_metric(labels, float(value))
    return family


def _families(state: WebState, seen: _Seen) -> Iterator[Metric]:
    yield from _of_channels(seen)
    yield from _of_consumers(seen)
    if seen.service:
        yield from _of_service(state, seen)


def _of_service(state: WebState, seen: _Seen) -> Iterator[Metric]:
    yield from _of_host(state.host, seen)
    if seen.archive is not None:
        yield from _of_archive(seen.archive)
    counts = state.counts
    yield _counter("events_rejected", "Pushed events that were refused.", counts.rejected)
    yield _gauge("websockets", "Open WebSockets.", counts.websockets)
    yield _gauge("tails", "Open tails (server-sent events).", counts.tails)
    yield _gauge("streams", "Open tails and uploads of lines.", counts.streams)
    if counts.corba is not None:
        yield _gauge("corba_connections", "Open CORBA connections.", counts.corba())
    if counts.looped is not None:
        told = "Pushes that were dropped: their events had come back to the channel."
        yield _counter("corba_pushes_looped", told, counts.looped())
    yield from _of_connections(counts.admissions)
    yield from _of_operations(state.host)
    yield _gauge("unnamed_proxies", "Proxies that end when nobody uses them.", len(state.lifetimes))
    yield _gauge("ready", "1 if the service takes work.", not state.not_ready)


def _of_operations(host: Host) -> Iterator[Metric]:
    log, trail = host.operations, host.trail
    yield _counter(
        "operations", "Operations, by name and result.", log.counts, "operation", "result"
    )
    told = "What callers may not do or know of, by door and the code of the error."
    yield _counter("refusals", told, log.refusals, "door", "code")
    told = "Of them, callers that did not show who they are."
    yield _counter("failed_logins", told, log.failed_logins, "door", "code")
    if trail is not None:
        yield _gauge("trail_failing", "1 if the audit trail is not written.", bool(trail.problem))
        yield _counter("trail_missed", "Lines that are missing from its file.", trail.missed)


def _of_connections(doors: Mapping[str, Admission]) -> Iterator[Metric]:
    open_now = {(door, "no"): one.unauthenticated for door, one in doors.items()}
    open_now |= {(door, "yes"): one.count - one.unauthenticated for door, one in doors.items()}
    told = "Open connections of clients."
    yield _gauge("connections", told, open_now, "door", "authenticated")
    most = {(door,): one.limits.most for door, one in doors.items()}
    yield _gauge("connections_limit", "How many there may be.", most, "door")
    gave_way = {(door,): one.gave_way for door, one in doors.items()}
    yield _counter("connections_gave_way", "Closed to make room for others.", gave_way, "door")
    refused = {(door,): one.refused for door, one in doors.items()}
    yield _counter("connections_refused", "Refused: all others had work.", refused, "door")


def _of_channels(seen: _Seen) -> Iterator[Metric]:
    found = {_label(channel): channel for channel in seen.channels}
    accepted = {(label,): one.accepted for label, one in found.items()}
    told = "Events accepted since the channel was made."
    yield _counter("events_accepted", told, accepted, "channel")
    waiting = {(label,): one.waiting for label, one in found.items()}
    yield _gauge("events_waiting", "Events that wait for somebody.", waiting, "channel")
    proxies = {(label, "supplier"): one.suppliers for label, one in found.items()}
    proxies |= {(label, "consumer"): one.consumers for label, one in found.items()}
    yield _gauge("proxies", "Proxies.", proxies, "channel", "side")


def _of_consumers(seen: _Seen) -> Iterator[Metric]:
    labels = {channel.id: _label(channel) for channel in seen.channels}

    def named(counts: Mapping[tuple[Any, ...], int]) -> dict[tuple[str, ...], float]:
        return {
            (labels[channel], *map(str, rest)): count
            for (channel, *rest), count in counts.items()
            if channel in labels
        }

    place = ("channel", "admin")
    told = "Copies of events that wait, of the consumers there are."
    yield _gauge("consumer_waiting", told, named(seen.waiting), *place)
    told = "Copies handed over and not answered."
    yield _gauge("consumer_in_flight", told, named(seen.in_flight), *place)
    told = "What became of copies of events, of the consumers there are."
    yield _gauge("consumer_copies", told, named(seen.copies), *place, "outcome")


def _of_host(host: Host, seen: _Seen) -> Iterator[Metric]:
    settled = {(outcome.name.lower(),): count for outcome, count in host.counts.items()}
    yield _counter("copies", "What became of copies of events since the start.", settled, "outcome")
    filters, channels = host.filters, host.channels.values()
    yield _gauge("channels", "Channels.", len(channels))
    named = sum(len(channel.names) for channel in channels)
    yield _gauge("named_proxies", "Subscriptions and other proxies with a name.", named)
    yield _gauge("filters", "Filters and mapping filters.", len(filters.filters))
    yield _gauge("filters_unheld", "Those that no admin or proxy holds.", len(filters.unheld))
    yield _counter("filters_collected", "Those that ended so, unused.", filters.unheld.collected)
    unattended = host.unattended
    yield _gauge("proxies_unattended", "Proxies whose client cannot be called.", len(unattended))
    yield _counter("proxies_collected", "Those that ended so, unused.", unattended.collected)
    watchdog = host.watchdog
    yield _counter("loop_blocks", "How often something held up the loop.", watchdog.blocks)
    yield _gauge("loop_longest_block_seconds", "The longest of them.", watchdog.longest * _MICRO)
    yield _gauge("content_octets", "Content of events in memory only.", host.content_octets)
    yield _gauge("losses", "What damage in the journal has cost.", host.losses.count)
    yield _gauge("disk_refuses", "1 if the disk takes nothing.", host.disk_error is not None)
    yield _gauge("disk_jobs", "What waits for the disk.", host.disk_jobs)
    if seen.disk_octets is not None:
        yield _gauge("disk_octets", "What the service's files take.", seen.disk_octets)
    quota = host.housekeeping.disk_quota
    if quota is not None:
        yield _gauge("disk_quota_octets", "What the journal may take.", quota)


def _of_archive(archive: ArchivingState) -> Iterator[Metric]:
    yield _counter("archive_seals", "Times files were finished in the archive.", archive.seals)
    yield _counter("archive_rows", "Rows that were then in the archive.", archive.rows)
    told = "Times the archive's process was started again."
    yield _counter("archive_restarts", told, archive.restarts)
    told = "What of the journal is not archived."
    yield _gauge("archive_behind_octets", told, archive.behind_octets)
    yield _gauge("archive_behind_seconds", "The age of the oldest of it.", archive.behind_seconds)
    told = "How long the list of its files is."
    yield _gauge("archive_manifest_octets", told, archive.manifest_octets)
    told = "Lines of the manifest that are damaged."
    yield _gauge("archive_damaged_lines", told, len(archive.problems))
    yield _gauge("archive_failing", "1 if the archive stands still.", bool(archive.error))


def _label(channel: ChannelInfo) -> str:
    """A name that could be taken for an id is not used."""
    named = channel.name and not channel.name.startswith("#")
    return channel.name if named else f"#{channel.id}"
