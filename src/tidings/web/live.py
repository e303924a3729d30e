"""A WebSocket on live objects: one view of them, which may look elsewhere, and new values.

A frame with objects goes out when the one before has been taken, and `rate` times a second at
most. What changes meanwhile is told next, as it is then: whoever reads slowly sees fewer of the
values between, and never an old one for long.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketDisconnected

from tidings.api.live_frames import RATE, checked_rate, write_objects
from tidings.api.operations import request_from
from tidings.api.problems import problem_of
from tidings.channel.catalogue import OPERATIONS
from tidings.engine.door import LocalDoor
from tidings.engine.live import read_look
from tidings.engine.turns import Turns
from tidings.errors import BadInput, InvalidUsage, TidingsError
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.texts import shortened
from tidings.live.board import View
from tidings.live.requests import LookAtObjects, SeeLiveObjects, SetObjects
from tidings.web.state import Door, State, WebState

router = APIRouter()

MOST_OCTETS: Final = 1024 * 1024
_UNSUPPORTED: Final = 1003
_BAD_FRAME: Final = 1008


@router.websocket("/live/view")
async def live_view(websocket: WebSocket, state: State, door: Door) -> None:
    """Live objects as they are, again and again; `look` says which, `set` changes some."""
    await websocket.accept()
    await _Viewer(state, door, websocket).serve()


class _Viewer:
    """One WebSocket."""

    def __init__(self, state: WebState, door: LocalDoor, websocket: WebSocket) -> None:
        self._door = door
        self._counts = state.counts
        self._patience = state.options.write_patience
        self._websocket = websocket
        self._writing = asyncio.Lock()
        self._view: View | None = None
        self._pause = 1 / RATE

    async def serve(self) -> None:
        """Deal with frames until the socket is closed."""
        self._counts.websockets += 1
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._read(tasks)
                raise _Closed
        except* (_Closed, OSError, WebSocketDisconnect, WebSocketDisconnected):
            # One that takes nothing for too long is an OSError, too.
            pass
        finally:
            self._counts.websockets -= 1

    async def _read(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] != "websocket.receive":
                return
            text, seeing = message.get("text"), self._view is not None
            if text is None:
                await self._websocket.close(_UNSUPPORTED, "frames are JSON in text messages")
                return
            try:
                await self._take(text)
            except _Unreadable:
                await self._websocket.close(_BAD_FRAME, "the frame cannot be understood")
                return
            if self._view is not None and not seeing:
                tasks.create_task(self._tell(self._view))

    async def _take(self, text: str) -> None:
        id: object = None
        try:
            frame = _parsed(text)
            op, id = frame.pop("op", None), frame.pop("id", None)
            if op == "look":
                await self._look(frame)
            elif op == "set":
                numbers = await self._door.ask(request_from(OPERATIONS[SetObjects], frame))
                await self._send(_text({"op": "set", "id": id, "numbers": list(numbers)}))
            else:
                raise InvalidUsage(f"the op {shortened(op)} is none; there are look, set")
        except TidingsError as error:
            await self._send(_text({"op": "error", "id": id, "problem": problem_of(error)}))
            if isinstance(error, _Unreadable):
                raise

    async def _look(self, frame: dict[str, Any]) -> None:
        pause = 1 / checked_rate(frame.pop("rate", RATE))
        asked: SeeLiveObjects = request_from(OPERATIONS[SeeLiveObjects], frame)
        looked = await read_look(asked)
        question = LookAtObjects(looked)
        if self._view is None:
            self._view = await self._door.request(question)
        else:
            self._door.check(question)
            self._view.look(looked)
        self._pause = pause

    async def _tell(self, view: View) -> None:
        """Tell what is to be told, for ever."""
        loop, turns = asyncio.get_running_loop(), Turns()
        while True:
            await turns.give()  # what is not shown is not sent, and a socket may take all at once
            began = loop.time()
            told = view.take()
            if told:
                await self._send(write_objects(told))
            if not told.more:
                await asyncio.sleep(max(0, began + self._pause - loop.time()))

    async def _send(self, text: str) -> None:
        async with self._writing, asyncio.timeout(self._patience):
            await self._websocket.send_text(text)


def _text(plain: object) -> str:
    return write_json(plain).decode()


class _Closed(Exception):
    """The socket is closed, so that nothing is told any more."""


class _Unreadable(BadInput):
    """What came is no frame; nothing more is read."""


def _parsed(text: str) -> dict[str, Any]:
    try:
        plain = parse_json(text, MOST_OCTETS)
    except TidingsError as error:
        raise _Unreadable(f"the frame is no JSON as it must be: {error}") from error
    if not isinstance(plain, dict):
        raise _Unreadable(f"a frame is a JSON object, not {shortened(plain)}")
    return plain
