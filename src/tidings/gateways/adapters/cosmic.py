"""COSMIC: event channels on a CAN bus, whose frames carry eight octets.

What a frame means is said by settings or a DBC file. Eight octets have no room for a mark, so that
the gateway knows what it has published by its content; events that go in fragments, control events
among them, pass whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final
from zlib import crc32

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint
from tidings.filters.index.conjuncts import conjuncts_of
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
    unreadable,
)
from tidings.services.cosmic.bulk import MOST_BULK
from tidings.services.cosmic.frames import HIGHEST_NODE
from tidings.services.cosmic.line import load_can
from tidings.services.cosmic.node import Malformed, Node
from tidings.services.cosmic.scheduler import Miss
from tidings.services.cosmic.settings import CosmicSettings, network_of

_SUBJECT: Final = ("$event_name", "$.header.fixed_header.event_name")


class CosmicAdapter(Adapter[CosmicSettings]):
    """The adapter of a CAN bus."""

    Parameters = CosmicSettings
    capabilities = Capabilities(
        kind="cosmic",
        promise="at most once, within the deadline of the channel; hard channels in reserved slots",
        filtering=Filtering.SUBJECT,
        holds=False,
        confirms=False,
        marks=False,
        echoes=False,
        control=True,
        nested=False,
        most_octets=MOST_BULK,
        priority=Survival.LOST,
        order=Survival.PARTLY,
        lifetime=Survival.LOST,
        reliability=Survival.LOST,
        proximity=Survival.LOST,
    )

    def __init__(self, side: Side, parameters: CosmicSettings) -> None:
        if not parameters.node:
            name = f"{side.gateway}/{side.adapter}".encode()
            parameters = msgspec.structs.replace(parameters, node=1 + crc32(name) % HIGHEST_NODE)
        super().__init__(side, parameters)
        try:
            load_can(parameters.interface)
            self._network = network_of(parameters)
        except InvalidUsage as error:
            raise InvalidUsage(f"{side.adapter}: {error}") from error
        self._node: Node | None = None
        self._reader: asyncio.Task[None] | None = None

    async def connect(self, heard: Heard) -> None:
        """Open the bus."""
        node = Node(self.parameters, self._network)
        try:
            await node.open()
        except Unreachable as error:
            raise AdapterError(str(error)) from error
        self._node = node
        self._reader = asyncio.create_task(self._read(node, heard))

    async def disconnect(self) -> None:
        """Leave the bus."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
        node, self._node = self._node, None
        if node is not None:
            await node.close()

    async def lost(self) -> str:
        """Wait until the bus is gone."""
        return await asyncio.shield(self._connected().lost)

    def _connected(self) -> Node:
        if self._node is None:
            raise AdapterError(f"{self.parameters.channel} is not connected")
        return self._node

    async def _read(self, node: Node, heard: Heard) -> None:
        with suppress(Unreachable):
            while True:
                await heard([_arrival(one) for one in await node.heard()])

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Take the frames of the filters' subjects; the gateway judges the rest."""
        wanted = [subjects_of(one.tree) for one in filters]
        everything = any(one is None for one in wanted)
        try:
            self._connected().want(
                None if everything else frozenset().union(*(one or () for one in wanted))
            )
        except Unreachable as error:
            raise AdapterError(str(error)) from error
        return [self._placed(*pair) for pair in zip(filters, wanted, strict=True)]

    def _placed(self, one: Constraint, subjects: frozenset[str] | None) -> Placed:
        channels = self._network.with_subjects(subjects)
        text = ", ".join(f"{name} ({found.words})" for name, found in channels.items())
        if subjects is not None and _only_subject(one):
            return Placed(text or "no event channel", exact=True)
        return Placed(text, exact=False, surplus="the bus filters by identifiers alone")

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Give events to the scheduler, all at once: the most urgent goes first."""
        begun = [self._begun(self._connected(), one.event) for one in events]
        sent = [one for one in begun if not isinstance(one, Refused)]
        given = await asyncio.gather(*sent, return_exceptions=True)
        answers = iter([_answer(one, alone=None not in given) for one in given])
        return [one if isinstance(one, Refused) else next(answers) for one in begun]

    def _begun(self, node: Node, event: StructuredEvent) -> asyncio.Future[Miss | None] | Refused:
        try:
            return node.begin(event)
        except InvalidEvent as error:
            return Refused(str(error))
        except Unreachable as error:
            raise AdapterError(str(error)) from error


def _answer(found: Miss | BaseException | None, *, alone: bool) -> Refused | None:
    """Say what has become of an event that fits its channel; `alone` if none with it was sent."""
    if found is None:
        return None
    if isinstance(found, Unreachable):
        if alone:
            raise AdapterError(str(found)) from found
        # Tried again with those that were sent, it would let them come twice.
        return Refused(f"the bus went before the event was sent: {found}")
    if isinstance(found, BaseException):
        raise found
    deadline = found.channel.deadline / 1_000
    return Refused(
        f"the bus was not free for {found.channel.subject!r} within its deadline of {deadline:g} ms"
    )


def _arrival(heard: StructuredEvent | Malformed) -> Arrival:
    if isinstance(heard, Malformed):
        return unreadable(heard.octets, heard.subject, heard.cause)
    return Arrival(heard)


def subjects_of(tree: t.Node) -> frozenset[str] | None:
    """The subjects that a constraint can match; None if it does not say."""
    parts = conjuncts_of(tree)
    if parts is None:
        return frozenset()
    named = [found for part in parts if (found := _named(part)) is not None]
    return frozenset.intersection(*named) if named else None


def _named(node: t.Node) -> frozenset[str] | None:
    if isinstance(node, t.Or):
        parts = [_named(one) for one in node.operands]
        return frozenset().union(*(one or () for one in parts)) if None not in parts else None
    if (
        isinstance(node, t.Equal)
        and isinstance(node.left, t.Component)
        and node.left.path in _SUBJECT
        and isinstance(node.right, t.Text)
    ):
        return frozenset((node.right.value,))
    return None


def _only_subject(one: Constraint) -> bool:
    """Whether a constraint asks for nothing but its subjects."""
    parts = conjuncts_of(one.tree) or ()
    return not one.event_types and all(_named(part) is not None for part in parts)
