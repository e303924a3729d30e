"""What went wrong, as a problem document: the one form of every error answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketState

from tidings.api.problems import MEDIA_TYPE, misfit_of, problem_of
from tidings.errors import NotFound, RateExceeded, TidingsError
from tidings.events.codecs.json_text import write_json

log = logging.getLogger(__name__)

# When to come again, in seconds: a full channel, a full disk and a restart take moments.
_RETRY_AFTER: Final = "1"
_RETRY: Final = frozenset({429, 503, 507})
_POLICY_VIOLATION: Final = 1008
_DENIAL: Final = "websocket.http.response"
_UPGRADE_REQUIRED: Final = 426
_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")


def problem_response(problem: Mapping[str, object], headers: Mapping[str, str] = {}) -> Response:
    """The answer that carries a problem."""
    status = problem["status"]
    assert isinstance(status, int)
    added = dict(headers)
    if status == 401:
        added["WWW-Authenticate"] = "Bearer"
    if status in _RETRY:
        added.setdefault("Retry-After", _RETRY_AFTER)
    return Response(write_json(problem), status, added, MEDIA_TYPE)


def _answer_to(error: Exception) -> Response:
    """The answer to an error of the tree, or to a fault of ours, which is logged."""
    if not isinstance(error, TidingsError) or type(error) is TidingsError:
        log.error("a request has met a fault", exc_info=error)
        return problem_response(problem_of(RuntimeError()))
    wait = {"Retry-After": str(ceil(error.wait))} if isinstance(error, RateExceeded) else {}
    return problem_response(problem_of(error), wait)


def add_handlers(app: FastAPI) -> None:
    """Has every error answered with a problem document."""
    # The same functions answer HTTP and WebSockets, which the signature cannot say.
    handlers: dict[type[Exception], Any] = {
        TidingsError: _on_error,
        HTTPException: _on_http,
        RequestValidationError: _on_misfit,
        WebSocketRequestValidationError: _on_misfit,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    app.router.default = _nowhere


async def _on_error(connection: HTTPConnection, error: Exception) -> Response | None:
    return await _answer(connection, _answer_to(error))


async def _on_misfit(connection: HTTPConnection, error: Exception) -> Response | None:
    assert isinstance(error, RequestValidationError | WebSocketRequestValidationError)
    return await _answer(connection, problem_response(misfit_of(error.errors())))


async def _on_http(connection: HTTPConnection, error: Exception) -> Response | None:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, TidingsError):
        return await _on_error(connection, error.__cause__)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_allowed(connection))
        detail = f"this path takes {headers['Allow']} only"
    else:
        detail = str(error.detail)
    problem = http_problem(error.status_code, detail)
    return await _answer(connection, problem_response(problem, headers))


def http_problem(status: int, detail: str) -> dict[str, object]:
    """The problem of a request that fails as HTTP, before anything of ours could; with no class."""
    words = HTTPStatus(status).phrase.replace("-", " ")
    code = words.lower().replace(" ", "_")
    return {"type": f"urn:tidings:error:{code}", "title": words.title().replace(" ", ""),
            "status": status, "detail": detail, "code": code}  # fmt: skip


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers what no route takes."""
    routes = scope["app"].router.routes
    as_socket = {**scope, "type": "websocket"}
    if scope["type"] == "http" and any(r.matches(as_socket)[0] is Match.FULL for r in routes):
        problem = http_problem(_UPGRADE_REQUIRED, "this path is a WebSocket: connect to it as one")
        response = problem_response(problem, {"Upgrade": "websocket"})
        await response(scope, receive, send)
    else:
        await refuse(scope, receive, send, NotFound("there is nothing at this path"))


def _allowed(connection: HTTPConnection) -> list[str]:
    """All methods some route takes at this path; a route that refuses knows its own only."""
    routes = connection.app.router.routes
    asked = [{**connection.scope, "method": method} for method in _METHODS]
    return [one["method"] for one in asked if any(r.matches(one)[0] is Match.FULL for r in routes)]


async def _answer(connection: HTTPConnection, response: Response) -> Response | None:
    if isinstance(connection, WebSocket):
        await deny_socket(connection, response)
        return None
    return response


async def deny_socket(socket: WebSocket, response: Response) -> None:
    """Refuses a WebSocket: before it is accepted with an answer, after that by closing it."""
    can_deny = _DENIAL in socket.scope.get("extensions", {})
    if socket.application_state is WebSocketState.CONNECTING and can_deny:
        await socket.send_denial_response(response)
    else:
        await socket.close(_POLICY_VIOLATION)


class LastResort:
    """Answers requests that met an unforeseen fault, without a word of what it was."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except ClientDisconnect:
            log.debug("a client went away in the middle of its request")
        except Exception as error:
            if begun or scope["type"] != "http":  # the server cuts the connection
                raise
            await _answer_to(error)(scope, receive, send)


async def refuse(scope: Scope, receive: Receive, send: Send, error: TidingsError) -> None:
    """Answers a connection of any kind with an error before any route has seen it."""
    response = _answer_to(error)
    if scope["type"] == "websocket":
        await deny_socket(WebSocket(scope, receive, send), response)
    else:
        await response(scope, receive, send)
