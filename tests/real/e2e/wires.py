"""Octets to and from a service, for what no client would send; and what must not suffer by it."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psutil

from tests.patience import PATIENCE
from tests.real.e2e.served import Served

HALL = "hall"
EVENT = b'{"domain": "Auction", "type": "books"}'
JSON = "Content-Type: application/json"
LINES = "Content-Type: application/x-ndjson"
SECRET = "a-token-of-the-owner"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> dict[str, Any]:
        """The problem document that it must be."""
        assert self.headers["content-type"] == "application/problem+json", self
        found: dict[str, Any] = json.loads(self.body)
        assert found["status"] == self.status, self
        assert found["type"] == f"urn:tidings:error:{found['code']}", self
        assert found["detail"], self
        return found


def request(method: str, path: str, *headers: str | bytes, body: bytes = b"") -> bytes:
    """A request as octets; its host and its length are told unless a header is about them."""
    given = [one.encode() if isinstance(one, str) else one for one in headers]
    names = [one.split(b":")[0].lower() for one in given]
    if b"host" not in names:
        given.insert(0, b"Host: localhost")
    if body and not {b"content-length", b"transfer-encoding"} & {*names}:
        given.append(b"Content-Length: %d" % len(body))
    lines = [f"{method} {path} HTTP/1.1".encode("latin-1"), *given]
    return b"\r\n".join([*lines, b"", body])


def opened(service: Served) -> socket.socket:
    """A connection."""
    port = int(service.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def answer_on(connection: socket.socket, method: str = "GET") -> Answer:
    """The next answer on a connection."""
    with http.client.HTTPResponse(connection, method=method) as response:
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, response.read())


def answered(service: Served, octets: bytes) -> Answer:
    """The answer to octets on a connection of their own."""
    with opened(service) as connection:
        connection.sendall(octets)
        return answer_on(connection, octets.split(b" ", 1)[0].decode("latin-1"))


def upgraded(service: Served, path: str = "/v1/ws", *headers: str) -> socket.socket:
    """A WebSocket that was accepted."""
    connection = opened(service)
    connection.sendall(upgrade(path, *headers))
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        octet = connection.recv(1)
        assert octet, f"the service has ended the connection after {head!r}"
        head += octet
    assert b" 101 " in head, head
    return connection


def upgrade(path: str = "/v1/ws", *headers: str) -> bytes:
    """The request for a WebSocket; a header given replaces the one of the same name."""
    usual = {"Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
             "Sec-WebSocket-Version": "13"}  # fmt: skip
    usual.update(dict(one.split(": ", 1) for one in headers))
    return request("GET", path, *[f"{name}: {value}" for name, value in usual.items() if value])


def frame(data: bytes, opcode: int = 1, *, last: bool = True, mask: bool = True) -> bytes:
    """A frame of a WebSocket, masked with zeros."""
    size, bit = len(data), 0x80 if mask else 0
    first = (0x80 if last else 0) | opcode
    if size < 126:
        head = struct.pack("!BB", first, bit | size)
    elif size < 2**16:
        head = struct.pack("!BBH", first, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first, bit | 127, size)
    return head + (b"\0\0\0\0" if mask else b"") + data


def frames_on(connection: socket.socket) -> Iterator[tuple[int, bytes]]:
    """The frames that come, until the connection ends."""
    with connection.makefile("rb") as stream:
        while len(head := stream.read(2)) == 2:
            size = head[1]
            if size == 126:
                (size,) = struct.unpack("!H", stream.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", stream.read(8))
            yield head[0] & 0x0F, stream.read(size)


class Hall:
    """A service with a channel that is tricked upon, and one that others use meanwhile.

    Args:
        service: It.
        token: Of its owner.
    """

    def __init__(self, service: Served, token: str = "") -> None:
        self.service = service
        self._client = service.client(token)
        for name in (HALL, "others"):
            self._ask("POST", "/v1/channels", {"name": name})
        for name in ("hall/reader", "others/reader"):
            channel, _, reader = name.partition("/")
            made = {"name": reader, "style": "pull"}
            self._ask("POST", f"/v1/channels/{channel}/proxies", made)
        # The door makes itself a supplier for the first event.
        self._ask("POST", f"/v1/channels/{HALL}/events", json.loads(EVENT))
        self._process = psutil.Process(service.process.pid)

    def close(self) -> None:
        """Asks nothing more."""
        self._client.close()

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        response = self._client.request(method, path, json=body)
        assert response.is_success, response.text
        return response.json() if response.content else None

    def state(self) -> object:
        """What is there, but for what the others do."""
        tree = self._ask("GET", "/v1/tree")["channels"]
        seen = self._ask("GET", f"/v1/channels/{HALL}/events")
        return [one for one in tree if one["channel"]["name"] != "others"], seen

    def others_go_on(self) -> None:
        """An event goes through the service to somebody else."""
        place = "/v1/channels/others"
        seq = self._ask("POST", f"{place}/events", json.loads(EVENT))["seq"]
        found = self._ask("POST", f"{place}/proxies/reader/pull", {"wait": 10})["events"]
        assert [one["seq"] for one in found] == [seq]
        self._ask("POST", f"{place}/proxies/reader/ack", {"seqs": [seq]})

    @property
    def memory(self) -> int:
        """What the service takes, in octets."""
        return int(self._process.memory_info().rss)

    @property
    def files(self) -> int:
        """How many files and connections it has open."""
        return self._process.num_fds()

    @contextmanager
    def unharmed(self, megabytes: int = 64) -> Iterator[None]:
        """Nothing has changed afterwards, others go on, and the log tells no tales."""
        self.others_go_on()
        before, memory = self.state(), self.memory
        yield
        self.others_go_on()
        assert self.state() == before
        grown = (self.memory - memory) / 2**20
        assert grown < megabytes, f"{grown:.0f} MiB more"
        log = self.service.log.read_text()
        assert "Traceback" not in log, log
        assert " error " not in log, log
        assert SECRET not in log, log
