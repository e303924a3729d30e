"""The audit trail of the web door: its protocols, addresses, failed logins; and its figures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from tests.edges.web.served import ServedDoor, served
from tests.patience import PATIENCE
from tidings import event
from tidings.audit import Change, SeeChanges
from tidings.channel import management as m
from tidings.client.connecting import connect
from tidings.engine.door import LocalDoor
from tidings.errors import Forbidden
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.names import new_origin
from tidings.server.cores import service_cores

LOCAL = "127.0.0.1"


@asynccontextmanager
async def scene(folder: Path | None = None) -> AsyncIterator[tuple[ServedDoor, g.NewToken]]:
    """A service with an administrator; Ann, who has a token, may only publish to ``roads``."""
    async with served(cores=service_cores(), folder=folder) as door:
        for command in (
            m.CreateChannel(new_origin(), name="roads"),
            m.CreateChannel(new_origin(), name="rails"),
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER, Verb.INSPECT)),
            g.CreatePrincipal("ann"),
            g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",), ("Traffic::*",)),
        ):
            await door.host.ask(command)
        owner = LocalDoor(door.host)
        await owner.request(g.CreateToken("root"))
        yield door, await owner.request(g.CreateToken("ann"))


async def overseer(door: ServedDoor) -> dict[str, str]:
    """The headers of who runs the service."""
    return bearer((await LocalDoor(door.host).request(g.CreateToken("root"))).token)


async def last_of(door: ServedDoor) -> Change:
    """The newest line."""
    return list(await LocalDoor(door.host).request(SeeChanges(most=1_000)))[-1]


def shown(one: Change) -> tuple[Any, ...]:
    assert one.refused
    return one.door, one.peer, one.principal, one.operation, one.result


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_refusals_have_their_door_address_principal_and_credential() -> None:
    async with scene() as (door, made), httpx2.AsyncClient(timeout=PATIENCE) as client:
        url, headers = f"http://127.0.0.1:{door.port}/v1", bearer(made.token)
        await client.delete(f"{url}/channels/roads", headers=headers)
        line = await last_of(door)
        assert shown(line) == ("HTTP", LOCAL, "ann", "destroy_channel", "forbidden")
        assert (line.credential, line.channel) == (made.credential, "roads")
        await client.delete(f"{url}/channels/2", headers=headers)  # hidden: missing to Ann
        line = await last_of(door)
        assert shown(line) == ("HTTP", LOCAL, "ann", "destroy_channel", "channel_not_found")
        assert line.channel == "rails"
        await client.get(f"{url}/channels/rails/tail", headers=headers)
        assert shown(await last_of(door))[:4] == ("SSE", LOCAL, "ann", "tail")
        await client.get(f"{url}/changes", headers=headers)
        assert shown(await last_of(door)) == ("HTTP", LOCAL, "ann", "see_changes", "forbidden")
        url, headers = f"http://127.0.0.1:{door.port}/metrics", await overseer(door)
        text = (await client.get(url, headers=headers)).text
        assert 'tidings_refusals_total{code="forbidden",door="HTTP"} 2.0' in text
        assert 'tidings_refusals_total{code="channel_not_found",door="SSE"} 1.0' in text


async def test_a_refused_push_is_noted_and_an_accepted_one_is_not() -> None:
    async with scene() as (door, made):
        url = f"http://127.0.0.1:{door.port}"
        async with await connect(url, token=made.token) as client:
            await client.publish("roads", event("Traffic", "Speed"))
            before = await last_of(door)
            assert before.operation == "obtain_proxy"  # and no push
            with pytest.raises(Forbidden):
                await client.publish("roads", event("Shop", "Sale"))
            line = await last_of(door)
            assert shown(line) == ("WebSocket", LOCAL, "ann", "push", "forbidden")
            assert (line.channel, line.credential) == ("roads", made.credential)


async def test_failed_logins_are_counted_and_show_no_secret(tmp_path: Path) -> None:
    async with scene(tmp_path) as (door, made), httpx2.AsyncClient(timeout=PATIENCE) as client:
        url = f"http://127.0.0.1:{door.port}/v1/channels"
        guessed = f"tdg_{made.credential}_{('guess' * 7)[:32]}"
        wanted = ("HTTP", LOCAL, "anonymous", "authenticate", "unauthenticated")
        headers = await overseer(door)
        await client.get(url, headers=headers)  # recognised from now on, whoever guesses
        await client.get(url)
        assert shown(await last_of(door)) == wanted
        await client.get(url, headers=bearer(guessed))  # the same kind: counted
        with pytest.raises(InvalidStatus):
            async with door.wire(additional_headers=bearer(guessed)):
                pass
        line = await last_of(door)
        assert shown(line) == ("WebSocket", *wanted[1:])
        assert line.about == f"token {made.credential}"
        while (await client.get(url, headers=bearer(guessed))).status_code != 429:
            pass
        assert shown(await last_of(door)) == (*wanted[:4], "too_many_attempts")
        failed = door.host.operations.failed_logins
        assert failed["WebSocket", "unauthenticated"] == 1
        assert failed["HTTP", "unauthenticated"] > 4
        assert failed["HTTP", "too_many_attempts"] == 1
        text = (await client.get(f"http://127.0.0.1:{door.port}/metrics", headers=headers)).text
        labels = '{code="too_many_attempts",door="HTTP"}'
        assert f"tidings_failed_logins_total{labels} 1.0" in text
        await door.host.close(0.05)
    lines = [
        json.loads(line) for line in (tmp_path / "audit" / "trail.jsonl").read_text().splitlines()
    ]
    counts = [one["count"] for one in lines if one["operation"] == "authenticate"]
    assert sum(counts) == sum(failed.values())  # nothing is lost
    assert made.token not in str(lines)
    assert "guess" not in str(lines)


async def test_a_client_that_connects_leaves_no_line() -> None:
    async with scene() as (door, made):
        before = await last_of(door)
        async with await connect(f"http://127.0.0.1:{door.port}", token=made.token):
            pass
        assert await last_of(door) == before
