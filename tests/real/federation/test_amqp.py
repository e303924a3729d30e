"""What is special about a broker of AMQP: typed headers, one queue, bindings that change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import aio_pika
import pytest

from tests.certificates import HOSTS
from tests.patience import PATIENCE
from tests.real.federation.rigs import amqp as rigs
from tests.real.federation.test_adapters import FAST, SPEED, Ear, connected, licenses, made, mark
from tidings.clock import utc_now
from tidings.events.build import event
from tidings.federation.capabilities import Survival
from tidings.filters.constraint import constraint
from tidings.gateways.adapters.amqp import AmqpAdapter
from tidings.gateways.adapters.base import AdapterError, Outgoing
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
    data = {"n": 7, "x": 2.5, "up": True, "nested": {"a": (1, b"\0"), "b": None}, "x-own": "y"}
    odd = {"nan": float("nan"), "big": 2**63, "n" * 200: 1, "long": "z" * 200_000}
    whole = event("T", "S", "Odd", {**data, **odd}, priority=30_000, timeout="1h", body=[1.5])
    wanted = constraint("$n == 7 and $up")
    async with (
        connected("amqp", given, wanted) as (_, ear),
        connected("amqp", given, adapter="b") as (writer, _),
        rig.native(given) as native,
    ):
        assert isinstance(native, rigs.Native)
        sample = event("", "", "Speed", data, header={"EventReliability": 0}, priority=-2)
        answers = await writer.publish([Outgoing(whole, mark(1)), Outgoing(sample, mark(2))])
        assert answers == [None, None]
        [first, second] = await ear.until(lambda heard: len(heard) == 2)
        assert (first.event, second.event) == (whole, sample)
        async with asyncio.timeout(PATIENCE):
            message = await native.waiting.get()
    assert message.headers["nested"] == {"a": [1, bytearray(b"\0")], "b": None}
    assert {name: message.headers[name] for name in ("n", "x", "up")} == {
        "n": 7,
        "x": 2.5,
        "up": True,
    }
    assert (message.priority, message.delivery_mode, message.routing_key) == (3, 1, "Speed")


async def test_a_foreign_message_becomes_an_event(rig: rigs.Rig) -> None:
    given = rig.parameters()
    noon = datetime(2026, 11, 19, 12, tzinfo=UTC)
    headers: Any = {"event_name": "Speed", "n": 5.0, "price": Decimal("1.50"), "at": noon,
                    "t": {"a": [1, {"b": "c"}]}, "": "nameless", "Federation": "none"}  # fmt: skip
    async with (
        connected("amqp", given, constraint("$n == 5 and exist $price")) as (_, ear),
        rig.native(given) as native,
    ):
        assert isinstance(native, rigs.Native)
        message = aio_pika.Message(
            b'{"a": [1, "b"]}', headers=headers, content_type="application/json", type="T",
            priority=9, expiration=3_600, delivery_mode=2, correlation_id="c",
        )  # fmt: skip
        await native.send(message, "key")
        [found] = await ear.until(bool)
    one = found.event
    assert found.mark is None
    assert (one.name, one.body) == ("Speed", {"a": (1, "b")})
    assert sorted(one.data) == ["at", "n", "price", "t"]
    assert one.data["price"] == {"decimal": "1.50"}
    assert one.data["t"] == {"a": (1, {"b": "c"})}
    assert (one.header["Priority"], one.header["Timeout"]) == (26_215, 36_000_000_000)
    assert one.header["native"]["correlation_id"] == "c"  # type: ignore[index, call-overload]


async def test_the_urgent_comes_first_and_what_has_expired_never(rig: rigs.Rig) -> None:
    given = rig.parameters()
    async with connected("amqp", given, SPEED) as (one, ear):
        await one.disconnect()
        async with connected("amqp", given, adapter="b") as (writer, _):
            events = [
                event("", "", "Speed", {"license_no": str(priority)}, priority=priority)
                for priority in (-9_000, 0, 9_000, 20_000)
            ]
            old = event("", "", "Speed", {"license_no": "old"}, stop="2020-01-01T00:00:00Z")
            ages = event("", "", "Speed", {"license_no": "ages"}, timeout="52w", priority=-9_000)
            await writer.publish([Outgoing(each, mark(1)) for each in (*events, old, ages)])
        await one.connect(ear)
        await one.want([SPEED])
        await one.publish([Outgoing(old, mark(1))])  # nor where somebody waits for it
        assert licenses(await ear.named("ages")) == ["20000", "9000", "0", "-9000", "ages"]


async def test_other_filters_lose_nothing_and_repeat_nothing(rig: rigs.Rig) -> None:
    given = {**rig.parameters(), "prefetch": 3}
    async with connected("amqp", given, SPEED) as (one, ear), rig.native(given) as native:
        for number in (1, 2, 3, 104, 105):
            await native.publish(rig.sample(number))
        heard = await ear.named("CAR0003")
        assert len(heard) == 3  # and no more, until one is taken
        await one.want([FAST, END])  # wider than both, since bindings know no orders
        await one.want([SPEED, END])
        await native.publish(rig.sample(6))
        one.taken(heard[1:2])  # not the oldest
        one.taken(heard[:3])
        await ear.until(lambda heard: len(heard) >= 5)
        one.taken(heard[3:5])
        assert licenses(await ear.named("CAR0006")) == [
            f"CAR0{n}" for n in ("001", "002", "003", "104", "105", "006")
        ]
        await one.disconnect()
        await native.publish(rig.sample(7))
        ear.heard.clear()
        await one.connect(ear)
        await one.want([END])  # another set in the next life
        await native.publish(rig.sample(8))
        await native.publish(event("", "", "End", {"license_no": "end"}))
        again = await ear.named("end")
    assert licenses(again) == ["CAR0006", "CAR0007", "end"]


async def test_a_large_event_passes_and_a_larger_one_is_refused_alone(rig: rigs.Rig) -> None:
    large, larger = (
        event("", "", "Speed", {"license_no": str(size)}, body="x" * size)
        for size in (9_000_000, 11_000_000)
    )
    async with connected("amqp", rig.parameters(), SPEED) as (one, ear):
        refused, taken = await one.publish([Outgoing(larger, mark(1)), Outgoing(large, mark(2))])
        assert taken is None
        assert refused is not None
        assert "octets" in refused.cause
        [found] = await ear.until(bool)
        assert found.event == large


async def test_a_deleted_queue_is_noticed(rig: rigs.Rig) -> None:
    given = rig.parameters()
    async with connected("amqp", given, SPEED) as (one, _):
        assert isinstance(one, AmqpAdapter)
        async with await aio_pika.connect(host="127.0.0.1", port=rig.port) as connection:
            await (await connection.channel()).queue_delete(one._queue)
        async with asyncio.timeout(PATIENCE):
            assert "was deleted" in await one.lost()


async def test_what_the_broker_refuses_is_told_in_its_words(rig: rigs.Rig) -> None:
    given = rig.parameters()
    async with await aio_pika.connect(host="127.0.0.1", port=rig.port) as connection:
        channel = await connection.channel()
        await channel.declare_exchange(given["exchange"], "topic", durable=True)
    with pytest.raises(AdapterError, match=r"PRECONDITION_FAILED.*'topic'"):
        await made("amqp", given).connect(Ear())


async def test_a_quorum_queue_holds_events_too(rig: rigs.Rig) -> None:
    given = {**rig.parameters(), "queue_type": "quorum"}
    async with connected("amqp", given, SPEED) as (one, ear):
        assert one.capabilities.priority is Survival.LOST
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        await ear.named("CAR0001")
        with pytest.raises(AdapterError, match="x-queue-type"):
            async with connected("amqp", {**given, "queue_type": "classic"}, SPEED):
                pass


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"password": "open sesame"}, "ACCESS_REFUSED"),
        ({"virtual_host": "elsewhere"}, "virtual host 'elsewhere'"),
        ({"tls": True, "ca_file": "/nowhere.pem"}, "No such file"),
    ],
)
async def test_who_is_not_let_in_is_told_why_but_not_the_password(
    rig: rigs.Rig, wrong: dict[str, Any], words: str
) -> None:
    one = made("amqp", {**rig.parameters(), **wrong})
    with pytest.raises(AdapterError, match=words) as raised:
        await one.connect(Ear())
    assert f"127.0.0.1:{rig.port}" in str(raised.value)
    assert wrong.get("password", "guest:") not in str(raised.value)
    assert "password" in AmqpAdapter.secrets


async def test_a_broker_is_known_by_its_certificate(rig: rigs.Rig) -> None:
    assert rig.certificates is not None
    given = {**rig.parameters(), "port": rig.tls_port, "tls": True}
    with pytest.raises(AdapterError, match="certificate"):
        await made("amqp", given).connect(Ear())
    given["ca_file"] = str(rig.certificates / "ca.pem")
    async with connected("amqp", given, SPEED) as (one, ear):
        await one.publish([Outgoing(rig.sample(1), mark(1))])
        await ear.named("CAR0001")
