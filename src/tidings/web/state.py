"""What all routes share: the host, the settings, and a door for whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, HTTPException
from starlette.requests import HTTPConnection

from tidings.admission import Admission
from tidings.api.forms import ConstraintForm, filter_parts
from tidings.api.items import write_delivered
from tidings.channel.effects import Message
from tidings.engine.access import Caller
from tidings.engine.beside import compiled
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import StoreError
from tidings.grants.core import AccessChanged
from tidings.web.event_bodies import Bounds
from tidings.web.lifetimes import Lifetimes
from tidings.web.options import WebOptions
from tidings.web.security import principal_of
from tidings.web.sessions import Sessions

_T = TypeVar("_T")


@dataclass(slots=True)
class Readiness:
    """Whether the service takes work: ``starting``, ``ready`` or ``draining``, and why."""

    phase: str = "ready"
    reason: str = ""


@dataclass(slots=True)
class Counts:
    """What the door counts for the metrics: what is open now, and refused since the start.

    Attributes:
        streams: Tails and uploads of lines.
        corba: Tells how many CORBA connections are open now; None if there is no such door.
        looped: Tells how many pushes over CORBA were dropped, since their events had come back.
        admissions: Which connections of a door stay open, by its name.
    """

    websockets: int = 0
    tails: int = 0
    streams: int = 0
    rejected: int = 0
    corba: Callable[[], int] | None = None
    looped: Callable[[], int] | None = None
    admissions: dict[str, Admission] = field(default_factory=dict)


# Some ten thousand usual events: what is on its way to many consumers at a time.
_MOST_CHARACTERS: Final = 16 * 1024 * 1024
# What an entry takes beside its text; counted, so that tiny events are bounded too.
_OVERHEAD: Final = 512


class Encoded(dict[Message, str]):
    """The JSON text of events, by the very message that all their consumers share.

    ``encoded[message]`` makes what is missing; beyond `most` characters the oldest goes. It is a
    dict because it is asked once for each event and consumer.
    """

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        super().__init__()
        self._most = most
        self._kept = 0

    def __missing__(self, message: Message) -> str:
        """Makes the text and keeps it, if it is not too large for that."""
        text = write_delivered(message)
        size = len(text) + _OVERHEAD
        if size > self._most:
            return text
        self._kept += size
        while self._kept > self._most:
            self._kept -= len(self.pop(next(iter(self)))) + _OVERHEAD
        self[message] = text
        return text


class WebState:
    """What all routes share; `app.state.web`."""

    def __init__(self, host: Host, options: WebOptions) -> None:
        self.host = host
        self.options = options
        self.sessions = Sessions(host.access.grants, options, host.clock.now)
        host.on_effect(AccessChanged, self.sessions.end_forbidden)
        self.lifetimes = Lifetimes(host, options.unnamed_lifetime)
        self.readiness = Readiness()
        self.counts = Counts()
        self.encoded = Encoded()
        self.bounds = Bounds(options.max_batch, host.settings.limits.event_values)
        self._parts: dict[Callable[[WebState], Any], Any] = {}

    def door(self, principal: Caller) -> LocalDoor:
        """The host as a principal may use it."""
        return LocalDoor(self.host, principal)

    def part(self, kind: Callable[[WebState], _T]) -> _T:
        """The one object of a kind that belongs to this door, made when it is first asked for."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
        found: _T = self._parts[kind]
        return found

    @property
    def not_ready(self) -> str:
        """Why the service takes no work; empty if it does."""
        if self.readiness.phase != "ready":
            return self.readiness.reason or self.readiness.phase
        error: StoreError | None = self.host.disk_error
        return "" if error is None else f"the disk refuses: {error}"

    def stream(self) -> ExitStack:
        """Take a place for a tail or an upload of lines; closing the stack returns it."""
        counts, most = self.counts, self.options.max_streams
        if counts.streams >= most:
            raise HTTPException(503, f"there are {most} tails and uploads of lines already")
        counts.streams += 1

        def give_back() -> None:
            counts.streams -= 1

        held = ExitStack()
        held.callback(give_back)
        return held

    def close(self) -> None:
        """Ends what runs by itself."""
        self.lifetimes.close()


async def _state(connection: HTTPConnection) -> WebState:
    state: WebState = connection.app.state.web
    return state


async def _door(connection: HTTPConnection) -> LocalDoor:
    state: WebState = connection.app.state.web
    door = state.door(principal_of(connection))
    if connection.scope["type"] == "http":  # it looks for what is in the path before it acts
        door.operation = getattr(connection.scope.get("endpoint"), "__name__", "")
    return door


async def made_of(
    state: WebState, given: Iterable[ConstraintForm | str], make: Callable[[], _T]
) -> _T:
    """Compile constraints if one filter may have them; others continue meanwhile.

    Too many or too long ones are refused before the first is compiled.
    """
    octets = state.host.settings.limits.check_filter(filter_parts(given))
    return await compiled(octets, make)


State = Annotated[WebState, Depends(_state)]
"""What all routes share, in HTTP and WebSocket routes alike."""

Door = Annotated[LocalDoor, Depends(_door)]
"""The host as whoever asks may use it, in HTTP and WebSocket routes alike."""
