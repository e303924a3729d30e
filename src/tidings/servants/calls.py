"""Calls to clients: their tasks and timeouts."""

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
    """Limits and timeouts of calls to clients.

    Attributes:
        window: Events queued ahead for one push consumer; calls are still made one at a time.
        call_seconds: For calls that transfer events.
        notice_seconds: For reporting changed event types or a disconnection.
        check_seconds: For asking a connecting client for its type.
        probe_seconds: Silence after which a client is probed.
    """

    window: int = 16
    call_seconds: float = 30.0
    notice_seconds: float = 10.0
    check_seconds: float = 5.0
    probe_seconds: float = 300.0
    probes_at_once: int = 16


class Calls:
    """Calls to clients, and the tasks that make them."""

    def __init__(self, orb: Orb, options: ClientOptions) -> None:
        self.orb = orb
        self.options = options
        self.events = SharedEvents(orb.options.limits.message_size)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run work in a background task."""
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
        """Push or pull events; see `Orb.call`."""
        seconds = self.options.call_seconds
        return await self.orb.call(client, operation, arguments, seconds, retried=retried)

    def repeated(
        self, client: Reference, operation: Operation, form: Form, done: Done
    ) -> RepeatedCall:
        """Prepare pushes of event lists that need no task; see `Orb.repeated`."""
        octets = self.events.octets(operation, form)
        seconds = self.options.call_seconds
        return self.orb.repeated(client, operation, done, seconds=seconds, octets=octets)

    async def tell(
        self, client: Reference, operation: Operation, arguments: tuple[Any, ...] = ()
    ) -> None:
        """Make a call that carries no events."""
        await self.orb.call(client, operation, arguments, self.options.notice_seconds)

    async def close(self) -> None:
        """Cancel all running calls."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
