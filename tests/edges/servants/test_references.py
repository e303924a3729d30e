"""References that carry a grant: what they lead to, and how they end."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.edges.servants.scenes import expression, name, refused
from tests.edges.servants.towns import RAILS, ROADS, Town, enforce, forbidden, gone, is_gone, town
from tests.edges.servants.worlds import StructuredPushConsumer, until
from tidings.channel import management as m
from tidings.channel.vocabulary import Place, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.Advertising_auto import Advertiser
from tidings.cos.CosEventChannelAdmin_auto import AlreadyConnected
from tidings.cos.CosNaming_auto import NamingContextExt
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.cos.omniEvents_auto import EventChannelFactory as GenericFactory
from tidings.engine.access import ANONYMOUS, KINDS, OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.errors import Forbidden, InvalidUsage, NotFound, WrongState
from tidings.events.build import event
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Verb
from tidings.orb.aio import Bidirectional, Options, Orb
from tidings.orb.exceptions import BAD_PARAM, NO_PERMISSION
from tidings.servants.service import NIL
from tidings.server.embedded import local_client

_SECOND = 1_000_000
_NUMBERS = count()
EVERYTHING = (Verb.MANAGE, Verb.PUBLISH, Verb.SUBSCRIBE, Verb.USE, Verb.INSPECT)


async def test_a_reference_to_a_channel_leads_to_what_is_in_it() -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        channel = await made.issued(admin.EventChannel, ROADS)
        consumers = made.stub(admin.ConsumerAdmin, await channel.for_consumers())
        reference, id = await consumers.obtain_notification_pull_supplier(
            admin.ClientType.STRUCTURED_EVENT
        )
        proxy = made.stub(admin.StructuredProxyPullSupplier, reference)
        await proxy.connect_structured_pull_consumer(NIL)
        assert await proxy.try_pull_structured_event()
        assert made.host.channels.find(ROADS).proxy(id).owner == "ann"
        factory = made.stub(filters.FilterFactory, await channel.get_default_filter_factory())
        filter = made.stub(filters.Filter, await factory.create_filter(""))
        await filter.add_constraints([expression("$a > 1")])
        await consumers.add_filter(filter._reference)
        assert await made.stub(admin.EventChannel, await consumers.get_MyChannel()).get_qos()
        # Nothing beside it, though Ann may do all that there.
        await forbidden(channel.get_MyFactory())


async def test_a_reference_to_the_factory_leads_to_the_principals_channels() -> None:
    async with town() as made:
        await made.grant(Verb.SUBSCRIBE, channels=("roads",))
        factory = await made.issued(admin.EventChannelFactory)
        assert await factory.get_all_channels() == (ROADS,)
        channel = made.stub(admin.EventChannel, await factory.get_event_channel(ROADS))
        assert not await made.client.non_existent(await channel.get_MyFactory())
        for missing in (RAILS, 77):
            await refused(factory.get_event_channel(missing), admin.ChannelNotFound)
        await forbidden(factory.create_channel((), ()))


async def test_a_reference_to_an_admin_leads_to_its_proxies() -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        other = await made.owner.ask(m.ObtainProxy(ROADS, owner="ann"))
        own = await made.owner.ask(m.NewAdmin(ROADS, Side.CONSUMER))
        consumers = await made.issued(admin.ConsumerAdmin, ROADS, side=Side.CONSUMER, admin=own)
        reference, id = await consumers.obtain_notification_push_supplier(
            admin.ClientType.ANY_EVENT
        )
        assert await made.stub(admin.ProxyPushSupplier, reference).get_qos()
        assert await consumers.get_push_suppliers() == (id,)
        await refused(consumers.get_proxy_supplier(other), admin.ProxyNotFound)
        await forbidden(consumers.get_MyChannel())
        number = made.host.access.grants._status.last_credential
        for kind, ids in (
            ("channel", (ROADS,)),
            ("admin", (ROADS, 1, 0)),
            ("proxy", (ROADS, other)),
        ):
            await gone(made.forged(admin.ConsumerAdmin, kind, ids, number).get_qos())


async def test_a_reference_to_a_proxy_leads_nowhere_else() -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        own, other = [
            await made.owner.ask(m.ObtainProxy(ROADS, style=Style.PULL)) for _ in range(2)
        ]
        proxy = await made.issued(admin.StructuredProxyPullSupplier, ROADS, proxy=own)
        await proxy.connect_structured_pull_consumer(NIL)
        await proxy.set_qos(())
        await forbidden(proxy.get_MyAdmin())
        filter, _ = await made.owner.ask(m.CreateFilter(owner="ann"))
        attached = await made.owner.ask(m.AddFilter(Place(ROADS, proxy=own), filter))
        await forbidden(proxy.get_filter(attached))
        number = made.host.access.grants._status.last_credential
        await gone(made.forged(admin.ProxySupplier, "proxy", (ROADS, other), number).get_qos())


IDS_OF = {
    "naming context": (0,), "advertiser": (ROADS,), "offer iterator": (7,),
    "offer id iterator": (7,),
}  # fmt: skip
TRADING = ("trader", "register", "link", "trader admin", "service types")
CHANGES = (
    *("service changes", "event manager", "publisher manager", "subscriber manager"),
    *("admin subscriber", "proxy subscriber"),
)


@pytest.mark.parametrize("of", [{}, {"agent": True}, {"channel": ROADS}, {"trader": True}], ids=str)
async def test_no_reference_leads_to_the_services_other_objects(of: dict[str, Any]) -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        await made.issued(admin.EventChannel, **of)
        number = made.host.access.grants._status.last_credential
        inside = {"factory", "channel", "admin", "proxy", "filter", "mapping", "filter factory"}
        leads = {
            "agent": inside | {"agent", *TRADING, *CHANGES},
            "channel": inside - {"factory"},
            "trader": {*TRADING},
        }.get(next(iter(of), ""), inside)
        for kind in set(KINDS) - leads:
            ids = IDS_OF.get(kind, ())
            assert await is_gone(made.forged(Agent, kind, ids, number)), kind


async def test_filters_of_others_are_not_reached() -> None:
    async with town() as made:
        await made.grant(Verb.SUBSCRIBE, Verb.INSPECT)
        await made.grant(Verb.MANAGE)  # of the whole service: the reference has it in Roads only
        filter, _ = await made.owner.ask(m.CreateFilter(owner="eve"))
        attached = await made.owner.ask(m.AddFilter(Place(ROADS, Side.CONSUMER, 0), filter))
        channel = await made.issued(admin.EventChannel, ROADS)
        consumers = made.stub(admin.ConsumerAdmin, await channel.for_consumers())
        theirs = made.stub(filters.Filter, await consumers.get_filter(attached))
        await gone(theirs.add_constraints([expression("$a > 1")]))
        await gone(theirs.get_all_constraints())


async def test_what_a_reference_can_be_issued_for_is_told() -> None:
    async with town() as made:
        for asked, kind, words in (
            (g.CreateReference("ann", proxy=3), InvalidUsage, "name the channel, too"),
            (g.CreateReference("ann", ROADS, agent=True), InvalidUsage, "leads to one object"),
            (g.CreateReference("ann", ROADS, admin=0), InvalidUsage, "leads to one object"),
            (
                g.CreateReference("ann", ROADS, Side.CONSUMER, 0, 1),
                InvalidUsage,
                "to an admin or a proxy",
            ),
            (g.CreateReference("ann", ROADS, proxy=1), NotFound, "has no proxy 1"),
            (g.CreateReference("ann", 77), NotFound, "there is no channel 77"),
            (g.CreateReference("eve"), NotFound, "there is no principal 'eve'"),
        ):
            with pytest.raises(kind, match=words):
                await made.owner.request(asked)
        made.host.issue_reference = None
        with pytest.raises(WrongState, match="start it with --iiop"):
            await made.owner.request(g.CreateReference("ann"))
        assert [one.id for one in await made.owner.request(g.SeeCredentials())] == [1]


async def test_only_administrators_issue_references() -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        with pytest.raises(Forbidden, match="ann may not administer access"):
            await LocalDoor(made.host, Caller("ann")).request(g.CreateReference("ann"))


async def test_references_are_listed_with_what_they_lead_to_and_their_use() -> None:
    async with town() as made:
        await made.grant(*EVERYTHING)
        proxy = await made.owner.ask(m.ObtainProxy(ROADS))
        for of in ({}, {"agent": True}, {"side": Side.CONSUMER, "admin": 0}, {"proxy": proxy}):
            channel = ROADS if len(of) != ("agent" in of) else None
            await made.issued(Agent, channel, **of)
        used = await made.issued(admin.EventChannel, ROADS)
        await used.get_qos()
        found = await made.owner.request(g.SeeCredentials("ann"))
        assert [one.leads_to for one in found] == [
            *("factory", "agent", "consumer admin 0 of channel 1", "proxy 1 of channel 1"),
            "channel 1",
        ]
        assert [one.kind for one in found] == [CredentialKind.REFERENCE] * 5
        assert found[-1].used_at is not None


# How it ends.


async def connected(made: Town, of: Any, client: Orb) -> tuple[StructuredPushConsumer, int]:
    """A push consumer, connected through a reference to a channel; its proxy's id."""
    consumers = made.stub(admin.ConsumerAdmin, await of.for_consumers())
    reference, id = await consumers.obtain_notification_push_supplier(
        admin.ClientType.STRUCTURED_EVENT
    )
    consumer = StructuredPushConsumer()
    proxy = made.stub(admin.StructuredProxyPushSupplier, reference)
    await proxy.connect_structured_push_consumer(
        client.activate(consumer, f"client {next(_NUMBERS)}".encode())
    )
    return consumer, id


