"""Servants for the twelve kinds of clients that the service calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from tidings.channel.vocabulary import Form, Style
from tidings.client.transports.iiop.lines import Line
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.events import NO_EVENT
from tidings.cos.kinds import KINDS, Kind
from tidings.orb.stubs import Servant


class _Client:
    """What each kind is made of: its operations are the methods that `_servant_class` chooses."""

    KIND: ClassVar[Kind]

    def __init__(self, line: Line) -> None:
        self._line = line

    async def change(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """Handle a change in the event types offered or wanted."""
        self._line.changed(added, removed)

    async def end(self) -> None:
        """Handle the end of the proxy."""
        self._line.ended()

    async def take(self, value: object) -> None:
        """Receive an any, a structured event, or a sequence of structured events."""
        await self._line.take(value)

    async def give(self) -> tuple[object, bool]:
        """Return an event, if there is one."""
        found = await self._line.give(1)
        nothing = NO_EVENT if self.KIND.form is Form.STRUCTURED else None
        return (found[0], True) if found else (nothing, False)

    async def give_batch(self, max_number: int) -> tuple[Sequence[object], bool]:
        """Return as many events as there are, up to `max_number`."""
        found = await self._line.give(max_number)
        return tuple(found), bool(found)


def _servant_class(kind: Kind) -> type[_Client]:
    methods: dict[str, Callable[..., Any]] = {kind.goodbye.method: _Client.end}
    if kind.notice is not None:
        methods[kind.notice.method] = _Client.change
    if kind.transfer is not None:
        give = _Client.give_batch if kind.form is Form.SEQUENCE else _Client.give
        methods[kind.transfer.method] = _Client.take if kind.style is Style.PUSH else give
    name = kind.client.name.rpartition("::")[2]
    generated = vars(comm)[f"{name}Servant"]
    return type(f"_{name}", (_Client, generated), {"KIND": kind, **methods})


_SERVANTS: Final = {kind: _servant_class(kind) for kind in KINDS if not kind.bare}


def servant_for(kind: Kind, line: Line) -> Servant:
    """Create the servant for a kind of proxy."""
    made = _SERVANTS[kind](line)
    assert isinstance(made, Servant)
    return made
