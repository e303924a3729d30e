"""Login sessions of people: who has shown a password to a page, until it ends.

They are in memory only, by a keyed hash of the cookie: a restart ends them all.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from tidings.engine.access import Caller
from tidings.errors import Forbidden
from tidings.grants.core import AccessChanged, Grants
from tidings.grants.model import Credential
from tidings.names import new_secret
from tidings.web.options import WebOptions

MOST_SESSIONS: Final = 4_000
"""All sessions, some 2 MB; beyond it the one that was not used for longest ends."""
MOST_OF_ONE: Final = 10
"""Sessions of one principal."""

_SECOND: Final = 1_000_000
_OCTETS: Final = 32
_LONGEST: Final = 64
# Browsers take a cookie of the first name over TLS only, and from no other host.
_COOKIE: Final = {True: "__Host-tidings", False: "tidings"}
_SECURE: Final = frozenset({"https", "wss"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(slots=True, eq=False)
class Session:
    """Somebody who has logged in.

    Attributes:
        credential: The number of the password it was begun with.
        begun: When.
        used: When the last request began or ended.
        open: What cuts the requests and WebSockets that are open in it.
    """

    principal: str
    credential: int
    begun: int
    used: int
    open: set[Callable[[], None]] = field(default_factory=set)

    @property
    def caller(self) -> Caller:
        """Who calls in this session."""
        return Caller(self.principal, credential=self.credential)


class Sessions:
    """All sessions; times are microseconds of a clock that cannot be set."""

    def __init__(self, grants: Grants, options: WebOptions, now: Callable[[], int]) -> None:
        self._grants = grants
        self._now = now
        self._idle = round(options.session_idle * _SECOND)
        self._life = round(options.session_life * _SECOND)
        self._secret = new_secret(_OCTETS)
        self._sessions: dict[bytes, Session] = {}

    def begin(self, credential: Credential) -> str:
        """Begin a session; return what its cookie says."""
        now = self._now()
        own = [key for key, one in self._sessions.items() if one.principal == credential.principal]
        if len(own) >= MOST_OF_ONE:
            self._end(min(own, key=lambda key: self._sessions[key].used))
        elif len(self._sessions) >= MOST_SESSIONS:
            self._end(min(self._sessions, key=lambda key: self._sessions[key].used))
        text = base64.urlsafe_b64encode(new_secret(_OCTETS)).decode().rstrip("=")
        self._sessions[self._key(text)] = Session(
            credential.principal, credential.id, begun=now, used=now
        )
        return text

    def find(self, text: str) -> Session | None:
        """Return the session of a cookie, and count it as used."""
        key, now = self._key(text), self._now()
        found = self._sessions.get(key)
        if found is None:
            return None
        idle = not found.open and now - found.used >= self._idle
        if idle or self.left(found) <= 0 or not self._may_go_on(found):
            self._end(key)
            return None
        found.used = now
        return found

    def left(self, session: Session) -> float:
        """Return after how many seconds a session ends whatever happens."""
        return (session.begun + self._life - self._now()) / _SECOND

    def let_go(self, session: Session, cut: Callable[[], None]) -> None:
        """Note that a request or WebSocket of a session has ended."""
        session.open.discard(cut)
        session.used = self._now()

    def end(self, text: str) -> None:
        """End the session of a cookie, and what is open in it."""
        self._end(self._key(text))

    def end_forbidden(self, changed: AccessChanged) -> None:
        """End the sessions whose password has ended, or whose principal is shut out."""
        for key, one in list(self._sessions.items()):
            if changed.concerns(one.principal, one.credential) and not self._may_go_on(one):
                self._end(key)

    def _may_go_on(self, session: Session) -> bool:
        return self._grants.credential(session.credential, self._now()) is not None

    def _end(self, key: bytes) -> None:
        ended = self._sessions.pop(key, None)
        for cut in [] if ended is None else list(ended.open):
            cut()

    def _key(self, text: str) -> bytes:
        given = text[: _LONGEST + 1].encode(errors="replace")
        return hmac.digest(self._secret, given, hashlib.sha256)

    def __len__(self) -> int:
        return len(self._sessions)


def cookie_of(connection: HTTPConnection) -> str:
    """Return what the session cookie of a request says; empty for none, or for two."""
    name = _COOKIE[_is_secure(connection)]
    found = [
        value.strip()
        for header in connection.headers.getlist("cookie")
        for key, _, value in (one.partition("=") for one in header.split(";"))
        if key.strip() == name
    ]
    return found[0] if len(found) == 1 else ""


def set_cookie(connection: HTTPConnection, response: Response, text: str) -> None:
    """Have a browser keep a session, until it is closed; an empty text makes it forget it."""
    secure = _is_secure(connection)
    response.set_cookie(
        _COOKIE[secure],
        text,
        max_age=None if text else 0,
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.scope["scheme"] in _SECURE


def check_own_page(connection: HTTPConnection) -> None:
    """Refuse what another origin's page asks: a browser sends the cookie whichever page asks.

    What only reads is let through: such a page cannot see the answer. A WebSocket it could.
    """
    if connection.scope.get("method") in _READING and connection.scope["type"] == "http":
        return
    site = connection.headers.getlist("sec-fetch-site")
    origin = [one.lower() for one in connection.headers.getlist("origin")]
    host = connection.headers.get("host", "").lower()
    schemes = ("https",) if _is_secure(connection) else ("http", "https")  # behind a proxy
    own = not origin or origin in [[f"{scheme}://{host}"] for scheme in schemes]
    said = bool(origin or site) and site in ([], ["same-origin"])
    if not (own and said):
        raise Forbidden(
            "a login session changes something only from a page of this service itself: programs "
            "send a token instead (Authorization: Bearer <token>)"
        )
