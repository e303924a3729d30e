"""Which right a command needs, and of whom the object is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.vocabulary import Place, Side
from tidings.engine.access import Object, Principal, Verb

if TYPE_CHECKING:
    from tidings.engine.host import Host

__all__ = ["authorise"]

_MANAGE: Final = frozenset(
    {m.CreateChannel, m.DestroyChannel, m.NewAdmin, m.DestroyAdmin, m.SetAdminProperties}
)
_FILTERS: Final = frozenset(
    {
        m.AddConstraints,
        m.AddMapped,
        m.ClearFilter,
        m.DestroyFilter,
        m.ModifyConstraints,
        m.ModifyMapped,
    }
)
_NEW_FILTERS: Final = frozenset({m.CreateFilter, m.CreateMapping})


def authorise(host: Host, command: c.Command, principal: Principal) -> None:
    """Lets a command pass that the principal may ask for.

    Raises:
        Forbidden: It may not.
        NotFound: What the command is about does not exist.
    """
    verb, target, owner = _needed(host, command)
    host.access.require(principal, verb, target, owner)


def _needed(host: Host, command: Any) -> tuple[Verb, Object, str]:  # noqa: ANN401
    kind = type(command)
    if kind in _MANAGE:
        channel = getattr(command, "channel", None)
        return Verb.MANAGE, None if channel is None else Place(channel), ""
    if kind in _NEW_FILTERS:
        return Verb.SUBSCRIBE, None, ""
    if kind in _FILTERS:
        return (
            Verb.MANAGE,
            f"filter {command.filter}",
            host.factory.filters.find(command.filter).owner,
        )
    if kind is m.ObtainProxy:
        consumes = command.side is Side.CONSUMER
        return Verb.SUBSCRIBE if consumes else Verb.PUBLISH, Place(command.channel), ""
    if kind is c.DryRun and command.proxy is None:
        return Verb.INSPECT, Place(command.channel), ""
    place = (
        command.place if hasattr(command, "place") else Place(command.channel, proxy=command.proxy)
    )
    if place.proxy is None:
        return Verb.MANAGE, place, ""
    owner = host.factory.channel(place.channel).proxy(place.proxy).owner
    return Verb.USE, place, owner
