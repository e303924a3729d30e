"""STEAM over real multicast: processes that move, and what the adapter carries beside values."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.patience import PATIENCE
from tests.real.federation.test_adapters import CONTROL, SPEED, Ear, connected, made, mark
from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.proximity import Circle, Position, Rectangle, area_of, distance
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.base import Adapter, AdapterError, Outgoing
from tidings.services.steam.datagrams import EventType, Kind, SteamEvent, decode
from tidings.services.steam.machine import SteamConfig, group_of
from tidings.services.steam.node import SteamNode, Subscription
from tidings.services.steam.radio import port_of

_NAMES = itertools.count()
_IP_RECVTTL = 12  # Linux; Python has no name for it
HERE = "53.34, -6.25"
NEAR = "53.341, -6.25"  # 111 m
FAR = "53.35, -6.25"  # 1,112 m
TYPE = EventType("Speed", {"license_no": Kind.TEXT, "rate": Kind.DOUBLE})
AROUND = Circle(Position(0, 0), 250, relative=True)


def network() -> str:
    return f"steam-{os.getpid()}-{next(_NAMES)}"


def speed(rate: float = 62.0, **header: object) -> StructuredEvent:
    return event("", "", "Speed", {"license_no": "05-D-1", "rate": rate}, header=header)


async def first(events: Subscription) -> SteamEvent:
    async with asyncio.timeout(PATIENCE):
        async for one in events:
            return one
    raise AssertionError


class Process:
    """A node in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def say(self, **line: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(line) + b"\n")
        await self._process.stdin.drain()

    async def hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = await self._process.stdout.readline()
        found: dict[str, Any] = msgspec.json.decode(line)
        return found


@asynccontextmanager
async def process(*arguments: str) -> AsyncIterator[Process]:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "tidings.services.steam", *arguments)
    started = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    node = Process(started)
    try:
        assert "ready" in await node.hear()
        yield node
    finally:
        assert started.stdin is not None
        started.stdin.close()
        async with asyncio.timeout(PATIENCE):
            assert await started.wait() == 0


async def test_processes_hear_what_is_valid_where_they_are() -> None:
    name = network()
    async with AsyncExitStack() as stack:

        async def start(position: str, *arguments: str) -> Process:
            given = ("--network", name, "--position", position, *arguments)
            return await stack.enter_async_context(process(*given))

        car, sign, away = await asyncio.gather(
            start(HERE),
            start(NEAR, "--subject", "Speed", "--where", "$rate > 50"),
            start(FAR, "--subject", "Speed"),
        )
        for rate in (40.0, 62.0):
            await car.say(subject="Speed", values={"rate": rate})
        heard = await sign.hear()
        assert heard["values"] == {"rate": 62.0}
        assert heard["position"] == HERE
        # The car goes on: what it sends now is for the other one.
        await car.say(position="53.3501, -6.25")
        await car.say(subject="Speed", values={"rate": 70.0})
        assert (await away.hear())["values"] == {"rate": 70.0}
        await car.say(subject="Speed", values={"rate": 71.0}, area=f"0, 0, {HERE}, 150")
        assert (await sign.hear())["values"] == {"rate": 71.0}
        await car.say(subject="Speed", values={"rate": None})
        assert "error" in await car.hear()


async def test_datagrams_come_from_the_loopback_and_go_nowhere_else() -> None:
    name = network()
    group = group_of(name, "Speed")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.setblocking(False)
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind((group, port_of(name)))
        loopback = socket.inet_aton("127.0.0.1")
        ear.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + loopback
        )
        ear.setsockopt(socket.IPPROTO_IP, _IP_RECVTTL, 1)
        async with SteamNode(SteamConfig(name), position=HERE) as node:
            node.announce(TYPE, AROUND)
            node.publish("Speed", {"license_no": "x", "rate": 1.0})
            octets, ancillary, _, sender = ear.recvmsg(2_000, 100)
        assert isinstance(decode(octets), SteamEvent)
        assert sender[0] == "127.0.0.1"
        assert ancillary[0][2][0] == 0  # time to live: no router passes it on


