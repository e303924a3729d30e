"""The subscriber agent without a browser: what was picked comes, and who will be told is known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from random import Random

import httpx2
from websockets.asyncio.client import connect

from tests.edges.engine.hosts import soon
from tidings.apps.local_pages import listener
from tidings.apps.subscriber_agent.announcing import Draft, announce, see_audience
from tidings.apps.subscriber_agent.bank import EVOLVER, STORY, Bank, set_up
from tidings.apps.subscriber_agent.show import show_check, tell_story
from tidings.apps.subscriber_agent.subscriptions import Pick, Wish, see_proxy, see_wish, subscribe
from tidings.apps.subscriber_agent.web import build_app, served
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.requests import ProxyType, SeeChangeStatus, SeeSubscriber
from tidings.client.client import Client
from tidings.server.embedded import embedded
from tidings.trader.requests import SeeOffer

SUBSCRIBERS = 12
REMOVAL = {"evolver": "nobody", "kind": "REMOVAL_SERVICE"}


@asynccontextmanager
async def bank(folder: Path) -> AsyncIterator[tuple[Client, Bank]]:
    """A service with a bank that is open."""
    async with await embedded(folder) as client:
        await set_up(client)
        made = Bank(client)
        await made.make(ChangeKind.INSTANTIATION_SERVICE)
        yield client, made


def _wish(random: Random, references: list[str]) -> Wish:
    constraints = ["", "$Name == 'ISEL-Bank'", "$Interest_rate > 5", "$Speed < 25"]
    picks = [
        Pick(type=type_, constraint=random.choice(constraints))
        for type_ in ("Bank", "Bank_2", "Printer")
        if random.random() < 0.4
    ]
    changes = random.random() < 0.7
    return Wish(
        changes=changes,
        new=not changes or random.random() < 0.7,
        services=picks,
        references=[one for one in references if random.random() < 0.2],
    )


async def _waiting(client: Client, *names: str) -> dict[str, int]:
    """How many notices wait for each, when all are there."""
    while (await client.transport.request(SeeChangeStatus())).pending:  # noqa: ASYNC110
        await asyncio.sleep(0)
    channel = await client.channel("service-changes")
    found = {one.name: one.waiting for one in await channel.proxies()}
    return {name: found[(await see_proxy(client, name)).subscription] for name in names}


async def test_who_will_be_told_are_those_who_are(tmp_path: Path) -> None:
    random = Random(3)
    names = [f"ann-{at}" for at in range(SUBSCRIBERS)]
    async with bank(tmp_path) as (client, made):
        offers = {"bank": made.offer, "printer": "Printer/1"}
        references = [
            (await client.transport.request(SeeOffer(one))).reference for one in offers.values()
        ]
        for name in names:
            await soon(subscribe(client, name, _wish(random, references)))
        drafts = [
            Draft(evolver=EVOLVER, kind="CHANGE_PROPERTY_VAL", offer=one, properties={"Name": "x"})
            for one in offers.values()
        ]
        values = {"Name": "CP-Bank", "Interest_rate": 5.2}
        drafts += [
            Draft(evolver=EVOLVER, kind="CHANGE_TYPE", offer=made.offer, type="Bank_2",
                  properties={"Name": "ISEL-Bank", "Interest_rate": 5.0}),
            Draft(evolver=EVOLVER, kind="REMOVAL_SERVICE", offer="Printer/1"),
            Draft(evolver=EVOLVER, kind="INSTANTIATION_SERVICE", type="Bank",
                  reference="corbaloc::10.0.0.9/cp", properties=values),
        ]  # fmt: skip
        counts = set()
        for draft in drafts:
            before = await _waiting(client, *names)
            expected = {
                one["subscriber"] for one in await see_audience(client, draft) if one["told"]
            }
            await announce(client, draft)
            after = await _waiting(client, *names)
            assert {name for name in names if after[name] > before[name]} == expected, draft
            counts.add(len(expected))
        assert len(counts) > 1
        assert all(0 < one < SUBSCRIBERS for one in counts)


async def test_while_a_wish_changes_nothing_else_comes(tmp_path: Path) -> None:
    async with bank(tmp_path) as (client, made):
        banks = Wish(services=[Pick(type="Bank"), Pick(type="Bank_2")])
        await subscribe(client, "ann", Wish(services=[Pick(type="Printer")]))
        assert await see_wish(client, "bob") is None
        changing = asyncio.create_task(subscribe(client, "ann", banks))
        await made.make(ChangeKind.CHANGE_PROPERTY_VAL)
        await changing
        assert await see_wish(client, "ann") == banks
        before = (await _waiting(client, "ann"))["ann"]
        await subscribe(client, "ann", Wish(new=False))
        for kind in STORY[2:]:
            await made.make(kind)
        assert (await _waiting(client, "ann"))["ann"] == before + 2
        found = await client.transport.request(SeeSubscriber("ann"))
        assert len(found.filters) == 1
        assert len(found.proxies) == 1


async def test_a_notice_that_nobody_has_acknowledged_comes_again(tmp_path: Path) -> None:
    async with (
        bank(tmp_path) as (client, made),
        served(client, "http://localhost:1", listener(0)) as url,
    ):
        address = f"{url.replace('http', 'ws')}/api/notices"
        await subscribe(client, "ann", Wish(new=False))
        for kind in STORY[1:]:
            await made.make(kind)
        seen: list[str] = []
        for acknowledged in (1, 2, 0):
            async with connect(address) as page:
                await page.send('{"subscriber": "ann"}')
                assert "ready" in await soon(page.recv())
                notices = [_notice(await soon(page.recv())) for _ in range(3 - len(seen))]
                for _, seq in notices[:acknowledged]:
                    await page.send(f'{{"acknowledge": {seq}}}')
                seen += [kind for kind, _ in notices[:acknowledged]]
                await _acknowledged(client, 3 - len(seen))
        assert seen == [kind.name for kind in STORY[1:]]
        async with connect(address) as page:
            await page.send('{"subscriber": "eve"}')
            assert '"status":404' in str(await soon(page.recv())).replace(" ", "")


async def test_of_two_pages_the_later_one_has_the_notices(tmp_path: Path) -> None:
    async with (
        bank(tmp_path) as (client, made),
        served(client, "http://localhost:1", listener(0)) as url,
    ):
        address = f"{url.replace('http', 'ws')}/api/notices"
        await subscribe(client, "ann", Wish(new=False))
        async with connect(address) as first, connect(address) as second:
            for page in (first, second):
                await page.send('{"subscriber": "ann"}')
                assert "ready" in await soon(page.recv())
            assert json.loads(await soon(first.recv()))["problem"]["code"] == "disconnected"
            await first.wait_closed()
            await made.make(ChangeKind.CHANGE_PROPERTY_VAL)
            assert _notice(await soon(second.recv()))[0] == "CHANGE_PROPERTY_VAL"
            assert (await see_proxy(client, "ann")).connected
        while (await see_proxy(client, "ann")).connected:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.001)


def test_a_story_that_was_not_told_is_noticed() -> None:
    service = ServiceDescription(ServiceTypeDescription("Bank"))
    told = [
        Notice(f"EV{at}", kind, time, 5, 0, before=service)
        for at, (kind, time) in enumerate(product(STORY, TimeIndicator))
    ]
    for wrong, right in (
        (told[1:], False),
        ([*told, told[-1]], False),
        (told[::-1], False),
        (told, True),
    ):
        found: dict[ProxyType, list[tuple[Notice, ...]]] = {
            ProxyType.PULL_XML: [(one,) for one in wrong],
            ProxyType.PULL_STRUCTURED: [(*told,)],
        }
        assert show_check(found) is right


async def test_the_story_is_told_in_every_format(tmp_path: Path) -> None:
    async with await embedded(tmp_path) as client:
        assert await tell_story(client)


def _notice(frame: str | bytes) -> tuple[str, int]:
    found = json.loads(frame)["notice"]
    return found["kind"], found["seq"]


async def _acknowledged(client: Client, left: int) -> None:
    """Waits until so many notices are left for ann."""
    channel = await client.channel("service-changes")
    while True:
        [one] = [one for one in await channel.proxies() if one.name.startswith("ann/")]
        if one.waiting + one.in_flight == left:
            return
        await asyncio.sleep(0.001)


async def test_what_a_page_gets_wrong_is_said(tmp_path: Path) -> None:
    async with bank(tmp_path) as (client, _):
        transport = httpx2.ASGITransport(build_app(client, "http://localhost:1"))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:2") as page:
            for method, path, body, status, said in (
                ("PUT", "/api/subscribers/ann", {"changes": False, "new": False}, 400, "choose"),
                ("PUT", "/api/subscribers/a b", {}, 400, "a b"),
                ("POST", "/api/audience", REMOVAL, 404, "offer"),
                ("POST", "/api/announcements", {**REMOVAL, "offer": "Printer/1"}, 404, "nobody"),
                ("POST", "/api/audience", {**REMOVAL, "kind": "NEW"}, 422, "kind"),
            ):  # fmt: skip
                answer = await page.request(method, path, json=body)
                assert (answer.status_code, said in answer.json()["detail"]) == (status, True), (
                    answer.text
                )
