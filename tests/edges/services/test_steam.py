"""STEAM nodes: hostile datagrams, wrong events, limits, places and radios that are not there."""

from __future__ import annotations

import asyncio
import math
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import PATIENCE
from tidings.errors import InvalidEvent, InvalidUsage, TooManyObjects, Unreachable
from tidings.federation.proximity import Circle, Position
from tidings.services.steam import machine as limits
from tidings.services.steam.chunks import MOST_PARTS, split
from tidings.services.steam.datagrams import (
    MOST_OCTETS,
    Announcement,
    EventType,
    Kind,
    SteamEvent,
    Withdrawal,
    decode,
    encode,
    event_type_of,
)
from tidings.services.steam.location import (
    Point,
    PositionFile,
    location_of,
    position_of_line,
    track,
)
from tidings.services.steam.machine import Hand, Join, Send, SteamConfig, SteamMachine
from tidings.services.steam.node import SteamNode
from tidings.services.steam.radio import RadioConfig

HERE = Position(53.34, -6.25)
AROUND = Circle(Position(0, 0), 250, relative=True)
SPEED = EventType("Speed", {"license_no": Kind.TEXT, "rate": Kind.DOUBLE})
EVENT = SteamEvent(
    "0, 0, 53.34, -6.25, 200.0", "53.34, -6.25", "n", 7, 1, "Speed",
    {"license_no": "05-D-1", "rate": 62.0, "lane": 2}, {"Priority": 4},
)  # fmt: skip
DATAGRAMS = (
    EVENT,
    Announcement("0, 1, 0.0, 0.0, 250.0", "53.34, -6.25", "n", 7, "Speed", {"rate": Kind.DOUBLE}),
    Withdrawal("n", 7, "Speed"),
)


@pytest.mark.parametrize("datagram", DATAGRAMS)
def test_datagrams_are_read_whole_or_refused(datagram: SteamEvent) -> None:
    octets = encode(datagram)
    assert decode(octets) == datagram
    for end in range(len(octets)):
        with pytest.raises(InvalidEvent):
            decode(octets[:end])
    for junk in (b"\0", b"\xc0", octets):
        with pytest.raises(InvalidEvent):
            decode(octets + junk)


