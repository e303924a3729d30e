"""Goes through live objects in turns: there may be a hundred thousand of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidings.engine.access import Caller
from tidings.engine.authority import authorise
from tidings.engine.beside import compiled
from tidings.engine.turns import Turns
from tidings.errors import NotFound
from tidings.live.board import Board, Looked
from tidings.live.core import looked_at
from tidings.live.model import LiveObject, ObjectInfo, checked_tag
from tidings.live.requests import DeleteObjects, DropObjects, LookAtObjects, SeeLiveObjects

if TYPE_CHECKING:
    from tidings.engine.host import Host

# Deleted at once.
_AT_ONCE: Final = 250


async def read_look(asked: SeeLiveObjects) -> Looked:
    """Return what is looked at; raise what is wrong with that. Long constraints are read aside."""
    return await compiled(len(asked.filter), lambda: looked_at(asked))


async def see_objects(host: Host, caller: Caller, asked: SeeLiveObjects) -> tuple[ObjectInfo, ...]:
    """Find objects; each is as it is when its turn comes."""
    authorise(host, asked, caller)
    looked = await read_look(asked)
    found = await _found(host, looked, asked.after, asked.most)
    return tuple([one.info(looked.attributes) for one in found])


async def delete_objects(host: Host, caller: Caller, asked: DeleteObjects) -> int:
    """Delete those that are there now; what is made meanwhile stays."""
    authorise(host, asked, caller)
    # The standard's pattern is never empty, so that nobody deletes everything by mistake.
    found = await _found(host, Looked(checked_tag(asked.pattern, "tag pattern")))
    if not found:
        raise NotFound(f"there is no live object whose tag begins with {asked.pattern!r}")
    numbers, deleted = [one.number for one in found], 0
    for at in range(0, len(numbers), _AT_ONCE):
        deleted += await host.ask(DropObjects(numbers[at : at + _AT_ONCE]))
    return deleted


async def _found(
    host: Host, looked: Looked, after: int = 0, most: int | None = None
) -> list[LiveObject]:
    board: Board = (await host.ask(LookAtObjects(looked))).board
    turns, found = Turns(), list[LiveObject]()
    for number in board.candidates(looked.area, after):
        await turns.give()
        one = board.get(number)
        if one is not None and looked.shows(one):
            found.append(one)
            if len(found) == most:
                break
    return found
