"""Many calls of one operation of one object, without a task for each.

They cost a fraction of a coroutine: the connection is looked up once, and only the part of the
octets that differs is encoded. They cannot wait, for a connection or for a second attempt: then
the caller has to use `Orb.call`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

from tidings.orb.calls import Forward, Readdress, result_of
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import (
    COMM_FAILURE,
    OBJECT_NOT_EXIST,
    TIMEOUT,
    TRANSIENT,
    Completion,
)

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.aio.calling import Calling
    from tidings.orb.aio.link import Link
    from tidings.orb.connection import Answer
    from tidings.orb.giop import RequestTemplate, Wire
    from tidings.orb.limits import MessageLimits
    from tidings.orb.stubs import Operation

Done = Callable[[Any, Exception | None], None]
"""Told the result of a call, or what went wrong."""

WriteOctets = Callable[[Any, "Wire", int], bytes]
"""Makes the octets of arguments: as they are written, and where in the message they begin."""


class CallAgain(Exception):
    """The call was not made: use `Orb.call`; `retried` if that is its second attempt."""

    def __init__(self, *, retried: bool = False) -> None:
        super().__init__()
        self.retried = retried


def octets_of(operation: Operation) -> WriteOctets:
    """Encode the arguments of an operation, given as a tuple."""

    def octets(arguments: tuple[Any, ...], wire: Wire, at: int) -> bytes:
        minor, little, codesets = wire
        writer = Writer(little=little, minor=minor, codesets=codesets, origin=-at)
        operation.write_arguments(writer, arguments)
        return writer.getvalue()

    return octets


def _no_link() -> None:
    """Stands for a connection that is not known."""


class RepeatedCall:
    """One operation of one object, called one time after the other.

    `done` is called when a call ends, with `CallAgain` if `Orb.call` has to be used; never after
    `cancel`.
    """

    __slots__ = (
        "_began",
        "_calling",
        "_done",
        "_limits",
        "_link",
        "_loop",
        "_octets",
        "_operation",
        "_reference",
        "_request_id",
        "_seconds",
        "_template",
        "_timer",
    )

    def __init__(
        self,
        calling: Calling,
        reference: Reference,
        operation: Operation,
        octets: WriteOctets,
        seconds: float,
        limits: MessageLimits,
        done: Done,
    ) -> None:
        self._calling = calling
        self._reference = reference
        self._operation = operation
        self._octets = octets
        self._seconds = seconds
        self._limits = limits
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._link: Callable[[], Link | None] = _no_link  # one that has ended may go
        self._template: RequestTemplate | None = None
        self._request_id: int | None = None
        self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def under_way(self) -> bool:
        """Whether a call is in progress."""
        return self._request_id is not None

    def begin(self, arguments: object) -> bool:
        """Make a call if that is possible at once; if False, use `Orb.call`."""
        assert self._request_id is None, "the call before has not ended"
        link, template = self._link(), self._template
        if link is None or template is None or not link.takes(template):
            link, template = self._find_link()
            if link is None or template is None:
                return False
        octets = self._octets(arguments, template.wire, template.body_at)
        self._request_id = link.begin(template, octets, self)
        self._began = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._check_time)
        return True

    def _find_link(self) -> tuple[Link, RequestTemplate] | tuple[None, None]:
        """Find a connection that takes a call at once."""
        self._link, self._template = _no_link, None
        existing = self._calling.existing(self._reference)
        if existing is None:
            return None, None
        destination, link = existing
        operation = self._operation
        template = link.connection.template(destination, operation.name, operation.contexts)
        if template is None or not link.takes(template):
            return None, None
        self._link, self._template = ref(link), template
        return link, template

    # ------------------------------------------------------------ what the connection tells

    def done(self) -> bool:
        """Whether nobody waits for an answer."""
        return self._request_id is None

    def set_result(self, answer: Answer) -> None:
        """The answer came."""
        try:
            value = result_of(answer, self._operation, self._limits)
        except (TRANSIENT, COMM_FAILURE, OBJECT_NOT_EXIST) as error:
            # Of these some are worth another attempt.
            passing = not isinstance(error, OBJECT_NOT_EXIST)
            again = CallAgain(retried=passing)
            self._fail(again if error.completed is Completion.NO else error)
        except Exception as error:  # noqa: BLE001 - whatever it is, who called is told
            self._fail(error)
        else:
            if isinstance(value, Forward | Readdress):
                self._fail(CallAgain())
            else:
                self._request_id = None
                self._done(value, None)

    def set_exception(self, lost: Exception) -> None:
        """The connection ended; the caller learns it a moment later, when that is done."""
        unseen = getattr(lost, "unseen", False)
        error: Exception = CallAgain()
        if not unseen:
            error = COMM_FAILURE(0, Completion.MAYBE, getattr(lost, "why", str(lost)))
        self._link, self._template = _no_link, None
        self._loop.call_soon(self._lost, error)

    def _lost(self, error: Exception) -> None:
        if self._request_id is not None and self._link is _no_link:  # still this call
            self._fail(error)

    # ------------------------------------------------------------ how it ends

    def _check_time(self) -> None:
        """Cancel a call that takes too long.

        The timer is not set for each call: it checks now and then, and again when it is time.
        """
        self._timer = None
        if self._request_id is None:
            return
        left = self._began + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check_time)
            return
        self._give_up(self._began)
        why = f"no answer to {self._operation.name!r} within {self._seconds:g} s"
        self._fail(TIMEOUT(0, Completion.MAYBE, why))

    def cancel(self) -> None:
        """Stop waiting for the answer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._request_id is not None:
            self._give_up(self._loop.time())
            self._request_id = None

    def _give_up(self, sent: float) -> None:
        link = self._link()
        if link is not None and self._request_id is not None:
            link.give_up_on(self._request_id, sent)

    def _fail(self, error: Exception) -> None:
        """Report a failure; the next call looks for a connection anew."""
        self._request_id = None
        self._link, self._template = _no_link, None
        self._done(None, error)