async def publish(made: Town, number: int) -> None:
    """Publishes an event in Roads."""
    async with await local_client(made.host, OWNER).publisher(ROADS) as publisher:
        await publisher.publish(event("D", "T", str(number), {"n": number}))


async def _revoke_credential(made: Town, number: int) -> None:
    await made.owner.ask(g.RevokeCredential(number))


async def _revoke_grant(made: Town, number: int) -> None:
    await made.owner.ask(g.RevokeGrant(2))


async def _disable(made: Town, number: int) -> None:
    await made.owner.ask(g.ChangePrincipal("ann", disabled=True))


async def _delete(made: Town, number: int) -> None:
    await made.owner.ask(g.DeletePrincipal("ann"))


@pytest.mark.parametrize("end", [_revoke_credential, _revoke_grant, _disable, _delete])
async def test_what_was_begun_ends_at_once(end: Any) -> None:
    async with town() as made:
        await made.client.listen()
        await made.grant(Verb.SUBSCRIBE, channels=("roads",))
        issued = await made.owner.request(g.CreateReference("ann", ROADS))
        channel = made.stub(admin.EventChannel, issued.reference)
        consumer, _ = await connected(made, channel, made.client)
        puller = made.stub(admin.ConsumerAdmin, await channel.for_consumers())
        reference, _ = await puller.obtain_notification_pull_supplier(
            admin.ClientType.STRUCTURED_EVENT
        )
        pulling = made.stub(admin.StructuredProxyPullSupplier, reference)
        await pulling.connect_structured_pull_consumer(NIL)
        await publish(made, 1)
        await until(lambda: len(consumer.got) == 1)
        assert await pulling.pull_structured_event()
        waiting = asyncio.ensure_future(pulling.pull_structured_event())
        await until(lambda: made.host.out.pulls)
        await end(made, issued.credential)
        await gone(waiting)
        await publish(made, 2)
        await publish(made, 3)
        await gone(channel.for_consumers())
        await gone(pulling.try_pull_structured_event())
        assert await is_gone(channel)
        assert len(consumer.got) == 1


