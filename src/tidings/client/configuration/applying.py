"""Applying a plan, step by step, over any transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from tidings.channel import management as m
from tidings.channel.commands import Command
from tidings.channel.factory import Factory
from tidings.channel.holders import Admin, Holder
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS, Reliability
from tidings.channel.questions import SeeAdmin, SeeChannels, SeeFilter, SeeProxies, SeeRules
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.channel.views import ProxyInfo, view_admin, view_channel, view_filter, view_proxy
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.client.configuration import diff as todo
from tidings.client.configuration.diff import in_words_of
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.state import Found, find_configuration
from tidings.client.transport import Transport
from tidings.cores import Core, Question
from tidings.errors import TidingsError
from tidings.federation.core import Federation
from tidings.federation.requests import SideConfig
from tidings.filters.constraint import Constraint, constraint
from tidings.names import new_origin
from tidings.trader.core import Trader


class Applying:
    """Changes a service to match a file; `left` has the unfinished steps by position.

    Raises `InvalidUsage` listing everything that cannot be changed without losing events.
    """

    def __init__(
        self, transport: Transport, wanted: Configuration, found: Found, *, prune: bool = False
    ) -> None:
        self.plan = todo.plan(wanted, found, prune=prune)
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
            await self._transport.ask(m.RemoveFilter(self._places[spot], guard))

    async def _do(self, action: todo.Action) -> None:
        match action:
            case todo.Send(spot, make, rest):
                await self._transport.ask(make(self._places.get(spot), *rest))
            case todo.MakeChannel():
                await self._make_channel(action)
            case todo.MakeAdmin(spot, operator):
                channel = self._places[Spot(spot.channel)].channel
                assert spot.side is not None
                id = await self._transport.ask(m.NewAdmin(channel, spot.side, operator))
                self._places[spot] = Place(channel, spot.side, id)
            case todo.MakeProxy():
                await self._make_proxy(action)
            case todo.Keep():
                await self._keep(action)
            case todo.SetMapping(spot, purpose, label):
                mapping = await self._mapping(label) if label else None
                await self._transport.ask(m.SetMapping(self._places[spot], purpose, mapping))
            case todo.Attach():
                await self._attach(action)
            case todo.ChangeParts(label, of_mapping, arrange):
                change = self._arrange if arrange else self._add_parts
                await change(label, mapping=of_mapping)

    # Objects.

    async def _make_channel(self, action: todo.MakeChannel) -> None:
        # Set every property: the service's own defaults may differ.
        command = m.CreateChannel(new_origin(), action.qos, action.limits, action.spot.channel)
        id = await self._transport.ask(command)
        self._places[action.spot] = Place(id)
        for side in Side:
            default = Spot(action.spot.channel, side, DEFAULT_ADMIN)
            self._places[default] = Place(id, side, 0)

    async def _make_proxy(self, action: todo.MakeProxy) -> None:
        spot, admin, part = action.spot, self._places[action.admin], action.part
        assert spot.side is not None
        assert admin.admin is not None
        command = m.ObtainProxy(
            admin.channel, spot.side, part.style, part.form, admin.admin, action.qos, spot.proxy
        )
        id = await self._transport.ask(command)
        self._places[spot] = Place(admin.channel, proxy=id)

    async def _keep(self, action: todo.Keep) -> None:
        """Connect and disconnect: from then on the service keeps a backlog for the subscription."""
        place = self._places[action.spot]
        assert place.proxy is not None
        connect = m.Connect(place.channel, place.proxy, window=1)
        if action.part.style is Style.PUSH:
            line: object = await self._transport.receive(connect, None)
        else:
            line = await self._transport.listen(connect, None)
        await self._transport.release(place.channel, place.proxy, line, end=False)

    # Filters.

    async def _attach(self, action: todo.Attach) -> None:
        if action.own is not None:
            await self._attach_own(action.spot, action.own)
        for label in action.filters:
            await self._transport.ask(
                m.AddFilter(self._places[action.spot], await self._filter(label))
            )

    async def _attach_own(self, spot: Spot, constraints: Sequence[Constraint]) -> int:
        id, _ = await self._transport.ask(m.CreateFilter(tuple(constraints), private=True))
        attachment: int = await self._transport.ask(m.AddFilter(self._places[spot], id))
        return attachment

    async def _filter(self, label: str) -> int:
        """Return a shared filter's id; create the filter when first needed."""
        if label not in self._filters:
            id, _ = await self._transport.ask(m.CreateFilter(self._wanted.filters[label]))
            self._filters[label] = id
        return self._filters[label]

    async def _mapping(self, label: str) -> int:
        if label not in self._mappings:
            part = self._wanted.mappings[label]
            id, _ = await self._transport.ask(m.CreateMapping(part.default, part.mapped))
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
        command: type[Any] = m.ModifyMapped if mapping else m.ModifyConstraints
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
        isinstance(action, todo.Send)
        and action.make is m.SetQoS
        and action.rest[0].get("ConnectionReliability") == Reliability.BEST_EFFORT
    )


