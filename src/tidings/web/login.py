"""The page to log in on: a form without a script, so that it works in every browser."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tidings.errors import InvalidUsage, TidingsError
from tidings.web.bodies import read_body
from tidings.web.pages import page
from tidings.web.routes.logins import MOST_OCTETS, checked_login, end_session
from tidings.web.security import LOGIN_PAGE
from tidings.web.sessions import check_own_page, set_cookie
from tidings.web.state import State, WebState

router = APIRouter(include_in_schema=False)

_SEE_OTHER: Final = 303


@router.get(LOGIN_PAGE)
async def show() -> Response:
    """The form."""
    return _form()


@router.post(LOGIN_PAGE)
async def log_in(state: State, request: Request) -> Response:
    """Begins a session, or shows the form again with what is wrong."""
    try:
        check_own_page(request)
        name, password = await _fields(state, request)
        found = await checked_login(state, request, name, password)
    except TidingsError as error:
        return _form(str(error), error.http_status)
    response = RedirectResponse("/", _SEE_OTHER)
    set_cookie(request, response, state.sessions.begin(found))
    return response


@router.post("/logout")
async def log_out(state: State, request: Request) -> Response:
    """Ends the session."""
    response = RedirectResponse(LOGIN_PAGE, _SEE_OTHER)
    await end_session(state, request, response)
    return response


async def _fields(state: WebState, request: Request) -> tuple[str, str]:
    body = await read_body(request, replace(state.options, max_body=MOST_OCTETS))
    try:
        fields = parse_qs(body.decode(), max_num_fields=4, errors="strict")
        return fields["name"][0], fields["password"][0]
    except (ValueError, KeyError):
        raise InvalidUsage("give a name and a password") from None


def _form(wrong: str = "", status: int = 200) -> Response:
    told = f'<p class="bad" role="alert">{escape(wrong[:1].upper() + wrong[1:])}.</p>'
    response = page(
        "Log in to Tidings",
        f'<main><form class="login" method="post" action="{LOGIN_PAGE}">{told if wrong else ""}'
        '<label>Name<input name="name" autocomplete="username" autocapitalize="none" '
        "required autofocus></label>"
        '<label>Password<input name="password" type="password" '
        'autocomplete="current-password" required></label>'
        "<button>Log in</button>"
        '<p class="soft">Programs send a token instead. Whoever administers access sets '
        "passwords: <code>tidings password set NAME</code></p></form></main>",
        forms=True,
        links=False,
    )
    response.status_code = status
    return response
