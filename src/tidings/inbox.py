"""A program's end of a connection: an inbox it reads from, or a function called with events.

Engine and client share both; each adds how events are acknowledged, failed and rejected.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeAlias

from tidings.channel.effects import Message

# Until the first event comes, and never added to: most inboxes are idle, and an empty deque
# takes 760 octets.
_NONE_WAITING: Final[deque[Message]] = deque(maxlen=0)
_NONE_AGAIN: Final[set[int]] = set()
# An inbox has many kinds of second base, and two bases with slots do not go together.
_OF_SUBCLASSES: Final[tuple[str, ...]] = ()


class Inbox:
    """Events that wait until a program reads them; `error` says why it has ended.

    Acknowledgements of one turn of the loop are sent in one call of `flush`.
    """

    __slots__ = _OF_SUBCLASSES

    _waiting: deque[Message]
    _readers: list[asyncio.Future[None]]
    _again: set[int]
    _taken: list[int]
    error: Exception | None

    def __init__(self) -> None:
        self._waiting = _NONE_WAITING
        self._readers = []
        self._again = _NONE_AGAIN
        self._taken = []
        self.error = None

    def __len__(self) -> int:
        """Number of events waiting."""
        return len(self._waiting)

    async def get(self) -> Message:
        """Wait for the next event; raise the error of an inbox that has ended."""
        if not self._waiting:
            await self._filled()
        return self._waiting.popleft()

    def get_nowait(self) -> Message | None:
        """Return the next event, None if none waits; raise the error of one that has ended."""
        if self._waiting:
            return self._waiting.popleft()
        if self.error is not None:
            raise self.error
        return None

    async def batch(self, most: int) -> Sequence[Message]:
        """Wait for events and return up to `most`; raise the error of an ended inbox."""
        if not self._waiting:
            await self._filled()
        waiting = self._waiting
        if most < len(waiting):
            return [waiting.popleft() for _ in range(most)]
        everything = list(waiting)
        waiting.clear()
        return everything

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        taken = self._taken
        if not taken:
            asyncio.get_running_loop().call_soon(self.flush)
        taken.append(message.seq)

    def ack_many(self, messages: Sequence[Message]) -> None:
        """Acknowledge events."""
        if messages and not self._taken:
            asyncio.get_running_loop().call_soon(self.flush)
        self._taken += [message.seq for message in messages]

    def flush(self) -> None:
        """Send pending acknowledgements."""
        raise NotImplementedError

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered before those behind it."""
        raise NotImplementedError

    def reject(self, message: Message, reason: str) -> None:
        """Turn the event into a dead letter."""
        raise NotImplementedError

    def redelivered(self, seq: int) -> bool:
        """Tell whether an unacknowledged event may have been delivered before."""
        return seq in self._again

    def _put(self, messages: Iterable[Message], again: Iterable[int] = ()) -> None:
        """Add events, some of which may have been delivered before, and wake the readers."""
        if self._waiting is _NONE_WAITING:
            self._waiting = deque()
        self._waiting.extend(messages)
        if again:
            if self._again is _NONE_AGAIN:
                self._again = set()
            self._again.update(again)
        if self._readers:
            self._wake()

    def _end(self, error: Exception) -> None:
        """Drop the events, and raise the error in waiting and later calls."""
        self.error = error
        self._waiting.clear()
        self._again.clear()
        self._wake()

    async def _filled(self) -> None:
        while not self._waiting:
            if self.error is not None:
                raise self.error
            reader = asyncio.get_running_loop().create_future()
            self._readers.append(reader)
            try:
                await reader
            except asyncio.CancelledError:
                if reader in self._readers:
                    self._readers.remove(reader)
                raise

    def _wake(self) -> None:
        for reader in self._readers:
            if not reader.done():
                reader.set_result(None)
        self._readers.clear()


# How long handlers run before the loop gets a turn, in seconds: well below the 5 ms that
# nothing may block it.
TURN: Final = 0.002

Handed: TypeAlias = Message | list[Message]
Handler: TypeAlias = Callable[..., object]
"""A plain or coroutine function of one `Message`, or of a list of them for sequence proxies."""


def _seqs(handed: Handed) -> list[int]:
    if isinstance(handed, list):
        return [message.seq for message in handed]
    return [handed.seq]


class HandlerRunner:
    """Calls a function with events in order, one call at a time.

    An event is acknowledged when the call returns. When a call raises, its events and all behind
    them fail, so that all are redelivered in order. Calls are made in a task, one after the other,
    so that one that hangs delays no other client.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._queue: deque[Handed] = deque()
        self._taken: list[int] = []
        self._task: asyncio.Task[None] | None = None

    def flush(self) -> None:
        """Send pending acknowledgements."""
        raise NotImplementedError

    def _raised(self, called: list[int], behind: list[int], error: BaseException) -> None:
        """Report the events of a call that raised, and those that waited behind it."""
        raise NotImplementedError

    def _put(self, messages: Sequence[Message], *, batch: bool) -> None:
        """Queue events for single calls, or for one call with all of them."""
        if batch:
            self._queue.append(list(messages))
        else:
            self._queue.extend(messages)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        """Call the handler until nothing waits."""
        loop = asyncio.get_running_loop()
        until = loop.time() + TURN
        while self._queue:
            handed = self._queue.popleft()
            try:
                answer = self._handler(handed)
                if isinstance(answer, Awaitable):
                    await answer
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # Not this task was cancelled, but what the handler waited for.
                self._fail(handed, error)
                break
            except Exception as error:  # noqa: BLE001 -- the consumer's trouble, told as such
                self._fail(handed, error)
                break
            if not self._taken:
                # All that is done in this turn of the loop is answered at once.
                loop.call_soon(self.flush)
            self._taken += _seqs(handed)
            if loop.time() >= until:
                await asyncio.sleep(0)
                until = loop.time() + TURN
        self._task = None

    def _fail(self, handed: Handed, error: BaseException) -> None:
        self.flush()
        behind = [seq for waiting in self._queue for seq in _seqs(waiting)]
        self._queue.clear()
        self._raised(_seqs(handed), behind, error)
