"""A fenced subscriber sees what its grants allow and nothing else, whatever it asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from tests.edges.engine.hosts import PERSISTENT, supplier, turns, until
from tidings import constraint, event
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.clock import ManualClock
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Disconnected, Forbidden, InvalidUsage, NotFound, TidingsError
from tidings.grants import requests as g
from tidings.grants.core import AccessChanged
from tidings.grants.model import CredentialKind, Limits, Verb
from tidings.server.cores import service_cores

ROADS = 1
EU, US = "$region == 'eu'", "$region == 'us'"
REGIONS = ("eu", "us", "asia")
NOW, HOUR = 1_700_000_000_000_000, 3_600_000_000


class Scene(NamedTuple):
    host: Host
    ann: LocalDoor
    supplier: int

    async def grant(self, text: str = "", types: tuple[str, ...] = (), **rest: Any) -> int:
        """Ann may subscribe, within a fence."""
        made = g.CreateGrant("ann", (Verb.SUBSCRIBE,), ("roads",), types, text, **rest)
        number: int = await self.host.ask(made)
        return number

    async def consumer(self) -> int:
        """A proxy of Ann's from which she pulls, without a filter."""
        qos = {"ConnectionReliability": 1}
        proxy: int = await self.ann.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, qos=qos))
        await self.host.connect(m.Connect(ROADS, proxy), None)
        return proxy

    async def happen(self) -> None:
        """An event in each region."""
        happened = [event("Traffic", "Speed", one, {"region": one}) for one in REGIONS]
        await self.host.ask(c.Push(ROADS, self.supplier, happened))

    async def pulled(self, proxy: int) -> list[str]:
        """The names of all events that Ann can pull now."""
        found = await self.ann.pull(ROADS, proxy, 9, 0, 60_000_000)
        await self.ann.ask(c.Ack(ROADS, proxy, [one.seq for one in found.messages]))
        return [one.event.name for one in found.messages]


@asynccontextmanager
async def scene(folder: Path | None = None, now: int = 0) -> AsyncIterator[Scene]:
    clock = ManualClock(now) if now else None
    host = await Host.open(folder, clock=clock, cores=service_cores())
    if not host.channels:
        await host.ask(m.CreateChannel("1" * 32, PERSISTENT, name="roads"))
        for command in (
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.AddCredential("root", CredentialKind.TOKEN, "x"),
            g.CreatePrincipal("ann"),
        ):
            await host.ask(command)
    try:
        yield Scene(host, LocalDoor(host, Caller("ann")), await supplier(host, ROADS))
    finally:
        await host.close(0.05)


@pytest.mark.parametrize("asked", [(), ("$region != 'eu'", "true"), (US,)], ids=str)
@pytest.mark.parametrize("operator", Operator)
async def test_no_filter_or_operator_widens_a_fence(
    operator: Operator, asked: Sequence[str]
) -> None:
    async with scene() as made:
        await made.grant(EU)
        admin = await made.host.ask(m.NewAdmin(ROADS, Side.CONSUMER, operator))
        open_filter = await made.host.ask(m.CreateFilter([constraint("true")]))
        place = Place(ROADS, Side.CONSUMER, admin)
        await made.host.ask(m.AddFilter(place, open_filter.id))
        command = m.ObtainProxy(
            *(ROADS, Side.CONSUMER, Style.PULL),
            admin=admin,
            constraints=list(map(constraint, asked)),
        )
        proxy = await made.ann.ask(command)
        await made.host.connect(m.Connect(ROADS, proxy), None)
        await made.happen()
        assert set(await made.pulled(proxy)) <= {"eu"}
        trail = await made.host.ask(c.DryRun(ROADS, event("a", "b", "", {"region": "us"})))
        [step] = [one for one in trail.steps if one.proxy == proxy]
        assert (step.passed, step.reason) == (
            False,
            "fence: no grant of its owner allows it to see this event",
        )


