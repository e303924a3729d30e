"""What forgers, liars and repeated control events can do to a federation: be refused, and seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.federation_network import Network
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation.control import (
    CONTROL_SUBJECT,
    Control,
    ControlKind,
    control_event,
    control_of,
    signed,
)
from tidings.federation.gateway import GatewayCounts
from tidings.federation.marks import MOST_HOPS, Mark
from tidings.federation.probes import ProbeHop, way_text
from tidings.federation.records import (
    MOST_ENDED,
    MOST_GATEWAYS,
    MOST_RECORDS,
    AttachedService,
    Links,
    Note,
    Part,
    Record,
    Records,
    State,
    state_text,
)
from tidings.gateways.adapters.base import Arrival

_DEEP = 100_000


def two(**more: Any) -> Network:
    """A - G1 - B - G2 - C, and A wants what is named Speed."""
    network = Network(1, {"G1": ["A", "B"], "G2": ["B", "C"]}, **more)
    network.run(2_000)
    network.subscribe("G1", "Speed", "A", "*")
    network.run(1_000)
    return network


def counts(network: Network, name: str = "G1") -> GatewayCounts:
    return network.members[name].machine.counts


def said(*records: Record, gateway: str = "X") -> str:
    return state_text(State({}, (Part(gateway, 0, 9, records),)))


def note(**wrong: Any) -> str:
    given: dict[str, Any] = {"what": "Speed", "source": "A", "targets": "*", "count": 1, **wrong}
    return said(Record(1, "note", Note(False, **given)))


STATES = {
    "a deep one": '{"known": {}, "x":' + "[" * _DEEP + "}",
    "no distribution list": note(targets="a b!!"),
    "no service": note(source="A b\n"),
    "an attached service without a name": said(
        Record(1, "", Links((AttachedService("", "mqtt", True, True),)))
    ),
    "no gateway": said(gateway="G 9"),
}


@pytest.mark.parametrize("what", STATES)
def test_a_state_that_no_gateway_would_write_is_refused_with_the_cause(what: str) -> None:
    network = two()
    state = Control(kind=ControlKind.STATE, system="sim", sender="X", id="x-1", body=STATES[what])
    network.publish("B", control_event(state), None, None)
    network.run(1_000)
    for name in ("G1", "G2"):
        assert counts(network, name).refused == 1
        assert "no state of a gateway" in counts(network, name).last_refusal
    network.event("C", "Speed", rate=1)
    network.run(500)
    assert network.delivered == {("Speed", "A"): 1}


@pytest.mark.parametrize("part", ["filter", "id", "body"])
def test_texts_that_are_no_unicode_are_refused(part: str) -> None:
    network = two()
    given: dict[str, Any] = {
        "kind": ControlKind.SUBSCRIPTION,
        "source": "A",
        "filter": "Speed",
        "targets": "C",
    }
    network.publish("A", control_event(Control(**{**given, part: "Sp\ud800"})), None, None)
    network.run(1_000)
    assert counts(network).refused == 1
    assert "surrogates" in counts(network).last_refusal


def test_a_deep_way_of_a_probe_is_refused() -> None:
    network = two()
    deep = Control(
        kind=ControlKind.PROBE, system="sim", sender="X", targets="C", source="A",
        body='[["G", "A", "B", 1, ' + "[" * _DEEP,
    )  # fmt: skip
    network.publish("B", control_event(deep), None, None)
    network.run(500)
    assert counts(network).refused == 1


# Forged.


def test_without_a_key_nobody_speaks_for_a_gateway() -> None:
    """A client needs no signature; who says which mark an event has is no client."""
    network = two(keys={"city": b"secret"})
    forged = Control(
        kind=ControlKind.PUBLICATION, system="sim", targets="A", via="G1",
        event=event("", "", "Speed", {"rate": 9}), mark=Mark("sim", "C", "stream-C", 10**9, ("C",)),
    )  # fmt: skip
    network.publish("B", control_event(forged), None, None)
    network.run(500)
    assert not network.delivered
    assert "signature" in counts(network).last_refusal


# Repeated.


class Recorder(Network):
    """A network that keeps what gateways say."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.heard: list[tuple[str, StructuredEvent]] = []
        super().__init__(*args, **more)

    def publish(self, service: str, sent: StructuredEvent, mark: Mark | None, by: Any) -> None:
        if by is not None:
            self.heard.append((service, sent))
        super().publish(service, sent, mark, by)


