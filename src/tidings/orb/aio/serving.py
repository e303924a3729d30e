"""Requests in progress on one connection: started in order, answered in any order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import partial
from inspect import iscoroutine
from typing import Any, Final

from tidings.orb.aio.later import Later
from tidings.orb.aio.options import OnRequest
from tidings.orb.connection import Call
from tidings.orb.exceptions import OMG, TRANSIENT, UNKNOWN, Completion
from tidings.orb.giop import ServiceContext
from tidings.orb.poa import Invocation, ObjectAdapter

request_contexts: Final[ContextVar[tuple[ServiceContext, ...]]] = ContextVar(
    "request_contexts", default=()
)
"""The service contexts of the request in progress."""

_log: Final = logging.getLogger(__name__)


class Serving:
    """Runs servants' methods for one connection; `found` once an existing object was called."""

    def __init__(
        self,
        adapter: ObjectAdapter,
        reply: Callable[[int, bytes | None], None],
        on_request: OnRequest | None = None,
    ) -> None:
        self._adapter = adapter
        self._reply = reply
        self._on_request = on_request
        self._loop = asyncio.get_running_loop()
        self.running: dict[object, Invocation] = {}
        """The requests in progress, by their keys."""
        # Calls that stand in line to be started: none may overtake them.
        self._unstarted = 0
        self.found = False

    def start(self, call: Call) -> None:
        """Begin a request.

        A plain method runs at once, unless one before it has yet to start. A coroutine becomes
        a task; tasks start in the order in which they were made. A plain method that returns a
        `Later` needs none.
        """
        request_contexts.set(call.request.contexts)
        invocation = self._open(call)
        if self._on_request is not None:
            self._note_request(call, invocation)
        if not isinstance(invocation, Invocation):
            self._reply(call.request.request_id, invocation)
            return
        self.found = True
        if invocation.early_reply is not None:
            self._reply(call.request.request_id, invocation.early_reply)
        method = None
        if not self._unstarted:
            try:
                method = invocation.call()
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told
                self._reply_failure(invocation, error)
                return
            if isinstance(method, Later):
                self.running[invocation.key] = invocation
                invocation.end = method
                method.then(partial(self._finish, invocation))  # without a task
                return
            if not iscoroutine(method):
                self._reply_result(invocation, method)
                return
        self._unstarted += 1
        self.running[invocation.key] = invocation
        invocation.end = self._loop.create_task(self._run(invocation, method))

    def _note_request(self, call: Call, invocation: Invocation | bytes | None) -> None:
        """Report a request to `on_request`, and the end of one that was refused."""
        assert self._on_request is not None
        request = call.request
        if isinstance(invocation, Invocation):
            invocation.ended = self._on_request(
                invocation.interface, request.operation, request.key
            )
        elif (ended := self._on_request("", request.operation, request.key)) is not None:
            ended("refused")

    def _open(self, call: Call) -> Invocation | bytes | None:
        try:
            return self._adapter.open(call)
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            name, key = call.request.operation, call.request.key
            _log.exception("operation %r of object %r cannot be looked up", name, key)
            error = UNKNOWN(0, Completion.NO, str(fault))
            return self._adapter.refuse(call, error)

    async def _run(self, invocation: Invocation, method: Coroutine[Any, Any, Any] | None) -> None:
        self._unstarted -= 1
        invocation.started = True
        try:
            if invocation.dropped:
                if method is not None:
                    method.close()
                return
            begun = invocation.call() if method is None else method
            comes_later = iscoroutine(begun) or isinstance(begun, Later)
            value = await begun if comes_later else begun
        except asyncio.CancelledError as error:
            self._finish(invocation, None, error)
            if not invocation.dropped:
                raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told
            self._finish(invocation, None, error)
        else:
            self._finish(invocation, value, None)
        finally:
            self._forget(invocation)

    def _forget(self, invocation: Invocation) -> None:
        if self.running.get(invocation.key) is invocation:  # its id may be in use again
            del self.running[invocation.key]

    def _finish(self, invocation: Invocation, value: object, error: BaseException | None) -> None:
        """Reply with the result, or the error; cancelled is what the servant or the loop ended."""
        if invocation.dropped:
            return
        self._forget(invocation)
        if error is None:
            self._reply_result(invocation, value)
        elif isinstance(error, Exception):
            self._reply_failure(invocation, error)
        else:
            self._reply_failure(invocation, TRANSIENT(OMG | 3, Completion.MAYBE))

    def _reply_result(self, invocation: Invocation, value: object) -> None:
        octets = None
        if invocation.replies:
            try:
                octets = invocation.result(value)
            except Exception as error:  # noqa: BLE001 - a result that does not fit its type
                self._reply_failure(invocation, error)
                return
        if invocation.ended is not None:
            invocation.ended("done")
        self._reply(invocation.request_id, octets)

    def _reply_failure(self, invocation: Invocation, error: Exception) -> None:
        failure = invocation.failure(error)
        if invocation.ended is not None:
            invocation.ended(type(failure.error).__name__)
        if failure.unforeseen:
            _log.error("%s raised what it does not declare", invocation, exc_info=error)
        self._reply(invocation.request_id, failure.octets)

    def turn_away(self, call: Call, why: str) -> None:
        """Answer that nothing more is begun here."""
        error = TRANSIENT(OMG | 1, why=why)
        self._reply(call.request.request_id, self._adapter.refuse(call, error))

    def cancel(self, request_id: int) -> None:
        """The caller no longer waits for this answer."""
        invocation = self.running.pop(request_id, None)
        if invocation is not None:
            self._drop(invocation)

    def _drop(self, invocation: Invocation) -> None:
        """Forget the answer."""
        invocation.dropped = True
        if invocation.ended is not None:
            invocation.ended("cut")
        # A task that never ran would leave its coroutine behind; it looks at the mark itself.
        if invocation.started and isinstance(invocation.end, asyncio.Task):
            invocation.end.cancel()

    def give_up(self) -> None:
        """End what is in progress, and reply so to its callers."""
        for invocation in list(self.running.values()):
            if invocation.replies:
                error = TRANSIENT(OMG | 3, Completion.MAYBE, "the ORB was closed meanwhile")
                self._reply(invocation.request_id, invocation.failure(error).octets)
                self.cancel(invocation.request_id)
            else:
                self._drop(invocation)

    def abandon(self) -> None:
        """The connection is gone: drop answers; requests without one go on."""
        for invocation in list(self.running.values()):
            if invocation.replies:
                self.cancel(invocation.request_id)

    async def drained(self) -> None:
        """Wait until everything in progress has ended."""
        running = [invocation.end for invocation in self.running.values()]
        ends = [end.ended() if isinstance(end, Later) else end for end in running]
        if ends:
            await asyncio.wait(ends)
