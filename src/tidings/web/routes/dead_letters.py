"""Many dead letters at once."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from pydantic import Field

from tidings.api.model import Answer, Asked, Id, examples
from tidings.engine.door import LocalDoor
from tidings.engine.turns import Turns
from tidings.errors import NotFound, WrongState
from tidings.events.fields import fields_of
from tidings.filters.constraint import Constraint, constraint
from tidings.web.bodies import StrictRoute
from tidings.web.paths import channel_of
from tidings.web.state import Door, State, made_of

router = APIRouter(tags=["dead letters"], route_class=StrictRoute)

# Letters looked through at once.
_PAGE: Final = 100


class RedriveForm(Asked):
    """Which dead letters are to be delivered again."""

    model_config = examples({"channel": 1, "filter": "$price > 100", "most": 500})

    channel: Id | str | None = Field(
        default=None, description="Of one channel, by id or name; null: all."
    )
    filter: str = Field(
        default="", description="A constraint their events match; blank text is TRUE."
    )
    most: int = Field(default=1_000, ge=1, le=100_000, description="At most so many.")

    def to_constraint(self) -> Constraint:
        """The constraint that their events must match."""
        return constraint(self.filter)


class Redriven(Answer):
    """How many dead letters are delivered again."""

    model_config = examples({"redriven": 42})

    redriven: int


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