async def test_nobody_counts_events_that_it_may_not_see(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        await made.happen()
        for question in (q.CountMatching(ROADS, "TRUE"), q.SeeProperties(ROADS)):
            with pytest.raises(NotFound):
                await made.ann.request(question)
        await made.host.ask(g.CreateGrant("ann", (Verb.INSPECT,), ("roads",)))
        for question in (q.CountMatching(ROADS, "TRUE"), q.SeeProperties(ROADS)):
            with pytest.raises(Forbidden):
                await made.ann.request(question)
        await made.grant(EU)
        for text, matched in (("TRUE", 1), (US, 0), ("$region ~ 'us asia eu'", 1)):
            found = await made.ann.request(q.CountMatching(ROADS, text))
            assert (found.events, found.matched) == (1, matched)
            assert {one.name for one in (*found.matching, *found.others)} == {"eu"}
        assert (await made.ann.request(q.SeeProperties(ROADS))).events == 1


async def test_fences_are_joined_and_an_open_grant_lifts_them() -> None:
    async with scene() as made:
        first = await made.grant(EU)
        proxy = await made.consumer()
        version = made.host.channels[ROADS].plan.version
        await made.happen()
        assert await made.pulled(proxy) == ["eu"]
        second = await made.grant(US)
        await made.happen()
        assert await made.pulled(proxy) == ["eu", "us"]
        lifts = await made.grant()
        await made.happen()
        assert await made.pulled(proxy) == list(REGIONS)
        for grant, left in ((lifts, ["eu", "us"]), (first, ["us"])):
            await made.host.ask(g.RevokeGrant(grant))
            await made.happen()
            assert await made.pulled(proxy) == left
        await made.host.ask(g.RevokeGrant(second))
        with pytest.raises(NotFound):
            await made.pulled(proxy)
        # One version for each change, none for what changes nothing.
        assert made.host.channels[ROADS].plan.version == version + 4


async def test_types_are_a_fence_too() -> None:
    async with scene() as made:
        await made.grant(types=("Telecom::*", "*::Alarm"))
        proxy = await made.consumer()
        happened = [event(*kind, "::".join(kind)) for kind in (("Telecom", "Call"), ("a", "b"))]
        await made.host.ask(c.Push(ROADS, made.supplier, [*happened, event("x", "Alarm", "y")]))
        assert await made.pulled(proxy) == ["Telecom::Call", "y"]


@pytest.mark.parametrize("push", [False, True])
async def test_what_waits_is_judged_again_when_a_fence_narrows(push: bool) -> None:
    async with scene() as made:
        wide = await made.grant()
        style = Style.PUSH if push else Style.PULL
        command = m.ObtainProxy(ROADS, Side.CONSUMER, style, keep=True)
        proxy = await made.ann.ask(command)
        await made.happen()
        await made.grant(EU)
        await made.host.ask(g.RevokeGrant(wide))
        await made.happen()
        if push:
            endpoint = made.ann.buffer(None)
            await made.ann.connect(m.Connect(ROADS, proxy, window=9, again=True), endpoint)
            received = []
            for _ in range(2):
                message = await endpoint.get()
                received.append(message.event.name)
                await made.ann.ask(c.Ack(ROADS, proxy, [message.seq]))
        else:
            received = await made.pulled(proxy)
        assert received == ["eu", "eu"]
        consumer = made.host.channels[ROADS].consumer(proxy).consumer
        assert consumer is not None
        await until(lambda: not consumer.waiting and not consumer.flight)
        counts = {outcome.name: count for outcome, count in consumer.counts.items()}
        assert counts == {"DELIVERED": 2, "PURGED": 2}


async def test_a_fence_outlives_a_restart_and_its_grant(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        grant = await made.grant(EU)
        proxy = await made.consumer()
        await made.host.ask(g.RevokeGrant(grant))
        await made.happen()
    async with scene(tmp_path) as made:
        fence = made.host.channels[ROADS].proxies[proxy].fence
        assert [one.text for one in fence] == [EU]
        rule = made.host.channels[ROADS].plan.proxies.get(proxy)
        assert rule is not None
        assert rule.fence == fence
        await made.happen()
        await made.grant()
        assert await made.pulled(proxy) == ["eu", "eu"]


async def test_a_grant_that_ends_while_the_service_is_down_is_missed_after_it(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, NOW) as made:
        await made.grant(EU)
        await made.grant(expires_at=NOW + HOUR)
        proxy = await made.consumer()
        await made.happen()
    async with scene(tmp_path, NOW + 2 * HOUR) as made:
        await made.happen()
        assert await made.pulled(proxy) == ["eu", "eu"]


async def test_a_bound_outlives_a_restart(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        await made.grant()
        await made.consumer()
        await made.host.ask(g.ChangePrincipal("ann", limits=Limits(queued_octets=9_000)))
        budgets = made.host.factory.core.budgets
        await until(lambda: budgets["ann"].most == 9_000)
    async with scene(tmp_path) as made:
        assert made.host.factory.core.budgets["ann"].most == 9_000


async def test_history_and_dead_letters_are_fenced(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        wide = await made.grant()
        proxy = await made.consumer()
        await made.happen()
        found = await made.ann.pull(ROADS, proxy, 9, 0, 60_000_000)
        seqs = [one.seq for one in found.messages]
        await made.ann.ask(c.Reject(ROADS, proxy, seqs, "no"))
        letters = await made.ann.request(q.SeeDeadLetters())
        assert len(letters) == 3
        await made.grant(EU)
        await made.host.ask(g.RevokeGrant(wide))
        page = await made.ann.history(ROADS)
        assert [one.event.name for one in page.messages] == ["eu"]
        [left] = await made.ann.request(q.SeeDeadLetters())
        assert left.event.name == "eu"
        for letter in letters[1:]:
            for request in (q.DropDeadLetter(letter.id), q.RedriveDeadLetter(letter.id)):
                with pytest.raises(NotFound, match=f"there is no dead letter {letter.id}"):
                    await made.ann.request(request)
        assert len(await LocalDoor(made.host).request(q.SeeDeadLetters())) == 3


async def test_whoever_may_only_publish_sees_no_dead_letters_of_before(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        subscribes = await made.grant()
        await made.host.ask(g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",)))
        proxy = await made.consumer()
        await made.happen()
        found = await made.ann.pull(ROADS, proxy, 9, 0, 60_000_000)
        await made.ann.ask(c.Reject(ROADS, proxy, [one.seq for one in found.messages], "no"))
        letters = await made.ann.request(q.SeeDeadLetters())
        assert len(letters) == 3
        await made.host.ask(g.RevokeGrant(subscribes))
        assert await made.ann.request(q.SeeDeadLetters()) == []
        with pytest.raises(NotFound):
            await made.ann.request(q.RedriveDeadLetter(letters[0].id))


async def test_what_is_remembered_of_a_publisher_shows_no_trail() -> None:
    """A trail names all consumers: it needs `inspect` also after a push without one."""
    async with scene() as made:
        await made.host.ask(g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",)))
        proxy = await made.ann.ask(m.ObtainProxy(ROADS, Side.SUPPLIER))
        connect = m.Connect(ROADS, proxy, reachable=False)
        await made.ann.connect(connect, made.ann.supplier(None, None))
        push = c.Push(ROADS, proxy, [event("a", "b")])
        for trail in (True, False, True):
            if trail:
                with pytest.raises(Forbidden, match="ann may not inspect"):
                    await made.ann.ask(push._replace(trail=True))
            else:
                await made.ann.ask(push)


async def test_what_is_remembered_of_a_publisher_ends_with_its_grant() -> None:
    """By revocation, by the time, and when it is shut out; a fence is asked for each event."""
    async with scene() as made:
        ends = made.host.clock.now() + 300_000
        wide, *_ = [
            await made.host.ask(g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",), **rest))
            for rest in ({}, {"expires_at": ends}, {"constraint": EU})
        ]
        proxy = await made.ann.ask(m.ObtainProxy(ROADS, Side.SUPPLIER))
        connect = m.Connect(ROADS, proxy, reachable=False)
        await made.ann.connect(connect, made.ann.supplier(None, None))
        other = c.Push(ROADS, proxy, [event("a", "b", "", {"region": "us"})])
        for _ in range(3):
            await made.ann.ask(other)
        await made.host.ask(g.RevokeGrant(wide))
        while made.host.clock.now() < ends:
            await turns()
            with suppress(Forbidden):
                await made.ann.ask(other)
        for _ in range(2):
            with pytest.raises(Forbidden, match="its grants do not allow such events"):
                await made.ann.ask(other)
            await made.ann.ask(other._replace(items=[event("a", "b", "", {"region": "eu"})]))
        await made.host.ask(g.ChangePrincipal("ann", disabled=True))
        with pytest.raises(NotFound):
            await made.ann.ask(other)


async def test_a_publisher_is_looked_at_again_when_its_grant_ends_though_nobody_has_told() -> None:
    async with scene() as made:
        clock = made.host.clock
        ends = clock.now() + HOUR
        await made.host.ask(g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",), expires_at=ends))
        proxy = await made.ann.ask(m.ObtainProxy(ROADS, Side.SUPPLIER))
        await made.ann.connect(m.Connect(ROADS, proxy), made.ann.supplier(None, None))
        push = c.Push(ROADS, proxy, [event("a", "b")])
        for _ in range(2):
            await made.ann.ask(push)
        with mock.patch.object(clock, "_base", clock._base + HOUR), pytest.raises(NotFound):
            await made.ann.ask(push)


async def test_a_grant_that_ends_cuts_off_who_waits() -> None:
    """The stream, and the pull that waits without a connection of its own."""
    async with scene() as made:
        await made.grant(expires_at=made.host.clock.now() + 100_000)
        stream, proxy = made.ann.buffer(None), await made.consumer()
        pushed = await made.ann.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PUSH))
        await made.ann.connect(m.Connect(ROADS, pushed), stream)
        with pytest.raises((Disconnected, NotFound)):
            await made.ann.pull(ROADS, proxy, 9, None, None)
        with pytest.raises(TidingsError, match="ann may not use proxy"):
            await stream.get()
        with pytest.raises(NotFound):
            await made.pulled(proxy)


async def test_a_grant_and_a_token_end_by_the_clock_of_the_machine() -> None:
    """Also if that was set, or stood still with the machine, since the service has started."""
    clock = ManualClock(NOW)
    host = await Host.open(clock=clock, cores=service_cores())
    try:
        await host.ask(g.CreatePrincipal("ann"))
        add = g.AddCredential("ann", CredentialKind.TOKEN, "x", expires_at=NOW + HOUR)
        token = await host.ask(add)
        inspects = g.CreateGrant("ann", (Verb.INSPECT,), expires_at=NOW + HOUR)
        await host.ask(inspects)
        ended: list[AccessChanged] = []
        host.on_effect(AccessChanged, ended.append)
        clock.advance(24 * HOUR)
        host._look_around()
        await until(lambda: ended)
        assert host.access.grants.credential(token, host.time()) is None
        assert host.access.permission("ann", Verb.INSPECT, None) is None
        with pytest.raises(InvalidUsage, match="has expired already"):
            await host.ask(inspects)
    finally:
        await host.close()
