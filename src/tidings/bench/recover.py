"""`tidings bench recover`: a service starts again with very many events that wait.

Channel and consumers are made by a service; the records of the events are then appended to its
journal directly, as a service would have written them (which is checked with a few that one
has). A fresh process opens the folder, all consumers come back at once, and each waits for its
first event, which must be the right one. Series are the time from the start of opening until
the last consumer has it, and the most memory the process had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

from tidings.bench.harness import (
    PRODUCER,
    Figures,
    Progress,
    bench_folder,
    demand,
    in_fresh_process,
    local_service,
    sample_event,
    silent,
    stored_payload,
)
from tidings.engine.recovery import JOURNAL
from tidings.events.codecs.json_codec import encode_event
from tidings.events.structured import StructuredEvent
from tidings.stores.journal import Journal
from tidings.stores.payloads import StoredEvent, stored_event
from tidings.stores.records import Kind, Record

_CHANNEL: Final = "recovered"
_WINDOW: Final = 10
# Contents repeat after so many events; no multiple of the number of priorities or consumers.
_CONTENTS: Final = 997
_AT_ONCE: Final = 1_000
_CONNECTING: Final = 500
_MOST_SECONDS: Final = 15.0
_MOST_OCTETS: Final = 1_000_000_000


class Prepared(NamedTuple):
    """A folder in which events wait; number `n` is for the proxy at ``n % len(proxies)``."""

    folder: Path
    events: int
    proxies: tuple[int, ...]
    origin: bytes
    plan: int


class _Resumed(NamedTuple):
    """What the fresh process measured, in seconds and octets, and who got which event first."""

    opening: float
    whole: float
    processor: float
    peak: int
    first: list[int]


def run(
    *,
    events: int = 1_000_000,
    proxies: Sequence[int] = (10_000, 10),
    folder: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench for each number of consumers that the waiting events are spread over.

    The data is in a folder that is removed afterwards, inside `folder` or the working directory.
    """
    figures = Figures()
    with bench_folder(folder or Path.cwd()) as made:
        asyncio.run(check_sample(made / "sample"))
        for count in proxies:
            progress(f"recover: preparing {events:,} events for {count:,} consumers")
            prepared = asyncio.run(prepare(made / str(count), events, count))
            progress("recover: starting again")
            _report(figures, prepared, in_fresh_process(_resume, prepared))
    return figures.report("recover")


async def prepare(folder: Path, events: int, proxies: int) -> Prepared:
    """Makes a folder in which events wait."""
    async with local_service(folder) as (host, client):
        channel = await client.create_channel(_CHANNEL, persistent=True)
        for group in _groups(range(proxies)):
            made = (
                client.subscribe(channel, f"$area == {n}", name=_name(n), window=_WINDOW)
                for n in group
            )
            await asyncio.gather(*made)
        core = host.channels.find(channel.id)
        ids = tuple(core.names[_name(number)] for number in range(proxies))
        prepared = Prepared(folder, events, ids, bytes.fromhex(core.origin), core.plan.version)
    with Journal.open(folder / JOURNAL) as journal:
        records = _records(prepared)
        while batch := list(islice(records, _AT_ONCE)):
            journal.append(batch)
    return prepared


def _name(number: int) -> str:
    return f"consumer-{number}"


def _groups(numbers: range) -> Iterator[range]:
    for at in range(0, len(numbers), _CONNECTING):
        yield numbers[at : at + _CONNECTING]


def _records(prepared: Prepared) -> Iterator[Record]:
    """The records of all events, in the order of their numbers."""
    proxies = prepared.proxies
    contents = [sample_event(number) for number in range(min(_CONTENTS, prepared.events))]
    priorities = [_priority(event) for event in contents]
    octets = [encode_event(event) for event in contents]
    for number in range(prepared.events):
        content, recipient = number % _CONTENTS, proxies[number % len(proxies)]
        payload = stored_payload(
            octets[content], number + 1, prepared.plan, priorities[content], (recipient,)
        )
        yield Record(Kind.EVENT, prepared.origin, number + 1, payload)


def _priority(event: StructuredEvent) -> int:
    priority = event.header["Priority"]
    assert isinstance(priority, int)
    return priority


async def check_sample(folder: Path, count: int = 5) -> None:
    """Demand that prepared records equal those of a service but for the time of arrival."""
    async with local_service(folder) as (host, client):
        channel = await client.create_channel(_CHANNEL, persistent=True)
        consumer = await client.subscribe(channel, name=_name(0), manual_ack=True)
        publisher = await client.publisher(channel, producer=PRODUCER)
        await publisher.publish_many(sample_event(number) for number in range(count))
        core = host.channels.find(channel.id)
        origin, plan = bytes.fromhex(core.origin), core.plan.version
    prepared = Prepared(folder, count, (consumer.proxy,), origin, plan)
    with Journal.open(folder / JOURNAL) as journal:
        written = [entry.record for entry in journal.read() if entry.record.kind == Kind.EVENT]
    demand(
        [_without_arrival(record) for record in written]
        == [_without_arrival(record) for record in _records(prepared)],
        "what is prepared is not what a service writes",
    )


def _without_arrival(record: Record) -> tuple[bytes, int, StoredEvent]:
    return record.channel, record.seq, stored_event(record.payload)._replace(arrival=0)


def first_expected(prepared: Prepared) -> list[int]:
    """The number of the event that each consumer should get first: the oldest most urgent."""
    count = len(prepared.proxies)
    priorities = [_priority(sample_event(number)) for number in range(_CONTENTS)]
    found: list[int] = []
    for consumer in range(count):
        own = range(consumer, prepared.events, count)
        best = max(own, key=lambda number: (priorities[number % _CONTENTS], -number), default=-1)
        found.append(best + 1)
    return found


def _resume(prepared: Prepared) -> _Resumed:
    return asyncio.run(_resumed(prepared))


async def _resumed(prepared: Prepared) -> _Resumed:
    start, started = perf_counter(), process_time()
    async with local_service(prepared.folder) as (_, client):
        opening = perf_counter() - start
        channel = await client.channel(_CHANNEL)
        subscriptions = []
        for group in _groups(range(min(len(prepared.proxies), prepared.events))):
            subscriptions += await asyncio.gather(
                *(client.subscribe(channel, name=_name(n), window=_WINDOW) for n in group)
            )
        first = [(await anext(subscription)).seq for subscription in subscriptions]
        whole, processor = perf_counter() - start, process_time() - started
        return _Resumed(opening, whole, processor, peak_octets(), first)


def peak_octets() -> int:
    """The most memory this process has had."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1_024
    raise AssertionError("this system does not tell how much memory a process has had")


def _report(figures: Figures, prepared: Prepared, resumed: _Resumed) -> None:
    expected = [seq for seq in first_expected(prepared) if seq]
    demand(resumed.first == expected, "a consumer's first event is not the one that comes first")
    name = f"{prepared.events} events, {len(prepared.proxies)} consumers"
    figures.figure(f"{name}: opening", resumed.opening, "s")
    figures.at_most(f"{name}: all have their first event", resumed.whole, "s", _MOST_SECONDS)
    figures.figure(f"{name}: processor time until then", resumed.processor, "s")
    figures.at_most(f"{name}: most memory", resumed.peak / 1e6, "MB", _MOST_OCTETS / 1e6)
