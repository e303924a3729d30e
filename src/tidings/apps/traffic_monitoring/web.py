"""The map in a browser: the merged logs, to step through, and the limits, to set.

It has no logins: whoever reaches it may set limits. So only browsers on this machine reach it, from
pages of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from tidings.apps.local_pages import local_app
from tidings.apps.traffic_monitoring.city import (
    CARS,
    CONTROL_ROOM,
    HEIGHT,
    REACH,
    ROADS,
    ROADSIDES,
    ROOM_PLACE,
    STREETS,
    WIDTH,
    at,
)
from tidings.apps.traffic_monitoring.control_room import HIGHEST
from tidings.apps.traffic_monitoring.replay import MergedLog, Step

_PAGES: Final = Path(__file__).with_name("pages")
_AROUND: Final = 5
_MOST_FINES: Final = 50

SetLimit = Callable[[str, int], Awaitable[list[str]]]
"""Sets the limit of the monitors in a distribution list, and returns them."""


class LimitWanted(BaseModel):
    """What the operator asks for."""

    model_config = ConfigDict(extra="forbid")

    targets: Annotated[str, Field(min_length=1, max_length=200)]
    limit: Annotated[int, Field(ge=0, le=HIGHEST)]


def city() -> dict[str, Any]:
    """Return what never changes on the map."""
    roads = {road.name: road.place for road in ROADS}
    return {
        "size": (WIDTH, HEIGHT),
        "reach": REACH,
        "streets": STREETS,
        "cars": {car.name: car.licence for car in CARS},
        "roads": roads,
        "room": {CONTROL_ROOM: ROOM_PLACE},
        "targets": [*roads, ROADSIDES],
        "highest": HIGHEST,
    }


def board(log: MergedLog, number: int | None) -> dict[str, Any]:
    """Return a step of the logs with what is around it; the latest one without a number."""
    step = log.step(log.last if number is None else number)
    if step is None:
        return {"first": 0, "last": -1, "at": -1, "state": {}, "lines": [], "fines": []}
    return {
        "first": log.first,
        "last": log.last,
        "at": step.number,
        "second": step.line.second,
        "time": at(step.line.second),
        "line": _line(step),
        "state": step.state,
        "lines": [_line(one) for one in log.around(step.number, _AROUND)],
        "fines": [_line(one) for one in log.latest("fined", step.number, _MOST_FINES)],
    }


def _line(step: Step) -> dict[str, Any]:
    line = step.line
    return {
        "number": step.number,
        "second": line.second,
        "entity": line.entity,
        "word": line.word,
        "about": line.about,
    }


def build_app(log: MergedLog, set_limit: SetLimit, trouble: Callable[[], str]) -> FastAPI:
    """The application; `trouble` says what is wrong, if something is."""
    app = local_app(_PAGES)

    @app.get("/api/city")
    async def the_city() -> dict[str, Any]:
        return city()

    @app.get("/api/board")
    async def the_board(at: int | None = None) -> dict[str, Any]:
        return {**board(log, at), "trouble": trouble()}

    @app.post("/api/limits")
    async def limits(given: LimitWanted) -> dict[str, list[str]]:
        return {"roads": await set_limit(given.targets, given.limit)}

    return app
