from __future__ import annotations

from tests.unit.engine.hosts import run
from tests.unit.web.doors import web_door
from tidings.engine.access import OWNER, Principal
from tidings.web.state import WebState


class _Part:
    def __init__(self, state: WebState) -> None:
        self.state = state


def test_each_principal_has_one_door() -> None:
    async def work() -> None:
        async with web_door() as door:
            state = door.state
            assert state.door(OWNER) is state.door(OWNER)
            assert state.door(Principal("bob")) is state.door(Principal("bob"))
            assert state.door(Principal("bob")) is not state.door(OWNER)

    run(work())


def test_there_is_one_part_of_each_kind() -> None:
    async def work() -> None:
        async with web_door() as door:
            part = door.state.part(_Part)
            assert part.state is door.state
            assert door.state.part(_Part) is part

    run(work())
