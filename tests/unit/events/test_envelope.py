from __future__ import annotations

from dataclasses import replace

import pytest

from tidings.errors import InvalidEvent
from tidings.events.build import event
from tidings.events.envelope import MAX_HOPS, Envelope, ProducerMark, TraceContext

ORIGIN = "0af7651916cd43dd8448eb211c80319c"
ENVELOPE = Envelope(event("A", "B"), ORIGIN, 1, 0)
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"origin": "x"}, "origin"),
        ({"origin": ORIGIN.upper()}, "origin"),
        ({"hops": (ORIGIN, "x")}, "origin"),
        ({"hops": (ORIGIN,) * (MAX_HOPS + 1)}, "hops"),
        ({"seq": 0}, "seq"),
        ({"seq": 2**63}, "seq"),
        ({"arrival": 2**63}, "arrival"),
        ({"arrival": -(2**63) - 1}, "arrival"),
        ({"plan": -1}, "plan"),
        ({"plan": 2**63}, "plan"),
    ],
)
def test_what_is_no_envelope(changes: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidEvent) as caught:
        replace(ENVELOPE, **changes)  # type: ignore[arg-type]
    assert caught.value.where == where


def test_the_edges_are_inside() -> None:
    edge = 2**63 - 1
    full = (ORIGIN,) * MAX_HOPS
    made = Envelope(event("A", "B"), ORIGIN, edge, -(2**63), edge, ProducerMark("p", edge), full)
    assert made.seq == made.plan == edge


@pytest.mark.parametrize("producer", ["", "a" * 257, "a\nb", "\ud800", "\x7f", "\ufffe"])
def test_a_producer_has_a_readable_name(producer: str) -> None:
    with pytest.raises(InvalidEvent, match="1 to 256 characters"):
        ProducerMark(producer, 1)


@pytest.mark.parametrize("number", [-1, 2**63, 1.5, True, "1", None])
def test_a_producers_number_has_63_bits(number: int) -> None:
    with pytest.raises(InvalidEvent, match="number"):
        ProducerMark("é 😀", number)


@pytest.mark.parametrize("parent", ["", TRACEPARENT.upper(), TRACEPARENT + "\n", TRACEPARENT[1:]])
def test_a_traceparent_has_its_form(parent: str) -> None:
    with pytest.raises(InvalidEvent, match="traceparent"):
        TraceContext(parent)


@pytest.mark.parametrize("state", ["\t", "é", "\n", "a" * 8193])
def test_a_tracestate_is_printable(state: str) -> None:
    with pytest.raises(InvalidEvent, match="tracestate"):
        TraceContext(TRACEPARENT, state)


def test_a_trace_is_carried_unread() -> None:
    assert TraceContext(TRACEPARENT, "a=1, b=2").tracestate == "a=1, b=2"
