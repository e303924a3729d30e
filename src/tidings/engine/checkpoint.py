"""What recovery needs beside waiting events and objects: rules, marks and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidings.channel.channel import Channel
from tidings.channel.effects import PlanChanged
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.engine.recording import HOST_ORIGIN, Recorder
from tidings.events.envelope import ProducerMark
from tidings.stores.payloads import checkpoint_payload, marks_payload
from tidings.stores.records import Kind, Record


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
