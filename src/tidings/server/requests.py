"""Tells of requests in the log, each where it belongs in the tree of objects."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache
from typing import Any, Final

from tidings.clock import monotonic_microseconds
from tidings.server.logs import ADMIN, CHANNEL, EVERYTHING, FACTORY

log = logging.getLogger(__name__)

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def request_depth(method: str, path: str) -> int:
    """How deep in the tree of objects a request acts: what only reads belongs nowhere."""
    parts = path.strip("/").split("/")
    if method in _READING or parts[:2] != ["v1", "channels"]:
        return EVERYTHING
    if len(parts) <= 3:
        return FACTORY
    if parts[3] in ("qos", "admin-properties"):
        return CHANNEL
    if parts[3] in ("admins", "proxies") and parts[-1] not in ("pull", "ack", "retry", "reject"):
        return ADMIN
    return EVERYTHING


# Of the interfaces of a channel and what is in it, what only looks, or carries events.
_LOOKING: Final = ("get_", "match", "obtain_offered", "obtain_subscription", "pull", "push",
                   "try_pull", "validate_")  # fmt: skip


@cache
def operation_depth(interface: str, operation: str) -> int:
    """The same for an operation that the interface of a CORBA object has."""
    name = interface.rpartition("::")[2]
    if name == "EventChannelFactory":
        return FACTORY if operation.startswith("create_") else EVERYTHING
    if name == "EventChannel" and operation == "destroy":
        return FACTORY
    if operation.startswith(_LOOKING) or (operation.startswith("_") and operation[:5] != "_set_"):
        return EVERYTHING
    if name == "EventChannel":
        return CHANNEL if operation.startswith("set_") else ADMIN
    return ADMIN if "Proxy" in name or name in ("ConsumerAdmin", "SupplierAdmin") else EVERYTHING


class OperationLog:
    """Logs the operations that CORBA clients call, and how they end.

    `depth` says how deep to log now; `words` describes an object key.
    """

    def __init__(self, depth: Callable[[], int], words: Callable[[bytes], str]) -> None:
        self._depth = depth
        self._words = words

    def __call__(self, interface: str, operation: str, key: bytes) -> Callable[[str], None] | None:
        """A request has come; what is to be told how it ends."""
        # What no interface has is not kept: peers can think of any number of operations.
        depth = operation_depth(interface, operation) if interface else EVERYTHING
        if depth > self._depth():
            return None
        begun, words = monotonic_microseconds(), self._words(key)

        def ended(how: str) -> None:
            took = (monotonic_microseconds() - begun) / 1_000
            log.info("CORBA %s %s: %s, %.1f ms", operation, words, how, took,
                     extra={"depth": depth})  # fmt: skip

        return ended


class RequestLog:
    """An ASGI application around another, which logs requests and how they end.

    It logs neither headers nor queries. `app` can be exchanged while requests run.
    """

    def __init__(self, app: _App, depth: Callable[[], int]) -> None:
        self.app = app
        self._depth = depth

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Handles a connection."""
        most = self._depth()
        if most < FACTORY or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        method, path = scope.get("method", "WEBSOCKET"), scope["path"]
        depth = EVERYTHING if method == "WEBSOCKET" else request_depth(method, path)
        if depth > most:
            await self.app(scope, receive, send)
            return
        await self._told(scope, receive, send, method, depth)

    async def _told(
        self, scope: _Message, receive: _Receive, send: _Send, method: str, depth: int
    ) -> None:
        begun = monotonic_microseconds()
        end: object = "cut"

        async def noting(message: _Message) -> None:
            nonlocal end
            kind = message["type"]
            if kind.endswith("response.start"):
                end = message["status"]
            elif kind == "websocket.close":
                end = message.get("code", 1000)
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            took = (monotonic_microseconds() - begun) / 1_000
            log.info("%s %s: %s, %.1f ms", method, scope["path"], end, took,
                     extra={"depth": depth})  # fmt: skip
