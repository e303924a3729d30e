"""What a principal may not know of has no influence on anything that it is answered.

There are two services. In one, Eve has filters, and a channel with objects, events and a dead
letter; in the other she had the same, and destroyed it. Mallory, who is granted another channel,
asks both the same: each operation of the catalogue, aimed at what is Eve's. The answers are equal,
to the letter, and nothing of Eve's has changed.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from time import perf_counter_ns
from typing import Any, NamedTuple

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.laws.request_strategies import requests_of
from tests.patience import PATIENCE
from tidings import event
from tidings.api.operations import call_of
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.catalogue import CATALOGUE, Operation
from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.questions import SeeDeadLetters
from tidings.channel.views import SettingInfo, SettingSource
from tidings.channel.vocabulary import Place, Side, Style
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import TidingsError
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Verb
from tidings.server.cores import service_cores
from tidings.web.app import build_app

EXAMPLES = 12
HIDDEN, ROADS = 1, 2
MARK = "eves-secret"
_TIME = re.compile(r"\b(now|created_at|used_at|expiry)\W+\d+")
ROWS = [row for row in CATALOGUE if row.http]


class World(NamedTuple):
    host: Host
    mallory: LocalDoor
    http: httpx2.AsyncClient
    app: FastAPI


async def _fill(host: Host) -> None:
    """Eve's channel: an admin, proxies of both sides, filters, an event, and a dead letter."""
    await host.ask(m.CreateChannel("1" * 32, name=MARK))
    await host.ask(m.NewAdmin(HIDDEN, Side.CONSUMER))
    consumer, supplier = [
        await host.ask(m.ObtainProxy(HIDDEN, side, Style.PULL, name=MARK + side.value, owner="eve"))
        for side in (Side.CONSUMER, Side.SUPPLIER)
    ]
    await host.ask(m.CreateFilter(owner="eve"))
    await host.ask(m.CreateMapping(1, owner="eve"))
    await host.connect(m.Connect(HIDDEN, consumer), None)
    pushing = await host.ask(m.ObtainProxy(HIDDEN, Side.SUPPLIER, owner="eve"))
    await host.connect(m.Connect(HIDDEN, pushing), None)
    await host.ask(c.Push(HIDDEN, pushing, [event("Secret", MARK, MARK)]))
    [held] = (await host.pull(HIDDEN, consumer, lease=60_000_000)).messages
    await host.ask(c.Reject(HIDDEN, consumer, [held.seq], MARK))
    assert supplier


@asynccontextmanager
async def world(folder: Path, *, gone: bool) -> AsyncIterator[World]:
    """A service in which Eve's things are, or are gone."""
    host = await Host.open(folder, cores=service_cores())
    await _fill(host)
    [letter] = await LocalDoor(host).request(SeeDeadLetters())
    assert letter.channel == HIDDEN
    if gone:
        await host.ask(m.DestroyChannel(HIDDEN))
        for id in list(host.filters.filters):
            await host.ask(m.DestroyFilter(id))
    await host.ask(m.CreateChannel("2" * 32, name="roads"))
    for command in (
        g.CreatePrincipal("root"),
        g.CreateGrant("root", (Verb.ADMINISTER,)),
        g.AddCredential("root", CredentialKind.TOKEN, "x"),
        g.CreatePrincipal("mallory"),
        g.CreateGrant("mallory", (Verb.PUBLISH, Verb.SUBSCRIBE, Verb.MANAGE), ("roads",)),
    ):
        await host.ask(command)
    for side in (Side.CONSUMER, Side.SUPPLIER):
        await host.ask(m.ObtainProxy(ROADS, side, Style.PULL, owner="mallory"))
    token = await LocalDoor(host).request(g.CreateToken("mallory"))
    app = build_app(host)
    client = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app),
        base_url="http://localhost",
        timeout=PATIENCE,
        headers={"Authorization": f"Bearer {token.token}"},
    )
    try:
        async with client:
            yield World(host, LocalDoor(host, Caller("mallory")), client, app)
    finally:
        app.state.web.close()
        await host.close(0.0)


