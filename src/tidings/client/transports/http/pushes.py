"""Events in transit to the service: sent in order, resent after a cut, answered once.

Every event carries a producer's number, so that the channel drops duplicates. Pushes of one turn of
the event loop share a frame.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TypeAlias

from tidings.api.frames import MAX_FRAME_EVENTS, PushedFrame, push_content, write_push
from tidings.api.items import item_form
from tidings.api.operations import read_view
from tidings.api.problems import error_of
from tidings.channel.commands import Push, Warned
from tidings.channel.trail import Traced, Trail
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Item
from tidings.errors import TidingsError, Unreachable
from tidings.events.codecs.json_codec import encode_event
from tidings.events.codecs.json_text import write_json
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin

_log: Final = logging.getLogger(__name__)

# Limits of unanswered events; further pushes wait here.
MOST_EVENTS: Final = 10_000
MOST_OCTETS: Final = 16 * 1024 * 1024
# Soft limit of a frame's size, so that other frames get their turn on the socket.
_FRAME_OCTETS: Final = 1024 * 1024


Answer: TypeAlias = int | TidingsError | None


class _Request:
    """One push and its waiting caller.

    Only valid events are in `events`; `places` has the index of each one's answer. `sent` counts
    the events put into frames, `left` the missing answers.
    """

    __slots__ = ("answers", "asked", "events", "future", "left", "marks", "places", "push", "sent")

    def __init__(self, push: Push, marks: Sequence[ProducerMark]) -> None:
        loop = asyncio.get_running_loop()
        self.push = push
        self.events: list[bytes] = []
        self.marks: Sequence[ProducerMark] = marks
        self.places: Sequence[int] = range(len(push.items))
        self.answers: list[Answer] = [None] * len(push.items)
        self.asked = loop.time()
        self.sent = 0
        self.future: asyncio.Future[list[Answer]] = loop.create_future()
        wrong = False
        for place, item in enumerate(push.items):
            try:
                self.events.append(_encoded(item))
            except TidingsError as error:
                self.answers[place] = error
                wrong = True
        if wrong:
            self.places = [at for at, answer in enumerate(self.answers) if answer is None]
            self.marks = [marks[at] for at in self.places]
        self.left = len(self.events)

    @property
    def key(self) -> tuple[int, int, bool]:
        """Requests with equal keys can share a frame."""
        return self.push.channel, self.push.proxy, self.push.trail

    def fail(self, error: TidingsError) -> None:
        """Raise an error in the caller."""
        if not self.future.done():
            self.future.set_exception(error)


@dataclass(slots=True)
class _Frame:
    """Events sent and not yet answered; `parts` has request, first and count of each run."""

    id: int
    channel: int
    proxy: int
    content: bytes = b""
    octets: int = 0
    parts: list[tuple[_Request, int, int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Number of events."""
        return sum(part[2] for part in self.parts)

    @property
    def wanted(self) -> bool:
        """Whether any caller still waits for the answer."""
        return any(not request.future.done() for request, _, _ in self.parts)


