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
    """Return records between those that mark the begin and end of a complete copy."""
    first, last = (
        Record(Kind.CHECKPOINT, HOST_ORIGIN, number, checkpoint_payload(number, begins=begins))
        for begins in (True, False)
    )
    return [first, *records, last]


def channel_records(
    recorder: Recorder, channel: Channel, unwritten: Sequence[ProducerMark]
) -> Callable[[], list[Record]]:
    """Capture a channel's numbers, rules and marks; return what makes their records.

    Call the result on the disk thread: large rules and many marks take time. `unwritten` are marks
    of events that are not in the journal yet: if their producer resends them after a crash, they
    must not count as duplicates.
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
