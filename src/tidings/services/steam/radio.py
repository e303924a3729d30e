"""The medium between STEAM nodes: UDP multicast on one interface, by default the loopback."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from tidings.errors import InvalidUsage, Unreachable
from tidings.services.steam.datagrams import MOST_OCTETS

LOOPBACK: Final = "127.0.0.1"
# Octets of datagrams that wait to be read: bursts of some hundreds.
_BUFFER: Final = 1 << 20
# Datagrams that are read before others get their turn.
_BATCH: Final = 64
_FIRST_PORT: Final = 20_000
_PORTS: Final = 10_000
# Linux: 0 for datagrams of the groups that this very socket has joined, and no others.
_IP_MULTICAST_ALL: Final = 49
# A datagram that finds no room is lost, as on the air.
_NO_ROOM: Final = (errno.EAGAIN, errno.ENOBUFS)


class RadioConfig(msgspec.Struct, frozen=True):
    """Where the medium is.

    Attributes:
        interface: The address of the interface that datagrams come and go by.
        port: The port of all groups; 0 for one that follows from the network's name.
        ttl: Routers that a datagram may pass; 0 keeps it on this machine.
    """

    interface: str = LOOPBACK
    port: int = 0
    ttl: int = 0


def port_of(network: str) -> int:
    """Return the port of a network, below those that systems give to clients."""
    digest = hashlib.sha256(network.encode()).digest()
    return _FIRST_PORT + int.from_bytes(digest[:4], "big") % _PORTS


class Radio:
    """Sends to groups, and hears those that it has joined: a socket for each."""

    def __init__(
        self,
        config: RadioConfig,
        network: str,
        received: Callable[[bytes], None],
        failed: Callable[[str], None],
    ) -> None:
        if not 0 <= config.port < 65_536:
            raise InvalidUsage(f"a port is 1 to 65535, or 0 to choose one, not {config.port}")
        if not 0 <= config.ttl < 256:
            raise InvalidUsage(f"ttl is 0 to 255, not {config.ttl}")
        try:
            self._interface = socket.inet_aton(config.interface)
        except OSError as error:
            raise InvalidUsage(f"{config.interface!r:.60} is no IPv4 address") from error
        self._name = config.interface
        self._port = config.port or port_of(network)
        self._ttl = config.ttl
        self._received = received
        self._failed = failed
        self._sender: socket.socket | None = None
        self._groups: dict[str, socket.socket] = {}

    def open(self) -> None:
        """Begin to send; Unreachable if the interface cannot."""
        sender = self._sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            sender.setblocking(False)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, self._interface)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, self._ttl)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        except OSError as error:
            self.close()
            raise self._lost(error) from error

    def close(self) -> None:
        """Leave all groups, and send no more."""
        for group in tuple(self._groups):
            self.leave(group)
        if self._sender is not None:
            self._sender.close()
            self._sender = None

    def join(self, group: str) -> None:
        """Hear a group; Unreachable if that cannot be."""
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            made.setblocking(False)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            with suppress(OSError):  # not on every system
                made.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
            # Bound to the group: nothing else that is sent to the port comes in.
            made.bind((group, self._port))
            made.setsockopt(
                socket.IPPROTO_IP,
                socket.IP_ADD_MEMBERSHIP,
                socket.inet_aton(group) + self._interface,
            )
        except OSError as error:
            made.close()
            raise self._lost(error) from error
        self._groups[group] = made
        asyncio.get_running_loop().add_reader(made, self._read, made)

    def leave(self, group: str) -> None:
        """Hear a group no longer."""
        made = self._groups.pop(group, None)
        if made is not None:
            asyncio.get_running_loop().remove_reader(made)
            made.close()

    def send(self, group: str, octets: bytes) -> None:
        """Send a datagram; Unreachable if the interface is gone."""
        if self._sender is None:
            raise Unreachable("this STEAM node is closed")
        try:
            self._sender.sendto(octets, (group, self._port))
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise self._lost(error) from error

    def _read(self, made: socket.socket) -> None:
        for _ in range(_BATCH):
            try:
                octets = made.recv(MOST_OCTETS + 1)
            except BlockingIOError:
                return
            except OSError as error:
                self._lost(error)
                asyncio.get_running_loop().remove_reader(made)
                return
            self._received(octets)
            if made.fileno() < 0:  # the group was left meanwhile
                return

    def _lost(self, error: OSError) -> Unreachable:
        lost = Unreachable(f"multicast by {self._name}, port {self._port}: {error}")
        self._failed(str(lost))
        return lost
