"""Which right a command needs, and who owns its object."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from tidings.channel import commands as c
from tidings.channel.catalogue import OPERATIONS, Right
from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Place, Side
from tidings.engine.access import Access, Object, Principal, Verb

_Needed: TypeAlias = tuple[Verb, Object, str]


class Guarded(Protocol):
    """The objects that commands name, and the access rules for them."""

    factory: Factory
    access: Access


def authorise(host: Guarded, command: c.Command, principal: Principal) -> None:
    """Raise Forbidden if a principal may not run a command, NotFound if its object is missing."""
    host.access.require(principal, *_needed(host.factory, command))


def _needed(factory: Factory, command: Any) -> _Needed:  # noqa: ANN401 -- of any class
    row = OPERATIONS.get(type(command))
    match Right.ENGINE if row is None else row.right:
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
            return verb, Place(command.channel), ""
        case Right.CREATE_FILTER:
            return Verb.SUBSCRIBE, None, ""
        case Right.MANAGE_FILTER:
            owner = factory.filters.find(command.filter).owner
            return Verb.MANAGE, f"filter {command.filter}", owner
        case _:  # dead letters, too: the door looks for the proxy of each, which may be gone
            return Verb.ADMINISTER, None, ""


def _use(factory: Factory, channel: int, proxy: int) -> _Needed:
    owner = factory.channel(channel).proxy(proxy).owner
    return Verb.USE, Place(channel, proxy=proxy), owner


def _channel(command: Any) -> Place | None:  # noqa: ANN401 -- of any class
    channel = getattr(command, "channel", None)
    return None if channel is None else Place(channel)