class Pushes:
    """All events in transit; `send` is only called between `up` and `down`."""

    def __init__(
        self, send: Callable[[bytes], None], ids: count[int], proxy_now: Callable[[int, int], int]
    ) -> None:
        self._send = send
        self._ids = ids
        self._proxy_now = proxy_now
        self._waiting: deque[_Request] = deque()
        self._sent: dict[int, _Frame] = {}
        self._events = self._octets = 0
        self._up = self._scheduled = False
        self._producer = new_origin()
        self._number = 0
        # By channel, the latest producer number and its answer; and the same as of the latest cut,
        # which the next answer must exceed.
        self._latest: dict[int, tuple[ProducerMark, int]] = {}
        self._before: dict[int, tuple[ProducerMark, int]] = {}

    def __len__(self) -> int:
        """Number of frames and requests pending."""
        return len(self._sent) + len(self._waiting)

    @property
    def channels(self) -> set[int]:
        """Channels with pending events."""
        waiting = {request.push.channel for request in self._waiting}
        return waiting | {frame.channel for frame in self._sent.values()}

    async def ask(self, push: Push) -> list[Any]:
        """Send events and wait for their answers; raise an error that concerns all of them."""
        request = _Request(push, push.marks or self._own_marks(len(push.items)))
        if not request.left:
            return request.answers
        self._waiting.append(request)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)
        return await request.future

    def _own_marks(self, many: int) -> list[ProducerMark]:
        first = self._number + 1
        self._number += many
        trusted, producer = ProducerMark.trusted, self._producer
        return [trusted(producer, number) for number in range(first, first + many)]

    # The socket.

    def up(self) -> None:
        """Resend everything unanswered, in order, on a new socket."""
        self._up = True
        self._before = dict(self._latest)
        for id, frame in list(self._sent.items()):
            if frame.wanted:
                self._send_frame(frame)
            else:
                self._dropped(id)
        self._flush()

    def down(self) -> None:
        """Stop sending: the socket is gone."""
        self._up = False

    def pushed(self, answer: PushedFrame) -> None:
        """Process the answers to a frame."""
        frame = self._dropped(answer.id)
        if frame is None:
            return
        at = 0
        for request, first, many in frame.parts:
            for offset, result in enumerate(answer.results[at : at + many]):
                request.answers[request.places[first + offset]] = (
                    result if result.__class__ is int else _answer(result)
                )
            at += many
            request.left -= many
            if not request.left and not request.future.done():
                request.future.set_result(request.answers)
        self._check_order(frame, answer.results[-1])
        if self._waiting:
            self._flush()

    def _check_order(self, frame: _Frame, result: object) -> None:
        """Warn if the service, after a cut, repeats sequence numbers from before."""
        if not isinstance(result, int) or result <= 0:
            return
        request, first, many = frame.parts[-1]
        mark = request.marks[first + many - 1]
        before, seq = self._before.pop(frame.channel, (mark, 0))
        if before.producer == mark.producer and before.number < mark.number and result <= seq:
            _log.warning(
                "channel %d gave the sequence number %d, but had given %d before: the service has "
                "lost events that it had accepted (was an older copy of its journal restored?)",
                *(frame.channel, result, seq),
            )
        self._latest[frame.channel] = (mark, result)

    def refused(self, id: int, error: TidingsError) -> bool:
        """Fail a refused frame; return whether it was one of these."""
        frame = self._dropped(id)
        if frame is None:
            return False
        for request, _, _ in frame.parts:
            request.fail(error)
        if self._waiting:
            self._flush()
        return True

    def _dropped(self, id: int) -> _Frame | None:
        frame = self._sent.pop(id, None)
        if frame is not None:
            self._events -= frame.count
            self._octets -= frame.octets
        return frame

    # Giving up.

    def fail(self, error: TidingsError, channel: int | None = None) -> None:
        """Raise an error in the callers waiting for one channel, or for any."""
        for request in self._requests():
            if channel is None or request.push.channel == channel:
                request.fail(error)
        self._waiting = deque(one for one in self._waiting if not one.future.done())
        for id, frame in list(self._sent.items()):
            if not frame.wanted:
                self._dropped(id)

    def expire(self, since: float, patience: float, now: float, why: str) -> None:
        """Fail requests that waited longer than `patience` since the service became unreachable."""
        for request in self._requests():
            if max(request.asked, since) + patience <= now and not request.future.done():
                told = (
                    "whether the events were accepted is unknown; publishing them again with the "
                    "same numbers is safe"
                    if request.sent
                    else "nothing was sent"
                )
                request.fail(Unreachable(f"no answer for {patience:g} s ({why}): {told}"))
        self._waiting = deque(one for one in self._waiting if not one.future.done())

    def _requests(self) -> list[_Request]:
        found = {id(r): r for frame in self._sent.values() for r, _, _ in frame.parts}
        found.update((id(request), request) for request in self._waiting)
        return list(found.values())

    # Frames.

    def _flush(self) -> None:
        self._scheduled = False
        if not self._up:
            return
        waiting = self._waiting
        while waiting and self._events < MOST_EVENTS and self._octets < MOST_OCTETS:
            if waiting[0].future.done():  # the caller gave up
                waiting.popleft()
                continue
            frame = self._filled()
            self._sent[frame.id] = frame
            self._events += frame.count
            self._octets += frame.octets
            self._send_frame(frame)

    def _filled(self) -> _Frame:
        """Build a frame from the first waiting events that can share one."""
        waiting = self._waiting
        first = waiting[0]
        key = first.key
        frame = _Frame(next(self._ids), first.push.channel, first.push.proxy)
        events: list[bytes] = []
        marks: list[ProducerMark] = []
        while waiting and waiting[0].key == key and len(events) < MAX_FRAME_EVENTS:
            request = waiting[0]
            start = request.sent
            taken = _fitting(request.events, start, MAX_FRAME_EVENTS - len(events), frame.octets)
            if not taken:
                break
            frame.parts.append((request, start, len(taken)))
            frame.octets += sum(map(len, taken))
            events += taken
            marks += request.marks[start : start + len(taken)]
            request.sent = start + len(taken)
            if request.sent < len(request.events):
                break
            waiting.popleft()
        frame.content = push_content(events, marks, trail=key[2])
        return frame

    def _send_frame(self, frame: _Frame) -> None:
        channel = frame.channel
        proxy = self._proxy_now(channel, frame.proxy)
        self._send(write_push(frame.id, channel, proxy, frame.content))


def _fitting(events: Sequence[bytes], start: int, most: int, octets: int) -> Sequence[bytes]:
    """Return the events that fit into a frame; the first always fits into an empty one."""
    taken: list[bytes] = []
    for event in events[start : start + most]:
        octets += len(event)
        if octets > _FRAME_OCTETS and octets != len(event):
            break
        taken.append(event)
    return taken


def _encoded(item: Item) -> bytes:
    if isinstance(item, StructuredEvent):
        return encode_event(item)
    entered(item, False)  # raises if it is invalid
    return write_json(item_form(item))


def _answer(result: object) -> Answer:
    assert isinstance(result, Mapping)
    if "error" in result:
        problem = result["error"]
        return error_of(problem, int(problem.get("status", 500)))
    if "warnings" in result:
        return Warned.of(result["seq"], result["warnings"])
    return Traced.of(result["seq"], read_view(Trail, result["trail"]))
