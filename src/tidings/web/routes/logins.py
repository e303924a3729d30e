"""Log in with a password, and out again."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from tidings.api.forms import Answer, Asked, examples
from tidings.engine.credentials import end_login, login_token
from tidings.engine.operation_log import AUTHENTICATE
from tidings.errors import TidingsError
from tidings.grants.model import Credential
from tidings.web.bodies import StrictRoute
from tidings.web.security import answer_anyway, principal_of, stranger
from tidings.web.sessions import check_own_page, cookie_of, set_cookie
from tidings.web.state import State, WebState

MOST_OCTETS: Final = 8 * 1024
"""Of a login: anybody may send one."""


class _ShortRoute(StrictRoute):
    """A route for everybody: it reads no long body."""

    most = MOST_OCTETS


router = APIRouter(tags=["access"], route_class=_ShortRoute)

_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "headers": {
            "Set-Cookie": {
                "description": "The session: HttpOnly, SameSite=Strict, Secure over TLS.",
                "schema": {"type": "string"},
            }
        }
    }
}


class LogIn(Asked):
    """A name and a password.

    Attributes:
        name: The principal's name.
        password: Its password.
        token: Whether to answer with a token, for programs; if not, with a cookie.
    """

    model_config = examples({"name": "ann", "password": "correct horse battery"})

    name: str
    password: str = Field(repr=False)
    token: bool = False


class LoggedIn(Answer):
    """Who has logged in.

    Attributes:
        principal: Its name.
        token: The token, shown this once; null if a cookie came instead.
        credential: The token's number; null if there is none.
        expires_at: When the token ends, microseconds since 1970; null if there is none.
    """

    principal: str
    token: str | None = Field(default=None, repr=False)
    credential: int | None = None
    expires_at: int | None = None


async def _checked_login(state: WebState, request: Request, name: str, password: str) -> Credential:
    """Return the password that somebody has shown; see `Callers.by_password`."""
    caller, host = stranger(request.scope), state.host
    try:
        return await host.callers.by_password(name, password, caller.peer)
    except TidingsError as error:
        # A name that nobody has may be a password that was typed into the wrong field.
        known = host.access.grants.principal(name) is not None
        host.operations.refuse(caller, AUTHENTICATE, error, f"password of {name}" if known else "")
        raise


@router.post("/login", summary="Log in with a password", responses=_ANSWERS)
async def log_in(state: State, request: Request, response: Response, asked: LogIn) -> LoggedIn:
    """Begins a session, whose cookie every further request shows.

    It ends some time after its last use, at the latest after some hours, with a new password, and
    with a restart of the service. With `token` the answer has a token instead, which ends after
    the same hours, outlives a restart, and is ended by `POST /v1/logout`.
    """
    if {"origin", "sec-fetch-site"} & set(request.headers):
        check_own_page(request)
    found = await _checked_login(state, request, asked.name, asked.password)
    if asked.token:
        life = state.options.session_life
        made, end = await login_token(state.host, found.principal, life)
        return LoggedIn(
            principal=found.principal, token=made.token, credential=made.credential, expires_at=end
        )
    set_cookie(request, response, state.sessions.begin(found))
    return LoggedIn(principal=found.principal)


@router.post("/logout", summary="Log out", status_code=204)
async def log_out(state: State, request: Request) -> Response:
    """Ends the session, or the token that a login has given; other tokens stay as they are."""
    answer_anyway()
    response = Response(status_code=204)
    if not await end_login(state.host, principal_of(request)):
        state.sessions.end(cookie_of(request))
        set_cookie(request, response, "")
    return response
