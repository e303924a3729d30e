"""COSMIC: what is refused and why, and what a bus can do to a node."""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import can
import msgspec
import pytest
from can.interfaces.virtual import VirtualBus

from tests.edges.gateways.test_faults import letters
from tests.edges.gateways.test_runner import channel, world
from tests.patience import PATIENCE
from tests.real.federation.rigs.cosmic import UnpluggableBus
from tidings.clock import ManualClock
from tidings.errors import InvalidEvent, InvalidUsage, MissingExtra, Unreachable
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation import requests as r
from tidings.federation.marks import Mark
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Outgoing,
    Side,
    new_adapter,
)
from tidings.gateways.adapters.cosmic import subjects_of
from tidings.services.cosmic.__main__ import run
from tidings.services.cosmic.bulk import MOST_BULK, fragments
from tidings.services.cosmic.frames import Id, Timing
from tidings.services.cosmic.node import Node
from tidings.services.cosmic.settings import CosmicSettings, network_of

PROJECT = Path(__file__).parents[3]
_NAMES = itertools.count()
RATE = {"name": "rate", "type": "double", "octets": "7"}
SPEED = {
    "subject": "Speed",
    "id": 12345,
    "fields": [{"name": "license_no", "type": "string", "octets": "0..6"}, RATE],
}
BRAKE = {
    "subject": "Brake",
    "class": "hard",
    "tag": 1,
    "node": 1,
    "period": 100,
    "deadline": 400,
    "fields": [{"name": "force", "type": "long", "octets": "0"}],
}
HORN = {
    "subject": "Horn",
    "class": "soft",
    "tag": 2,
    "deadline": 60_000,
    "fields": [
        {"name": "on", "type": "boolean", "bits": "0"},
        {"name": "tone", "type": "long", "bits": "1..3", "choices": {"high": 5, "low": 2}},
    ],
}
LOG = {"subject": "Log", "tag": 3}
DBC = """VERSION ""
BU_: X
BO_ 2147496009 Speed: 8 X
 SG_ rpm : 7|16@0+ (0.25,0) [0|16000] "" X
 SG_ gear : 16|8@1- (1,0) [-1|6] "" X
BO_ 100 Motor: 2 X
 SG_ heat : 0|8@1+ (1,-40) [-40|120] "" X
BO_ 101 Switched: 2 X
 SG_ which M : 0|8@1+ (1,0) [0|0] "" X
 SG_ one m0 : 8|8@1+ (1,0) [0|0] "" X
VAL_ 2147496009 gear -1 "reverse" 255 "broken" ;
"""


def parameters(*events: object, **more: object) -> dict[str, object]:
    channel = f"edges-{next(_NAMES)}"
    return {"interface": "virtual", "channel": channel, "node": 1, "events": events, **more}


def made(**given: object) -> Adapter[Any]:
    return new_adapter("cosmic", Side("test", "G", "car", "S"), given)


def settings(given: dict[str, object], node: int = 1) -> CosmicSettings:
    return msgspec.convert({**given, "node": node}, CosmicSettings)


def outgoing(one: StructuredEvent) -> Outgoing:
    return Outgoing(one, Mark("test", "elsewhere", "stream", 1, ("elsewhere",)))


def speed(license_no: object, rate: object) -> StructuredEvent:
    return event("", "", "Speed", {"license_no": license_no, "rate": rate})


# Settings.

