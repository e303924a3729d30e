"""Which right a command needs, and who owns its object."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.catalogue import OPERATIONS, Right
from tidings.channel.factory import Factory
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Place, Side
from tidings.engine.access import Access, Caller, FilterId, Object, OfferId, PartyId
from tidings.engine.limiting import Limiting
from tidings.errors import Forbidden, InvalidUsage
from tidings.events.envelope import MOST_PRODUCER, ProducerMark
from tidings.events.fields import fields_for
from tidings.filters.plan import Fence
from tidings.grants.model import Verb
from tidings.trader.requests import ChangeOffers

_Needed: TypeAlias = tuple[Verb, Object, str]


class Guarded(Protocol):
    """The objects that commands name, and the access rules for them."""

    factory: Factory
    access: Access
    limiting: Limiting


def authorise(host: Guarded, command: c.Command, principal: Caller) -> None:
    """Raise Forbidden if a principal may not run a command, NotFound if its object is missing."""
    access = host.access
    if command.__class__ is c.Push and not command.trail:
        fence = access.pushes(principal, command.channel, command.proxy)
        if fence is not None:
            if fence:
                _check_events(fence, command, principal)
            return
    right = _right(command)
    if right is Right.ENGINE and not principal.is_owner:
        raise Forbidden(f"{principal} may not do what only the service itself does")
    channel = _channel(command)
    if channel is not None:
        access.hide(principal, channel)
    if isinstance(command, ChangeOffers):
        for step in command.steps:
            authorise(host, step.request(), principal)
    else:
        access.require(principal, *_needed(host, command, principal))
    if isinstance(command, c.DryRun) or (isinstance(command, c.Push) and command.trail):
        access.require(principal, Verb.INSPECT, Place(command.channel))  # it names all consumers
    if isinstance(command, c.Push):
        fence = access.allow_pushes(principal, command.channel, command.proxy)
        if fence:
            _check_events(fence, command, principal)
    elif isinstance(command, m.AddFilter | m.SetMapping) and command.filter is not None:
        owner = host.factory.filters.find(command.filter).owner
        access.require(principal, Verb.INSPECT, FilterId(command.filter), owner)


def may_poll(host: Guarded, channel: int, proxy: int) -> bool:
    """Return whether a supplier may be asked for events now, by its owner's limits."""
    owner = host.factory.channel(channel).proxy(proxy).owner
    return not owner or host.limiting.may_poll(Caller(owner))


def check_polled(host: Guarded, answer: c.Polled) -> None:
    """Raise Forbidden if a polled supplier's owner may not publish what it answers.

    Its owner's limits hold as for a push: LimitExceeded.
    """
    proxy = host.factory.channel(answer.channel).proxy(answer.proxy)
    if proxy.owner:
        owner = Caller(proxy.owner)
        host.access.require(owner, *_use(host.factory, answer.channel, answer.proxy))
        push = c.Push(answer.channel, answer.proxy, answer.items)
        fence = host.access.allow_pushes(owner, answer.channel, answer.proxy)
        if fence:
            _check_events(fence, push, owner)
        host.limiting.take_polled(push, owner)


def _check_events(fence: Fence, push: c.Push, principal: Caller) -> None:
    """Raise Forbidden if an event is not one that the principal may publish."""
    for number, item in enumerate(push.items, 1):
        event = entered(item, unwrap=True)
        if not any(one.matches(fields_for(event, 0)) for one in fence):
            raise Forbidden(
                f"{principal} may not publish event {number} of {len(push.items)}, of type "
                f"{event.domain}::{event.type}: its grants do not allow such events"
            )


def own_producer(access: Access, principal: Caller, producer: str) -> str:
    """Return a producer's name as the channel knows it.

    Where grants decide, a principal's producers are its own: nobody else can use up their numbers.
    """
    if principal.is_owner or access.grants.is_open:
        return producer
    own = f"{principal}:{producer}"
    if len(own) > MOST_PRODUCER:
        raise InvalidUsage(
            f"a producer's name has at most {MOST_PRODUCER - len(str(principal)) - 1} characters "
            f"for {principal}, not {len(producer)}"
        )
    return own


def with_own_producers(access: Access, push: c.Push, principal: Caller) -> c.Push:
    """Return a push whose marks are those of the principal's own producers."""
    if not push.marks or principal.is_owner or access.grants.is_open:
        return push
    own = {mark.producer: own_producer(access, principal, mark.producer) for mark in push.marks}
    marks = [ProducerMark.trusted(own[mark.producer], mark.number) for mark in push.marks]
    return push._replace(marks=marks)


def _right(command: object) -> Right:
    row = OPERATIONS.get(type(command))
    return Right.ENGINE if row is None else row.right


def _needed(host: Guarded, command: Any, principal: Caller) -> _Needed:  # noqa: ANN401
    factory = host.factory
    match _right(command):
        case Right.CHANGE_OFFER | Right.SUBSCRIBER:
            return _owned(host.access, command, principal)
        case Right.USE_PROXY if command.proxy is not None:
            return _use(factory, command.channel, command.proxy)
        case Right.CHANGE_PLACE if command.place.proxy is not None:
            return _use(factory, command.place.channel, command.place.proxy)
        case Right.CHANGE_PLACE:
            return Verb.MANAGE, command.place, ""
        case Right.INSPECT | Right.USE_PROXY:
            return Verb.INSPECT, _channel(command), ""
        case Right.MANAGE:
            return Verb.MANAGE, _channel(command), ""
        case Right.CREATE_PROXY:
            verb = Verb.SUBSCRIBE if command.side is Side.CONSUMER else Verb.PUBLISH
            return verb, Place(command.channel, command.side, command.admin), ""
        case Right.EXPORT | Right.CREATE_FILTER | Right.IMPORT as right:
            return Verb.PUBLISH if right is Right.EXPORT else Verb.SUBSCRIBE, None, ""
        case Right.MANAGE_FILTER:
            owner = factory.filters.find(command.filter).owner
            return Verb.MANAGE, FilterId(command.filter), owner
        case _:  # dead letters, too: the door looks for the proxy of each, which may be gone
            return Verb.ADMINISTER, None, ""


def _owned(access: Access, command: Any, principal: Caller) -> _Needed:  # noqa: ANN401
    """Return what changing an offer or a subscriber needs; these belong to principals."""
    if _right(command) is Right.CHANGE_OFFER:
        return Verb.MANAGE, OfferId(command.offer), access.offer_owner(command.offer)
    found = access.changes.subscriber(command.subscriber)
    own = principal.name if principal.name in found.principals else ""
    return Verb.MANAGE, PartyId(f"subscriber {found.id}"), own


def _use(factory: Factory, channel: int, proxy: int) -> _Needed:
    found = factory.channel(channel).proxy(proxy)
    return Verb.USE, Place(channel, found.side, proxy=proxy), found.owner


def _channel(command: Any) -> Place | None:  # noqa: ANN401 -- of any class
    place = getattr(command, "place", None)
    channel = getattr(command, "channel", None) if place is None else place.channel
    return None if channel is None else Place(channel)
