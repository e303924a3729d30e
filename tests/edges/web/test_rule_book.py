"""The rule book of docs/security.md, cell by cell, over HTTP and inside one process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.real.docs.pages import page, tables
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.vocabulary import Place, Side, Style
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Forbidden, NotFound, TidingsError
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Verb
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.web.app import build_app

[BOOK] = [table for table in tables(page("docs/security.md")) if "asked" in table.headings]
CELLS = [
    (row["asked"], relation, row[relation]) for _, row in BOOK.dicts() for relation in list(row)[1:]
]
VERBS = {
    "see the channel": Verb.INSPECT,
    "use the proxy": Verb.USE,
    "inspect the proxy": Verb.INSPECT,
}
ROADS, RAILS, PROXY = 1, 2, 1
ANSWERS = {"yes": (200, 201, 204), "forbidden": (403,), "missing": (404,)}


def grant_for(asked: str, relation: str) -> g.CreateGrant | None:
    """What the principal of a column is granted."""
    verb = VERBS.get(asked) or Verb(asked)
    whole = verb is Verb.ADMINISTER
    match relation:
        case "granted the verb there":
            return g.CreateGrant("ann", (verb,), () if whole else ("roads",))
        case "owner of the proxy":
            return g.CreateGrant("ann", (Verb.SUBSCRIBE,), ("roads",))
        case "granted another verb there":
            other = Verb.PUBLISH if verb is not Verb.PUBLISH else Verb.SUBSCRIBE
            return g.CreateGrant("ann", (other,), ("roads",))
        case "granted the verb elsewhere":
            return g.CreateGrant("ann", (Verb.MANAGE if whole else verb,), ("rails",))
    return None


@asynccontextmanager
async def world(asked: str, relation: str) -> AsyncIterator[Host]:
    """Two channels, a proxy in the first, an administrator, and Ann with her grant."""
    host = await Host.open(cores=service_cores())
    for name in ("roads", "rails"):
        await host.ask(m.CreateChannel(new_origin(), name=name))
    owner = "ann" if relation == "owner of the proxy" else "eve"
    await host.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, owner=owner))
    for command in (
        g.CreatePrincipal("root"),
        g.CreateGrant("root", (Verb.ADMINISTER,)),
        g.AddCredential("root", CredentialKind.TOKEN, "x"),
        g.CreatePrincipal("ann"),
        grant_for(asked, relation),
    ):
        if command is not None:
            await host.ask(command)
    try:
        yield host
    finally:
        await host.close(0.05)


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


@pytest.mark.parametrize(("asked", "relation", "answer"), CELLS, ids=lambda word: word)
async def test_a_cell_inside_the_process(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host:
        door, request = LocalDoor(host, Caller("ann")), REQUESTS[asked][0]
        is_question = hasattr(q, type(request).__name__) or isinstance(request, g.SeeGrants)
        found = await answered(lambda: (door.request if is_question else door.ask)(request))
        assert found[0] == answer, found
        if answer == "missing":
            owner = LocalDoor(host, OWNER)
            await owner.ask(
                m.Disconnect(ROADS, PROXY)
                if "has no proxy" in found[1]
                else m.DestroyChannel(ROADS)
            )
            again = await answered(lambda: (owner.request if is_question else owner.ask)(request))
            assert again == found  # what is hidden is as what does not exist


@pytest.mark.parametrize(("asked", "relation", "answer"), CELLS, ids=lambda word: word)
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
