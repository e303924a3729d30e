"""A SIENA server with connections: hostile, slow and silent neighbours hurt nobody else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from tests.patience import PATIENCE
from tidings.errors import InvalidUsage, Unreachable
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import Mark
from tidings.filters.constraint import constraint
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.gateways.adapters import siena as adapter
from tidings.gateways.adapters.base import Arrival, Outgoing, Refused, Side, new_adapter
from tidings.services.siena import client as client_module
from tidings.services.siena import service as service_module
from tidings.services.siena.client import SienaClient
from tidings.services.siena.relations import Notification
from tidings.services.siena.service import SienaService, SienaSettings
from tidings.services.siena.wire import (
    AnyRecord,
    Failed,
    Hello,
    Publish,
    Role,
    Servers,
    Settle,
    Settled,
    SienaError,
    Splitter,
    Subscribe,
    address,
    encode,
)

ALL = ()
PLAIN = SienaSettings()


@asynccontextmanager
async def running(settings: SienaSettings = PLAIN) -> AsyncIterator[SienaService]:
    service = SienaService(settings)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


class Ear:
    """A consumer."""

    def __init__(self) -> None:
        self.heard: list[Notification] = []
        self._come = asyncio.Event()

    async def __call__(self, notifications: Sequence[Notification]) -> None:
        self.heard += notifications
        self._come.set()

    async def until(self, done: Callable[[list[Notification]], bool]) -> list[Notification]:
        async with asyncio.timeout(PATIENCE):
            while not done(self.heard):
                self._come.clear()
                await self._come.wait()
        return self.heard


async def failure(reader: asyncio.StreamReader) -> str:
    """What a server says last."""
    async with asyncio.timeout(PATIENCE):
        records = Splitter().feed(await reader.read())
    assert isinstance(records[-1], Failed)
    return records[-1].cause


async def test_hostile_octets_end_only_their_own_connection() -> None:
    ear = Ear()
    async with running() as service, await SienaClient.connect(service.url, ear) as good:
        good.subscribe(ALL)
        await good.settle()
        for octets, cause in (
            (b"GET / HTTP/1.1\r\n\r\n", "1,048,576 octets"),
            (encode(Hello(Role.CLIENT)) + b"\x00\x00\x00\x01\xff", "not a record"),
            (encode(Subscribe.of(ALL)), "Hello"),
        ):
            reader, writer = await asyncio.open_connection(*address(service.url))
            writer.write(octets)
            assert cause in await failure(reader)
            writer.close()
        async with await SienaClient.connect(service.url) as other:
            await other.publish({"a": 1})
        assert await ear.until(bool) == [{"a": 1}]


async def test_who_says_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "_GREETING", 0.01)
    async with running() as service:
        reader, writer = await asyncio.open_connection(*address(service.url))
        assert "no Hello" in await failure(reader)
        writer.close()


async def test_connections_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MOST_CONNECTIONS", 1)
    async with running() as service, await SienaClient.connect(service.url) as first:
        with pytest.raises(Unreachable, match="1 connections"):
            await SienaClient.connect(service.url)
        await first.settle()


async def test_a_slow_reader_misses_notifications_and_others_get_all() -> None:
    ear, sent = Ear(), 0
    async with (
        running(SienaSettings(most_waiting=10_000)) as service,
        await SienaClient.connect(service.url, ear) as quick,
        await SienaClient.connect(service.url) as writer,
    ):
        quick.subscribe(ALL)
        await quick.settle()
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.setblocking(False)
        await asyncio.get_running_loop().sock_connect(slow, address(service.url))
        reader, slow_writer = await asyncio.open_connection(sock=slow, limit=1)
        slow_writer.writelines(map(encode, (Hello(Role.CLIENT), Subscribe.of(ALL), Settle(1))))
        splitter, answers = Splitter(), list[AnyRecord]()
        while Settled(1, 0) not in answers:
            answers += splitter.feed(await reader.read(65_536))
        while not service.dropped:
            await writer.publish({"text": "x" * 5_000})
            sent += 1
        await ear.until(lambda heard: len(heard) == sent)
        # It reads again, and is served again.
        found = 0
        async with asyncio.timeout(PATIENCE):
            last = False
            while not last:
                for one in splitter.feed(await reader.read(65_536)):
                    last = last or (isinstance(one, Publish) and "last" in one.attributes)
                    found += isinstance(one, Publish) and "text" in one.attributes
                if not last and found >= sent - service.dropped - 1:
                    await writer.publish({"last": True})
        assert found == sent - 1
        slow_writer.close()


async def test_a_server_without_an_address_says_so() -> None:
    async with running() as service:
        with pytest.raises(InvalidUsage, match="cannot listen"):
            await SienaService(SienaSettings(service.url)).start()
    with pytest.raises(Unreachable, match="cannot be reached"):
        await SienaClient.connect(service.url)


async def test_a_client_learns_why_it_was_cut_off_and_what_was_refused() -> None:
    async with (
        running(SienaSettings(advertised=True)) as service,
        await SienaClient.connect(service.url) as client,
    ):
        with pytest.raises(SienaError, match="advertise first"):
            await client.publish({"a": 1})
        with pytest.raises(SienaError, match="no hyphen"):
            client.subscribe((AttributeTest("a-b", Operator.ANY),))
        answers = await client.publish_all([{"a-b": 1}, {"a": "x" * 2**20}])
        assert "no hyphen" in answers[0]
        assert "octets" in answers[1]
        await service.stop()
        await client.ended()
        assert client.cause == "the server is stopped"
        with pytest.raises(Unreachable, match="the server is stopped"):
            await client.publish({"a": 1})


# The adapter.


def made(url: str, **parameters: str) -> adapter.SienaAdapter:
    found = new_adapter("siena", Side("sys", "G", "a", "S"), {"url": url, **parameters})
    assert isinstance(found, adapter.SienaAdapter)
    return found


def out(one: StructuredEvent) -> Outgoing:
    return Outgoing(one, Mark("sys", "S", "s", 1, ("S",)))


def speed(**data: object) -> StructuredEvent:
    return event("", "", "Speed", data)


async def test_the_adapter_advertises_what_it_publishes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "MOST_SUBJECTS", 2)
    ear = Ear()
    async with (
        running(SienaSettings(advertised=True)) as service,
        await SienaClient.connect(service.url, ear) as reader,
    ):
        reader.subscribe(ALL)
        await reader.settle()
        one = made(service.url)
        await one.connect(_nobody)
        await one.offer(["a"])
        for name in "abcd":
            assert await one.publish([out(event("", "", name, {}))]) == [None]
        heard = await ear.until(lambda heard: len(heard) == 4)
        assert [each["FES_Subject"] for each in heard] == ["a", "b", "c", "d"]
        await one.disconnect()


async def _nobody(arrivals: Sequence[Arrival]) -> None:
    assert not arrivals


async def test_a_server_that_hangs_far_away_does_not_stop_the_adapter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_module, "_FAR_PATIENCE", 0.05)
    async with running() as service:
        _, writer = await asyncio.open_connection(*address(service.url))
        writer.write(encode(Hello(Role.PEER, "mute")) + encode(Servers(("mute",))))
        one = made(service.url)
        await one.connect(_nobody)
        [placed] = await one.want([constraint("$event_name == 'Speed'")])
        assert placed.exact
        assert await one.publish([out(speed(rate=1))]) == [None]
        await one.disconnect()
        writer.close()


async def test_the_subject_may_be_in_another_attribute() -> None:
    arrivals: list[Arrival] = []
    come = asyncio.Event()

    async def heard(some: Sequence[Arrival]) -> None:
        arrivals.extend(some)
        if len(arrivals) > 1:
            come.set()

    async with running() as service, await SienaClient.connect(service.url) as native:
        one = made(service.url, subject="kind")
        await one.connect(heard)
        await one.want([constraint("$event_name == 'Speed'")])
        # A notification that is no event comes with what is wrong with it.
        await native.publish({"kind": "Speed", "FES_Domain": 1})
        await native.publish({"kind": "Speed", "rate": 7, "FES_Mark": "torn"})
        async with asyncio.timeout(PATIENCE):
            await come.wait()
        [wrong, found] = arrivals
        assert "FES_Domain" in str(wrong.problem)
        assert found.event == speed(rate=7)
        assert found.mark is None
        await one.disconnect()
    with pytest.raises(InvalidUsage, match="subject: an attribute's name"):
        made(service.url, subject="the subject")


async def test_what_siena_cannot_carry_is_refused_with_its_place() -> None:
    async with running() as service:
        one = made(service.url)
        await one.connect(_nobody)
        wrong = {
            "data.axles": speed(axles=[1, 2]),
            "data: an attribute's name": speed(**{"licence-no": "x"}),
            "data: attribute rate": speed(rate=float("inf")),
            "64 bits": speed(rate=2**63),
            "data.FES_Mark": speed(FES_Mark="x"),
            "data.Priority": event("", "", "x", {"Priority": 1}, priority=2),
            "body": event("", "", "x", {}, body=[1]),
            "octets": speed(text="x" * 2**20),
        }
        answers = await one.publish([out(each) for each in wrong.values()])
        for cause, answer in zip(wrong, answers, strict=True):
            assert isinstance(answer, Refused)
            assert cause in answer.cause
        await one.disconnect()


def test_the_context_of_an_event_travels_with_it() -> None:
    sent = event(
        "Traffic",
        "Moving",
        "Speed",
        {"rate": 61.5},
        header={"Proximity": "0, 0, 53.3, -6.2, 100", "Lane": 2},
        body="whole",
        priority=-7,
        timeout="5s",
        start="2026-11-19T10:00:00.000001Z",
        stop="2027-01-01T08:00:00Z",
    )
    mapping = adapter.EventMapping()
    assert mapping.arrival(mapping.notification(sent)).event == sent


def test_a_native_notification_is_an_event_without_a_header() -> None:
    found = adapter.EventMapping().arrival({"rate": 3, "Priority": 4})
    assert found.event == event("", "", "", {"rate": 3, "Priority": 4})
