from __future__ import annotations

import pytest

from tests.unit.channel.machine import Machine
from tidings.channel import commands as c
from tidings.channel.answers import MAX_REASON
from tidings.channel.effects import DeadLetter

REASONS: list[tuple[object, str]] = [
    ("no such file \udcff", "no such file \\udcff"),
    (5, "5"),
    (None, "None"),
    ("x" * (MAX_REASON + 1), "x" * MAX_REASON),
]


@pytest.mark.parametrize(("reason", "kept"), REASONS)
def test_what_is_kept_of_a_reason_can_be_written_down(reason: str, kept: str) -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    machine.push("a")
    machine.fail(consumer, 1, reason=reason)
    machine.wait(1_000_000)
    machine.do(c.Reject(machine.channel, consumer, [1], reason))
    [letter] = machine.of(DeadLetter)
    assert [cause.reason for cause in letter.causes] == [kept, kept]
