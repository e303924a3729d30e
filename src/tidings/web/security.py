"""Who asks: the loopback's owner, or whoever has the token.

Nothing here is shown in an error or a log: neither a token that was sent nor the right one.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tidings.engine.access import OWNER, Caller
from tidings.engine.callers import Callers
from tidings.engine.host import Host
from tidings.errors import Forbidden, TidingsError, Unauthenticated
from tidings.grants.core import AccessChanged
from tidings.grants.secrets import token_number
from tidings.web.faults import refuse
from tidings.web.options import WebOptions

TOKEN_SUBPROTOCOL: Final = "tidings.token."
"""Browsers can set no header on a WebSocket: the token comes as a subprotocol behind this."""

AUTHENTICATED: Final = "tidings.authenticated"
"""Where the state of a scope may have a function to be called once it is sure who asks."""

REVOKED: Final = 4401
"""The code a WebSocket is closed with when its principal may do less than before."""

_OPEN: Final = ("/health/", "/console/")
_PRINCIPAL: Final = "tidings.principal"


class Guard:
    """Lets nobody but known callers reach a route, except the health and the console's files.

    Connections of a principal that may do less than before are cut; it may open others.
    """

    def __init__(self, app: ASGIApp, options: WebOptions, host: Host) -> None:
        self._app = app
        self._options = options
        self._grants = host.access.grants
        self._callers = Callers(self._grants, host.clock.now)
        self._open: dict[int, tuple[Caller, Callable[[], None]]] = {}
        host.on_effect(AccessChanged, self._cut)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        if scope["type"] == "lifespan" or _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            principal = await self._caller(HTTPConnection(scope))
        except TidingsError as error:
            await refuse(scope, receive, send, error)
            return
        scope[_PRINCIPAL] = principal
        if (tell := scope.get("state", {}).get(AUTHENTICATED)) is not None:
            tell()
        if principal.owns_service:
            await self._app(scope, receive, send)
            return
        self._open[id(scope)] = (principal, _ending(scope, send))
        try:
            await self._app(scope, receive, send)
        finally:
            del self._open[id(scope)]

    async def _caller(self, connection: HTTPConnection) -> Caller:
        given, options = bearer(connection), self._options
        if token_number(given) is not None:
            client = connection.client
            return await self._callers.by_token(given, "" if client is None else client.host)
        if options.token is None and not (self._grants.is_open or options.open_loopback):
            raise Unauthenticated(
                "the token is missing: send the header Authorization: Bearer <token>"
            )
        return authenticate(connection, options)

    def _cut(self, changed: AccessChanged) -> None:
        for principal, end in list(self._open.values()):
            if changed.concerns(principal.name, principal.credential):
                end()


def _is_open(path: str) -> bool:
    """The health, and the files of the console, which hold no secrets."""
    return path == "/" or path.startswith(_OPEN)


def _ending(scope: Scope, send: Send) -> Callable[[], None]:
    """What ends a request or a WebSocket from outside."""
    task = asyncio.current_task()
    assert task is not None
    if scope["type"] != "websocket":
        return task.cancel  # type: ignore[return-value]
    closing: Message = {"type": "websocket.close", "code": REVOKED, "reason": "access has changed"}
    loop = asyncio.get_running_loop()
    kept: list[asyncio.Task[None]] = []

    def close() -> None:
        kept.append(loop.create_task(_sent(send, closing)))

    return close


async def _sent(send: Send, message: Message) -> None:
    with suppress(Exception):  # it may have ended meanwhile, in whatever way
        await send(message)


def authenticate(connection: HTTPConnection, options: WebOptions) -> Caller:
    """Return the owner, if the caller shows its token or needs none.

    Raises:
        Unauthenticated: The token is missing or wrong.
        Forbidden: The request names another host, or comes from a page of another origin.
    """
    if options.token is None:
        host = _single(connection, "host")
        _check_host(host, options.allowed_hosts)
        _check_origin(connection, host, options.allowed_origins)
    else:
        _check_token(connection, options.token)
    return OWNER


def principal_of(connection: HTTPConnection) -> Caller:
    """Who the guard found to ask."""
    found: Caller = connection.scope[_PRINCIPAL]
    return found


def _single(connection: HTTPConnection, name: str) -> str:
    """A header's value; empty if it is missing or stands there twice."""
    values = connection.headers.getlist(name)
    return values[0].strip() if len(values) == 1 else ""


def _check_host(host: str, allowed: tuple[str, ...]) -> None:
    """A page elsewhere can have its own name lead here, but the browser still sends that name."""
    name = _host_name(host)
    if not (_is_loopback(name) or {host.lower(), name} & {one.lower() for one in allowed}):
        raise Forbidden(
            "the Host header does not name this machine: use localhost, 127.0.0.1 or [::1], or "
            "add the name to the allowed hosts"
        )


def _host_name(host: str) -> str:
    """A host without its port, in lower case; empty if it is none."""
    try:
        split = urlsplit(f"//{host}")
        split.port  # noqa: B018 -- raises if the port is none
    except ValueError:
        return ""
    if split.username is not None or split.path or split.query or split.fragment:
        return ""
    return split.hostname or ""


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _check_origin(connection: HTTPConnection, host: str, allowed: tuple[str, ...]) -> None:
    """Browsers say from which page a request comes; programs say nothing."""
    if "origin" not in connection.headers:
        return
    origin = _single(connection, "origin").lower()
    same = {f"http://{host.lower()}", f"https://{host.lower()}"}
    if origin not in same and origin not in {one.lower().rstrip("/") for one in allowed}:
        raise Forbidden(
            "the request comes from a page of another origin: add that to the allowed origins"
        )


def _check_token(connection: HTTPConnection, token: str) -> None:
    given = bearer(connection)
    if not given:
        raise Unauthenticated("the token is missing: send the header Authorization: Bearer <token>")
    if not hmac.compare_digest(given.encode(errors="replace"), token.encode()):
        raise Unauthenticated("the token is wrong: the service's owner has the right one")


def bearer(connection: HTTPConnection) -> str:
    """Return the token that a request shows; empty if it shows none."""
    scheme, _, given = _single(connection, "authorization").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    if connection.scope["type"] == "websocket":
        for offered in connection.scope.get("subprotocols", ()):
            if offered.startswith(TOKEN_SUBPROTOCOL):
                return str(offered.removeprefix(TOKEN_SUBPROTOCOL))
    return ""