WRONG: dict[str, tuple[tuple[dict[str, object], ...], dict[str, object], str]] = {
    "a node's number": ((), {"node": 128}, "node is 1 to 127, not 128"),
    "an interface": ((), {"interface": "tin can"}, "no interface 'tin can'; it has: .*socketcan"),
    "no id": (({**SPEED, "id": None},), {}, "'Speed': give it an id .* or a tag"),
    "id and tag": (({**SPEED, "tag": 4},), {}, "'Speed': give it an id .* or a tag"),
    "an id": (({**SPEED, "id": 2**29},), {}, "id is 0 to 536870911, not 536870912"),
    "one id twice": ((SPEED, {**SPEED, "subject": "Pace"}), {}, "'Pace' with id 12345 cannot be"),
    "an id like a tag": (
        ({**LOG, "tag": 12345}, SPEED),
        {},
        "'Speed' with id 12345 cannot be told from 'Log' with tag 12345",
    ),
    "one subject twice": ((LOG, {**LOG, "tag": 9}), {}, "the subject 'Log' has two channels"),
    "an unknown setting": (({**LOG, "colour": 1},), {}, "there is no 'colour'"),
    "a class": (({**LOG, "class": "firm"},), {}, "'firm' is none of hard, soft"),
    "octets backwards": (
        ({**HORN, "fields": [{**RATE, "octets": "3..1"}]},),
        {},
        "field 'rate': 3..1 goes backwards",
    ),
    "octets beyond": (
        ({**HORN, "fields": [{**RATE, "octets": "7..8"}]},),
        {},
        "0 to 8 octets, not 9",
    ),
    "octets and bits": (
        ({**HORN, "fields": [{**RATE, "bits": "1"}]},),
        {},
        "field 'rate': give it octets .* or bits",
    ),
    "overlapping": (
        ({**HORN, "fields": [RATE, {**RATE, "name": "x", "octets": "6..7"}]},),
        {},
        "field 'x': octets 6..7 overlap with 'rate'",
    ),
    "two of a name": (
        ({**HORN, "fields": [RATE, {**RATE, "octets": "1"}]},),
        {},
        "two fields have the same name",
    ),
    "bits of a text": (
        ({**HORN, "fields": [{"name": "x", "type": "string", "bits": "3..18"}]},),
        {},
        "a string takes whole octets, not bits 3..18",
    ),
    "steps too fine": (
        ({**HORN, "fields": [{**RATE, "octets": "0..7"}]},),
        {},
        "too fine for a double",
    ),
    "half steps of a long": (
        ({**HORN, "fields": [{**RATE, "type": "long", "scale": 0.5}]},),
        {},
        "a long has a whole scale",
    ),
    "no scale": (({**HORN, "fields": [{**RATE, "scale": 0}]},), {}, "the scale is a number above"),
    "a wide boolean": (
        ({**HORN, "fields": [{**RATE, "type": "boolean"}]},),
        {},
        "a boolean is one bit",
    ),
    "a short float": (
        ({**HORN, "fields": [{**RATE, "floating": True}]},),
        {},
        "a double of 32 or 64 bits",
    ),
    "a word for nothing": (
        ({**HORN, "fields": [{**RATE, "choices": {"far": 256}}]},),
        {},
        "octet 7 cannot hold 256, which stands for 'far'",
    ),
    "words for a text": (
        ({**HORN, "fields": [{**RATE, "type": "string", "choices": {"far": 2}}]},),
        {},
        "only whole raw numbers have words",
    ),
    "nothing right": (
        ({**HORN, "fields": [{**RATE, "low": 300}]},),
        {},
        "no value is right: from 300.0 to 255",
    ),
    "a soft channel without a deadline": (
        ({**HORN, "deadline": 0},),
        {},
        "a soft channel needs a deadline",
    ),
    "a long soft event": (
        ({**LOG, "class": "soft", "deadline": 5},),
        {},
        "events of a soft channel are one frame",
    ),
    "fragments of nobody": (({"subject": "Log", "id": 3},), {}, "give it a tag, not an id"),
    "a period of a soft channel": (
        ({**HORN, "period": 5},),
        {},
        "only a hard channel has a period",
    ),
    "a hard channel with an id": (
        ({**BRAKE, "tag": None, "id": 77},),
        {},
        "a hard channel has the highest priority: give it a tag",
    ),
    "a hard channel of nobody": (({**BRAKE, "node": 0},), {}, "'Brake': node is 1 to 127, not 0"),
    "a node of a soft channel": (({**HORN, "node": 5},), {}, "'Horn': node is 0 to 0, not 5"),
    "what wins against hard": (
        (SPEED, BRAKE),
        {},
        "'Speed' with id 12345 would win the bus against the hard channels Brake",
    ),
    "a period too short": (
        ({**BRAKE, "period": 1},),
        {},
        "its period is 1000 µs, but a slot takes",
    ),
    "a deadline too short": (({**BRAKE, "deadline": 100},), {}, "the deadline is at least"),
    "a full calendar": (
        tuple({**BRAKE, "subject": str(n), "tag": n, "period": 5} for n in range(4)),
        {},
        "the hard channel '2': no .* µs every 5000 µs are free beside 0, 1",
    ),
    "periods without a factor": (
        (BRAKE, {**BRAKE, "subject": "Airbag", "tag": 9, "period": 100.001}),
        {},
        "'Airbag': no .* µs are free beside Brake: .* common factor",
    ),
    "no message": (({**LOG, "message": "Speed"},), {}, "no DBC file has no message 'Speed'"),
    "options": ((), {"bit_rate": 0}, "bit_rate is 5000 to 1000000, not 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_setting_is_refused_when_the_gateway_is_made(case: str) -> None:
    events, more, message = WRONG[case]
    with pytest.raises(InvalidUsage, match=message) as caught:
        made(**parameters(*events, **more))
    assert "car" in str(caught.value)


@pytest.mark.parametrize(
    ("missing", "given"), [("can", {}), ("cantools.database", {"dbc": "car.dbc"})]
)
def test_a_missing_package_is_named(
    missing: str, given: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"pip install tidings\[cosmic\]"):
        made(**parameters(**given))


def test_python_can_is_loaded_with_the_first_bus() -> None:
    code = """
import sys, tidings.gateways.runner, tidings.gateways.adapters.cosmic
sys.exit(any(name in sys.modules for name in ("can", "cantools")))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_example_of_the_page_is_right() -> None:
    text = (PROJECT / "docs/adapters/cosmic.md").read_text()
    [example] = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    network = network_of(msgspec.json.decode(example, type=CosmicSettings))
    assert set(network.calendar.slots) == {"Brake"}
    octets = network.channels["Brake"].codec.encode(event("", "", "Brake", {"force": 25.6}))
    assert octets == b"\x01\x00"
    with pytest.raises(InvalidEvent) as caught:
        network.channels["Speed"].codec.encode(speed("A", 300.0))
    assert f"`{caught.value}`" in text


# DBC files.


def test_messages_of_a_dbc_file_are_subjects(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "car.dbc"
    path.write_text(DBC)
    network = network_of(settings(parameters(dbc=str(path))))
    assert set(network.channels) == {"FES_ControlEvent", "Speed", "Motor"}
    assert "Switched is multiplexed" in caplog.text
    assert network.of_frame(12361, extended=True) is network.channels["Speed"]
    assert network.of_frame(100, extended=False) is network.channels["Motor"]
    codec = network.channels["Speed"].codec
    octets = codec.encode(event("", "", "Speed", {"rpm": 1000.25, "gear": "reverse"}))
    assert octets == bytes((0x0F, 0xA1, 0xFF, 0, 0, 0, 0, 0))
    assert dict(codec.decode(octets).data) == {"rpm": 1000.25, "gear": "reverse"}
    with pytest.raises(Exception, match=r"data.gear: 7 does not fit bits 16..23: .* from -1 to 6"):
        codec.encode(event("", "", "Speed", {"rpm": 1.0, "gear": 7}))


def test_an_event_is_a_message_under_another_subject(tmp_path: Path) -> None:
    path = tmp_path / "car.dbc"
    path.write_text(DBC)
    one = {"subject": "Heat", "message": "Motor", "tag": 5, "class": "soft", "deadline": 20}
    network = network_of(settings(parameters(one, dbc=str(path))))
    assert set(network.channels) == {"FES_ControlEvent", "Heat", "Speed"}
    assert network.channels["Heat"].words == "tag 5"


@pytest.mark.parametrize(
    ("text", "message", "wrong"),
    [
        ("BO_ 1 X", "Speed", "car.dbc is not a DBC file that can be read: "),
        (None, "Speed", "car.dbc is not a DBC file that can be read: .*No such file"),
        (DBC, "Sped", "car.dbc has no message 'Sped'; it has: Motor, Speed, Switched"),
        (DBC, "Switched", "the message Switched is multiplexed"),
    ],
)
def test_a_wrong_dbc_file_is_refused(
    text: str | None, message: str, wrong: str, tmp_path: Path
) -> None:
    path = tmp_path / "car.dbc"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidUsage, match=wrong):
        made(**parameters({"subject": "X", "message": message}, dbc=str(path)))


# Events.

MISFITS = {
    "too long": (speed("EIGHT888", 1.0), r"data.license_no: .*at most 7 characters"),
    "not Latin-1": (speed("漢", 1.0), r"data.license_no: '漢' .*octets 0..6: .*Latin-1"),
    "with NUL": (speed("a\0b", 1.0), r"data.license_no: .*without NUL"),
    "no text": (speed(5, 1.0), r"data.license_no: 5 does not fit octets 0..6: a text does"),
    "too high": (speed("A", 256.0), r"data.rate: 256.0 does not fit octet 7: .* from 0.* to 255"),
    "below": (speed("A", -1), r"data.rate: -1 does not fit octet 7: .* from 0.* to 255"),
    "NaN": (speed("A", float("nan")), r"data.rate: nan does not fit"),
    "huge": (speed("A", 2**64 - 1), r"data.rate: 1844.* does not fit"),
    "a boolean": (speed("A", True), r"data.rate: True does not fit octet 7: a number does"),
    "missing": (event("", "", "Speed", {"rate": 1.0}), r"data.license_no: is missing; octets 0..6"),
    "no channel": (event("", "", "Pace", {}), r"name: no event channel carries 'Pace'; .* Speed"),
    "too large": (event("", "", "Log", {"x": "x" * MOST_BULK}), r"a bulk event has 1 to 65536"),
    "another's slots": (event("", "", "Brake", {"force": 1}), r"slots of 'Brake' are node 7's"),
}


@pytest.mark.parametrize("case", MISFITS)
async def test_what_does_not_fit_is_refused_alone_with_the_cause(case: str) -> None:
    wrong, cause = MISFITS[case]
    elsewhere = {**BRAKE, "node": 7}
    one = made(**parameters({**SPEED, "id": (9 << 21) + 5}, LOG, elsewhere, HORN))
    await one.connect(ignore)
    horn = outgoing(event("", "", "Horn", {"on": True, "tone": "high"}))
    answers = await one.publish([horn, outgoing(wrong), horn])
    await one.disconnect()
    assert answers[0] is answers[2] is None
    assert answers[1] is not None
    assert re.search(cause, answers[1].cause), answers[1].cause


async def ignore(_: Sequence[Arrival]) -> None:
    """What comes does not matter."""


@asynccontextmanager
async def two_nodes(*events: object, **more: object) -> AsyncIterator[tuple[Node, Node]]:
    given = parameters(*events, **more)
    async with Node(settings(given, 1)) as one, Node(settings(given, 2)) as other:
        other.want(None)
        yield one, other


async def test_events_of_all_classes_pass_between_nodes() -> None:
    sent = [
        event("", "", "Brake", {"force": 200}),
        event("", "", "Horn", {"on": True, "tone": "high"}),
        event("d", "t", "Log", {"text": "käse " * 500, "deep": {"a": [1, 2.5, None]}}),
    ]
    async with two_nodes({**BRAKE, "deadline": 60_000}, HORN, LOG, guard=50_000) as (one, other):
        for each in sent:
            assert await one.publish(each) is None
        found: list[StructuredEvent] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < 3:
                found += await other.batch()
    assert found == sent


async def test_fragments_of_several_senders_do_not_mix() -> None:
    given = parameters(LOG)
    async with (
        Node(settings(given, 1)) as one,
        Node(settings(given, 2)) as another,
        Node(settings(given, 3)) as third,
    ):
        third.want(["Log"])
        sent = [event("", "", "Log", {"text": letter * 1_000}) for letter in "ab"]
        await asyncio.gather(one.publish(sent[0]), another.publish(sent[1]))
        found: list[StructuredEvent] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < 2:
                found += await third.batch()
    assert sorted(str(each.data["text"]) for each in found) == ["a" * 1_000, "b" * 1_000]


async def test_events_of_a_hard_channel_wait_for_their_slots() -> None:
    async with two_nodes({**BRAKE, "period": 30}, guard=10_000) as (one, other):
        sent = [event("", "", "Brake", {"force": number}) for number in range(5)]
        results = await asyncio.gather(*map(one.publish, sent))
        found: list[StructuredEvent] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < sum(result is None for result in results):
                found += await other.batch()
        assert one.missed["Brake"] == sum(result is not None for result in results)
    assert [one.data["force"] for one in found] == [
        number for number, result in enumerate(results) if result is None
    ]


async def test_of_a_flood_the_latest_of_a_time_passes() -> None:
    async with two_nodes({**SPEED, "sample": 100}) as (one, other):
        for number in range(200):
            await one.publish(speed("CAR", float(number)))
        rates: list[object] = []
        async with asyncio.timeout(PATIENCE):
            while rates[-1:] != [199.0]:
                rates += [found.data["rate"] for found in await other.batch()]
        assert len(rates) + other.sampler.skipped == 200
        assert other.sampler.skipped


async def test_subjects_are_pushed_down_as_filters() -> None:
    one = made(**parameters(SPEED, HORN, LOG))
    await one.connect(ignore)
    bus = one._node.line._bus  # type: ignore[attr-defined]
    placed = await one.want(
        [constraint("$event_name == 'Speed' and $rate > 9"), constraint("$event_name == 'Horn'")]
    )
    assert [(each.text, each.exact) for each in placed] == [
        ("Speed (id 12345)", False),
        ("Horn (tag 2)", True),
    ]
    assert {(each["can_id"], each["can_mask"]) for each in bus.filters} == {
        (12345, 2**29 - 1),
        (2, 2**14 - 1),
    }
    [everything] = await one.want([constraint("$rate > 9")])
    assert not everything.exact
    assert everything.surplus
    assert len(bus.filters) == 4
    await one.want([])
    assert [each["can_id"] for each in bus.filters] == [2**29 - 1]
    await one.disconnect()


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("$event_name == 'A'", {"A"}),
        ("'A' == $event_name and $x > 1", {"A"}),
        ("$event_name == 'A' or $.header.fixed_header.event_name == 'B'", {"A", "B"}),
        ("($event_name == 'A' or $event_name == 'B') and $event_name == 'B'", {"B"}),
        ("$event_name == 'A' or $x == 1", None),
        ("not ($event_name == 'A')", None),
        ("$event_name != 'A'", None),
        ("TRUE", None),
        ("FALSE", set()),
    ],
)
def test_the_subjects_of_a_constraint_are_never_fewer(text: str, subjects: set[str] | None) -> None:
    assert subjects_of(constraint(text).tree) == subjects


# What comes over the bus.


async def test_hostile_frames_are_counted_and_harm_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    given = parameters(SPEED, LOG, HORN)
    name = str(given["channel"])
    own, other = Id(254, 1, 3).number, Id(254, 9, 3).number
    garbage = [
        can.Message(arbitration_id=12345, data=b"short"),
        can.Message(arbitration_id=12345, data=b"a\0bcdef\x01"),
        can.Message(arbitration_id=12345, is_remote_frame=True, dlc=8),
        can.Message(arbitration_id=12345, data=bytes(12), is_fd=True),
        can.Message(arbitration_id=12345, data=bytes(8), is_extended_id=False),
        can.Message(arbitration_id=99, data=bytes(8)),
        can.Message(arbitration_id=own, data=bytes(8)),
        can.Message(arbitration_id=Id(3, 9, 2).number, data=b""),
    ]
    for octets in (b"\xff\xfe", b"{}", b'{"domain": "", "type": "", "name": "Speed"}'):
        garbage += [can.Message(arbitration_id=other, data=one) for one in fragments(octets, 5)]
    async with Node(settings(given)) as node:
        node.want(None)
        with can.Bus(interface="virtual", channel=name, ignore_config=True) as bus:
            for message in garbage:
                bus.send(message)
            bus.send(can.Message(arbitration_id=12345, data=b"CAR0007\x2a"))
        async with asyncio.timeout(PATIENCE):
            found = await node.batch()
        assert [dict(each.data) for each in found] == [{"license_no": "CAR0007", "rate": 42.0}]
        assert node.counts == {"malformed": 6, "own": 1, "overrun": 0}
        assert node.line.counts["unreadable"] == 2
    assert "another node has the number 1 too" in caplog.text
    assert "Speed: a frame is no event: has 5 octets; 8 are expected" in caplog.text


class ScriptedBus(can.BusABC):
    """A driver: what it returns and raises is in the queues."""

    reads: ClassVar[queue.SimpleQueue[can.Message | Exception]]
    writes: ClassVar[list[Exception]]
    sent: ClassVar[list[can.Message]]
    working: ClassVar[bool]
    health: ClassVar[can.BusState]

    def __init__(self, channel: str, **options: Any) -> None:
        if not self.working:
            raise OSError(errno.ENODEV, "No such device")
        super().__init__(channel, **options)

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        try:
            found = self.reads.get(timeout=0.01)
        except queue.Empty:
            return None, True
        if isinstance(found, Exception):
            raise found
        return found, True

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        if self.writes:
            error = self.writes[0]
            if len(self.writes) > 1:
                self.writes.pop(0)
            raise error
        self.sent.append(msg)

    @property
    def state(self) -> can.BusState:
        return self.health

    @state.setter
    def state(self, new_state: can.BusState) -> None:
        raise NotImplementedError


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> type[ScriptedBus]:
    monkeypatch.setitem(can.interfaces.BACKENDS, "socketcan", (__name__, ScriptedBus.__name__))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[ScriptedBus.__module__])
    ScriptedBus.reads = queue.SimpleQueue()
    ScriptedBus.writes, ScriptedBus.sent = [], []
    ScriptedBus.working, ScriptedBus.health = True, can.BusState.ACTIVE
    return ScriptedBus


class ReturningBus(VirtualBus):
    """A bus that gives a node its own frames back, as multicast does."""

    def __init__(self, channel: str, **options: Any) -> None:
        super().__init__(channel, **{**options, "receive_own_messages": True})


async def test_a_node_does_not_hear_itself_over_multicast(monkeypatch: pytest.MonkeyPatch) -> None:
    place = (ReturningBus.__module__, ReturningBus.__name__)
    monkeypatch.setitem(can.interfaces.BACKENDS, "udp_multicast", place)
    monkeypatch.setitem(sys.modules, place[0], sys.modules[__name__])
    given = parameters(SPEED, LOG, interface="udp_multicast")
    async with Node(settings(given, 1)) as one, Node(settings(given, 2)) as other:
        one.want(None)
        other.want(None)
        for number in range(3):
            await one.publish(speed("SAME", 50.0))
            await one.publish(event("", "", "Log", {"number": number}))
        await other.publish(speed("OTHER", 50.0))
        found: dict[Node, list[StructuredEvent]] = {one: [], other: []}
        async with asyncio.timeout(PATIENCE):
            for node, count in ((one, 1), (other, 6)):
                while len(found[node]) < count:
                    found[node] += await node.batch()
        assert [each.data["license_no"] for each in found[one]] == ["OTHER"]
        assert len(found[other]) == 6


ENDINGS: dict[str, tuple[can.Message | Exception, str]] = {
    "an error of python-can": (can.CanOperationError("Network is down", 100), "Network is down"),
    "an error of the system": (OSError(errno.ENODEV, "No such device"), "No such device"),
    "an error of a driver": (ZeroDivisionError("in the driver"), "in the driver"),
    "bus-off": (can.Message(arbitration_id=0x40, is_error_frame=True, dlc=8), "bus-off"),
}


@pytest.mark.parametrize("case", ENDINGS)
async def test_an_error_of_the_bus_ends_the_connection_with_its_cause(
    case: str, driver: type[ScriptedBus]
) -> None:
    one = made(**parameters(SPEED, interface="socketcan"))
    await one.connect(ignore)
    driver.reads.put(ENDINGS[case][0])
    async with asyncio.timeout(PATIENCE):
        assert ENDINGS[case][1] in await one.lost()
    with pytest.raises(AdapterError, match=ENDINGS[case][1]):
        await one.publish([outgoing(speed("A", 1.0))])
    await one.disconnect()
    driver.working = False
    with pytest.raises(
        AdapterError, match=r"socketcan edges-.* cannot be opened: .*No such device"
    ):
        await one.connect(ignore)
    driver.working = True
    await one.connect(ignore)
    assert await one.publish([outgoing(speed("A", 1.0))]) == [None]
    await one.disconnect()


async def test_a_controller_that_has_left_the_bus_is_noticed(driver: type[ScriptedBus]) -> None:
    one = made(**parameters(SPEED, interface="socketcan"))
    await one.connect(ignore)
    driver.health = can.BusState.ERROR
    async with asyncio.timeout(PATIENCE):
        assert "bus-off" in await one.lost()
    await one.disconnect()


def unreadable() -> Exception:
    error = can.CanOperationError("could not unpack received message")
    error.__cause__ = ValueError("Unpack failed")
    return error


async def test_frames_that_cannot_be_read_do_not_end_the_connection(
    driver: type[ScriptedBus],
) -> None:
    async with Node(settings(parameters(SPEED, interface="socketcan"))) as node:
        node.want(None)
        for _ in range(50):
            driver.reads.put(unreadable())
        driver.reads.put(can.Message(is_error_frame=True, arbitration_id=4, dlc=8))
        driver.reads.put(can.Message(arbitration_id=12345, data=b"CAR0007\x2a"))
        async with asyncio.timeout(PATIENCE):
            assert len(await node.batch()) == 1
        assert node.line.counts["unreadable"] == 50
        assert node.line.counts["error frames"] == 1
        for _ in range(101):
            driver.reads.put(unreadable())
        async with asyncio.timeout(PATIENCE):
            assert "nothing that comes can be read" in await node.lost


async def test_a_full_controller_is_tried_again(driver: type[ScriptedBus]) -> None:
    async with Node(settings(parameters(SPEED, interface="socketcan"))) as node:
        full = can.CanOperationError("No buffer space available", errno.ENOBUFS)
        driver.writes = [full, can.CanTimeoutError("waited"), full]
        sending = asyncio.create_task(node.publish(speed("A", 1.0)))
        async with asyncio.timeout(PATIENCE):
            while len(driver.writes) > 1:  # noqa: ASYNC110 -- the driver is in a thread
                await asyncio.sleep(0)
            driver.writes = []
            assert await sending is None
        assert len(driver.sent) == 1


class Gate:
    """Holds a driver up while it sends its first frame."""

    def __init__(self, driver: type[ScriptedBus], monkeypatch: pytest.MonkeyPatch) -> None:
        self.inside, self.opened = threading.Event(), threading.Event()
        send = driver.send

        def held_up(bus: ScriptedBus, msg: can.Message, timeout: float | None = None) -> None:
            self.inside.set()
            assert self.opened.wait(PATIENCE)
            send(bus, msg, timeout)

        monkeypatch.setattr(driver, "send", held_up)


async def test_events_of_one_subject_keep_their_order_however_many_wait(
    driver: type[ScriptedBus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidings.services.cosmic.scheduler.MOST_WAITING", 1)
    gate = Gate(driver, monkeypatch)
    given = parameters({**SPEED, "deadline": 60_000}, interface="socketcan")
    async with Node(settings(given)) as node:
        begun = [node.begin(speed("A", 0.0))]
        assert await asyncio.to_thread(gate.inside.wait, PATIENCE)
        begun.append(node.begin(speed("A", 1.0)))  # it has to wait for room
        gate.opened.set()
        while not node._has_room(node.network.channels["Speed"]):
            time.sleep(0)  # noqa: ASYNC251 -- there is room before the one that waits gets a turn
        begun.append(node.begin(speed("A", 2.0)))
        assert await asyncio.gather(*begun) == [None] * 3
    assert [message.data[7] for message in driver.sent] == [0, 1, 2]


async def test_nothing_is_sent_after_the_node_has_left(
    driver: type[ScriptedBus], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(driver, monkeypatch)
    given = parameters({**SPEED, "deadline": 60_000}, interface="socketcan")
    node = Node(settings(given), clock=ManualClock(1))
    await node.open()
    begun = [node.begin(speed("A", float(number))) for number in range(3)]
    assert await asyncio.to_thread(gate.inside.wait, PATIENCE)
    closing = asyncio.create_task(node.close())
    await asyncio.sleep(0)
    gate.opened.set()
    await closing
    assert len(driver.sent) == 1
    told = await asyncio.gather(*begun, return_exceptions=True)
    assert all(isinstance(one, Unreachable) for one in told)


async def test_an_event_that_misses_its_deadline_is_dropped_counted_and_told(
    driver: type[ScriptedBus],
) -> None:
    one = made(**parameters({**HORN, "deadline": 50}, interface="socketcan"))
    await one.connect(ignore)
    driver.writes = [can.CanTimeoutError("the bus is busy")]
    horn = outgoing(event("", "", "Horn", {"on": True, "tone": "high"}))
    async with asyncio.timeout(PATIENCE):
        answers = await one.publish([horn, horn])
    driver.writes = []
    assert [answer.cause for answer in answers if answer] == [
        "the bus was not free for 'Horn' within its deadline of 50 ms"
    ] * 2
    assert one._node.missed == {"Horn": 2}  # type: ignore[attr-defined]
    async with asyncio.timeout(PATIENCE):
        while await one.publish([horn]) != [None]:
            pass
    await one.disconnect()
    assert len(driver.sent) == 1


async def test_an_error_while_sending_ends_the_connection(driver: type[ScriptedBus]) -> None:
    one = made(**parameters(SPEED, interface="socketcan"))
    await one.connect(ignore)
    driver.writes = [can.CanOperationError("Network is down", errno.ENETDOWN)]
    with pytest.raises(AdapterError, match=r"sending over the bus socketcan .* failed: Network is"):
        await one.publish([outgoing(speed("A", 1.0)), outgoing(speed("B", 1.0))])
    async with asyncio.timeout(PATIENCE):
        assert "Network is down" in await one.lost()
    await one.disconnect()


async def test_udp_multicast_says_which_package_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("can.interfaces.udp_multicast.utils.msgpack", None)
    with pytest.raises(Unreachable, match="pip install msgpack"):
        await Node(settings(parameters(interface="udp_multicast", channel="239.0.0.1"))).open()


# A gateway.


async def test_a_car_and_a_channel_are_joined_although_the_device_goes(
    tmp_path: Path,
) -> None:
    given = parameters(SPEED, interface="unpluggable")
    name = str(given["channel"])
    can_side = r.SideConfig("can", "CAN", "cosmic", given)
    async with world(tmp_path) as made, Node(settings(given, 2)) as car:
        await made.gateway(can_side, channel("c", "roads"))
        await made.want("subject = Speed and rate > 30", "C")
        roads = await made.client.subscribe("roads", "$event_name == 'Speed'")
        for rate in (30.0, 31.0):
            await car.publish(speed("CAR", rate))
        async with asyncio.timeout(PATIENCE):
            found = await anext(aiter(roads))
        assert dict(found.event.data) == {"license_no": "CAR", "rate": 31.0}
        with can.Bus(interface="unpluggable", channel=name, ignore_config=True) as bus:
            bus.send(can.Message(arbitration_id=12345, data=b"short"))
        [letter] = await letters(made, "federation G/can in", 1)
        assert letter.event.body == b"short"
        assert "has 5 octets; 8 are expected" in str(letter.causes)
        UnpluggableBus.unplugged.add(name)
        info = await made.until(lambda info: info.sides[0].state == "down")
        assert name in info.sides[0].cause
        UnpluggableBus.unplugged.discard(name)
        await made.until(lambda info: info.sides[0].state == "up")
        async with Node(settings(given, 3)) as other:
            async with asyncio.timeout(PATIENCE):
                rates = aiter(roads)
                sending = asyncio.create_task(_repeat(other, speed("CAR", 32.0)))
                assert (await anext(rates)).event.data["rate"] == 32.0
                sending.cancel()


async def _repeat(node: Node, one: StructuredEvent) -> None:
    while True:
        await node.publish(one)
        await asyncio.sleep(0.05)


# By hand.


async def test_events_are_published_and_printed_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "car.json"
    given = parameters(SPEED)
    path.write_text(json.dumps(given))
    async with Node(settings(given, 9)) as node:
        printing = asyncio.create_task(run([str(path), "print", "Speed", "--count", "1"]))
        async with asyncio.timeout(PATIENCE):
            while not printing.done():
                await node.publish(speed("CAR0001", 50.0))
                await asyncio.sleep(0.01)
        printed = json.loads(capsys.readouterr().out)
        assert (printed["name"], printed["data"]["rate"]) == ("Speed", 50.0)
        node.want(["Speed"])
        data = '{"license_no": "CAR0002", "rate": 60}'
        await run([str(path), "publish", "Speed", data, "--every", "0", "--count", "2"])
        found: list[StructuredEvent] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < 2:
                found += await node.batch()
        assert [one.data["license_no"] for one in found] == ["CAR0002"] * 2
    with pytest.raises(InvalidUsage, match="not a JSON object"):
        await run([str(path), "publish", "Speed", "{"])
    with pytest.raises(InvalidUsage, match=r"missing\.json"):
        await run([str(tmp_path / "missing.json"), "print"])


def test_the_layout_of_identifiers_is_reversible() -> None:
    for parts in (Id(0, 1, 2), Id(250, 127, 16383), Id(254, 5, 0)):
        assert Id.of(parts.number) == parts
    assert Id(0, 1, 0).number < Id(1, 1, 0).number < Id(254, 1, 0).number < 2**29
    levels = [Timing().soft_priority(left) for left in range(-1000, 200_000, 100)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (1, 250)
