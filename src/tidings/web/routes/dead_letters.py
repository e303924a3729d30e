"""Dead letters: events a consumer could not be given, and the way back."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response

from tidings.api.dead_letters import DeadLetter, DeadLetters, RedriveForm, Redriven
from tidings.engine.door import LocalDoor
from tidings.engine.turns import Turns
from tidings.errors import NotFound, WrongState
from tidings.events.fields import fields_of
from tidings.web.bodies import StrictRoute
from tidings.web.looking import in_turns, listed
from tidings.web.paths import Most, Number, channel_of
from tidings.web.routes.answers import NOTHING
from tidings.web.state import Door, State, made_of

router = APIRouter(tags=["dead letters"], route_class=StrictRoute)

# Letters looked through at once.
_PAGE: Final = 100

_LetterId = Annotated[Number, Path(description="The dead letter's id.", examples=[12])]


@router.get("/dead-letters", summary="Dead letters", response_model=DeadLetters)
async def list_dead_letters(
    door: Door,
    channel: Annotated[
        str | None,
        Query(min_length=1, description="Of one channel, by its id or name.", examples=["1"]),
    ] = None,
    proxy: Annotated[Number | None, Query(description="Of one proxy, by its id.")] = None,
    after: Annotated[Number, Query(description="The id of the last one seen before.")] = 0,
    most: Most = 100,
) -> Response:
    """Dead letters in the order they came, with the causes; page on with `after`."""
    of = None if channel is None else channel_of(door, channel, ended=True)
    return listed(
        "dead_letters", in_turns(await door.dead_letters(of, proxy, after, most)), DeadLetter.of
    )


@router.post("/dead-letters/redrive", summary="Deliver many again")
async def redrive_many(state: State, door: Door, asked: RedriveForm) -> Redriven:
    """Delivers the dead letters of a channel, or all, again whose events match a constraint.

    Letters whose consumer is gone or not connected stay.
    """
    wanted = await made_of(state, [asked.filter], asked.to_constraint)
    channel = None if asked.channel is None else channel_of(door, str(asked.channel))
    redriven = after = 0
    turns = Turns()
    while True:
        page = await door.dead_letters(channel, None, after, _PAGE)
        for letter in page:
            after = letter.id
            await turns.give()
            if wanted.matches(fields_of(letter.event)) and await _redriven(door, letter.id):
                redriven += 1
                if redriven == asked.most:
                    return Redriven(redriven=redriven)
        if len(page) < _PAGE:
            return Redriven(redriven=redriven)


async def _redriven(door: LocalDoor, id: int) -> bool:
    try:
        await door.redrive(id)
    except (NotFound, WrongState):
        return False
    return True


@router.post("/dead-letters/{id:digits}/redrive", summary="Deliver one again", **NOTHING)
async def redrive(door: Door, id: _LetterId) -> None:
    """Delivers a dead letter again to the consumer it was for."""
    await door.redrive(id)


@router.delete("/dead-letters/{id:digits}", summary="Forget one", **NOTHING)
async def drop(door: Door, id: _LetterId) -> None:
    """Forgets a dead letter."""
    await door.drop_dead_letter(id)
