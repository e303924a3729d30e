"""Addresses of a CORBA service and of its callbacks."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import Final

from tidings.errors import InvalidUsage, Unreachable
from tidings.events.reference import Reference
from tidings.orb.aio import Address
from tidings.orb.ior import profile_of

FACTORY_KEY: Final = "NotificationService"
"""Object key of the channel factory."""

_IIOP: Final = re.compile(r"iiop://(?P<address>[^/?#]+)(?:/(?P<key>[^?#]*))?", re.IGNORECASE)
_LISTEN: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::(?P<port>[0-9]{1,5}))?")


def object_url(url: str) -> str:
    """Expand ``iiop://host:port`` to an object URL; return others unchanged."""
    text = url.strip()
    if not text.lower().startswith("iiop:"):
        return text
    found = _IIOP.fullmatch(text)
    if found is None:
        raise InvalidUsage(f"{url!r:.80} is no address of a service; iiop://host:2809 would be one")
    return f"corbaloc:iiop:1.2@{found['address']}/{found['key'] or FACTORY_KEY}"


async def callback_address(listen: str | None, service: Reference) -> Address:
    """Choose where to listen for the service's calls.

    The default is this machine's address on the route to the service, and a free port.
    """
    if listen is not None:
        found = _LISTEN.fullmatch(listen)
        if found is None or not found["host"]:
            raise InvalidUsage(
                f"{listen!r:.80} is no address to listen on; 10.0.0.7:0 would be one"
            )
        return Address(found["host"].strip("[]"), int(found["port"] or 0))
    profile = profile_of(service)
    if profile is None:
        raise InvalidUsage("the reference has no address that this ORB could use")
    loop = asyncio.get_running_loop()
    try:
        family, _, _, _, there = (
            await loop.getaddrinfo(profile.host, profile.port, type=socket.SOCK_DGRAM)
        )[0]
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect(there)  # sends nothing, only selects a route
            return Address(asked.getsockname()[0], 0)
    except OSError as error:
        raise Unreachable(f"there is no way to {profile.host}: {error}") from error
