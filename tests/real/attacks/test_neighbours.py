"""Principals on one channel: none speaks for another, takes what is its, or leaves its grant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.edges.engine.hosts import until
from tests.edges.web.served import Wire
from tests.real.attacks.scene import MARK, NEWS, Scene, under_attack
from tidings import event
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.questions import SeeHighestNumber
from tidings.channel.vocabulary import Side
from tidings.engine.endpoints import Endpoint
from tidings.errors import InvalidUsage
from tidings.events.envelope import ProducerMark
from tidings.grants import requests as g
from tidings.grants.model import Verb


def told(**data: Any) -> dict[str, Any]:
    """An event as JSON."""
    return {"domain": "Traffic", "type": "Speed", "data": data}


async def push(scene: Scene, who: str, producer: str, number: int) -> int:
    """Push an event with a producer's mark, through a proxy of the principal's own; its number."""
    door = scene.door(who)
    proxy = await door.ask(m.ObtainProxy(scene.roads, Side.SUPPLIER))
    await door.connect(m.Connect(scene.roads, proxy), Endpoint())
    marks = [ProducerMark(producer, number)]
    [answer] = await door.ask(c.Push(scene.roads, proxy, [event("a", "b")], marks))
    return int(answer)


@pytest.mark.parametrize("last", [3, 2**63 - 1])
async def test_nobody_uses_up_the_numbers_of_anothers_producer(last: int, tmp_path: Path) -> None:
    async with under_attack(tmp_path) as scene:
        await scene.principal("mallory", Verb.PUBLISH)
        asked = SeeHighestNumber(scene.roads, NEWS)
        assert await scene.door("mallory").request(asked) is None
        seqs = [await push(scene, "mallory", NEWS, number) for number in (1, 2, last)]
        assert await scene.door("eve").request(asked) == 2
        assert await push(scene, "eve", NEWS, 3) not in seqs
        assert await push(scene, "eve", NEWS, 2) == 2  # her own are known again
        assert len({*seqs}) == 3


async def test_a_producers_name_leaves_room_for_its_principals(tmp_path: Path) -> None:
    async with under_attack(tmp_path) as scene:
        await scene.principal("mallory", Verb.PUBLISH)
        assert await push(scene, "mallory", "x" * 248, 1)
        with pytest.raises(InvalidUsage, match="at most 248 characters for mallory, not 249"):
            await push(scene, "mallory", "x" * 249, 1)


FENCED = g.CreateGrant("mallory", (Verb.PUBLISH,), ("roads",), ("Traffic::*",), "$region == 'eu'")


async def polled(wire: Wire, line: int, *events: Any) -> None:
    """Answer the next poll of a pull supplier."""
    while (asked := await wire.receive())["op"] != "poll":
        assert asked["op"] == "types"
    await wire.send(op="polled", line=line, poll=asked["poll"], events=events)


async def test_a_supplier_that_is_polled_stays_within_its_grant(tmp_path: Path) -> None:
    async with under_attack(tmp_path) as scene:
        token = await scene.principal("mallory")
        await scene.owner.ask(FENCED)
        channel = scene.host.channels[scene.roads]
        async with scene.http(token) as client, scene.wire(token) as wire:
            given = {"side": "supplier", "style": "pull"}
            made = await client.post("/v1/channels/roads/proxies", json=given)
            await wire.connect(1, scene.roads, made.json()["id"])
            before = channel.seq
            await polled(wire, 1, told(region="us"))
            await polled(wire, 1, told(region="eu"))
            await until(lambda: channel.seq > before)
        history = await scene.owner.history(scene.roads, before)
        assert [one.event.data for one in history.messages] == [{"region": "eu"}]


@pytest.mark.parametrize("verbs", [(Verb.SUBSCRIBE,), (Verb.PUBLISH, Verb.SUBSCRIBE)])
async def test_nobody_takes_over_a_subscription_by_its_name(
    verbs: tuple[Verb, ...], tmp_path: Path
) -> None:
    async with under_attack(tmp_path) as scene:
        token = await scene.principal("mallory", *verbs)
        name, waiting = (
            f"{MARK}-billing",
            scene.door("eve").views.proxy(scene.roads, scene.consumer),
        )
        async with scene.http(token) as client:
            for side in ("consumer", "supplier"):
                asked = {"name": name, "side": side}
                found = await client.post("/v1/channels/roads/proxies", json=asked)
                may = Verb.PUBLISH in verbs or side == "consumer"
                assert found.status_code == (409 if may else 403), found.text
        for again in (True, False):
            async with scene.wire(token) as wire:
                frame = {"op": "connect", "id": 1, "line": 1, "channel": scene.roads,
                         "proxy": scene.consumer, "again": again}  # fmt: skip
                answer = await wire.ask(**frame)
                assert answer["problem"]["code"] == "proxy_not_found", answer
                for seqs in ([1, 2], [2**53]):
                    await wire.send(op="ack", line=1, seqs=seqs)
                    await wire.send(op="reject", line=1, seqs=seqs, reason=MARK)
        assert scene.door("eve").views.proxy(scene.roads, scene.consumer) == waiting


async def test_nothing_that_only_one_consumer_was_given_is_answered_by_another(
    tmp_path: Path,
) -> None:
    async with under_attack(tmp_path) as scene:
        token = await scene.principal("mallory", Verb.SUBSCRIBE)
        batch = await scene.door("eve").pull(scene.roads, scene.consumer, 1, 0, 600_000_000)
        [seq] = [message.seq for message in batch.messages]
        async with scene.http(token) as client:
            own = (await client.post("/v1/channels/roads/proxies", json={"style": "pull"})).json()
            for proxy, status in ((own["id"], 204), (scene.consumer, 404)):
                for verb in ("ack", "retry", "reject"):
                    place = f"/v1/channels/roads/proxies/{proxy}/{verb}"
                    found = await client.post(place, json={"seqs": [seq]})
                    assert found.status_code == status, (verb, found.text)
        info = scene.door("eve").views.proxy(scene.roads, scene.consumer)
        assert (info.in_flight, info.waiting) == (1, 0)
        await scene.door("eve").ask(c.Ack(scene.roads, scene.consumer, [seq]))