@pytest.mark.parametrize("end", [_revoke_credential, _delete])
async def test_nothing_is_remembered_of_a_reference_that_has_ended(end: Any) -> None:
    async with town() as made:
        await made.grant(Verb.SUBSCRIBE, channels=("roads",))
        issued = await made.owner.request(g.CreateReference("ann", ROADS))
        channel = made.stub(admin.EventChannel, issued.reference)
        await channel.for_consumers()
        service = made.opened.service
        assert (len(service._doors), len(service.references._known)) == (1, 1)
        await end(made, issued.credential)
        assert (len(service._doors), len(service.references._known)) == (0, 0)
        await gone(channel.for_consumers())


async def test_another_reference_goes_on_where_a_revoked_one_ended() -> None:
    async with town() as made:
        await made.client.listen()
        await made.grant(Verb.SUBSCRIBE, channels=("roads",))
        issued = await made.owner.request(g.CreateReference("ann", ROADS))
        consumer, id = await connected(
            made, made.stub(admin.EventChannel, issued.reference), made.client
        )
        await made.owner.ask(g.RevokeCredential(issued.credential))
        await publish(made, 1)
        proxy = await made.issued(admin.StructuredProxyPushSupplier, ROADS, proxy=id)
        again = StructuredPushConsumer()
        await proxy.connect_structured_push_consumer(made.client.activate(again, b"again"))
        await until(lambda: again.got)
        assert not consumer.got
        twice = made.client.activate(StructuredPushConsumer(), b"twice")
        await refused(proxy.connect_structured_push_consumer(twice), AlreadyConnected)


