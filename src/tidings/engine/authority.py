"""Which right a command needs, and who owns its object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

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
    host.access.require(principal, *_needed(host, command))


def _needed(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    row = OPERATIONS.get(type(command))
    return (_engine if row is None else _NEEDED[row.right])(host, command)


def _proxy(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    if command.proxy is None:
        return _inspect(host, command)
    return _use(host, Place(command.channel, proxy=command.proxy))


def _place(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    place = command.place
    return (Verb.MANAGE, place, "") if place.proxy is None else _use(host, place)


def _use(host: Guarded, place: Place) -> _Needed:
    assert place.proxy is not None
    return Verb.USE, place, host.factory.channel(place.channel).proxy(place.proxy).owner


def _inspect(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    return Verb.INSPECT, _channel(command), ""


def _manage(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    return Verb.MANAGE, _channel(command), ""


def _channel(command: Any) -> Object:  # noqa: ANN401
    channel = getattr(command, "channel", None)
    return None if channel is None else Place(channel)


def _new_proxy(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    consumes = command.side is Side.CONSUMER
    return Verb.SUBSCRIBE if consumes else Verb.PUBLISH, Place(command.channel), ""


def _new_filter(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    return Verb.SUBSCRIBE, None, ""


def _filter(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    owner = host.factory.filters.find(command.filter).owner
    return Verb.MANAGE, f"filter {command.filter}", owner


def _engine(host: Guarded, command: Any) -> _Needed:  # noqa: ANN401
    """Return the right for the engine's own commands, and for any unlisted command."""
    return Verb.ADMINISTER, None, ""


# Dead letters are not commands: the door looks for the proxy of each, which may be gone.
_NEEDED: Final[Mapping[Right, Callable[[Guarded, Any], _Needed]]] = {
    Right.CHANGE_PLACE: _place,
    Right.CREATE_FILTER: _new_filter,
    Right.CREATE_PROXY: _new_proxy,
    Right.ENGINE: _engine,
    Right.INSPECT: _inspect,
    Right.MANAGE: _manage,
    Right.MANAGE_FILTER: _filter,
    Right.USE_PROXY: _proxy,
}
