"""The page of a job: HTML with names that anybody may have chosen, so it can run and reach nothing.

A browser shows no token when it loads a frame or a tab. So the console asks for a link first, which
leads to one page, for a moment, with the rights of whoever has asked.
"""

from __future__ import annotations

import base64
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Path, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from tidings.api.forms import Answer, examples
from tidings.engine.access import Caller
from tidings.engine.door import LocalDoor
from tidings.errors import NotFound
from tidings.grants.core import AccessChanged
from tidings.names import new_secret
from tidings.web.bodies import StrictRoute
from tidings.web.paths import JobId
from tidings.web.state import Door, State, WebState

router = APIRouter(tags=["jobs"], route_class=StrictRoute)
linked = APIRouter(include_in_schema=False, route_class=StrictRoute)
"""What links lead to: open to all, as the console's files are."""

_OCTETS: Final = 32
_LIFE: Final = 60_000_000
"""Microseconds for which a link leads to its page: a browser follows it at once."""
_MOST: Final = 1_000
"""Links at one time; beyond it the oldest ends."""
_HEADERS: Final = {
    "Cache-Control": "no-store",
    # Neither a script nor a form, no origin, and nothing from elsewhere: only how it looks.
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _Link(NamedTuple):
    job: int
    caller: Caller
    until: int


class Links:
    """Links to pages, by what nobody can guess."""

    def __init__(self, state: WebState) -> None:
        self._now = state.host.clock.now
        self._links: dict[str, _Link] = {}
        state.host.on_effect(AccessChanged, lambda _: self._links.clear())

    def make(self, job: int, caller: Caller) -> str:
        """Return a new link's text."""
        if len(self._links) >= _MOST:
            del self._links[next(iter(self._links))]
        text = base64.urlsafe_b64encode(new_secret(_OCTETS)).decode().rstrip("=")
        self._links[text] = _Link(job, caller, self._now() + _LIFE)
        return text

    def find(self, text: str) -> _Link:
        """Return where a link leads, or raise NotFound."""
        found = self._links.get(text)
        if found is None or found.until < self._now():
            self._links.pop(text, None)
            raise NotFound("this link has ended: open the page from the console again")
        return found


class PageLink(Answer):
    """A link to the page of a job."""

    model_config = examples({"path": "/console/reports/4fX0l7pbYy3GhLkq"})

    path: str = Field(description="Where the page is, for a minute, without a token.")


@router.get("/jobs/{job}/page", summary="The page of a job", response_class=HTMLResponse)
async def see_job_page(door: Door, job: JobId) -> Response:
    """What a job has found as a page with charts. It needs no script and loads nothing."""
    return await _page(door, job)


@router.post("/jobs/{job}/page-link", summary="A link to the page of a job")
async def link_job_page(state: State, door: Door, job: JobId) -> PageLink:
    """For a browser, which shows no token when it loads a frame: who has the link sees the page."""
    await door.job_page(job)
    return PageLink(path=f"/console/reports/{state.part(Links).make(job, door.caller)}")


@linked.get("/console/reports/{link}")
async def linked_page(state: State, link: Annotated[str, Path(max_length=64)]) -> Response:
    """The page that a link leads to."""
    found = state.part(Links).find(link)
    return await _page(state.door(found.caller), found.job)


async def _page(door: LocalDoor, job: int) -> Response:
    return Response(await door.job_page(job), 200, _HEADERS, "text/html; charset=utf-8")
