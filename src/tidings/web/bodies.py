"""Bodies of requests: bounded, of a known media type, and strict JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from email.message import Message
from typing import Any, ClassVar, Final, get_args, get_origin

from fastapi import HTTPException
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive

from tidings.errors import InvalidEvent, InvalidUsage, LimitExceeded, UnsupportedMedia
from tidings.events.codecs.json_text import parse_json
from tidings.events.texts import shortened
from tidings.web.options import WebOptions
from tidings.web.state import WebState

QueryNames = Mapping[str, bool]
"""The parameters a route takes from the query, and whether they may stand there several times."""

# Headers that say what a body is: two that differ could be read in two ways.
_ONCE: Final = frozenset(
    {b"content-type", b"content-encoding", b"last-event-id", b"tidings-number", b"tidings-producer"}
)
_CLOUDEVENT: Final = b"ce-"


def _content_type(request: Request) -> tuple[str, Message]:
    given = request.headers.get("content-type", "")
    message = Message()
    message["content-type"] = given
    return given, message


def media_type(request: Request) -> str:
    """The media type of a request's body without parameters, in lower case; empty for none."""
    given, message = _content_type(request)
    return message.get_content_type() if "/" in given else given.lower()


def check_charset(request: Request) -> None:
    """Refuse a body that is not UTF-8: JSON is (RFC 8259)."""
    charset = _content_type(request)[1].get_content_charset()
    if charset not in (None, "utf-8", "utf8", "us-ascii"):
        raise UnsupportedMedia(f"JSON is in UTF-8, not in {shortened(charset)}")


async def read_body(request: Request, options: WebOptions) -> bytes:
    """The whole body of a request; one that is too long or too slow is refused unread."""
    most, patience = options.max_body, options.read_patience
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > most:
        raise LimitExceeded(f"a body of {declared:.20} octets is more than the {most} taken")
    parts, length = [], 0
    loop = asyncio.get_running_loop()
    end = loop.time() + options.body_patience
    try:
        async with asyncio.timeout_at(min(end, loop.time() + patience)) as limit:
            async for part in request.stream():
                length += len(part)
                if length > most:
                    raise LimitExceeded(f"the body is longer than the {most} octets taken")
                parts.append(part)
                limit.reschedule(min(end, loop.time() + patience))
    except TimeoutError:
        if loop.time() >= end:
            why = f"the body has not come within {options.body_patience:g} s"
            raise HTTPException(408, why) from None
        raise HTTPException(408, f"nothing of the body has come for {patience:g} s") from None
    return b"".join(parts)


class StrictRoute(APIRoute):
    """A route that refuses what it does not know.

    A JSON body names no member twice. The query has only names that the route takes, and headers
    that matter occur once.

    Attributes:
        most: The longest body in octets; None for what the settings say.
    """

    most: ClassVar[int | None] = None

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What handles a request."""
        handle = super().get_route_handler()
        has_body = self.body_field is not None
        known = query_names(self.dependant)

        async def check_and_handle(request: Request) -> Response:
            if request.scope["query_string"]:
                check_query(request.query_params, known)
            _check_headers(request.headers)
            if has_body:
                await _read_json(request, self.most)
            return await handle(request)

        return check_and_handle


def query_names(dependant: Dependant) -> QueryNames:
    """The names that a route, or what it depends on, takes from the query."""
    names = {field.alias: _is_list(field.field_info.annotation) for field in dependant.query_params}
    for one in dependant.dependencies:
        names.update(query_names(one))
    return names


def _is_list(annotation: object) -> bool:
    return any(get_origin(one) is list for one in (annotation, *get_args(annotation)))


def check_query(query: QueryParams, known: QueryNames) -> None:
    """Refuse names in a query that nobody reads, or that occur twice."""
    seen: set[str] = set()
    for name, _ in query.multi_items():
        if name not in known:
            takes = ", ".join(sorted(known)) or "none"
            raise InvalidUsage(f"no parameter is named {shortened(name)}; this path takes {takes}")
        if name in seen and not known[name]:
            raise InvalidUsage(f"the parameter {name} stands twice in the query")
        seen.add(name)


def _check_headers(headers: Headers) -> None:
    seen: set[bytes] = set()
    for name, _ in headers.raw:
        if name in _ONCE or name.startswith(_CLOUDEVENT):
            if name in seen:
                raise InvalidUsage(f"the header {name.decode('latin-1'):.60} stands twice")
            seen.add(name)
    packed = headers["content-encoding"] if b"content-encoding" in seen else "identity"
    if packed.lower() != "identity":
        raise UnsupportedMedia(
            f"a body with Content-Encoding: {shortened(packed)} is not unpacked: send it as it is"
        )


async def _read_json(request: Request, most: int | None) -> None:
    state: WebState = request.app.state.web
    options = state.options if most is None else replace(state.options, max_body=most)
    if media_type(request) != "application/json":
        given = request.headers.get("content-type")
        told = "there is none" if given is None else f"not {given!r:.60}"
        raise UnsupportedMedia(
            f"the body must be JSON with the header Content-Type: application/json; {told}"
        )
    check_charset(request)
    # What was read is kept in the request: whoever handles it reads it from there.
    request._body = await read_body(request, options)
    try:
        request._json = parse_json(request._body, options.max_body, state.bounds.values)
    except InvalidEvent as error:  # the same fault, but this is no event
        raise InvalidUsage(f"the body is no JSON as it must be: {error}") from error


async def client_gone(receive: Receive) -> None:
    """Wait until the client of a request has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
