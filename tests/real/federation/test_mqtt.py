"""What is special about MQTT: with a real Mosquitto."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.patience import PATIENCE
from tests.real.federation.freezing import frozen
from tests.real.federation.rigs import mqtt
from tests.real.federation.test_adapters import SPEED, Ear, connected, licenses, made, mark
from tidings.errors import InvalidUsage
from tidings.events.anyvalue import Any as Boxed
from tidings.events.build import event
from tidings.events.typecode import ULONGLONG
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.base import AdapterError, Arrival, Outgoing

EVERYTHING = constraint("TRUE")
OTHER = constraint("$event_name == 'Other'")


@pytest.fixture(scope="module")
def rig(record_real_part: Callable[[str, str], None]) -> Iterator[mqtt.Rig]:
    made = mqtt.Rig()
    made.start()
    assert made.part is not None
    record_real_part(*made.part)
    yield made
    made.stop()


def with_all_parts(rig: mqtt.Rig) -> tuple[dict[str, Any], str]:
    """Parameters whose topics say domain, type and name, and the text before them."""
    parameters = rig.parameters()
    prefix = parameters["topic"].partition("/")[0]
    return {**parameters, "topic": f"{prefix}/{{domain}}/{{type}}/{{name}}"}, prefix


@contextlib.asynccontextmanager
async def foreign(rig: mqtt.Rig, *topics: str) -> AsyncIterator[aiomqtt.Client]:
    """A client of version 5 that has nothing to do with us."""
    protocol = aiomqtt.ProtocolVersion.V5
    async with aiomqtt.Client("127.0.0.1", rig.port, protocol=protocol) as client:
        for topic in topics:
            await client.subscribe(topic, qos=1)
        yield client


def beside(**values: object) -> Properties:
    found = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(found, name, value)
    return found


def named(name: str) -> Callable[[list[Arrival]], bool]:
    return lambda heard: any(one.event.name == name for one in heard)


async def test_an_event_passes_with_its_types_names_and_lifetime(rig: mqtt.Rig) -> None:
    parameters, _ = with_all_parts(rig)
    sent = [
        event(
            "Tra/ffic +#", "", "$SYS % ä\n",
            {"n": 1, "x": 1.0, "big": Boxed(ULONGLONG, 7), "in": {"list": [1, "a", b"\x00"]}},
            header={"Proximity": "0,0,1.0,2.0,3", "room": "12", "count": 1, "text": "ä\n"},
            priority=7, timeout="90s", stop="2090-01-01T00:00:00Z", body=b"\xff",
        ),
        event("", "", "only text", body="21.5"),
        event("", "", "only octets", body=b"{}"),
        event("", "", "end", body=[1, 2.5]),
    ]  # fmt: skip
    async with (
        connected("mqtt", parameters, EVERYTHING) as (_, ear),
        connected("mqtt", parameters, adapter="b") as (writer, _),
    ):
        answers = await writer.publish([Outgoing(one, mark(n)) for n, one in enumerate(sent, 1)])
        assert answers == [None] * len(sent)
        heard = await ear.until(named("end"))
    for found, one in zip(heard, sent, strict=True):
        parts = (found.event.domain, found.event.type, found.event.name)
        assert parts == (one.domain, one.type, one.name)
        assert dict(found.event.header) == dict(one.header)
        assert (found.event.data, found.event.body) == (one.data, one.body)
    assert [one.mark for one in heard] == [mark(n) for n in range(1, 5)]


async def test_other_clients_see_plain_messages(rig: mqtt.Rig) -> None:
    parameters, prefix = with_all_parts(rig)
    sent = event(
        "Traffic", "Speed", "car-7", {"rate": 50}, priority=7, timeout="90s", header={"room": "12"}
    )
    async with (
        foreign(rig, f"{prefix}/Traffic/Speed/+") as client,
        connected("mqtt", parameters) as (one, _),
    ):
        await one.publish([Outgoing(sent, mark(1))])
        message = await anext(client.messages)
    assert str(message.topic) == f"{prefix}/Traffic/Speed/car-7"
    assert message.payload == b'{"rate":50}'
    found: Any = message.properties
    assert found.ContentType == "application/json"
    assert found.MessageExpiryInterval == 90
    texts = dict(found.UserProperty)
    assert (texts["Priority"], texts["room"]) == ("7", "12")


async def test_what_other_clients_publish(rig: mqtt.Rig) -> None:
    parameters, prefix = with_all_parts(rig)
    async with foreign(rig) as client, connected("mqtt", parameters, EVERYTHING) as (_, ear):
        for payload in (b"21.5", b"on", b"\xff", b""):
            await client.publish(f"{prefix}/house//lamp", payload, qos=1)
        properties = beside(MessageExpiryInterval=60, UserProperty=[("Priority", "4"), ("x", "y")])
        await client.publish(f"{prefix}/house/a%zz/lamp", b'{"on":true}', properties=properties)
        await client.publish(f"{prefix}/house/a/end", b"{", qos=2)
        heard = await ear.until(named("end"))
    assert [one.event.body for one in heard] == [21.5, "on", b"\xff", "", None, "{"]
    assert (heard[0].event.domain, heard[0].event.type) == ("house", "")
    assert heard[4].event.type == "a%zz"
    assert dict(heard[4].event.data) == {"on": True}
    header = dict(heard[4].event.header)
    assert 0 < header.pop("Timeout") <= 600_000_000  # type: ignore[operator]
    assert header == {"Priority": 4, "x": "y"}
    assert all(one.mark is None for one in heard)


async def test_retained_messages_and_those_of_the_broker_are_no_events(rig: mqtt.Rig) -> None:
    top = {**rig.parameters(), "topic": "{domain}/{name}"}
    async with foreign(rig) as client:
        await client.publish("kept/old", b"1", qos=1, retain=True)
        for protocol, retained, expected in (
            ("5", False, ["new"]),
            ("3.1.1", False, ["new"]),
            ("5", True, ["old", "new"]),
            ("3.1.1", True, ["old", "new"]),
        ):
            given = {**top, "protocol": protocol, "retained": retained, "session": 0}
            async with connected("mqtt", given, EVERYTHING) as (one, ear):
                assert not one.capabilities.holds
                await client.publish("$SYS/mine/new", b"{}", qos=1)
                await client.publish("kept/new", b"2", qos=1)
                heard = await ear.until(named("new"))
            assert [found.event.name for found in heard] == expected
        await client.publish("kept/old", b"", qos=1, retain=True)


async def test_what_a_gateway_publishes_it_does_not_hear(rig: mqtt.Rig) -> None:
    async with (
        connected("mqtt", rig.parameters(), SPEED) as (one, ear),
        foreign(rig) as client,
    ):
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        await client.publish(one.parameters.topic.replace("{name}", "Speed"), b"{}", qos=1)
        assert [found.mark for found in await ear.until(bool)] == [None]


async def test_a_group_shares_the_events(rig: mqtt.Rig) -> None:
    parameters = {**rig.parameters(), "group": "roads"}
    async with (
        connected("mqtt", parameters, SPEED) as (_, ear),
        connected("mqtt", parameters, SPEED, adapter="b") as (_, other),
        rig.native(parameters) as native,
    ):
        for number in range(20):
            await native.publish(rig.sample(number))
        both = Ear()
        async with asyncio.timeout(PATIENCE):
            while len(both.heard) < 20:
                both.heard = [*ear.heard, *other.heard]
                await asyncio.sleep(0.01)
    assert sorted(licenses(both.heard)) == [f"CAR{number:04}" for number in range(20)]
    assert ear.heard
    assert other.heard


async def test_events_are_held_over_a_restart_of_the_broker(rig: mqtt.Rig) -> None:
    parameters = rig.parameters()
    async with connected("mqtt", parameters, SPEED) as (one, ear):
        async with rig.native(parameters) as native:
            for number in (1, 2):
                await native.publish(rig.sample(number))
            one.taken((await ear.named("CAR0002"))[:1])
            await one.disconnect()
            await native.publish(rig.sample(3))
        await asyncio.to_thread(rig.end)
        await asyncio.to_thread(rig.restart)
        ear.heard.clear()
        await one.connect(ear)
        await one.want([SPEED])
        assert licenses(await ear.named("CAR0003")) == ["CAR0002", "CAR0003"]


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_filters_of_an_earlier_life_end(rig: mqtt.Rig, protocol: str) -> None:
    parameters = {**rig.parameters(), "protocol": protocol}
    async with connected("mqtt", parameters, SPEED):
        pass
    async with connected("mqtt", parameters, OTHER) as (_, ear), foreign(rig) as client:
        topic = parameters["topic"]
        async with asyncio.timeout(PATIENCE):
            for _ in iter(int, 1):
                ear.heard.clear()
                for name in ("Speed", "Other"):
                    await client.publish(topic.replace("{name}", name), b"{}", qos=1)
                if not named("Speed")(await ear.until(named("Other"))):
                    break


async def test_a_slow_gateway_holds_up_the_broker_and_not_itself(rig: mqtt.Rig) -> None:
    parameters = {**rig.parameters(), "window": 5}
    async with (
        connected("mqtt", parameters, SPEED) as (one, ear),
        connected("mqtt", parameters, OTHER, adapter="b") as (_, other),
        rig.native(parameters) as native,
    ):
        for number in range(20):
            await native.publish(rig.sample(number))
        await native.publish(event("", "", "Other"))
        await other.until(bool)
        await ear.until(lambda heard: len(heard) >= 5)
        assert len(ear.heard) == 5
        one.taken([ear.heard[4]])  # in any order
        await ear.until(lambda heard: len(heard) == 6)
        done = 0
        while len(ear.heard) < 20:
            more = ear.heard[done:]
            done += len(more)
            one.taken(more)
            await ear.until(lambda heard, done=done: len(heard) > done)  # type: ignore[misc]
    assert licenses(ear.heard) == [f"CAR{number:04}" for number in range(20)]


async def test_a_broker_that_does_not_answer_is_given_up(
    rig: mqtt.Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tidings.gateways.adapters.mqtt._ANSWER_TIME", 0.2)
    async with connected("mqtt", rig.parameters(), SPEED) as (one, ear):
        monkeypatch.setattr("tidings.gateways.adapters.mqtt._CONNECT_TIME", 0.2)
        with frozen(rig.process):
            with pytest.raises(AdapterError, match="not acknowledged"):
                await one.publish([Outgoing(rig.sample(1), mark(1))])
            await one.disconnect()
            with pytest.raises(AdapterError):
                await one.connect(ear)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_cut_is_told_and_is_no_error(
    rig: mqtt.Rig, caplog: pytest.LogCaptureFixture
) -> None:
    parameters = rig.parameters()
    async with connected("mqtt", parameters, SPEED) as (one, _):
        async with connected("mqtt", parameters, SPEED):  # the same client id
            async with asyncio.timeout(PATIENCE):
                assert "the connection" in await one.lost()
        await one.disconnect()
        await one.connect(Ear())
        await one.want([SPEED])
        with frozen(rig.process):
            events = [Outgoing(rig.sample(n), mark(n)) for n in range(500)]
            waiting = asyncio.create_task(one.publish(events))
            await asyncio.sleep(0)
            await asyncio.to_thread(rig.kill)
        try:
            with pytest.raises(AdapterError):
                await waiting
            async with asyncio.timeout(PATIENCE):
                assert str(rig.port) in await one.lost()
        finally:
            await asyncio.to_thread(rig.restart)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


class Guarded(mqtt.Rig):
    """A broker that knows its users, lets them do little, and has small windows."""

    def start(self) -> None:
        self.secrets = tempfile.TemporaryDirectory(prefix="tidings-")
        place = Path(self.secrets.name)
        command = ["mosquitto_passwd", "-b", "-c", str(place / "users"), "roads", "s3cret"]
        subprocess.run(command, check=True, capture_output=True)
        (place / "acl").write_text("user roads\ntopic readwrite open/#\n")
        self.options = (
            f"password_file {place}/users\nacl_file {place}/acl\nmax_inflight_messages 2\n"
        )
        super().start()

    def stop(self) -> None:
        super().stop()
        self.secrets.cleanup()


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    made = Guarded()
    made.start()
    yield made
    made.stop()


def access(guarded: Guarded, **more: object) -> dict[str, object]:
    topic = "{domain}/{name}"
    return {"port": guarded.port, "topic": topic, "user": "roads", "password": "s3cret", **more}


async def test_a_topic_that_is_not_allowed_is_refused_alone(guarded: Guarded) -> None:
    events = [event(domain, "", "n") for domain in ("open", "closed", "open")]
    async with connected("mqtt", access(guarded)) as (one, _):
        answers = await one.publish([Outgoing(each, mark(n)) for n, each in enumerate(events, 1)])
        assert [answer is None for answer in answers] == [True, False, True]
        assert answers[1] is not None
        assert "may not publish" in answers[1].cause


@contextlib.asynccontextmanager
async def proxy(port: int) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """A way to the broker that holds back its answers while the event is not set."""
    passing, tasks = asyncio.Event(), []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, back: bool) -> None:
        with contextlib.suppress(OSError):
            while octets := await reader.read(65_536):
                if back:
                    await passing.wait()
                writer.write(octets)
        writer.close()

    async def on_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        tasks.append(asyncio.create_task(pump(reader, far_writer, False)))
        tasks.append(asyncio.create_task(pump(far_reader, writer, True)))

    passing.set()
    server = await asyncio.start_server(on_client, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], passing
    passing.set()
    await asyncio.gather(*tasks)


async def test_the_broker_gets_no_more_at_once_than_it_wants(guarded: Guarded) -> None:
    known = {"username": "roads", "password": "s3cret"}
    async with (
        proxy(guarded.port) as (port, passing),
        connected("mqtt", access(guarded, port=port)) as (one, _),
        aiomqtt.Client("127.0.0.1", guarded.port, **known) as client,  # type: ignore[arg-type]
    ):
        await client.subscribe("open/#")
        passing.clear()
        many = [Outgoing(event("open", "", f"n{n}"), mark(n)) for n in range(20)]
        publishing = asyncio.create_task(one.publish(many))
        received = [str((await anext(client.messages)).topic) for _ in range(2)]
        await client.publish("open/own")
        received.append(str((await anext(client.messages)).topic))
        assert received == ["open/n0", "open/n1", "open/own"]
        passing.set()
        assert await publishing == [None] * 20


async def test_a_wrong_password_is_told_without_it(guarded: Guarded) -> None:
    one = made("mqtt", access(guarded, password="wr0ng"))
    with pytest.raises(AdapterError, match="Not authorized") as caught:
        await one.connect(Ear())
    assert "wr0ng" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert "password" in type(one).secrets


def test_wrong_parameters_say_what_is_right() -> None:
    for name, value, words in (
        ("topic", "a/{nam}", "is none of {domain}"),
        ("topic", "$SYS/{name}", "broker's own"),
        ("group", "a/b", "without /"),
        ("qos", 2, "qos"),
        ("window", 0, "window"),
    ):
        with pytest.raises(InvalidUsage, match=words):
            made("mqtt", {name: value})


async def test_files_of_tls_that_are_missing_are_named(rig: mqtt.Rig) -> None:
    for name in ("ca_file", "cert_file"):
        with pytest.raises(AdapterError, match=f"{name}: /nowhere"):
            await made("mqtt", {**rig.parameters(), name: "/nowhere"}).connect(Ear())


def test_what_is_lost_with_less_is_said() -> None:
    old = made("mqtt", {"protocol": "3.1.1", "topic": "{domain}"}).capabilities
    assert (old.marks, old.control, old.lifetime, old.priority) == (False, False, "lost", "lost")
    assert made("mqtt", {"protocol": "3.1.1", "payload": "event"}).capabilities.marks
    quick = made("mqtt", {"qos": 0}).capabilities
    assert (quick.holds, quick.confirms, quick.promise) == (False, False, "at most once")
