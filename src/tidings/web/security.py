"""Who asks: the loopback's owner, or whoever has the token.

Nothing here is shown in an error or a log: neither a token that was sent nor the right one.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
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

_LAST_WORDS: Final = 1.0
"""Seconds in which a request of the owner is answered that has ended its own right to ask, and in
which a WebSocket takes the word that it is over."""
_OPEN: Final = "/health/"
_PRINCIPAL: Final = "tidings.principal"


class Guard:
    """Lets nobody reach a route, except the health, before the caller is known.

    Connections of a principal that may do less than before are cut; it may open others.
    """

    def __init__(self, app: ASGIApp, options: WebOptions, host: Host) -> None:
        self._app = app
        self._options = options
        self._grants = host.access.grants
        self._callers = Callers(self._grants, host.clock.now)
        self._open: dict[int, _Opened] = {}
        host.on_effect(AccessChanged, self._cut)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        if scope["type"] == "lifespan" or scope["path"].startswith(_OPEN):
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
        if principal.owns_service and self._options.token is not None:
            await self._app(scope, receive, send)
            return
        opened = self._open[id(scope)] = _Opened(principal, scope, send)
        try:
            await self._app(scope, receive, opened.send)
        except asyncio.CancelledError:
            if not await opened.was_cut(receive):
                raise
        finally:
            del self._open[id(scope)]

    async def _caller(self, connection: HTTPConnection) -> Caller:
        given, options = bearer(connection), self._options
        if token_number(given) is not None:
            client = connection.client
            return await self._callers.by_token(given, "" if client is None else client.host)
        if options.token is None and not self._owned_by_all:
            raise Unauthenticated(
                "the token is missing: send the header Authorization: Bearer <token>"
            )
        return authenticate(connection, options)

    @property
    def _owned_by_all(self) -> bool:
        """Whether whoever reaches the loopback without a token owns the service."""
        return self._grants.is_open or self._options.open_loopback

    def _cut(self, changed: AccessChanged) -> None:
        for one in list(self._open.values()):
            if one.principal.owns_service:
                if not self._owned_by_all:
                    one.end_soon()
            elif changed.concerns(one.principal.name, one.principal.credential):
                one.end()


class _Opened:
    """A request or a WebSocket that can be ended from outside."""

    def __init__(self, principal: Caller, scope: Scope, send: Send) -> None:
        self.principal = principal
        self._scope = scope
        self._send = send
        self._is_socket = scope["type"] == "websocket"
        self._begun = self._cut = False
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._closing: asyncio.Task[None] | None = None

    async def send(self, message: Message) -> None:
        """Send what answers it; nothing more once it was ended."""
        self._begun = True
        if not (self._cut and self._is_socket):
            await self._send(message)

    def end(self) -> None:
        """Close the WebSocket, or cancel the request."""
        if self._cut or self._task is None or self._task.done():
            return
        self._cut = True
        if self._is_socket:
            self._closing = self._loop.create_task(self._close())
        else:
            self._task.cancel()

    def end_soon(self) -> None:
        """End it; a request may have asked for what ends it, and is answered before."""
        if self._is_socket:
            self.end()
        else:
            self._loop.call_later(_LAST_WORDS, self.end)

    async def _close(self) -> None:
        closing: Message = {
            "type": "websocket.close",
            "code": REVOKED,
            "reason": "access has changed",
        }
        with suppress(Exception):  # it may have ended meanwhile, in whatever way
            async with asyncio.timeout(_LAST_WORDS):
                await self._send(closing)
        if self._task is not None:  # whether or not its client says good-bye
            self._task.cancel()

    async def was_cut(self, receive: Receive) -> bool:
        """Return whether `end` has cancelled it, and answer it then."""
        if not self._cut or self._task is None:
            return False
        self._task.uncancel()
        with suppress(Exception):
            if self._is_socket:
                pass
            elif self._begun:
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                changed = Unauthenticated("access has changed: ask again with a token that counts")
                await refuse(self._scope, receive, self._send, changed)
        return True


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
