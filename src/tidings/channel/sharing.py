"""Offers and subscriptions: what suppliers will send, what consumers want, and who is told."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.channel import Channel
from tidings.channel.effects import TellOffers, TellSubscriptions
from tidings.channel.holders import Holder, Proxy
from tidings.channel.offers import TypeChange, offered
from tidings.channel.vocabulary import InfoMode, Side
from tidings.filters.constraint import EventTypePattern


def offer_key(holder: Holder) -> tuple[str, int]:
    """Return the key of an object's offers in the registry."""
    return ("proxy" if isinstance(holder, Proxy) else "admin", holder.id)


def offers_changed(
    channel: Channel,
    holder: Holder,
    added: Sequence[EventTypePattern],
    removed: Sequence[EventTypePattern],
) -> None:
    """Change the event types a supplier or supplier admin offers."""
    holder.offered = offered(holder.offered, added, removed)
    tell_consumers(channel, channel.offers.replace(offer_key(holder), holder.offered))


def tell_consumers(channel: Channel, change: TypeChange) -> None:
    """Tell interested consumers which types are newly offered or withdrawn."""
    if not change:
        return
    for proxy in channel.proxies_of(Side.CONSUMER):
        if proxy.hears:
            effect = TellOffers(channel.id, proxy.id, change.added, change.removed)
            channel.core.out.append(effect)


def tell_suppliers(channel: Channel, change: TypeChange) -> None:
    """Tell interested suppliers which types are newly wanted or withdrawn."""
    if not change:
        return
    for proxy in channel.proxies_of(Side.SUPPLIER):
        if proxy.hears:
            effect = TellSubscriptions(channel.id, proxy.id, change.added, change.removed)
            channel.core.out.append(effect)


def obtain_types(channel: Channel, proxy: Proxy, mode: InfoMode) -> tuple[EventTypePattern, ...]:
    """Return the other side's types if the mode asks for them; set whether updates follow."""
    proxy.updates = mode.updates_on
    if not mode.all_now:
        return ()
    registry = channel.offers if proxy.side is Side.CONSUMER else channel.wants
    return registry.types()
