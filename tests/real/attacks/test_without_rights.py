"""Who has no right to something neither learns of it nor changes it: attackers × targets, HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from tests.real.attacks.scene import INSIDERS, MARK, NEWS, OUTSIDERS, Scene, under_attack
from tidings.api.examples import EXAMPLES
from tidings.channel.catalogue import CATALOGUE
from tidings.web.app import build_app

"""Shows all channels to whoever may ask at all; to be taken out when it no longer does."""


class Target(NamedTuple):
    """A request aimed at what is Eve's."""

    method: str
    path: str
    body: Any = None


def targets(scene: Scene) -> Iterator[Target]:
    """Every operation and every other route, with all that could stand in its path."""
    known = {
        "channel": (scene.roads, scene.hall, "roads", MARK),
        "proxy": (scene.consumer, scene.supplier, f"{MARK}-billing", f"{MARK}-till"),
        "side": ("consumer", "supplier"),
        "admin": (0,),
        "filter": (scene.filter, 1),
        "attachment": (1,),
        "purpose": ("priority",),
        "id": (scene.letter,),
        "name": ("eve", "root"),
        "principal": ("eve", "root"),
        "grant": (1, 2),
        "credential": (1, 2),
        "producer": (MARK, NEWS),
        "number": (1, 2),
        "job": (1,),
        "gateway": ("tower",),
        "probe": ("tower~1-1",),
        "type": ("Printer",),
        "offer": ("Printer%2F1",),
        "link": ("campus",),
        "iterator": (1,),
        "interface": ("IDL%3AEve%3A1.0",),
        "object": ("flight%2F1",),
        "subscriber": (MARK,),
        "evolver": (MARK,),
        "proxy_id": ("PS01",),
        "filter_id": ("F1",),
    }
    rows = {(row.method, path): row for row in CATALOGUE if row.http for path in row.places}
    app = build_app(scene.host)
    beside = {
        (method.upper(), path.removeprefix("/v1")): None
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if (method.upper(), path.removeprefix("/v1")) not in rows
    }
    app.state.web.close()
    for (method, path), row in {**beside, **rows}.items():
        names = re.findall(r"{(\w+)}", path)
        bodies: Any = (None,)
        if row is not None:
            bodies = EXAMPLES.get(row.request, ({},)) if method != "GET" else (None,)
        elif method != "GET":
            bodies = ({"domain": "Secret", "type": "x", "data": {"secret": "bait"}}, {})
        root = "/v1" if row is not None or f"/v1{path}" in app.openapi()["paths"] else ""
        for values in product(*(known[name] for name in names)):
            place = root + path.format(**dict(zip(names, values, strict=True)))
            for body in bodies:
                yield Target(method, place, body)
    for channel in known["channel"]:
        for query in ("filter=%24secret==1", "after=0", "since=0", "types=Secret::*"):
            yield Target("GET", f"/v1/channels/{channel}/events?{query}")
            yield Target("GET", f"/v1/channels/{channel}/tail?{query}")
        for query in ("trail=true", f"publisher={scene.supplier}", "publisher=1&trail=true"):
            body = {"domain": "Secret", "type": "x", "data": {"secret": "bait"}}
            yield Target("POST", f"/v1/channels/{channel}/events?{query}", body)


_CONSOLE, _OPEN = "/", ("/health/", "/v1/login")


@pytest.mark.parametrize("who", OUTSIDERS)
async def test_outsiders_are_all_told_the_same(who: str, tmp_path: Path) -> None:
    async with under_attack(tmp_path) as scene:
        token = await OUTSIDERS[who](scene)
        before = scene.eves()
        told = set()
        async with scene.http(token) as client:
            for target in targets(scene):
                if target.path != _CONSOLE and not target.path.startswith(_OPEN):
                    found = await client.request(target.method, target.path, json=target.body)
                    assert found.status_code in (401, 429), (target, found.text)
                    told.add(re.sub(r"\d+ s$", "", found.json()["detail"]))
        for path in ("/v1/ws", "/v1/channels/roads/subscribe"):
            with pytest.raises(InvalidStatus) as refused:
                await scene.socket(token, path)
            assert refused.value.response.status_code in (401, 429)
        assert len(told) <= 2, told  # refused, and slowed down
        assert scene.eves() == before


@pytest.mark.parametrize("who", INSIDERS)
async def test_insiders_neither_see_nor_change_what_is_eves(who: str, tmp_path: Path) -> None:
    insider = INSIDERS[who]
    async with under_attack(tmp_path) as scene:
        token = await scene.principal("mallory", *insider.verbs, channels=insider.channels)
        problems: list[Any] = []
        before = scene.eves()
        async with scene.http(token) as client:
            for target in targets(scene):
                async with client.stream(target.method, target.path, json=target.body) as found:
                    try:
                        text = await _shown(found)
                    except httpx2.RemoteProtocolError as error:
                        text = f"{MARK}: {error}"
                if any(one in _without_echo(text, target) for one in insider.secrets):
                    problems.append((target, found.status_code, text))
                if (after := scene.eves()) != before:
                    problems.append((target, found.status_code, set(after) ^ set(before)))
                    before = after
        assert not problems, "\n".join(map(str, problems))


async def _shown(found: Any) -> str:
    """An answer; of a stream that has no end, what comes first."""
    if "event-stream" not in found.headers.get("content-type", ""):
        return str((await found.aread()).decode())
    text = ""
    async for part in found.aiter_text():
        text += part
        if "\n\n" in text:
            break
    return text


def _without_echo(text: str, target: Target) -> str:
    """What an answer has beside the words of the request itself."""
    for part in sorted(re.split(r"[/?&=]", target.path), key=len, reverse=True):
        if MARK in part:
            text = text.replace(part, "")
    return text
