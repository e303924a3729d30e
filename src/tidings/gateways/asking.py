"""How programs of any event service ask the federation, through their own service (FES 5.3.5).

They publish control events by the adapter of their service, so that there is one such client for
every kind; the gateways obey, and tell what becomes of each request.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

import msgspec

from tidings.errors import BadInput, InvalidUsage
from tidings.events.structured import StructuredEvent
from tidings.federation.control import (
    CONTROL_SUBJECT,
    Control,
    ControlKind,
    control_event,
    control_of,
    signed,
)
from tidings.federation.distribution import checked_name, distribution
from tidings.federation.gateway import CONTROL_FILTER, RequestAnswer
from tidings.federation.marks import Mark
from tidings.federation.wishes import filter_of
from tidings.gateways.adapters.base import AdapterError, Arrival, Outgoing, Side, new_adapter
from tidings.names import new_origin

_PATIENCE: Final = 10.0


class FederationClient:
    """Asks the federation through one event service.

    ::

        async with FederationClient("mqtt", "plant", {"host": "10.0.0.7"}) as federation:
            answer = await federation.subscribe("subject = Speed and rate > 30", "road-*")

    Args:
        kind: The kind of adapter.
        service: The event service's id in the federation.
        parameters: What the adapter needs to know.
        system: The federation.
        key: The name of a key, and its secret, to sign with; gateways may ask for that.
    """

    def __init__(
        self,
        kind: str,
        service: str,
        parameters: Mapping[str, object],
        *,
        system: str = "tidings",
        key: tuple[str, bytes] | None = None,
    ) -> None:
        self.service = checked_name("service", service)
        self._system = checked_name("system", system)
        self._key = key
        self._life = new_origin()[:12]
        side = Side(system, f"client-{self._life}", "client", service)
        self._adapter = new_adapter(kind, side, parameters)
        if not self._adapter.capabilities.control:
            raise InvalidUsage(f"control events cannot pass through a service of the kind {kind}")
        self._numbers = 0
        self._answers: dict[str, RequestAnswer] = {}
        self._come: dict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def __aenter__(self) -> Self:
        await self._adapter.connect(self._heard)
        try:
            await self._adapter.offer((CONTROL_SUBJECT,))
            await self._adapter.want((CONTROL_FILTER,))
        except BaseException:
            await self._adapter.disconnect()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        with suppress(AdapterError):  # the service may be away
            await self._adapter.want(())
        await self._adapter.disconnect()

    async def _heard(self, arrivals: Sequence[Arrival]) -> None:
        for arrival in arrivals:
            try:
                control = control_of(arrival.event)
                if control.kind is ControlKind.STATUS and control.system == self._system:
                    answer = msgspec.json.decode(control.body, type=RequestAnswer)
                    if answer.id in self._come:
                        self._answers[answer.id] = answer
                        self._come[answer.id].set()
            except (BadInput, msgspec.MsgspecError):
                pass  # the gateways count it
        self._adapter.taken(arrivals)

    # Requests.

    async def subscribe(
        self, filter: str, targets: str = "*", *, wait: float = _PATIENCE
    ) -> RequestAnswer:
        """Subscribe the service to events of others; return where the request applies.

        Args:
            filter: `Speed`, `subject = Speed and rate > 30`, or a constraint.
            targets: The services where they are published.
            wait: Seconds to wait until the request applies everywhere; what then is missing is in
                the answer.

        Raises:
            InvalidUsage: The distribution list is wrong.
            InvalidConstraint: The filter is wrong.
            AdapterError: The service cannot be reached, or no gateway has answered.
        """
        filter_of(filter)
        return await self._ask(ControlKind.SUBSCRIPTION, targets, wait, filter=filter)

    async def unsubscribe(
        self, filter: str, targets: str = "*", *, wait: float = _PATIENCE
    ) -> RequestAnswer:
        """Take a subscription back; see `subscribe`."""
        filter_of(filter)
        return await self._ask(ControlKind.UNSUBSCRIPTION, targets, wait, filter=filter)

    async def announce(
        self, event: StructuredEvent, targets: str = "*", *, wait: float = _PATIENCE
    ) -> RequestAnswer:
        """Announce that events like this one are published at the service; see `subscribe`."""
        return await self._ask(ControlKind.ANNOUNCEMENT, targets, wait, event=event)

    async def unannounce(
        self, event: StructuredEvent, targets: str = "*", *, wait: float = _PATIENCE
    ) -> RequestAnswer:
        """Take an announcement back; see `subscribe`."""
        return await self._ask(ControlKind.UNANNOUNCEMENT, targets, wait, event=event)

    async def publish(self, event: StructuredEvent, targets: str = "") -> None:
        """Publish an event into other services; without targets, where it is subscribed to.

        Raises:
            AdapterError: The service cannot be reached, or cannot carry the event.
        """
        await self._send(self._next_id(), ControlKind.PUBLICATION, targets, event=event)

    async def _ask(
        self,
        kind: ControlKind,
        targets: str,
        wait: float,
        *,
        filter: str = "",
        event: StructuredEvent | None = None,
    ) -> RequestAnswer:
        id = self._next_id()
        self._come[id].clear()
        try:
            await self._send(id, kind, targets, filter=filter, event=event)
            async with asyncio.timeout(wait):
                while True:
                    await self._come[id].wait()
                    self._come[id].clear()
                    answer = self._answers[id]
                    if not answer.missing:
                        return answer
        except TimeoutError:
            if id in self._answers:
                return self._answers[id]
            raise AdapterError(
                f"no gateway of federation {self._system} has answered at {self.service} "
                f"within {wait:g} s"
            ) from None
        finally:
            self._come.pop(id, None)
            self._answers.pop(id, None)

    def _next_id(self) -> str:
        self._numbers += 1
        return f"{self._life}-{self._numbers}"

    async def _send(
        self,
        id: str,
        kind: ControlKind,
        targets: str,
        *,
        filter: str = "",
        event: StructuredEvent | None = None,
    ) -> None:
        distribution(targets)
        control = Control(
            kind=kind, targets=targets, source=self.service, system=self._system, id=id,
            filter=filter, event=event,
        )  # fmt: skip
        if self._key is not None:
            control = signed(control, *self._key)
        mark = Mark(self._system, self.service, self._life, self._numbers, (self.service,))
        [refused] = await self._adapter.publish((Outgoing(control_event(control), mark),))
        if refused is not None:
            raise AdapterError(f"{self.service} cannot carry the request: {refused.cause}")