def _adding(mapping: bool) -> type[Any]:
    return m.AddMapped if mapping else m.AddConstraints


_EVERYTHING = (constraint("TRUE"),)


async def rehearse(
    wanted: Configuration,
    found: Found,
    *,
    prune: bool = False,
    check: Callable[[SideConfig], object] = lambda _: None,
) -> None:
    """Apply a plan to a copy of the service; raise the error by which the service would refuse.

    `check` raises an error for a gateway's side that could not run.
    """
    copy = _Copy(check)
    asked = cast(Transport, copy)
    await Applying(asked, _plain(found.configuration), Found()).run(lambda step: None)
    await copy.be_like(found, await find_configuration(asked))
    there = await find_configuration(asked)
    await Applying(asked, wanted, there, prune=prune).run(lambda step: None)


class _Copy:
    """A core with the part of the transport interface that applying a plan needs."""

    def __init__(self, check: Callable[[SideConfig], object]) -> None:
        self._factory = Factory(DEFAULT_SETTINGS)
        self._cores: list[Core] = [Federation(check), Trader()]

    async def be_like(self, found: Found, here: Found) -> None:
        """Set the service's properties on the objects here directly, without a command's checks."""
        configuration = found.configuration
        for name, part in configuration.channels.items():
            channel = self._factory.channel(here.places[Spot(name)].channel)
            channel.qos, channel.properties = QoS(part.qos), AdminProperties(part.limits)
            for proxy in found.strangers.get(name, ()):
                await self._add_stranger(channel.id, proxy)
        for spot, held in configuration.holders.items():
            holder = self._holder(here.places[spot])
            holder.qos = QoS(held.qos)
            if isinstance(holder, Admin) and isinstance(held, AdminPart):
                holder.operator = held.operator
        self._factory.core.settings = found.rules

    def _holder(self, place: Place) -> Holder:
        channel = self._factory.channel(place.channel)
        if place.proxy is not None:
            return channel.proxy(place.proxy)
        assert place.side is not None
        assert place.admin is not None
        return channel.admin(place.side, place.admin)

    async def _add_stranger(self, channel: int, proxy: ProxyInfo) -> None:
        """Add an unnamed proxy: it counts towards limits and is in no file."""
        id = await self.ask(m.ObtainProxy(channel, proxy.side, proxy.style, proxy.form))
        if proxy.connected:
            await self.ask(m.Connect(channel, id))

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command."""
        if (core := self._core_of(command)) is not None:
            return _ask(core, command)
        answer, _ = self._factory.handle(command, 0)
        return answer

    def _core_of(self, asked: object) -> Core | None:
        return next((core for core in self._cores if type(asked) in core.requests), None)

    async def receive(self, connect: m.Connect, on_offers: None) -> object:
        """Connect a consumer."""
        return await self.ask(connect)

    listen = receive

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Do nothing: no client is connected."""

    async def request(self, question: Question[Any]) -> Any:  # noqa: ANN401 -- see the question
        """Answer a question."""
        factory = self._factory
        if (core := self._core_of(question)) is not None:
            return _ask(core, question)
        match question:
            case SeeRules():
                return factory.core.settings
            case SeeChannels():
                return [view_channel(one) for one in factory.channels.values()]
            case SeeAdmin(channel, side, id):
                return view_admin(factory.channel(channel).admin(side, id))
            case SeeProxies(channel):
                return [view_proxy(one) for one in factory.channel(channel).proxies.values()]
            case SeeFilter(id):
                return view_filter(factory.filters.find(id))
        raise AssertionError(question)


def _ask(core: Core, asked: object) -> Any:  # noqa: ANN401 -- see the request
    [answer], _ = core.handle_many([asked], 0)
    if isinstance(answer, TidingsError):
        raise answer
    return answer


def _plain(configuration: Configuration) -> Configuration:
    """Reset all objects to the standard's defaults, from which any other values can be set."""
    qos, limits = dict(QoS()), dict(AdminProperties())

    def reset(spot: Spot, part: AdminPart | ProxyPart) -> AdminPart | ProxyPart:
        if isinstance(part, AdminPart) and spot.admin == DEFAULT_ADMIN:  # made with its channel
            return replace(part, qos=qos, operator=Operator.AND)
        return replace(part, qos=qos)

    return replace(
        configuration,
        channels={name: ChannelPart(qos, limits) for name in configuration.channels},
        holders={spot: reset(spot, part) for spot, part in configuration.holders.items()},
    )
