"""The console: static files that hold no secrets, so that everybody may load them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from tidings.errors import NotFound
from tidings.web.pages import HTML_ANSWER

router = APIRouter(tags=["overview"])

FOLDER: Final = Path(__file__).with_name("console")

PAGE_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Nothing but our own files: a name that somebody chose can become neither script nor style."""

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class ConsoleFiles(StaticFiles):
    """The files of a folder, each with an entity tag and our headers."""

    async def get(self, path: str, request: Request) -> Response:
        """Answer with a file, or 304 if the browser has it; raise NotFound if there is none."""
        kind = _TYPES.get(Path(path).suffix)
        if kind is None:
            raise NotFound("there is nothing at this path")
        found = await self.get_response(path, request.scope)
        found.headers.update(PAGE_HEADERS)
        if found.status_code == 200:
            found.headers["Content-Type"] = kind
        return found


_FILES: Final = ConsoleFiles(directory=FOLDER)


@router.get("/", summary="The console", response_class=HTMLResponse, responses=HTML_ANSWER)
async def console(request: Request) -> Response:
    """The page on which people see and steer the service."""
    return await _FILES.get("index.html", request)


@router.get("/console/{path:path}", include_in_schema=False)
async def console_file(path: str, request: Request) -> Response:
    """A file of the console."""
    return await _FILES.get(path, request)
