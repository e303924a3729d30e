"""Every operation that changes something leaves one line in the audit trail, whatever the door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import PATIENCE
from tidings.api.examples import EXAMPLES
from tidings.api.operations import body_fields, body_of, call_of, read_body, request_of
from tidings.audit import Change, SeeChanges
from tidings.changes import interfaces as n
from tidings.changes import requests as s
from tidings.channel import management as m
from tidings.channel.catalogue import CATALOGUE, Operation
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.cores import OperationDone, Question
from tidings.engine.access import OWNER, Caller
from tidings.engine.credentials import create_token
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.refusals import MOST_KINDS, WINDOW, Refusals
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.federation import requests as f
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.live.model import ObjectUpdate
from tidings.live.requests import DeleteObjects, SetObjects
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.trader import requests as t
from tidings.web.app import build_app

CHANGING = [row for row in CATALOGUE if row.is_change]
HERE, OUTSIDE = ("in-process", ""), ("HTTP", "192.0.2.7")
# Over HTTP these share a path: the side of the object, which eve may not see, tells them apart.
SIDES = (f.SideConfig("r", "roads", "memory", {"name": "trail"}),)
REFERENCE = "corbaloc::192.0.2.9:2809/printer"
BY_SIDE = (m.OfferChange, m.SubscriptionChange)


@dataclass(frozen=True)
class Scene:
    """A host whose grants decide, two principals with tokens, and a way to its operations.

    Attributes:
        credentials: Their numbers, by principal.
        run: Carries out a request as a principal; the code of its error, or ``done``.
    """

    host: Host
    credentials: dict[str, int]
    run: Callable[[str, Any], Any]

    async def trail(self) -> list[Change]:
        """All lines."""
        return list(await LocalDoor(self.host).request(SeeChanges(most=1_000)))

    async def request(self, row: Operation) -> Any:
        """A request of an operation, about objects that exist, made for it."""
        ask = self.host.ask
        channel = await ask(m.CreateChannel(new_origin(), name=f"for {row.name}"))
        side = Side.SUPPLIER if row.request is m.OfferChange else Side.CONSUMER
        admin = await ask(m.NewAdmin(channel, side, Operator.AND))
        proxy = await ask(m.ObtainProxy(channel, side, Style.PULL))
        mapped = row.request in (m.AddMapped, m.ModifyMapped)
        made = await ask(m.CreateMapping(AnyValue(tc.LONG, 1)) if mapped else m.CreateFilter())
        principal = f"p.{row.name}"
        await ask(g.CreatePrincipal(principal))
        gateway = f"gateway.{row.name}"
        await ask(f.CreateGateway(gateway, SIDES))
        if row.request is f.ResumeGateway:
            await ask(f.PauseGateway(gateway))
        interface = f"IDL:{row.name}:1.0"
        read = n.ReadInterface(interface, row.name, "")
        await ask(n.KeepInterfaces("for.idl", (read,)))
        link, offer, type_ = await self._traded(row)
        tag = f"flight/{row.name}"
        await ask(SetObjects((ObjectUpdate(tag),)))
        subscriber = await self._subscriber(row)
        real: dict[str, Any] = {
            "link": link, "offer": offer, "type": type_, "iterator": 1,
            "channel": channel, "side": side, "admin": admin, "proxy": proxy, "filter": made.id,
            "place": Place(channel, proxy=proxy), "principal": principal, "attachment": 1,
            "grant": 1, "credential": 1, "id": 1, "job": 1, "purpose": "priority",
            "origin": new_origin(), "gateway": gateway, "interface": interface, "object": tag,
            "subscriber": subscriber, "proxy_id": "PS01", "filter_id": "F1", "evolver": subscriber,
        }  # fmt: skip
        if row.request is DeleteObjects:
            return DeleteObjects(tag)
        if row.request is t.WithdrawMatchingOffers:
            return t.WithdrawMatchingOffers(type_)
        if row.request is t.ExportOffer:
            return t.ExportOffer(type_, REFERENCE)
        if row.request in (g.ChangePrincipal, g.DeletePrincipal):
            real["name"] = principal
        example = EXAMPLES.get(row.request, ({},))[0] if row.body == "" else {}
        body = None if body_of(row) is None else read_body(row, example)
        given = {name: one for name, one in real.items() if name in self._outside(row)}
        return request_of(row, given, body)

    async def _traded(self, row: Operation) -> tuple[str, str, str]:
        """A link, an offer and a service type, made for an operation."""
        ask, link = self.host.ask, f"link.{row.name}"
        await ask(t.AddLink(link, REFERENCE))
        empty = row.request is t.RemoveServiceType
        type_ = f"For::{row.name}"
        await ask(t.AddServiceType(type_))
        offer = "" if empty else await ask(t.ExportOffer(type_, REFERENCE, {"features": 1}))
        if row.request is t.UnmaskServiceType:
            await ask(t.MaskServiceType(type_))
        return link, offer, type_

    async def _subscriber(self, row: Operation) -> str:
        """A subscriber to changes of services with a proxy and a filter; an evolver of the name."""
        ask, door, name = self.host.ask, LocalDoor(self.host), f"party.{row.name}"
        await door.request(s.RegisterSubscriber(name))
        await door.request(s.RegisterEvolver(name))
        await ask(s.CreateProxySubscriber(name, s.ProxyType.PULL_STRUCTURED))
        await ask(s.AddSubscriberFilter(name, s.FilterContent()))
        if row.request in (s.DisconnectProxySubscriber, s.PullNotices):
            await ask(s.ConnectProxySubscriber(name, "PS01"))
        return name

    @staticmethod
    def _outside(row: Operation) -> set[str]:
        """The fields that are not in the body."""
        return {*row.fields} - {*body_fields(row)}


@asynccontextmanager
async def scene(over_http: bool) -> AsyncIterator[Scene]:
    host = await Host.open(cores=service_cores())
    app = build_app(host)
    transport = httpx2.ASGITransport(app=app, client=(OUTSIDE[1], 4242))
    base: Any = {"base_url": "http://localhost", "timeout": PATIENCE, "transport": transport}
    tokens: dict[str, g.NewToken] = {}

    async def here(who: str, request: Any) -> str:
        door = LocalDoor(host, Caller(who, credential=tokens[who].credential))
        try:
            if isinstance(request, Question):
                await door.request(request)
            else:
                await door.ask(request)
        except TidingsError as error:
            return error.code
        return "done"

    async def over(who: str, request: Any) -> str:
        call = call_of(request)
        given: Any = {} if call.body is None else {"json": call.body}
        given["headers"] = {"Authorization": f"Bearer {tokens[who].token}"}
        answer = await client.request(call.method, call.path, **given)
        return "done" if answer.status_code < 400 else str(answer.json()["code"])

    async with httpx2.AsyncClient(**base) as client:
        for name in ("root", "eve"):
            await host.ask(g.CreatePrincipal(name))
            if name == "root":
                await host.ask(g.CreateGrant("root", tuple(Verb)))
            tokens[name] = await create_token(host, OWNER, g.CreateToken(name))
        numbers = {name: token.credential for name, token in tokens.items()}
        yield Scene(host, numbers, over if over_http else here)
    app.state.web.close()
    await host.close(0.05)


@pytest.mark.parametrize("who", ["root", "eve"])
@pytest.mark.parametrize("over_http", [False, True], ids=["in-process", "HTTP"])
async def test_every_change_is_one_line(over_http: bool, who: str) -> None:
    async with scene(over_http) as made:
        door, peer = OUTSIDE if over_http else HERE
        done = 0
        for row in CHANGING:
            if over_http and who == "eve" and row.request in BY_SIDE:
                continue
            request = await made.request(row)
            before = await made.trail()
            result = await made.run(who, request)
            lines = (await made.trail())[len(before) :]
            [line] = [one for one in lines if one.operation == row.name]
            assert lines == [line], (row.name, lines)
            assert (line.principal, line.credential) == (who, made.credentials[who]), line
            assert (line.door, line.peer, line.result) == (door, peer, result), line
            assert line.count == 1
            assert line.refused == (result != "done" and who == "eve") or who == "root", line
            done += result == "done"
        assert (done > len(CHANGING) / 2) == (who == "root"), done
        assert {one.operation for one in await made.trail()} <= {row.name for row in CHANGING}


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3, st.integers(0, 3 * MOST_KINDS))))
def test_nothing_that_is_counted_is_lost(asked: list[tuple[str, str, str, int]]) -> None:
    """The sum of the counts in the lines is the number of refusals, whatever they are."""
    refusals, told, now = Refusals(), 0, 0
    for who, door, operation, peers in asked:
        for peer in range(peers):
            now += WINDOW // 1_000
            done = OperationDone(
                now, who, operation, "", "", "forbidden", None, door, str(peer), True
            )
            line = refusals.add(done, now)
            told += 0 if line is None else line.count
        told += sum(one.count for one in refusals.due(now))
        assert len(refusals._kinds) <= MOST_KINDS + 1
    told += sum(one.count for one in refusals.due(now, everything=True))
    assert told == sum(peers for *_, peers in asked)
