"""The rule book of docs/security.md, for the tests that try its cells through each door."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.real.docs.pages import page, tables
from tidings.channel import management as m
from tidings.channel.vocabulary import Side, Style
from tidings.engine.host import Host
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Verb
from tidings.names import new_origin
from tidings.server.cores import service_cores

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


def cells(*asked: str) -> pytest.MarkDecorator:
    """A test for each cell, of these rows or of all."""
    names = ("asked", "relation", "answer")
    found = [cell for cell in CELLS if not asked or cell[0] in asked]
    assert {cell[0] for cell in found} >= set(asked)
    return pytest.mark.parametrize(names, found, ids=lambda word: word)


async def end(host: Host, asked: str) -> None:
    """What a cell is about is gone."""
    proxy = asked.endswith("the proxy")
    await host.ask(m.Disconnect(ROADS, PROXY) if proxy else m.DestroyChannel(ROADS))
