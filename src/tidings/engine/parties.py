"""Who may use subscribers to changes of services, and announce them: by principal or password."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tidings.changes import requests as r
from tidings.changes.model import Notice
from tidings.changes.notice_event import notice_of
from tidings.changes.pending import CHANNEL
from tidings.changes.requests import ProxySubscriberInfo
from tidings.channel.vocabulary import Place
from tidings.engine.access import Caller, PartyId
from tidings.errors import (
    BadInput,
    Disconnected,
    InvalidPassword,
    InvalidUsage,
    LimitExceeded,
    WrongState,
)
from tidings.grants.model import Verb
from tidings.grants.secrets import LONGEST, SALT_OCTETS, digest
from tidings.names import is_readable, new_secret

if TYPE_CHECKING:
    from tidings.engine.host import Host

LONGEST_WAIT: Final = 30_000
"""How long a caller may wait for notices, in milliseconds."""


# Subscribers.


async def register_subscriber(host: Host, caller: Caller, asked: r.RegisterSubscriber) -> None:
    """Register a subscriber; only a digest of its password is kept."""
    _require(host, caller, Verb.SUBSCRIBE)
    await host.ask(await _with_digest(asked, caller))


async def unregister_subscriber(host: Host, caller: Caller, asked: r.UnregisterSubscriber) -> None:
    """End a subscriber, for who may use it or knows its password."""
    await _admit_to_subscriber(host, caller, asked.subscriber, asked.password)
    await host.ask(asked)


async def get_admin(host: Host, caller: Caller, asked: r.GetAdminSubscriber) -> r.SubscriberInfo:
    """Let a caller who knows its password use a subscriber from now on."""
    _require(host, caller, Verb.SUBSCRIBE)
    await _admit_to_subscriber(host, caller, asked.subscriber, asked.password)
    principal = "" if caller.owns_service or asked.password is None else caller.name
    found: r.SubscriberInfo = await host.ask(replace(asked, password=None, principal=principal))
    return found


async def pull(host: Host, caller: Caller, asked: r.PullNotices) -> tuple[Notice, ...]:
    """Take notices that wait at a proxy, which its subscriber is connected to."""
    _require(host, caller, Verb.SUBSCRIBE)
    await _admit_to_subscriber(host, caller, asked.subscriber, None)
    if not 0 <= asked.wait <= LONGEST_WAIT:
        raise InvalidUsage(f"wait is up to {LONGEST_WAIT} milliseconds, not {asked.wait}")
    found: ProxySubscriberInfo = await host.ask(
        r.SeeProxySubscriber(asked.subscriber, asked.proxy_id)
    )
    if not found.type.pulls:
        raise WrongState(f"{found.id} is of the type {found.type.name}: notices are pushed there")
    if not found.connected:
        raise Disconnected(f"subscriber {asked.subscriber} is not connected to {found.id}")
    channel, proxy = place_of(host, found)
    most = asked.most if found.type.is_sequence else 1
    batch = await host.pull(channel, proxy, most, asked.wait * 1_000)
    notices = []
    for message in batch.messages:
        try:
            notices.append(notice_of(message.event))
        except BadInput:  # somebody else has published it in the channel
            continue
    return tuple(notices)


def place_of(host: Host, proxy: ProxySubscriberInfo) -> tuple[int, int]:
    """Return the channel and the proxy there of a subscriber's proxy; LimitExceeded if none."""
    for channel in host.channels.values():
        if channel.name == CHANNEL and proxy.subscription in channel.names:
            return channel.id, channel.names[proxy.subscription]
    raise LimitExceeded(f"{proxy.id} has no subscription: {proxy.problem or 'it is being made'}")


async def _admit_to_subscriber(
    host: Host, caller: Caller, subscriber: str, password: str | None
) -> None:
    found = host.access.changes.subscriber(subscriber)
    await _admit(host, caller, f"subscriber {found.id}", found.digest, password, *found.principals)


# Evolvers.


async def register_evolver(host: Host, caller: Caller, asked: r.RegisterEvolver) -> None:
    """Register a service evolver; only a digest of its password is kept."""
    _require(host, caller, Verb.PUBLISH)
    await host.ask(await _with_digest(asked, caller))


async def unregister_evolver(host: Host, caller: Caller, asked: r.UnregisterEvolver) -> None:
    """End a service evolver's registration."""
    await _admit_to_evolver(host, caller, asked.evolver, asked.password)
    await host.ask(asked)


async def announce(host: Host, caller: Caller, asked: r.AnnounceChanges) -> tuple[str, ...]:
    """Announce changes for a service evolver."""
    await _admit_to_evolver(host, caller, asked.evolver, asked.password)
    found: tuple[str, ...] = await host.ask(replace(asked, password=None))
    return found


async def _admit_to_evolver(host: Host, caller: Caller, evolver: str, password: str | None) -> None:
    found = host.access.changes.evolver(evolver)
    name = f"service evolver {found.id}"
    await _admit(host, caller, name, found.digest, password, found.principal)


# Both.


async def _admit(
    host: Host, caller: Caller, name: str, kept: str, password: str | None, *principals: str
) -> None:
    """Raise InvalidPassword for a wrong password; without one, Forbidden unless it is theirs."""
    if password is None:
        own = caller.name if caller.name in principals else ""
        host.access.require(caller, Verb.MANAGE, PartyId(name), own)
    elif not await host.callers.fits(password, kept, name, caller.peer or caller.name):
        raise InvalidPassword(f"the password of {name} is another one")


def _require(host: Host, caller: Caller, verb: Verb) -> None:
    """Raise Forbidden unless a caller may subscribe or publish to the channel of notices."""
    found = next((one for one in host.channels.values() if one.name == CHANNEL), None)
    host.access.require(caller, verb, None if found is None else Place(found.id))


async def _with_digest(
    asked: r.RegisterSubscriber | r.RegisterEvolver, caller: Caller
) -> r.RegisterSubscriber | r.RegisterEvolver:
    principal = "" if caller.owns_service else caller.name
    if asked.password is None:
        return replace(asked, principal=principal, digest="")
    if len(asked.password) > LONGEST or not is_readable(asked.password):
        raise InvalidUsage(f"a password has at most {LONGEST} characters that can be typed")
    kept = await asyncio.to_thread(digest, asked.password, new_secret(SALT_OCTETS))
    return replace(asked, principal=principal, password=None, digest=kept)


ACTS: Final[Mapping[type, Callable[[Host, Caller, Any], Awaitable[Any]]]] = {
    r.RegisterSubscriber: register_subscriber,
    r.UnregisterSubscriber: unregister_subscriber,
    r.GetAdminSubscriber: get_admin,
    r.PullNotices: pull,
    r.RegisterEvolver: register_evolver,
    r.UnregisterEvolver: unregister_evolver,
    r.AnnounceChanges: announce,
}
"""What is done beside the core, for a caller."""