async def test_context_survives_the_service_and_what_is_lost_is_said() -> None:
    parameters = {"network": network(), "position": HERE}
    area = "1, 1, 0.0, 0.001, 0.5, 0.25"
    async with (
        connected("steam", parameters, SPEED) as (reader, ear),
        connected("steam", parameters, adapter="b") as (writer, _),
    ):
        sent = speed(Priority=-7, Timeout=50, Proximity=area, Position=NEAR)
        sent = msgspec.structs.replace(sent, domain="Traffic", type="Car")
        await writer.publish([Outgoing(sent, mark(5))])
        [found] = await ear.named("05-D-1")
    kept = reader.capabilities
    assert found.event.header == {"Proximity": area, "Position": NEAR, "Priority": -7}
    assert (kept.priority, kept.proximity, kept.lifetime) == ("kept", "kept", "lost")
    assert (found.event.domain, found.event.type) == ("Traffic", "Car")
    assert found.mark == mark(5)


@pytest.mark.parametrize(("shape", "kind"), [(0, Circle), (1, Rectangle)])
async def test_an_event_without_an_area_is_for_those_around_the_node(
    tmp_path: Path, shape: int, kind: type
) -> None:
    gps = tmp_path / "gps"
    parameters = {
        "network": network(), "position": f"file:{gps}", "default_range": 200.0,
        "default_type": shape,
    }  # fmt: skip
    config = SteamConfig(parameters["network"])  # type: ignore[arg-type]
    async with (
        connected("steam", parameters) as (one, _),
        SteamNode(config, position=NEAR) as near,
        SteamNode(config, position=FAR) as far,
    ):
        near_heard, far_heard = near.subscribe("Speed"), far.subscribe("Speed")
        [refused] = await one.publish([Outgoing(speed(1.0), mark(1))])
        assert refused is not None
        assert "nobody knows where the node is" in refused.cause
        gps.write_text(f"{HERE}\n")
        assert await one.publish([Outgoing(speed(2.0), mark(2))]) == [None]
        found = await first(near_heard)
        assert found.values["rate"] == 2.0
        area = found.proximity
        assert isinstance(area, kind)
        assert area.middle == (53.34, -6.25)
        assert not area.relative
        with gps.open("a", encoding="ascii") as file:
            file.write("53.3495, -6.25\n")  # it drives on
        assert await one.publish([Outgoing(speed(3.0), mark(3))]) == [None]
        assert (await first(far_heard)).values["rate"] == 3.0
        assert far.machine.counts["outside"] == near.machine.counts["outside"] == 1


async def test_a_side_that_moves_hears_what_is_valid_where_it_is_at_once(tmp_path: Path) -> None:
    gps = tmp_path / "gps"
    gps.write_text(f"{FAR}\n")
    parameters = {"network": network(), "position": f"file:{gps}"}
    async with (
        connected("steam", parameters, SPEED) as (_, ear),
        SteamNode(SteamConfig(parameters["network"]), position=HERE) as node,
    ):
        node.announce(TYPE, AROUND)
        node.publish("Speed", {"license_no": "before", "rate": 1.0})
        # It has been read when this one, which is for everywhere, has come.
        everywhere = Circle(Position(0, 0), 2e7)
        node.publish("Speed", {"license_no": "all", "rate": 1.0}, area=everywhere)
        assert len(await ear.named("all")) == 1
        with gps.open("a", encoding="ascii") as file:
            file.write(f"{NEAR}\n")
        node.publish("Speed", {"license_no": "inside", "rate": 1.0})
        heard = await ear.named("inside")
    assert [one.event.data["license_no"] for one in heard] == ["all", "inside"]
    area = area_of(heard[-1].event)
    assert isinstance(area, Circle)
    assert area.relative
    assert distance(Position(53.34, -6.25), Position(53.341, -6.25)) < area.radius


async def test_two_gateways_know_an_event_by_the_same_number() -> None:
    parameters = {"network": network(), "position": HERE}
    async with (
        connected("steam", parameters, SPEED) as (_, one),
        connected("steam", parameters, SPEED, adapter="b") as (_, other),
        SteamNode(SteamConfig(parameters["network"]), position=HERE) as node,
    ):
        node.announce(TYPE, AROUND)
        for number in (1, 2):
            node.publish("Speed", {"license_no": f"x{number}", "rate": 1.0})
        heard, also = await one.named("x2"), await other.named("x2")
    assert [(a.stream, a.number) for a in heard] == [(a.stream, a.number) for a in also]
    assert [a.number for a in heard] == [1, 2]
    assert heard[0].stream


