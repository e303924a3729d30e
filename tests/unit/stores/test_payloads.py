from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stores.sample_payloads import EVENT, LETTER, LETTERS, PROXIES, TEXTS
from tidings.channel.effects import Outcome
from tidings.errors import BadInput, StoreError
from tidings.stores.payloads import (
    MOST_SEQS,
    StoredDeadLetter,
    checkpoint_payload,
    dead_gone_payload,
    dead_payload,
    dropped_payload,
    event_payload,
    marks_payload,
    outcome_payload,
    plan_payload,
    stored_checkpoint,
    stored_dead,
    stored_dead_gone,
    stored_dropped,
    stored_event,
    stored_marks,
    stored_outcome,
    stored_plan,
    stored_topology,
    topology_payload,
)

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | PROXIES, inner, max_size=3),
    max_leaves=8,
)
STATES = st.dictionaries(TEXTS | PROXIES, PLAIN, max_size=4)

DECODERS: list[tuple[str, Callable[[bytes], Any], bytes]] = [
    ("an event", stored_event, event_payload(EVENT)),
    ("an outcome", stored_outcome, outcome_payload(2, Outcome.DELIVERED, [5, 6, 9], 7)),
    ("a dead letter", stored_dead, dead_payload(LETTER)),
    ("a removed dead letter", stored_dead_gone, dead_gone_payload(2, 9)),
    ("a checkpoint", stored_checkpoint, checkpoint_payload(3, begins=True)),
    ("dropped events", stored_dropped, dropped_payload(3)),
    ("a topology", stored_topology, topology_payload(1, "proxy", "2", {"a": [1]})),
    ("a plan", stored_plan, plan_payload({"version": 3})),
    ("producer marks", stored_marks, marks_payload([["gate", 1, 2]])),
]
IDS = [name for name, _, _ in DECODERS]


def same(first: object, second: object) -> bool:
    """Equality under which NaN equals itself, and 1 is not True."""
    return repr(first) == repr(second)


@given(
    PROXIES,
    st.sampled_from(Outcome),
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.integers(-(2**63), 2**63 - 1),
)
def test_outcomes_come_back_in_their_order(
    proxy: int, outcome: Outcome, seqs: list[int], at: int
) -> None:
    found = stored_outcome(outcome_payload(proxy, outcome, seqs, at))
    assert (found.proxy, found.outcome, list(found.seqs), found.at) == (proxy, outcome, seqs, at)
    assert isinstance(found.outcome, Outcome)


def test_an_outcome_of_format_1_has_no_time() -> None:
    payload = bytes([1, Outcome.EXPIRED, 0, 0, 0, 2]) + msgspec.msgpack.encode([5, 2, 2, 1])
    assert stored_outcome(payload) == (2, Outcome.EXPIRED, (5, 6, 9), None)
    with pytest.raises(StoreError, match="has format 3; this version of Tidings knows 1 to 2"):
        stored_outcome(bytes([3]) + payload[1:])


def test_a_time_that_no_outcome_takes() -> None:
    with pytest.raises(BadInput, match="outcome"):
        outcome_payload(1, Outcome.DELIVERED, [1], 2**63)


def test_runs_of_an_outcome_are_short_and_large_numbers_fit() -> None:
    run = range(2**62, 2**62 + 100_000)
    payload = outcome_payload(1, Outcome.EXPIRED, run, 7)
    assert len(payload) < 33
    assert stored_outcome(payload).seqs == tuple(run)
    every_third = list(range(1, 3_000, 3))
    assert len(outcome_payload(1, Outcome.DELIVERED, every_third, 7)) < 2 * len(every_third) + 28
    two_runs = [*range(5, 1_000), *range(2_000, 9_000)]
    assert len(outcome_payload(1, Outcome.DELIVERED, two_runs, 7)) < 38


@pytest.mark.parametrize("seqs", [[], [-1], [3, -1], [2**64], range(MOST_SEQS + 1)])
def test_seqs_that_no_record_takes(seqs: list[int]) -> None:
    with pytest.raises(BadInput, match="outcome"):
        outcome_payload(1, Outcome.DELIVERED, seqs, 7)


