"""What is special about a broker of JMS: texts for all, subscriptions that change, context."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.certificates import HOSTS
from tests.patience import PATIENCE
from tests.real.federation.rigs import jms as rigs
from tests.real.federation.test_adapters import FAST, SPEED, Ear, connected, licenses, made, mark
from tidings.clock import utc_now
from tidings.events.build import event
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.base import AdapterError, Outgoing
from tidings.gateways.adapters.jms import JmsAdapter
from tidings.gateways.brokers.stomp import StompRefused
from tidings.server.dev_certificates import make_certificates

END = constraint("$event_name == 'End'")


@pytest.fixture(scope="module")
def rig(
    record_real_part: Callable[[str, str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[rigs.Rig]:
    certificates = tmp_path_factory.mktemp("certificates")
    make_certificates(certificates, HOSTS, (), utc_now())
    one = rigs.Rig(certificates)
    one.start()
    assert one.part is not None
    record_real_part(*one.part)
    yield one
    one.stop()


async def test_types_names_and_context_survive(rig: rigs.Rig) -> None:
    given = rig.parameters()
    whole = event(
        "Traffic",
        "Speed",
        "Odd",
        {
            "n": 7, "x": -0.0, "up": True, "text": "a:b\\c\nd", "nested": {"a": (1, b"\0")},
            "destination": "/queue/other", "gone\r": "x\r\0y", "long": "z" * 20_000,
        },
        header={"route": "A 8"},
        body={"any": [1.5, None]},
        priority=30_000,
        timeout="1h",
    )  # fmt: skip
    wanted = constraint("$destination == '/queue/other' and $text == 'a:b\\\\c\nd' and $up")
    async with (
        connected("jms", given, wanted) as (_, ear),
        connected("jms", given, adapter="b") as (writer, _),
        rig.native(given) as native,
    ):
        assert isinstance(native, rigs.Native)
        sample = event("", "", "Speed", {"license_no": "A", "rate": 3.5}, priority=-2)
        answers = await writer.publish([Outgoing(whole, mark(1)), Outgoing(sample, mark(2))])
        assert answers == [None, None]
        [found] = await ear.until(bool)
        assert found.event == whole
        async with asyncio.timeout(PATIENCE):
            headers: Any = (await native.waiting.get()).headers
    assert (headers["rate"], headers["priority"], headers["persistent"]) == ("3.5", "3", "true")


async def test_a_foreign_message_becomes_an_event(rig: rigs.Rig) -> None:
    given = {**rig.parameters(), "texts": ["zip"]}
    async with (
        connected("jms", given, constraint("$rate > 100 and $up == TRUE")) as (_, ear),
        rig.native(given) as native,
    ):
        assert isinstance(native, rigs.Native)
        headers = {"domain_name": "Traffic", "event_name": "5", "rate": "120", "up": "true",
                   "zip": "12345", "code": "007", "priority": "9", "expires": "4102444800000",
                   "type": "T", "reply-to": "/queue/r"}  # fmt: skip
        await native.send("grüezi".encode(), headers)
        [found] = await ear.until(bool)
    one = found.event
    assert (one.domain, one.name, one.body) == ("Traffic", "5", "grüezi")
    assert dict(one.data) == {**one.data, "rate": 120, "up": True, "zip": "12345", "code": "007"}
    assert (one.header["Priority"], one.header["EventReliability"]) == (26_215, 0)
    assert one.header["native"] == {"type": "T", "reply-to": "/queue/r"}
    assert "StopTime" in one.header


async def test_what_has_expired_is_not_handed_over(rig: rigs.Rig) -> None:
    given = rig.parameters()
    old = event("", "", "Speed", {"license_no": "OLD"}, stop="2020-01-01T00:00:00Z")
    async with connected("jms", given, SPEED) as (one, ear):
        await one.publish([Outgoing(old, mark(1)), Outgoing(rig.sample(2), mark(2))])
        assert licenses(await ear.named("CAR0002")) == ["CAR0002"]


async def test_other_filters_lose_nothing_and_repeat_nothing(rig: rigs.Rig) -> None:
    given = {**rig.parameters(), "window": 3}
    async with connected("jms", given, SPEED) as (one, ear), rig.native(given) as native:
        for number in (1, 2, 3, 104, 105):
            await native.publish(rig.sample(number))
        await ear.named("CAR0003")
        await one.want([FAST])  # while two wait at the broker
        for number in (6, 107):
            await native.publish(rig.sample(number))
        one.taken(ear.heard)
        await ear.named("CAR0105")
        await one.want([FAST, END])
        one.taken(ear.heard)
        await native.publish(rig.sample(108))
        heard = await ear.named("CAR0108")
        assert licenses(heard) == [
            f"CAR0{n}" for n in ("001", "002", "003", "104", "105", "107", "108")
        ]
        await one.disconnect()
        await native.publish(rig.sample(109))
        ear.heard.clear()
        await one.connect(ear)
        await one.want([SPEED])  # another set in the next life
        await native.publish(rig.sample(10))
        again = await ear.named("CAR0010")
    # What was not taken comes again, and nothing is lost.
    assert sorted(set(licenses(again)) - {"CAR0105", "CAR0107"}) == [
        "CAR0010",
        "CAR0108",
        "CAR0109",
    ]


async def test_filters_change_while_events_flow(rig: rigs.Rig) -> None:
    given = rig.parameters()
    many = 400
    async with (
        connected("jms", given, SPEED) as (one, ear),
        connected("jms", given, adapter="b") as (writer, _),
    ):

        async def publish() -> None:
            for number in range(many):
                await writer.publish([Outgoing(rig.sample(number), mark(number))])

        flow = asyncio.create_task(publish())
        for turn in range(12):
            seen = len(ear.heard)
            await one.want([SPEED, END] if turn % 2 == 0 else [SPEED])
            await ear.until(lambda heard, seen=seen: len(heard) > seen or flow.done())  # type: ignore[misc]
            one.taken(ear.heard)
        await flow
        heard = await ear.named(f"CAR{many - 1:04}")
    assert licenses(heard) == [f"CAR{number:04}" for number in range(many)]


async def test_a_refused_selector_is_told_and_changes_nothing(rig: rigs.Rig) -> None:
    given = rig.parameters()
    async with connected("jms", given, SPEED) as (one, ear), rig.native(given) as native:
        assert isinstance(one, JmsAdapter)
        assert one._reading is not None
        with pytest.raises(StompRefused, match="rate >"):
            await one._change(one._reading, "rate >")
        await native.publish(rig.sample(1))
        await ear.named("CAR0001")


async def test_the_window_is_kept(rig: rigs.Rig) -> None:
    given = {**rig.parameters(), "window": 10}
    async with connected("jms", given, SPEED) as (one, ear), rig.native(given) as native:
        for number in range(30):
            await native.publish(rig.sample(number))
        heard = await ear.until(lambda heard: len(heard) >= 10)
        assert len(heard) == 10
        one.taken(list(heard))
        heard = await ear.until(lambda heard: len(heard) >= 20)
        assert len(heard) == 20


async def test_a_large_event_passes_and_a_larger_one_is_refused_alone(rig: rigs.Rig) -> None:
    given = rig.parameters()
    large, larger = (
        event("", "", "Speed", {"license_no": str(size)}, body="x" * size)
        for size in (3_000_000, 11_000_000)
    )
    async with connected("jms", given, SPEED) as (one, ear):
        sent = [Outgoing(larger, mark(1)), Outgoing(large, mark(2))]
        refused, taken = await one.publish(sent)
        assert taken is None
        assert refused is not None
        assert "octets" in refused.cause
        [found] = await ear.until(bool)
        assert found.event == large


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"password": "pass:wrong"}, "password"),
        ({"tls": True, "ca_file": "/nowhere.pem"}, "No such file"),
        ({"password": "two\nlines"}, "line break"),
    ],
)
async def test_who_is_not_let_in_is_told_why_but_not_the_password(
    rig: rigs.Rig, wrong: dict[str, Any], words: str
) -> None:
    one = made("jms", {**rig.parameters(), **wrong})
    with pytest.raises(AdapterError, match=words) as raised:
        await one.connect(Ear())
    assert f"127.0.0.1:{rig.port}" in str(raised.value)
    assert wrong.get("password", "pass:word") not in str(raised.value)
    assert "password" in JmsAdapter.secrets


async def test_a_broker_is_known_by_its_certificate(rig: rigs.Rig) -> None:
    assert rig.certificates is not None
    given = {**rig.parameters(), "port": rig.tls_port, "tls": True}
    with pytest.raises(AdapterError, match="certificate"):
        await made("jms", given).connect(Ear())
    given["ca_file"] = str(rig.certificates / "ca.pem")
    async with connected("jms", given, SPEED) as (one, ear):
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        await ear.named("CAR0001")