def aimed(row: Operation, request: Any, data: st.DataObject) -> Any:
    """A request, about what is Eve's as often as its fields let it be."""
    change: dict[str, Any] = {}
    ids, channels = st.integers(1, 2), st.sampled_from([HIDDEN, ROADS])
    admin = st.builds(Place, channels, st.just(row.side or Side.CONSUMER), st.integers(0, 1))
    places = (st.builds(Place, channels), admin, st.builds(Place, channels, proxy=ids))
    for name in row.fields:
        if name in ("channel", "proxy", "admin", "filter", "id", "attachment") and isinstance(
            getattr(request, name), int if name == "filter" else int | str
        ):
            change[name] = data.draw(channels if name == "channel" else ids)
    if "place" in row.fields:
        change["place"] = data.draw(st.one_of(places if "{place}" in row.path else places[1:]))
    if not change:
        return request
    return (
        request._replace(**change) if hasattr(request, "_replace") else replace(request, **change)
    )


async def told(door: LocalDoor, row: Operation, request: Any) -> str:
    """What a request inside the process is answered with."""
    try:
        asked = door.request(request) if row.is_question else door.ask(request)
        return _TIME.sub("", repr(await asked))
    except TidingsError as error:
        return f"{type(error).__name__}: {error}"


async def shown(client: httpx2.AsyncClient, request: Any) -> tuple[Any, ...]:
    """What the same request is answered with over HTTP."""
    call = call_of(request)
    found = await client.request(call.method, call.path, json=call.body)
    headers = [(name, value) for name, value in found.headers.items() if name != "date"]
    return found.status_code, _TIME.sub("", found.text), headers


def eves(host: Host) -> list[str]:
    """Everything of Eve's, as the service would write it down."""
    kept = (repr(one) for one in host.cores.snapshot() if one[0] == host.factory.name)
    return sorted(text for text in kept if MARK in text or "eve" in text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_hidden_is_as_what_is_gone(row: Operation, tmp_path: Path) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        there, gone = [
            runner.run(stack.enter_async_context(world(tmp_path / str(gone), gone=gone)))
            for gone in (False, True)
        ]
        before = eves(there.host)

        @settings(max_examples=EXAMPLES, phases=(Phase.explicit, Phase.reuse, Phase.generate))
        @given(data=st.data())
        def compare(data: st.DataObject) -> None:
            runner.run(_compare(there, gone, row, aimed(row, data.draw(requests_of(row)), data)))

        try:
            compare()
            assert eves(there.host) == before
        finally:
            runner.run(stack.aclose())


async def _compare(there: World, gone: World, row: Operation, request: Any) -> None:
    first = await told(there.mallory, row, request)
    assert first == await told(gone.mallory, row, request), request
    assert MARK not in first
    found = await shown(there.http, request)
    assert found == await shown(gone.http, request), request
    assert MARK not in json.dumps(found)


async def test_no_other_request_over_http_tells_of_it(tmp_path: Path) -> None:
    async with (
        world(tmp_path / "there", gone=False) as there,
        world(tmp_path / "gone", gone=True) as gone,
    ):
        asked = 0
        for method, path in _beside_the_rows(gone.app):
            for channel in (str(HIDDEN), MARK):
                target = path.format(channel=channel, proxy=1, job=1)
                found, expected = [
                    await one.http.request(
                        method, target, json=_EVENT if method == "POST" else None
                    )
                    for one in (there, gone)
                ]
                assert found.status_code == expected.status_code, target
                assert MARK not in found.text.replace(channel, ""), target
                asked += 1
                if path not in _OF_THIS_PROCESS:
                    assert _TIME.sub("", found.text) == _TIME.sub("", expected.text), target
        assert asked > 20


async def _eve_on_roads(host: Host) -> None:
    """An event waits for Eve on Mallory's channel, where Mallory may subscribe from now on."""
    obtain = m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, name=MARK, owner="eve", keep=True)
    await host.ask(obtain)
    pushing = await host.ask(m.ObtainProxy(ROADS, Side.SUPPLIER))
    await host.connect(m.Connect(ROADS, pushing, reachable=False), None)
    await host.ask(c.Push(ROADS, pushing, [event("a", "b")]))
    await host.ask(g.CreateGrant("mallory", (Verb.SUBSCRIBE,), ("roads",)))
    await host.ask(g.RevokeGrant(2))


