"""Views over a WebSocket: frames that are wrong, a right that ends, and a slow reader."""

from __future__ import annotations

import asyncio
import logging

import pytest
from fastapi import WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketDisconnected

from tests.edges.web.served import served
from tidings.engine.access import OWNER
from tidings.engine.credentials import create_token
from tidings.grants import requests as g
from tidings.grants.core import Grants
from tidings.grants.model import Verb
from tidings.live.board import Told, View
from tidings.live.core import Live
from tidings.live.model import ObjectUpdate
from tidings.live.requests import SetObjects
from tidings.web import live as door_of_live

PATH = "/v1/live/view"
SET = {"tag": "flight/1", "attributes": {}}
MANY = [
    {"tag": f"flight/{at}", "attributes": {f"x{one}": 1 for one in range(100)}} for at in range(51)
]


@pytest.mark.parametrize(
    ("frame", "code", "said"),
    [
        ({"op": "dance"}, "invalid_usage", "the op 'dance' is none; there are look, set"),
        ({"op": "look", "rate": True}, "invalid_usage", "rate is True: it is a number from"),
        ({"op": "look", "area": {"south": 1}}, "invalid_usage", "area.west: it is missing"),
        ({"op": "look", "colour": "red"}, "invalid_usage", "colour"),
        ({"op": "look", "filter": "$x >"}, "invalid_constraint", "ends too early"),
        ({"op": "set", "objects": [{"tag": "x"}]}, "bad_tag", "'x' is not a tag"),
        ({"op": "set"}, "invalid_usage", "objects: it is missing"),
        ({"op": "set", "objects": [SET, SET]}, "invalid_usage", "is set twice in one request"),
        ({"op": "set", "objects": MANY}, "limit_exceeded", "5100 attributes at once are more"),
        ({"op": "look", "attributes": ["x"] * 101}, "limit_exceeded", "101 attributes to look"),
        ({"op": "look", "filter": f"$x > {'1' * 17_000}"}, "limit_exceeded", "17005 characters"),
    ],
)
async def test_a_frame_that_cannot_be_done_is_an_error_and_the_view_stays(
    frame: dict[str, object], code: str, said: str
) -> None:
    async with served(cores=[Live()]) as door, door.wire(PATH) as wire:
        await wire.send(op="look", pattern="flight/", rate=60)
        assert await wire.receive("objects") == {"op": "objects", "anew": True}
        refused = await wire.ask(id=7, **frame)
        assert (refused["op"], refused["problem"]["code"]) == ("error", code)
        assert said in refused["problem"]["detail"]
        given = {"tag": "flight/1", "attributes": {"height": 5}}
        await wire.send(op="set", id="a", objects=[given, {"tag": "car/1", "attributes": {}}])
        told = {one["op"]: one for one in (await wire.receive(), await wire.receive())}
        assert told["set"] == {"op": "set", "id": "a", "numbers": [1, 2]}
        assert told["objects"]["entered"] == [{"number": 1, **given}]


@pytest.mark.parametrize(("sent", "code"), [("[1]", 1008), ("{", 1008), (b"{}", 1003)])
async def test_what_is_no_frame_closes_the_socket(sent: str | bytes, code: int) -> None:
    async with served(cores=[Live()]) as door, door.wire(PATH) as wire:
        await wire.connection.send(sent)
        if code != 1003:
            assert (await wire.receive("error"))["id"] is None
        assert (await wire.closed())[0] == code
        assert door.state.counts.websockets == 0


async def test_a_view_that_looks_long_for_little_lets_others_have_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Slices without anything to tell are sent nowhere, where the task could wait."""
    taken = 0

    def nothing(_: View) -> Told:
        nonlocal taken
        taken += 1
        return Told(False, [], [], [], more=taken < 300_000)

    async with served(cores=[Live()]) as door, door.wire(PATH) as wire:
        monkeypatch.setattr(View, "take", nothing)
        await wire.send(op="look")
        assert (await wire.ask(op="set", id=1, objects=[SET]))["numbers"] == [1]
        assert 0 < taken < 300_000


@pytest.mark.parametrize("gone", [WebSocketDisconnect(1006), WebSocketDisconnected()])
async def test_who_has_gone_while_it_is_told_something_is_no_fault(
    gone: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def send(_: WebSocket, text: str) -> None:
        raise gone

    async with served(cores=[Live()]) as door, door.wire(PATH) as wire:
        monkeypatch.setattr(WebSocket, "send_text", send)
        await wire.send(op="look")
        await wire.closed()
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


async def test_a_view_ends_with_the_right_to_it() -> None:
    async with served(cores=[Live(), Grants()]) as door:
        ask = door.host.ask
        await ask(g.CreatePrincipal("root"))
        await ask(g.CreateGrant("root", (Verb.ADMINISTER,)))
        await create_token(door.host, OWNER, g.CreateToken("root"))
        await ask(g.CreatePrincipal("ann"))
        grant = await ask(g.CreateGrant("ann", (Verb.SUBSCRIBE,), ("*",)))
        await ask(g.CreateGrant("ann", (Verb.PUBLISH,), ("*",)))
        made = await create_token(door.host, OWNER, g.CreateToken("ann"))
        headers = {"Authorization": f"Bearer {made.token}"}
        async with door.wire(PATH, additional_headers=headers) as wire:
            await wire.send(op="look", rate=60)
            await wire.receive("objects")
            await ask(g.RevokeGrant(grant))
            assert (await wire.closed())[0] == 4401
        async with door.wire(PATH, additional_headers=headers) as wire:
            refused = await wire.ask(op="look", id=1)
            assert refused["problem"]["code"] == "forbidden"


async def test_a_slow_reader_finds_the_newest_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for it does not grow, and what it reads last is what there is."""
    monkeypatch.setattr(door_of_live, "checked_rate", lambda _: 1e6)
    async with served(cores=[Live()]) as door, door.wire(PATH, max_queue=1) as wire:
        text = "x" * 10_000
        await wire.send(op="look", rate=60)
        for at in range(300):
            updates = [ObjectUpdate(f"flight/{one}", {"a": f"{at}{text}"}) for one in range(10)]
            await door.host.ask(SetObjects(updates))
            await asyncio.sleep(0)
        frames, newest = 0, dict[int, str]()
        while len(newest) < 10 or any(value != f"299{text}" for value in newest.values()):
            frame = await wire.receive("objects")
            frames += 1
            for one in (*frame.get("entered", ()), *frame.get("changed", ())):
                newest[one["number"]] = one["attributes"]["a"]
        assert frames < 150
