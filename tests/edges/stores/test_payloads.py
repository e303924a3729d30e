"""Payloads of journal records: what is written comes back, anything else is refused by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.stores.sample_payloads import EVENT, EVENTS, LETTER, LETTERS, PROXIES, TEXTS
from tidings.channel.effects import Outcome
from tidings.errors import BadInput, StoreError
from tidings.stores import payloads
from tidings.stores.payloads import MOST_SEQS, StoredDeadLetter, StoredEvent

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | PROXIES, inner, max_size=3),
    max_leaves=8,
)
STATES = st.dictionaries(TEXTS | PROXIES, PLAIN, max_size=4)
OUTCOME = payloads.outcome_payload(2, Outcome.DELIVERED, [5, 6, 9], 7)
TOPOLOGY = payloads.topology_payload(1, "proxy", "2", {"a": [1]})
DECODERS: list[tuple[str, Callable[[bytes], Any], bytes]] = [
    ("an event", payloads.stored_event, payloads.event_payload(EVENT)),
    ("an outcome", payloads.stored_outcome, OUTCOME),
    ("a dead letter", payloads.stored_dead, payloads.dead_payload(LETTER)),
    ("a removed dead letter", payloads.stored_dead_gone, payloads.dead_gone_payload(2, 9)),
    ("a checkpoint", payloads.stored_checkpoint, payloads.checkpoint_payload(3, begins=True)),
    ("dropped events", payloads.stored_dropped, payloads.dropped_payload(3)),
    ("a topology", payloads.stored_topology, TOPOLOGY),
    ("a plan", payloads.stored_plan, payloads.plan_payload({"version": 3})),
    ("producer marks", payloads.stored_marks, payloads.marks_payload([["gate", 1, 2]])),
]


def same(first: object, second: object) -> bool:
    """Equality under which NaN equals itself, and 1 is not True."""
    return repr(first) == repr(second)


@given(EVENTS)
def test_events_come_back(event: StoredEvent) -> None:
    payload = payloads.event_payload(event)
    assert payloads.stored_event(payload) == event
    assert payloads.event_octets_of(payload) == event.octets
    assert payloads.arrival_of(payload) == event.arrival


@given(
    PROXIES,
    st.sampled_from(Outcome),
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.integers(-(2**63), 2**63 - 1),
)
def test_outcomes_come_back_in_their_order(
    proxy: int, outcome: Outcome, seqs: list[int], at: int
) -> None:
    written = payloads.outcome_payload(proxy, outcome, seqs, at)
    found = payloads.stored_outcome(written)
    assert (found.proxy, found.outcome, list(found.seqs), found.at) == (proxy, outcome, seqs, at)
    assert isinstance(found.outcome, Outcome)
    untimed = payloads.stored_outcome(b"\1" + written[1:6] + written[14:])
    assert (list(untimed.seqs), untimed.at) == (seqs, None)


@pytest.mark.parametrize("seqs", [[], [-1], [3, -1], [2**64], range(MOST_SEQS + 1)])
def test_seqs_that_no_record_takes(seqs: list[int]) -> None:
    with pytest.raises(BadInput, match="outcome"):
        payloads.outcome_payload(1, Outcome.DELIVERED, seqs, 7)


@pytest.mark.parametrize(
    "runs", [[], [5], [5, 0], [5, -1], [5, MOST_SEQS + 1], [-5, 2], [5, 2, -9, 1], ["5", 2]]
)
def test_runs_that_make_no_sense(runs: list[object]) -> None:
    head = payloads.outcome_payload(1, Outcome.DELIVERED, [1], 7)[:14]
    with pytest.raises(StoreError, match="an outcome"):
        payloads.stored_outcome(head + msgspec.msgpack.encode(runs))


@given(
    LETTERS, st.integers(0, 2**31), TEXTS, TEXTS, st.none() | STATES, st.lists(PLAIN, max_size=4)
)
def test_everything_else_comes_back(
    letter: StoredDeadLetter,
    channel: int,
    kind: str,
    key: str,
    state: dict[Any, Any] | None,
    marks: list[Any],
) -> None:
    assert payloads.stored_dead(payloads.dead_payload(letter)) == letter
    found = payloads.stored_topology(payloads.topology_payload(channel, kind, key, state))
    assert same(found, (channel, kind, key, state))
    assert same(payloads.stored_plan(payloads.plan_payload(state or {})), state or {})
    assert same(payloads.stored_marks(payloads.marks_payload(marks)), marks)


@pytest.mark.parametrize(
    ("value", "says"),
    [(2**64, "has a whole number of more than 64 bits"), (-(2**63) - 1, "has a whole number"),
     (object(), "does not fit"), ("\ud800", "does not fit")],
)  # fmt: skip
def test_what_is_no_plain_data_is_refused_by_name(value: object, says: str) -> None:
    with pytest.raises(BadInput, match=f"the proxy '2' {says}"):
        payloads.topology_payload(1, "proxy", "2", {"a": [value]})
    with pytest.raises(BadInput, match=f"a plan {says}"):
        payloads.plan_payload({"a": value})


@pytest.mark.parametrize(
    "change",
    [{"durable": (-1,)}, {"durable": (2**32,)}, {"priority": 2**31}, {"expiry": 2**63},
     {"flags": 256}, {"plan": -1}, {"producer": "\ud800"}, {"producer": "x" * 70_000},
     {"hops": ("AB" * 16,)}, {"hops": ("ab" * 15,)}, {"hops": ("no hexadecimal digits",)},
     {"views": {1: (2**63, 0)}}],
)  # fmt: skip
def test_what_does_not_fit_an_event_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="an event does not fit a journal record"):
        payloads.event_payload(EVENT._replace(**change))


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadInput, match="a dead letter"):
        payloads.dead_payload(LETTER._replace(proxy=-1))
    with pytest.raises(BadInput, match="a removed dead letter"):
        payloads.dead_gone_payload(-1, 1)
    with pytest.raises(BadInput, match="a checkpoint"):
        payloads.checkpoint_payload(-1, begins=True)
    with pytest.raises(BadInput, match="dropped events"):
        payloads.dropped_payload(-1)


@pytest.mark.parametrize(("name", "decode", "payload"), DECODERS)
def test_a_payload_cut_anywhere_with_junk_behind_or_of_another_format_is_refused(
    name: str, decode: Callable[[bytes], Any], payload: bytes
) -> None:
    decode(payload)
    for spoilt in [*(payload[:end] for end in range(len(payload))), payload + b"\0"]:
        with pytest.raises(StoreError, match=name):
            decode(spoilt)
    with pytest.raises(StoreError, match=f"{name} in the journal has format 3.*knows 1"):
        decode(b"\3" + payload[1:])


@given(st.sampled_from(DECODERS), st.data())
def test_changed_octets_are_accepted_or_refused(
    decoder: tuple[str, Callable[[bytes], Any], bytes], data: st.DataObject
) -> None:
    _, decode, payload = decoder
    spoilt = bytearray(payload)
    for at in data.draw(st.lists(st.integers(0, len(payload) - 1), max_size=4)):
        spoilt[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(StoreError):
        decode(bytes(spoilt))


def test_a_producer_that_is_no_text_is_refused() -> None:
    payload = bytearray(payloads.event_payload(EVENT))
    payload[payload.index(b"gate")] = 0xFF
    with pytest.raises(StoreError, match=r"an event.*utf-8"):
        payloads.stored_event(bytes(payload))


def test_the_quick_ways_into_an_event_refuse_what_they_cannot_read() -> None:
    payload = payloads.event_payload(EVENT._replace(octets=b"x" * 200))
    for end in (0, 1, 60, 66, 150):
        with pytest.raises(StoreError, match="an event"):
            payloads.event_octets_of(payload[:end])
    with pytest.raises(StoreError, match="format 9"):
        payloads.event_octets_of(b"\x09" + payload[1:])
    assert (
        payloads.arrival_of(b"") == payloads.arrival_of(bytes(10)) == 0
    )  # what is no event has arrived in 1970
