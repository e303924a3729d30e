"""Which right a command needs, and of whom the object is."""

from __future__ import annotations

from typing import Any, Final, Protocol

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Place, Side
from tidings.engine.access import Access, Object, Principal, Verb

# By what a command is about; each kind of command stands in one of these.
_ENGINE: Final = frozenset(
    {c.ClockSet, c.Idle, c.Lost, c.Refilled, c.RefusePersistent, c.Revoke, c.Tick}
)
_CHANNEL: Final = frozenset(
    {m.CreateChannel, m.DestroyAdmin, m.DestroyChannel, m.NewAdmin, m.SetAdminProperties}
)
_NEW_FILTER: Final = frozenset({m.CreateFilter, m.CreateMapping})
_FILTER: Final = frozenset(
    {
        m.AddConstraints,
        m.AddMapped,
        m.ClearFilter,
        m.DestroyFilter,
        m.ModifyConstraints,
        m.ModifyMapped,
    }
)
_PLACE: Final = frozenset(
    {
        m.AddFilter,
        m.OfferChange,
        m.RemoveAllFilters,
        m.RemoveFilter,
        m.SetMapping,
        m.SetQoS,
        m.SubscriptionChange,
        m.ValidateQoS,
    }
)
_PROXY: Final = frozenset(
    {
        c.Ack,
        c.CancelPull,
        c.DryRun,
        c.Failed,
        c.Polled,
        c.Pull,
        c.Push,
        c.Redrive,
        c.Reject,
        m.Connect,
        m.Detach,
        m.Disconnect,
        m.ObtainTypes,
        m.Resume,
        m.Suspend,
        m.ValidateEventQoS,
    }
)


class Guarded(Protocol):
    """Whose objects commands are about.

    Attributes:
        factory: The objects.
        access: Who may do what.
    """

    factory: Factory
    access: Access


def authorise(host: Guarded, command: c.Command, principal: Principal) -> None:
    """Lets a command pass that the principal may ask for.

    Raises:
        Forbidden: It may not.
        NotFound: What the command is about does not exist.
    """
    verb, target, owner = _needed(host, command)
    host.access.require(principal, verb, target, owner)


def _needed(host: Guarded, command: Any) -> tuple[Verb, Object, str]:  # noqa: ANN401
    kind = type(command)
    if kind in _PROXY and command.proxy is not None:
        return _use(host, Place(command.channel, proxy=command.proxy))
    if kind in _PLACE:
        place = command.place
        return (Verb.MANAGE, place, "") if place.proxy is None else _use(host, place)
    if kind is c.DryRun:
        return Verb.INSPECT, Place(command.channel), ""
    if kind is m.ObtainProxy:
        consumes = command.side is Side.CONSUMER
        return Verb.SUBSCRIBE if consumes else Verb.PUBLISH, Place(command.channel), ""
    if kind in _NEW_FILTER:
        return Verb.SUBSCRIBE, None, ""
    if kind in _FILTER:
        owner = host.factory.filters.find(command.filter).owner
        return Verb.MANAGE, f"filter {command.filter}", owner
    if kind in _CHANNEL:
        channel = getattr(command, "channel", None)
        return Verb.MANAGE, None if channel is None else Place(channel), ""
    # What only the engine itself asks for, and what nobody has thought of.
    return Verb.ADMINISTER, None, ""


def _use(host: Guarded, place: Place) -> tuple[Verb, Object, str]:
    assert place.proxy is not None
    return Verb.USE, place, host.factory.channel(place.channel).proxy(place.proxy).owner
