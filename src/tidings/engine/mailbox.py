"""The mailbox: all waiting commands, drained as a whole but in slices.

A slice is small enough not to block the loop: how many events it may hold follows from the cost of
the latest ones. A push with more events than that runs in parts.

Commands wait in queues, one for each source of events, and a slice takes from all of them in turn.
A source that had nothing waiting precedes those that take more than one turn: a client that sends a
few events does not wait behind thousands of another's. Commands of one source, and all others about
its proxy, run in the order they came.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol

import msgspec
from msgspec.structs import replace

from tidings.channel.commands import Ack, Command, Failed, Push, Reject
from tidings.errors import TidingsError
from tidings.events.structured import StructuredEvent
from tidings.live.requests import SetObjects

log = logging.getLogger(__name__)

# What a slice should take at most, in microseconds; well below the 5 ms nothing may exceed.
_SLICE: Final = 3_000
_FEWEST: Final = 1
_MOST: Final = 512
# The turn of one source, in events.
_TURN: Final = 32
# Answers of consumers that cost as much as one event.
_ANSWERS: Final = 8


def weight(command: Command) -> int:
    """Return the cost of a command, in events."""
    kind = command.__class__
    if kind is Push:
        return len(command.items)  # type: ignore[union-attr]
    if kind in _ANSWER_KINDS:
        return 1 + len(command.seqs) // _ANSWERS  # type: ignore[union-attr]
    if kind is SetObjects:
        return 1 + len(command.objects)  # type: ignore[union-attr]
    return 1


_ANSWER_KINDS: Final = frozenset({Ack, Failed, Reject})


class Waiting(Protocol):
    """The receiver of an answer: a future, or an object called as soon as the answer is there."""

    def done(self) -> bool:
        """Return whether the answer is no longer wanted."""
        ...

    def set_result(self, answer: Any, /) -> None:  # noqa: ANN401 -- see the command
        """Receive the answer."""
        ...

    def set_exception(self, error: BaseException, /) -> None:
        """Receive the error."""
        ...


class Post(msgspec.Struct, frozen=True):
    """A waiting command, and the receiver of its answer.

    `parts` has the answers so far to the parts of a push; None for a whole command.
    """

    command: Command
    waiting: Waiting | None
    parts: list[object] | None = None
    last: bool = True

    def answer(self, answer: object) -> None:
        """Answer the caller; for the parts of a push, with the last one."""
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
        """Report an internal fault to a caller that still waits."""
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(fault)


class Mailbox:
    """Commands in order of arrival from each source.

    A push of more than `batch_events` is not split, so that it is refused as a whole. `ready`
    returns False if a large event is only partly prepared, and the next slice must ask again.
    """

    def __init__(
        self, batch_events: int, ready: Callable[[Push], bool] = lambda push: True
    ) -> None:
        self._queues: dict[Hashable, deque[Post]] = {}
        # Sources whose turn comes: those that had nothing waiting, and those that had a turn.
        self._new: deque[Hashable] = deque()
        self._old: deque[Hashable] = deque()
        # All that is about no source of events, and about which proxies some of it is.
        self._others: deque[Post] = deque()
        self._ahead: Counter[Hashable] = Counter()
        # Whether a slice too small to be shared is for those that wait: every second one is.
        self._reserves = False
        # Whether the source whose turn it is has come to a large event: one is enough for a slice.
        self._met_large = False
        self._gathering: list[Callable[[], None]] = []
        self._batch_events = batch_events
        self._ready = ready
        self._cost = 20.0
        self._weight = 0  # of the latest slice
        self.most = 100

    def __len__(self) -> int:
        return len(self._others) + sum(map(len, self._queues.values()))

    def __bool__(self) -> bool:
        return bool(self._others or self._queues)

    def post(
        self, command: Command, waiting: Waiting | None, source: Hashable | None = None
    ) -> None:
        """Put a command at the end of its queue.

        `source` is the sender of events, or the one whose events the command follows; by default
        all that come through one proxy share a source.
        """
        queues = self._queues
        if command.__class__ is Push:
            proxy = (command.channel, command.proxy)
            key = source or proxy
            queue = queues.get(key)
            if queue is None and proxy in self._ahead:  # behind what is about its proxy
                queue = self._others
                self._ahead[proxy] += 1
            elif queue is None:
                queue = queues[key] = deque()
                self._new.append(key)
        else:
            proxy = (getattr(command, "channel", 0), getattr(command, "proxy", 0))
            queue = queues.get(source) or queues.get(proxy) if queues else None
            if queue is None:
                queue = self._others
                if command.__class__ not in _ANSWER_KINDS:
                    self._ahead[proxy] += 1
        queue.append(Post(command, waiting))

    def gather(self, act: Callable[[], None]) -> None:
        """Call `act` when the next slice is taken, to post what it has gathered."""
        self._gathering.append(act)

    def slice(self) -> list[Post]:
        """Return the next commands, as many as fit; none if a large event is not ready.

        A large event is the last of its queue in a slice.
        """
        while self._gathering:
            try:
                self._gathering.pop(0)()
            except Exception:  # a fault of ours: the others must not suffer from it
                log.exception("what has come together could not be posted")
        queues, new, old = self._queues, self._new, self._old
        taken: list[Post] = []
        self._weight, room = 0, self.most
        # New sources must not starve waiting ones.
        self._reserves = not self._reserves
        reserve = max(room // 4, int(self._reserves))
        kept = reserve if old else 0
        if self._others:
            shared = reserve if queues else 0
            # One at least: on a slow machine, where a slice is one event, an acknowledgement must
            # not wait behind the pushes that came after it.
            room -= self._take(self._others, max(room - shared, 1), taken)
            room = max(room, shared)
            self._count_taken(taken)
        later: list[Hashable] = []
        while (new or old) and room > 0:
            key = new.popleft() if new and (room > kept or not old) else old.popleft()
            queue = queues[key]
            self._met_large = False
            room -= self._take(queue, min(room, _TURN) if len(queues) > 1 else room, taken)
            if not queue:
                del queues[key]
            elif self._met_large or (queue[0].parts is not None and queue[0].command.promised):  # type: ignore[union-attr]
                later.append(key)  # the part before it may yet refuse the whole push
            else:
                old.append(key)
        old.extend(later)
        return taken

    def _take(self, posts: deque[Post], room: int, taken: list[Post]) -> int:
        """Take what fits from one queue; return its cost."""
        cost = 0
        while posts and cost < room:
            post = posts.popleft()
            command = post.command
            size = weight(command)
            if size > room - cost and size > _FEWEST and self._parts(post):
                post, rest = _parted(post, max(room - cost, _FEWEST))
                posts.appendleft(rest)
                size = weight(post.command)
            if command.__class__ is Push:
                at = _first_large(post.command)  # type: ignore[arg-type]
                if at is not None and self._parts(post):
                    self._weight += cost
                    self._take_large(post, at, posts, taken)
                    return room
            taken.append(post)
            cost += size
        self._weight += cost
        return cost

    def _take_large(self, post: Post, at: int, posts: deque[Post], taken: list[Post]) -> None:
        """Take what precedes the first large event of a push, or the event itself if ready."""
        if weight(post.command) > max(at, 1):
            post, rest = _parted(post, max(at, 1))
            posts.appendleft(rest)
        if at or self._ready(post.command):  # type: ignore[arg-type]
            taken.append(post)
            self._weight += weight(post.command)
        else:
            posts.appendleft(post)
        self._met_large = True

    def _count_taken(self, taken: list[Post]) -> None:
        ahead = self._ahead
        for post in taken if ahead else ():
            command = post.command
            if post.last and command.__class__ not in _ANSWER_KINDS:
                proxy = (getattr(command, "channel", 0), getattr(command, "proxy", 0))
                ahead[proxy] -= 1
                if not ahead[proxy]:
                    del ahead[proxy]

    def _parts(self, post: Post) -> bool:
        command = post.command
        if command.__class__ is not Push:
            return command.__class__ in _ANSWER_KINDS
        return post.parts is not None or self._fits(command)

    def drop_rest(self, post: Post) -> None:
        """Drop the remaining parts of a push that was refused as a whole."""
        if self._others and self._others[0].parts is post.parts:
            self._count_taken([self._others.popleft()])
            return
        for key, queue in self._queues.items():
            if queue[0].parts is post.parts:
                queue.popleft()
                if not queue:
                    del self._queues[key]
                    self._old.remove(key)
                return

    def _fits(self, command: Push) -> bool:
        """Return whether the core will judge the push's events one by one."""
        events, marks = len(command.items), command.marks
        return events <= self._batch_events and (marks is None or len(marks) == events)

    def took(self, microseconds: int) -> None:
        """Note the cost of the latest slice, to size the next one."""
        if self._weight > 0:
            self._cost += (microseconds / self._weight - self._cost) * 0.2
            self.most = max(_FEWEST, min(_MOST, int(_SLICE / max(self._cost, 0.1))))


def _first_large(command: Push) -> int | None:
    for at, item in enumerate(command.items):
        if item.__class__ is StructuredEvent and item.octets:
            return at
    return None


def _parted(post: Post, size: int) -> tuple[Post, Post]:
    """Split a command in two: the first events or answers, and the rest."""
    whole = post.command
    if not isinstance(whole, Push):
        assert isinstance(whole, Ack | Failed | Reject)
        size *= _ANSWERS
        first = whole._replace(seqs=whole.seqs[:size])
        return Post(first, None), replace(post, command=whole._replace(seqs=whole.seqs[size:]))
    parts: list[object] = [] if post.parts is None else post.parts
    marks = whole.marks
    begun = whole._replace(
        items=whole.items[:size], marks=None if marks is None else marks[:size], more=True
    )
    rest = whole._replace(
        items=whole.items[size:],
        marks=None if marks is None else marks[size:],
        whole=(),
        promised=bool(whole.whole) or whole.promised,
    )
    return Post(begun, post.waiting, parts, False), Post(rest, post.waiting, parts, post.last)