async def test_a_reference_ends_when_it_expires() -> None:
    async with town() as made:
        await made.client.listen()
        await made.grant(Verb.SUBSCRIBE)
        ends = made.host.time() + 60 * _SECOND
        channel = await made.issued(admin.EventChannel, ROADS, expires_at=ends)
        consumer, _ = await connected(made, channel, made.client)
        await channel.get_qos()
        steady = made.host.clock._monotonic
        made.host.clock._monotonic = lambda: steady() + 60 * _SECOND
        await gone(channel.get_qos())
        made.host._tick()  # as the timer does, which follows the machine's clock
        await until(lambda: not made.host.channels.find(ROADS).proxy(1).attached)
        await publish(made, 1)
        await publish(made, 2)
        assert not consumer.got


async def test_a_reference_outlives_a_restart_and_its_end_does_too(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with Orb(Options(close_seconds=0.2)) as client:
        await client.listen()
        async with town(folder, client=client) as made:
            await made.grant(Verb.SUBSCRIBE, channels=("roads",))
            kept, ended = [
                await made.owner.request(g.CreateReference("ann", ROADS)) for _ in range(2)
            ]
            consumers = [
                (await connected(made, made.stub(admin.EventChannel, one.reference), client))[0]
                for one in (kept, ended)
            ]
            port = made.port
        async with town(folder, client=client, port=port) as made:
            await made.stub(admin.EventChannel, kept.reference).get_qos()
            await publish(made, 1)
            await until(lambda: [len(one.got) for one in consumers] == [1, 1])
            # Killed before its clients could be cut off.
            made.host._performer.listeners.clear()
            await made.owner.ask(g.RevokeCredential(ended.credential))
        async with town(folder, client=client, port=port) as made:
            await publish(made, 2)
            await until(lambda: len(consumers[0].got) == 2)
            await publish(made, 3)
            await until(lambda: len(consumers[0].got) == 3)
            assert len(consumers[1].got) == 1
            await gone(made.stub(admin.EventChannel, ended.reference).get_qos())


async def test_callbacks_of_filters_end_with_their_reference() -> None:
    async with town() as made:
        await made.client.listen()
        await made.grant(Verb.SUBSCRIBE)
        issued = await made.owner.request(g.CreateReference("ann", ROADS))
        channel = made.stub(admin.EventChannel, issued.reference)
        factory = made.stub(filters.FilterFactory, await channel.get_default_filter_factory())
        filter = made.stub(filters.Filter, await factory.create_filter(""))
        client = StructuredPushConsumer()
        await filter.attach_callback(made.client.activate(client, b"callback"))
        assert made.opened.service.callbacks.of(1)
        await made.owner.ask(g.RevokeCredential(issued.credential))
        assert not made.opened.service.callbacks.of(1)


async def test_clients_are_called_only_where_the_networks_allow(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with Orb(Options(close_seconds=0.2, offer_bidirectional=True)) as client:
        port = (await client.listen("127.0.0.2")).port  # it calls from 127.0.0.1
        async with town(folder, client=client, networks=("peer",)) as made:
            await made.grant(Verb.SUBSCRIBE)
            issued = await made.owner.request(g.CreateReference("ann", ROADS))
            refusing = connected(made, made.stub(admin.EventChannel, issued.reference), client)
            await refused(refusing, NO_PERMISSION)
            port = made.port
        # What it says of its connection, going both ways, is not believed for another's address.
        same: Any = {"bidirectional": Bidirectional.SAME_HOST, "client": client, "port": port}
        async with town(folder, networks=("peer",), **same) as made:
            channel = made.stub(admin.EventChannel, issued.reference)
            await refused(connected(made, channel, client), NO_PERMISSION)
        async with town(folder, networks=("127.0.0.2/32",), **same) as made:
            channel = made.stub(admin.EventChannel, issued.reference)
            consumer, id = await connected(made, channel, client)
            await publish(made, 1)
            await until(lambda: consumer.got)
        async with town(folder, networks=("peer",), **same) as made:
            await publish(made, 2)
            proxy = made.host.channels.find(ROADS).proxy(id)
            await until(lambda: made.owner.views.proxy(ROADS, proxy.id).failures)
            assert len(consumer.got) == 1


# Callers who do not say who they are.


async def test_well_known_objects_tell_anonymous_callers_their_health_only() -> None:
    async with town() as made:
        root = made.plain(NamingContextExt, "NameService")
        factory = made.plain(admin.EventChannelFactory, "NotificationService")
        agent = made.plain(Agent, "NotificationServiceAgent")
        generic = made.plain(GenericFactory, "omniEvents")
        makes = made.plain(filters.FilterFactory, "DefaultFilterFactory")
        for one in (root, factory, agent, generic, makes):
            assert not await is_gone(one)
            assert await made.client.is_a(one._reference, one.INTERFACE.id)
        for attempt in (
            root.resolve(name("NotificationService")),
            root.resolve_str("channels/roads"),
            root.list(10),
            root.bind(name("mine"), factory._reference),
            root.rebind(name("NotificationService"), factory._reference),
            root.unbind(name("NotificationService")),
            root.bind_new_context(name("mine")),
            root.destroy(),
            root.to_name("a"),
            factory.get_all_channels(),
            factory.create_channel((), ()),
            agent.getECF(),
            agent.getFF(),
            agent.getProperty("name"),
            agent.issueReference(factory._reference, "ann", "", 0),
            generic.supports(()),
            makes.create_filter(""),
        ):
            await forbidden(attempt)
        for channel in (ROADS, 77):
            await refused(factory.get_event_channel(channel), admin.ChannelNotFound)
        # A channel's plain key is as one that there is not.
        for key in ("roads", "nothing"):
            assert await is_gone(made.plain(admin.EventChannel, key))
            await gone(made.plain(admin.EventChannel, key).for_consumers())
        for kind, ids in (("channel", (1,)), ("admin", (1, 1, 0)), ("advertiser", (1,))):
            assert await is_gone(made.forged(Advertiser, kind, ids, 0))


async def test_what_anonymous_is_granted_is_for_all() -> None:
    async with town() as made:
        await made.grant(Verb.SUBSCRIBE, to="anonymous", channels=("roads",))
        factory = made.plain(admin.EventChannelFactory, "NotificationService")
        assert await factory.get_all_channels() == (ROADS,)
        root = made.plain(NamingContextExt, "NameService")
        channel = made.stub(admin.EventChannel, await root.resolve_str("channels/roads"))
        consumers = made.stub(admin.ConsumerAdmin, await channel.for_consumers())
        await consumers.obtain_notification_pull_supplier(admin.ClientType.ANY_EVENT)
        listed, _ = await made.stub(NamingContextExt, await root.resolve_str("channels")).list(10)
        assert len(listed) == 2  # by its id and its name: rails are not among them
        suppliers = made.stub(admin.SupplierAdmin, await channel.for_suppliers())
        await forbidden(suppliers.obtain_notification_pull_consumer(admin.ClientType.ANY_EVENT))
        await forbidden(root.bind(name("mine"), channel._reference))
        assert await is_gone(made.plain(admin.EventChannel, "rails"))
        with pytest.raises(InvalidUsage, match="not manage"):
            await made.grant(Verb.MANAGE, to="anonymous")


async def test_when_grants_begin_to_decide_anonymous_clients_are_cut_off() -> None:
    async with town(enforced=False) as made:
        await made.client.listen()
        factory = made.plain(admin.EventChannelFactory, "NotificationService")
        channel = made.stub(admin.EventChannel, await factory.get_event_channel(ROADS))
        consumer, id = await connected(made, channel, made.client)
        await publish(made, 1)
        await until(lambda: consumer.got)
        root = made.plain(NamingContextExt, "NameService")
        advertiser = made.stub(Advertiser, await root.resolve_str("advertisers/roads"))
        await advertiser.attach(made.client.activate(StructuredPushConsumer(), b"listener"))
        await enforce(made.host)
        assert not made.opened.advertisers._watches
        await until(lambda: not made.host.channels.find(ROADS).proxy(id).attached)
        await publish(made, 2)
        await gone(channel.for_consumers())
        assert len(consumer.got) == 1


async def test_an_open_loopback_stays_the_owners() -> None:
    async with town(enforced=False, open_loopback=True) as made:
        await made.client.listen()
        factory = made.plain(admin.EventChannelFactory, "NotificationService")
        channel = made.stub(admin.EventChannel, await factory.get_event_channel(ROADS))
        consumer, _ = await connected(made, channel, made.client)
        await enforce(made.host)
        await publish(made, 1)
        await until(lambda: consumer.got)
        assert await factory.create_channel((), ())
        found = [made.opened.service._caller(0, peer) for peer in ("127.0.0.1", "10.0.0.9", "")]
        assert found == [OWNER, ANONYMOUS, ANONYMOUS]


# The agent issues references.


async def test_the_agent_issues_references_to_administrators() -> None:
    async with town() as made:
        await made.grant(Verb.ADMINISTER, Verb.INSPECT)
        agent = await made.issued(Agent, agent=True)
        factory = made.stub(admin.EventChannelFactory, await agent.getECF())
        await made.host.ask(g.CreatePrincipal("bob"))
        await made.grant(Verb.SUBSCRIBE, to="bob")
        channel = await factory.get_event_channel(ROADS)
        given, credential = await agent.issueReference(channel, "bob", "till 3", 3600)
        bobs = made.stub(admin.EventChannel, given)
        await bobs.for_consumers()
        found = (await made.owner.request(g.SeeCredentials("bob")))[0]
        assert (found.id, found.label, found.leads_to) == (credential, "till 3", "channel 1")
        assert found.expires_at is not None
        for of, who in ((channel, "eve"), (NIL, "bob"), (agent._reference, "")):
            await refused(agent.issueReference(of, who, "", 0), BAD_PARAM)


async def test_a_reference_is_no_way_to_administer_access() -> None:
    async with town(enforced=False) as made:
        await made.grant(Verb.ADMINISTER)
        await made.issued(Agent, agent=True)
        assert made.host.access.grants.is_open  # she could not create a grant with it