def test_what_a_dead_gateway_has_said_does_not_make_it_live_again() -> None:
    network = Recorder(1, {"G1": ["A", "B"], "G2": ["B", "C"]}, keys={"city": b"secret"})
    network.run(2_000)
    network.members["G2"].alive = False
    old = [sent for at, sent in network.heard if at == "B" and control_of(sent).sender == "G2"]
    network.run(2_000)
    topology = network.members["G1"].machine.topology
    assert "G2" not in topology.gateways
    for sent in old:
        network.publish("B", sent, None, None)
        network.run(20)
    network.run(100)
    assert "G2" not in network.members["G1"].machine.topology.gateways
    assert counts(network).refused >= len(old)
    assert "repeated" in counts(network).last_refusal
    before, network.now = network.now, network.now - 10_000_000
    network.members["G2"].restart()  # its clock was set back
    network.now = before
    network.run(2_000)
    assert "G2" in network.members["G1"].machine.topology.gateways


def test_who_is_heard_again_is_connected_again() -> None:
    """One way only was cut: the other gateway has nothing new to say."""
    network = Network(1, {"G1": ["A", "B"], "G2": ["B", "C"]})
    network.run(2_000)
    one, other = network.members["G1"].machine, network.members["G2"].machine
    one._sides["B"].heard.clear()
    one._dirty = True
    one.refresh(network.now)
    assert "G2" not in one.topology.gateways
    one.take_effects()  # nobody hears of it
    network.run(2_000)
    assert {"G1", "G2"} == set(one.topology.gateways) == set(other.topology.gateways)


def test_a_publication_of_a_client_that_is_repeated_is_published_once() -> None:
    network = two(keys={"city": b"secret"}, clients=False)
    asked = Control(
        kind=ControlKind.PUBLICATION, targets="A", source="B", id="me-1",
        event=event("", "", "Speed", {"rate": 9}),
    )  # fmt: skip
    for _ in range(3):
        network.publish("B", control_event(signed(asked, "city", b"secret")), None, None)
        network.run(500)
    assert network.delivered == {("Speed", "A"): 1}
    assert counts(network).refused == 2
    assert "me-1" in counts(network).last_refusal


# What has come too far.


@pytest.mark.parametrize("hops", [MOST_HOPS - 1, MOST_HOPS])
def test_what_has_come_too_far_is_stopped(hops: int) -> None:
    """Through federations, through one federation, and the way of a probe."""
    network = two()
    machine = network.members["G1"].machine
    far, passes = tuple(f"X{at}" for at in range(hops)), hops < MOST_HOPS

    def carried(sent: StructuredEvent, mark: Mark | None) -> int:
        heard, before = Arrival(sent, mark, "s", 1), machine.counts.carried
        if sent.name == CONTROL_SUBJECT:
            machine.control_arrived("B", heard, network.now)
        else:
            machine.route("B", heard)
        return machine.counts.carried - before

    speed = event("", "", "Speed", {"rate": 1})
    assert carried(speed, Mark("other", "X", "s", 1, ("X",), before=far)) == passes
    publication = Control(
        kind=ControlKind.PUBLICATION, system="sim", sender="G2", id="l-1", targets="A", via="G1",
        event=speed, mark=Mark("sim", "X", "s", 2, far),
    )  # fmt: skip
    assert carried(control_event(publication), None) == passes
    assert machine.counts.circled == 2 * (not passes)
    machine.take_effects()
    way = tuple(ProbeHop("G2", one, "B", 1) for one in (*far, "C"))
    probe = Control(
        kind=ControlKind.PROBE, system="sim", sender="G2", id="G2~l-2", source="C", targets="A",
        body=way_text(way),
    )  # fmt: skip
    carried(control_event(probe), None)
    assert bool(machine.take_effects()) is passes


