"""The rule book of docs/security.md, cell by cell: in one process, over HTTP, WebSocket and SSE."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from tests.edges.web.served import served
from tests.patience import PATIENCE
from tests.rule_book import PROXY, ROADS, cells, end, world
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.vocabulary import Place, Side, Style
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Forbidden, NotFound, TidingsError
from tidings.grants import requests as g
from tidings.web.app import build_app

ANSWERS = {"yes": (200, 201, 204), "forbidden": (403,), "missing": (404,)}

REQUESTS: dict[str, tuple[Any, str, str, Any]] = {
    "see the channel": (q.SeeChannel(ROADS), "GET", "/channels/1", None),
    "manage": (
        m.NewAdmin(ROADS, Side.CONSUMER),
        "POST",
        "/channels/1/admins",
        {"side": "consumer"},
    ),
    "publish": (
        m.ObtainProxy(ROADS, Side.SUPPLIER, Style.PUSH),
        *("POST", "/channels/1/proxies", {"side": "supplier"}),
    ),
    "subscribe": (
        m.ObtainProxy(ROADS, Side.CONSUMER, Style.PUSH),
        *("POST", "/channels/1/proxies", {"side": "consumer"}),
    ),
    "use the proxy": (
        m.SetQoS(Place(ROADS, proxy=PROXY), {"Priority": 3}),
        *("PATCH", "/channels/1/proxies/1/qos", {"Priority": 3}),
    ),
    "inspect the proxy": (q.SeeProxy(ROADS, PROXY), "GET", "/channels/1/proxies/1", None),
    "administer": (g.SeeGrants(), "GET", "/grants", None),
}


async def answered(work: Callable[[], Awaitable[object]]) -> tuple[str, str]:
    """What a request inside the process is answered with, and the words."""
    try:
        await work()
    except NotFound as error:
        return "missing", str(error)
    except Forbidden as error:
        return "forbidden", str(error)
    return "yes", ""


@cells()
async def test_a_cell_inside_the_process(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host:
        door, request = LocalDoor(host, Caller("ann")), REQUESTS[asked][0]
        is_question = hasattr(q, type(request).__name__) or isinstance(request, g.SeeGrants)
        found = await answered(lambda: (door.request if is_question else door.ask)(request))
        assert found[0] == answer, found
        if answer == "missing":
            owner = LocalDoor(host, OWNER)
            await end(host, asked if "has no proxy" in found[1] else "the channel")
            again = await answered(lambda: (owner.request if is_question else owner.ask)(request))
            assert again == found  # what is hidden is as what does not exist


@cells()
async def test_a_cell_over_http(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host:
        made = await LocalDoor(host).request(g.CreateToken("ann"))
        app = build_app(host)
        _, method, path, body = REQUESTS[asked]
        base: Any = {"base_url": "http://localhost", "timeout": PATIENCE}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), **base) as client:
            given = {} if body is None else {"json": body}
            nobody = await client.request(method, "/v1" + path, **given)
            assert nobody.status_code == 401
            headers = {"Authorization": f"Bearer {made.token}"}
            found = await client.request(method, "/v1" + path, headers=headers, **given)
            assert found.status_code in ANSWERS[answer], found.text
        app.state.web.close()


async def test_what_is_granted_can_be_taken_back() -> None:
    async with world("subscribe", "granted the verb there") as host:
        door = LocalDoor(host, Caller("ann"))
        proxy = await door.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PUSH))
        stream = door.buffer(None)
        await door.connect(m.Connect(ROADS, proxy), stream)
        await LocalDoor(host).ask(g.RevokeGrant(2))
        with pytest.raises(TidingsError, match="ann may not use proxy"):
            await stream.get()
        with pytest.raises(NotFound):
            await door.ask(m.Suspend(ROADS, proxy))


async def test_a_hidden_channel_is_not_told_by_what_is_missing_in_it() -> None:
    async with world("publish", "no grant") as host:
        door = LocalDoor(host, Caller("ann"))
        for channel in (ROADS, 77):
            found = await answered(lambda id=channel: door.ask(m.Suspend(id, 99)))  # type: ignore[misc]
            assert found == ("missing", f"there is no channel {channel}")


# Over a WebSocket, and as server-sent events, there are only some of the rows.


@cells("subscribe")
async def test_a_cell_as_a_subscribing_socket(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host, served(host=host) as door:
        headers = await shown_token(host)
        try:
            async with door.wire("/v1/channels/1/subscribe", additional_headers=headers) as wire:
                await wire.receive("connected")
                status = 200
        except InvalidStatus as refused:
            status = refused.response.status_code
        assert status in ANSWERS[answer]


@cells("use the proxy")
async def test_a_cell_on_a_line_of_a_socket(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host, served(host=host) as door:
        headers = await shown_token(host)
        async with door.wire(additional_headers=headers) as wire:
            frame = {"op": "connect", "id": 1, "line": 1, "channel": ROADS, "proxy": PROXY}
            found = await wire.ask(**frame)
            assert found.get("problem", {}).get("status", 200) in ANSWERS[answer], found
            if answer == "missing":
                await host.ask(m.Disconnect(ROADS, PROXY))
                assert await wire.ask(**frame) == found


@cells("subscribe")
async def test_a_cell_as_server_sent_events(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host, served(host=host) as door:
        headers = await shown_token(host)
        path = f"/v1/channels/{ROADS}/tail"
        async with door.client.stream("GET", path, headers=headers) as found:
            assert found.status_code in ANSWERS[answer]
            shown = "" if answer == "yes" else await found.aread()
        if answer == "missing":
            await host.ask(m.DestroyChannel(ROADS))
            gone = await door.client.get(path, headers=headers)
            assert (gone.status_code, gone.content) == (404, shown)


async def shown_token(host: Host) -> dict[str, str]:
    """Headers with a token of Ann's."""
    made = await LocalDoor(host).request(g.CreateToken("ann"))
    return {"Authorization": f"Bearer {made.token}"}
