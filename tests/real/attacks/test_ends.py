"""What a principal has open ends with its right to it: all that can be open × all its ends."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed

from tests.edges.engine.hosts import soon, until
from tests.edges.server.serving import serving, sources
from tests.edges.web.served import Wire
from tests.patience import PATIENCE
from tests.real.attacks.scene import Scene, under_attack
from tidings import event
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.vocabulary import Side, Style
from tidings.engine import callers
from tidings.engine.endpoints import Endpoint
from tidings.errors import TidingsError
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.grants.secrets import fits
from tidings.names import new_origin
from tidings.web.security import REVOKED

LATE: Final = "after-the-end"
_HOUR: Final = 3_600_000_000


class Mallory(NamedTuple):
    """A principal, and the numbers of what can be taken from it."""

    token: g.NewToken
    grant: int
    role: int


class Open(NamedTuple):
    """Something open: what came over it, and how it ends."""

    got: list[str]
    ended: asyncio.Future[Any] | Coroutine[Any, Any, Any]


Opens = Callable[[Scene, str, AsyncExitStack], Awaitable[Open]]


async def _read(wire: Wire, got: list[str]) -> int:
    with suppress(ConnectionClosed):
        while True:
            got.append(str(await wire.connection.recv()))
    return wire.connection.close_code or 0


async def _line(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    client = await stack.enter_async_context(scene.http(token))
    made = (await client.post("/v1/channels/roads/proxies", json={})).json()
    wire = await stack.enter_async_context(scene.wire(token))
    await wire.connect(1, scene.roads, made["id"])
    return _reading(wire, stack)


async def _eves_line(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    wire = await stack.enter_async_context(scene.wire(token))
    door = scene.door("eve")
    proxy = await door.ask(m.ObtainProxy(scene.roads, name="shared"))
    await wire.connect(1, scene.roads, proxy)
    return _reading(wire, stack)


async def _subscription(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    path = "/v1/channels/roads/subscribe?after=0"
    wire = await stack.enter_async_context(scene.wire(token, path))
    await wire.receive("connected")
    return _reading(wire, stack)


def _reading(wire: Wire, stack: AsyncExitStack) -> Open:
    got: list[str] = []
    reading = asyncio.ensure_future(_read(wire, got))
    stack.callback(reading.cancel)
    return Open(got, reading)


async def _unread_subscription(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    """Its client reads nothing, so that nobody can tell it that it is over."""
    door, much = scene.door("eve"), event("a", "b", data={"text": "x" * 500_000})
    for _ in range(24):
        await door.ask(c.Push(scene.roads, scene.supplier, [much]))
    path = "/v1/channels/roads/subscribe?after=0"
    wire = await stack.enter_async_context(scene.wire(token, path))
    wire.connection.transport.pause_reading()
    stack.callback(wire.connection.transport.abort)
    [proxy] = [one for one in scene.host.channels[scene.roads].proxies.values() if one.attached
               and one.owner == "mallory"]  # fmt: skip
    return Open([], until(lambda: not proxy.attached))


async def _tail(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    client = await stack.enter_async_context(scene.http(token))
    asked = client.stream("GET", "/v1/channels/roads/tail?after=0")
    found = await stack.enter_async_context(asked)
    assert found.status_code == 200
    got: list[str] = []
    lines = found.aiter_lines()
    await anext(lines)

    async def read() -> None:
        with suppress(httpx2.HTTPError, StopAsyncIteration):
            while True:
                got.append(await anext(lines))

    reading = asyncio.ensure_future(read())
    stack.callback(reading.cancel)
    return Open(got, reading)


async def _pull(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    client = await stack.enter_async_context(scene.http(token))
    made = (await client.post("/v1/channels/roads/proxies", json={"style": "pull"})).json()
    place = f"/v1/channels/roads/proxies/{made['id']}/pull"
    got: list[str] = []

    async def pull() -> None:
        with suppress(httpx2.HTTPError):
            got.append((await client.post(place, json={"most": 9, "wait": 60})).text)

    pulling = asyncio.ensure_future(pull())
    stack.callback(pulling.cancel)
    await until(lambda: scene.host.out.pulls)
    return Open(got, pulling)


async def _pull_inside(scene: Scene, _: str, stack: AsyncExitStack) -> Open:
    """What waits for a caller that comes through another door than HTTP."""
    door = scene.door("mallory")
    proxy = await door.ask(m.ObtainProxy(scene.roads, Side.CONSUMER, Style.PULL))
    await door.connect(m.Connect(scene.roads, proxy), Endpoint())
    got: list[str] = []

    async def pull() -> None:
        with suppress(TidingsError):
            got.append(str((await door.pull(scene.roads, proxy, 9, 600_000_000, None)).messages))

    pulling = asyncio.ensure_future(pull())
    stack.callback(pulling.cancel)
    await until(lambda: scene.host.out.pulls)
    return Open(got, pulling)


async def _upload(scene: Scene, token: str, stack: AsyncExitStack) -> Open:
    client = await stack.enter_async_context(scene.http(token))
    begun, over = asyncio.Event(), asyncio.Event()

    async def lines() -> AsyncIterator[bytes]:
        yield json.dumps({"domain": "a", "type": "b"}).encode() + b"\n"
        begun.set()
        await over.wait()
        yield json.dumps({"domain": "a", "type": LATE}).encode() + b"\n"

    before = scene.host.channels[scene.roads].seq

    async def upload() -> None:
        headers = {"Content-Type": "application/x-ndjson"}
        with suppress(httpx2.HTTPError):
            await client.post("/v1/channels/roads/events", content=lines(), headers=headers)

    uploading = asyncio.ensure_future(upload())
    stack.callback(uploading.cancel)
    await until(lambda: begun.is_set() and scene.host.channels[scene.roads].seq > before)

    async def ended() -> None:
        over.set()
        await uploading

    return Open([], ended())


OPENS: Final[dict[str, Opens]] = {
    "a line of a WebSocket": _line,
    "a line to what another owns": _eves_line,
    "a subscription that replays": _subscription,
    "a subscription that is not read": _unread_subscription,
    "a tail": _tail,
    "a pull that waits": _pull,
    "a pull of another door": _pull_inside,
    "an upload": _upload,
}


async def _later(scene: Scene) -> None:
    """An hour passes; the service notices with whatever it is asked next."""
    scene.host.clock._base += _HOUR
    await scene.owner.request(g.SeeGrants())


ENDS: Final[dict[str, Callable[[Scene, Mallory], Awaitable[Any]]]] = {
    "its token is revoked": lambda s, x: s.owner.ask(g.RevokeCredential(x.token.credential)),
    "its token expires": lambda s, _: _later(s),
    "its grant is revoked": lambda s, x: s.owner.ask(g.RevokeGrant(x.grant)),
    "its grant expires": lambda s, _: _later(s),
    "its role's grant is revoked": lambda s, x: s.owner.ask(g.RevokeGrant(x.role)),
    "its role is taken": lambda s, _: s.owner.ask(g.ChangePrincipal("mallory", roles=())),
    "it is disabled": lambda s, _: s.owner.ask(g.ChangePrincipal("mallory", disabled=True)),
    "it is deleted": lambda s, _: s.owner.ask(g.DeletePrincipal("mallory")),
}


async def mallory(scene: Scene, end: str) -> Mallory:
    """A principal whose right depends on what is going to end alone."""
    owner, later = scene.owner, scene.host.clock.now() + _HOUR
    await owner.ask(g.CreatePrincipal("mallory", roles=("drivers",)))
    verbs = (Verb.PUBLISH, Verb.SUBSCRIBE, Verb.USE)
    to_role = "role" in end
    grant = 0
    if not to_role:
        until_then = later if end == "its grant expires" else None
        asked = g.CreateGrant("mallory", verbs, ("roads",), expires_at=until_then)
        grant = await owner.ask(asked)
    role = await owner.ask(g.CreateGrant("role:drivers", verbs if to_role else (Verb.PUBLISH,),
                                         ("roads",) if to_role else ("malls",)))  # fmt: skip
    expiry = later if end == "its token expires" else None
    token = await owner.request(g.CreateToken("mallory", expires_at=expiry))
    return Mallory(token, grant, role)


@asynccontextmanager
async def opened(what: str, end: str, folder: Path) -> AsyncIterator[tuple[Scene, Mallory, Open]]:
    """A service on which a principal has something open."""
    patient = {"http__write_patience": "1h"}
    async with under_attack(folder, **patient) as scene, AsyncExitStack() as stack:
        made = await mallory(scene, end)
        yield scene, made, await OPENS[what](scene, made.token.token, stack)


_PULLS: Final = ("a pull that waits", "a pull of another door")
_CREDENTIALS: Final = ("its token is revoked", "its token expires")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("what", OPENS)
async def test_what_is_open_ends_with_the_right_to_it(what: str, end: str, tmp_path: Path) -> None:
    if what == "a pull of another door" and end in _CREDENTIALS:
        return  # it showed no token
    async with opened(what, end, tmp_path) as (scene, made, open_):
        await ENDS[end](scene, made)
        before = scene.host.channels[scene.roads].seq
        await _publish_late(scene)
        found: Any = await soon(open_.ended)
        assert found in (None, REVOKED)
        assert LATE not in "".join(open_.got)
        history = await scene.owner.history(scene.roads, before)
        assert [one.event.type for one in history.messages].count(LATE) == 1
        # Nothing is left that would gather events for nobody.
        proxies = scene.host.channels[scene.roads].proxies
        if what == "a tail":
            await until(lambda: not [one for one in proxies.values() if one.owner == "mallory"])
        if what not in _PULLS:  # those come with each request, perhaps with another token
            await until(lambda: not [one for one in proxies.values() if one.owner == "mallory"
                                     and one.attached and one.side is Side.CONSUMER])  # fmt: skip
        if what == "a line to what another owns":
            shared = scene.door("eve").views.proxy(scene.roads, "shared")
            await until(lambda: not scene.host.channels[scene.roads].proxies[shared.id].attached)


async def _publish_late(scene: Scene) -> None:
    door = scene.door("eve")
    await door.ask(c.Push(scene.roads, scene.supplier, [event("a", LATE)]))


async def test_who_owned_an_open_service_owns_it_no_more_when_grants_decide(tmp_path: Path) -> None:
    async with serving(sources(store__dir=tmp_path)) as (service, client):
        scene, stack = Scene(service), AsyncExitStack()
        await scene.owner.ask(m.CreateChannel(new_origin(), name="roads"))
        scene.roads = scene.owner.views.channel("roads").id
        async with stack:
            names = ("a line of a WebSocket", "a subscription that replays", "a tail", "an upload")
            opened = [await OPENS[name](scene, "", stack) for name in names]
            for path, body in (
                ("principals", {"name": "root"}),
                ("grants", {"to": "root", "verbs": ["administer"]}),
            ):
                assert (await client.post(f"/v1/{path}", json=body)).is_success
            # This ends its own right to ask, and is answered all the same.
            made = await client.post("/v1/principals/root/tokens", json={})
            assert made.json()["token"]
            for one in opened:
                assert await soon(one.ended) in (None, REVOKED)
            assert (await client.get("/v1/channels")).status_code == 401


async def test_a_token_revoked_while_it_is_compared_opens_nothing(tmp_path: Path) -> None:
    async with under_attack(tmp_path) as scene:
        made = await mallory(scene, "its token is revoked")
        compared, revoked = asyncio.Event(), threading.Event()
        loop, compare = asyncio.get_running_loop(), fits

        def slow(secret: str, kept: str) -> bool:
            loop.call_soon_threadsafe(compared.set)
            return revoked.wait(PATIENCE) and compare(secret, kept)

        with mock.patch.object(callers, "fits", slow):
            async with scene.http(made.token.token) as client:
                asking = asyncio.ensure_future(client.get("/v1/channels/roads"))
                await soon(compared.wait())
                await scene.owner.ask(g.RevokeCredential(made.token.credential))
                revoked.set()
                assert (await asking).status_code == 401
