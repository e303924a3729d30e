"""Who asks: the loopback's owner, whoever has a token, or whoever has logged in.

Nothing here is shown in an error or a log: neither a token that was sent nor the right one.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit
from weakref import WeakSet

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tidings.engine.access import ANONYMOUS, OWNER, Caller
from tidings.engine.callers import certified
from tidings.engine.host import Host
from tidings.engine.operation_log import AUTHENTICATE
from tidings.errors import Forbidden, TidingsError, Unauthenticated
from tidings.grants.core import AccessChanged
from tidings.grants.secrets import token_number
from tidings.web.faults import refuse
from tidings.web.options import WebOptions
from tidings.web.sessions import Session, Sessions, check_own_page, cookie_of

TOKEN_SUBPROTOCOL: Final = "tidings.token."
"""Browsers can set no header on a WebSocket: the token comes as a subprotocol behind this."""

AUTHENTICATED: Final = "tidings.authenticated"
"""Where the state of a scope may have a function to be called once it is sure who asks."""

CERTIFICATE: Final = "tidings.certificate"
"""Where the state of a scope may have the certificate that the client has shown: its SHA-256
fingerprint in lower-case hex."""

REVOKED: Final = 4401
"""The code a WebSocket is closed with when its principal may do less than before."""

_LAST_WORDS: Final = 1.0
"""Seconds in which a WebSocket takes the word that it is over."""
_OPEN: Final = ("/health/", "/console/")
_CONSOLE: Final = "/"
_LOGIN: Final = "/v1/login"
_PAGE: Final = "/docs/api"
# The same page for whoever must log in first.
_PAGE_TO_FILL: Final = "/console/api.html"
_TAIL: Final = "/tail"
_PRINCIPAL: Final = "tidings.principal"
_answered: WeakSet[asyncio.Task[object]] = WeakSet()


class Guard:
    """Lets nobody reach a route before the caller is known.

    Except the health, the console's files and the login.

    Connections of a principal that may do less than before are cut; it may open others.
    """

    def __init__(self, app: ASGIApp, options: WebOptions, host: Host) -> None:
        self._app = app
        self._options = options
        self._grants = host.access.grants
        self._limiting = host.limiting
        self._callers = host.callers
        self._operations = host.operations
        self._now = host.time
        self._open: dict[int, _Opened] = {}
        host.on_effect(AccessChanged, self._cut)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        if scope["type"] == "lifespan" or _is_open(scope):
            await self._app(scope, receive, send)
            return
        connection, session, told = HTTPConnection(scope), None, stranger(scope)
        try:
            session = self._session(connection)
            found = session.caller if session else await self._caller(connection)
            disconnected = self._limiting.connected(found)
        except TidingsError as error:
            if self._is_person(connection, error):
                await RedirectResponse(_PAGE_TO_FILL, 303)(scope, receive, send)
                return
            number = token_number(bearer(connection))
            about = "" if number is None else f"token {number}"
            self._operations.refuse(told, AUTHENTICATE, error, about)
            await refuse(scope, receive, send, error)
            return
        principal = scope[_PRINCIPAL] = replace(found, door=told.door, peer=told.peer)
        if (tell := scope.get("state", {}).get(AUTHENTICATED)) is not None:
            tell()
        opened = self._open[id(scope)] = _Opened(principal, scope, send)
        try:
            await self._serve(session, opened, scope, receive)
        except asyncio.CancelledError:
            if not await opened.was_cut(receive):
                raise
        finally:
            self._open.pop(id(scope), None)
            disconnected()

    async def _serve(
        self, session: Session | None, opened: _Opened, scope: Scope, receive: Receive
    ) -> None:
        """Serve a request; one of a session until that ends."""
        if session is None:
            await self._app(scope, receive, opened.send)
            return
        sessions = _sessions(scope)
        session.open.add(opened.end)
        timer = asyncio.get_running_loop().call_later(sessions.left(session), opened.end)
        try:
            await self._app(scope, receive, opened.send)
        finally:
            timer.cancel()
            sessions.let_go(session, opened.end)

    def _session(self, connection: HTTPConnection) -> Session | None:
        """The login session of a request that shows nothing else."""
        text = cookie_of(connection)
        if not text or bearer(connection):
            return None
        found = _sessions(connection.scope).find(text)
        if found is not None:
            check_own_page(connection)
        return found

    def _is_person(self, connection: HTTPConnection, error: TidingsError) -> bool:
        """Whether somebody with a browser asks for a page, who could log in for it."""
        return (
            isinstance(error, Unauthenticated)
            and not bearer(connection)
            and connection.scope.get("method") == "GET"
            and connection.scope["path"] == _PAGE
            and "text/html" in connection.headers.get("accept", "")
        )

    async def _caller(self, connection: HTTPConnection) -> Caller:
        given, options = bearer(connection), self._options
        shown = connection.scope.get("state", {}).get(CERTIFICATE, "")
        if shown and not given and (found := self._certified(shown, connection)) is not None:
            return found
        if token_number(given) is not None:
            client = connection.client
            return await self._callers.by_token(given, "" if client is None else client.host)
        if options.token is None and not self._owned_by_all:
            whose = f", and certificate {shown} is no principal's" if shown else ""
            raise Unauthenticated(
                f"the token is missing{whose}: send the header Authorization: Bearer <token>, or "
                "log in"
            )
        return authenticate(connection, options)

    def _certified(self, shown: str, connection: HTTPConnection) -> Caller | None:
        """The principal with a certificate, unless a page elsewhere has the browser show it."""
        found = certified(self._grants, shown, self._now())
        if found is not None:
            _check_origin(connection, _single(connection, "host"), (), "it shows a token instead")
        return found

    @property
    def _owned_by_all(self) -> bool:
        """Whether whoever reaches the loopback without a token owns the service."""
        return self._grants.is_open or self._options.open_loopback

    def _cut(self, changed: AccessChanged) -> None:
        for one in list(self._open.values()):
            if one.principal.owns_service:
                if self._options.token is None and not self._owned_by_all:
                    one.end()
            elif changed.concerns(one.principal.name, one.principal.credential):
                one.end()


def stranger(scope: Scope) -> Caller:
    """Return a caller of whom only door and address are known."""
    door = "WebSocket" if scope["type"] == "websocket" else "HTTP"
    if door == "HTTP" and scope["path"].endswith(_TAIL):
        door = "SSE"
    client = scope.get("client")
    return replace(ANONYMOUS, door=door, peer="" if client is None else str(client[0]))


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
        task = self._task
        if self._cut or task is None or task.done() or task in _answered:
            return
        self._cut = True
        if self._is_socket:
            self._closing = self._loop.create_task(self._close())
        else:
            task.cancel()

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


def answer_anyway() -> None:
    """Have the current request answered, although what it does may end its own caller's access."""
    task = asyncio.current_task()
    assert task is not None
    _answered.add(task)


def _is_open(scope: Scope) -> bool:
    """The health, the login, and the files of the console, which hold no secrets."""
    path = scope["path"]
    return path.startswith(_OPEN) or (path in (_CONSOLE, _LOGIN) and scope["type"] == "http")


def _sessions(scope: Scope) -> Sessions:
    found: Sessions = scope["app"].state.web.sessions
    return found


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


def _check_origin(
    connection: HTTPConnection,
    host: str,
    allowed: tuple[str, ...],
    advice: str = "add that to the allowed origins",
) -> None:
    """Browsers say from which page a request comes; programs say nothing."""
    if "origin" not in connection.headers:
        return
    origin = _single(connection, "origin").lower()
    same = {f"http://{host.lower()}", f"https://{host.lower()}"}
    if origin not in same and origin not in {one.lower().rstrip("/") for one in allowed}:
        raise Forbidden(f"the request comes from a page of another origin: {advice}")


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