async def test_who_runs_the_service_sees_what_others_do_not(tmp_path: Path) -> None:
    """Metrics, notices, settings: all with `inspect` on the service, else what one knows of."""
    async with world(tmp_path, gone=False) as there:
        host = there.host
        host.notice(Notice(NoticeKind.SLOW_CONSUMER, HIDDEN, 1, "much waits"))
        host.notice(Notice(NoticeKind.FAILING, 0, 0, "the disk is full"))
        given = (SettingSource.FILE, "tidings.toml, line 3", "a path", "The folder.")
        host.told_settings = (SettingInfo("store.dir", MARK, *given, live=False),)
        await _eve_on_roads(host)
        paths = ("/metrics", "/v1/notices", "/v1/outline", "/v1/top", "/v1/settings")
        texts = [(await there.http.get(path)).text for path in paths]
        assert MARK not in "".join(texts)
        assert "disk is full" not in "".join(texts)
        assert 'tidings_events_accepted_total{channel="roads"}' in texts[0]
        assert "tidings_filters" not in texts[0]
        assert "tidings_consumer_waiting{" not in texts[0]
        await host.ask(g.CreateGrant("mallory", (Verb.INSPECT,)))
        texts = [(await there.http.get(path)).text for path in paths]
        assert all(MARK in text for text in texts)
        assert "disk is full" in texts[1]
        assert "tidings_filters" in texts[0]
        for grant in (3, 4):
            await host.ask(g.RevokeGrant(grant))
        assert (await there.http.get("/metrics")).status_code == 403


_EVENT = {"domain": "Traffic", "type": "Speed"}
_OF_THIS_PROCESS = ("/", "/v1/openapi.json", "/docs/api")


def _beside_the_rows(app: FastAPI) -> list[tuple[str, str]]:
    """The requests over HTTP that are no rows of the catalogue."""
    rows = {(row.method, "/v1" + path) for row in ROWS for path in row.places}
    paths = app.openapi()["paths"].items()
    found = [(method.upper(), path) for path, methods in paths for method in methods]
    return [one for one in found if one not in rows]


@pytest.mark.parametrize(
    "path",
    ["/v1/channels/{}", "/v1/channels/{}/proxies/1", "/v1/channels/{}/events", "/v1/filters/{}"],
)
async def test_what_is_hidden_takes_as_long_as_what_is_missing(path: str, tmp_path: Path) -> None:
    """A statistical test: who measures each answer cannot tell the two kinds apart."""
    async with world(tmp_path, gone=False) as there:
        hidden, missing = path.format(1), path.format(77)
        took: dict[str, list[int]] = {hidden: [], missing: []}
        # In random pairs: whatever else the machine does meets both kinds alike.
        for number in range(-_WARM_UP, _MEASURED):
            for target in Random(number).sample([hidden, missing], 2):
                begun = perf_counter_ns()
                assert (await there.http.get(target)).status_code == 404
                if number >= 0:
                    took[target].append(perf_counter_ns() - begun)
        assert 0.35 < _slower(took[hidden], took[missing]) < 0.65


_MEASURED = 300
_WARM_UP = 20


def _slower(these: list[int], those: list[int]) -> float:
    """How likely one of these takes longer than one of those; a half if nobody can tell."""
    longer = sum((one > other) + (one == other) / 2 for one in these for other in those)
    return longer / (len(these) * len(those))