@given(st.sampled_from(DATAGRAMS), st.data())
def test_a_changed_datagram_is_read_or_refused_and_never_a_fault(
    datagram: SteamEvent, data: st.DataObject
) -> None:
    octets = bytearray(encode(datagram))
    for _ in range(data.draw(st.integers(1, 4))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    node = SteamMachine(1, SteamConfig("n"))
    node.start()
    node.subscribe("k", None, lambda _: True)
    node.receive(bytes(octets), HERE, 0)
    node.tick(1, HERE)


@given(st.binary(max_size=100))
def test_any_octets_are_refused_as_an_event(octets: bytes) -> None:
    for prefix in (b"", b"STM\x01", b"STM\x01\x99\x03"):
        with pytest.raises(InvalidEvent):
            decode(prefix + octets)


def changed(**fields: object) -> bytes:
    return b"STM\x01" + msgspec.msgpack.encode(msgspec.structs.replace(EVENT, **fields))


@pytest.mark.parametrize(
    "octets",
    [
        changed(values={"rate": True}),
        changed(values={"rate": 2**31}),
        changed(values={"rate": None}),
        changed(values={"rate": [1]}),
        changed(values={"note": "x" * 1_025}),
        changed(values={"": 1}),
        changed(values={f"p{n}": n for n in range(33)}),
        changed(number=0),
        changed(node=-1),
        changed(subject=""),
        changed(area="0, 0, nan, 0, 5"),
        changed(area=""),
        changed(area="0, 1, 0, 0, 5", position=""),
        changed(position="91, 0"),
        changed(values={"note": "x" * 70_000}),
        b"STM\x01" + b"\x91" * 50_000,
        encode(EVENT).replace(b"\xa4lane\x02", b"\xa4rate\x02"),  # two parameters of one name
        encode(EVENT).replace(b"\xa4lane\x02", b"\xa4lane\xd0\x02"),  # a number in a longer form
        b"x" * (MOST_OCTETS + 1),
    ],
)
def test_what_no_node_sends_is_refused(octets: bytes) -> None:
    with pytest.raises(InvalidEvent):
        decode(octets)
    node = SteamMachine(1, SteamConfig("n"))
    assert node.receive(octets, HERE, 0) == []
    assert node.counts["broken"] == 1


def test_what_cannot_be_sent_is_refused_with_the_place() -> None:
    node = SteamMachine(1, SteamConfig("n"))
    with pytest.raises(InvalidEvent, match="'Speed' are not announced"):
        node.publish("Speed", {}, HERE)
    node.announce(SPEED, AROUND, HERE)
    for values in ({}, {"license_no": "x"}, {"license_no": 1, "rate": 1.0},
                   {"license_no": "x", "rate": 1.0, "more": 1}):  # fmt: skip
        with pytest.raises(InvalidEvent, match="license_no S_STR, rate S_DBL, no others"):
            node.publish("Speed", values, HERE)  # type: ignore[arg-type]
    with pytest.raises(InvalidEvent, match="relative area needs"):
        node.publish("Speed", {"license_no": "x", "rate": 1.0}, None)
    for name, value in (("a", True), ("a", 2**31), ("a", "x" * 1_025), ("a", None), ("", 1)):
        with pytest.raises(InvalidEvent, match="a STEAM parameter is"):
            event_type_of("Speed", {name: value})
    with pytest.raises(InvalidEvent, match="at most 32 parameters"):
        event_type_of("Speed", {f"p{n}": n for n in range(33)})
    with pytest.raises(InvalidEvent):
        node.announce(EventType("", {}), AROUND, None)
    with pytest.raises(InvalidEvent, match="at most"):
        split("x" * (MOST_PARTS * 8 * 1_024 + 1))
    with pytest.raises(InvalidEvent, match="surrogate"):
        split("\ud800")


def test_a_number_counts_once_in_any_order_and_those_long_past_not_at_all() -> None:
    node = SteamMachine(1, SteamConfig("n"))
    node.subscribe("k", frozenset(("Speed",)), lambda _: True)

    def come(number: int, place: Position | None = HERE) -> bool:
        octets = encode(msgspec.structs.replace(EVENT, number=number))
        return bool(node.receive(octets, place, 0))

    assert [come(number) for number in (5, 3, 5, 4, 3, 4, 300, 5, 44, 45)] == [
        True, True, False, True, False, False, True, False, False, True,
    ]  # fmt: skip
    # A copy that comes when the node has entered the area is of an event that was sent before.
    assert [come(301, Position(0, 0)), come(301), come(302, None), come(302)] == [False] * 4
    assert node.counts == {"repeated": 7, "outside": 1, "unplaced": 1}


def test_other_networks_and_the_node_itself_are_not_heard() -> None:
    node = SteamMachine(7, SteamConfig("n"))
    node.subscribe("k", None, lambda _: True)
    assert node.receive(encode(EVENT), HERE, 0) == []
    other = msgspec.structs.replace(EVENT, network="other", node=8)
    assert node.receive(encode(other), HERE, 0) == []
    assert node.counts == {"foreign": 1}


def test_what_nobody_wants_of_the_content_is_not_handed_over() -> None:
    node = SteamMachine(1, SteamConfig("n"))
    node.subscribe("fast", frozenset(("Speed",)), lambda event: event.values["rate"] > 70)  # type: ignore[operator]
    node.subscribe("slow", frozenset(("Speed",)), lambda event: event.values["rate"] < 70)  # type: ignore[operator]
    assert node.receive(encode(EVENT), HERE, 0) == [Hand("slow", EVENT)]


def test_announcements_from_afar_and_those_not_repeated_are_forgotten() -> None:
    node = SteamMachine(1, SteamConfig("n", discovery_range=1_000.0))
    node.start()
    node.subscribe("k", None, lambda _: True)
    announcement = encode(DATAGRAMS[1])
    assert node.receive(announcement, Position(53.35, -6.25), 0) == []
    assert node.receive(announcement, None, 0) == []
    assert node.counts == {"distant": 2}
    [joined] = node.receive(announcement, Position(53.345, -6.25), 0)
    assert isinstance(joined, Join)
    assert [one.subject for one in node.heard()] == ["Speed"]
    assert node.tick(2_999_999, HERE) == []
    assert node.tick(3_000_000, HERE) == [limits.Leave(joined.group)]
    assert node.heard() == []


def test_what_others_make_a_node_keep_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_PRODUCERS", 10)
    node = SteamMachine(1, SteamConfig("n"))
    node.start()
    node.subscribe("k", None, lambda _: True)
    joined = 0
    for number in range(2, limits.MOST_HEARD + 50):
        shown = msgspec.structs.replace(DATAGRAMS[1], node=number, subject=f"S{number}")
        joined += len(node.receive(encode(shown), HERE, 0))
        node.receive(encode(msgspec.structs.replace(EVENT, node=number)), HERE, 0)
    assert joined == len(node.heard()) == limits.MOST_HEARD
    # Of the producers the last ten are known.
    node.counts.clear()
    for number in (limits.MOST_HEARD + 49, 2):
        node.receive(encode(msgspec.structs.replace(EVENT, node=number)), HERE, 0)
    assert node.counts == {"repeated": 1}
    many = frozenset(f"S{number}" for number in range(limits.MOST_SUBJECTS + 1))
    with pytest.raises(TooManyObjects, match="subscribes to at most 256 subjects"):
        node.subscribe("l", many, lambda _: True)
    for number in range(limits.MOST_SUBJECTS):
        node.announce(EventType(f"S{number}", {}), AROUND, HERE)
    with pytest.raises(TooManyObjects, match="announces at most 256 subjects"):
        node.announce(SPEED, AROUND, HERE)


def test_a_node_that_is_nowhere_announces_nothing_around_itself() -> None:
    node = SteamMachine(1, SteamConfig("n"))
    node.start()
    assert node.announce(SPEED, AROUND, None) == []
    assert node.tick(0, None) == []
    [beacon] = node.tick(0, HERE)
    assert isinstance(beacon, Send)
    assert isinstance(decode(beacon.octets), Announcement)


# Locations.


def test_a_track_goes_from_point_to_point_the_short_way_round() -> None:
    points = [Point(0, Position(10, 179)), Point(1_000, Position(20, -179))]
    where = track(points, start=5_000)
    assert where(0) == where(5_000) == points[0].position
    assert where(5_500) == Position(15, 180)
    assert where(9_000) == points[1].position
    for wrong in ([], [points[0], points[0]]):
        with pytest.raises(InvalidUsage, match="one point or more"):
            track(wrong, 0)


def test_a_track_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "track"
    path.write_text("0, 53.3, -6.2\n2.5, 53.4, -6.2\n")
    where = location_of(f"track:{path}", 0)
    assert where(0) == Position(53.3, -6.2)
    assert where(2_500_000) == Position(53.4, -6.2)
    for text, match in (("0, 53.3\n", "line 1"), ("0, 1, 2\nx, 1, 2\n", "line 2"), ("", "a track")):
        path.write_text(text)
        with pytest.raises(InvalidUsage, match=match):
            location_of(f"track:{path}", 0)
    with pytest.raises(InvalidUsage, match="cannot be read"):
        location_of(f"track:{tmp_path / 'none'}", 0)


def test_the_last_whole_line_of_a_file_says_where_the_node_is(tmp_path: Path) -> None:
    path = tmp_path / "gps"
    where = PositionFile(path)
    assert where(0) is None
    with path.open("a", encoding="ascii") as file:
        for text, position in (
            ("53.3, -6.2\n", Position(53.3, -6.2)),
            ("53.4, ", Position(53.3, -6.2)),
            ("-6.3\n", Position(53.4, -6.3)),
            ("x" * 5_000 + "\n", None),
            (nmea("GPGGA,120000,5320.4,N,00615.0,W,1,08,0.9,5.0,M,,,,") + "\n", HERE),
        ):
            file.write(text)
            file.flush()
            os.utime(path)
            found = where(0)
            assert found is position or found == pytest.approx(position)
    path.unlink()
    assert where(0) is None


def nmea(body: str) -> str:
    check = 0
    for octet in body.encode():
        check ^= octet
    return f"${body}*{check:02X}"


def test_sentences_of_gps_receivers() -> None:
    rmc = nmea("GPRMC,120000,A,5320.4,N,00615.0,W,0.0,0.0,010103,,")
    assert position_of_line(rmc) == pytest.approx(HERE)
    south = nmea("GNGGA,120000,3351.0,S,15112.6,E,1,08,0.9,5.0,M,,,,")
    assert position_of_line(south) == pytest.approx((-33.85, 151.21))
    for wrong in (
        rmc[:-2] + "00",
        nmea("GPRMC,120000,V,5320.4,N,00615.0,W,0.0,0.0,010103,,"),
        nmea("GPGGA,120000,5320.4,N,00615.0,W,0,08,0.9,5.0,M,,,,"),
        nmea("GPGGA,120000,5320.4,X,00615.0,W,1,08,0.9,5.0,M,,,,"),
        nmea("GPGGA,120000,9920.4,N,00615.0,W,1,08,0.9,5.0,M,,,,"),
        nmea("GPGGA,120000,,N,,W,1,08,0.9,5.0,M,,,,"),
        nmea("GPGSV,1"),
        "$",
    ):
        with pytest.raises(InvalidUsage):
            position_of_line(wrong)


# The radio.


async def test_an_interface_that_is_not_there_is_named() -> None:
    node = SteamNode(radio=RadioConfig("198.51.100.7"), position="0, 0")
    with pytest.raises(Unreachable, match=r"multicast by 198\.51\.100\.7, port 2\d+:"):
        node.open()
    for wrong in (RadioConfig("eth0"), RadioConfig(port=70_000), RadioConfig(ttl=256)):
        with pytest.raises(InvalidUsage):
            SteamNode(radio=wrong, position="0, 0")


async def test_a_node_says_that_its_interface_is_gone() -> None:
    config = SteamConfig(f"gone-{os.getpid()}", beacon=10_000)
    async with SteamNode(config, position="0, 0") as node:
        node.announce(SPEED, AROUND)
        sender = node._radio._sender
        assert sender is not None
        sender.close()  # as near as a test without rights comes
        async with asyncio.timeout(PATIENCE):
            assert "multicast by 127.0.0.1" in await node.lost
        with pytest.raises(Unreachable):
            node.publish("Speed", {"license_no": "x", "rate": math.pi})
    with pytest.raises(Unreachable, match="closed"):
        node.announce(SPEED, AROUND)
