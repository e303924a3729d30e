"""The rule book of docs/security.md, cell by cell, over IIOP with references that carry grants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.edges.servants.towns import Town, opened
from tests.rule_book import PROXY, ROADS, cells, end, world
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.orb.exceptions import NO_PERMISSION, OBJECT_NOT_EXIST, Completion, SystemException


async def channel(made: Town) -> admin.EventChannel:
    """Ann's reference to the channel."""
    return await made.issued(admin.EventChannel, ROADS)


async def see(made: Town) -> Callable[[], Awaitable[object]]:
    return (await channel(made)).get_qos


async def manage(made: Town) -> Callable[[], Awaitable[object]]:
    of = await channel(made)
    return lambda: of.new_for_consumers(admin.InterFilterGroupOperator.AND_OP)


async def publish(made: Town) -> Callable[[], Awaitable[object]]:
    of = await channel(made)

    async def ask() -> None:
        suppliers = made.stub(admin.SupplierAdmin, await of.for_suppliers())
        await suppliers.obtain_notification_push_consumer(admin.ClientType.ANY_EVENT)

    return ask


async def subscribe(made: Town) -> Callable[[], Awaitable[object]]:
    of = await channel(made)

    async def ask() -> None:
        consumers = made.stub(admin.ConsumerAdmin, await of.for_consumers())
        await consumers.obtain_notification_pull_supplier(admin.ClientType.ANY_EVENT)

    return ask


async def use(made: Town) -> Callable[[], Awaitable[object]]:
    proxy = await made.issued(admin.StructuredProxyPullSupplier, ROADS, proxy=PROXY)
    return lambda: proxy.set_qos(())


async def inspect(made: Town) -> Callable[[], Awaitable[object]]:
    return (await made.issued(admin.StructuredProxyPullSupplier, ROADS, proxy=PROXY)).get_qos


async def administer(made: Town) -> Callable[[], Awaitable[object]]:
    agent = await made.issued(Agent, agent=True)
    factory = made.opened.reference("NotificationService")
    return lambda: agent.issueReference(factory, "ann", "", 0)


REQUESTS = {
    "see the channel": see,
    "manage": manage,
    "publish": publish,
    "subscribe": subscribe,
    "use the proxy": use,
    "inspect the proxy": inspect,
    "administer": administer,
}
KINDS: dict[type[SystemException], str] = {
    NO_PERMISSION: "forbidden",
    OBJECT_NOT_EXIST: "missing",
}


async def answered(work: Callable[[], Awaitable[object]]) -> tuple[str, int, Completion | None]:
    """What a request is answered with: the word of the table, the minor code, the completion."""
    try:
        await work()
    except SystemException as error:
        return KINDS[type(error)], error.minor, error.completed
    return "yes", 0, None


@cells()
async def test_a_cell_over_iiop(asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host, opened(host) as made:
        request = await REQUESTS[asked](made)
        found = await answered(request)
        assert found[0] == answer
        if answer == "missing":
            await end(host, asked)
            assert await answered(request) == found  # what is hidden is as what does not exist
