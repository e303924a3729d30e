"""Targets: where an ORB may connect because of a reference that somebody gave it."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections import OrderedDict
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final

from tidings.orb.aio.options import Address
from tidings.orb.exceptions import NO_PERMISSION

_log: Final = logging.getLogger(__name__)

LOOPBACK: Final = "loopback"
"""As a network: this machine itself, by any of its addresses."""

PEER: Final = "peer"
"""As a network: the address that a reference came from."""

caller: Final[ContextVar[str]] = ContextVar("caller", default="")
"""The address that the request in progress came from; empty if there is none."""

# Of more addresses it is not known that they were granted, or that the log has told of them.
_MOST_GRANTED: Final = 65_536
_MOST_LOGGED: Final = 1_000


def plain_address(text: str) -> str:
    """An address in its canonical form; empty if the text is a name."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _is_of_this_machine(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is ours: clients on this machine may name its interface."""
    if address.is_loopback:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return not (address.is_unspecified or address.is_multicast)


class Targets:
    """The addresses an ORB may connect to.

    Where a client asked to be called at its own address, that address and port stay allowed.

    Args:
        networks: `loopback`, `peer`, and networks such as 10.0.0.0/8 or fd00::/8.
        setting: The setting that allows more, for messages.
    """

    def __init__(self, networks: Iterable[str], setting: str = "Options.targets") -> None:
        words = set(networks)
        self._peer = PEER in words
        self._loopback = LOOPBACK in words
        self._networks = [ipaddress.ip_network(each) for each in words - {PEER, LOOPBACK}]
        self._setting = setting
        self._granted: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._logged: set[tuple[str, int]] = set()

    def allows(self, address: str, port: int, given_by: str = "") -> bool:
        """Whether the ORB may connect there; `given_by` is where the reference came from."""
        if self._peer and given_by and plain_address(given_by) == address:
            self.grant(address, port)
        if (address, port) in self._granted:
            self._granted.move_to_end((address, port))
            return True
        found = ipaddress.ip_address(address)
        return (self._loopback and _is_of_this_machine(found)) or any(
            found in network for network in self._networks
        )

    def grant(self, address: str, port: int) -> None:
        """Allow the address of a client that asked to be called there."""
        if self._peer:
            self._granted[address, port] = None
            if len(self._granted) > _MOST_GRANTED:
                self._granted.popitem(last=False)

    def refusal(self, address: Address, resolved: str, given_by: str = "") -> NO_PERMISSION:
        """The error for an address that is not allowed, which is logged once."""
        where = f"{address}" if resolved == address.host else f"{address} ({resolved})"
        by = f" a reference from {given_by} leads to" if given_by else " a reference leads to"
        why = f"{by} {where}, where {self._setting} does not allow to connect".lstrip()
        if (resolved, address.port) not in self._logged:
            if len(self._logged) >= _MOST_LOGGED:
                self._logged.clear()
            self._logged.add((resolved, address.port))
            _log.warning("%s", why)
        return NO_PERMISSION(why=why)
