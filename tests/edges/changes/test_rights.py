"""Where grants decide: a subscriber is its principal's, and of those who tell its password."""

from __future__ import annotations

from typing import Any

from tidings.changes import requests as r
from tidings.changes.model import ChangeKind, ServiceDescription, ServiceTypeDescription
from tidings.changes.pending import CHANNEL
from tidings.engine.access import OWNER, Caller
from tidings.engine.credentials import create_token
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Forbidden, NotFound
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.server.cores import service_cores

BANK = ServiceDescription(ServiceTypeDescription("Bank"))
GRANTS: dict[str, tuple[Verb, str]] = {
    "root": (Verb.ADMINISTER, ""),
    "keeper": (Verb.MANAGE, ""),
    "ann": (Verb.SUBSCRIBE, CHANNEL),
    "bob": (Verb.SUBSCRIBE, CHANNEL),
    "cat": (Verb.SUBSCRIBE, "roads"),
    "eve": (Verb.PUBLISH, CHANNEL),
}
ALLOWED = {
    "keeper": {"see", "proxy", "unregister", "set", "announce"},
    "ann": {"register", "see", "proxy", "pull", "unregister"},
    "bob": {"register"},
    "cat": set(),
    "eve": {"announce", "evolver"},
}


async def test_who_may_do_what() -> None:
    host = await Host.open(cores=service_cores())
    await host.ask(r.RegisterSubscriber("first"))
    await host.ask(r.CreateProxySubscriber("first", r.ProxyType.PUSH_XML))  # makes the channel
    for name, (verb, channel) in GRANTS.items():
        await host.ask(g.CreatePrincipal(name))
        await host.ask(g.CreateGrant(name, (verb,), (channel,) if channel else ()))
    await create_token(host, OWNER, g.CreateToken("root"))
    count, ann = 0, LocalDoor(host, Caller("ann"))

    async def may(name: str, what: str) -> bool:
        nonlocal count
        count += 1
        party, ann, door = (
            f"p{count}",
            LocalDoor(host, Caller("ann")),
            LocalDoor(host, Caller(name)),
        )
        await ann.request(r.RegisterSubscriber(party, "tell me"))
        proxy = await ann.ask(r.CreateProxySubscriber(party, r.ProxyType.PULL_STRUCTURED))
        await ann.ask(r.ConnectProxySubscriber(party, proxy))
        await LocalDoor(host, Caller("eve")).request(r.RegisterEvolver(party))
        asked: dict[str, Any] = {
            "register": r.RegisterSubscriber(f"{party}x"),
            "see": r.SeeSubscriber(party),
            "proxy": r.CreateProxySubscriber(party, r.ProxyType.PULL_XML),
            "pull": r.PullNotices(party, proxy),
            "unregister": r.UnregisterSubscriber(party),
            "set": r.SetChangeSettings(detect=True),
            "evolver": r.RegisterEvolver(f"{party}x"),
            "announce": r.AnnounceChanges(
                party, (r.Announcement(ChangeKind.REMOVAL_SERVICE, BANK),)
            ),
        }
        try:
            await (door.ask if what in ("proxy", "set") else door.request)(asked[what])
        except (Forbidden, NotFound):
            return False
        return True

    for name, expected in ALLOWED.items():
        for what in ("register", "see", "proxy", "pull", "unregister", "set", "evolver",
                     "announce"):  # fmt: skip
            assert await may(name, what) is (what in expected), (name, what)

    # Whoever tells the password may use the subscriber from then on.
    bob = LocalDoor(host, Caller("bob"))
    await ann.request(r.RegisterSubscriber("both", "tell me"))
    found = await bob.request(r.GetAdminSubscriber("both", "tell me"))
    assert found.principals == ("ann", "bob")
    await bob.ask(r.CreateProxySubscriber("both", r.ProxyType.PULL_XML))
    await host.close(0.05)


async def test_a_subscription_sees_what_its_owner_may_see() -> None:
    host = await Host.open(cores=service_cores())
    await host.ask(r.RegisterSubscriber("first"))
    await host.ask(r.CreateProxySubscriber("first", r.ProxyType.PUSH_XML))
    await host.ask(g.CreatePrincipal("root"))
    await host.ask(g.CreateGrant("root", (Verb.ADMINISTER,)))
    await host.ask(g.CreatePrincipal("ann"))
    await host.ask(
        g.CreateGrant("ann", (Verb.SUBSCRIBE,), (CHANNEL,), (), "$service_type == 'Bank'")
    )
    await create_token(host, OWNER, g.CreateToken("root"))
    ann = LocalDoor(host, Caller("ann"))
    await ann.request(r.RegisterSubscriber("ann"))
    await ann.ask(r.CreateProxySubscriber("ann", r.ProxyType.PULL_STRUCTURED_SEQUENCE))
    await ann.ask(r.ConnectProxySubscriber("ann", "PS01"))
    await host.ask(r.RegisterEvolver("isel"))
    shop = ServiceDescription(ServiceTypeDescription("Shop"))
    announced = tuple(r.Announcement(ChangeKind.REMOVAL_SERVICE, one) for one in (shop, BANK))
    await LocalDoor(host).request(r.AnnounceChanges("isel", announced))
    (told,) = await ann.request(r.PullNotices("ann", "PS01", wait=10_000))
    assert told.before == BANK
    await host.close(0.05)
