"""Clients that are silent are asked whether they still exist."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.unit.servants.worlds import (
    PERSISTENT,
    AnyPullConsumer,
    AnyPushSupplier,
    StructuredPushConsumer,
    World,
    joined,
    kind_of,
    run,
    until,
    world,
)
from tidings.channel.effects import NoticeKind
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNotification_auto import Property
from tidings.events.reference import Reference
from tidings.orb.aio import Options, Orb
from tidings.orb.stubs import Servant
from tidings.servants.calls import ClientOptions
from tidings.servants.probing import Probing
from tidings.servants.service import NIL

OFTEN = ClientOptions(probe_seconds=0.08, check_seconds=0.3, notice_seconds=0.3)
FEW = Settings(retry_limit=2)


def proxies(made: World) -> int:
    return len(made.host.factory.channel(1).proxies)


def test_a_client_that_does_not_exist_any_more_ends_its_proxy() -> None:
    async def part() -> None:
        async with world(options=OFTEN) as made:
            channel = await made.channel()
            for kind in (kind_of(StructuredPushConsumer), kind_of(AnyPushSupplier)):
                proxy = await made.proxy(channel, kind.side, kind.style, kind.form)
                client = kind.client()
                reference = made.client.activate(client, b"short-lived")  # type: ignore[arg-type]  # all of them are servants
                await getattr(proxy, kind.connect)(reference)
                await asyncio.sleep(0.15)
                assert proxies(made) == 1
                made.client.deactivate(b"short-lived")
                await until(lambda: proxies(made) == 0)
                assert client.goodbyes == 0

    run(part())


async def connected_and_gone(made: World, *qos: Property) -> None:
    """A consumer connects, and its process ends."""
    async with Orb(Options(close_seconds=0.1)) as orb:
        await orb.listen()
        channel = await made.channel(*qos)
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        reference = orb.activate(StructuredPushConsumer(), b"c")
        await proxy.connect_structured_push_consumer(reference)


def test_a_client_that_cannot_be_reached_is_given_up_after_some_attempts() -> None:
    async def part() -> None:
        async with world(settings=FEW, options=OFTEN) as made:
            await connected_and_gone(made)
            reached = made.service.clients.reached(1, 1)
            assert reached is not None
            await until(lambda: proxies(made) == 0)
            assert reached.missed == 2
            [notice] = made.host.notices
            assert (notice.kind, notice.channel, notice.proxy) == (NoticeKind.GIVEN_UP, 1, 1)
            assert "did not answer 2 times in a row" in notice.detail

    run(part())


def test_a_persistent_client_is_never_given_up(tmp_path: Path) -> None:
    async def part() -> None:
        async with world(tmp_path, settings=FEW, options=OFTEN) as made:
            await connected_and_gone(made, *PERSISTENT)
            reached = made.service.clients.reached(1, 1)
            assert reached is not None
            await until(lambda: reached.missed > 4)
            assert proxies(made) == 1

    run(part())


def test_a_client_that_sends_is_not_asked() -> None:
    async def part() -> None:
        async with world(settings=FEW, options=OFTEN) as made:
            channel = await made.channel()
            supplier = AnyPushSupplier()
            proxy = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
            await proxy.connect_any_push_supplier(made.client.activate(supplier, b"quiet"))
            made.client.deactivate(b"quiet")
            for number in range(20):
                await proxy.push(number)
                await asyncio.sleep(0.01)
            reached = made.service.clients.reached(1, 1)
            assert reached is not None
            await until(lambda: proxies(made) == 0)

    run(part())


async def unreachable(client: Servant) -> Reference:
    """The reference of a client that nobody can connect to."""
    async with Orb(Options(close_seconds=0.1)) as orb:
        await orb.listen()
        return orb.activate(client, b"c")


def test_a_client_that_sends_now_and_then_is_there_even_if_it_cannot_be_reached() -> None:
    async def part() -> None:
        async with world(settings=FEW, options=OFTEN) as made:
            proxy = await made.proxy(await made.channel(), Side.SUPPLIER, Style.PUSH, Form.ANY)
            await proxy.connect_any_push_supplier(await unreachable(AnyPushSupplier()))
            reached = made.service.clients.reached(1, 1)
            assert reached is not None
            for number in range(6):
                await proxy.push(number)
                before = reached.missed_at
                await until(lambda before=before: reached.missed_at > before)  # type: ignore[misc]  # bound at once
            await until(lambda: proxies(made) == 0)

    run(part())


def test_a_client_that_waits_in_a_pull_is_there_even_if_it_cannot_be_reached() -> None:
    async def part() -> None:
        async with world(settings=FEW, options=OFTEN) as made:
            proxy = await made.proxy(await made.channel(), Side.CONSUMER, Style.PULL, Form.ANY)
            await proxy.connect_any_pull_consumer(await unreachable(AnyPullConsumer()))
            pull = asyncio.create_task(proxy.pull())
            await asyncio.sleep(0.5)
            assert not pull.done()
            pull.cancel()
            await until(lambda: proxies(made) == 0)

    run(part())


def test_nothing_is_kept_of_clients_that_cannot_be_called() -> None:
    async def part() -> None:
        async with world() as made:
            channel = await made.channel()
            supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
            await supply.connect_any_push_supplier(NIL)
            pulling = await made.proxy(channel, Side.CONSUMER, Style.PULL, Form.ANY)
            await pulling.connect_any_pull_consumer(NIL)
            await supply.push(1)
            await pulling.pull()
            assert not made.service.clients.heard

    run(part())


def test_suppliers_that_have_crashed_leave_no_proxies(tmp_path: Path) -> None:
    """Those who gave no reference, never connected, or whose connection is Persistent."""
    settings = Settings(unused_proxy_lifetime=300_000)

    async def part() -> None:
        async with world(tmp_path, settings=settings, options=OFTEN) as made:
            channel = await made.channel(*PERSISTENT)
            kind = (Side.SUPPLIER, Style.PUSH, Form.ANY)
            nil, gone, _, alive = [await made.proxy(channel, *kind) for _ in range(4)]
            await nil.connect_any_push_supplier(NIL)
            await gone.connect_any_push_supplier(await unreachable(AnyPushSupplier()))
            await alive.connect_any_push_supplier(made.client.activate(AnyPushSupplier(), b"s"))
            await connected_and_gone(made, *PERSISTENT)  # a consumer, in a channel of its own
            assert proxies(made) == 4
            await until(lambda: proxies(made) == 1)
            await alive.push(1)
            assert len(made.host.factory.channel(2).proxies) == 1

    run(part())


def test_a_fault_does_not_end_the_checks() -> None:
    async def part() -> None:
        async with world(options=OFTEN) as made:
            rounds = 0
            usual = Probing._round

            async def faulty(self: Probing, since: float) -> None:
                nonlocal rounds
                rounds += 1
                if rounds == 1:
                    raise ValueError
                await usual(self, since)

            Probing._round = faulty  # type: ignore[method-assign]  # once
            try:
                await joined(made, await made.channel(), kind_of(StructuredPushConsumer))
                await until(lambda: rounds > 2)
            finally:
                Probing._round = usual  # type: ignore[method-assign]  # as it was

    run(part())
