"""Calls without a task: sent at once, and told of in the moment the answer comes.

They cost a fraction of what a coroutine does. What they cannot do is wait, for a connection or for
a second attempt: whoever began one is told to make it with `Calling.call`, which can.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidings.orb.answers import Forward, Readdress, result_of
from tidings.orb.exceptions import (
    COMM_FAILURE,
    OBJECT_NOT_EXIST,
    TIMEOUT,
    TRANSIENT,
    Completion,
)

if TYPE_CHECKING:
    from tidings.orb.aio.link import Link
    from tidings.orb.connection import Answer
    from tidings.orb.limits import Limits
    from tidings.orb.stubs import Operation

__all__ = ["BegunCall", "CallAgain", "Done"]

Done = Callable[[Any, Exception | None], None]
"""Told the result of a call, or what went wrong."""


class CallAgain(Exception):
    """Nothing was done about the call: it is to be made in the ordinary way."""


class BegunCall:
    """One call under way.

    Args:
        link: The connection it was sent over.
        operation: What was called.
        limits: What the answer may hold.
        done: Told how it ends; not called after `cancel`.
    """

    __slots__ = ("_done", "_limits", "_link", "_loop", "_operation", "_request_id", "_timer")

    def __init__(self, link: Link, operation: Operation, limits: Limits, done: Done) -> None:
        self._link = link
        self._operation = operation
        self._limits = limits
        self._done: Done | None = done
        self._loop = asyncio.get_running_loop()
        self._request_id = 0
        self._timer: asyncio.TimerHandle | None = None

    def sent(self, request_id: int, seconds: float) -> None:
        """It was sent, and may take so long."""
        self._request_id = request_id
        self._timer = self._loop.call_later(seconds, self._late, seconds)

    # ------------------------------------------------------------ what the connection tells

    def done(self) -> bool:
        """Whether it has ended."""
        return self._done is None

    def set_result(self, answer: Answer) -> None:
        """The answer came."""
        try:
            value = result_of(answer, self._operation, self._limits)
        except (TRANSIENT, COMM_FAILURE, OBJECT_NOT_EXIST) as error:
            # Of these some are worth another attempt.
            self._end(None, CallAgain() if error.completed is Completion.NO else error)
        except Exception as error:  # noqa: BLE001 - whatever it is, who called is told
            self._end(None, error)
        else:
            again = isinstance(value, Forward | Readdress)
            self._end(None if again else value, CallAgain() if again else None)

    def set_exception(self, lost: Exception) -> None:
        """The connection ended; who called is told a moment later, when that is done."""
        unseen = getattr(lost, "unseen", False)
        error: Exception = CallAgain()
        if not unseen:
            error = COMM_FAILURE(0, Completion.MAYBE, getattr(lost, "why", str(lost)))
        self._loop.call_soon(self._end, None, error)

    # ------------------------------------------------------------ how it ends

    def _late(self, seconds: float) -> None:
        self._link.give_up_on(self._request_id, self._loop.time() - seconds)
        why = f"no answer to {self._operation.name!r} within {seconds:g} s"
        self._end(None, TIMEOUT(0, Completion.MAYBE, why))

    def cancel(self) -> None:
        """Nobody waits for the answer any more."""
        if self._done is not None:
            self._link.give_up_on(self._request_id, self._loop.time())
            self._stop()

    def _stop(self) -> Done | None:
        done, self._done = self._done, None
        if self._timer is not None:
            self._timer.cancel()
        return done

    def _end(self, value: object, error: Exception | None) -> None:
        done = self._stop()
        if done is not None:
            done(value, error)
