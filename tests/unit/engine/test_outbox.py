from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.recorded_answers import message
from tidings.channel.entries import Entry
from tidings.engine.outbox import REFUSED, Outbox, Ticket

KEY = (1, 7)


def test_what_waits_for_nothing_leaves_at_once() -> None:
    outbox = Outbox()
    left: list[int] = []
    outbox.put(KEY, partial(left.append, 1), 0, [])
    assert left == [1]
    assert not outbox.lines


def test_nothing_overtakes_within_one_consumer() -> None:
    outbox = Outbox()
    left: list[int] = []
    first = outbox.put(KEY, partial(left.append, 1), 2, [])
    outbox.put(KEY, partial(left.append, 2), 0, [])
    outbox.put((1, 8), partial(left.append, 3), 0, [])
    assert left == [3]
    outbox.ready(first)
    assert left == [3]
    outbox.ready(first)
    assert left == [3, 1, 2]
    assert not outbox.lines


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=15), st.randoms())
def test_each_consumer_gets_its_things_in_order_and_all_of_them(
    things: list[tuple[int, int]], random: object
) -> None:
    outbox = Outbox()
    left: list[tuple[int, int]] = []
    due: list[Ticket] = []
    for number, (proxy, waits) in enumerate(things):
        ticket = outbox.put((1, proxy), partial(left.append, (proxy, number)), waits, [])
        due += [ticket] * waits
    random.shuffle(due)  # type: ignore[attr-defined]
    for ticket in due:
        outbox.ready(ticket)
    for proxy in range(3):
        mine = [number for whose, number in left if whose == proxy]
        assert mine == [number for number, (whose, _) in enumerate(things) if whose == proxy]
    assert not outbox.lines


def test_what_was_never_accepted_is_taken_out_wherever_it_waits() -> None:
    outbox = Outbox()
    waiting: list[list[Any]] = [[message(1), message(2)], [message(2), 5], [message(2)]]
    for proxy, messages in zip((7, 8), waiting[:2], strict=True):
        outbox.put((1, proxy), lambda: None, 1, messages)
    outbox.put((2, 7), lambda: None, 1, waiting[2])
    outbox.withdraw(1, {2, 5})
    assert [m if m is REFUSED or isinstance(m, int) else m.seq for m in waiting[0]] == [1, REFUSED]
    assert waiting[1] == [REFUSED, 5]
    assert waiting[2] != [REFUSED]


def test_what_is_called_back_never_leaves() -> None:
    outbox = Outbox()
    left: list[int] = []
    entries = [Entry(0, seq, 0, 0, 0) for seq in (4, 5)]
    ticket = outbox.put(KEY, partial(left.append, 1), 1, [4, 5], entries)
    outbox.put(KEY, partial(left.append, 2), 0, [6], [Entry(0, 6, 0, 0, 0)])
    assert outbox.recall((1, 8)) == []
    assert outbox.recall(KEY) == [4, 5, 6]
    outbox.ready(ticket)
    assert left == []
    assert not outbox.lines
