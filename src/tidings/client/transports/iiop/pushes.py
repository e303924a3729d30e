"""Pushing events to a CORBA service in order, in messages within its size limit.

A push without an answer is not retried, because the service may have accepted it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidings.channel.vocabulary import Form, Item
from tidings.client.transports.iiop.errors import told
from tidings.client.transports.iiop.objects import FarProxy, Objects
from tidings.client.transports.iiop.patience import not_done
from tidings.client.transports.iiop.values import UNKNOWN, Events, check_octets
from tidings.cos.events import MOST_OCTETS, WRITE
from tidings.cos.kinds import SUFFIXES
from tidings.errors import (
    Forbidden,
    InvalidEvent,
    NotFound,
    ProxyNotFound,
    TidingsError,
    Unreachable,
    WrongState,
)
from tidings.events.structured import StructuredEvent
from tidings.orb.exceptions import SystemException

if TYPE_CHECKING:
    from tidings.orb.cdr_writer import Writer
    from tidings.orb.stubs import Operation

# Maximum number of concurrent single pushes.
_PUSHES: Final = 64
# Bytes of a message's header, which do not count.
_HEADER: Final = 12
# Errors that affect every event: nothing can be pushed through this proxy.
_ALL: Final = (NotFound, WrongState, Forbidden, Unreachable)

_Answers = list[int | TidingsError]
_Events = dict[int, StructuredEvent]


class Target(NamedTuple):
    """A proxy to push to: `find` locates it, `restored` tells whether a missing one is back."""

    find: Callable[[], Awaitable[FarProxy]]
    restored: Callable[[], Awaitable[bool]]


class _Stopped(Exception):
    """Only the first `fits` events fit one message; `fault` is the next one's error, sent alone."""

    def __init__(self, fits: int, fault: TidingsError) -> None:
        super().__init__()
        self.fits = fits
        self.fault = fault


class Pushes:
    """Pushes events."""

    def __init__(self, objects: Objects, events: Events) -> None:
        self._objects = objects
        self._events = events

    async def push(self, target: Target, items: Sequence[Item]) -> _Answers:
        """Push events in order; each gets its own answer unless one error concerns them all."""
        answers: _Answers = [UNKNOWN] * len(items)
        events: _Events = {}
        form = (await target.find()).kind.form
        for at, item in enumerate(items):
            try:
                events[at] = self._events.outgoing(item, form)
            except InvalidEvent as error:
                answers[at] = error
        if form is Form.SEQUENCE:
            await self._batches(target, events, answers)
        else:
            places = list(events)
            for start in range(0, len(places), _PUSHES):
                some = {at: events[at] for at in places[start : start + _PUSHES]}
                await self._singles(target, some, answers)
        first = answers[0] if answers else None
        if isinstance(first, _ALL) and all(type(one) is type(first) for one in answers):
            raise first
        return answers

    async def _singles(self, target: Target, events: _Events, answers: _Answers) -> None:
        """Push events concurrently; retry in order those that certainly did not arrive.

        Individual retries would overtake each other while the service is unreachable.
        """
        tries = self._objects.patience.tries()
        while events:
            proxy = await target.find()
            operation = self._operation(proxy)
            pushes = (self._one(proxy, operation, event) for event in events.values())
            found = dict(zip(events, await asyncio.gather(*pushes), strict=True))
            for at, answer in found.items():
                answers[at] = answer
                if not_done(answer):
                    assert isinstance(answer, TidingsError)
                    self._objects.patience.check_end(answer)
            lost = [at for at, answer in found.items() if isinstance(answer, ProxyNotFound)]
            again = {at for at, answer in found.items() if not_done(answer)}
            if lost and await target.restored():
                again.update(lost)
            elif not again or not await tries.again():
                return
            events = {at: event for at, event in events.items() if at in again}

    async def _one(
        self, proxy: FarProxy, operation: Operation, event: StructuredEvent
    ) -> int | TidingsError:
        try:
            await self._objects.once(proxy.far, operation, ([event],))
        except _Stopped as stopped:
            return stopped.fault
        except TidingsError as error:
            return error
        return UNKNOWN

    async def _batches(self, target: Target, events: _Events, answers: _Answers) -> None:
        """Push events as sequences; stop after an error that affects all."""
        places = list(events)
        some = len(places)
        while places:
            sent = places[:some]
            proxy = await target.find()
            try:
                batch = [events[at] for at in sent]
                await self._objects.call(proxy.far, self._operation(proxy), batch)
            except _Stopped as stopped:
                if stopped.fits:
                    some = stopped.fits
                    continue
                sent = sent[:1]
                answers[sent[0]] = stopped.fault
            except TidingsError as error:
                if isinstance(error, ProxyNotFound) and await target.restored():
                    continue
                if isinstance(error, _ALL):
                    sent = places
                for at in sent:
                    answers[at] = error
            places = places[len(sent) :]
            some = len(places)

    def _operation(self, proxy: FarProxy) -> Operation:
        """Return the proxy's push operation, taking a list of events as its one argument."""
        form, far = proxy.kind.form, proxy.far
        operation = far.interface.operations[f"push{SUFFIXES[form]}"]
        most = self._objects.orb.options.limits.message_size

        def write_arguments(writer: Writer, arguments: tuple[Any, ...]) -> None:
            events: list[StructuredEvent] = arguments[0]
            if form is Form.SEQUENCE:
                writer.length(len(events))
            for fits, event in enumerate(events):
                try:
                    WRITE[form](writer, event)
                    check_octets(event, writer.at - _HEADER, MOST_OCTETS if fits else most)
                except InvalidEvent as error:
                    raise _Stopped(fits, error) from error
                except SystemException as error:
                    fault = told(error, far.words, operation.name, far.missing, repeatable=False)
                    raise _Stopped(fits, fault) from error

        return operation.replace(write_arguments=write_arguments)
