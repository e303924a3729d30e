"""The mailbox: all that waits to be carried out, drained as a whole but in slices.

A slice is small enough that the loop is not held up: how many events it may hold follows from
what the latest ones have cost. A push with more events than that is carried out in parts.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from tidings.channel.commands import Command, Push
from tidings.errors import TidingsError

__all__ = ["Mailbox", "Post", "Waiting"]

log = logging.getLogger(__name__)

# What a slice should take at most, in microseconds; well below the 5 ms nothing may exceed.
_SLICE: Final = 3_000
_FEWEST: Final = 4
_MOST: Final = 512


class Waiting(Protocol):
    """Who waits for an answer: a future, or what is told in the moment the answer is there."""

    def done(self) -> bool:
        """Whether nobody waits any more."""
        ...

    def set_result(self, answer: Any, /) -> None:  # noqa: ANN401 -- see the command
        """The answer is there."""
        ...

    def set_exception(self, error: BaseException, /) -> None:
        """The command was not carried out."""
        ...


class Post(NamedTuple):
    """A command that waits, and who is answered.

    Attributes:
        command: What to do.
        waiting: Gets the answer; None if nobody does.
        parts: For the parts of a push, the answers so far; None for a whole command.
        last: Whether this is the last part.
    """

    command: Command
    waiting: Waiting | None
    parts: list[object] | None = None
    last: bool = True

    def answer(self, answer: object) -> None:
        """Answers who waits; the parts of a push when the last one is there."""
        waiting, parts = self.waiting, self.parts
        if waiting is None or waiting.done():
            return
        if parts is not None:
            if isinstance(answer, TidingsError) and parts:
                assert isinstance(self.command, Push)
                answer = [answer] * len(self.command.items)  # others have been taken in already
            if isinstance(answer, list):
                parts.extend(answer)
                answer = parts
                if not self.last:
                    return
        if isinstance(answer, TidingsError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def fail(self, fault: Exception) -> None:
        """Tells who still waits of a fault of ours."""
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(fault)


class Mailbox:
    """Commands in the order they came.

    Args:
        batch_events: A push of more events is refused; it is not parted, so that it is refused
            as a whole.
    """

    __slots__ = ("_batch_events", "_cost", "_gathering", "_posts", "most")

    def __init__(self, batch_events: int) -> None:
        self._posts: deque[Post] = deque()
        self._gathering: list[Callable[[], None]] = []
        self._batch_events = batch_events
        self._cost = 20.0
        self.most = 100

    def __len__(self) -> int:
        return len(self._posts)

    def post(self, command: Command, waiting: Waiting | None) -> None:
        """Puts a command at the end."""
        self._posts.append(Post(command, waiting))

    def gather(self, act: Callable[[], None]) -> None:
        """Has somebody post what has come together, when the next slice is taken."""
        self._gathering.append(act)

    def slice(self) -> list[Post]:
        """The next commands, as many as fit into one slice; at least one."""
        while self._gathering:
            try:
                self._gathering.pop(0)()
            except Exception:  # a fault of ours: the others must not suffer from it
                log.exception("what has come together could not be posted")
        posts = self._posts
        taken: list[Post] = []
        room = self.most
        while posts and room > 0:
            post = posts.popleft()
            command = post.command
            if command.__class__ is not Push:
                taken.append(post)
                room -= 1
                continue
            size = len(command.items)
            if size > room and size > _FEWEST and (post.parts is not None or self._fits(command)):
                post, rest = _parted(post, max(room, _FEWEST))
                posts.appendleft(rest)
            taken.append(post)
            room -= size
        return taken

    def drop_rest(self, post: Post) -> None:
        """Forgets the further parts of a push that was refused as a whole."""
        if self._posts and self._posts[0].parts is post.parts:
            self._posts.popleft()

    def _fits(self, command: Push) -> bool:
        """Whether the core will judge its events one by one."""
        events, marks = len(command.items), command.marks
        return events <= self._batch_events and (marks is None or len(marks) == events)

    def took(self, weight: int, microseconds: int) -> None:
        """What a slice has cost, so that the next one fits."""
        if weight > 0:
            self._cost += (microseconds / weight - self._cost) * 0.2
            self.most = max(_FEWEST, min(_MOST, int(_SLICE / max(self._cost, 0.1))))


def _parted(post: Post, size: int) -> tuple[Post, Post]:
    """A push as two: the first events, and the rest."""
    whole = post.command
    assert isinstance(whole, Push)
    parts: list[object] = [] if post.parts is None else post.parts
    marks = whole.marks
    first = whole._replace(
        items=whole.items[:size], marks=None if marks is None else marks[:size], more=True
    )
    rest = whole._replace(
        items=whole.items[size:], marks=None if marks is None else marks[size:], whole=()
    )
    return Post(first, post.waiting, parts, False), Post(rest, post.waiting, parts, post.last)
