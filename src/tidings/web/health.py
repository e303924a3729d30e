"""Whether the service is alive, and whether it takes work; open to all."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from tidings.web.state import State

__all__ = ["Health", "router"]

router = APIRouter(prefix="/health", tags=["health"])


class Health(BaseModel):
    """How the service is.

    Attributes:
        status: The answer in one word.
        reason: Why it takes no work; empty if it does.
        archive: Whether the archive goes on; null if there is none. The service takes work anyway.
    """

    status: Literal["alive", "ready", "not ready"]
    reason: str = ""
    archive: Literal["good", "failing"] | None = None


@router.get("/live", summary="Is it alive?")
async def live() -> Health:
    """Answers as long as the process does. It says nothing of the disk or of starting."""
    return Health(status="alive")


@router.get(
    "/ready",
    summary="Does it take work?",
    responses={
        503: {
            "model": Health,
            "description": "It is starting or stopping, or the disk refuses: `reason` says which.",
        }
    },
)
async def ready(state: State, response: Response) -> Health:
    """Ready from the moment on when all that was kept is there again, until it is stopped."""
    # What follows may name paths: the status page and the log tell it, to whom has the token.
    reason = state.not_ready.partition(": ")[0]
    archiving = state.host.archiving
    archive: Literal["good", "failing"] | None = None
    if archiving is not None:
        archive = "failing" if archiving.error else "good"
    if not reason:
        return Health(status="ready", archive=archive)
    response.status_code = 503
    response.headers["Retry-After"] = "1"
    return Health(status="not ready", reason=reason, archive=archive)
