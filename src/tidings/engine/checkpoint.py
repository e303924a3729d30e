"""What recovery needs beside waiting events: all objects, rules, marks and numbers as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tidings.channel.channel import Channel
from tidings.channel.effects import PlanChanged
from tidings.channel.factory import Factory
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.channel.snapshot import (
    State,
    admin_state,
    channel_state,
    last_id_state,
    proxy_state,
)
from tidings.engine.recording import HOST_ORIGIN, Recorder
from tidings.events.envelope import ProducerMark
from tidings.stores.payloads import checkpoint_payload, marks_payload, topology_payload
from tidings.stores.records import Kind, Record

Object: TypeAlias = tuple[int, str, str, State]
"""Channel, kind, key and state of an object, as `TopologyChanged` has them."""


def objects(factory: Factory) -> Iterator[Object]:
    """All objects that survive a crash, each as it is when it is asked for.

    Objects may change, come and go while this goes on; what is new is not among them.
    """
    hosted = factory.filters
    last_filter = max(hosted.last_id, hosted.reserved)
    yield 0, "factory", "channels", last_id_state(factory.last_channel)
    yield 0, "factory", "filters", last_id_state(last_filter)
    for one in list(hosted.filters.values()):
        if one.stored:
            yield 0, one.kind, str(one.id), one.state()
    for channel in list(factory.channels.values()):
        yield channel.id, "channel", str(channel.id), channel_state(channel)
        for side, admins in channel.admins.items():
            for admin in list(admins.values()):
                yield channel.id, "admin", f"{side.value}/{admin.id}", admin_state(admin)
        for proxy in list(channel.proxies.values()):
            if proxy.durable:
                yield channel.id, "proxy", str(proxy.id), proxy_state(proxy)


def topology_record(origin: bytes, one: Object) -> Record:
    """The record of an object."""
    return Record(Kind.TOPOLOGY, origin, 0, topology_payload(*one))


def framed(number: int, records: Sequence[Record]) -> list[Record]:
    """Records between those that say that a complete copy begins and ends."""
    first, last = (
        Record(Kind.CHECKPOINT, HOST_ORIGIN, number, checkpoint_payload(number, begins=begins))
        for begins in (True, False)
    )
    return [first, *records, last]


def channel_records(
    recorder: Recorder, channel: Channel, unwritten: Sequence[ProducerMark]
) -> Callable[[], list[Record]]:
    """A channel's numbers, rules and marks as they are now.

    Args:
        recorder: Makes records.
        channel: Which one.
        unwritten: Marks of events that are not in the journal yet: a producer that sends one of
            them again after a crash must not be told that it is.

    Returns:
        What makes the records, on the disk thread: large rules and many marks take their time.
    """
    origin = recorder.origins[channel.id]
    numbers = recorder.reserved(channel.reservation())
    plan = PlanChanged(channel.id, channel.plan.whole())
    marks = channel.marks.to_plain() if len(channel.marks) else None

    def make() -> list[Record]:
        records = [recorder.plan(plan), numbers]
        if marks is not None:
            plain = _without(marks, unwritten, channel.core.settings.limits)
            records.append(Record(Kind.MARK, origin, 0, marks_payload(plain)))
        return records

    return make


def _without(
    plain: list[list[object]], unwritten: Sequence[ProducerMark], limits: Limits
) -> list[list[object]]:
    if not unwritten:
        return plain
    marks = ProducerMarks.from_plain(plain, limits)
    for mark in unwritten:
        marks.forget(mark)
    return marks.to_plain()
