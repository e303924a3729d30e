"""Applying a plan, step by step, over any transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    ModifyMapped,
    NewAdmin,
    ObtainProxy,
    OfferChange,
    RemoveFilter,
    SetAdminProperties,
    SetQoS,
    SubscriptionChange,
)
from tidings.channel.management import SetMapping as SetMappingCommand
from tidings.channel.qos import Reliability
from tidings.channel.vocabulary import Place, Side, Style
from tidings.client.configuration import steps as todo
from tidings.client.configuration.diff import plan
from tidings.client.configuration.matching import in_words_of
from tidings.client.configuration.model import DEFAULT_ADMIN, Configuration, Spot
from tidings.client.configuration.state import Found
from tidings.client.transport import Transport
from tidings.filters.constraint import Constraint, constraint
from tidings.names import new_origin


class Applying:
    """Changes a service to match a file; `left` has the unfinished steps by position.

    Raises `InvalidUsage` listing everything that cannot be changed without losing events.
    """

    def __init__(
        self, transport: Transport, wanted: Configuration, found: Found, *, prune: bool = False
    ) -> None:
        self.plan = plan(wanted, found, prune=prune)
        self.left: dict[int, todo.Step] = {}
        known = in_words_of(wanted, found)
        self._transport = transport
        self._wanted = wanted
        self._places = dict(known.places)
        self._filters = dict(known.filters)
        self._mappings = dict(known.mappings)
        self._known = known
        # By filter id, the constraints of changed filters by constraint id.
        self._parts: dict[int, dict[int, Any]] = {}

    async def run(self, done: Callable[[todo.Step], object]) -> None:
        """Run all steps, calling `done` after each; safe to repeat after a failure."""
        steps = self.plan.steps
        guarded = [step.guarded for step in steps if step.guarded is not None]
        guards = [(spot, await self._attach_own(spot, _EVERYTHING)) for spot in guarded]
        ordered = _ordered(steps)
        missing = Counter(at for at, _ in ordered)
        self.left = {at: step for at, step in enumerate(steps) if missing[at]}
        for at, action in ordered:
            await self._do(action)
            missing[at] -= 1
            if not missing[at]:
                done(self.left.pop(at))
        for spot, guard in guards:
            await self._transport.ask(RemoveFilter(self._place(spot), guard))

    async def _do(self, action: todo.Action) -> None:
        match action:
            case todo.MakeChannel():
                await self._make_channel(action)
            case todo.MakeAdmin(spot, operator):
                channel = self._place(Spot(spot.channel)).channel
                assert spot.side is not None
                id = await self._transport.ask(NewAdmin(channel, spot.side, operator))
                self._places[spot] = Place(channel, spot.side, id)
            case todo.MakeProxy():
                await self._make_proxy(action)
            case todo.Keep():
                await self._keep(action)
            case todo.SetProperties(spot, qos):
                await self._transport.ask(SetQoS(self._place(spot), qos))
            case todo.SetLimits(spot, limits):
                await self._transport.ask(SetAdminProperties(self._place(spot).channel, limits))
            case todo.ChangeTypes(spot, added, removed):
                change = SubscriptionChange if spot.side is Side.CONSUMER else OfferChange
                await self._transport.ask(change(self._place(spot), added, removed))
            case todo.Remove(spot):
                await self._remove(spot)
            case _:
                await self._do_filters(action)

    async def _do_filters(self, action: todo.Action) -> None:
        match action:
            case todo.SetMapping(spot, purpose, label):
                id = await self._mapping(label) if label else None
                await self._transport.ask(SetMappingCommand(self._place(spot), purpose, id))
            case todo.Attach():
                await self._attach(action)
            case todo.Detach(spot, attachments):
                for id in attachments:
                    await self._transport.ask(RemoveFilter(self._place(spot), id))
            case todo.AddParts(label, mapping):
                await self._add_parts(label, mapping=mapping)
            case todo.ArrangeParts(label, mapping):
                await self._arrange(label, mapping=mapping)
            case todo.DropFilter(id):
                await self._transport.ask(DestroyFilter(id))

    def _place(self, spot: Spot) -> Place:
        return self._places[spot]

    # Objects.

    async def _make_channel(self, action: todo.MakeChannel) -> None:
        # Set every property: the service's own defaults may differ.
        command = CreateChannel(new_origin(), action.qos, action.limits, action.spot.channel)
        id = await self._transport.ask(command)
        self._places[action.spot] = Place(id)
        for side in Side:
            default = Spot(action.spot.channel, side, DEFAULT_ADMIN)
            self._places[default] = Place(id, side, 0)

    async def _make_proxy(self, action: todo.MakeProxy) -> None:
        spot, admin, part = action.spot, self._place(action.admin), action.part
        assert spot.side is not None
        assert admin.admin is not None
        command = ObtainProxy(
            admin.channel, spot.side, part.style, part.form, admin.admin, action.qos, spot.proxy
        )
        id = await self._transport.ask(command)
        self._places[spot] = Place(admin.channel, proxy=id)

    async def _keep(self, action: todo.Keep) -> None:
        """Connect and disconnect: from then on the service keeps a backlog for the subscription."""
        place = self._place(action.spot)
        assert place.proxy is not None
        connect = Connect(place.channel, place.proxy, window=1)
        if action.part.style is Style.PUSH:
            line: object = await self._transport.receive(connect, None)
        else:
            line = await self._transport.listen(connect, None)
        await self._transport.release(place.channel, place.proxy, line, end=False)

    async def _remove(self, spot: Spot) -> None:
        place = self._place(spot)
        if place.proxy is not None:
            await self._transport.ask(Disconnect(place.channel, place.proxy))
        elif place.side is not None and place.admin is not None:
            await self._transport.ask(DestroyAdmin(place.channel, place.side, place.admin))
        else:
            await self._transport.ask(DestroyChannel(place.channel))

    # Filters.

    async def _attach(self, action: todo.Attach) -> None:
        if action.own is not None:
            await self._attach_own(action.spot, action.own)
        for label in action.filters:
            await self._transport.ask(
                AddFilter(self._place(action.spot), await self._filter(label))
            )

    async def _attach_own(self, spot: Spot, constraints: Sequence[Constraint]) -> int:
        id, _ = await self._transport.ask(CreateFilter(tuple(constraints), private=True))
        attachment: int = await self._transport.ask(AddFilter(self._place(spot), id))
        return attachment

    async def _filter(self, label: str) -> int:
        """Return a shared filter's id; create the filter when first needed."""
        if label not in self._filters:
            id, _ = await self._transport.ask(CreateFilter(self._wanted.filters[label]))
            self._filters[label] = id
        return self._filters[label]

    async def _mapping(self, label: str) -> int:
        if label not in self._mappings:
            part = self._wanted.mappings[label]
            id, _ = await self._transport.ask(CreateMapping(part.default, part.mapped))
            self._mappings[label] = id
        return self._mappings[label]

    async def _add_parts(self, label: str, *, mapping: bool) -> None:
        id, wanted = self._wanted_parts(label, mapping=mapping)
        there: Sequence[Any] = (
            self._known.configuration.mappings[label].mapped
            if mapping
            else self._known.configuration.filters[label]
        )
        parts = dict(zip(self._known.parts[id], there, strict=True))
        missing = [one for one in wanted if one not in there]
        # A filter without constraints passes everything; adding the first one narrows it.
        if missing and parts:
            ids = await self._transport.ask(_adding(mapping)(id, missing))
            parts |= dict(zip(ids, missing, strict=True))
        self._parts[id] = parts

    async def _arrange(self, label: str, *, mapping: bool) -> None:
        """Assign the wanted constraints to the lowest ids in order; delete the rest at once."""
        id, wanted = self._wanted_parts(label, mapping=mapping)
        ids = sorted(self._parts[id])
        if not ids:
            await self._transport.ask(_adding(mapping)(id, wanted))
            return
        replaced = {
            part: one
            for part, one in zip(ids, wanted, strict=False)
            if self._parts[id][part] != one
        }
        command: type[Any] = ModifyMapped if mapping else ModifyConstraints
        await self._transport.ask(command(id, ids[len(wanted) :], replaced))

    def _wanted_parts(self, label: str, *, mapping: bool) -> tuple[int, Sequence[Any]]:
        if mapping:
            return self._mappings[label], self._wanted.mappings[label].mapped
        return self._filters[label], self._wanted.filters[label]


def _ordered(steps: Sequence[todo.Step]) -> list[tuple[int, todo.Action]]:
    """Order all actions, each with its step's position; parents become BestEffort last."""
    first = [(at, action) for at, step in enumerate(steps) for action in step.actions]
    lowered = [pair for pair in first if _makes_best_effort(pair[1])]
    return [
        *(pair for pair in first if pair not in lowered),
        *reversed(lowered),
        *((at, action) for at, step in enumerate(steps) for action in step.narrowing),
    ]


def _makes_best_effort(action: todo.Action) -> bool:
    return (
        isinstance(action, todo.SetProperties)
        and action.qos.get("ConnectionReliability") == Reliability.BEST_EFFORT
    )


def _adding(mapping: bool) -> type[Any]:
    return AddMapped if mapping else AddConstraints


_EVERYTHING = (constraint("TRUE"),)
