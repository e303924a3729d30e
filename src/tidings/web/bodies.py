"""Bodies of requests: bounded, of a known media type, and strict JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from email.message import Message
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from tidings.errors import InvalidEvent, InvalidUsage, LimitExceeded, UnsupportedMedia
from tidings.events.codecs.json_text import parse_json
from tidings.web.options import WebOptions

__all__ = ["StrictRoute", "media_type", "read_body"]


def media_type(request: Request) -> str:
    """The media type of a request's body without parameters, in lower case; empty for none."""
    given = request.headers.get("content-type", "")
    if not given:
        return ""
    message = Message()
    message["content-type"] = given
    return message.get_content_type() if "/" in given else given.lower()


async def read_body(request: Request, most: int) -> bytes:
    """The whole body of a request.

    Raises:
        LimitExceeded: It is longer than `most`; the rest is not read.
    """
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > most:
        raise LimitExceeded(f"a body of {declared:.20} octets is more than the {most} taken")
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > most:
            raise LimitExceeded(f"the body is longer than the {most} octets taken")
        parts.append(part)
    return b"".join(parts)


class StrictRoute(APIRoute):
    """A route that refuses what it does not know.

    Its body, if it takes one, is JSON in which no name stands twice, and its query has only
    names that the route takes, each once.

    Raises:
        UnsupportedMedia: The body says that it is something else, or nothing.
        LimitExceeded: It is too long.
        InvalidUsage: It is no JSON, or a name stands where it may not.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What handles a request."""
        handle = super().get_route_handler()
        has_body = self.body_field is not None
        known = _query_names(self.dependant)

        async def check_and_handle(request: Request) -> Response:
            _check_query(request, known)
            if has_body:
                await _read_json(request)
            return await handle(request)

        return check_and_handle


def _query_names(dependant: Dependant) -> set[str]:
    """The names that a route, or what it depends on, takes from the query."""
    names = {field.alias for field in dependant.query_params}
    return names.union(*map(_query_names, dependant.dependencies))


def _check_query(request: Request, known: Collection[str]) -> None:
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in known:
            takes = ", ".join(sorted(known)) or "none"
            raise InvalidUsage(f"no parameter is named {name!r:.60}; this path takes {takes}")
        if name in seen:
            raise InvalidUsage(f"the parameter {name} stands twice in the query")
        seen.add(name)


async def _read_json(request: Request) -> None:
    options: WebOptions = request.app.state.web.options
    if media_type(request) != "application/json":
        raise UnsupportedMedia(_wrong_type(request))
    # What was read is kept in the request: whoever handles it reads it from there.
    request._body = await read_body(request, options.max_body)
    request._json = _parsed(request._body, options.max_body)


def _wrong_type(request: Request) -> str:
    given = request.headers.get("content-type")
    told = "there is none" if given is None else f"not {given!r:.60}"
    return f"the body must be JSON with the header Content-Type: application/json; {told}"


def _parsed(octets: bytes, most: int) -> object:
    try:
        return parse_json(octets, most)
    except InvalidEvent as error:  # the same fault, but this is no event
        raise InvalidUsage(f"the body is no JSON as it must be: {error}") from error