@pytest.mark.parametrize(
    "runs", [[], [5], [5, 0], [5, -1], [5, MOST_SEQS + 1], [-5, 2], [5, 2, -9, 1], ["5", 2]]
)
def test_runs_that_make_no_sense(runs: list[object]) -> None:
    head = outcome_payload(1, Outcome.DELIVERED, [1], 7)[:14]
    with pytest.raises(StoreError, match="an outcome"):
        stored_outcome(head + msgspec.msgpack.encode(runs))


def test_an_outcome_nobody_knows() -> None:
    payload = bytearray(outcome_payload(1, Outcome.DELIVERED, [1], 7))
    payload[1] = 99
    with pytest.raises(StoreError, match="99"):
        stored_outcome(bytes(payload))


@given(LETTERS)
def test_dead_letters_come_back(letter: StoredDeadLetter) -> None:
    assert stored_dead(dead_payload(letter)) == letter


def test_small_records_come_back() -> None:
    assert stored_dead_gone(dead_gone_payload(2**32 - 1, 2**63)) == (2**32 - 1, 2**63)
    for begins in (True, False):
        assert stored_checkpoint(checkpoint_payload(9, begins=begins)) == (9, begins)
    assert stored_dropped(dropped_payload(9)) == 9


@given(st.integers(0, 2**31), TEXTS, TEXTS, st.none() | STATES)
def test_topology_comes_back(
    channel: int, kind: str, key: str, state: dict[Any, Any] | None
) -> None:
    found = stored_topology(topology_payload(channel, kind, key, state))
    assert same(found, (channel, kind, key, state))


@given(STATES, st.lists(PLAIN, max_size=4))
def test_plans_and_marks_come_back(plain: dict[Any, Any], marks: list[Any]) -> None:
    assert same(stored_plan(plan_payload(plain)), plain)
    assert same(stored_marks(marks_payload(marks)), marks)


def test_any_mapping_is_taken_and_tuples_come_back_as_lists() -> None:
    state = MappingProxyType({"a": (1, 2)})
    assert stored_topology(topology_payload(1, "proxy", "2", state))[3] == {"a": [1, 2]}


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_numbers_beyond_64_bits_are_refused_by_name(value: int) -> None:
    with pytest.raises(BadInput, match="the proxy '2' has a whole number of more than 64 bits"):
        topology_payload(1, "proxy", "2", {"a": [value]})
    with pytest.raises(BadInput, match="a plan has a whole number"):
        plan_payload({"a": value})


@pytest.mark.parametrize("value", [object(), "\ud800"])
def test_what_is_no_plain_data_is_refused(value: object) -> None:
    with pytest.raises(BadInput, match="the proxy '2' does not fit"):
        topology_payload(1, "proxy", "2", {"a": value})


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadInput, match="producer marks"):
        marks_payload(deep)
    with pytest.raises(StoreError, match="producer marks"):
        stored_marks(b"\1" + b"\x91" * 100_000 + b"\xc0")


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadInput, match="a dead letter"):
        dead_payload(LETTER._replace(proxy=-1))
    with pytest.raises(BadInput, match="a removed dead letter"):
        dead_gone_payload(-1, 1)
    with pytest.raises(BadInput, match="a checkpoint"):
        checkpoint_payload(-1, begins=True)
    with pytest.raises(BadInput, match="dropped events"):
        dropped_payload(-1)


@pytest.mark.parametrize(("name", "decode", "payload"), DECODERS, ids=IDS)
def test_a_payload_cut_anywhere_or_with_junk_behind_is_refused(
    name: str, decode: Callable[[bytes], Any], payload: bytes
) -> None:
    decode(payload)
    for spoilt in [*(payload[:end] for end in range(len(payload))), payload + b"\0"]:
        with pytest.raises(StoreError, match=name):
            decode(spoilt)


@pytest.mark.parametrize(("name", "decode", "payload"), DECODERS, ids=IDS)
def test_another_format_is_refused(
    name: str, decode: Callable[[bytes], Any], payload: bytes
) -> None:
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