# Services that lie, and clocks that are apart.


class Stripping(Network):
    """A network whose services lose marks."""

    def publish(self, service: str, sent: StructuredEvent, mark: Mark | None, by: Any) -> None:
        super().publish(service, sent, None, by)


def test_a_service_that_loses_marks_is_found_out() -> None:
    for kind in (Network, Stripping):
        network = kind(1, {"G1": ["A", "B"], "G2": ["B", "C"]})
        network.run(2_000)
        assert network.members["G1"].lies == (["B"] if kind is Stripping else [])


def test_clocks_that_are_apart_are_noticed_and_events_go_on() -> None:
    network = two()
    network.members["G2"].ahead = 3_600_000_000
    network.members["G2"].restart()
    network.run(2_000)
    assert "the clock of gateway G2 is 36" in counts(network).last_refusal
    network.event("C", "Speed", rate=1)
    network.run(500)
    assert network.delivered == {("Speed", "A"): 1}
    machine = network.members["G1"].machine
    for number in (1, 2):
        late = Arrival(event("", "", "Other"), None, "s", number, time=network.now + 60_000_000)
        machine.route("B", late)
    assert "the clock of service B is 60.0 s ahead" in counts(network).last_refusal
    assert counts(network).refused == 2


# Too much.


def passed(one: Records, other: Records) -> None:
    for part in one.parts_for(other.known):
        other.take(part)


def contents(records: Records) -> dict[str, object]:
    return {key: content for gateway, key, content in records.contents() if gateway == "G1"}


def test_what_no_longer_holds_is_forgotten_and_does_not_come_back() -> None:
    one, other, away, new, far = (Records(name, 5) for name in ("G1", "G2", "G3", "G4", "G5"))
    lasting = Note(False, "Speed", "A", "*", 1)
    one.write("lasting", lasting)
    one.write("early", lasting)
    passed(one, away)  # … and is cut off
    passed(one, far)
    for number in range(MOST_RECORDS + 2 * MOST_ENDED):
        for content in (Note(False, f"$rate > {number}", "A", "*", 1), None):
            part = one.write(f"note {number}", content)
            assert part is not None
            other.take(part)
        if number == 7:
            one.write("early", None)
            passed(one, other)
    for records in (other, away, new):
        passed(one, records)
        passed(one, records)
        assert contents(records) == {"lasting": lasting}
        assert records.known["G1"] == one.known["G1"]
    assert len(one.parts_for({})) <= 2 + MOST_ENDED // 64
    passed(new, far)  # who never knew what has ended
    passed(new, far)
    assert contents(far) == {"lasting": lasting}


def test_who_says_too_much_is_refused_with_the_cause() -> None:
    network = two()
    records = (
        Record(n, f"k{n}", Note(False, "Speed", "A", "*", 0)) for n in range(1, MOST_RECORDS + 2)
    )
    one = Record(1, "note", Note(False, "Speed", "A", "*", 0))
    crowd = tuple(Part(f"X{n}", 0, 1, (one,)) for n in range(MOST_GATEWAYS))
    for number, (parts, words) in enumerate(
        [((Part("X", 0, 9, tuple(records)),), "20000 records"), (crowd, "1024 are known")]
    ):
        state = Control(
            kind=ControlKind.STATE, system="sim", sender="X", id=f"x-{number}",
            body=state_text(State({}, parts)),
        )  # fmt: skip
        network.publish("A", control_event(state), None, None)
        network.run(200)
        assert words in counts(network).last_refusal
    network.event("C", "Speed", rate=1)
    network.run(500)
    assert network.delivered == {("Speed", "A"): 1}
