"""Calls: choose a connection, retry, follow forwards."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from tidings.orb.aio.link import Link, LinkLost
from tidings.orb.aio.options import Point
from tidings.orb.calls import Destination, Forward, Readdress, result_of
from tidings.orb.exceptions import (
    COMM_FAILURE,
    INV_OBJREF,
    NO_PERMISSION,
    OBJECT_NOT_EXIST,
    OMG,
    TIMEOUT,
    TRANSIENT,
    Completion,
    SystemException,
)

if TYPE_CHECKING:
    from tidings.events.reference import Reference
    from tidings.orb.aio.links import Pool
    from tidings.orb.aio.options import Options
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.connection import Answer
    from tidings.orb.stubs import Operation

MAX_FORWARDS: Final = 10

# How often a call is sent again because the peer closes its connection before it looks at it.
_MOST_RESENT: Final = 3

# References whose objects moved are few; who forgets one pays one round trip.
_FORWARDS_KEPT: Final = 1000
_LONGEST_FORWARD: Final = 2048


class _CallState:
    """One call with all its attempts."""

    __slots__ = (
        "addressing",
        "forwards",
        "peer",
        "reference",
        "resent",
        "retried",
        "returned",
        "sent",
    )

    def __init__(self, reference: Reference, *, retried: bool) -> None:
        self.reference = reference
        self.forwards = 0
        self.retried = retried
        self.returned = False
        self.resent = 0
        self.sent = False
        self.addressing = 0
        self.peer = ""


class Calling:
    """Makes calls."""

    def __init__(self, pool: Pool, options: Options) -> None:
        self._pool = pool
        self._options = options
        self._forwards: OrderedDict[Reference, Reference] = OrderedDict()

    async def call(
        self,
        reference: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        timeout: float | None,  # noqa: ASYNC109 - of all attempts together
        *,
        retried: bool = False,
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Call an operation and return its result; see `Orb.call`."""
        state = _CallState(self._forwards.get(reference, reference), retried=retried)
        seconds = self._options.call_seconds if timeout is None else timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._attempts(reference, state, operation, arguments)
        except TimeoutError as error:
            completed = Completion.MAYBE if state.sent else Completion.NO
            why = f"no answer to {operation.name!r} within {seconds:g} s"
            raise TIMEOUT(0, completed, why) from error

    def existing(self, reference: Reference) -> tuple[Destination, Link] | None:
        """The object's address and an open connection to it; None if one has to be opened."""
        place = self._forwards.get(reference, reference)
        try:
            destination = self._options.destinations(place)[0]
        except SystemException:
            return None
        point = Point(*destination.addresses[0], destination.tls)
        link = self._pool.existing(point, destination.codesets)
        return None if link is None else (destination, link)

    async def _attempts(
        self,
        reference: Reference,
        state: _CallState,
        operation: Operation,
        arguments: tuple[Any, ...],
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        while True:
            try:
                answer = await self._attempt(state, operation, arguments)
                self._remember(reference, state.reference)
                if answer is None:
                    return None
                outcome = result_of(answer, operation, self._options.limits)
            except (TRANSIENT, COMM_FAILURE, OBJECT_NOT_EXIST) as error:
                if not self._again(reference, state, error):
                    raise
                continue
            if isinstance(outcome, Forward):
                await self._pool.admit(outcome.reference, state.peer)
                self._follow(state, outcome.reference)
            elif isinstance(outcome, Readdress):
                self._readdress(state, outcome.addressing)
            else:
                return outcome

    def _again(self, reference: Reference, state: _CallState, error: SystemException) -> bool:
        """Whether to repeat a failed call; where, is in the state."""
        if error.completed is not Completion.NO:
            return False
        if state.reference != reference and not state.returned:
            # The object moved on, perhaps back: who sent us here knows.
            self._forwards.pop(reference, None)
            state.reference = reference
            state.returned = True
            return True
        if state.retried or isinstance(error, OBJECT_NOT_EXIST):
            return False
        state.retried = True
        # If nobody answered at any of its addresses, asking at once again is no use.
        return state.sent

    def _follow(self, state: _CallState, forwarded: Reference) -> None:
        state.forwards += 1
        if state.forwards > MAX_FORWARDS:
            why = f"the call was forwarded more than {MAX_FORWARDS} times"
            raise TRANSIENT(OMG | 1, Completion.MAYBE, why)
        state.reference = forwarded

    def _remember(self, reference: Reference, answered: Reference) -> None:
        """Remember where an object answered, so that the next call goes there at once."""
        if answered is reference or self._forwards.get(reference) is answered:
            return
        if max(reference.size, answered.size) > _LONGEST_FORWARD:
            return  # peers make them, and may make them long
        self._forwards[reference] = answered
        if len(self._forwards) > _FORWARDS_KEPT:
            self._forwards.popitem(last=False)

    def _readdress(self, state: _CallState, addressing: int) -> None:
        if state.addressing or not 0 < addressing <= 2:
            why = f"the server asks for its objects to be named in way {addressing}"
            raise INV_OBJREF(why=why)
        state.addressing = addressing

    async def _attempt(
        self, state: _CallState, operation: Operation, arguments: tuple[Any, ...]
    ) -> Answer | None:
        def write(writer: Writer) -> None:
            operation.write_arguments(writer, arguments)
            state.sent = True

        while True:
            destination, link = await self.connect(state.reference)
            state.peer = link.peer.host
            try:
                target = destination.target(state.addressing)
                return await link.call(destination, target, operation, write)
            except LinkLost as lost:
                if lost.refused:
                    raise NO_PERMISSION(0, Completion.NO, f"{link.peer}: {lost.why}") from lost
                if not lost.unseen and not _harmless(operation):
                    completed = Completion.MAYBE if state.sent else Completion.NO
                    raise COMM_FAILURE(0, completed, lost.why) from lost
                state.resent += 1
                if state.resent > _MOST_RESENT:
                    raise COMM_FAILURE(0, Completion.NO, lost.why) from lost
                state.sent = False

    async def connect(self, reference: Reference) -> tuple[Destination, Link]:
        """Connect to the first address of an object that answers."""
        failures: list[SystemException] = []
        for destination in self._options.destinations(reference):
            for address in destination.addresses:
                try:
                    point = Point(*address, destination.tls)
                    link = await self._pool.link(point, destination.codesets)
                except SystemException as error:
                    failures.append(error)
                else:
                    return destination, link
        if len(failures) == 1:
            raise failures[0]
        raise TRANSIENT(OMG | 2, why="; ".join(error.why for error in failures))


def _harmless(operation: Operation) -> bool:
    """Whether a call may be made twice: it reads and changes nothing."""
    return operation.name.startswith("_") and not operation.name.startswith("_set_")
