"""What is special about NATS: with a real nats-server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from nats.aio.client import Client

from tests.patience import PATIENCE
from tests.real.federation.freezing import frozen
from tests.real.federation.rigs import nats
from tests.real.federation.test_adapters import SPEED, Ear, connected, licenses, made, mark
from tidings.errors import InvalidUsage
from tidings.events.anyvalue import Any as Boxed
from tidings.events.build import event
from tidings.events.typecode import ULONGLONG
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.base import AdapterError, Arrival, Outgoing
from tidings.gateways.adapters.nats import KEPT, round_trip

EVERYTHING = constraint("TRUE")
BRAKE = constraint("$event_name == 'Brake'")


@pytest.fixture(scope="module")
def rig(record_real_part: Callable[[str, str], None]) -> Iterator[nats.Rig]:
    made = nats.Rig()
    made.start()
    assert made.part is not None
    record_real_part(*made.part)
    yield made
    made.stop()


def with_all_parts(rig: nats.Rig) -> tuple[dict[str, Any], str]:
    """Parameters whose subjects say domain, type and name, and the text before them."""
    parameters = rig.parameters()
    prefix = parameters["stream"]
    return {**parameters, "subject": f"{prefix}.{{domain}}.{{type}}.{{name}}"}, prefix


@contextlib.asynccontextmanager
async def foreign(rig: nats.Rig) -> AsyncIterator[Client]:
    client = Client()
    await client.connect(rig.url)
    yield client
    await client.close()


def named(name: str) -> Callable[[list[Arrival]], bool]:
    return lambda heard: any(one.event.name == name for one in heard)


@pytest.mark.parametrize("stream", [True, False])
async def test_an_event_passes_with_its_types_names_and_header(rig: nats.Rig, stream: bool) -> None:
    parameters, _ = with_all_parts(rig)
    parameters["stream"] = parameters["stream"] if stream else ""
    sent = [
        event(
            "Tra.ffic *", ">", "% ä\n",
            {"n": 1, "x": 1.0, "big": Boxed(ULONGLONG, 7), "in": {"list": [1, "a", b"\x00"]}},
            header={"Proximity": "0,0,1,2,3", "room": "12", "count": 1, "text": "ä\n", "a:b": "c"},
            priority=7, timeout="90s", stop="2090-01-01T00:00:00Z", body=b"\xff",
        ),
        event("", "", "only text", body="21.5"),
        event("", "", "only octets", body=b"{}", header={"a": "x" * 30_000, "b": "y" * 30_000}),
        event("", "", "end", body=[1, 2.5]),
    ]  # fmt: skip
    async with (
        connected("nats", parameters, EVERYTHING) as (_, ear),
        connected("nats", parameters, adapter="b") as (writer, _),
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


async def test_other_clients_see_plain_messages_and_no_orders(rig: nats.Rig) -> None:
    parameters, prefix = with_all_parts(rig)
    sent = event("Traffic", "Speed", "car-7", {"rate": 50}, priority=7,
                 header={"room": "12", "Nats-Rollup": "all"})  # fmt: skip
    async with foreign(rig) as client, connected("nats", parameters) as (one, _):
        heard = await client.subscribe(f"{prefix}.Traffic.Speed.*")
        await round_trip(client)
        await one.publish([Outgoing(sent, mark(1))])
        message = await heard.next_msg(PATIENCE)
    assert message.subject == f"{prefix}.Traffic.Speed.car-7"
    assert message.data == b'{"rate":50}'
    assert message.headers is not None
    assert message.headers["Content-Type"] == "application/json"
    assert (message.headers["Priority"], message.headers["room"]) == ("7", "12")
    assert message.headers["Nats-Msg-Id"] == "test/elsewhere/stream/1"
    assert "Nats-Rollup" not in message.headers  # it would delete the rest of the stream


async def test_what_other_clients_publish(rig: nats.Rig) -> None:
    parameters, prefix = with_all_parts(rig)
    async with foreign(rig) as client, connected("nats", parameters, EVERYTHING) as (_, ear):
        for payload in (b"21.5", b"on", b"\xff", b""):
            await client.publish(f"{prefix}.home.a%zz.lamp", payload)
        headers = {"Priority": "4", "x": "y", "Nats-Msg-Id": "own"}
        await client.publish(f"{prefix}.home.%.end", b'{"on":true}', headers=headers)
        heard = await ear.until(named("end"))
    assert [one.event.body for one in heard] == [21.5, "on", b"\xff", "", None]
    assert [one.event.type for one in heard] == [*["a%zz"] * 4, ""]
    assert dict(heard[4].event.data) == {"on": True}
    assert dict(heard[4].event.header) == {"Priority": 4, "x": "y"}


async def test_a_stream_numbers_events_and_drops_what_comes_again(rig: nats.Rig) -> None:
    parameters = rig.parameters()
    async with connected("nats", parameters, SPEED) as (one, ear):
        for _ in range(2):
            await one.publish([Outgoing(rig.sample(n), mark(n)) for n in (1, 2)])
        await one.publish([Outgoing(rig.sample(3), mark(3))])
        heard = await ear.named("CAR0003")
        assert [found.number for found in heard] == [1, 2, 3]
        [stream] = {found.stream for found in heard}
        await one.disconnect()
        async with foreign(rig) as client:
            jetstream = client.jetstream()
            config = (await jetstream.stream_info(parameters["stream"])).config
            assert (config.subjects, config.max_age) == ([f"{parameters['stream']}.*"], KEPT)
            await jetstream.delete_stream(parameters["stream"])
        await one.connect(ear)
        await one.want([SPEED])
        await one.publish([Outgoing(rig.sample(4), mark(4))])
        again = (await ear.named("CAR0004"))[-1]
    assert again.number == 1
    assert again.stream != stream


async def test_events_are_held_over_a_kill_of_the_server_and_lives_of_the_gateway(
    rig: nats.Rig, caplog: pytest.LogCaptureFixture
) -> None:
    parameters = rig.parameters()
    async with connected("nats", parameters, SPEED) as (one, ear), rig.native(parameters) as native:
        for number in (1, 2, 3):
            await native.publish(rig.sample(number))
        heard = await ear.named("CAR0003")
        one.taken([heard[0], heard[2]])
        await one.disconnect()
        await native.publish(rig.sample(4))
    for _ in range(3):  # the consumer's names take turns
        async with connected("nats", parameters, SPEED) as (one, ear):
            heard = await ear.named("CAR0004")
            # What was acknowledged behind a gap comes again, under its number.
            assert licenses(heard) == ["CAR0002", "CAR0003", "CAR0004"]
            assert [found.number for found in heard] == [2, 3, 4]
    await asyncio.to_thread(rig.kill)
    await asyncio.to_thread(rig.restart)
    async with connected("nats", parameters, SPEED) as (one, ear):
        # The server writes positions down now and then only.
        assert licenses(await ear.named("CAR0004"))[-3:] == ["CAR0002", "CAR0003", "CAR0004"]
        one.taken(ear.heard)
        await one.disconnect()
        ear.heard.clear()
        await one.connect(ear)
        await one.want([SPEED])
        await one.publish([Outgoing(rig.sample(5), mark(5))])
        assert licenses(await ear.named("CAR0005")) == ["CAR0005"]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_what_the_gateway_still_works_on_does_not_come_twice(rig: nats.Rig) -> None:
    parameters = {**rig.parameters(), "ack_wait": 1}
    async with connected("nats", parameters, SPEED) as (one, ear), foreign(rig) as client:
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        [first] = await ear.named("CAR0001")
        stream, jetstream = parameters["stream"], client.jetstream()
        async with asyncio.timeout(PATIENCE):
            while not (await jetstream.consumers_info(stream))[0].num_redelivered:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await one.publish([Outgoing(rig.sample(2), mark(2))])
            assert licenses(await ear.named("CAR0002")) == ["CAR0001", "CAR0002"]
            one.taken(ear.heard)
            while (await jetstream.consumers_info(stream))[0].num_ack_pending:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    assert first.number == 1


async def test_a_slow_gateway_holds_up_the_server_and_not_itself(rig: nats.Rig) -> None:
    parameters = {**rig.parameters(), "window": 5}
    async with (
        connected("nats", parameters, SPEED) as (one, ear),
        foreign(rig) as client,
    ):
        await one.publish([Outgoing(rig.sample(n), mark(n)) for n in range(20)])
        await ear.until(lambda heard: len(heard) >= 5)
        [info] = await client.jetstream().consumers_info(parameters["stream"])
        assert (len(ear.heard), info.num_ack_pending) == (5, 5)
        done = 0
        while len(ear.heard) < 20:
            more = ear.heard[done:]
            done += len(more)
            one.taken(more)
            await ear.until(lambda heard, done=done: len(heard) > done)  # type: ignore[misc]
    assert licenses(ear.heard) == [f"CAR{number:04}" for number in range(20)]


async def test_a_consumer_that_is_gone_is_told(
    rig: nats.Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidings.gateways.adapters.nats._HEARTBEAT", 0.1)
    parameters = rig.parameters()
    async with connected("nats", parameters, SPEED) as (one, _), foreign(rig) as client:
        await one.want([])
        await asyncio.sleep(0.5)  # no consumer, no heartbeats
        await one.want([SPEED])
        jetstream = client.jetstream()
        [info] = await jetstream.consumers_info(parameters["stream"])
        await jetstream.delete_consumer(parameters["stream"], info.name)
        async with asyncio.timeout(PATIENCE):
            assert "consumer is gone" in await one.lost()


async def test_filters_that_a_consumer_cannot_hold_are_joined(rig: nats.Rig) -> None:
    parameters = rig.parameters()
    async with connected("nats", parameters) as (one, ear), foreign(rig) as client:
        placed = await one.want([SPEED, BRAKE])
        [info] = await client.jetstream().consumers_info(parameters["stream"])
        several = info.config.filter_subjects is not None
        assert [found.exact for found in placed] == [several] * 2
        assert several or info.config.filter_subject == f"{parameters['stream']}.*"
        await one.want([SPEED])
        both = ["Brake", "Speed"]
        await one.publish([Outgoing(event("", "", name), mark(n)) for n, name in enumerate(both)])
        assert [found.event.name for found in await ear.until(bool)] == ["Speed"]
        one.taken(ear.heard)
        # A server of 2.9 that is told to filter a consumer otherwise delivers nothing then.
        await one.want([SPEED, BRAKE])
        await one.publish(
            [Outgoing(event("", "", name), mark(n)) for n, name in enumerate(both, 2)]
        )
        await ear.until(lambda heard: len(heard) >= 3)
        assert [found.event.name for found in ear.heard] == ["Speed", *both]
        await one.want([])
        assert not await client.jetstream().consumers_info(parameters["stream"])


async def test_core_nats_does_not_hear_itself(rig: nats.Rig) -> None:
    parameters = {**rig.parameters(), "stream": ""}
    async with (
        connected("nats", parameters, SPEED) as (one, ear),
        rig.native(parameters) as native,
    ):
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        await native.publish(rig.sample(2))
        assert licenses(await ear.until(bool)) == ["CAR0002"]


async def test_a_server_that_does_not_answer_is_given_up(
    rig: nats.Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tidings.gateways.adapters.nats._ANSWER_TIME", 0.2)
    async with connected("nats", rig.parameters(), SPEED) as (one, ear):
        monkeypatch.setattr("tidings.gateways.adapters.nats._CONNECT_TIME", 0.2)
        with frozen(rig.process):
            with pytest.raises(AdapterError, match="not acknowledged"):
                await one.publish([Outgoing(rig.sample(1), mark(1))])
            await one.disconnect()
            with pytest.raises(AdapterError):
                await one.connect(ear)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_stream_that_is_missing_is_told(rig: nats.Rig) -> None:
    parameters = {**rig.parameters(), "create": False}
    with pytest.raises(AdapterError, match=r"no stream 'suite\d+': create it, or set create"):
        await made("nats", parameters).connect(Ear())


class Guarded(nats.Rig):
    """A server that knows its users, and lets them do little."""

    options = (
        # The server waits for the password as long as a busy machine takes.
        "authorization { timeout: 60\n users = [ { user: admin, password: s3cret },\n"
        "  { user: roads, password: s3cret, permissions: {\n"
        '    publish: ["open.>", "$JS.>"], subscribe: ["open.>", "_INBOX.>"] } } ] }'
    )


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    made = Guarded()
    made.start()
    yield made
    made.stop()


def access(guarded: Guarded, **more: object) -> dict[str, object]:
    given = {"servers": [guarded.url], "subject": "{domain}.{name}", "stream": ""}
    return {**given, "user": "roads", "password": "s3cret", **more}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_subject_that_is_not_allowed_is_refused_alone(
    guarded: Guarded, stream: bool
) -> None:
    events = [event(domain, "", "N") for domain in ("open", "Closed", "open")]
    if stream:
        admin = Client()
        await admin.connect(guarded.url, user="admin", password="s3cret")
        await admin.jetstream().add_stream(name="S", subjects=["open.*", "Closed.*"])
        await admin.close()
    async with connected("nats", access(guarded, stream="S" if stream else "")) as (one, _):
        answers = await one.publish([Outgoing(each, mark(n)) for n, each in enumerate(events, 1)])
    assert [answer is None for answer in answers] == [True, False, True]
    assert answers[1] is not None
    assert "may not publish to subject 'Closed.N'" in answers[1].cause


async def test_a_filter_that_is_not_allowed_is_told(guarded: Guarded) -> None:
    async with connected("nats", access(guarded)) as (one, _):
        with pytest.raises(AdapterError, match=r"no permission to subscribe \*\.Speed"):
            await one.want([SPEED])
        await one.want([constraint("$domain_name == 'open'")])


async def test_a_wrong_password_is_told_without_it(guarded: Guarded) -> None:
    one = made("nats", access(guarded, password="wr0ng"))
    with pytest.raises(AdapterError, match=r"(?i)authorization") as caught:
        await one.connect(Ear())
    assert "wr0ng" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert type(one).secrets == ("password", "token")


def test_wrong_parameters_say_what_is_right() -> None:
    for name, value, words in (
        ("subject", "a.{nam}", "is none of {domain}"),
        ("subject", "a..{name}", "is no level"),
        ("servers", ["nats://roads:s3cret@host"], "parameters of their own"),
        ("stream", "a.b", "stream: a name without"),
        ("window", 0, "window"),
    ):
        with pytest.raises(InvalidUsage, match=words) as caught:
            made("nats", {name: value})
        assert "s3cret" not in str(caught.value)