async def test_a_filter_without_a_subject_hears_what_is_announced() -> None:
    parameters = {"network": network(), "position": HERE, "beacon": 0.02}
    fast = constraint("$rate > 50")
    async with (
        connected("steam", parameters, adapter="b") as (writer, _),
        connected("steam", parameters, fast) as (reader, ear),
    ):
        [placed] = await reader.want([fast])
        assert placed.text == "all subjects, with $rate > 50"
        await writer.offer(["Speed"])
        await heard_of(reader, "Speed")
        await writer.publish([Outgoing(speed(rate), mark(1)) for rate in (40.0, 62.0)])
        [found] = await ear.named("05-D-1")
        assert found.event.data["rate"] == 62.0
        await writer.offer(["Braking"])
        await heard_of(reader, "Braking")
        await writer.disconnect()
        await heard_of(reader)


async def heard_of(reader: Adapter[Any], *subjects: str) -> None:
    """Wait until a node knows these announcements."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = [one.subject for one in reader._node.heard()]  # type: ignore[attr-defined]
            if found == list(subjects):
                return
            await asyncio.sleep(0.005)


async def test_a_control_event_of_many_chunks_passes() -> None:
    parameters = {"network": network(), "position": HERE}
    text = "".join(chr(0x4E00 + n % 5_000) for n in range(100_000))
    sent = event("", "", CONTROL_SUBJECT, {"Type": 7, "DistList": "", "Source": "S", "Body": text})
    async with (
        connected("steam", parameters, CONTROL) as (_, ear),
        connected("steam", parameters, adapter="b") as (writer, _),
    ):
        assert await writer.publish([Outgoing(sent, mark(9))]) == [None]
        [found] = await ear.until(bool)
        assert found.event == sent
        assert found.mark == mark(9)
        huge = event("", "", CONTROL_SUBJECT, {"Type": 7, "Body": "x" * 2_000_000})
        [refused] = await writer.publish([Outgoing(huge, mark(10))])
        assert refused is not None
        assert "at most" in refused.cause


async def test_what_steam_cannot_carry_is_refused_with_the_cause() -> None:
    parameters = {
        "network": network(), "position": HERE, "types": {"Speed": {"rate": "S_DBL"}},
    }  # fmt: skip
    wrong = {
        "have the parameters rate S_DBL, no others": speed(),
        "a 32-bit integer": event("", "", "Count", {"n": 2**31}),
        "a subject has": event("Traffic", "Car", "", {"n": 1}),
        "nothing else": event("", "", "Count", {"n": 1}, body="more"),
        "latitude is a number": event("", "", "Count", {}, header={"Proximity": "0, 0, 99, 0, 1"}),
        "a text is expected": event("", "", "Count", {}, header={"Position": 5}),
    }
    async with connected("steam", parameters) as (one, _):
        answers = await one.publish([Outgoing(each, mark(1)) for each in wrong.values()])
        long = mark(1).then("x" * 1_100)
        answers = [*answers, *await one.publish([Outgoing(event("", "", "Count", {}), long)])]
    for cause, answer in zip([*wrong, "STEAM"], answers, strict=True):
        assert answer is not None
        assert cause in answer.cause


def test_wrong_parameters_say_what_would_be_right() -> None:
    for wrong, match in (
        ({}, "position"),
        ({"position": "here"}, "no position"),
        ({"position": "track:/none"}, "cannot be read"),
        ({"position": HERE, "default_type": 2}, "default_type"),
        ({"position": HERE, "default_range": -1.0}, "default_range"),
        ({"position": HERE, "types": {"Speed": {"rate": "S_BOOL"}}}, "S_BOOL"),
        ({"position": HERE, "beacon": 0.0}, "beacon"),
        ({"position": HERE, "port": 70_000}, "a port is"),
    ):
        with pytest.raises(InvalidUsage, match=match):
            made("steam", dict(wrong))


async def test_an_interface_that_is_not_there_is_an_error_of_the_adapter() -> None:
    one = made("steam", {"position": HERE, "interface": "198.51.100.7"})
    with pytest.raises(AdapterError, match=r"multicast by 198\.51\.100\.7"):
        await one.connect(Ear())
    await one.disconnect()
