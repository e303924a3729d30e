"""What clients' frames hold: events one by one, and their marks."""

from __future__ import annotations

import pytest

from tidings.api.client_frames import PushFrame
from tidings.errors import InvalidEvent
from tidings.events.envelope import ProducerMark

EVENT = {"domain": "a", "type": "b"}


def test_numbers_count_up_from_the_first() -> None:
    frame = PushFrame(1, 1, 1, [EVENT] * 3, "p", 5)
    assert frame.producer_marks() == [ProducerMark("p", number) for number in (5, 6, 7)]
    assert PushFrame(1, 1, 1, [], "p", 5).producer_marks() == []
    assert PushFrame(1, 1, 1, [EVENT]).producer_marks() is None


@pytest.mark.parametrize(
    ("producer", "number"), [("", 1), ("x" * 257, 1), ("a\n", 1), ("p", 2**63 - 2)]
)
def test_marks_outside_the_rules_are_refused(producer: str, number: int) -> None:
    with pytest.raises(InvalidEvent):
        PushFrame(1, 1, 1, [EVENT] * 3, producer, number).producer_marks()
