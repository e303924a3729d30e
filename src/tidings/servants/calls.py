"""Calls to clients: the tasks they run in, and how long they may take."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidings.servants.shared_events import SharedEvents

if TYPE_CHECKING:
    from tidings.channel.vocabulary import Form
    from tidings.events.reference import Reference
    from tidings.orb.aio.orb import Orb
    from tidings.orb.aio.repeated import Done, RepeatedCall
    from tidings.orb.stubs import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """How clients are called.

    Attributes:
        window: Events handed over to the calls of one push consumer ahead of time; they are
            still made one after the other.
        call_seconds: For a consumer to take events, or a supplier to say whether it has some.
        notice_seconds: For a client to hear of changed event types, or of its disconnection.
        check_seconds: For a client to say what it is when it connects.
        probe_seconds: After so long a silence a client is asked whether it still exists.
        probes_at_once: How many are asked at one time.
    """

    window: int = 16
    call_seconds: float = 30.0
    notice_seconds: float = 10.0
    check_seconds: float = 5.0
    probe_seconds: float = 300.0
    probes_at_once: int = 16


class Calls:
    """Calls clients, and knows the tasks that do.

    Args:
        orb: Carries the calls out.
        options: How long they may take.

    Attributes:
        events: Writes events for consumers.
    """

    def __init__(self, orb: Orb, options: ClientOptions) -> None:
        self.orb = orb
        self.options = options
        self.events = SharedEvents(orb.options.limits.message_size)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Has something done beside what calls here."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def transfer(
        self,
        client: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        *,
        retried: bool = False,
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Hands events over, or asks for them; see `Orb.call`."""
        seconds = self.options.call_seconds
        return await self.orb.call(client, operation, arguments, seconds, retried=retried)

    def repeated(
        self, client: Reference, operation: Operation, form: Form, done: Done
    ) -> RepeatedCall:
        """Hands lists of events over without a task; see `Orb.repeated`."""
        octets = self.events.octets(operation, form)
        seconds = self.options.call_seconds
        return self.orb.repeated(client, operation, done, seconds=seconds, octets=octets)

    async def tell(
        self, client: Reference, operation: Operation, arguments: tuple[Any, ...] = ()
    ) -> None:
        """Tells a client something that is no event."""
        await self.orb.call(client, operation, arguments, self.options.notice_seconds)

    async def close(self) -> None:
        """Ends all calls that are under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
