"""What a CORBA reference that carries a grant leads to: as it is asked for, and as it is kept."""

from __future__ import annotations

import re
from typing import Final

from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Place, Side
from tidings.errors import InvalidUsage
from tidings.grants.requests import CreateReference

AGENT: Final = "agent"
FACTORY: Final = "factory"
TRADER: Final = "trader"

_PLACE: Final = re.compile(
    r"(?:(?:(?P<side>supplier|consumer) admin (?P<admin>\d+)|proxy (?P<proxy>\d+)) of )?"
    r"channel (?P<channel>\d+)",
    re.ASCII,
)


def leads_to(factory: Factory, asked: CreateReference) -> str:
    """Return the words for the object that a reference is asked for.

    Raises:
        InvalidUsage: The fields do not name one object.
        NotFound: There is no such object.
    """
    if asked.channel is None:
        if (asked.side, asked.admin, asked.proxy) != (None, None, None):
            raise InvalidUsage("an admin or a proxy is one of a channel: name the channel, too")
        if asked.agent and asked.trader:
            raise InvalidUsage("a reference leads to the agent or to the trader, not to both")
        return AGENT if asked.agent else TRADER if asked.trader else FACTORY
    if asked.agent or asked.trader or (asked.side is None) is not (asked.admin is None):
        raise InvalidUsage(
            "a reference leads to one object: the agent, the trader, the factory (nothing is "
            "named), a channel, an admin (channel, side and admin), or a proxy (channel and proxy)"
        )
    channel = factory.channel(asked.channel)
    if asked.proxy is not None:
        if asked.admin is not None:
            raise InvalidUsage("a reference leads to an admin or a proxy, not to both")
        return str(Place(channel.id, proxy=channel.proxy(asked.proxy).id))
    if asked.side is not None and asked.admin is not None:
        return str(Place(channel.id, asked.side, channel.admin(asked.side, asked.admin).id))
    return str(Place(channel.id))


def place_of(words: str) -> Place | None:
    """Return the channel, admin or proxy that words name; None for the others."""
    found = _PLACE.fullmatch(words)
    if found is None:
        return None
    side, admin, proxy = (found[name] for name in ("side", "admin", "proxy"))
    return Place(
        int(found["channel"]),
        None if side is None else Side(side),
        None if admin is None else int(admin),
        None if proxy is None else int(proxy),
    )
