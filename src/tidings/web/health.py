"""Whether the service is alive, and whether it takes work; open to all."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from tidings.web.state import State

router = APIRouter(prefix="/health", tags=["health"])


class Health(BaseModel):
    """How the service is.

    Attributes:
        status: The answer in one word.
        reason: Why it takes no work, or what is lost; empty if it does and nothing is.
        archive: Whether the archive goes on, and nothing of its manifest is damaged; null if there
            is none. The service takes work anyway.
        losses: How many events, channels, subscriptions and parts of the journal are lost by
            damage; 0 if nothing is.
    """

    status: Literal["alive", "ready", "ready, with losses", "not ready"]
    reason: str = ""
    losses: int = 0
    archive: Literal["good", "failing", "damaged"] | None = None


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
    """Ready from the moment on when all that was kept is there again, until it is stopped.

    A service that has lost something by damage in its journal is ready, and says so.
    """
    # What follows may name paths: the console tells it to whoever may inspect the service.
    reason = state.not_ready.partition(": ")[0]
    archiving = state.host.archiving
    archive: Literal["good", "failing", "damaged"] | None = None
    if archiving is not None:
        archive = "failing" if archiving.error else "damaged" if archiving.problems else "good"
    losses = state.host.losses
    found = Health(status="ready", reason=reason, archive=archive, losses=losses.count)
    if reason:
        found.status = "not ready"
        response.status_code = 503
        response.headers["Retry-After"] = "1"
    elif losses.count:
        found.status, found.reason = "ready, with losses", losses.sentence
    return found
