"""Requests of clients through their own services: obeyed, answered, and refused with the cause."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.laws.federation_network import Network
from tidings.events.build import event
from tidings.federation.control import (
    CONTROL_SUBJECT,
    Control,
    ControlKind,
    control_event,
    control_of,
    signed,
)
from tidings.federation.gateway import RequestAnswer

# The source's walk-through (5.4): A - G1 - B - G3 - D - G4 - E, and C beside.
WALK = {"G1": ["A", "B"], "G2": ["B", "C"], "G3": ["B", "D"], "G4": ["D", "E"]}


def answers(network: Network, service: str) -> list[RequestAnswer]:
    found = [control_of(one) for at, one in network.talk if at == service]
    return [
        msgspec.json.decode(one.body, type=RequestAnswer)
        for one in found
        if one.kind is ControlKind.STATUS
    ]


def asked(network: Network, service: str, **parts: Any) -> None:
    network.publish(service, control_event(Control(**parts)), None, None)


@pytest.fixture
def walk() -> Network:
    network = Network(7, WALK)
    network.run(2_000)
    return network


def subscribe(network: Network, **parts: Any) -> None:
    given = {"filter": "subject = Speed and rate > 30", "targets": "E", "source": "A", "id": "me-1"}
    asked(network, "A", kind=ControlKind.SUBSCRIPTION, **{**given, **parts})
    network.run(2_000)


def test_the_walk_through_of_the_source(walk: Network) -> None:
    subscribe(walk)
    walk.event("E", "Speed", rate=31)
    walk.event("E", "Speed", rate=30)
    walk.event("D", "Speed", rate=31)
    walk.run(1_000)
    assert walk.delivered == {("Speed", "A"): 1}


def test_who_asks_is_told_where_the_request_applies(walk: Network) -> None:
    subscribe(walk)
    last = answers(walk, "A")[-1]
    assert (last.id, set(last.applied), last.missing, last.cause) == ("me-1", {"E"}, (), "")


def test_who_asks_is_told_who_is_not_reached_and_when_that_ends(walk: Network) -> None:
    walk.members["G4"].alive = False
    walk.run(2_000)
    subscribe(walk)
    assert answers(walk, "A")[-1].missing == ("E",)
    walk.members["G4"].restart()
    walk.run(3_000)
    last = answers(walk, "A")[-1]
    assert (set(last.applied), last.missing) == ({"E"}, ())


def test_a_request_that_is_none_is_refused_with_the_cause(walk: Network) -> None:
    subscribe(walk, filter="subject = Speed and rate >", id="me-2")
    [answer] = [one for one in answers(walk, "A") if one.id == "me-2"]
    assert answer.cause
    assert not answer.applied
    # Nothing is noted, and the rest goes on.
    subscribe(walk)
    walk.event("E", "Speed", rate=31)
    walk.run(1_000)
    assert walk.delivered == {("Speed", "A"): 1}


def test_one_that_was_taken_back_has_ended(walk: Network) -> None:
    subscribe(walk)
    asked(walk, "A", kind=ControlKind.UNSUBSCRIPTION, filter="subject = Speed and rate > 30",
          targets="E", source="A", id="me-3")  # fmt: skip
    walk.run(2_000)
    assert answers(walk, "A")[-1].ended
    walk.event("E", "Speed", rate=31)
    walk.run(1_000)
    assert not walk.delivered


def test_the_same_request_again_counts_once(walk: Network) -> None:
    subscribe(walk)
    subscribe(walk)  # a copy of it, with its id
    asked(walk, "A", kind=ControlKind.UNSUBSCRIPTION, filter="subject = Speed and rate > 30",
          targets="E", source="A", id="me-4")  # fmt: skip
    walk.run(2_000)
    walk.event("E", "Speed", rate=31)
    walk.run(1_000)
    assert not walk.delivered


def test_federations_that_share_a_service_stay_apart() -> None:
    network = Network(3, {"G1": ["A", "B"], "H1": ["B", "C"]}, systems={"H1": "other"})
    network.run(2_000)
    network.subscribe("G1", "Speed", "A", "*")
    network.subscribe("H1", "Speed", "C", "*")
    network.run(2_000)
    network.event("B", "Speed", rate=1)
    network.run(1_000)
    assert network.delivered == {("Speed", "A"): 1, ("Speed", "C"): 1}
    assert set(network.members["G1"].machine.topology.gateways) == {"G1"}


def test_an_event_may_pass_from_one_federation_to_another_and_does_not_come_back() -> None:
    network = Network(5, {"G1": ["A", "B"], "H1": ["B", "A"]}, systems={"H1": "other"})
    network.run(2_000)
    for name in ("G1", "H1"):
        network.subscribe(name, "Speed", "A", "*")
        network.subscribe(name, "Speed", "B", "*")
    network.run(2_000)
    network.event("A", "Speed", rate=1)
    network.run(3_000)
    # Both bring it to B; each takes the other's copy back to A, where both have seen it by now.
    assert network.delivered == {("Speed", "B"): 2, ("Speed", "A"): 2}
    circled = [member.machine.counts.circled for member in network.members.values()]
    assert circled == [1, 1]


def test_what_was_asked_of_a_gateway_holds_after_a_restart() -> None:
    network = Network(4, {"G1": ["A", "B"]})
    network.subscribe("G1", "Speed", "A", "*")
    network.run(500)
    network.members["G1"].restart()
    network.run(500)
    network.event("B", "Speed", rate=1)
    network.run(500)
    assert network.delivered == {("Speed", "A"): 1}


def test_only_signed_control_events_are_believed() -> None:
    network = Network(9, {"G1": ["A", "B"], "G2": ["B", "C"]}, keys={"city": b"secret"})
    network.run(2_000)
    network.subscribe("G1", "Speed", "A", "*")
    network.run(2_000)
    forged = Control(
        kind=ControlKind.STATE,
        system="sim",
        sender="G9",
        body='{"known": {"G9": 5}, "parts": []}',
    )
    refused = network.members["G1"].machine.counts.refused
    network.publish("B", control_event(forged), None, None)
    network.publish("B", control_event(signed(forged, "city", b"guessed")), None, None)
    changed = control_event(signed(forged, "city", b"secret"))
    changed = msgspec.structs.replace(changed, data={**changed.data, "Sender": "G8"})
    network.publish("B", changed, None, None)
    network.run(1_000)
    counts = network.members["G1"].machine.counts
    assert counts.refused == refused + 3
    assert "signature" in counts.last_refusal
    network.publish("B", control_event(signed(forged, "city", b"secret")), None, None)
    network.event("C", "Speed", rate=1)
    network.run(1_000)
    assert network.members["G1"].machine.counts.refused == refused + 3
    assert network.delivered == {("Speed", "A"): 1}


def test_clients_must_sign_where_the_gateway_says_so() -> None:
    for clients in (True, False):
        network = Network(9, {"G1": ["A", "B"]}, keys={"city": b"secret"}, clients=clients)
        network.run(2_000)
        subscribe(network, targets="B")
        network.event("B", "Speed", rate=31)
        network.run(1_000)
        assert bool(network.delivered) is clients


def test_what_is_no_control_event_hurts_nobody(walk: Network) -> None:
    wrong: list[dict[str, Any]] = [
        {},
        {"Type": 99},
        {"Type": 2},
        {"Type": 2, "Filter": 7},
        {"Type": 3},
        {"Type": 3, "Event": "{"},
        {"Type": 7, "Body": "[]", "Sender": "x"},
        {"Type": 8, "Body": "no", "DistList": "*,,"},
        {"Type": 1, "Event": "nothing"},
    ]
    for data in wrong:
        walk.publish("B", event("", "", CONTROL_SUBJECT, data), None, None)
    walk.run(500)
    assert walk.members["G1"].machine.counts.refused >= 8
    subscribe(walk)
    walk.event("E", "Speed", rate=31)
    walk.run(1_000)
    assert walk.delivered == {("Speed", "A"): 1}


def test_a_request_taken_back_at_one_of_its_services_is_not_missing_there() -> None:
    network = Network(1, {f"G{n}": ["office", f"road-{n}"] for n in (1, 2)})
    network.run(2_000)
    network.subscribe("G1", "$rate > 30", "office", "road-*")
    network.run(500)
    network.ask("G1", ControlKind.UNSUBSCRIPTION, "$rate > 30", "office", "road-2")
    network.run(500)
    [status] = network.members["G1"].machine.requests()
    assert status.targets == ("road-*",)
    assert [one.service for one in status.applied] == ["road-1"]
    assert not status.missing
