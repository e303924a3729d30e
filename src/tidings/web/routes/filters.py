"""Filters and mapping filters: objects of their own that admins and proxies share."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from tidings.api.filters import (
    AnyFilter,
    Filters,
    MadeConstraints,
    MadeFilter,
    ModifyConstraintsForm,
    ModifyMappedForm,
    NewConstraints,
    NewFilter,
    NewMapped,
    NewMapping,
    filter_of,
)
from tidings.channel.management import ClearFilter, DestroyFilter
from tidings.web.bodies import StrictRoute
from tidings.web.looking import in_turns, listed
from tidings.web.paths import FilterId, Most, Number
from tidings.web.routes.answers import CREATED, NOTHING, located
from tidings.web.state import Door, State, made_of

router = APIRouter(tags=["filters"], route_class=StrictRoute)


@router.post("/filters", summary="Make a filter", status_code=201, responses=CREATED)
async def make_filter(state: State, door: Door, asked: NewFilter, response: Response) -> MadeFilter:
    """Makes a filter: an event passes that matches one of its constraints."""
    command = await made_of(state, asked.constraints, asked.to_command)
    id, constraints = await door.ask(command)
    located(response, "filters", id)
    return MadeFilter(id=id, constraints=list(constraints))


@router.post(
    "/mapping-filters", summary="Make a mapping filter", status_code=201, responses=CREATED
)
async def make_mapping(
    state: State, door: Door, asked: NewMapping, response: Response
) -> MadeFilter:
    """Makes a mapping filter: an event gets the value of the first constraint it matches."""
    id, constraints = await door.ask(await made_of(state, asked.mapped, asked.to_command))
    located(response, "filters", id)
    return MadeFilter(id=id, constraints=list(constraints))


@router.get("/filters", summary="Filters", response_model=Filters)
async def list_filters(
    door: Door,
    after: Annotated[Number, Query(description="The id of the last one seen before.")] = 0,
    most: Most = 100,
) -> Response:
    """Filters and mapping filters by rising ids; page on with `after`.

    Those with 0 `holders` end when nobody has used them for some time.
    """
    return listed("filters", in_turns(door.views.filters(after, most)), filter_of)


@router.get("/filters/{filter}", summary="One filter", response_model=AnyFilter)
async def see_filter(door: Door, filter: FilterId) -> AnyFilter:
    """A filter or mapping filter as it is now; `kind` says which."""
    return filter_of(door.views.filter(filter))


@router.delete("/filters/{filter}", summary="End a filter", **NOTHING)
async def end_filter(door: Door, filter: FilterId) -> None:
    """Ends a filter or mapping filter; who holds it drops it."""
    await door.ask(DestroyFilter(filter))


@router.post("/filters/{filter}/constraints", summary="Add constraints", status_code=201)
async def add_constraints(
    state: State, door: Door, filter: FilterId, asked: NewConstraints
) -> MadeConstraints:
    """Adds constraints to a filter, all or none."""
    command = await made_of(state, asked.constraints, partial(asked.to_command, filter))
    return MadeConstraints(constraints=list(await door.ask(command)))


@router.patch("/filters/{filter}/constraints", summary="Change constraints", **NOTHING)
async def modify_constraints(
    state: State, door: Door, filter: FilterId, asked: ModifyConstraintsForm
) -> None:
    """Deletes some constraints and replaces others, all or nothing."""
    new = asked.replace.values()
    await door.ask(await made_of(state, new, partial(asked.to_command, filter)))


@router.delete("/filters/{filter}/constraints", summary="Remove all constraints", **NOTHING)
async def clear(door: Door, filter: FilterId) -> None:
    """Removes all constraints of a filter or mapping filter; then no event passes."""
    await door.ask(ClearFilter(filter))


@router.post("/filters/{filter}/mapped", summary="Add constraints with values", status_code=201)
async def add_mapped(
    state: State, door: Door, filter: FilterId, asked: NewMapped
) -> MadeConstraints:
    """Adds constraints with values to a mapping filter, all or none."""
    command = await made_of(state, asked.mapped, partial(asked.to_command, filter))
    return MadeConstraints(constraints=list(await door.ask(command)))


@router.patch("/filters/{filter}/mapped", summary="Change constraints with values", **NOTHING)
async def modify_mapped(
    state: State, door: Door, filter: FilterId, asked: ModifyMappedForm
) -> None:
    """Deletes some constraints with values and replaces others, all or nothing."""
    new = asked.replace.values()
    await door.ask(await made_of(state, new, partial(asked.to_command, filter)))
